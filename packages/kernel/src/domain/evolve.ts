import { HashMap, HashSet } from "effect"
import { budgetUsedUp, withCall } from "./budget.ts"
import { withAttempt, withChunk, withItem, withTask } from "./change.ts"
import { hasPassed } from "./checks.ts"
import { criteriaReviewer } from "./chunks.ts"
import type { KernelEvent, PluginEvent } from "./Event.ts"
import { evolvePull, phaseUnverified, statusChanged, taskDone } from "./evolvePull.ts"
import { aggregated, analysing, inOnePiece, noLoop, nothingKnown, untouched } from "./fresh.ts"
import type { TaskId } from "./Ids.ts"
import { activities } from "./nextStep.ts"
import {
  type AttemptState,
  type ChunkState,
  dependentsOf,
  initialState,
  isOver,
  nothingSpent,
  type PartState,
  type State,
  type TaskState,
  taskOf
} from "./State.ts"
import { isUntried } from "./settle.ts"
import type { TaskSpec } from "./Task.ts"

/** What is true after an event. Total: it never refuses what has been recorded, and ignores what it does not know. */
export const evolve = (state: State, event: KernelEvent | PluginEvent): State => {
  const { type, content } = event as KernelEvent
  switch (type) {
    case "RUN_STARTED":
      return {
        ...initialState,
        run_id: content.run_id,
        kind: content.kind,
        name: content.name,
        root: content.root,
        input: content.input,
        parent_run_id: content.parent_run_id,
        status: "running",
        config: content.config,
        driver: content.driver,
        base: content.base,
        completed_elsewhere: HashSet.fromIterable(content.completed_task_ids),
        earlier: content.completed_tasks ?? [],
        goal: content.goal ?? null,
        // empty, and perhaps open for a long fold
        tasks: state.tasks
      }
    case "RUN_RESUMED":
      return content.reopened.reduce<State>((current, id) => withTask(current, id, reopened), {
        ...state,
        status: "running",
        message: "",
        failed_by: null,
        driver: content.driver ?? state.driver,
        config: content.config ?? state.config,
        resumes: state.resumes + 1,
        spent: nothingSpent,
        breakers: HashMap.empty()
      })
    case "RUN_COMPLETED":
      return { ...state, status: "completed", message: "" }
    case "RUN_INCOMPLETE":
      return { ...state, status: "incomplete", message: content.reason }
    case "RUN_FAILED":
      return { ...state, status: "failed", message: content.message, failed_by: content.reason }
    case "RUN_CANCELLED":
      return { ...state, status: "cancelled", message: content.reason }

    case "TASK_REGISTERED":
      return register(state, content)
    case "TASK_STARTED":
      return withTask(state, content.task_id, (task) => ({ ...task, status: "in_progress" }))
    case "TASK_STATUS_CHANGED":
      if (state.pull !== null) return statusChanged(state, content)
      return withTask(state, content.task_id, (task) => ({
        ...task,
        status: content.to,
        retry_count: content.retry_count,
        delay_ms: content.delay_ms,
        // the same again: what the reviewer said is no news for the agent
        refused: content.reason === "review_retry" && isSameLoop(task, content) ? task.refused : refusedAttempt(task),
        loop: loopAfter(task, content)
      }))
    case "TASK_COMPLETED":
      return withTask(taskDone(state, content.task_id), content.task_id, (task) => ({
        ...task,
        status: "completed",
        verdict: content.verdict ?? (content.proven === 0 && content.waived > 0 ? "waived" : "proven"),
        message: ""
      }))
    case "TASK_FAILED":
      return withTask(state, content.task_id, (task) => ({
        ...task,
        status: "failed",
        verdict: content.verdict,
        reason: content.reason,
        message: content.message,
        // nothing spoke against an attempt that is only unproven
        refused: content.verdict === "unproven" ? task.refused : refusedAttempt(task)
      }))
    case "TASK_SKIPPED":
      return withTask(state, content.task_id, (task) => ({
        ...task,
        status: "skipped",
        reason: content.reason,
        message: content.reason
      }))

    case "CHUNKING_START":
      return withTask(state, content.parent_task_id, (task) => ({
        ...task,
        chunk: { ...analysing, checklist: task.spec.checklist }
      }))
    case "CHUNKING_ANALYSIS":
      return withChunk(state, content.parent_task_id, (chunk) => ({
        ...chunk,
        started_at: content.started_at,
        execution_mode: content.execution_mode ?? chunk.execution_mode
      }))
    case "CHUNKING_SKIPPED":
      return withTask(state, content.parent_task_id, (task) => inOnePiece(state, task, content.acceptance_criteria))
    case "SUBTASK_CREATED":
      return createSubtask(state, content)
    case "SUBTASK_START":
      return withTask(state, content.subtask_id, (task) => ({
        ...task,
        status: "in_progress",
        loop: { ...task.loop, started: true }
      }))
    case "SUBTASK_COMPLETE":
      return withTask(state, content.subtask_id, (task) => ({
        ...task,
        status: "completed",
        verdict: content.proven === 0 && content.waived > 0 ? "waived" : "proven",
        message: ""
      }))
    case "SUBTASK_FAILED":
      return withTask(state, content.subtask_id, (task) => ({
        ...task,
        status: content.verdict === null ? "skipped" : "failed",
        verdict: content.verdict ?? task.verdict,
        reason: content.failure_reason,
        message: content.message === "" ? content.failure_reason : content.message,
        refused: content.verdict === "refuted" ? refusedAttempt(task) : task.refused
      }))
    case "SUBTASK_RETRY":
      return withChunk(
        withTask(state, content.subtask_id, (task) => ({
          ...task,
          status: "retrying",
          retry_count: content.retry_count,
          delay_ms: content.delay_ms,
          refused: refusedAttempt(task),
          loop: noLoop
        })),
        content.parent_task_id,
        (chunk) => ({ ...chunk, total_retries: chunk.total_retries + 1 })
      )
    case "CHUNKING_AGGREGATION":
      return withTask(state, content.parent_task_id, (task) => aggregated(state, task, content))
    case "CHUNKING_COMPLETE":
      return state
    case "REVIEW_LOOP_START":
      return withTask(state, content.task_id, (task) => ({
        ...task,
        loop: { ...task.loop, started: true, reviewed: true }
      }))
    case "REVIEW_LOOP_END":
      return withTask(state, content.task_id, (task) => ({ ...task, loop: { ...task.loop, reviewed: false } }))

    case "CHECKLIST_REGISTERED":
      return withTask(state, content.task_id, (task) => ({
        ...task,
        spec: { ...task.spec, checklist: content.items },
        // items that are added to others leave those as they are
        items: content.items.map((item, i) =>
          content.added !== undefined && task.items[i] !== undefined ? task.items[i] : { ...item, ...untouched }
        )
      }))
    case "CHECKLIST_REPORTED":
      return withAttempt(state, content, (attempt) => ({
        ...attempt,
        report: { summary: content.summary, checklist: content.checklist, problems: content.problems }
      }))
    case "EVIDENCE_CHECKED":
      // judged anew: what an earlier attempt had shown may have been changed since
      return withTask(
        withAttempt(state, content, (attempt) => ({ ...attempt, facts: content.facts })),
        content.task_id,
        (task) => ({
          ...task,
          items: task.items.map((item) => ({ ...item, ...untouched }))
        })
      )
    case "CHECKLIST_ITEM_ACCEPTED":
      return withItem(state, content.task_id, content.index, (item) => ({
        ...item,
        status: content.status,
        verdict: content.verdict,
        evidence: content.evidence,
        reason: content.reason,
        receipt: content.receipt,
        weak: content.weak
      }))
    case "CHECKLIST_ITEM_REJECTED": {
      const { item, key, fields, message } = content
      const noted = withAttempt(state, content, (attempt) => ({
        ...attempt,
        failures: [...attempt.failures, { item, key, fields, message }]
      }))
      return content.index === null
        ? noted
        : withItem(noted, content.task_id, content.index, (old) => ({ ...old, ...untouched, verdict: "refuted" }))
    }
    case "CHECKLIST_COMPLETED":
      return state

    case "ATTEMPT_STARTED": {
      const spent = { ...state.spent, attempts: state.spent.attempts + 1 }
      return withTask(ticked({ ...state, spent }, content.task_id, true), content.task_id, (task) => ({
        ...task,
        status: "in_progress",
        attempts: content.attempt,
        blocked: null,
        current: {
          attempt: content.attempt,
          agent: content.agent,
          worker_id: content.worker_id,
          item_id: content.item_id,
          lease: content.lease,
          ...nothingKnown,
          iteration: task.loop.refused + 1
        }
      }))
    }
    case "ATTEMPT_OUTPUT_SUMMARIZED":
      return state
    case "ATTEMPT_ENDED":
      return trip(
        withTask(
          withAttempt(ticked(state, content.task_id, false), content, (attempt) => ({
            ...attempt,
            outcome: content.outcome,
            error: content.error,
            files_modified: content.files_modified
          })),
          content.task_id,
          (task) => ({
            ...task,
            lost_count: task.lost_count + Number(content.outcome === "LOST"),
            files: united(task.files, content.files_modified ?? [])
          })
        ),
        content
      )
    case "ATTEMPT_CANCELLED":
      return withAttempt(ticked(state, content.task_id, false), content, (attempt) => ({ ...attempt, cancelled: true }))

    case "VERIFICATION_RUN":
      return content.checks
        .filter((check) => check.item_index !== null && !hasPassed(check))
        .reduce<State>(
          (now, check) =>
            withItem(now, content.task_id, check.item_index ?? 0, (item) => ({
              ...item,
              verdict: isUntried(check) ? "unproven" : "refuted"
            })),
          withAttempt(state, content, (attempt) => ({
            ...attempt,
            verification: { passed: content.passed, checks: content.checks }
          }))
        )
    case "QUALITY_JUDGMENT":
      return withAttempt(state, content, (attempt) => ({
        ...attempt,
        ...(content.reviewer === criteriaReviewer ? { criteria: content.checks } : {}),
        // what passes the built-in criteria is still to be reviewed
        judgment:
          content.reviewer === criteriaReviewer && content.judgment === "PASS"
            ? attempt.judgment
            : {
                judgment: content.judgment,
                reviewer: content.reviewer,
                checks: content.checks,
                modification_prompt: content.modification_prompt
              }
      }))

    case "AGENT_CALLED":
      return { ...state, spent: withCall(state.spent, content.usage) }

    case "ACTIVITY_STARTED":
    case "ACTIVITY_RESULT":
      return state
    case "ACTIVITY_FAILED": {
      const about = content.input as { readonly task_id?: unknown; readonly attempt?: unknown } | null
      if (state.pull !== null && content.name === activities.verification)
        return phaseUnverified(state, state.pull, content)
      // once the run has ended nobody waits for the work, and a resume asks for it anew
      if (typeof about?.task_id !== "string" || state.status !== "running") return state
      if (content.terminal === true && content.agent !== undefined) {
        // the work stands; it waits until the agent can be started again
        const { agent, code, message } = content
        return { ...state, breakers: HashMap.set(state.breakers, agent, { code, message }) }
      }
      return withTask(state, about.task_id, (task) => {
        const { code, message, name: activity } = content
        if (isOver(task)) return task
        // it was not even begun; a resume orders it anew, under another key
        if (code === budgetUsedUp) return { ...task, held: content.key }
        if (task.chunk?.stage === "analysing") return { ...task, chunk: { ...task.chunk, failure: { code, message } } }
        if (task.chunk?.stage === "executing")
          return task.chunk.open > 0 ? task : { ...task, blocked: { activity, code, message } }
        const wanted = task.status === "in_progress" ? task.current?.attempt : task.attempts + 1
        return about.attempt !== wanted ? task : { ...task, blocked: { activity, code, message } }
      })
    }
    default:
      return evolvePull(state, event as KernelEvent)
  }
}

