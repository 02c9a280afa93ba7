import type { SourceOutline } from "../../../port/index.ts"
import { languageOf } from "../../../text/languages.ts"
import { scan } from "../../../text/scan.ts"
import { indentOf } from "./outline.ts"
import { rowTokens } from "./tokens.ts"

/**
 * The lines of a file such that two versions of it differ in blanks, line ends and comments exactly where these strings
 * are the same: one for every line, its tokens without comments and blanks; what is in a string stays as it is. Where
 * layout is structure a line begins with its depth in levels. A line that holds nothing of its own is empty; whoever
 * compares leaves such lines out. Without an outline blanks are made one, and comments are known as far as the name of the file tells.
 */
export const normalized = (
  path: string,
  lines: ReadonlyArray<string>,
  outline: SourceOutline | null
): ReadonlyArray<string> => (outline === null ? collapsed(path, lines) : tokenised(lines, outline))

const tokenised = (lines: ReadonlyArray<string>, outline: SourceOutline): ReadonlyArray<string> => {
  const levels = new Levels()
  let brackets = 0
  let continues = false
  return lines.map((raw, row) => {
    const { inString, tokens } = rowTokens(raw, row, outline)
    if (tokens.length === 0) return ""
    const begins = !inString && brackets === 0 && !continues
    const level = outline.isIndented && begins ? `${levels.of(raw)} ` : ""
    for (const token of tokens) {
      if (/^[([{]$/.test(token)) brackets++
      else if (/^[)\]}]$/.test(token)) brackets = Math.max(0, brackets - 1)
    }
    continues = tokens.at(-1) === "\\"
    return level + tokens.join(" ")
  })
}

const collapsed = (path: string, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const levels = layout.test(path) ? new Levels() : null
  const texts = withoutComments(path, lines)
  return lines.map((raw, row) => {
    const line = (texts[row] ?? "").replace(/^\ufeff/, "").trim()
    return line === "" ? "" : `${levels === null ? "" : `${levels.of(raw)} `}${line.replace(/\s+/g, " ")}`
  })
}

/** In prose, and where nobody knows how comments are written, they count. */
const withoutComments = (path: string, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const language = languageOf(path, lines)
  if (language.name === "unknown" || language.name === "prose") return lines
  const { continued, text } = scan(lines.join("").replaceAll("\r", " "), language)
  // a blank line of a string is a part of it
  return text.split("\n").map((line, row) => (line.trim() === "" && continued.has(row) ? '""' : line))
}

/** Files without a grammar in which the depth of a line means something. */
const layout =
  /\.(?:ya?ml|md|mdx|markdown|rst|adoc|sass|styl|pug|jade|haml|slim|coffee|hs|lhs|elm|purs|fsx?|fsi|nim|nims|gd|bzl|star|mojo|pyx|mk)$|(?:^|\/)(?:GNU)?[Mm]akefile$/

/** Counts depth in levels, as Python does: how wide a level is means nothing. */
class Levels {
  private readonly open: Array<number> = []

  of(line: string): number {
    const width = indentOf(line)
    while ((this.open.at(-1) ?? 0) > width) this.open.pop()
    if (width > (this.open.at(-1) ?? 0)) this.open.push(width)
    return this.open.length
  }
}
