import { Effect, Layer, Result, Stream } from "effect"
import type { EndAttempt } from "../domain/Command.ts"
import type { LogUnavailable } from "../domain/LogUnavailable.ts"
import { activities, analyzerActivity, nextStep } from "../domain/nextStep.ts"
import type { WriteTarget } from "../domain/Pull.ts"
import { type Rejection, reject } from "../domain/Rejection.ts"
import type { Failure, WorkReport } from "../domain/Report.ts"
import { isOver, type State, type TaskState, taskOf } from "../domain/State.ts"
import { placeProblem } from "../domain/targets.ts"
import { reportedId } from "../domain/taskReport.ts"
import type { WorkItem } from "../domain/Work.ts"
import { EventLog } from "../log/EventLog.ts"
import type { AgentRole } from "../port/Agent.ts"
import { AttemptReports } from "../port/AttemptReports.ts"
import { type AgentCall, AttemptTokens } from "../port/AttemptTokens.ts"
import { placeOf, Workplaces } from "../port/Workplaces.ts"
import { Workspace } from "../port/Workspace.ts"
import { type AttemptRef, Attempts } from "./Attempts.ts"
import { accepted, mismatch, noting, ofTarget, refused, small, weaknessesOf } from "./answers.ts"
import { attemptAction, attemptLog, attemptProgress, attemptStanding, attemptTask } from "./attemptAnswers.ts"
import { callOf, readAttemptArguments, readSubmission } from "./attemptRequests.ts"
import { Engine, repairText } from "./Engine.ts"
import { textOf } from "./requests.ts"
import type { Answer } from "./Sessions.ts"
import { type Snapshot, step } from "./step.ts"
import { perform } from "./Worker.ts"

/** Attempts over the engine: reads the log and never writes to it, for an attempt belongs to the worker that began it. */
export const attemptsLayer: Layer.Layer<
  Attempts,
  never,
  Engine | EventLog | AttemptTokens | AttemptReports | Workplaces | Workspace
