import type { LineRange } from "../../../port/index.ts"
import { languageOf } from "../../../text/languages.ts"
import { scan } from "../../../text/scan.ts"

/** How tests of a language without a grammar are laid out, and what in them can fail. */
interface Layout {
  readonly path: RegExp
  /** The first line of a test, with its name or title. */
  readonly head: RegExp
  /** The last one: of what is as deep as the head, or whatever is so. */
  readonly last: RegExp
  readonly isAnyDepth?: boolean
  /** Also what is called to look at something, which may do so elsewhere. */
  readonly failing: RegExp
  /** Stands beside tests and does nothing. */
  readonly beside: RegExp
}

const looking = String.raw`\b\w*(?:assert|check|ensure|expect|fail|match|raise|refute|require|test|throw|valid|verif)\w*[!?]?\s*\(`

const layouts: ReadonlyArray<Layout> = [
  {
    path: /\.zig$/,
    head: /^\s*test\b\s*(?:"([^"]*)"|(\w+))?\s*\{/,
    last: /^\s*\}/,
    // what fails is handed on, and the allocator of tests knows what is left
    failing: new RegExp(
      String.raw`\b(?:try|unreachable|orelse|catch|testing|error|comptime)\b|@panic|@compileError|${looking}`,
      "i"
    ),
    beside: /^(?:const \w+ = (?:@import\(.*\)|[\w.]+);)?$/
  },
  {
    path: /\.jl$/,
    head: /^\s*@testset\b[^"\n]*(?:"([^"]*)")?.*\b(?:begin|for\b.*|let\b.*)$/,
    last: /^\s*end\b/,
    failing: new RegExp(
      String.raw`@test(?!set\b)|@(?:inferred|assert)|\binclude\s*\(|\berror\s*\(|[\w.]+\(.*\) do\b|${looking.replace("test", "(?<!@)test")}`,
      "i"
    ),
    beside: /^(?:using|import)\b|^$/
  },
  {
    path: /_tests?\.erl$/,
    head: /^([a-z]\w*_test)\s*\(\s*\)\s*->/,
    last: /\.\s*$/,
    isAnyDepth: true,
    failing: new RegExp(
      String.raw`\?|(?:^|[,(\s>])(?:[a-z\d]\w*|\{.*\}|\[.*\]|<<.*>>|"[^"]*")\s*=[^=<:>]|\b(?:case|error|exit|throw|if|receive|try)\b|${looking}`,
      "im"
    ),
    beside: /^-\w+\(.*\)\.$|^$/
  },
  {
    path: /_SUITE\.erl$/,
    head: /^((?!(?:all|groups|suite|init_per_\w+|end_per_\w+)\b)[a-z]\w*)\s*\(\s*_?[A-Z]?\w*\s*\)\s*->/,
    last: /\.\s*$/,
    isAnyDepth: true,
    failing: new RegExp(
      String.raw`\?|(?:^|[,(\s>])(?:[a-z\d]\w*|\{.*\}|\[.*\]|<<.*>>|"[^"]*")\s*=[^=<:>]|\b(?:case|ct|error|exit|throw|if|receive|try)\b|${looking}`,
      "im"
    ),
    beside: /^-\w+\(.*\)\.$|^$/
  }
]

/**
 * The same as `neverRuns` of languages that are read by their layout alone: all tests that the lines touch assert nothing. Null: one of
 * them can fail, or the lines hold something else too. Pure.
 */
export const neverFails = (path: string, lines: ReadonlyArray<string>, { end, start }: LineRange): string | null => {
  const layout = layouts.find((one) => one.path.test(path))
  if (layout === undefined) return null
  const { text } = scan(lines.join("").replaceAll("\r", " "), languageOf(path, lines))
  const rows = text.split("\n").map((row) => row.slice(0, maxRow))
  const tests = testsIn(layout, rows)
  const touched = tests.filter(({ first, last }) => first < end && last >= start - 1)
  const isTest = (row: number): boolean => touched.some(({ first, last }) => row >= first && row <= last)
  const others = rows
    .slice(start - 1, end)
    .filter((row, at) => !isTest(start - 1 + at) && !layout.beside.test(row.trim()))
  const [first] = touched
  if (first === undefined || others.length > 0) return null
  return touched.every(({ body }) => !layout.failing.test(body))
    ? `Test '${first.name}' (line ${first.first + 1}) asserts nothing.`
    : null
}

/** Longer lines say what they say in so many characters. */
const maxRow = 1_000

const testsIn = ({ head, isAnyDepth = false, last }: Layout, rows: ReadonlyArray<string>) => {
  const found: Array<{ readonly name: string; readonly first: number; readonly last: number; readonly body: string }> =
    []
  for (let row = 0; row < rows.length; row++) {
    const begun = head.exec(rows[row] ?? "")
    if (begun === null) continue
    const depth = depthOf(rows[row] ?? "")
    const isEnd = (at: number): boolean =>
      last.test(rows[at] ?? "") && (isAnyDepth || depthOf(rows[at] ?? "") === depth)
    let end = isAnyDepth ? row : row + 1
    while (end < rows.length && !isEnd(end)) end++
    if (end === rows.length) break
    const behind = (rows[row] ?? "").slice(begun[0].length)
    const body = [behind, ...rows.slice(row + 1, end + 1)].join("\n")
    found.push({ name: begun.slice(1).find((one) => one !== undefined) ?? "", first: row, last: end, body })
    row = end
  }
  return found
}

const depthOf = (row: string): number => row.length - row.trimStart().length
