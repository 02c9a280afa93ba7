import { type LogUnavailable, type Rejection, type RunId, rejectConflict } from "@proofline/kernel"
import { Cause, Effect, Option, Scope } from "effect"
import { execute, load, now, type SessionContext } from "./context.ts"
import { close, goneOf, presenceOf, release } from "./liveness.ts"
import { OpenSession } from "./rules/commands.ts"
import type { Identity, OpenedSession, SessionRef } from "./Sessions.ts"

/** So long after its end an agent may still report the end of a run, ms. */
const farewellMs = 60 * 60_000

/** So long it is waited for another process that is about to begin a run, ms. */
const maxWaitMs = 30_000

/** Carries out the work of a run here, once, until the scope closes. */
export const serve = ({ options, scope, served, worker }: SessionContext, run: RunId): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (served.has(run)) return Effect.void
    served.add(run)
    return worker.run({ workerId: options.workerId, slots: 2, labels: [`run:${run}`] }).pipe(
      // what fails because the server is ended says nothing of the log
      Effect.tapCause((cause) =>
        scope.state._tag === "Closed" || Cause.hasInterrupts(cause) ? Effect.void : tellEnded(cause)
      ),
      Effect.ensuring(Effect.sync(() => served.delete(run))),
      Effect.forkIn(scope),
      Effect.asVoid
    )
  })

const tellEnded = (cause: Cause.Cause<LogUnavailable>) =>
  Option.match(Cause.findErrorOption(cause), {
    onNone: () => Effect.logError("The worker ended", cause),
    onSome: ({ message }) => Effect.logError(`The worker ended. ${message}`)
  })

/** The newest run, where it has come to its end and somebody has still to say so. */
const unreported = Effect.fnUntraced(function* (context: SessionContext, { agent, isLeaving = false }: Identity) {
  const newest = (yield* context.options.runs)[0]
  const { ms } = yield* now
  if (newest === undefined || newest.ended_at === null || Date.parse(newest.ended_at) + farewellMs < ms) return null
  const { run, sessions } = (yield* load(context, newest.run_id)).state
  const { phases } = sessions
  const isReported = phases?.sessions.some(({ reported }) => reported !== null) === true
  // whoever did nothing in it has nothing to report of it
  const wasThere = phases?.sessions.some((session) => session.agent === agent) === true
  return run.status !== "cancelled" && wasThere && (isLeaving || !isReported) ? newest.run_id : null
})

/**
 * The session run that goes on, or has ended without anybody saying so; one is begun where there is none. Of several
 * processes one begins it.
 */
const currentRun = Effect.fnUntraced(function* (context: SessionContext, identity: Identity) {
  const { engine, ids, locks, options } = context
  yield* locks
    .acquire("sessions", maxWaitMs)
    .pipe(
      Effect.catchTag("LockHeld", ({ message }) =>
        Effect.fail(rejectConflict("run_is_driven", message, "Try again in a moment."))
      )
    )
  const known = (yield* options.runs).find(({ isRunning }) => isRunning)
  if (known !== undefined) return known.run_id
  const left = yield* unreported(context, identity)
  if (left !== null) return left
  const run = yield* ids.runId
  yield* engine.execute(run, yield* options.begin(run)).pipe(Effect.catchTag("LeaseLost", Effect.die))
  return run
}, Effect.scoped)

/**
 * Says that a session lives as long as this process: before it is opened, so that nobody takes it for gone. It is closed
 * when the process ends before it.
 */
const announce = Effect.fnUntraced(function* (context: SessionContext, ref: SessionRef) {
  const { ofThisProcess, presence } = context
  const scope = yield* Scope.fork(context.scope)
  ofThisProcess.set(ref.session_id, scope)
  yield* presence.announce(presenceOf(ref.session_id)).pipe(
    Effect.catchTag("IsPresent", (error) => Effect.die(error)),
    Effect.provideService(Scope.Scope, scope)
  )
  yield* Scope.addFinalizer(
    scope,
    Effect.suspend(() =>
      ofThisProcess.has(ref.session_id) ? Effect.ignore(close(context, ref, "closed")) : Effect.void
    )
  )
})

/** Opens a session in the run that goes on, or in a new one. */
export const open = (
  context: SessionContext,
  identity: Identity
): Effect.Effect<OpenedSession, Rejection | LogUnavailable> =>
  context.opening.withPermits(1)(
    Effect.gen(function* () {
      const run = yield* currentRun(context, identity)
      const session_id = yield* context.ids.sessionId
      const token = yield* context.ids.token
      const ref: SessionRef = { run, session_id, agent: identity.agent }
      const { ms, state } = yield* opened(context, ref, identity, token).pipe(
        Effect.onError(() => release(context, session_id))
      )
      context.seen.set(session_id, ms)
      if (state.run.status === "running") yield* serve(context, run)
      return { ...ref, token, expires_at: new Date(ms + identity.ttl_ms).toISOString() }
    })
  )

/** Records that a session begins; the run after it, and when that was, ms. */
const opened = Effect.fnUntraced(function* (
  context: SessionContext,
  ref: SessionRef,
  { agent, ofProcess, ttl_ms }: Identity,
  token: string
) {
  const { run, session_id } = ref
  if (ofProcess) yield* announce(context, ref)
  const gone = yield* goneOf(context, (yield* load(context, run)).state)
  const { at, ms } = yield* now
  const { state } = yield* execute(
    context,
    run,
    OpenSession({
      session_id,
      at,
      agent,
      token_sha256: context.digest.sha256(token),
      of_process: ofProcess,
      ttl_ms,
      gone: gone.map((session) => session.session_id)
    })
  )
  return { ms, state }
})