> = Layer.effect(
  Attempts,
  Effect.gen(function* () {
    const engine = yield* Engine
    const log = yield* EventLog
    const tokens = yield* AttemptTokens
    const reports = yield* AttemptReports
    const workplaces = yield* Workplaces
    const workspace = yield* Workspace

    const authenticate = Effect.fnUntraced(function* (token: string) {
      const call = yield* tokens.read(token)
      if (call === null) return yield* Effect.fail(tokenUnknown)
      const { state } = yield* engine.load(call.run_id)
      return isUnderWay(state, call) ? refOf(call) : yield* Effect.fail(attemptOver(call))
    })

    /** The files as they are where the task works. */
    const filesOf = (state: State, task: TaskState) => {
      const place = placeOf(state, task)
      return place === null
        ? Effect.succeed(workspace)
        : Effect.map(workplaces.open(place), ({ directory }) => workspace.at(directory))
    }

    /**
     * What a report would come to if the attempt ended with it now: the same rules and the same look at the disk as
     * then, with nothing of it recorded. Says what is wrong with the report, and what holds and shows little.
     */
    const judged = Effect.fnUntraced(function* (
      before: Snapshot,
      { attempt, run, task_id }: AttemptRef,
      { checklist, summary }: WorkReport
    ): Effect.fn.Return<Judged, Rejection | LogUnavailable> {
      const end = { ...wellEnded, task_id, attempt, report: reportOf(summary, checklist) } satisfies EndAttempt
      const ended = yield* Effect.fromResult(step(engine.composition, before, end))
      const task = taskOf(ended.after.state, task_id)
      const next = task === undefined ? null : nextStep(ended.after.state, task)
      if (next?._tag !== "Start" || next.activity !== activities.evidence) return nothingSaid
      const item: WorkItem = { ...noItem, run, key: next.key, activity: next.activity, task_id, input: next.input }
      const found = yield* perform(engine.composition.activities.get(next.activity), {
        item,
        lease: 0,
        worker_id: "",
        state: ended.after.state,
        dispatch: () => Effect.fail(notJudged("It asked for more than a look.")),
        drive: () => Effect.fail(notJudged("It asked for more than a look."))
      })
      if (found === null) return nothingSaid
      if (found._tag === "RecordActivityFailure") {
        return yield* Effect.fail(notJudged((found as { readonly message: string }).message))
      }
      const { after } = yield* Effect.fromResult(step(engine.composition, ended.after, found))
      const looked = taskOf(after.state, task_id)
      return {
        failures: looked?.current?.failures ?? [],
        warnings: looked === undefined ? [] : weaknessesOf(looked)
      }
    })

    /** Takes an answer in the place of the file that the agent would have written. */
    const take = Effect.fnUntraced(function* (ref: AttemptRef, answer: unknown) {
      if (!(yield* reports.write(callFor(ref), JSON.stringify(answer)))) {
        return yield* Effect.fail(attemptOver(callFor(ref)))
      }
    })

    const submit = Effect.fnUntraced(function* (
      before: Snapshot,
      ref: AttemptRef,
      asked: AgentRole,
      data: unknown,
      isReported: boolean
    ) {
      const read = readSubmission(asked, repairText(data))
      if (Result.isFailure(read)) return mismatch(read.failure, attemptStanding(ref, isReported))
      const { answer, unexpected } = read.success
      const { failures, warnings } = asked === "work" ? yield* judged(before, ref, answer) : nothingSaid
      if (failures.length > 0) return mismatch(failures, attemptStanding(ref, isReported))
      yield* take(ref, answer)
      const task = taskOf(before.state, ref.task_id)
      const taken = accepted({
        success: true,
        taken: true,
        ...(task === undefined ? {} : { task: { id: ref.task_id, title: task.spec.title, new_status: "in_progress" } }),
        ...(warnings.length === 0 ? {} : { warnings }),
        ...attemptStanding(ref, true)
      })
      return noting(taken, unexpected)
    })

    const carryOut = Effect.fnUntraced(function* (
      before: Snapshot,
      ref: AttemptRef,
      operation: string,
      args: Readonly<Record<string, unknown>>
    ) {
      const { state } = before
      const isReported = yield* reports.isWritten(callFor(ref))
      switch (operation) {
        case "get_next_action":
          return accepted(attemptAction(state, ref, isReported))
        case "get_my_task":
          return accepted(attemptTask(state, ref, isReported))
        case "get_my_task_progress":
          return accepted(attemptProgress(state, ref))
        case "check_write_target":
          return yield* writeTarget(state, ref, textOf(args["file_path"]), args["allow_new_files"] !== false)
        case "complete_task":
        case "submit_phase":
        case "submit_review":
        case "submit_verification": {
          const data = (args["data"] ?? {}) as Readonly<Record<string, unknown>>
          const named = operation === "complete_task" ? args : data
          if (reportedId(named) !== "" || operation === "complete_task") yield* mustBeOwn(ref, reportedId(named))
          const role = roleOf[operation]
          if (ref.role !== role) return yield* Effect.fail(wrongRole(ref, operation))
          const { task_id: _named, ...submission } = data
          return yield* submit(before, ref, role, operation === "submit_phase" ? submission : data, isReported)
        }
        case "create_tasks": {
          if (ref.role !== "generate") return yield* Effect.fail(notInAttempt(ref, operation))
          return yield* submit(before, ref, ref.role, args["data"], isReported)
        }
        case "report_completed": {
          // whoever says that it has failed needs no report for that
          if (args["result"] === "success" && !isReported) return yield* Effect.fail(reportMissing(ref))
          return accepted({
            success: true,
            action: "exit",
            result: args["result"],
            ...attemptStanding(ref, isReported)
          })
        }
        default:
          return yield* Effect.fail(notInAttempt(ref, operation))
      }
    })

    const writeTarget = Effect.fnUntraced(function* (
      state: State,
      ref: AttemptRef,
      file_path: string,
      allow_new_files: boolean
    ) {
      const task = taskOf(state, ref.task_id)
      const files = task === undefined ? workspace : yield* Effect.mapError(filesOf(state, task), asRejection)
      const target = yield* files.place(file_path)
      const problem = placeProblem(target) ?? rightProblem(ref, target, allow_new_files)
      return accepted({
        allowed: problem === null,
        file_path: (target.path ?? file_path).slice(0, 300).toWellFormed(),
        code: problem?.code ?? "allowed",
        ...(problem === null ? {} : { error: problem.message, next_step: problem.hint })
      })
    })

    const call = (ref: AttemptRef, operation: string, args: unknown): Effect.Effect<Answer, LogUnavailable> =>
      Effect.gen(function* () {
        const before = yield* engine.load(ref.run)
        const read = readAttemptArguments(operation, args)
        if (Result.isFailure(read)) return mismatch(read.failure, attemptStanding(ref, false))
        return noting(yield* carryOut(before, ref, operation, read.success.args), read.success.unexpected)
      }).pipe(
        Effect.catchTag("Rejection", (rejection) => Effect.succeed(refused(rejection, attemptStanding(ref, false)))),
        Effect.map((answer) => small(ofTarget(operation, answer)))
      )

    const view: Attempts["Service"]["view"] = Effect.fnUntraced(function* (ref, view) {
      const { state } = yield* engine.load(ref.run)
      switch (view) {
        case "task":
          return small(accepted(attemptTask(state, ref, yield* reports.isWritten(callFor(ref)))))
        case "progress":
          return small(accepted(attemptProgress(state, ref)))
        case "log":
          return small(accepted(attemptLog(yield* Stream.runCollect(log.read(ref.run)), ref)))
      }
    })

    return Attempts.of({ isToken: tokens.isToken, authenticate, call, view })
  })
)

