import { type LogUnavailable, type Rejection, reject, rejectForbidden, rejectUnknown } from "@proofline/kernel"
import { Effect, Result } from "effect"
import type { Answer } from "../../operations/Answer.ts"
import { malformed, refused, truncated, withUnexpectedFields } from "../../operations/answers.ts"
import { atVersion, inSpan } from "../../operations/inSpan.ts"
import { byName, type Operation } from "../../operations/Operation.ts"
import { pluginOperations } from "../../operations/pluginOperations.ts"
import type { Asking, Reading } from "./asking.ts"
import { load, now, type SessionContext } from "./context.ts"
import { alive, release } from "./liveness.ts"
import { malformedIn } from "./mismatches.ts"
import { serve } from "./opening.ts"
import { notAllowed } from "./operations/checkWriteTarget.ts"
import { getMyTaskProgress } from "./operations/getMyTaskProgress.ts"
import { sessionOperations } from "./operations/index.ts"
import { sessionClosed, sessionOf } from "./rules/session.ts"
import type { SessionState } from "./rules/state.ts"
import type { SessionRef } from "./Sessions.ts"
import { sessionStatusOf } from "./sessionStatus.ts"

const operations = byName(sessionOperations)

/** Those of ours that can be carried out without a session. */
const readings = byName<Reading>([getMyTaskProgress])

/** Carries out an operation of a session; it is answered, never refused by failure. */
export const call = (
  context: SessionContext,
  ref: SessionRef,
  name: string,
  args: unknown
): Effect.Effect<Answer, LogUnavailable> =>
  carryOut(context, ref, name, args).pipe(
    Effect.catchTag("Rejection", (rejection) =>
      Effect.map(load(context, ref.run), ({ state }) =>
        refused(rejection, sessionStatusOf(state, sessionOf(state, ref.session_id) ?? null))
      )
    ),
    Effect.map((answer) => truncated(name === "check_write_target" ? notAllowed(answer) : answer)),
    inSpan(name, ref.run)
  )

const carryOut = Effect.fnUntraced(function* (
  context: SessionContext,
  ref: SessionRef,
  name: string,
  args: unknown
): Effect.fn.Return<Answer, Rejection | LogUnavailable> {
  const { state, version } = yield* load(context, ref.run)
  yield* atVersion(version)
  const known = sessionOf(state, ref.session_id)
  if (known === undefined) {
    const unknown = rejectForbidden("session_unknown", `There is no session ${ref.session_id}.`, "Open one.")
    return refused(unknown, sessionStatusOf(state, null))
  }
  const session = yield* alive(context, ref, known)
  const asking: Asking = { ...context, ref, session, state, version }
  if (session.closed === null) context.seen.set(ref.session_id, (yield* now).ms)
  else yield* release(context, ref.session_id)
  if (session.closed !== null && !mayFollowTheEnd(name, session)) return afterTheEnd(asking, name)
  // one that could not go on for want of the log has ended
  if (state.run.status === "running") yield* serve(context, ref.run)
  const operation = operations.get(name) ?? ofPlugin(context, ref, name)
  if (operation === undefined) return refused(operationUnknown(name), sessionStatusOf(state, session))
  const request = operation.read(args)
  if (Result.isFailure(request)) return malformedIn(state, request.failure, sessionStatusOf(state, session))
  return withUnexpectedFields(yield* request.success.run(asking), request.success.unexpected)
})

/** Carries out an operation that only reads in the session run that goes on; it is answered, never refused by failure. */
export const read = (context: SessionContext, name: string, args: unknown): Effect.Effect<Answer, LogUnavailable> =>
  readIn(context, name, args).pipe(
    Effect.catchTag("Rejection", (rejection) => Effect.succeed(refused(rejection, { needs_person: false }))),
    Effect.map(truncated)
  )

const readIn = Effect.fnUntraced(function* (
  context: SessionContext,
  name: string,
  args: unknown
): Effect.fn.Return<Answer, Rejection | LogUnavailable> {
  const run = (yield* context.options.runs).find(({ isRunning }) => isRunning)?.run_id
  if (run === undefined) return yield* noSessionRun(name)
  const { state } = yield* load(context, run)
  const operation: Pick<Operation<Reading>, "read"> | undefined = readings.get(name) ?? ofPlugin(context, { run }, name)
  if (operation === undefined) return yield* operationUnknown(name)
  const request = operation.read(args)
  if (Result.isFailure(request)) return malformed(request.failure, {})
  const answer = yield* request.success.run({ session: null, state })
  return withUnexpectedFields(answer, request.success.unexpected)
})

const operationUnknown = (name: string): Rejection =>
  reject("operation_unknown", `There is no operation ${name}.`, "Call get_next_action.")

const noSessionRun = (name: string): Rejection =>
  rejectUnknown(
    "session_run_missing",
    `No session run goes on in this project, and ${name} only reads: it begins none.`,
    "Call get_next_action: a run begins, and you are told what to do."
  )

/** What a plugin has declared, for the run of the session. */
const ofPlugin = (
  { engine }: SessionContext,
  { run }: Pick<SessionRef, "run">,
  name: string
): Pick<Operation<unknown>, "read"> | undefined => {
  const found = pluginOperations(engine.composition).find((one) => one.name === name)
  return found === undefined
    ? undefined
    : {
        read: (sent) =>
          Result.map(found.read(sent), (request) => ({ ...request, run: () => request.run({ engine, run }) }))
      }
}

/** Saying goodbye again, and asking what to do after it, is answered although the session is over. */
const mayFollowTheEnd = (operation: string, { reported }: SessionState): boolean =>
  reported !== null && (operation === "get_next_action" || operation === "report_completed")

/** Refuses whatever is asked of a session that is over; `reopen`: a new one may go on with it. */
const afterTheEnd = ({ session, state }: Asking, operation: string): Answer => {
  const beginsAnew = operation === "submit_phase" || operation === "create_tasks"
  const isNew = session.of_process && session.closed === "reported" && beginsAnew
  const answer = refused(sessionClosed(state, session), sessionStatusOf(state, session))
  return isNew || session.closed === "process_ended" ? { ...answer, body: { ...answer.body, reopen: true } } : answer
}
