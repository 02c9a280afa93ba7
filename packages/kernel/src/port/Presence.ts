import { Context, type Effect, Schema, type Scope } from "effect"
import { Driver } from "../base/Driver.ts"
import type { LogUnavailable } from "../base/LogUnavailable.ts"

/** For what a process is there: `run` and the id of the run that it drives, `session` and that of the session. */
export const PresenceKey = Schema.Struct({ kind: Schema.Literals(["run", "session"]), id: Schema.String })
export type PresenceKey = typeof PresenceKey.Type

/** A process is there already. */
export class IsPresent extends Schema.TaggedError<IsPresent>()("IsPresent", { key: PresenceKey, driver: Driver }) {
  override get message() {
    const { host, pid, since } = this.driver
    return `Process ${pid} on ${host} is there for ${this.key.kind} ${this.key.id} since ${since}.`
  }
}

/** Which processes of the project are there, and for what: one for each key. */
export class Presence extends Context.Service<
  Presence,
  {
    /** This process is there until the scope closes or it dies. */
    readonly announce: (key: PresenceKey) => Effect.Effect<Driver, IsPresent | LogUnavailable, Scope.Scope>
    /** Null: nobody is there, or not any more. */
    readonly of: (key: PresenceKey) => Effect.Effect<Driver | null, LogUnavailable>
  }
>()("@proofline/kernel/port/Presence") {}
