import type { TaskSpec } from "@proofline/kernel"
import { aTask } from "@proofline/kernel/testing"

/** Random choices that follow from a seed alone, so that a failure names its seed and can be seen again. */
export interface Random {
  /** From 0 to n − 1. */
  readonly below: (n: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <A>(values: readonly [A, ...Array<A>] | ReadonlyArray<A>) => A
  readonly shuffled: <A>(values: ReadonlyArray<A>) => Array<A>
}

export const randomFrom = (seed: number): Random => {
  let state = (seed + 0x9e3779b9) | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (n: number) => Math.floor(next() * n)
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (values) => {
      if (values.length === 0) throw new Error("There is nothing to pick from.")
      return values[below(values.length)] as (typeof values)[number]
    },
    shuffled: (values) => {
      const left = [...values]
      return values.map(() => left.splice(below(left.length), 1)[0] as (typeof values)[number])
    }
  }
}

/** Runs a property for the seeds 1 … `times`; a failure says for which. */
export const forSeeds = (times: number, property: (random: Random, seed: number) => void): void => {
  for (let seed = 1; seed <= times; seed++) {
    try {
      property(randomFrom(seed), seed)
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    }
  }
}

/** Some tasks that depend on earlier ones only, in random order. */
export const randomTasks = (random: Random, atMost: number, spec: () => Partial<TaskSpec> = () => ({})) => {
  const ids = Array.from({ length: 1 + random.below(atMost) }, (_, i) => `t${i}`)
  return random.shuffled(
    ids.map((id, i) => aTask(id, { depends_on: ids.slice(0, i).filter(() => random.chance(0.3)), ...spec() }))
  )
}
