/**
 * What every `Presence` must do, as cases for any test runner. Each case wants two processes of a project in which
 * nobody is there for anything; they may be two instances in one. It fails with `ContractViolated`.
 *
 * ```ts
 * for (const { name, run } of presenceContract) it.effect(name, () => Effect.flatMap(twoProcesses, run))
 * ```
 */
import { Effect, Exit, Scope } from "effect"
import { driveRun, driverOf } from "../modules/run/runDriver.ts"
import { Presence, type PresenceKey } from "../port/Presence.ts"
import type { TwoProcesses } from "./locksContract.ts"
import { onHandClock, same } from "./vocabulary.ts"

export interface PresenceCase {
  /** What must hold, as a sentence. */
  readonly name: string
  readonly run: (processes: TwoProcesses<Presence["Service"]>) => Effect.Effect<void, unknown>
}

type Port = Presence["Service"]

const given = (
  name: string,
  run: (here: Port, there: Port) => Effect.Effect<void, unknown, Scope.Scope>
): PresenceCase => ({ name, run: ({ here, there }) => onHandClock(Effect.scoped(run(here, there))) })

/** Is there until `leave`. */
const arrive = (presence: Port, key: PresenceKey) =>
  Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Effect.scope)
    const driver = yield* Scope.provide(presence.announce(key), scope)
    return { driver, leave: Scope.close(scope, Exit.void) }
  })

const session: PresenceKey = { kind: "session", id: "x" }
const run: PresenceKey = { kind: "run", id: "x" }

export const presenceContract: ReadonlyArray<PresenceCase> = [
  given("knows nobody where nobody was announced", (here) =>
    Effect.gen(function* () {
      yield* same(yield* here.of(session), null, "who is there")
    })
  ),
  given("tells every process who is there, since when, and until it leaves", (here, there) =>
    Effect.gen(function* () {
      const { driver, leave } = yield* arrive(here, session)
      yield* same(driver.since, "2026-01-02T12:00:00.000Z", "since when")
      yield* same([yield* here.of(session), yield* there.of(session)], [driver, driver], "who is there")
      yield* leave
      yield* same([yield* here.of(session), yield* there.of(session)], [null, null], "who is there afterwards")
    })
  ),
  given("refuses a second one and says who is there, who stays", (here, there) =>
    Effect.gen(function* () {
      const { driver } = yield* arrive(here, session)
      for (const second of [there, here]) {
        const refused = yield* Effect.flip(Effect.scoped(second.announce(session)))
        yield* same({ ...refused }, { _tag: "IsPresent", key: session, driver }, "the refusal")
      }
      yield* same(yield* there.of(session), driver, "who is there")
    })
  ),
  given("lets another one in once the first has left", (here, there) =>
    Effect.gen(function* () {
      const first = yield* arrive(here, session)
      yield* first.leave
      const { driver } = yield* arrive(there, session)
      yield* same(yield* here.of(session), driver, "who is there")
    })
  ),
  given("keeps kinds and ids apart", (here, there) =>
    Effect.gen(function* () {
      const first = yield* arrive(here, session)
      const second = yield* arrive(there, run)
      yield* arrive(there, { kind: "session", id: "y" })
      yield* first.leave
      yield* same([yield* here.of(session), yield* here.of(run)], [null, second.driver], "who is there")
    })
  ),
  given("makes a run be driven by one process, and says by whom", (here, there) =>
    Effect.gen(function* () {
      const driver = yield* Effect.provideService(driveRun("run_a"), Presence, here)
      const refused = yield* Effect.flip(Effect.scoped(Effect.provideService(driveRun("run_a"), Presence, there)))
      yield* same({ ...refused }, { _tag: "RunIsDriven", run: "run_a", driver }, "the refusal")
      yield* same(
        refused.message,
        `Run run_a is being driven by process ${driver.pid} on ${driver.host} since 2026-01-02T12:00:00.000Z.`,
        "its sentence"
      )
      yield* same(yield* Effect.provideService(driverOf("run_a"), Presence, there), driver, "who drives")
      yield* same(yield* Effect.provideService(driverOf("run_b"), Presence, there), null, "who drives another run")
    })
  )
]
