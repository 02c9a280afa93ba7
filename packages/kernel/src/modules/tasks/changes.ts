/** What can happen to a task, in whosever words it is recorded. */
import { HashMap } from "effect"
import type { TaskId } from "../../base/Ids.ts"
import { reject } from "../../core/Rejection.ts"
import type { Verdict } from "../run/obligations.ts"
import { refusedWhileOpen } from "./gates.ts"
import {
  type AttemptState,
  hasUserCommands,
  nothingKnown,
  refusedAttempt,
  type TaskState,
  Tasks,
  type TasksState,
  taskOf,
  untouched,
  withTask
} from "./state.ts"
import type { TaskSpec } from "./TaskSpec.ts"

export interface Registration {
  readonly spec: TaskSpec
  readonly priority: number
  readonly parent_task_id: TaskId | null
  /** How many of its first items are its parent's. */
  readonly carried: number
  /** One of several attempts at its parent. */
  readonly alternative: boolean
}

export const registered = Tasks.change<Registration>("registered", {
  requires: ({ spec }, state) =>
    taskOf(state, spec.id) === undefined
      ? null
      : reject("task_id_duplicate", `There is a task ${spec.id} already.`, "Give every task its own id.", [spec.id]),
  apply: (own, { alternative, carried, parent_task_id, priority, spec }) => {
    const task: TaskState = {
      spec,
      parent_task_id,
      children: [],
      carried,
      alternative,
      order: HashMap.size(own.byId),
      priority,
      status: "pending",
      items: spec.checklist.map((item) => ({ ...item, ...untouched })),
      attempts: 0,
      retry_count: 0,
      lost_count: 0,
      transient_count: 0,
      delay_ms: 0,
      current: null,
      blocked: null,
      refused: null,
      verdict: "unproven",
      reason: "",
      message: "",
      files: [],
      undecided: [],
      deferred: null,
      yielded: [],
      ended: 0,
      set_aside: false,
      guidance: []
    }
    const added = {
      ...own,
      byId: HashMap.set(own.byId, spec.id, task),
      dependents: spec.depends_on.reduce((all, id) => waitsFor(all, id, spec.id), own.dependents),
      open_count: own.open_count + 1,
      has_commands: own.has_commands || hasUserCommands(spec)
    }
    return parent_task_id === null ? added : withChild(added, parent_task_id, spec.id)
  }
})

const waitsFor = (all: TasksState["dependents"], dependency: TaskId, id: TaskId): TasksState["dependents"] => {
  const known = HashMap.get(all, dependency)
  return HashMap.set(all, dependency, [...(known._tag === "Some" ? known.value : []), id])
}

const withChild = (own: TasksState, parent: TaskId, child: TaskId): TasksState =>
  withTask(own, parent, (task) => ({ ...task, children: [...task.children, child] }))

/** A task that is registered already becomes a part of another. */
export const becamePart = Tasks.change<{ readonly task_id: TaskId; readonly parent_task_id: TaskId }>("becamePart", {
  apply: (own, { parent_task_id, task_id }) => {
    const task = HashMap.get(own.byId, task_id)
    return task._tag === "None" || task.value.parent_task_id === parent_task_id
      ? own
      : withChild(
          withTask(own, task_id, (one) => ({ ...one, parent_task_id })),
          parent_task_id,
          task_id
        )
  }
})

/** It waits until somebody takes it up. */
export const shelved = Tasks.change<{ readonly task_id: TaskId }>("shelved", {
  apply: (own, { task_id }) => withTask(own, task_id, (task) => ({ ...task, status: "backlog" }))
})

export const started = Tasks.change<{ readonly task_id: TaskId }>("started", {
  apply: (own, { task_id }) => withTask(own, task_id, (task) => ({ ...task, status: "in_progress" }))
})

/** Whoever says it, and in whatever event: a task is done when no gate is open. */
export const completed = Tasks.change<{ readonly task_id: TaskId; readonly verdict: Verdict }>("completed", {
  requires: ({ task_id, verdict }, state) => refusedWhileOpen(state, task_id, verdict),
  apply: (own, { task_id, verdict }) =>
    withTask(own, task_id, (task) => ({ ...task, status: "completed", verdict, message: "" }))
})

export const failed = Tasks.change<{
  readonly task_id: TaskId
  readonly verdict: "refuted" | "unproven"
  readonly reason: string
  readonly message: string
}>("failed", {
  apply: (own, { message, reason, task_id, verdict }) =>
    withTask(own, task_id, (task) => ({
      ...task,
      status: "failed",
      verdict,
      reason,
      message,
      // nothing spoke against an attempt that is only unproven
      refused: verdict === "unproven" ? task.refused : refusedAttempt(task)
    }))
})

export const skipped = Tasks.change<{ readonly task_id: TaskId; readonly reason: string; readonly message: string }>(
  "skipped",
  {
    apply: (own, { message, reason, task_id }) =>
      withTask(own, task_id, (task) => ({ ...task, status: "skipped", reason, message }))
  }
)

/** It is tried again, and a retry is spent. */
export const retried = Tasks.change<{
  readonly task_id: TaskId
  readonly retry_count: number
  readonly delay_ms: number
}>("retried", {
  apply: (own, { delay_ms, retry_count, task_id }) =>
    withTask(own, task_id, (task) => ({
      ...task,
      status: "retrying",
      retry_count,
      delay_ms,
      refused: refusedAttempt(task)
    }))
})

/** What has to be shown is said anew; nothing of it is shown yet. */
/** What a part has shown is shown by the whole in its place, or by nobody. */
export const yielded = Tasks.change<ItemOfTask>("yielded", { apply: (own, item) => withYielded(own, item) })

interface ItemOfTask {
  readonly task_id: TaskId
  readonly index: number
}

export const withYielded = (own: TasksState, { index, task_id }: ItemOfTask): TasksState =>
  withTask(own, task_id, (task) => ({ ...task, yielded: [...task.yielded, index] }))

export const respecified = Tasks.change<{
  readonly task_id: TaskId
  readonly checklist: TaskSpec["checklist"]
  readonly validation: TaskSpec["validation"]
  readonly status: "pending" | "in_progress"
}>("respecified", {
  apply: (own, { checklist, status, task_id, validation }) => {
    const parts = taskOf({ tasks: own }, task_id)?.children ?? []
    return parts.reduce(
      // what it showed in their place is not in its list any more
      (now, id) => withTask(now, id, (part) => (part.yielded.length === 0 ? part : { ...part, yielded: [] })),
      withTask(own, task_id, (task) => ({
        ...task,
        status,
        spec: { ...task.spec, checklist, validation },
        items: checklist.map((item) => ({ ...item, ...untouched }))
      }))
    )
  }
})

/** Nobody worked on it as a whole, and now there is a report of the whole. */
export const reported = Tasks.change<{
  readonly task_id: TaskId
  readonly report: NonNullable<AttemptState["report"]>
  readonly files: ReadonlyArray<string>
  /** By whom it was judged already, as it is; null: by nobody. */
  readonly judgment: AttemptState["judgment"]
}>("reported", {
  apply: (own, { files, judgment, report, task_id }) =>
    withTask(own, task_id, (task) => ({
      ...task,
      attempts: task.attempts + 1,
      files,
      current: {
        attempt: task.attempts + 1,
        agent: "",
        worker_id: "",
        item_id: "",
        lease: 0,
        ...nothingKnown,
        outcome: "COMPLETE",
        report,
        judgment
      }
    }))
})

export const changes = [
  registered,
  becamePart,
  shelved,
  started,
  completed,
  failed,
  skipped,
  retried,
  respecified,
  yielded,
  reported
]
