import { Context, type Effect, Schema, type Scope } from "effect"
import { Driver } from "../base/Driver.ts"
import type { LogUnavailable } from "../base/LogUnavailable.ts"

/** Another process, or another part of this one, has held the lock for as long as was waited for it. */
export class LockHeld extends Schema.TaggedError<LockHeld>()("LockHeld", {
  name: Schema.String,
  holder: Driver,
  waited_ms: Schema.Number
}) {
  get code() {
    return "lock_held" as const
  }
  override get message() {
    const { host, pid, since } = this.holder
    const waited = this.waited_ms === 0 ? "" : ` It was not free within ${this.waited_ms} ms.`
    return `The lock "${this.name}" is held by process ${pid} on ${host} since ${since}.${waited}`
  }
}

/** Names of which one process of the project holds each. What keeps the log right is its expected version, not a lock. */
export class Locks extends Context.Service<
  Locks,
  {
    /**
     * Waits until nobody holds the name, for at most so many ms (0: not at all), and holds it until the scope closes or
     * the process dies. Whoever holds it already waits for itself.
     */
    readonly acquire: (name: string, waitMs: number) => Effect.Effect<void, LockHeld | LogUnavailable, Scope.Scope>
  }
>()("@proofline/kernel/port/Locks") {}
