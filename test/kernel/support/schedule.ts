import type { PlannedSubtask } from "@proofline/kernel"
import { aPart } from "./chunks.ts"
import type { Random } from "./random.ts"

/** Work that takes its time: who must wait for whom, and how long each lasts. Parts are counted from 0. */
export interface Load {
  readonly dependencies: ReadonlyArray<ReadonlyArray<number>>
  /** In ms. */
  readonly durations: ReadonlyArray<number>
}

/**
 * Parts that depend on some of those `reach` places before them, named in an order that says nothing of it. A quarter
 * depends on nothing and is worked off whenever there is time.
 */
export const randomLoad = (random: Random, parts: number, reach: number): Load => {
  const names = random.shuffled(Array.from({ length: parts }, (_, i) => i))
  const dependencies = names.map((): ReadonlyArray<number> => [])
  names.forEach((name, i) => {
    if (random.chance(0.25)) return
    const first = Math.max(0, i - reach)
    const needed = names.slice(first, i).filter(() => random.chance(2 / reach))
    dependencies[name] = needed.toSorted((a, b) => a - b)
  })
  return { dependencies, durations: names.map(() => 10 + random.below(991)) }
}

export const planOf = ({ dependencies }: Load): ReadonlyArray<PlannedSubtask> =>
  dependencies.map((needed, i) => aPart(`part ${i + 1}`, { dependencies: needed.map((part) => part + 1) }))

const dependentsOf = ({ dependencies }: Load): ReadonlyArray<ReadonlyArray<number>> => {
  const dependents = dependencies.map((): Array<number> => [])
  dependencies.forEach((needed, i) => {
    for (const part of needed) dependents[part]?.push(i)
  })
  return dependents
}

/** By part: the longest chain that begins there, itself included, in whatever a part counts. */
const chains = (load: Load, lengthOf: (part: number) => number): ReadonlyArray<number> => {
  const lengths: Array<number> = []
  const dependents = dependentsOf(load)
  const from = (part: number): number =>
    (lengths[part] ??= lengthOf(part) + Math.max(0, ...(dependents[part] ?? []).map(from)))
  return load.durations.map((_, part) => from(part))
}

/** The longest chain in ms: no schedule is shorter, however many work. */
export const criticalPath = (load: Load): number => Math.max(...chains(load, (part) => load.durations[part] ?? 0))

export const totalWork = ({ durations }: Load): number => durations.reduce((sum, ms) => sum + ms, 0)

/** What goes first of what is ready: the part with the longest chain behind it, or the first of the plan. */
export type Preference = "chain" | "plan"

/**
 * How long it takes, ms, when whoever is free takes something that is ready: by `preference`, and of equals the first
 * of the plan.
 */
export const listSchedule = (load: Load, workers: number, preference: Preference = "chain"): number => {
  const dependents = dependentsOf(load)
  const length = preference === "chain" ? chains(load, () => 1) : []
  const waiting = load.dependencies.map((needed) => needed.length)
  const ready = waiting.flatMap((left, part) => (left === 0 ? [part] : []))
  let running: ReadonlyArray<{ readonly part: number; readonly until: number }> = []
  for (let now = 0; ; now = Math.min(...running.map(({ until }) => until))) {
    for (const { part } of running.filter(({ until }) => until <= now)) {
      for (const dependent of dependents[part] ?? []) {
        const left = (waiting[dependent] ?? 0) - 1
        waiting[dependent] = left
        if (left === 0) ready.push(dependent)
      }
    }
    running = running.filter(({ until }) => until > now)
    ready.sort((a, b) => (length[b] ?? 0) - (length[a] ?? 0) || a - b)
    const begun = ready.splice(0, workers - running.length)
    running = [...running, ...begun.map((part) => ({ part, until: now + (load.durations[part] ?? 0) }))]
    if (running.length === 0) return now
  }
}
