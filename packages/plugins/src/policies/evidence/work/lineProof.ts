import type { LineProof } from "@proofline/kernel"
import type { Before, LineRange, SourceOutline } from "../../../port/index.ts"
import { splitLines, withoutEnd } from "../../../text/lines.ts"
import { removalsIn } from "../asked/removals.ts"
import { normalized } from "../code/normalized.ts"
import { once, onceFor } from "../code/once.ts"
import { isCutIn, rowsIn, setOf } from "../code/rowsIn.ts"
import { substantial } from "../code/substance.ts"
import { neverRuns } from "../tests/neverRuns.ts"
import { compareLines, type LineChanges, lineChanges } from "./changes.ts"
import { type CutPlace, cutPlaces, isPlaceIn, placesNear } from "./places.ts"
import { respelledRows } from "./spelling.ts"
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
  /** Where something real was taken out. */
  readonly places: ReadonlyArray<CutPlace>
  /** What stands for each row; empty: it holds nothing but blanks and comments. */
  readonly tokens: ReadonlyArray<string>
  /** Of the real ones the rows that say what they said, in other quotes, with other brackets, on other lines. */
  readonly respelled: () => ReadonlySet<number>
}

/** What became of a file since the run began; null: nobody can tell. `outline`: of the text before. */
export const fileChanges = (file: FileNow, before: Before, outline: SourceOutline | null): FileChanges | null => {
  if (before._tag !== "text" && before._tag !== "absent") return null
  const { lines, path } = file
  const old = before._tag === "text" ? splitLines(before.text) : []
  const tokens = normalized(path, lines, file.outline)
  const then = { lines: old, outline, tokens: normalized(path, old, outline) }
  const real = realChanges(then, { ...file, tokens })
  const texts = textsOf(lines, tokens)
  const exact = lineChanges(textsOf(old, then.tokens), texts)
  const rows = substantial(path, lines, file.outline, real.rows)
  // of a new file that is to be empty its brackets are the work
  const isBare = before._tag === "absent" && rows.length === 0
  return {
    exact,
    real: { rows: isBare ? real.rows : rows, cuts: real.cuts },
    places: cutPlaces(real, { ...exact, compared: texts }),
    tokens,
    respelled: once(() => respelledRows(then, file, real.replaced))
  }
}

/** A blank line of a string is one to be compared. */
const textsOf = (lines: ReadonlyArray<string>, tokens: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.map((line, row) => (line.trim() === "" ? (tokens[row] ?? "") : withoutEnd(line)))

const realChanges = (before: Version, now: Version) => {
  const found = compareLines(before.tokens, now.tokens)
  const rest = withoutMoved(before, now, found.rows)
  return rest === null
    ? { ...found, compared: now.tokens }
    : { ...compareLines(rest.before, rest.now), compared: rest.now }
}

/** Lines that are named at most. */
const namedMost = 1_000

/** What lines of a file are to the run. `covers`: the lines that are judged with those cited. */
export const lineProof = (
  file: FileNow,
  changes: FileChanges | null,
  {
    covers,
    isRemoval,
    isSpelling,
    range
  }: {
    readonly covers: LineRange
    readonly range: LineRange
    /** They are cited for something that was to be taken out, and for nothing else. */
    readonly isRemoval: boolean
    /** They may be cited for how code is written. */
    readonly isSpelling: boolean
  },
  sha256: (text: string) => string
): Pick<LineProof, "change" | "never_runs" | "places"> => {
  const never_runs = neverRuns(file.path, file.lines, file.outline, range)
  if (changes === null) return { change: null, never_runs }
  const named = (of: LineRange) =>
    !isSpelling && isRespelledWhole(changes) ? [] : namesIn(changes, of, isRemoval, sha256)
  const cited = named(range)
  const lines = cited.length > 0 ? cited : named(covers)
  const isShown = removalsIn(lines).length > 0
  return {
    change: { touched: (isRemoval && isShown) || isTouched(changes.exact, covers, file.lines.length), lines },
    never_runs,
    // what was changed and not only taken out is shown by what stands there now
    ...(isRemoval && !isShown && (changes.places.length > 0 || changes.real.rows.length === 0)
      ? { places: placesNear(changes.places, range, file.lines.length) }
      : {})
  }
}

/** Whether all that is new in a file is how it is written. */
export const isRespelledWhole = ({ real, respelled }: FileChanges): boolean =>
  real.rows.length > 0 && real.cuts.length === 0 && real.rows.every((row) => respelled().has(row))

/** What of a file as a whole is new: names of lines, and of those behind which something was taken out. */
export const fileProof = ({ real, tokens }: FileChanges, sha256: (text: string) => string): ReadonlyArray<string> =>
  namesOf(tokens, real.rows, real.cuts, sha256)

const isTouched = ({ cuts, rows }: LineChanges, range: LineRange, total: number): boolean =>
  rowsIn(rows, range).length > 0 || cutsIn(cuts, range, total).length > 0

const cutsIn = (cuts: ReadonlyArray<number>, range: LineRange, total: number): ReadonlyArray<number> =>
  [...(setOf(cuts).has(-1) ? [-1] : []), ...rowsIn(cuts, range)].filter((row) => isCutIn(range, row, total))

/** By what it holds and how many of the same come before it, so that a line keeps its name when it moves. */
const namesIn = (
  { places, real, tokens }: FileChanges,
  range: LineRange,
  isRemoval: boolean,
  sha256: (text: string) => string
): ReadonlyArray<string> => {
  return namesOf(
    tokens,
    rowsIn(real.rows, range),
    real.cuts.filter(
      (row) =>
        isCutIn(range, row, tokens.length) ||
        (placesAt(places).get(row) ?? []).some((place) => isPlaceIn(place, range, tokens.length, isRemoval))
    ),
    sha256
  )
}

const placesAt = onceFor((places: FileChanges["places"]) => Map.groupBy(places, ({ row }) => row))

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

/** How many of the same come before each. */
export const ordinals = onceFor((tokens: ReadonlyArray<string>): ReadonlyArray<number> => {
  const seen = new Map<string, number>()
  return tokens.map((text) => {
    const count = seen.get(text) ?? 0
    seen.set(text, count + 1)
    return count
  })
})
