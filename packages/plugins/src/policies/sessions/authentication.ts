import { type LogUnavailable, type Rejection, rejectForbidden } from "@proofline/kernel"
import { Effect } from "effect"
import { load, type SessionContext } from "./context.ts"
import { alive } from "./liveness.ts"
import { serve } from "./opening.ts"
import { sessionClosed } from "./rules/session.ts"
import type { SessionRef } from "./Sessions.ts"

/** Tokens of older runs are not looked for. */
const maxRunsOfTokens = 10

const runsOfTokens = ({ options }: SessionContext) =>
  Effect.map(options.runs, (runs) => runs.slice(0, maxRunsOfTokens).map(({ run_id }) => run_id))

/** The open session a token belongs to. */
export const authenticate = Effect.fnUntraced(function* (
  context: SessionContext,
  token: string
): Effect.fn.Return<SessionRef, Rejection | LogUnavailable> {
  const sha256 = context.digest.sha256(token)
  // a list of all runs at every call would cost more the more runs there are
  const known = context.runsOfTokens.get(sha256)
  const runs = known === undefined ? yield* runsOfTokens(context) : [known]
  for (const run_id of runs) {
    const { state } = yield* load(context, run_id)
    const session = state.sessions.phases?.sessions.find(({ token_sha256 }) => token_sha256 === sha256)
    if (session === undefined) continue
    context.runsOfTokens.set(sha256, run_id)
    const ref = { run: run_id, session_id: session.session_id, agent: session.agent }
    const found = yield* alive(context, ref, session)
    if (found.closed !== null && found.reported === null) return yield* Effect.fail(sessionClosed(state, found))
    yield* serve(context, run_id)
    return ref
  }
  return yield* Effect.fail(
    rejectForbidden(
      "session_unknown",
      "No session has this token.",
      "Leave session_token out, or ask the user for a valid one."
    )
  )
})
