import { Context, type Effect, Schema, type Scope } from "effect"
import type { RunId } from "../core/Ids.ts"
import type { LogUnavailable } from "../core/LogUnavailable.ts"
import { Driver } from "../modules/run/schemas.ts"

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
 * Who drives a run, so that a second `run` or `resume` can say so. A courtesy to people: what keeps the log right is
 * the expected version and the lease. `acquire` holds the run until its scope closes or the process dies.
 */
export class RunDrivers extends Context.Service<
  RunDrivers,
  {
    readonly acquire: (run: RunId) => Effect.Effect<Driver, RunIsDriven | LogUnavailable, Scope.Scope>
    readonly current: (run: RunId) => Effect.Effect<Driver | null, LogUnavailable>
  }
>()("@proofline/kernel/port/RunDrivers") {}
