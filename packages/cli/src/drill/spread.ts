/**
 * At most so many of them, in turn from every group, and within a group at even distances: always the same ones. Groups
 * with more come first.
 */
export const spread = <A>(all: ReadonlyArray<A>, groupOf: (one: A) => string, most: number): ReadonlyArray<A> => {
  const groups = [...Map.groupBy(all, groupOf)]
    .toSorted(([one, a], [other, b]) => b.length - a.length || (one < other ? -1 : 1))
    .map(([, members]) => evenly(members, most))
  const longest = Math.max(0, ...groups.map(({ length }) => length))
  return Array.from({ length: longest }, (_, turn) => groups.flatMap((members) => members.slice(turn, turn + 1)))
    .flat()
    .slice(0, most)
}

/** All of them when there are not more; the order is that of a walk in which the first ones lie far apart. */
const evenly = <A>(all: ReadonlyArray<A>, most: number): ReadonlyArray<A> => {
  const n = Math.min(all.length, most)
  const chosen = Array.from({ length: n }, (_, i) => Math.floor(((i + 0.5) * all.length) / n))
  return farApart(chosen).flatMap((at) => all.slice(at, at + 1))
}

/** The middle one, then the middles of both halves, and so on. */
const farApart = (chosen: ReadonlyArray<number>): ReadonlyArray<number> => {
  const found: Array<number> = []
  const parts: Array<readonly [number, number]> = [[0, chosen.length]]
  for (const [from, to] of parts) {
    if (from >= to) continue
    const middle = (from + to) >> 1
    found.push(chosen[middle] ?? 0)
    parts.push([from, middle], [middle + 1, to])
  }
  return found
}
