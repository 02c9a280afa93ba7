import { HashMap, Result } from "effect"
import { updateTaskStatus } from "./board.ts"
import { spentLimit } from "./budget.ts"
import type {
  CancelRun,
  Command,
  ConcludeRun,
  EndAttempt,
  ExhaustBudget,
  RecordVerification,
  ResumeRun,
  SettleChunks,
  SkipChunking,
  SkipTask,
  StartAttempt,
  StartChunking,
  StartRun
} from "./Command.ts"
import { hasPassed, missingChecks } from "./checks.ts"
import {
  givenUp,
  isLooped,
  owedItems,
  recordAggregation,
  recordAnalysis,
  settleChunks,
  skipChunking,
  startChunking,
  subtaskRef
} from "./chunks.ts"
import { contractProblem } from "./contract.ts"
import type { KernelEvent } from "./Event.ts"
import { evolve } from "./evolve.ts"
import { isAtRest, nextStep } from "./nextStep.ts"
import type { PullSetup } from "./PhaseContract.ts"
import { isAtEnd, isStopped, type PhaseValidators } from "./phase.ts"
import { createTasks } from "./planning.ts"
import { type Rejection, reject } from "./Rejection.ts"
import {
  type AttemptState,
  breakerOf,
  initialState,
  isOver,
  type PullState,
  rootsOf,
  type State,
  type TaskState,
  taskOf,
  tasksOf
} from "./State.ts"
import { checkWriteTarget, closeASession, issueNextAction, openASession, reportCompleted } from "./sessions.ts"
import { settle, settlementOf } from "./settle.ts"
import { advancePhase, answerPhase, firstPhase, recordPhaseChecks, submitPhase } from "./submit.ts"
import { chainLengths, graphProblem } from "./TaskGraph.ts"

type Decision = Result.Result<ReadonlyArray<KernelEvent>, Rejection>

const event = <T extends KernelEvent["type"]>(
  type: T,
  content: Extract<KernelEvent, { readonly type: T }>["content"]
): KernelEvent => ({ type, content }) as KernelEvent

const refuse = (code: string, message: string, hint: string, open: ReadonlyArray<string> = []): Decision =>
  Result.fail(reject(code, message, hint, open))

/** What follows from a command, or why it is refused. Commands that a plugin owns never come here. */
export const decide = (command: Command, state: State, validators: PhaseValidators = new Map()): Decision => {
  switch (command._tag) {
    case "StartRun":
      return startRun(command, state)
    case "ResumeRun":
      return resumeRun(command, state)
    case "CancelRun":
      return cancelRun(command, state)
    case "StartAttempt":
      return startAttempt(command, state)
    case "EndAttempt":
      return endAttempt(command, state)
    case "RecordVerification":
      return recordVerification(command, state)
    case "RecordJudgment": {
      const { _tag, ...content } = command
      return Result.map(currentAttempt(state, command), () => [event("QUALITY_JUDGMENT", content)])
    }
    case "RecordAnalysis":
      return recordAnalysis(command, state)
    case "RecordAggregation":
      return recordAggregation(command, state)
    case "RecordActivity": {
      const { _tag, ...content } = command
      return Result.succeed([event("ACTIVITY_RESULT", content as never)])
    }
    case "RecordActivityFailure": {
      const { _tag, ...content } = command
      return Result.succeed([event("ACTIVITY_FAILED", content as never)])
    }
    case "SettleAttempt":
      return settleAttempt(state, command.task_id)
    case "SkipTask":
      return skipTask(command, state)
    case "StartChunking":
    case "SkipChunking":
    case "SettleChunks":
      return Result.succeed(chunkStep(command, state))
    case "FinishRun":
      return Result.succeed(finishRun(state))
    case "ConcludeRun":
      return concludeRun(command, state)
    case "ExhaustBudget":
      return exhaustBudget(command, state)
    case "RecordUsage": {
      const { _tag, ...content } = command
      return Result.succeed([event("AGENT_CALLED", content)])
    }
    case "OpenSession":
      return openASession(command, state)
    case "CloseSession":
      return closeASession(command, state)
    case "IssueNextAction":
      return issueNextAction(command, state)
    case "SubmitPhase":
      return submitPhase(command, state, validators)
    case "AnswerPhase":
      return answerPhase(command, state, validators)
    case "RecordPhaseChecks":
      return recordPhaseChecks(command, state)
    case "CheckWriteTarget":
      return checkWriteTarget(command, state)
    case "UpdateTaskStatus":
      return updateTaskStatus(command, state)
    case "CreateTasks":
      return createTasks(command, state)
    case "ReportCompleted":
      return reportCompleted(command, state)
    case "AdvancePhase":
      return Result.succeed(advancePhase(state))
    case "RecordEvidence":
      return refuse("command_unowned", "No plugin judges evidence.", "Add a plugin that owns RecordEvidence.")
  }
}

