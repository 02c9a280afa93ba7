import {
  type Answer,
  type Identity,
  type LogUnavailable,
  type OpenedSession,
  Rejection,
  Sessions
} from "@proofline/kernel"
import { Effect, Layer } from "effect"

/** One request as it came to the service. */
export interface Asked {
  readonly session: string
  readonly operation: string
  readonly args: unknown
}

type Answering = (asked: Asked) => Effect.Effect<Answer, LogUnavailable>

/** Sessions that remember what they were asked, and answer what the test says. */
export interface Scripted {
  readonly opened: Array<Identity>
  readonly authenticated: Array<string>
  readonly asked: Array<Asked>
  readonly layer: Layer.Layer<Sessions>
}

/** A session opened over the service is called `s1`, `s2`, …; the one good token is `good`, of the session `theirs`. */
export const scripted = (
  answer: Answering,
  opening: (identity: Identity) => Effect.Effect<void, Rejection | LogUnavailable> = () => Effect.void
): Scripted => {
  const opened: Array<Identity> = []
  const authenticated: Array<string> = []
  const asked: Array<Asked> = []
  const layer = Layer.succeed(Sessions, {
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
      return token === "good"
        ? Effect.succeed({ run: "run_x", session_id: "theirs", agent: "other" })
        : Effect.fail(
            new Rejection({
              code: "session_unknown",
              message: "This token belongs to no open session.",
              hint: "Leave session_token out.",
              open: []
            })
          )
    },
    close: () => Effect.void,
    call: (session, operation, args) => {
      const one = { session: session.session_id, operation, args }
      asked.push(one)
      return answer(one)
    }
  })
  return { opened, authenticated, asked, layer }
}
