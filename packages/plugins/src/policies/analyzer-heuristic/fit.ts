import { planOrder } from "@proofline/kernel"
import type { Needs } from "./order.ts"
import type { Part } from "./parts.ts"

/** Parts that are one subtask together, and the subtasks it needs, by index. */
export type Joined = { readonly parts: ReadonlyArray<Part>; readonly needs: ReadonlyArray<number> }

/**
 * One subtask for each part; where there are more than `most`, neighbours are joined evenly. Neighbours are so in order
 * of execution: then joining them closes no circle.
 */
export const fit = (parts: ReadonlyArray<Part>, needs: Needs, most: number): ReadonlyArray<Joined> => {
  const order = parts.length <= most ? [...parts.keys()] : orderOf(needs)
  const size = Math.min(parts.length, most)
  const runs = Array.from({ length: size }, (_, i) =>
    order.slice(Math.floor((i * order.length) / size), Math.floor(((i + 1) * order.length) / size))
  )
  const runOf = new Map(runs.flatMap((run, at) => run.map((i) => [i, at] as const)))
  return runs.map((run, at) => ({
    parts: run.flatMap((i) => parts[i] ?? []),
    needs: [...new Set(run.flatMap((i) => [...(needs[i] ?? [])].map((need) => runOf.get(need) ?? need)))]
      .filter((need) => need !== at)
      .sort((one, other) => one - other)
  }))
}

/** Indexes of what needs one another, in an order in which they can run. */
export const orderOf = (needs: ReadonlyArray<Iterable<number>>): ReadonlyArray<number> =>
  planOrder(needs.map((some) => ({ dependencies: [...some].map((need) => need + 1) }))) ?? []
