import type { PlannedSubtask } from "./schemas.ts"

/**
 * Indexes of the parts of a plan, each after those that it depends on, otherwise in the order of the plan; null: parts
 * wait for each other or for one that is not there.
 */
export const planOrder = (parts: ReadonlyArray<Pick<PlannedSubtask, "dependencies">>): ReadonlyArray<number> | null => {
  const left = [...parts.keys()]
  const placed = new Set<number>()
  while (left.length > 0) {
    const next = left.findIndex((i) => parts[i]?.dependencies.every((number) => placed.has(number - 1)))
    if (next < 0) return null
    for (const i of left.splice(next, 1)) placed.add(i)
  }
  return [...placed]
}
