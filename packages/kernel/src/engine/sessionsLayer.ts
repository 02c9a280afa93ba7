import { Clock, Effect, Layer, Result, Scope, Semaphore, Stream } from "effect"
import { boardStatusOf, isBeingChecked } from "../domain/board.ts"
import type { StartRun } from "../domain/Command.ts"
import type { RunId, TaskId } from "../domain/Ids.ts"
import type { LogUnavailable } from "../domain/LogUnavailable.ts"
import { nextActionOf } from "../domain/nextAction.ts"
import type { BoardStatus } from "../domain/Pull.ts"
import type { PullCommand } from "../domain/PullCommand.ts"
import { phaseOf } from "../domain/phase.ts"
import { idsOfBatch } from "../domain/planning.ts"
import { type Rejection, reject } from "../domain/Rejection.ts"
import type { Failure } from "../domain/Report.ts"
import { type SessionState, type State, taskOf } from "../domain/State.ts"
import { sessionClosed, sessionOf } from "../domain/session.ts"
import { writeProblem } from "../domain/targets.ts"
import { reportedId } from "../domain/taskReport.ts"
import { EventLog } from "../log/EventLog.ts"
import { BlobStore } from "../port/BlobStore.ts"
import { Digest } from "../port/Digest.ts"
import { IdGenerator } from "../port/IdGenerator.ts"
import { Locks } from "../port/Locks.ts"
import { Presence, type PresenceKey } from "../port/Presence.ts"
import { Workspace } from "../port/Workspace.ts"
import { taskTreesOf } from "../view/TaskTree.ts"
import {
  accepted,
  afterDone,
  maxListed,
  mismatch,
  myTaskAnswer,
  nextActionAnswer,
  noting,
  ofTarget,
  refused,
  small,
  standingOf,
  weaknessesOf
} from "./answers.ts"
import { Engine, type Outcome } from "./Engine.ts"
import { blankFaults, newTasks, readArguments, textOf, textOrNull } from "./requests.ts"
import { type Answer, type Identity, type SessionRef, Sessions } from "./Sessions.ts"
import { changesOf } from "./sessionChanges.ts"
import { makeView } from "./sessionViews.ts"
import { withTrees } from "./views.ts"
import { Worker } from "./Worker.ts"

export interface SessionsOptions {
  /** Session runs of the project, newest first, those that have ended too; `ended_at` is ISO 8601. */
  readonly runs: Effect.Effect<
    ReadonlyArray<{ readonly run_id: RunId; readonly isRunning: boolean; readonly ended_at: string | null }>,
    LogUnavailable
  >
  /** What a new one begins with. It needs `pull`. */
  readonly begin: (run: RunId) => Effect.Effect<StartRun, LogUnavailable | Rejection>
  /** Names this process among the workers, e.g. `host:4711`. */
  readonly workerId: string
}

/** How long a call waits for the world before it says that it still works, ms: clients give up after a minute. */
const patienceMs = 40_000

/** So long after its end an agent may still report the end of a run, ms. */
const farewellMs = 60 * 60_000

/** How long another process may take to begin a run, ms. */
const beginningMs = 30_000

/** How soon what another process has done is seen, ms. */
const lookAgainMs = 200

/** Sessions over the engine. Work of the runs that are served is carried out by a worker of this process. */
export const sessionsLayer = (
  options: SessionsOptions
): Layer.Layer<
  Sessions,
  never,
  Engine | EventLog | Worker | Locks | Presence | IdGenerator | Digest | BlobStore | Workspace
> => Layer.effect(Sessions, make(options))