/** Why an attempt may not write a file that it could. */
const rightProblem = (ref: AttemptRef, { kind, path }: WriteTarget, allow_new_files: boolean): Rejection | null => {
  if (ref.role !== "work") {
    return reject("read_only", "You were asked for an answer, and nothing is written for that.", nextStepOf(ref))
  }
  return kind === "missing" && !allow_new_files
    ? reject("new_file_not_allowed", `${path} does not exist.`, "Name an existing file.")
    : null
}

interface Judged {
  readonly failures: ReadonlyArray<Failure>
  readonly warnings: ReadonlyArray<{ readonly code: string; readonly message: string }>
}

const nothingSaid: Judged = { failures: [], warnings: [] }

const refOf = ({ run_id, ...call }: AgentCall): AttemptRef => ({ ...call, run: run_id })

const callFor = ({ run, ...ref }: AttemptRef): AgentCall => ({ ...ref, run_id: run })

/** The log says that the agent is still asked. */
const isUnderWay = (state: State, { attempt, role, task_id }: AgentCall): boolean => {
  if (state.status !== "running") return false
  const task = taskOf(state, task_id)
  const current = task?.current
  const next = task === undefined ? null : nextStep(state, task)
  const outstanding = next?._tag === "Start" ? next.activity : null
  switch (role) {
    case "work":
      return current?.attempt === attempt && current.outcome === null && outstanding === activities.attempt
    case "review":
      return current?.attempt === attempt && outstanding === activities.review
    case "analyze":
      return outstanding === analyzerActivity(state.config.chunking.analyzer)
    case "generate":
    case "verify":
      // they are asked about the whole of a run
      return task === undefined || !isOver(task)
  }
}

/** Whose operation it is. */
const roleOf = {
  complete_task: "work",
  submit_phase: "work",
  submit_review: "review",
  submit_verification: "verify"
} as const satisfies Readonly<Record<string, AgentRole>>

const mustBeOwn = (ref: AttemptRef, id: string): Effect.Effect<void, Rejection> =>
  id === ref.task_id
    ? Effect.void
    : Effect.fail(
        reject(
          "task_not_yours",
          "You were started for one task, and this is another one.",
          `Name your own task: ${ref.task_id}.`
        )
      )

const reportOf = (summary: string | undefined, checklist: WorkReport["checklist"]): EndAttempt["report"] => ({
  summary: summary ?? "",
  checklist: checklist ?? null,
  problems: []
})

/** How an attempt ends about which nothing is known but its report. */
const wellEnded = {
  _tag: "EndAttempt",
  outcome: "COMPLETE",
  exit_code: 0,
  signal: null,
  duration_ms: 0,
  error: null,
  output: null,
  files_modified: null
} as const

/** Work that nobody was given. */
const noItem = {
  id: "",
  kind: "activity",
  is_subtask: false,
  labels: [],
  priority: 0,
  not_before: 0
} as const

const asRejection = ({ code, message }: { readonly code: string; readonly message: string }): Rejection =>
  reject(code, message, "Go on without this answer, inside the directory you were started in.")

/** What an agent of a role does to hand in what it was asked for. */
const nextStepOf = ({ role, task_id }: AttemptRef): string =>
  role === "work"
    ? `Report with complete_task(task_id: "${task_id}", data: {summary, checklist}), then stop.`
    : callOf[role] === undefined
      ? "Answer as your prompt says, in the file named by PROOFLINE_REPORT_FILE, then stop."
      : `Hand in your answer with ${callOf[role]}(${role === "generate" ? "tasks" : "data"}), then stop.`

const tokenUnknown = reject(
  "token_unknown",
  "No agent of this project was given this token.",
  "Use the token you were started with, in PROOFLINE_TOKEN; without one, work as your prompt says."
)

const attemptOver = ({ attempt, role, task_id }: AgentCall): Rejection =>
  reject(
    "attempt_over",
    `Attempt ${attempt} of task ${task_id} does not wait for an answer any more (role ${role}).`,
    "End your turn: nothing you hand in now counts."
  )

const wrongRole = (ref: AttemptRef, operation: string): Rejection =>
  reject("wrong_role", `You were not asked for what ${operation} hands in: your role is ${ref.role}.`, nextStepOf(ref))

const notInAttempt = (ref: AttemptRef, operation: string): Rejection =>
  reject(
    "not_in_attempt",
    `${operation} is not for an agent that was started for one task: its task goes on by what is proven.`,
    nextStepOf(ref)
  )

const reportMissing = (ref: AttemptRef): Rejection =>
  reject(
    "report_missing",
    "Nothing was handed in so far, so there is nothing that could be completed.",
    nextStepOf(ref)
  )

const notJudged = (why: string): Rejection =>
  reject(
    "report_not_judged",
    `The report could not be judged. ${why}`,
    "Send it again, or write it to the file named by PROOFLINE_REPORT_FILE."
  )
