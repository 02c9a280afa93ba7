/**
 * What every `Locks` must do, as cases for any test runner. Each case wants two processes of a project in which nobody
 * holds anything; they may be two instances in one. It brings its own clock and fails with `ContractViolated`.
 *
 * ```ts
 * for (const { name, run } of locksContract) it.effect(name, () => Effect.flatMap(twoProcesses, run))
 * ```
 */
import { Effect, Exit, Fiber, Result, Scope } from "effect"
import { LockHeld, type Locks } from "../port/Locks.ts"
import { advance, holds, onHandClock, same } from "./vocabulary.ts"

/** Two processes of one project. */
export interface TwoProcesses<Port> {
  readonly here: Port
  readonly there: Port
}

export interface LocksCase {
  /** What must hold, as a sentence. */
  readonly name: string
  readonly run: (processes: TwoProcesses<Locks["Service"]>) => Effect.Effect<void, unknown>
}

type Port = Locks["Service"]

const given = (
  name: string,
  run: (here: Port, there: Port) => Effect.Effect<void, unknown, Scope.Scope>
): LocksCase => ({ name, run: ({ here, there }) => onHandClock(Effect.scoped(run(here, there))) })

/** Holds the lock until `release`. */
const hold = (locks: Port, name: string, waitMs = 0) =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Effect.scope)
    yield* Scope.provide(locks.acquire(name, waitMs), scope)
    return { release: Scope.close(scope, Exit.void) }
  })

const refused = (locks: Port, name: string, waitMs = 0) =>
  Effect.gen(function* () {
    const tried = yield* Effect.result(Effect.scoped(locks.acquire(name, waitMs)))
    if (Result.isSuccess(tried)) return yield* Effect.fail(`${name} was to be had`)
    yield* holds(tried.failure instanceof LockHeld, `expected LockHeld, found ${tried.failure}`)
    return tried.failure
  })

const longMs = 60_000

export const locksContract: ReadonlyArray<LocksCase> = [
  given("gives a name to one process at a time", (here, there) =>
    Effect.gen(function* () {
      const held = yield* hold(here, "a")
      yield* refused(there, "a")
      yield* held.release
      yield* hold(there, "a")
      yield* refused(here, "a")
    })
  ),
  given("gives a name only once within a process too", (here) =>
    Effect.gen(function* () {
      const held = yield* hold(here, "a")
      yield* refused(here, "a")
      yield* held.release
      yield* hold(here, "a")
    })
  ),
  given("says which name is held, by whom, and how long it was waited for", (here, there) =>
    Effect.gen(function* () {
      yield* hold(here, "a")
      const now = yield* refused(there, "a")
      const { name, waited_ms } = now as LockHeld
      yield* same({ name, waited_ms }, { name: "a", waited_ms: 0 }, "the refusal")
      const { code, holder, message } = now as LockHeld
      yield* same(code, "lock_held", "its code")
      yield* same(
        message,
        `The lock "a" is held by process ${holder.pid} on ${holder.host} since 2026-01-02T12:00:00.000Z.`,
        "its sentence"
      )
    })
  ),
  given("gives one name to whoever asks while another is held", (here, there) =>
    Effect.gen(function* () {
      yield* hold(here, "a")
      yield* hold(there, "b")
      yield* hold(here, "c")
    })
  ),
  given("gives it to a process that waits as soon as it is free", (here, there) =>
    Effect.gen(function* () {
      const held = yield* hold(here, "a")
      const waiting = yield* Effect.forkScoped(hold(there, "a", longMs))
      yield* refused(here, "a")
      yield* held.release
      yield* Fiber.join(waiting)
      yield* refused(here, "a")
    })
  ),
  given("refuses a process that has waited for as long as it was ready to", (here, there) =>
    Effect.gen(function* () {
      yield* hold(here, "a")
      const waiting = yield* Effect.forkScoped(refused(there, "a", longMs))
      // however late it began to wait, its time is over then
      const passing = yield* Effect.forkScoped(Effect.forever(Effect.andThen(advance(longMs / 4), Effect.yieldNow)))
      const { waited_ms } = (yield* Fiber.join(waiting)) as LockHeld
      yield* Fiber.interrupt(passing)
      yield* same(waited_ms, longMs, "the wait")
    })
  ),
  given("gives it to every one of many that wait, one after the other", (here, there) =>
    Effect.gen(function* () {
      let inside = 0
      let most = 0
      let turns = 0
      const turn = (locks: Port) =>
        Effect.scoped(
          Effect.gen(function* () {
            yield* locks.acquire("a", longMs)
            most = Math.max(most, ++inside)
            yield* Effect.yieldNow
            inside--
            turns++
          })
        )
      yield* Effect.all(
        Array.from({ length: 20 }, (_, i) => turn(i % 2 === 0 ? here : there)),
        { concurrency: "unbounded", discard: true }
      )
      yield* same({ most, turns }, { most: 1, turns: 20 }, "who had it")
    })
  ),
  given("leaves nothing held by one that was interrupted while it waited", (here, there) =>
    Effect.gen(function* () {
      const held = yield* hold(here, "a")
      const waiting = yield* Effect.forkScoped(Effect.scoped(there.acquire("a", longMs)))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(waiting)
      yield* held.release
      yield* hold(here, "a")
    })
  )
]
