import { LockHeld, type Locks } from "@proofline/kernel"
import { Clock, Effect, Result, Scope } from "effect"
import { pause } from "../../log/pause.ts"
import type { Committer } from "./committer.ts"
import type { Holder } from "./holder.ts"
import { makeHolds } from "./holds.ts"
import type { Session } from "./session.ts"
import type { Notifier } from "./waiting.ts"

/** How often one that waits checks whether the process that holds the lock still lives, in ms. */
const lookAfterHolderMs = 1_000

export const makeLocks = (
  session: Session,
  committer: Committer,
  notifier: Notifier,
  holder: Holder
): Locks["Service"] => {
  const { take } = makeHolds(session, committer, holder, session.statements.lock)
  return {
    acquire: Effect.fnUntraced(function* (name, waitMs) {
      const until = (yield* Clock.currentTimeMillis) + waitMs
      const scope = yield* Effect.scope
      yield* Effect.scoped(
        Effect.gen(function* () {
          const latch = yield* notifier.subscribe
          for (;;) {
            latch.closeUnsafe()
            const tried = yield* Effect.result(Scope.provide(take(name), scope))
            if (Result.isSuccess(tried)) return
            if (tried.failure._tag !== "Taken") return yield* tried.failure
            const left = until - (yield* Clock.currentTimeMillis)
            if (left <= 0) return yield* new LockHeld({ name, holder: tried.failure.driver, waited_ms: waitMs })
            yield* Effect.raceAllFirst([latch.await, Effect.sleep(left), pause(lookAfterHolderMs)])
          }
        })
      )
    })
  }
}
