import { diffArrays } from "diff"

/** One line of a comparison, with its index in what it is from. */
export interface Side {
  readonly index: number
  readonly text: string
}

/** Two lines beside each other. `changed` pairs a line that went with one that came in its place. */
export type Row =
  | { readonly kind: "same" | "changed"; readonly was: Side; readonly is: Side }
  | { readonly kind: "removed"; readonly was: Side; readonly is: null }
  | { readonly kind: "added"; readonly was: null; readonly is: Side }

/** Edits looked for between two texts: the effort grows with their square. With more, all between the equal ends changed. */
const maxEdits = 1_000

/** What became of `then`, line by line; no more lines differ than have to. */
export const diffLines = (then: ReadonlyArray<string>, now: ReadonlyArray<string>): ReadonlyArray<Row> => {
  const { head, tail } = commonEnds(then, now)
  const old = then.slice(head, then.length - tail)
  const young = now.slice(head, now.length - tail)
  const rows: Array<Row> = []
  let [i, j, gone, come] = [0, 0, 0, 0]
  const was = (): Side => ({ index: i, text: then[i++] ?? "" })
  const is = (): Side => ({ index: j, text: now[j++] ?? "" })
  /** What went and came between lines that stayed, in pairs while there are some of both. */
  const pair = (): void => {
    for (; gone > 0 && come > 0; gone--, come--) rows.push({ kind: "changed", was: was(), is: is() })
    for (; gone > 0; gone--) rows.push({ kind: "removed", was: was(), is: null })
    for (; come > 0; come--) rows.push({ kind: "added", was: null, is: is() })
  }
  const stay = (count: number): void => {
    pair()
    for (let k = 0; k < count; k++) rows.push({ kind: "same", was: was(), is: is() })
  }
  stay(head)
  for (const { added, count, removed } of diffArrays(old, young, { maxEditLength: maxEdits }) ?? [
    { removed: true, added: false, count: old.length },
    { removed: false, added: true, count: young.length }
  ]) {
    if (removed) gone += count
    else if (added) come += count
    else stay(count)
  }
  stay(tail)
  return rows
}

/** How many are the same on both sides at the beginning, and of the others at the end. */
const commonEnds = (a: ReadonlyArray<string>, b: ReadonlyArray<string>) => {
  const shorter = Math.min(a.length, b.length)
  let head = 0
  while (head < shorter && a[head] === b[head]) head++
  let tail = 0
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  return { head, tail }
}

/** The part of `text` that is not in `other`: [before, differing, after]. */
export const changedPart = (text: string, other: string): readonly [string, string, string] => {
  const characters = [...text]
  const { head, tail } = commonEnds(characters, [...other])
  const part = (from: number, to?: number): string => characters.slice(from, to).join("")
  const end = characters.length - tail
  return [part(0, head), part(head, end), part(end)]
}
