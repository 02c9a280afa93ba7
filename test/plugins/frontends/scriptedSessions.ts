import { type LogUnavailable, type Rejection, rejectForbidden } from "@proofline/kernel"
import type { Answer } from "@proofline/plugins/operations"
import { Attempts } from "@proofline/plugins/policies/attempts"
import { Oversight } from "@proofline/plugins/policies/oversight"
import { type Identity, type OpenedSession, Sessions } from "@proofline/plugins/policies/sessions"
import { Effect, Layer, PubSub, Stream } from "effect"

/** One request as it came to the service. */
export interface Asked {
  readonly session: string
  readonly operation: string
  readonly args: unknown
}

export type Answering = (asked: Asked) => Effect.Effect<Answer, LogUnavailable>

/** Sessions that remember what they were asked, and answer what the test says. */
export interface Scripted {
  readonly opened: Array<Identity>
  readonly authenticated: Array<string>
  readonly asked: Array<Asked>
  readonly closed: Array<{ readonly session: string; readonly reason: string }>
  /** Something happens in the session run. */
  readonly changed: Effect.Effect<void>
  readonly layer: Layer.Layer<Sessions | Attempts | Oversight>
}

/**
 * A session opened over the service is called `s1`, `s2`, …; the good tokens are `good`, of the session `theirs`, and
 * `att_good`, of an attempt; `revoked` was good. What is asked of neither comes from the session `oversight`.
 */
export const scripted = (
  answer: Answering,
  opening: (identity: Identity) => Effect.Effect<void, Rejection | LogUnavailable> = () => Effect.void,
  openTasks: (session: string) => ReadonlyArray<string> = () => []
): Scripted => {
  const opened: Array<Identity> = []
  const authenticated: Array<string> = []
  const asked: Array<Asked> = []
  const closed: Array<{ readonly session: string; readonly reason: string }> = []
  const changes = Effect.runSync(PubSub.unbounded<string>({ replay: 1 }))
  const unknown = (message: string) =>
    Effect.fail(rejectForbidden("session_unknown", message, "Leave session_token out."))
  const asking = (session: string, operation: string, args: unknown) =>
    Effect.suspend(() => {
      const one = { session, operation, args }
      asked.push(one)
      return answer(one)
    })
  const attempts = Layer.succeed(Attempts, {
    isToken: (token) => token.startsWith("att_"),
    authenticate: (token) =>
      token === "att_good"
        ? Effect.succeed({ run: "run_x", task_id: "t", attempt: 1, role: "work" })
        : unknown("This attempt is over."),
    call: (_attempt, operation, args) => asking("attempt", operation, args),
    view: (_attempt, view) => asking("attempt", view, null)
  })
  const oversight = Layer.succeed(Oversight, {
    call: (operation, args, { isPerson }) => asking(isPerson ? "person" : "oversight", operation, args)
  })
  const sessions = Layer.succeed(Sessions, {
    open: (identity) =>
      Effect.gen(function* () {
        opened.push(identity)
        const session_id = `s${opened.length}`
        yield* opening(identity)
        const session: OpenedSession = {
          run: "run_x",
          session_id,
          agent: identity.agent,
          token: `secret-${session_id}`,
          expires_at: "2026-01-02T03:04:05.000Z"
        }
        return session
      }),
    authenticate: (token) => {
      authenticated.push(token)
      if (token === "revoked")
        return Effect.fail(rejectForbidden("session_closed", "This session was revoked.", "Open a new session."))
      return token === "good"
        ? Effect.succeed({ run: "run_x", session_id: "theirs", agent: "other" })
        : unknown("This token belongs to no open session.")
    },
    close: ({ session_id: session }, reason) =>
      Effect.sync(() => {
        closed.push({ session, reason })
      }),
    call: (session, operation, args) => asking(session.session_id, operation, args),
    read: (operation, args) => asking("nobody", operation, args),
    view: (session, view) => asking(session?.session_id ?? "nobody", view, null),
    openTasks: (session) => Effect.sync(() => openTasks(session?.session_id ?? "nobody")),
    changes: Stream.fromPubSub(changes)
  })
  return {
    opened,
    authenticated,
    asked,
    closed,
    changed: Effect.asVoid(PubSub.publish(changes, "run_x")),
    layer: Layer.mergeAll(sessions, attempts, oversight)
  }
}