const startRun = (command: StartRun, state: State): Decision => {
  if (state.status !== "none") {
    return refuse("run_exists", `Run ${state.run_id} was started already.`, "Resume it, or start a run with a new id.")
  }
  if (command.tasks.length === 0 && command.kind === "tasks") {
    return refuse("run_empty", "There is no task to run.", "Name at least one task.")
  }
  const unusable = command.pull === undefined ? null : contractProblem(command.pull.contract)
  if (unusable !== null) return Result.fail(unusable)
  const problem = graphProblem(command.tasks, new Set(command.completed_task_ids))
  if (problem !== null) return Result.fail(problem)
  const priorities = chainLengths(command.tasks)
  const { _tag, pull, tasks, ...content } = command
  return Result.succeed([
    event("RUN_STARTED", content),
    ...(pull === undefined ? [] : beginning(event("RUN_STARTED", content), pull)),
    ...tasks.flatMap(
      ({ checklist, id, ...task }): ReadonlyArray<KernelEvent> => [
        event("TASK_REGISTERED", { task_id: id, ...task, priority: priorities.get(id) ?? 1 }),
        ...(checklist.length > 0 ? [event("CHECKLIST_REGISTERED", { task_id: id, items: checklist })] : [])
      ]
    )
  ])
}

/** The contract of a session run, and the phase it begins in. */
const beginning = (started: KernelEvent, setup: PullSetup): ReadonlyArray<KernelEvent> => {
  const adopted = event("PHASE_CONTRACT_ADOPTED", setup)
  const state = evolve(evolve(initialState, started), adopted)
  return [adopted, ...(state.pull === null ? [] : firstPhase(state, state.pull))]
}

const resumeRun = (command: ResumeRun, state: State): Decision => {
  if (state.status === "none")
    return refuse("run_unknown", "There is no such run.", "Look it up with `proofline history`.")
  if (state.status === "completed") {
    return refuse("run_completed", `Run ${state.run_id} is completed; every task is proven.`, "Start a new run.")
  }
  const tasks = tasksOf(state)
  const reopened = tasks.filter((task) => isReopened(state, task))
  const running = tasks.filter(
    (task) => task.status === "in_progress" && task.current?.outcome === null && !task.current.cancelled
  )
  return Result.succeed([
    event("RUN_RESUMED", {
      driver: command.driver,
      config: command.config,
      reopened: reopened.map((task) => task.spec.id)
    }),
    // whoever resumes takes over: what still runs elsewhere can no longer report
    ...running.map((task) =>
      event("ATTEMPT_ENDED", {
        task_id: task.spec.id,
        attempt: task.current?.attempt ?? 0,
        outcome: "LOST",
        exit_code: null,
        signal: null,
        duration_ms: 0,
        error: null,
        files_modified: null
      })
    )
  ])
}

/** After a budget was used up it is the rest that goes on: what has failed within it is no rest, and would come first. */
const isReopened = ({ failed_by }: State, { reason, status }: TaskState): boolean =>
  failed_by === "budget" ? status === "skipped" && reason === "budget" : status === "failed" || status === "skipped"

const cancelRun = (command: CancelRun, state: State): Decision =>
  state.status === "running"
    ? Result.succeed([...endEverything(state, "run_cancelled"), event("RUN_CANCELLED", { reason: command.reason })])
    : refuse("run_not_running", `Run ${state.run_id} is not running.`, "Nothing needs to be cancelled.")

