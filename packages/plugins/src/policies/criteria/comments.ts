import type { Span } from "../../port/index.ts"
import type { ChangedFile } from "./file.ts"

/** What one line of a comment says. */
export interface Remark {
  readonly row: number
  /** Without the signs that make it a comment. */
  readonly text: string
  /** There is nothing but brackets beside it on its line. */
  readonly isAlone: boolean
  /** It is all there is between two curly brackets. */
  readonly isHeld: boolean
  /** The comment has text on this line only. */
  readonly isWhole: boolean
  /** It goes on before or behind this line, or in comments there: what it says may be an example. */
  readonly isInRun: boolean
  /** Documentation, which may hold examples. */
  readonly isDocumentation: boolean
  /** Begins with `//`, `#` or the like. */
  readonly isLineComment: boolean
}

/** What the comments of a file say, line by line; null: nobody knows what a comment is in such a file. */
export const remarksOf = (file: ChangedFile): ReadonlyArray<Remark> | null => {
  const spans = commentsOf(file)
  if (spans === null) return null
  const rows = new Map<number, boolean>()
  const remarks = spans.flatMap((span) => remarksIn(file.lines, span))
  for (const { isAlone, row } of remarks) rows.set(row, isAlone)
  return remarks.map((remark) => ({
    ...remark,
    isInRun: !remark.isWhole || rows.get(remark.row - 1) === true || rows.get(remark.row + 1) === true
  }))
}

/** Where the comments are. */
export const commentsOf = ({ lines, outline, path }: ChangedFile): ReadonlyArray<Span> | null => {
  if (outline !== null) return outermost(outline.asides.filter(({ kind }) => kind === "comment"))
  const signs = signsOf(path)
  return signs === null ? null : scanned(lines, signs)
}

const outermost = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const kept: Array<Span> = []
  for (const span of [...spans].sort((a, b) => a.start.row - b.start.row || a.start.column - b.start.column)) {
    const last = kept.at(-1)?.end
    const isInside =
      last !== undefined &&
      (span.start.row < last.row || (span.start.row === last.row && span.start.column < last.column))
    if (!isInside) kept.push(span)
  }
  return kept
}

