import type { LineProof } from "@proofline/kernel"
import type { Before, LineRange, SourceOutline } from "../../port/index.ts"
import { type LineChanges, lineChanges } from "./changes.ts"
import { splitLines } from "./lines.ts"
import { neverRuns } from "./neverRuns.ts"
import { normalized } from "./normalized.ts"
import { substantial } from "./substance.ts"
import { type Version, withoutMoved } from "./unmoved.ts"

/** A file as it is now. */
export interface FileNow {
  readonly path: string
  /** With their ends. */
  readonly lines: ReadonlyArray<string>
  readonly outline: SourceOutline | null
}

/** What a run did to a file. */
export interface FileChanges {
  /** Byte by byte but for line ends. */
  readonly exact: LineChanges
  /** Without what is no difference: blanks, comments, lines that show nothing, declarations that only stand elsewhere. */
  readonly real: LineChanges
  /** What stands for each row; empty: it holds nothing but blanks and comments. */
  readonly tokens: ReadonlyArray<string>
}

const withoutEnd = (line: string): string => line.replace(/\r?\n$/, "")

/** What became of a file since the run began; null: nobody can tell. `outline`: of the text before. */
export const fileChanges = (file: FileNow, before: Before, outline: SourceOutline | null): FileChanges | null => {
  if (before._tag !== "text" && before._tag !== "absent") return null
  const { lines, path } = file
  const old = before._tag === "text" ? splitLines(before.text) : []
  const tokens = normalized(path, lines, file.outline)
  const real = realChanges({ lines: old, outline, tokens: normalized(path, old, outline) }, { ...file, tokens })
  return {
    exact: lineChanges(old.map(withoutEnd), lines.map(withoutEnd)),
    real: { rows: substantial(path, lines, file.outline, real.rows), cuts: real.cuts },
    tokens
  }
}

const realChanges = (before: Version, now: Version): LineChanges => {
  const found = lineChanges(before.tokens, now.tokens)
  const rest = withoutMoved(before, now, found.rows)
  return rest === null ? found : lineChanges(rest.before, rest.now)
}

/** Lines that are named at most. */
const namedMost = 1_000

/** What lines of a file are to the run. `covers`: the lines that are judged with those cited. */
export const lineProof = (
  file: FileNow,
  changes: FileChanges | null,
  { covers, range }: { readonly covers: LineRange; readonly range: LineRange },
  sha256: (text: string) => string
): Pick<LineProof, "change" | "never_runs"> => {
  const never_runs = neverRuns(file.path, file.lines, file.outline, range)
  if (changes === null) return { change: null, never_runs }
  const cited = namesIn(changes, range, sha256)
  return {
    change: {
      touched: isTouched(changes.exact, covers, file.lines.length),
      lines: cited.length > 0 ? cited : namesIn(changes, covers, sha256)
    },
    never_runs
  }
}

/** What of a file as a whole is new: names of lines, and of those behind which something was taken out. */
export const fileProof = ({ real, tokens }: FileChanges, sha256: (text: string) => string): ReadonlyArray<string> =>
  namesOf(tokens, real.rows, real.cuts, sha256)

const isIn = ({ end, start }: LineRange, row: number): boolean => row >= start - 1 && row <= end - 1

/** A cut before the first line or behind the last one is none of theirs, but at the begin and the end of the file. */
const isCutIn = (range: LineRange, row: number, total: number): boolean =>
  (row === -1 || isIn(range, row)) && (row === total - 1 || isIn(range, row + 1))

const isTouched = ({ cuts, rows }: LineChanges, range: LineRange, total: number): boolean =>
  rows.some((row) => isIn(range, row)) || cuts.some((row) => isCutIn(range, row, total))

/** By what it holds and how many of the same come before it, so that a line keeps its name when it moves. */
const namesIn = (
  { real, tokens }: FileChanges,
  range: LineRange,
  sha256: (text: string) => string
): ReadonlyArray<string> => {
  return namesOf(
    tokens,
    real.rows.filter((row) => isIn(range, row)),
    real.cuts.filter((row) => isCutIn(range, row, tokens.length)),
    sha256
  )
}

const namesOf = (
  tokens: ReadonlyArray<string>,
  rows: ReadonlyArray<number>,
  cuts: ReadonlyArray<number>,
  sha256: (text: string) => string
): ReadonlyArray<string> => {
  const ordinal = ordinals(tokens)
  const name = (row: number): string => `${sha256(tokens[row] ?? "").slice(0, 8)}.${ordinal[row] ?? 0}`
  return [...rows.map(name), ...cuts.map((row) => `-${name(row)}`)].slice(0, namedMost)
}

const ordinals = (tokens: ReadonlyArray<string>): ReadonlyArray<number> => {
  const seen = new Map<string, number>()
  return tokens.map((text) => {
    const count = seen.get(text) ?? 0
    seen.set(text, count + 1)
    return count
  })
}
