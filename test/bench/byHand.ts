/**
 * The fold of `wideRun` as one would write it by hand: one switch over one state, without plugins. It keeps of a task
 * what the composed fold keeps, so that both do the same work on the same maps.
 */
import type { AnyEvent } from "@proofline/kernel"
import { HashMap, Option } from "effect"
import { analysing, noLoop } from "../../packages/kernel/src/modules/chunking/state.ts"
import { nothingKnown, untouched } from "../../packages/kernel/src/modules/tasks/state.ts"

// biome-ignore lint/suspicious/noExplicitAny: contents as they were decoded
type Content = any

interface Task {
  readonly spec: Content
  readonly parent_task_id: string | null
  readonly children: ReadonlyArray<string>
  readonly carried: number
  readonly order: number
  readonly priority: number
  readonly status: string
  readonly items: ReadonlyArray<Content>
  readonly attempts: number
  readonly retry_count: number
  readonly lost_count: number
  readonly delay_ms: number
  readonly current: Content
  readonly blocked: Content
  readonly refused: Content
  readonly verdict: string
  readonly reason: string
  readonly message: string
  readonly files: ReadonlyArray<string>
  readonly deferred: string | null
  readonly part: Content
  readonly chunk: Content
  readonly loop: Content
}

export interface ByHand {
  readonly config: Content
  readonly status: string
  readonly attempts: number
  readonly open: number
  readonly tasks: HashMap.HashMap<string, Task>
  readonly dependents: HashMap.HashMap<string, ReadonlyArray<string>>
}

const nothingByHand: ByHand = {
  config: null,
  status: "none",
  attempts: 0,
  open: 0,
  tasks: HashMap.empty(),
  dependents: HashMap.empty()
}

const isOver = ({ status }: Task): boolean => status === "completed" || status === "failed" || status === "skipped"

const withTask = (state: ByHand, id: string, change: (task: Task) => Task): ByHand => {
  const found = HashMap.get(state.tasks, id)
  if (found._tag === "None") return state
  const after = change(found.value)
  const over = Number(isOver(found.value)) - Number(isOver(after))
  const changed = { ...state, tasks: HashMap.set(state.tasks, id, after), open: state.open + over }
  return after.parent_task_id === null || found.value.status === after.status
    ? changed
    : withChunk(changed, after.parent_task_id, (chunk) => ({ ...chunk, open: chunk.open + over }))
}

const withChunk = (state: ByHand, id: string, change: (chunk: Content) => Content): ByHand =>
  withTask(state, id, (task) => (task.chunk === null ? task : { ...task, chunk: change(task.chunk) }))

const withAttempt = (state: ByHand, { attempt, task_id }: Content, change: (attempt: Content) => Content): ByHand =>
  withTask(state, task_id, (task) =>
    task.current?.attempt === attempt ? { ...task, current: change(task.current) } : task
  )

const registered = (state: ByHand, spec: Content, priority: number, parent: string | null, part: Content): ByHand => {
  const task: Task = {
    spec,
    parent_task_id: parent,
    children: [],
    carried: part === null ? 0 : part.carries.length,
    order: HashMap.size(state.tasks),
    priority,
    status: "pending",
    items: spec.checklist.map((item: Content) => ({ ...item, ...untouched })),
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
    files: [],
    deferred: null,
    part,
    chunk: null,
    loop: noLoop
  }
  const added = {
    ...state,
    tasks: HashMap.set(state.tasks, spec.id, task),
    dependents: spec.depends_on.reduce(
      (all: ByHand["dependents"], id: string) =>
        HashMap.set(all, id, [...Option.getOrElse(HashMap.get(all, id), () => []), spec.id]),
      state.dependents
    ),
    open: state.open + 1
  }
  return parent === null
    ? added
    : withTask(added, parent, (one) => ({
        ...one,
        children: [...one.children, spec.id],
        chunk: { ...one.chunk, stage: "executing", total: one.chunk.total + 1, open: one.chunk.open + 1 }
      }))
}

/** Notes when an attempt of a part begins or ends, beside those of its siblings. */
const ticked = (state: ByHand, id: string, isBeginning: boolean): ByHand => {
  const task = Option.getOrNull(HashMap.get(state.tasks, id))
  const parent = task?.parent_task_id ?? null
  if (task === null || parent === null) return state
  const boundaries = (Option.getOrNull(HashMap.get(state.tasks, parent))?.chunk.boundaries ?? 0) + 1
  return withTask(
    withChunk(state, parent, (chunk) => ({ ...chunk, boundaries })),
    id,
    (one) => ({
      ...one,
      part: {
        ...one.part,
        windows: isBeginning
          ? [...one.part.windows, { from: boundaries, to: null }]
          : one.part.windows.map((window: Content) => (window.to === null ? { ...window, to: boundaries } : window))
      }
    })
  )
}

