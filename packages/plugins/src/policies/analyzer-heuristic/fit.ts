import { planOrder } from "@proofline/kernel"
import type { Needs } from "./order.ts"
import type { Part } from "./parts.ts"

/** Parts that are one subtask together, and the subtasks it needs, by index. */
export interface Joined {
  readonly parts: ReadonlyArray<Part>
  readonly needs: ReadonlyArray<number>
}

/**
 * One subtask for each part; where there are more than `most`, neighbours are joined evenly. Neighbours are so in order
 * of execution: then joining them closes no circle.
 */
export const fit = (parts: ReadonlyArray<Part>, needs: Needs, most: number): ReadonlyArray<Joined> => {
  const all = [...parts.keys()]
  const runs = parts.length <= most ? all.map((i) => [i]) : evenRuns(orderOf(needs), most)
  const runOf = new Map(runs.flatMap((run, at) => run.map((i) => [i, at] as const)))
  return runs.map((run, at) => ({
    parts: run.flatMap((i) => parts[i] ?? []),
    needs: [...new Set(run.flatMap((i) => [...(needs[i] ?? [])].map((need) => runOf.get(need) ?? need)))]
      .filter((need) => need !== at)
      .sort((one, other) => one - other)
  }))
}

const evenRuns = (order: ReadonlyArray<number>, most: number): ReadonlyArray<ReadonlyArray<number>> =>
  Array.from({ length: most }, (_, i) =>
    order.slice(Math.floor((i * order.length) / most), Math.floor(((i + 1) * order.length) / most))
  )

const orderOf = (needs: Needs): ReadonlyArray<number> =>
  planOrder(needs.map((some) => ({ dependencies: [...some].map((need) => need + 1) }))) ?? []

/** Indexes of the subtasks, in the order in which they can run. */
export const inOrder = (joined: ReadonlyArray<Joined>): ReadonlyArray<number> =>
  orderOf(joined.map(({ needs }) => new Set(needs)))