/** Cancels running attempts and gives up every task that is not over, the parts of a task before the task. */
const endEverything = (state: State, reason: string): ReadonlyArray<KernelEvent> =>
  tasksOf(state)
    .filter((task) => !isOver(task))
    .toSorted((a, b) => Number(b.part !== null) - Number(a.part !== null))
    .flatMap((task) => givenUp(state, task, reason))

/** What merely follows from the state; nothing when it was overtaken. */
const chunkStep = (
  { _tag, task_id }: StartChunking | SkipChunking | SettleChunks,
  state: State
): ReadonlyArray<KernelEvent> => {
  const task = taskOf(state, task_id)
  if (task === undefined || nextStep(state, task)._tag !== _tag) return []
  switch (_tag) {
    case "StartChunking":
      return startChunking(state, task)
    case "SkipChunking":
      return skipChunking(task)
    case "SettleChunks":
      return settleChunks(state, task)
  }
}

const startAttempt = (command: StartAttempt, state: State): Decision => {
  const task = taskOf(state, command.task_id)
  if (task === undefined)
    return refuse("task_unknown", `There is no task ${command.task_id}.`, "Name a registered task.")
  const step = nextStep(state, task)
  // an attempt that runs is also work that is wanted, but not a new attempt
  const isWanted = step._tag === "Start" && step.kind === "attempt" && task.status !== "in_progress"
  if (!isWanted || command.attempt !== task.attempts + 1) {
    return refuse(
      "task_not_ready",
      `Task ${command.task_id} does not wait for attempt ${command.attempt}.`,
      "Drop this work; it was done or is not wanted any more."
    )
  }
  const { _tag, ...content } = command
  return Result.succeed([...begun(state, task, command), event("ATTEMPT_STARTED", content)])
}

/** What begins with an attempt beside the attempt itself. */
const begun = (
  state: State,
  task: TaskState,
  { attempt, task_id, worker_id }: StartAttempt
): ReadonlyArray<KernelEvent> => {
  const { loop, part, retry_count, spec } = task
  const loopBegins = isLooped(state, task) && !loop.started
  return [
    // a task that was analysed has been started before
    ...(part === null && task.chunk === null && task.attempts === 0 ? [event("TASK_STARTED", { task_id })] : []),
    ...(part !== null && !loop.started
      ? [event("SUBTASK_START", { ...subtaskRef(task), prompt: spec.instruction, retry_count, worker_id })]
      : []),
    ...(loopBegins
      ? [
          event("REVIEW_LOOP_START", {
            task_id,
            attempt,
            retry_count,
            max_iterations: state.config.chunking.max_iterations
          })
        ]
      : [])
  ]
}

const attemptNotCurrent = (about: { readonly task_id: string; readonly attempt: number }) =>
  reject(
    "attempt_not_current",
    `Attempt ${about.attempt} of task ${about.task_id} is over or was never started.`,
    "Drop this report."
  )

/** The task and its attempt, when the attempt has ended and is not settled yet. */
const currentAttempt = (
  state: State,
  about: { readonly task_id: string; readonly attempt: number }
): Result.Result<{ readonly task: TaskState; readonly current: AttemptState }, Rejection> => {
  const task = taskOf(state, about.task_id)
  const current = task?.current
  return task?.status === "in_progress" &&
    current?.attempt === about.attempt &&
    current.outcome !== null &&
    !current.cancelled
    ? Result.succeed({ task, current })
    : Result.fail(attemptNotCurrent(about))
}

const endAttempt = (command: EndAttempt, state: State): Decision => {
  const task = taskOf(state, command.task_id)
  const current = task?.current
  if (
    task?.status !== "in_progress" ||
    current?.attempt !== command.attempt ||
    current.outcome !== null ||
    current.cancelled
  ) {
    return Result.fail(attemptNotCurrent(command))
  }
  const { attempt, task_id } = command
  const owed = owedItems(task, command.report?.checklist ?? null)
  return Result.succeed([
    ...(command.output === null ? [] : [event("ATTEMPT_OUTPUT_SUMMARIZED", { task_id, attempt, ...command.output })]),
    event("ATTEMPT_ENDED", {
      task_id,
      attempt,
      outcome: command.outcome,
      exit_code: command.exit_code,
      signal: command.signal,
      duration_ms: command.duration_ms,
      error: command.error,
      files_modified: command.files_modified
    }),
    ...(owed === null ? [] : [event("CHECKLIST_REGISTERED", { task_id, items: owed, criteria: true })]),
    ...(command.report === null ? [] : [event("CHECKLIST_REPORTED", { task_id, attempt, ...command.report })])
  ])
}

