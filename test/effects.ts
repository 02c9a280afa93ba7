import { it } from "@effect/vitest"
import { Effect, type Scope } from "effect"

/** What a test does, step by step; what it acquires is released behind it. */
type Steps = () => Generator<Effect.Effect<unknown, unknown, Scope.Scope>, unknown, never>

/** A test of effects, on a clock that it moves itself. */
export const effect = (name: string, steps: Steps): void => it.effect(name, () => Effect.gen(steps))

/** The same on the clock of the machine. */
export const live = (name: string, steps: Steps, limitMs?: number): void =>
  it.live(name, () => Effect.gen(steps), limitMs)