type Registered = Extract<KernelEvent, { readonly type: "TASK_REGISTERED" }>["content"]

const register = (state: State, content: Registered): State => {
  const { priority, task_id: id, ...spec } = content
  return registered(state, { id, ...spec, checklist: [] }, priority, null)
}

const registered = (state: State, spec: TaskSpec, priority: number, part: PartState | null): State => {
  const { id } = spec
  const task: TaskState = {
    spec,
    order: HashMap.size(state.tasks),
    priority,
    status: "pending",
    items: spec.checklist.map((item) => ({ ...item, ...untouched })),
    attempts: 0,
    retry_count: 0,
    lost_count: 0,
    delay_ms: 0,
    current: null,
    blocked: null,
    refused: null,
    verdict: "unproven",
    reason: "",
    message: "",
    part,
    chunk: null,
    loop: noLoop,
    files: [],
    board: null,
    held: null
  }
  return {
    ...state,
    tasks: HashMap.set(state.tasks, id, task),
    dependents: spec.depends_on.reduce(
      (all, dependency) => HashMap.set(all, dependency, [...dependentsOf(state, dependency), id]),
      state.dependents
    ),
    open_count: state.open_count + 1
  }
}

type Created = Extract<KernelEvent, { readonly type: "SUBTASK_CREATED" }>["content"]

