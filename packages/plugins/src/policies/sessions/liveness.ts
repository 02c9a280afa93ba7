import type { LogUnavailable, PresenceKey, Rejection } from "@proofline/kernel"
import { Effect, Exit, Scope } from "effect"
import { execute, now, type SessionContext } from "./context.ts"
import { CloseSession } from "./rules/commands.ts"
import type { SessionState } from "./rules/state.ts"
import type { SessionRef } from "./Sessions.ts"
import type { AnyRun } from "./state.ts"

/** Ends a session; `reason` is recorded. */
export const close = Effect.fnUntraced(function* (
  context: SessionContext,
  { run, session_id }: SessionRef,
  reason: string
): Effect.fn.Return<void, Rejection | LogUnavailable> {
  const { at } = yield* now
  yield* execute(context, run, CloseSession({ session_id, at, reason }))
  yield* release(context, session_id)
})

/** Forgets a session that has ended: this process is not present for it any more. */
export const release = ({ ofThisProcess, seen }: SessionContext, session_id: string): Effect.Effect<void> =>
  Effect.suspend(() => {
    const scope = ofThisProcess.get(session_id)
    ofThisProcess.delete(session_id)
    seen.delete(session_id)
    return scope === undefined ? Effect.void : Scope.close(scope, Exit.void)
  })

/** The session as it is now; one that was silent for too long ends here. */
export const alive = Effect.fnUntraced(function* (
  context: SessionContext,
  ref: SessionRef,
  session: SessionState
): Effect.fn.Return<SessionState, Rejection | LogUnavailable> {
  const { ms } = yield* now
  const lastSeen = Math.max(context.seen.get(ref.session_id) ?? 0, Date.parse(session.seen_at))
  // one of a process ends with it alone
  const isExpired = !session.of_process && ms > lastSeen + session.ttl_ms
  if (session.closed !== null || !isExpired) return session
  yield* close(context, ref, "expired")
  return { ...session, closed: "expired" }
})

/** For what a process is there as long as a session that ends with it. */
export const presenceOf = (session_id: string): PresenceKey => ({ kind: "session", id: session_id })

/** Sessions whose process is gone, although nobody has closed them; those that were silent for too long end here. */
export const goneOf = Effect.fnUntraced(function* (
  context: SessionContext,
  { run: { run_id: run }, sessions }: AnyRun
): Effect.fn.Return<ReadonlyArray<SessionState>, Rejection | LogUnavailable> {
  const open = (sessions.phases?.sessions ?? []).filter(({ closed }) => closed === null)
  for (const session of open) {
    if (session.of_process) continue
    yield* alive(context, { run, session_id: session.session_id, agent: session.agent }, session)
  }
  return yield* Effect.filter(
    open.filter(({ of_process }) => of_process),
    ({ session_id }) => Effect.map(context.presence.of(presenceOf(session_id)), (driver) => driver === null)
  )
})

/** Closes the sessions of processes that were killed. */
export const closeGone = Effect.fnUntraced(function* (context: SessionContext, state: AnyRun) {
  for (const { agent, session_id } of yield* goneOf(context, state)) {
    yield* close(context, { run: state.run.run_id, session_id, agent }, "process_ended")
  }
})
