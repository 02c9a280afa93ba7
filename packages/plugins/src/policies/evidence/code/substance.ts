import type { SourceOutline } from "../../../port/index.ts"
import { type Language, languageOf } from "../../../text/languages.ts"
import { scan } from "../../../text/scan.ts"
import { isAggregate } from "./aggregate.ts"
import { countIn, rowsOf } from "./code.ts"
import { documentationIn } from "./documentation.ts"
import { isPatterns } from "./emptiness.ts"
import { isMarkdown, sayingLines } from "./markdown.ts"
import { offRows } from "./offRows.ts"
import { openMarks } from "./openMarks.ts"
import { plainOf } from "./plain.ts"
import { setOf } from "./rowsIn.ts"
import { isImport, isQuiet } from "./statements.ts"

/**
 * Of the rows, counted from 0, those that hold something of their own: more than blanks, comments, brackets, words that
 * only go on with a statement (`else`, `try`) or end it, and statements that do nothing. An import counts in a file that
 * consists of imports and exports alone. In Markdown headings, ticked boxes and rules do not count, in other text and
 * data every line with a word or a number does. Pure.
 */
export const substantial = (
  path: string,
  lines: ReadonlyArray<string>,
  outline: SourceOutline | null,
  rows: ReadonlyArray<number>
): ReadonlyArray<number> => {
  const within = rows.filter((row) => row >= 0 && row < lines.length)
  const holds = outline === null ? byText(path, lines) : byOutline(path, lines, outline)
  const isNew = setOf(rows)
  return within.filter((row) => holds(row) || takesIn(lines, isNew, row))
}

/** Code that was there is now run in one case of two: `else {` before it. */
const takesIn = (lines: ReadonlyArray<string>, isNew: ReadonlySet<number>, row: number): boolean => {
  if (!/^[\s}]*(?:else|finally)\s*[{:]?\s*$/.test(lines[row] ?? "")) return false
  let next = row + 1
  while (lines[next]?.trim() === "") next++
  return !isNew.has(next) && /^\s*[^\s}]/.test(lines[next] ?? "")
}

const byOutline = (path: string, lines: ReadonlyArray<string>, outline: SourceOutline): ((row: number) => boolean) => {
  const read = rowsOf(lines, outline)
  const plain = plainOf(lines, outline)
  let aggregate: boolean | null = null
  const isImported = (row: number): boolean => {
    if (countIn(read.what.imports, row, row) === 0) return false
    aggregate ??= isAggregate(path, lines, outline)
    return aggregate
  }
  const textOf = (row: number): string =>
    plain.code.slice(plain.starts[row] ?? 0, (plain.starts[row + 1] ?? plain.code.length + 1) - 1)
  // a blank line that does something is one of a string
  const isWord = (text: string): boolean => text.trim() !== "" && isWordOnly(text)
  return (row) => (countIn(read.acting, row, row) > 0 && !isWord(textOf(row))) || isImported(row)
}

/** Nothing but a word that begins a branch or a block, or ends it. */
const isWordOnly = (code: string): boolean => wordOnly.test(code)
const wordOnly =
  /^[\s{}()[\];,:]*(?:(?:else|elif|try|finally|do|then|begin|end|ensure|rescue|default|loop|fi|done|esac|endif|endforeach|endwhile|except|catch|unsafe|pass)\b[\s{}()[\];,:]*){0,3}$/

const byText = (path: string, lines: ReadonlyArray<string>): ((row: number) => boolean) => {
  const language = languageOf(path, lines)
  const { code, continued, text } = scan(lines.join("").replaceAll("\r", " "), language)
  const off = offRows(text, language)
  const holds = byTextOf(path, language, code.split("\n"), text.split("\n"))
  const documented = documentationIn(language, lines)
  const isOfString = (row: number) => continued.has(row) && lines[row]?.trim() === "" && !documented.has(row)
  return (row) => !off.has(row) && (holds(row) || isOfString(row))
}

const byTextOf = (
  path: string,
  language: Language,
  codes: ReadonlyArray<string>,
  texts: ReadonlyArray<string>
): ((row: number) => boolean) => {
  if (isMarkdown(path)) {
    const saying = sayingLines(texts)
    return (row) => saying[row] === true
  }
  if (isPatterns(path)) return (row) => (texts[row] ?? "").trim() !== ""
  const hasWord = (row: number) => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(texts[row] ?? "")
  const marks = language.name === "prose" ? new Set<number>() : openMarks(texts)
  if (language.layout === "data")
    return (row) => hasWord(row) && !marks.has(row) && !/^\s*<\/[\w:.-]+>\s*$/.test(texts[row] ?? "")
  const isPlainImport = (row: number) => isImport((codes[row] ?? "").trim(), (texts[row] ?? "").trim(), language)
  const isAllImports = texts.every((_, row) => !hasWord(row) || isPlainImport(row))
  return (row) =>
    hasWord(row) &&
    !marks.has(row) &&
    !isWordOnly(codes[row] ?? "") &&
    !isQuiet((codes[row] ?? "").trim(), language) &&
    (isAllImports || !isPlainImport(row))
}