const createSubtask = (state: State, content: Created): State => {
  const id = content.subtask_id
  const spec: TaskSpec = {
    id,
    title: content.title,
    instruction: content.prompt,
    validation: content.validation,
    checks: [],
    depends_on: content.dependencies,
    checklist: content.checklist,
    chunk: "no"
  }
  const part: PartState = {
    parent_task_id: content.parent_task_id,
    index: content.subtask_index,
    total: content.total_subtasks,
    execution_order: content.execution_order,
    acceptance_criteria: content.acceptance_criteria,
    carries: content.carries,
    paths: content.paths,
    changes_files: content.changes_files,
    windows: []
  }
  const created = registered(state, spec, content.priority, part)
  // places are kept for the parts that are still to come
  return withChunk(created, content.parent_task_id, (chunk) => ({
    ...chunk,
    stage: "executing",
    subtasks: inserted(chunk.subtasks, id, content, created),
    open: chunk.open + 1
  }))
}

/** Sorted by order of execution. */
const inserted = (
  ids: ReadonlyArray<TaskId>,
  id: TaskId,
  { execution_order }: Created,
  state: State
): ReadonlyArray<TaskId> => {
  const at = ids.findLastIndex((other) => (taskOf(state, other)?.part?.execution_order ?? 0) < execution_order)
  return ids.toSpliced(at + 1, 0, id)
}

