import { reaches } from "./order.ts"
import type { Draft } from "./parts.ts"

/** Drafts that are one part together, and the parts it needs, by index. */
export interface Joined {
  readonly drafts: ReadonlyArray<Draft>
  readonly needs: ReadonlySet<number>
  /** Files that it names. */
  readonly files: ReadonlySet<string>
}

/** Joins neighbours until there are no more than `max`; those that name one file come first, small ones before large ones. */
export const fit = (parts: ReadonlyArray<Joined>, max: number): ReadonlyArray<Joined> => {
  let fitted = parts
  while (fitted.length > Math.max(1, max)) fitted = joinAt(fitted, closest(fitted))
  return fitted
}

/** Evenly sized runs of neighbours, when there are too many to look at each. */
export const coarse = (drafts: ReadonlyArray<Draft>, most: number): ReadonlyArray<ReadonlyArray<Draft>> => {
  if (drafts.length <= most) return drafts.map((draft) => [draft])
  const size = Math.ceil(drafts.length / most)
  return Array.from({ length: Math.ceil(drafts.length / size) }, (_, i) => drafts.slice(i * size, (i + 1) * size))
}

const closest = (parts: ReadonlyArray<Joined>): number => {
  const needs = parts.map((part) => part.needs)
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (let at = 0; at + 1 < parts.length; at++) {
    const [one, other] = [parts[at], parts[at + 1]]
    if (one === undefined || other === undefined) continue
    const near = [...other.files].some((path) => one.files.has(path))
      ? 0
      : one.drafts.at(-1)?.group === other.drafts[0]?.group
        ? 1
        : 2
    const cost = near * 100_000 + (one.drafts.length + other.drafts.length) * 100 - (other.needs.has(at) ? 1 : 0)
    if (cost < least && !makesCycle(needs, at)) {
      least = cost
      best = at
    }
  }
  return best
}

/** Whether something else would have to run between the two. */
const makesCycle = (needs: ReadonlyArray<ReadonlySet<number>>, at: number): boolean =>
  between(needs, at, at + 1) || between(needs, at + 1, at)

const between = (needs: ReadonlyArray<ReadonlySet<number>>, from: number, to: number): boolean =>
  [...(needs[from] ?? [])].some((next) => next !== to && reaches(needs, next, to))

const joinAt = (parts: ReadonlyArray<Joined>, at: number): ReadonlyArray<Joined> => {
  const moved = (index: number) => (index > at ? index - 1 : index)
  return parts.flatMap((part, i) => {
    if (i === at + 1) return []
    const next = i === at ? parts[at + 1] : undefined
    const drafts = next === undefined ? part.drafts : [...part.drafts, ...next.drafts]
    const needs = new Set([...part.needs, ...(next?.needs ?? [])].map(moved))
    needs.delete(moved(i))
    const files = next === undefined ? part.files : new Set([...part.files, ...next.files])
    return [{ drafts, needs, files }]
  })
}

/** The part that runs last when each runs as early as it may, in order of number. */
export const lastOf = (needs: ReadonlyArray<ReadonlySet<number>>): number => {
  const open = new Set(needs.keys())
  let last = 0
  while (open.size > 0) {
    const ready = [...open].find((i) => ![...(needs[i] ?? [])].some((earlier) => open.has(earlier)))
    if (ready === undefined) return last
    open.delete(ready)
    last = ready
  }
  return last
}