const make = Effect.fnUntraced(function* (options: SessionsOptions) {
  const engine = yield* Engine
  const log = yield* EventLog
  const worker = yield* Worker
  const locks = yield* Locks
  const presence = yield* Presence
  const ids = yield* IdGenerator
  const digest = yield* Digest
  const blobs = yield* BlobStore
  const workspace = yield* Workspace
  const scope = yield* Effect.scope
  const opening = yield* Semaphore.make(1)
  /** When a session last asked for anything, ms; reading leaves no trace in the log. */
  const seen = new Map<string, number>()
  const served = new Set<RunId>()

  const now = Effect.map(Clock.currentTimeMillis, (ms) => ({ ms, at: new Date(ms).toISOString() }))

  /** Carries out the work of a run here, once, until the scope closes. */
  const serve = (run: RunId) =>
    Effect.suspend(() => {
      if (served.has(run)) return Effect.void
      served.add(run)
      return worker.run({ workerId: options.workerId, slots: 2, labels: [`run:${run}`] }).pipe(
        Effect.tapCause((cause) => Effect.logError("The worker ended", cause)),
        Effect.ensuring(Effect.sync(() => served.delete(run))),
        Effect.forkIn(scope)
      )
    })

  /** The newest run, where it has come to its end and somebody has still to say so. */
  const unreported = Effect.fnUntraced(function* ({ agent, isLeaving = false }: Identity) {
    const newest = (yield* options.runs)[0]
    const { ms } = yield* now
    if (newest === undefined || newest.ended_at === null || Date.parse(newest.ended_at) + farewellMs < ms) return null
    const { pull, status } = (yield* engine.load(newest.run_id)).state
    const isReported = pull?.sessions.some(({ reported }) => reported !== null) === true
    // whoever did nothing in it has nothing to report of it
    const wasThere = pull?.sessions.some((session) => session.agent === agent) === true
    return status !== "cancelled" && wasThere && (isLeaving || !isReported) ? newest.run_id : null
  })

  /**
   * The session run that goes on, or has ended without anybody saying so; one is begun where there is none. Of several
   * processes one begins it.
   */
  const currentRun = Effect.fnUntraced(function* (identity: Identity) {
    yield* locks
      .acquire("sessions", beginningMs)
      .pipe(
        Effect.catchTag("LockHeld", (error) => Effect.fail(reject(error.code, error.message, "Try again in a moment.")))
      )
    const known = (yield* options.runs).find(({ isRunning }) => isRunning)
    if (known !== undefined) return known.run_id
    const left = yield* unreported(identity)
    if (left !== null) return left
    const run = yield* ids.runId
    yield* engine.execute(run, yield* options.begin(run)).pipe(Effect.catchTag("LeaseLost", Effect.die))
    return run
  }, Effect.scoped)

  const execute = (run: RunId, command: PullCommand): Effect.Effect<Outcome, Rejection | LogUnavailable> =>
    engine.execute(run, command).pipe(Effect.catchTag("LeaseLost", Effect.die))

  /** Sessions whose process is gone, although nobody has closed them; those that were silent for too long end here. */
  const goneOf = Effect.fnUntraced(function* ({ pull, run_id: run }: State) {
    const open = (pull?.sessions ?? []).filter(({ closed }) => closed === null)
    for (const session of open) {
      if (!session.of_process) yield* alive({ run, session_id: session.session_id, agent: session.agent }, session)
    }
    return yield* Effect.filter(
      open.filter(({ of_process }) => of_process),
      (session) => Effect.map(presence.of(processOf(session.session_id)), (driver) => driver === null)
    )
  })

  const closeGone = Effect.fnUntraced(function* (state: State) {
    for (const { agent, session_id } of yield* goneOf(state)) {
      yield* close({ run: state.run_id, session_id, agent }, "process_ended")
    }
  })

  const open = (identity: Identity) =>
    opening.withPermits(1)(
      Effect.gen(function* () {
        const run = yield* currentRun(identity)
        const session_id = yield* ids.sessionId
        const token = yield* ids.token
        // before it is opened, so that nobody takes it for one of a process that is gone
        if (identity.ofProcess) {
          yield* presence.announce(processOf(session_id)).pipe(
            Effect.catchTag("IsPresent", (error) => Effect.die(error)),
            Effect.provideService(Scope.Scope, scope)
          )
        }
        const { state } = yield* engine.load(run)
        const gone = yield* goneOf(state)
        const { at, ms } = yield* now
        yield* execute(run, {
          _tag: "OpenSession",
          session_id,
          at,
          agent: identity.agent,
          token_sha256: digest.sha256(token),
          of_process: identity.ofProcess,
          ttl_ms: identity.ttl_ms,
          gone: gone.map((session) => session.session_id)
        })
        const ref = { run, session_id, agent: identity.agent }
        if (identity.ofProcess) yield* Scope.addFinalizer(scope, Effect.ignore(close(ref, "closed")))
        seen.set(session_id, ms)
        if (state.status === "running") yield* serve(run)
        const expires_at = new Date(ms + identity.ttl_ms).toISOString()
        return { ...ref, token, expires_at }
      })
    )

  const authenticate = Effect.fnUntraced(function* (token: string) {
    const sha256 = digest.sha256(token)
    for (const { run_id } of (yield* options.runs).slice(0, maxRunsOfTokens)) {
      const { state } = yield* engine.load(run_id)
      const session = state.pull?.sessions.find(({ token_sha256 }) => token_sha256 === sha256)
      if (session === undefined) continue
      const ref = { run: run_id, session_id: session.session_id, agent: session.agent }
      const found = yield* alive(ref, session)
      if (found.closed !== null && found.reported === null) return yield* Effect.fail(sessionClosed(found))
      yield* serve(run_id)
      return ref
    }
    return yield* Effect.fail(
      reject(
        "session_unknown",
        "No session has this token.",
        "Leave session_token out, or ask the user for a valid one."
      )
    )
  })

  const close = (session: SessionRef, reason: string) =>
    Effect.gen(function* () {
      const { at } = yield* now
      yield* execute(session.run, { _tag: "CloseSession", session_id: session.session_id, at, reason })
    })

  /** The session as it is now; one that was silent for too long ends here. */
  const alive = Effect.fnUntraced(function* (ref: SessionRef, session: SessionState) {
    const { ms } = yield* now
    const lastSeen = Math.max(seen.get(ref.session_id) ?? 0, Date.parse(session.seen_at))
    // one of a process ends with it alone
    const isExpired = !session.of_process && ms > lastSeen + session.ttl_ms
    if (session.closed !== null || !isExpired) return session
    yield* close(ref, "expired")
    return { ...session, closed: "expired" }
  })

  /** The run once it does not wait for the world any more, or after a while as it is. */
  const settled = Effect.fnUntraced(function* (run: RunId, isWaiting: (state: State) => boolean) {
    const until = (yield* Clock.currentTimeMillis) + patienceMs
    for (;;) {
      const { state } = yield* engine.load(run)
      if (!isWaiting(state) || (yield* Clock.currentTimeMillis) > until) return state
      yield* Effect.raceFirst(
        Stream.runDrain(
          engine.changes.pipe(
            Stream.filter(({ event }) => event.stream === run),
            Stream.take(1)
          )
        ),
        Effect.sleep(`${lookAgainMs} millis`)
      )
    }
  })

  const instructionBlob = Effect.fnUntraced(function* (state: State, id: TaskId) {
    const task = taskOf(state, id)
    return task === undefined ? null : yield* blobs.put(task.spec.instruction)
  })

  const submit = Effect.fnUntraced(function* (
    ref: SessionRef,
    session: SessionState,
    state: State,
    payload: unknown,
    isReport: boolean
  ) {
    const { at } = yield* now
    const id = reportedId((payload ?? {}) as Readonly<Record<string, unknown>>)
    const prompt = yield* instructionBlob(state, id)
    const command: PullCommand = {
      _tag: "SubmitPhase",
      session_id: ref.session_id,
      at,
      payload: payload as never,
      prompt,
      isReport
    }
    const { events } = yield* execute(ref.run, command)
    const first = events[0]
    if (first?.event_type === "PHASE_REJECTED") {
      const after = (yield* engine.load(ref.run)).state
      const { failures } = first.content as { readonly failures: ReadonlyArray<Failure> }
      return mismatch(failures, standingOf(after, session))
    }
    const submitted = first?.content as
      | { readonly phase: string; readonly warnings: ReadonlyArray<unknown> }
      | undefined
    const warnings = submitted?.warnings ?? []
    // nothing happened: it was taken before
    const name = submitted?.phase ?? state.pull?.last?.phase ?? state.pull?.phase ?? ""
    const isTask = first === undefined || (state.pull !== null && phaseOf(state.pull, name)?.kind === "tasks")
    if (isTask && id !== "") return yield* reported(ref, id, warnings)
    const after = yield* settled(ref.run, ({ pull }) => pull?.verifying != null)
    const standing = standingOf(after, sessionOf(after, ref.session_id) ?? session)
    const isNew = first === undefined || after.pull?.verification !== state.pull?.verification
    const failed = after.pull?.verification?.passed === false && isNew
    if (state.pull !== null && phaseOf(state.pull, name)?.kind === "verify" && failed) {
      return refused(
        {
          code: "verification_failed",
          message: `The commands that verify ${name} failed; ${after.pull?.phase === name ? "it is handed in again when that is mended" : `the work goes on in ${after.pull?.phase}`}.`,
          hint: "Read the output in `verification`, repair what it shows, and do what the instruction says.",
          open: []
        },
        standing
      )
    }
    const isPlan = state.pull !== null && phaseOf(state.pull, name)?.kind === "plan"
    const guide = after.pull?.setup.planning_guide ?? ""
    return accepted({
      success: true,
      submitted: name,
      ...(isPlan
        ? { tasks_registered: [...after.tasks].length, ...(guide === "" ? {} : { planning_guide: guide }) }
        : {}),
      ...(warnings.length === 0 ? {} : { warnings }),
      ...standing
    })
  })

  /** The answer to the report of a task, once its evidence was looked at. */
  const reported = Effect.fnUntraced(function* (ref: SessionRef, id: TaskId, noted: ReadonlyArray<unknown>) {
    const after = yield* settled(ref.run, (state) => {
      const task = taskOf(state, id)
      return task !== undefined && isBeingChecked(task)
    })
    const task = taskOf(after, id)
    const session = sessionOf(after, ref.session_id) ?? null
    const standing = standingOf(after, session)
    if (task === undefined || session === null) return accepted({ success: true, ...standing })
    if (task.status === "retrying") {
      const failures = task.current?.failures ?? []
      return failures.length > 0
        ? mismatch(failures, standing)
        : refused(
            {
              code: "report_not_judged",
              message: task.refused?.error?.message ?? `The report of task ${id} could not be judged.`,
              hint: "Send it again.",
              open: []
            },
            standing
          )
    }
    const isDone = task.status === "completed"
    const weak = isDone ? weaknessesOf(task) : []
    const warnings = [...noted, ...weak]
    return accepted({
      success: true,
      task: { id, title: task.spec.title, new_status: boardStatusOf(task) },
      ...(isDone ? { verdict: task.verdict } : { checking: true }),
      ...(warnings.length === 0 ? {} : { warnings }),
      ...standing,
      ...(isDone
        ? { next: afterDone(after, session) }
        : { instruction: "The evidence is being checked. Call get_next_action in a moment." })
    })
  })

  const carryOut = Effect.fnUntraced(function* (
    ref: SessionRef,
    session: SessionState,
    state: State,
    operation: string,
    args: Readonly<Record<string, unknown>>
  ) {
    const { session_id, run } = ref
    const { at } = yield* now
    const by = { session_id, at }
    switch (operation) {
      case "get_next_action": {
        const quiet = yield* settled(
          run,
          ({ pull, tasks }) =>
            pull?.verifying != null ||
            [...tasks].some(([, task]) => task.board?.assignee === session.agent && isBeingChecked(task))
        )
        // nothing is given any more to who has left
        const isOpen = quiet.status === "running" && session.closed === null
        const asking = sessionOf(quiet, session_id) ?? session
        if (!isOpen) return nextActionAnswer(quiet, asking)
        // those who were killed are not waited for
        if (nextActionOf(quiet, asking).action === "wait") yield* closeGone(quiet)
        const { snapshot } = yield* execute(run, { _tag: "IssueNextAction", ...by, tool: operation })
        return nextActionAnswer(snapshot.state, asking)
      }
      case "get_my_task": {
        if (state.status !== "running") return myTaskAnswer(state, session)
        const { snapshot } = yield* execute(run, { _tag: "IssueNextAction", ...by, tool: operation })
        return myTaskAnswer(snapshot.state, sessionOf(snapshot.state, session_id) ?? session)
      }
      case "get_my_task_progress":
        return accepted(withTrees({}, taskTreesOf(state, session.agent)))
      case "submit_phase":
        return yield* submit(ref, session, state, args["data"], false)
      case "complete_task":
        return yield* submit(ref, session, state, { ...(args["data"] as object), task_id: args["task_id"] }, true)
      case "check_write_target": {
        const file_path = textOf(args["file_path"])
        const allow_new_files = args["allow_new_files"] !== false
        const target = yield* workspace.place(file_path)
        yield* execute(run, { _tag: "CheckWriteTarget", ...by, file_path, allow_new_files, target })
        const problem =
          state.pull === null ? null : writeProblem(state, state.pull, { file_path, target, allow_new_files })
        return accepted({
          allowed: problem === null,
          file_path: (target.path ?? file_path).slice(0, 300).toWellFormed(),
          code: problem?.code ?? "allowed",
          ...(problem === null
            ? {}
            : {
                error: problem.message,
                next_step: problem.hint,
                ...(problem.open.length === 0 ? {} : { explored_files: problem.open })
              }),
          ...standingOf(state, session)
        })
      }
      case "update_task_status": {
        const id = textOf(args["task_id"]).trim()
        const before = taskOf(state, id)
        const status = args["status"] as BoardStatus
        const reason = textOf(args["reason"])
        const prompt = yield* instructionBlob(state, id)
        const { snapshot } = yield* execute(run, {
          _tag: "UpdateTaskStatus",
          ...by,
          task_id: id,
          status,
          reason,
          prompt
        })
        const after = snapshot.state
        const task = taskOf(after, id)
        if (before === undefined || task === undefined) return accepted({ success: true })
        const next = status === "done" ? afterDone(after, session) : null
        return accepted({
          success: true,
          task: {
            id,
            title: task.spec.title,
            previous_status: boardStatusOf(before),
            new_status: boardStatusOf(task)
          },
          ...standingOf(after, sessionOf(after, session_id) ?? session),
          ...(next === null ? {} : next),
          ...(task.verdict === "unproven" && status === "done"
            ? {
                warnings: [{ code: "done_by_word", message: `Task ${id} has no checklist: it is done by word alone.` }]
              }
            : {})
        })
      }
      case "report_completed": {
        // those who were killed are no reason to leave before the phases are done
        yield* closeGone(state)
        const command: PullCommand = {
          _tag: "ReportCompleted",
          ...by,
          result: args["result"] as "success",
          summary: textOrNull(args["summary"]),
          next_steps: textOrNull(args["next_steps"])
        }
        const { snapshot } = yield* execute(run, command)
        const after = snapshot.state
        const ended = sessionOf(after, session_id) ?? session
        return accepted({
          success: true,
          action: "exit",
          result: ended.reported?.result ?? args["result"],
          run_status: after.status,
          ...standingOf(after, ended)
        })
      }
      case "create_tasks": {
        const tasks = newTasks(args["tasks"])
        const faults = blankFaults(tasks)
        if (faults.length > 0) return mismatch(faults, standingOf(state, session))
        const { events, snapshot } = yield* execute(run, { _tag: "CreateTasks", ...by, tasks })
        const parents = new Set(tasks.map(({ parent_task_id }) => parent_task_id))
        const bare = tasks.filter(({ checklist, local_id }) => checklist.length === 0 && !parents.has(local_id ?? ""))
        const after = snapshot.state
        const created = (after.pull === null ? undefined : idsOfBatch(after.pull, session.agent, tasks)) ?? []
        return accepted({
          success: true,
          existing: events.length === 0,
          created: created
            .slice(0, maxListed)
            .map((id, i) => ({ id, title: tasks[i]?.title ?? "", local_id: tasks[i]?.local_id ?? null })),
          ...(created.length > maxListed ? { created_left_out: created.length - maxListed } : {}),
          ...(bare.length === 0
            ? {}
            : {
                warnings: [
                  {
                    code: "checklist_missing",
                    message: `${bare.length === 1 ? "One task has" : `${bare.length} tasks have`} no checklist: nothing will show that they are done.`
                  }
                ]
              }),
          local_id_to_real_id: Object.fromEntries(
            tasks.flatMap(({ local_id }, i) => (local_id === null ? [] : [[local_id, created[i]]]))
          ),
          ...standingOf(after, session)
        })
      }
      default:
        return refused(
          reject("operation_unknown", `There is no operation ${operation}.`, "Call get_next_action."),
          standingOf(state, session)
        )
    }
  })

  const call = (ref: SessionRef, operation: string, args: unknown): Effect.Effect<Answer, LogUnavailable> =>
    Effect.gen(function* () {
      const { state } = yield* engine.load(ref.run)
      const known = sessionOf(state, ref.session_id)
      if (known === undefined) {
        return refused(
          reject("session_unknown", `There is no session ${ref.session_id}.`, "Open one."),
          standingOf(state, null)
        )
      }
      const session = yield* alive(ref, known)
      if (session.closed !== null && !mayFollowTheEnd(operation, session)) {
        const isNew =
          session.of_process &&
          session.closed === "reported" &&
          (operation === "submit_phase" || operation === "create_tasks")
        const closed = refused(sessionClosed(session), standingOf(state, session))
        return isNew || session.closed === "process_ended"
          ? { ...closed, body: { ...closed.body, reopen: true } }
          : closed
      }
      seen.set(ref.session_id, (yield* now).ms)
      const read = readArguments(operation, args)
      if (Result.isFailure(read)) return mismatch(read.failure, standingOf(state, session))
      const answer = yield* carryOut(ref, session, state, operation, read.success.args)
      return noting(answer, read.success.unexpected)
    }).pipe(
      Effect.catchTag("Rejection", (rejection) =>
        Effect.map(engine.load(ref.run), ({ state }) =>
          refused(rejection, standingOf(state, sessionOf(state, ref.session_id) ?? null))
        )
      ),
      Effect.map((answer) => small(ofTarget(operation, answer)))
    )

  return Sessions.of({
    open,
    authenticate,
    close,
    call,
    view: makeView(engine, log, options.runs),
    changes: changesOf(engine, log, options.runs)
  })
})

/** Tokens of older runs are not looked for. */
const maxRunsOfTokens = 10

const processOf = (session_id: string): PresenceKey => ({ kind: "session", id: session_id })

/** Saying goodbye again, and asking what to do after it, is answered although the session is over. */
const mayFollowTheEnd = (operation: string, { reported }: SessionState): boolean =>
  reported !== null && (operation === "get_next_action" || operation === "report_completed")