/** Notes when an attempt of a subtask begins or ends, beside those of its siblings. */
const ticked = (state: State, id: TaskId, isBeginning: boolean): State => {
  const parentId = taskOf(state, id)?.part?.parent_task_id
  const parent = parentId === undefined ? undefined : taskOf(state, parentId)
  if (parentId === undefined || parent?.chunk == null) return state
  const tick = parent.chunk.ticks + 1
  return withTask(
    withChunk(state, parentId, (chunk) => ({ ...chunk, ticks: tick })),
    id,
    (task) =>
      task.part === null ? task : { ...task, part: { ...task.part, windows: moved(task.part, tick, isBeginning) } }
  )
}

const moved = ({ windows }: PartState, tick: number, isBeginning: boolean): PartState["windows"] =>
  isBeginning
    ? [...windows, { from: tick, to: null }]
    : windows.map((window) => (window.to === null ? { ...window, to: tick } : window))

const united = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): ReadonlyArray<string> =>
  b.length === 0 ? a : [...new Set([...a, ...b])].sort()

type Changed = Extract<KernelEvent, { readonly type: "TASK_STATUS_CHANGED" }>["content"]

const isSameLoop = (task: TaskState, { retry_count, to }: Changed): boolean =>
  to === "retrying" && retry_count === task.retry_count && task.loop.started

const loopAfter = (task: TaskState, change: Changed): TaskState["loop"] => {
  if (change.retry_count !== task.retry_count) return noLoop
  if (!isSameLoop(task, change) || change.reason === "attempt_lost") return task.loop
  return change.reason === "review_retry"
    ? { ...task.loop, again: task.loop.again + 1 }
    : { ...task.loop, refused: task.loop.refused + 1 }
}

const askedAbout = ({ outcome }: ChunkState): ReadonlyArray<string> =>
  outcome?.outcome === "needs_person" ? outcome.conflicts.map(({ file }) => file) : []

/** A task taken up again: a new budget of attempts. What only waited for somebody to judge it keeps its attempt. */
const reopened = (task: TaskState): TaskState => {
  const fresh = {
    ...task,
    retry_count: 0,
    lost_count: 0,
    delay_ms: 0,
    reason: "",
    message: "",
    blocked: null,
    verdict: "unproven",
    loop: noLoop
  } as const
  const { chunk, current } = task
  if (chunk?.stage === "analysing") return { ...fresh, status: "pending", chunk: null }
  if (chunk !== null && chunk.stage !== "skipped") {
    // its parts are taken up again, and put together again
    return {
      ...fresh,
      status: "in_progress",
      current: null,
      chunk: { ...chunk, stage: "executing", outcome: null, decided: [...chunk.decided, ...askedAbout(chunk)] }
    }
  }
  const onlyUnjudged =
    task.verdict === "unproven" &&
    current?.outcome === "COMPLETE" &&
    !current.cancelled &&
    current.failures.length === 0 &&
    (current.verification?.passed !== false || current.verification.checks.some(isUntried)) &&
    task.refused?.attempt !== current.attempt
  return onlyUnjudged
    ? // the work may have been changed since: everything but the agent's own part is done again
      {
        ...fresh,
        status: "in_progress",
        current: { ...current, facts: null, failures: [], verification: null, judgment: null, criteria: null }
      }
    : { ...fresh, status: "pending" }
}

const trip = (state: State, ended: { readonly task_id: TaskId; readonly error: AttemptState["error"] }): State => {
  const agent = taskOf(state, ended.task_id)?.current?.agent
  if (agent === undefined || ended.error === null || !ended.error.terminal) return state
  const { code, message } = ended.error
  return { ...state, breakers: HashMap.set(state.breakers, agent, { code, message }) }
}

const refusedAttempt = (task: TaskState): AttemptState | null =>
  task.current === null || task.current.outcome === "LOST" ? task.refused : task.current
