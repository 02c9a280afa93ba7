import { Effect, Schema, type Scope } from "effect"
import { Driver } from "../../base/Driver.ts"
import type { RunId } from "../../base/Ids.ts"
import type { LogUnavailable } from "../../base/LogUnavailable.ts"
import { Presence } from "../../port/Presence.ts"

/** Somebody else drives the run. */
export class RunIsDriven extends Schema.TaggedError<RunIsDriven>()("RunIsDriven", {
  run: Schema.String,
  driver: Driver
}) {
  override get message() {
    return `Run ${this.run} is being driven by process ${this.driver.pid} on ${this.driver.host} since ${this.driver.since}.`
  }
}

/**
 * This process drives the run until the scope closes, so that a second `run` or `resume` can say so. A courtesy to
 * people: what keeps the log right is the expected version and the lease.
 */
export const driveRun = (run: RunId): Effect.Effect<Driver, RunIsDriven | LogUnavailable, Presence | Scope.Scope> =>
  Effect.flatMap(Presence, (presence) => presence.announce({ kind: "run", id: run })).pipe(
    Effect.catchTag("IsPresent", ({ driver }) => Effect.fail(new RunIsDriven({ run, driver })))
  )

/** Who drives the run; null: nobody. */
export const driverOf = (run: RunId): Effect.Effect<Driver | null, LogUnavailable, Presence> =>
  Effect.flatMap(Presence, (presence) => presence.of({ kind: "run", id: run }))
