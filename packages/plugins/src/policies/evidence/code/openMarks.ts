/**
 * Rows, from 0, of lines that are a mark of open work in the comment signs of some language, whatever the language of the file is:
 * `# TODO` in JavaScript. What goes on behind the same sign belongs to it. Pure.
 */
export const openMarks = (lines: ReadonlyArray<string>): ReadonlySet<number> => {
  const rows = new Set<number>()
  let sign: string | null = null
  for (const [row, line] of lines.entries()) {
    if (sign !== null && goesOn.test(sign) && line.trimStart().startsWith(`${sign} `)) {
      rows.add(row)
      continue
    }
    const found = line.length > maxLength || !word.test(line) ? null : mark.exec(line)
    sign = found === null || behindEnd.test(line) ? null : (found[1] ?? null)
    if (sign !== null) rows.add(row)
  }
  return rows
}

/** Of comments that end with their line. */
const goesOn = /^(?:\/\/|#|--|;|%)/
/** Longer lines hold something. */
const maxLength = 400
const word = /\b(?:TODO|FIXME|TBD|XXX)\b/
const mark =
  /^\s*(\/\/+|#+|--+|;+|%+|\/\*+|<!--+|\{\{?[!#/*-]+|@\*|<%[#!-]+|\(\*|\{-|\.\.|::|["'!*](?=\s)|(?:REM|rem|dnl)(?=\s))\s*@?(?:TODO|FIXME|TBD|XXX)\b(?!\s*[{=,)\]>])/
/** Something follows the comment. */
const behindEnd = /(?:\*\/|-->|[-#*!]\}\}?|\*@|%>|\*\)|-\})\s*[^\s;,)}\]]/
