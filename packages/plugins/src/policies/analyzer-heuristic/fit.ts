import type { Draft } from "./parts.ts"

/** Drafts that are one part together, and the parts it needs, by index. */
export interface Joined {
  readonly drafts: ReadonlyArray<Draft>
  readonly needs: ReadonlySet<number>
  /** Files that it names. */
  readonly files: ReadonlySet<string>
}

/**
 * Joins neighbours until there are no more than `max`; those that name one file come first, small ones before large
 * ones. Neighbours are so in order of execution: then joining them closes no circle.
 */
export const fit = (parts: ReadonlyArray<Joined>, max: number): ReadonlyArray<Joined> => {
  if (parts.length <= max) return parts
  let fitted = sorted(parts)
  while (fitted.length > Math.max(1, max)) fitted = joinAt(fitted, closest(fitted))
  return fitted
}

/** Evenly sized runs of neighbours, when there are too many to look at each. */
export const coarse = (drafts: ReadonlyArray<Draft>, most: number): ReadonlyArray<ReadonlyArray<Draft>> => {
  if (drafts.length <= most) return drafts.map((draft) => [draft])
  const size = Math.ceil(drafts.length / most)
  return Array.from({ length: Math.ceil(drafts.length / size) }, (_, i) => drafts.slice(i * size, (i + 1) * size))
}

/** The order in which parts run when each runs as early as its number and its needs allow. */
export const orderOf = (needs: ReadonlyArray<ReadonlySet<number>>): ReadonlyArray<number> => {
  const open = new Set(needs.keys())
  const order: Array<number> = []
  while (open.size > 0) {
    const ready = [...open].find((i) => ![...(needs[i] ?? [])].some((earlier) => open.has(earlier)))
    if (ready === undefined) return order
    open.delete(ready)
    order.push(ready)
  }
  return order
}

const sorted = (parts: ReadonlyArray<Joined>): ReadonlyArray<Joined> => {
  const order = orderOf(parts.map(({ needs }) => needs))
  const place = new Map(order.map((from, to) => [from, to] as const))
  return order.flatMap((from) => {
    const part = parts[from]
    return part === undefined
      ? []
      : [{ ...part, needs: new Set([...part.needs].map((need) => place.get(need) ?? need)) }]
  })
}

const closest = (parts: ReadonlyArray<Joined>): number => {
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (let at = 0; at + 1 < parts.length; at++) {
    const [one, other] = [parts[at], parts[at + 1]]
    if (one === undefined || other === undefined) continue
    const file = [...other.files].some((path) => one.files.has(path))
    const near = file ? 0 : one.drafts.at(-1)?.group === other.drafts[0]?.group ? 1 : 2
    const cost = near * 100_000 + (one.drafts.length + other.drafts.length) * 100 - (other.needs.has(at) ? 1 : 0)
    if (cost < least) {
      least = cost
      best = at
    }
  }
  return best
}

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