const recordVerification = (command: RecordVerification, state: State): Decision =>
  Result.flatMap(currentAttempt(state, command), ({ current, task }) => {
    if (current.verification !== null) return Result.fail(attemptNotCurrent(command))
    const { _tag, ...content } = command
    const { checks } = command
    // no check at all is not a pass
    const passed = checks.length > 0 && checks.every(hasPassed) && missingChecks(state, task, checks).length === 0
    return Result.succeed([event("VERIFICATION_RUN", { ...content, passed })])
  })

const settleAttempt = (state: State, id: string): Decision => {
  const task = taskOf(state, id)
  const settlement = task === undefined ? null : settlementOf(state, task)
  return Result.succeed(task === undefined || settlement === null ? [] : settle(state, task, settlement))
}

const skipTask = (command: SkipTask, state: State): Decision => {
  const task = taskOf(state, command.task_id)
  if (task === undefined || nextStep(state, task)._tag !== "Skip") return Result.succeed([])
  const waiting_for = task.spec.depends_on.filter((id) => {
    const dependency = taskOf(state, id)
    return dependency !== undefined && isOver(dependency) && dependency.status !== "completed"
  })
  return Result.succeed(
    givenUp(state, task, task.part === null ? "dependency_not_completed" : "dependency_failed", waiting_for)
  )
}

/** Ends the run when nothing more can happen in it; otherwise nothing. */
const finishRun = (state: State): ReadonlyArray<KernelEvent> => {
  if (state.status !== "running") return []
  const limit = spentLimit(state)
  if (
    state.pull === null &&
    state.open_count > 0 &&
    !state.config.fail_fast &&
    HashMap.isEmpty(state.breakers) &&
    limit === null
  )
    return []
  if (state.pull !== null) return endOfSession(state, state.pull)
  const everything = tasksOf(state)
  // to whoever asked, a task that was split is one task
  const tasks = everything.filter(({ part }) => part === null)
  const failed = tasks.filter((task) => task.status === "failed")
  if (state.config.fail_fast && failed.length > 0) {
    const ended = endEverything(state, "fail_fast")
    const message = `Task ${failed[0]?.spec.id} failed, and the run stops at the first failure.`
    const skippedNow = tasks.filter((task) => !isOver(task)).length
    return [...ended, event("RUN_FAILED", { ...countsOf(tasks, skippedNow), reason: "fail_fast", message })]
  }
  if (state.open_count > 0) {
    const isBroken = isWithoutAgents(state)
    if ((!isBroken && limit === null) || !isAtRest(state)) return []
    return [
      isBroken || limit === null
        ? breakerOpened(state, tasks)
        : event("RUN_FAILED", { ...countsOf(tasks, 0), reason: "budget", message: limit.message })
    ]
  }
  const counts = countsOf(tasks, 0)
  // 0 of 0 is never a pass: a run without tasks ends when somebody cancels it
  if (counts.total === 0) return []
  if (counts.completed === counts.total) {
    const items = everything.flatMap((task) => task.items.slice(task.part?.carries.length ?? 0))
    return [
      event("RUN_COMPLETED", {
        ...counts,
        proven: items.filter((item) => item.verdict === "proven").length,
        waived: items.filter((item) => item.verdict === "waived").length
      })
    ]
  }
  const reason = `${counts.completed} of ${counts.total} tasks are completed, ${counts.failed} failed, ${counts.skipped} were skipped.`
  const isIncomplete = counts.completed > 0 || failed.some(isPartly)
  return !isIncomplete
    ? [event("RUN_FAILED", { ...counts, reason: "failed", message: reason })]
    : [event("RUN_INCOMPLETE", { ...counts, reason })]
}

