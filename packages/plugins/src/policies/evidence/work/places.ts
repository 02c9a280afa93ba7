import type { LineRange } from "../../../port/index.ts"
import type { LineChanges } from "./changes.ts"

/** Where something was taken out, and nothing put in its place. Rows count from 0. */
export interface CutPlace {
  /** The row by which the cut is known. */
  readonly row: number
  /** The rows that it stood between, blank lines apart. Several: nobody can tell which of them. */
  readonly gaps: ReadonlyArray<Gap>
  /** Rows of comments and the like there that were changed with it. */
  readonly beside: ReadonlyArray<number>
}

/** -1: there is no row before it; the number of rows: there is none behind it. */
interface Gap {
  readonly before: number
  readonly behind: number
}

/** Changes, with the text of each row that was compared. */
export interface Compared extends LineChanges {
  readonly compared: ReadonlyArray<string>
}

/**
 * Between the code around a cut there may be comments and documentation, so its place is told by the change to the lines as
 * they are.
 */
export const cutPlaces = (real: Compared, exact: Compared): ReadonlyArray<CutPlace> => {
  const cuts = gapsOf(exact)
  return gapsOf(real).map((around) => {
    const gaps = between(cuts, ({ before }) => before, around.before, around.behind).filter(
      ({ behind }) => behind <= around.behind
    )
    const beside = between(exact.rows, (row) => row, around.before + 1, around.behind)
    return { row: around.before, gaps: gaps.length + beside.length === 0 ? [around] : gaps, beside }
  })
}

/** Those of an ascending list from one row up to another, without searching all of it: a file may have thousands. */
const between = <A>(all: ReadonlyArray<A>, rowOf: (one: A) => number, from: number, to: number): ReadonlyArray<A> => {
  const firstAt = (row: number): number => {
    let [low, high] = [0, all.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (rowOf(all[middle] as A) < row) low = middle + 1
      else high = middle
    }
    return low
  }
  return all.slice(firstAt(from), firstAt(to))
}

const gapsOf = ({ compared, cuts }: Compared): ReadonlyArray<Gap> =>
  cuts.map((before) => {
    let behind = before + 1
    while (behind < compared.length && compared[behind] === "") behind++
    return { before, behind }
  })

/**
 * Whether lines show what was taken out there: they hold both the line before and that behind it. For an item that asks for
 * just that, some place between the two is enough, be it between blank lines.
 */
export const isPlaceIn = (
  { beside, gaps }: CutPlace,
  { end, start }: LineRange,
  total: number,
  isRemoval: boolean
): boolean => {
  const [first, last] = [start - 1, end - 1]
  const holds = ({ before, behind }: Gap): boolean =>
    (before === -1 || first <= before) && (behind === total || last >= behind) && first <= behind && last >= before
  const holdsPart = ({ before, behind }: Gap): boolean =>
    Math.min(last, behind) - Math.max(first, before) >= (before === -1 || behind === total ? 0 : 1)
  return isRemoval ? gaps.some(holdsPart) || beside.some((row) => row >= first && row <= last) : gaps.some(holds)
}

/** The lines that show what was taken out, those nearest to the cited ones first. */
export const placesNear = (
  places: ReadonlyArray<CutPlace>,
  { end, start }: LineRange,
  total: number
): ReadonlyArray<string> => {
  const ranges = places.flatMap(({ beside, gaps }) => {
    const [gap] = gaps
    const [from, to] =
      gap === undefined
        ? [beside[0] ?? 0, beside.at(-1) ?? 0]
        : [Math.max(gap.before, 0), Math.min(gap.behind, total - 1)]
    const first = gap?.before === -1 ? to : from
    const last = gap?.behind === total ? from : to
    return total === 0 ? [] : [{ first: Math.min(first, last) + 1, last: Math.max(first, last) + 1 }]
  })
  const distance = ({ first, last }: (typeof ranges)[number]) => Math.max(0, first - end, start - last)
  const told = ranges
    .toSorted((a, b) => distance(a) - distance(b) || a.first - b.first)
    .map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`))
  return [...new Set(told)].slice(0, toldMost)
}

const toldMost = 3
