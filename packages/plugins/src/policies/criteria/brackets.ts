import type { SourceOutline } from "../../port/index.ts"
import { withoutSpans } from "../../text/parts.ts"

/** Where brackets do not match. */
export interface BracketFault {
  /** From 0. */
  readonly row: number
  readonly text: string
}

/** Where the brackets of a text do not match, those in comments and strings aside; null: nowhere, or it cannot be told. */
export const bracketFault = (lines: ReadonlyArray<string>, outline: SourceOutline): BracketFault | null => {
  const code = withoutSpans(lines, [...outline.strings, ...outline.asides.filter(({ kind }) => kind === "comment")])
  // alternatives of a preprocessor may open the same block twice
  if (code.some((line) => /^\s*#\s*(?:if\s|else|elif|ifdef\s+__cplusplus)/.test(line))) return null
  // the patterns of a shell have one bracket of two
  return outline.language === "bash" ? null : unmatchedBracket(code)
}

const unmatchedBracket = (code: ReadonlyArray<string>): BracketFault | null => {
  const open: Array<{ readonly char: string; readonly closer: string; readonly row: number }> = []
  for (const [row, line] of code.entries()) {
    for (const char of line) {
      const closer = closers[char]
      if (closer !== undefined) open.push({ char, closer, row })
      if (char !== ")" && char !== "]" && char !== "}") continue
      const last = open.pop()
      if (last === undefined) return { row, text: `\`${char}\` closes nothing` }
      if (last.closer !== char)
        return { row, text: `\`${char}\` stands where \`${last.char}\` of line ${last.row + 1} is not closed yet` }
    }
  }
  const left = open.at(-1)
  return left === undefined ? null : { row: left.row, text: `\`${left.char}\` is never closed` }
}

const closers: Readonly<Record<string, string | undefined>> = { "(": ")", "[": "]", "{": "}" }