/** A run without tasks of its own ends as its plugin decides. */
const concludeRun = (command: ConcludeRun, state: State): Decision => {
  if (state.kind !== "requirements" || state.status !== "running") {
    return refuse(
      "run_not_concluded",
      `Run ${state.run_id} is not ended by anybody's word.`,
      "It ends by what becomes of its tasks."
    )
  }
  const { completed, message, outcome, proven, reason, total } = command
  const counts = { total, completed, failed: 0, skipped: 0 }
  switch (outcome) {
    case "completed":
      return Result.succeed([event("RUN_COMPLETED", { ...counts, proven, waived: 0 })])
    case "incomplete":
      return Result.succeed([event("RUN_INCOMPLETE", { ...counts, reason: message })])
    case "failed":
      return Result.succeed([event("RUN_FAILED", { ...counts, failed: total - completed, reason, message })])
  }
}

const exhaustBudget = ({ message }: ExhaustBudget, state: State): Decision => {
  if (state.status !== "running") {
    return refuse("run_not_running", `Run ${state.run_id} is not running.`, "Nothing needs to be ended.")
  }
  const tasks = rootsOf(state)
  const open = tasks.filter((task) => !isOver(task)).length
  return Result.succeed([
    ...endEverything(state, "budget"),
    event("RUN_FAILED", { ...countsOf(tasks, open), reason: "budget", message })
  ])
}

/** A session run ends with its phases, whatever its tasks are; it is completed when all of them are shown to be done. */
const endOfSession = (state: State, pull: PullState): ReadonlyArray<KernelEvent> => {
  if (!isAtEnd(pull)) return []
  const everything = tasksOf(state)
  const given = endEverything(state, "run_ended")
  const counts = countsOf(everything, everything.filter((task) => !isOver(task)).length)
  const items = everything.flatMap((task) => task.items)
  const proven = items.filter((item) => item.verdict === "proven").length
  const waived = items.filter((item) => item.verdict === "waived").length
  const byWord = everything.filter((task) => task.status === "completed" && task.verdict === "unproven").length
  // lines that were there before show nothing of the work, unless commands verify the whole
  const isNew = items.some(
    ({ verdict, weak }) => verdict === "proven" && weak.every(({ reason }) => reason !== "untouched")
  )
  const isShown = pull.verified || (isNew && byWord === 0)
  if (!isStopped(pull) && counts.total > 0 && counts.completed === counts.total && isShown) {
    return [event("RUN_COMPLETED", { ...counts, proven, waived })]
  }
  const reason =
    counts.total === 0
      ? `${isStopped(pull) ? "It was stopped. " : ""}No task was registered: there was nothing to prove.`
      : `${isStopped(pull) ? "It was stopped. " : ""}${counts.completed} of ${counts.total} tasks are completed, ${byWord} of them by word alone; ${counts.skipped} were withdrawn or given up.`
  return [...given, event("RUN_INCOMPLETE", { ...counts, reason })]
}

/** It failed although some of its subtasks are completed and kept. Source: task chunking §5.3, §11.2. */
const isPartly = ({ chunk, reason }: TaskState): boolean =>
  chunk !== null && reason !== "fail_fast" && chunk.failed + chunk.open < chunk.subtasks.length

/** Somebody that the tasks of the run need cannot be started. */
const isWithoutAgents = (state: State): boolean =>
  breakerOf(state, state.config.agent) !== undefined ||
  (state.config.reviewer !== null && breakerOf(state, state.config.reviewer) !== undefined)

const breakerOpened = (state: State, tasks: ReadonlyArray<TaskState>): KernelEvent => {
  const agent = breakerOf(state, state.config.agent) === undefined ? (state.config.reviewer ?? "") : state.config.agent
  const message = `Agent ${agent} cannot work: ${breakerOf(state, agent)?.message}`
  return event("RUN_FAILED", { ...countsOf(tasks, 0), reason: "breaker", message })
}

const countsOf = (tasks: ReadonlyArray<TaskState>, skippedNow: number) => ({
  total: tasks.length,
  completed: tasks.filter((task) => task.status === "completed").length,
  failed: tasks.filter((task) => task.status === "failed").length,
  skipped: tasks.filter((task) => task.status === "skipped").length + skippedNow
})
