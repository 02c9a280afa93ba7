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

/** Larger comparisons would take too long; there everything between the equal ends counts as changed. */
const mostCells = 1_000_000

/** What became of `then`, line by line: a longest common subsequence, so that no more lines differ than have to. */
export const diffLines = (then: ReadonlyArray<string>, now: ReadonlyArray<string>): ReadonlyArray<Row> => {
  const shorter = Math.min(then.length, now.length)
  let head = 0
  while (head < shorter && then[head] === now[head]) head++
  let tail = 0
  while (tail < shorter - head && then[then.length - 1 - tail] === now[now.length - 1 - tail]) tail++
  const thenEnd = then.length - tail
  const nowEnd = now.length - tail
  const rows: Array<Row> = []
  const same = (i: number, j: number): void => {
    rows.push({ kind: "same", was: sideOf(then, i), is: sideOf(now, j) })
  }
  for (let i = 0; i < head; i++) same(i, i)
  let i = head
  let j = head
  for (const [p, q] of [
    ...matches(then.slice(head, thenEnd), now.slice(head, nowEnd)),
    [thenEnd - head, nowEnd - head]
  ]) {
    rows.push(...between(then, now, [i, head + (p ?? 0)], [j, head + (q ?? 0)]))
    i = head + (p ?? 0)
    j = head + (q ?? 0)
    if (i < thenEnd && j < nowEnd) same(i++, j++)
  }
  for (let k = 0; k < tail; k++) same(thenEnd + k, nowEnd + k)
  return rows
}

const sideOf = (lines: ReadonlyArray<string>, index: number): Side => ({ index, text: lines[index] ?? "" })

/** Lines that have no equal on the other side, in pairs while there are some of both. */
const between = (
  then: ReadonlyArray<string>,
  now: ReadonlyArray<string>,
  [i, iEnd]: readonly [number, number],
  [j, jEnd]: readonly [number, number]
): ReadonlyArray<Row> =>
  Array.from({ length: Math.max(iEnd - i, jEnd - j) }, (_, k): Row => {
    if (i + k >= iEnd) return { kind: "added", was: null, is: sideOf(now, j + k) }
    if (j + k >= jEnd) return { kind: "removed", was: sideOf(then, i + k), is: null }
    return { kind: "changed", was: sideOf(then, i + k), is: sideOf(now, j + k) }
  })

/** Index pairs of a longest common subsequence, ascending. */
const matches = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): ReadonlyArray<readonly [number, number]> => {
  if (a.length * b.length > mostCells) return []
  const width = b.length + 1
  // longest[i * width + j]: of a from i on and b from j on
  const longest = new Uint32Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] =
        a[i] === b[j]
          ? (longest[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(longest[(i + 1) * width + j] ?? 0, longest[i * width + j + 1] ?? 0)
    }
  }
  const pairs: Array<readonly [number, number]> = []
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++])
    else if ((longest[(i + 1) * width + j] ?? 0) >= (longest[i * width + j + 1] ?? 0)) i++
    else j++
  }
  return pairs
}

/** The part of `text` that is not in `other`: [before, differing, after]. */
export const changedPart = (text: string, other: string): readonly [string, string, string] => {
  const a = [...text]
  const b = [...other]
  const shorter = Math.min(a.length, b.length)
  let head = 0
  while (head < shorter && a[head] === b[head]) head++
  let tail = 0
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const part = (from: number, to: number): string => a.slice(from, to).join("")
  return [part(0, head), part(head, a.length - tail), part(a.length - tail, a.length)]
}