const foldByHand = (state: ByHand, { content, type }: { type: string; content: Content }): ByHand => {
  switch (type) {
    case "RUN_STARTED":
      return {
        ...nothingByHand,
        config: content.config,
        status: "running",
        tasks: state.tasks,
        dependents: state.dependents
      }
    case "TASK_REGISTERED": {
      const { priority, task_id: id, ...spec } = content
      return registered(state, { id, ...spec, checklist: [] }, priority, null, null)
    }
    case "CHECKLIST_REGISTERED":
      return withTask(state, content.task_id, (task) => ({
        ...task,
        spec: { ...task.spec, checklist: content.items },
        items: content.items.map((item: Content) => ({ ...item, ...untouched }))
      }))
    case "TASK_STARTED":
      return withTask(state, content.task_id, (task) => ({ ...task, status: "in_progress" }))
    case "CHUNKING_START":
      return withTask(state, content.parent_task_id, (task) => ({
        ...task,
        chunk: { ...analysing, checklist: content.checklist }
      }))
    case "CHUNKING_ANALYSIS":
      return withChunk(state, content.parent_task_id, (chunk) => ({
        ...chunk,
        started_at: content.started_at,
        execution_mode: content.execution_mode
      }))
    case "SUBTASK_CREATED": {
      const { checklist, dependencies: depends_on, parent_task_id, priority, prompt, subtask_id: id, title } = content
      const { validation } = content
      const spec = { id, title, instruction: prompt, validation, checks: [], depends_on, checklist, chunk: "no" }
      return registered(state, spec, priority, parent_task_id, {
        parent_task_id,
        index: content.subtask_index,
        total: content.total_subtasks,
        execution_order: content.execution_order,
        acceptance_criteria: content.acceptance_criteria,
        carries: content.carries,
        paths: content.paths,
        changes_files: content.changes_files,
        windows: []
      })
    }
    case "SUBTASK_START":
      return withTask(state, content.subtask_id, (task) => ({
        ...task,
        status: "in_progress",
        loop: { ...task.loop, started: true, retry_count: content.retry_count }
      }))
    case "ATTEMPT_STARTED":
      return withTask(
        ticked({ ...state, attempts: state.attempts + 1 }, content.task_id, true),
        content.task_id,
        (task) => ({
          ...task,
          status: "in_progress",
          attempts: content.attempt,
          current: {
            attempt: content.attempt,
            agent: content.agent,
            worker_id: content.worker_id,
            item_id: content.item_id,
            lease: content.lease,
            ...nothingKnown
          },
          loop: { ...task.loop, iteration: task.loop.refused + 1 }
        })
      )
    case "ATTEMPT_ENDED":
      return withTask(
        withAttempt(ticked(state, content.task_id, false), content, (attempt) => ({
          ...attempt,
          outcome: content.outcome,
          error: content.error,
          files_modified: content.files_modified
        })),
        content.task_id,
        (task) => ({ ...task, files: [...new Set([...task.files, ...(content.files_modified ?? [])])].sort() })
      )
    case "CHECKLIST_REPORTED":
      return withAttempt(state, content, (attempt) => ({
        ...attempt,
        report: { summary: content.summary, checklist: content.checklist, problems: content.problems }
      }))
    case "CHECKLIST_ITEM_ACCEPTED":
      return withTask(state, content.task_id, (task) => ({
        ...task,
        items: task.items.with(content.index, {
          ...task.items[content.index],
          status: content.status,
          verdict: content.verdict,
          evidence: content.evidence,
          reason: content.reason,
          receipt: content.receipt,
          weak: content.weak
        })
      }))
    case "SUBTASK_COMPLETE":
      return withTask(state, content.subtask_id, (task) => ({
        ...task,
        status: "completed",
        verdict: "proven",
        message: ""
      }))
    case "CHUNKING_AGGREGATION":
      return withTask(state, content.parent_task_id, (task) => ({
        ...task,
        attempts: task.attempts + 1,
        files: content.aggregation_result.files_modified,
        spec: { ...task.spec, checklist: content.whole.checklist, validation: content.whole.validation },
        items: content.whole.checklist.map((item: Content) => ({ ...item, ...untouched })),
        current: {
          attempt: task.attempts + 1,
          agent: "",
          worker_id: "",
          item_id: "",
          lease: 0,
          ...nothingKnown,
          outcome: "COMPLETE",
          report: { ...content.whole.report, problems: [] }
        },
        chunk: {
          ...task.chunk,
          stage: "aggregated",
          outcome: content.aggregation_result,
          duration_ms: content.duration_ms
        }
      }))
    case "TASK_COMPLETED":
      return withTask(state, content.task_id, (task) => ({
        ...task,
        status: "completed",
        verdict: "proven",
        message: ""
      }))
    default:
      return state
  }
}

/** The same with the maps changed in place until the end, as the composed fold does. */
export const makeFoldByHand = () => {
  let now: ByHand = {
    ...nothingByHand,
    tasks: HashMap.beginMutation(nothingByHand.tasks),
    dependents: HashMap.beginMutation(nothingByHand.dependents)
  }
  return {
    add: (event: AnyEvent): void => {
      now = foldByHand(now, event)
    },
    end: (): ByHand => ({
      ...now,
      tasks: HashMap.endMutation(now.tasks),
      dependents: HashMap.endMutation(now.dependents)
    })
  }
}