const remarksIn = (lines: ReadonlyArray<string>, { end, start }: Span): ReadonlyArray<Remark> => {
  const first = (lines[start.row] ?? "").slice(start.column)
  const isLineComment = /^(?:\/\/|#|--|;|%)/.test(first) && !/^--\[\[/.test(first)
  const rows = Array.from({ length: end.row - start.row + 1 }, (_, i) => start.row + i).flatMap((row) => {
    const line = lines[row] ?? ""
    const from = row === start.row ? start.column : 0
    const to = row === end.row ? end.column : line.length
    const text = bare(line.slice(from, to), row === start.row)
    const [before, after] = [line.slice(0, from), line.slice(to)]
    const isAlone = !/[^\s{}()[\];,<>]/.test(before + after)
    const isHeld = /\{\s*$/.test(before) && /^\s*\}/.test(after)
    return text === "" ? [] : [{ row, text, isAlone, isHeld }]
  })
  const isDocumentation =
    /^(?:\/\/[/!](?!\/)|#'|--- )/.test(first) ||
    (end.row > start.row && /^(?:\/\*[*!]|"""|'''|[rRuUbB]*["'])/.test(first))
  return rows.map((row) => ({
    ...row,
    isWhole: rows.length === 1,
    isInRun: false,
    isDocumentation,
    isLineComment
  }))
}

const bare = (text: string, isFirst: boolean): string =>
  text
    .trim()
    .replace(isFirst ? opening : /^(?:\*(?!\/)\s*)+/, "")
    .replace(closing, "")
    .trim()

const opening =
  /^(?:\/\/+!?|\/\*+!?|#+[!|=]?(?!\[)|#\[|--+(?:\[\[)?|;+|%+|<!--+|<#|[rRuUbB]{0,2}(?:"""|'''|"|')|\{-\|?|\(\*+|=begin)\s*/
const closing = /\s*(?:\*+\/|--+>|"""|'''|-\}|\*+\)|\]\]|#>|\]#|=end|\|#)$/

// --- files without a grammar --------------------------------------------------------------------------------------

interface Signs {
  readonly line: ReadonlyArray<string>
  readonly block: ReadonlyArray<readonly [open: string, close: string]>
  readonly quotes: string
}

const slashes: Signs = { line: ["//"], block: [["/*", "*/"]], quotes: "\"'`" }
const hashes: Signs = { line: ["#"], block: [], quotes: "\"'" }
const markup: Signs = { line: [], block: [["<!--", "-->"]], quotes: "" }
const mixed: Signs = {
  line: ["//"],
  block: [
    ["/*", "*/"],
    ["<!--", "-->"]
  ],
  quotes: "\"'`"
}

const byEnding: ReadonlyArray<readonly [Signs, string]> = [
  [
    slashes,
    "scss less sass styl dart groovy gradle zig proto thrift sol glsl hlsl m mm d jsonc json5 v fs fsx hjson cu"
  ],
  [{ ...slashes, line: [] }, "css"],
  [mixed, "vue svelte astro"],
  [markup, "html htm xml xhtml xsl xaml csproj plist"],
  [
    hashes,
    "yml yaml toml cfg conf env r pl pm ex exs jl nim tf tfvars hcl cmake graphql gql fish zsh mk pyx bzl star gd properties dockerfile"
  ],
  [{ ...hashes, block: [["<#", "#>"]] }, "ps1 psm1"],
  [{ line: ["--"], block: [["/*", "*/"]], quotes: "'" }, "sql psql ddl"],
  [{ line: ["--"], block: [["--[[", "]]"]], quotes: "\"'" }, "lua"],
  [{ line: ["--"], block: [["{-", "-}"]], quotes: '"' }, "hs elm purs"],
  [{ line: [], block: [["(*", "*)"]], quotes: '"' }, "ml mli"],
  [{ line: [";"], block: [], quotes: '"' }, "clj cljs edn lisp el scm rkt asm ini"],
  [{ line: ["%"], block: [], quotes: "" }, "tex erl hrl"]
]

const signsByEnding = new Map(byEnding.flatMap(([signs, endings]) => endings.split(" ").map((one) => [one, signs])))

const signsOf = (path: string): Signs | null => {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase()
  if (/^(?:dockerfile|containerfile|makefile|gnumakefile|justfile|cmakelists\.txt|\.env)(?:\..+)?$/.test(name))
    return hashes
  return name.includes(".") ? (signsByEnding.get(name.slice(name.lastIndexOf(".") + 1)) ?? null) : null
}

/** Comments by their signs. A line comment begins its line or follows a blank; quotes end with their line. */
const scanned = (lines: ReadonlyArray<string>, { block, line: lineSigns, quotes }: Signs): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  let open: { readonly start: Span["start"]; readonly close: string } | null = null
  for (const [row, line] of lines.entries()) {
    let quote = ""
    for (let column = 0; column < line.length; column++) {
      if (open !== null) {
        const end = line.indexOf(open.close, column)
        if (end === -1) break
        column = end + open.close.length - 1
        spans.push({ start: open.start, end: { row, column: column + 1 } })
        open = null
        continue
      }
      const char = line[column] ?? ""
      if (quote !== "") {
        if (char === "\\") column++
        else if (char === quote) quote = ""
        continue
      }
      const pair = block.find(([sign]) => line.startsWith(sign, column))
      if (pair !== undefined) {
        open = { start: { row, column }, close: pair[1] }
        column += pair[0].length - 1
        continue
      }
      const isFree = column === 0 || /\s/.test(line[column - 1] ?? "")
      if (isFree && lineSigns.some((sign) => line.startsWith(sign, column))) {
        spans.push({ start: { row, column }, end: { row, column: line.length } })
        break
      }
      if (quotes.includes(char)) quote = char
    }
  }
  return spans
}
