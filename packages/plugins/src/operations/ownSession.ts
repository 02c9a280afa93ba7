import type { LogUnavailable, Rejection } from "@proofline/kernel"
import { Effect, Semaphore } from "effect"
import type { Identity, OpenedSession, SessionRef, Sessions } from "../policies/sessions/contract.ts"
import type { Answer, Body } from "./Answer.ts"
import type { Declaration } from "./Operation.ts"

/** The session that a connection works in, opened by the first call that needs one. */
export interface OwnSession {
  /** null: none is open. */
  readonly current: () => SessionRef | null
  /**
   * Carries out an operation in it; in a new one where it has ended and a new one may go on. For one that only reads none
   * is opened in place of one that has ended.
   */
  readonly call: (
    identity: Identity,
    operation: Pick<Declaration, "name" | "readOnly">,
    args: Body
  ) => Effect.Effect<Answer, Rejection | LogUnavailable>
  /** Ends it, if there is one; `reason` is recorded. */
  readonly leave: (reason: string) => Effect.Effect<void>
}

export const makeOwnSession = (sessions: Sessions["Service"]): Effect.Effect<OwnSession> =>
  Effect.map(Semaphore.make(1), (lock) => {
    let own: OpenedSession | null = null

    /** Another than `ended`, when one has ended. */
    const opened = (identity: Identity, ended: SessionRef | null) =>
      lock.withPermit(
        Effect.suspend(() =>
          own !== null && own.session_id !== ended?.session_id
            ? Effect.succeed(own)
            : // a call that is cancelled meanwhile must not leave a session behind that nobody uses
              Effect.uninterruptible(
                Effect.tap(sessions.open(identity), (session) =>
                  Effect.sync(() => {
                    own = session
                  })
                )
              )
        )
      )

    const call: OwnSession["call"] = Effect.fnUntraced(function* (identity, { name, readOnly }, args) {
      const first = yield* opened(identity, null)
      const answer = yield* sessions.call(first, name, args)
      if (!hasEnded(answer)) return answer
      if (readOnly) return yield* sessions.read(name, args)
      const next = yield* opened(identity, first)
      return yield* sessions.call(next, name, args)
    })

    const leave = (reason: string) =>
      lock.withPermit(
        Effect.suspend(() => {
          const left = own
          own = null
          return left === null ? Effect.void : Effect.ignore(sessions.close(left, reason))
        })
      )

    return { current: () => own, call, leave }
  })

/** The session is over and nothing was done, but a new one may go on. */
const hasEnded = ({ body }: Answer): boolean => body["error"] === "session_closed" && body["reopen"] === true
