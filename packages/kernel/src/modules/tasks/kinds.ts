import { HashMap, Result, Schema } from "effect"
import type { Batch, Json, Worded } from "../../core/contract.ts"
import { type Rejection, reject } from "../../core/Rejection.ts"
import { counted } from "../../core/words.ts"
import { needsEvidence, type RunConfig } from "../run/config.ts"
import { spentLimit } from "../run/limits.ts"
import { kinds, type RunEnd } from "../run/points.ts"
import type { Counts } from "../run/schemas.ts"
import { breakerOf, candidatesFor, isUnavailable } from "../run/state.ts"
import { ChecklistRegistered, TaskRegistered } from "./events.ts"
import { isAtRest } from "./flow.ts"
import { graphProblem } from "./graph.ts"
import { obligationsOfAll, unjudgedReasons, unshownReasons } from "./obligations.ts"
import { failFast, giveUp } from "./settle.ts"
import {
  childrenOf,
  type HasTasks,
  isOver,
  outermostOf,
  ownItemsOf,
  parentOf,
  type TaskState,
  Tasks,
  type TasksView,
  tasksOf,
  waitsForPerson
} from "./state.ts"
import { TaskSpec } from "./TaskSpec.ts"
import { registrations } from "./words.ts"

const decodeTasks = Schema.decodeUnknownResult(Schema.Struct({ tasks: Schema.Array(TaskSpec) }))

/** The tasks a run begins with, from the arguments of its start; a rejection where they cannot be run as a graph. */
export const beginTasks = (
  args: Readonly<Record<string, Json>>,
  completed: ReadonlySet<string>,
  config: RunConfig,
  mayBeEmpty: boolean
): Worded | Rejection => {
  const decoded = decodeTasks(args)
  if (Result.isFailure(decoded)) {
    const message = decoded.failure.message.split("\n").join(" ")
    return reject("arguments_invalid", `StartRun: ${message}`, "Send what its schema asks for.")
  }
  const { tasks } = decoded.success
  if (tasks.length === 0 && !mayBeEmpty) {
    return reject("run_empty", "There is no task to run.", "Name at least one task.")
  }
  return graphProblem(tasks, completed) ?? registrations(tasks.map((task) => withCriteria(config, task)))
}

/** Its validation is shown item by item, where nobody was named who could judge it. */
const withCriteria = (config: RunConfig, task: TaskSpec): TaskSpec => {
  if (!needsEvidence(config)) return task
  const known = new Set(task.checklist.map(({ item }) => item))
  const criteria = [...new Set(task.validation)].filter((criterion) => !known.has(criterion))
  return criteria.length === 0
    ? task
    : { ...task, checklist: [...task.checklist, ...criteria.map((item) => ({ item }))] }
}

/** The tasks that were registered in a batch, as they were given. */
export const recallTasks = (batch: Batch): { readonly tasks: ReadonlyArray<TaskSpec> } => {
  const tasks: Array<TaskSpec> = []
  for (const { content, type } of batch.events) {
    if (type === TaskRegistered.name) {
      const { priority, task_id, ...spec } = content as typeof Registered
      tasks.push({ id: task_id, ...spec, checklist: [] })
    } else if (type === ChecklistRegistered.name) {
      const last = tasks.pop()
      if (last !== undefined) tasks.push({ ...last, checklist: (content as typeof Listed).items })
    }
  }
  return { tasks }
}
declare const Registered: Parameters<typeof TaskRegistered>[0]
declare const Listed: Parameters<typeof ChecklistRegistered>[0]

/** Tasks by what became of them; those that are not over count as skipped when the run is being ended. */
export const countsOf = (tasks: ReadonlyArray<TaskState>, isEnding: boolean): Counts => ({
  total: tasks.length,
  completed: tasks.filter(({ status }) => status === "completed").length,
  failed: tasks.filter(({ status }) => status === "failed").length,
  skipped: tasks.filter((task) => task.status === "skipped" || (isEnding && !isOver(task))).length
})

/** Ends every task that is not over, the parts of a task that was split before the task. */
export const giveUpAll = (state: TasksView, reason: string): Worded => {
  const isPart = (task: TaskState) => task.alternative || (parentOf(state, task)?.spec.chunk ?? "no") !== "no"
  return Tasks.tell(
    tasksOf(state)
      .filter((task) => !isOver(task))
      .toSorted((a, b) => Number(isPart(b)) - Number(isPart(a)))
      .map((task) => giveUp(state, task, reason))
  )
}

/** How a run of tasks ends, when nothing more can happen in it; null: it goes on. */
const endOfTasks = (state: TasksView): RunEnd | null => {
  const { breakers, config } = state.run
  const { asking_count, open_count, set_aside_count } = state.tasks
  const limit = spentLimit(state)
  const isStopped = config.fail_fast || !HashMap.isEmpty(breakers) || limit !== null
  if (open_count > 0 && !isStopped && asking_count === 0 && set_aside_count === 0) return null
  // counts are by top-level task: subtasks are not counted
  const tasks = outermostOf(state)
  const failed = tasks.filter(({ status }) => status === "failed")
  if (config.fail_fast && failed.length > 0) {
    return {
      outcome: "failed",
      before: giveUpAll(state, failFast),
      counts: countsOf(tasks, true),
      reason: "fail_fast",
      message: `Task ${failed[0]?.spec.id} failed, and the run stops at the first failure.`
    }
  }
  if (open_count > 0) return stoppedEnd(state, tasks, limit?.message ?? null)
  return finalEnd(state, tasks, failed)
}

/** The end of a run in which open tasks cannot go on. */
const stoppedEnd = (state: TasksView, tasks: ReadonlyArray<TaskState>, limit: string | null): RunEnd | null => {
  const broken = unavailableAgent(state)
  const waits = waitsOf(state)
  if ((broken === null && limit === null && waits === "") || !isAtRest(state)) return null
  const counts = countsOf(tasks, false)
  if (broken === null && limit === null) return { outcome: "incomplete", counts, reason: waits }
  return broken === null
    ? { outcome: "failed", counts, reason: "budget", message: limit ?? "" }
    : { outcome: "failed", counts, reason: "breaker", message: `Agent ${broken.agent} cannot work: ${broken.message}` }
}

/** Why open tasks rest until somebody says how the run goes on; empty: none does. */
const waitsOf = (state: TasksView): string => {
  const { asking_count, set_aside_count } = state.tasks
  const asking = asking_count === 0 ? [] : tasksOf(state).filter(waitsForPerson)
  const ids = asking.map(({ spec }) => spec.id).join(", ")
  return [
    ...(ids === "" ? [] : [`A person is asked how it goes on: there is something in ${ids} that cannot be done.`]),
    ...(set_aside_count === 0 ? [] : [`The run was resumed for other tasks, and ${set_aside_count} were left open.`])
  ].join(" ")
}

/** Somebody that the tasks of the run need and that cannot be started; null: all can. */
const unavailableAgent = (state: TasksView): { readonly agent: string; readonly message: string } | null => {
  const { agent, reviewer } = state.run.config
  const name = [agent, reviewer].find((one) => one !== null && isUnavailable(state, one)) ?? null
  if (name === null) return null
  const candidates = candidatesFor(state.run.config, name)
  const messages = candidates.map((one) => breakerOf(state, one)?.message)
  return { agent: candidates.join(" and "), message: messages.join(" ") }
}

/** The end of a run in which every task is over. */
const finalEnd = (
  state: TasksView,
  tasks: ReadonlyArray<TaskState>,
  failed: ReadonlyArray<TaskState>
): RunEnd | null => {
  const counts = countsOf(tasks, false)
  // 0 of 0 is never a pass: a run without tasks ends when somebody cancels it
  if (counts.total === 0) return null
  if (counts.completed === counts.total) return { outcome: "completed", counts, ...itemCounts(state) }
  const reason = `${counts.completed} of ${counts.total} tasks are completed, ${counts.failed} failed, ${counted(counts.skipped, "was", "were")} skipped.`
  return counts.completed > 0 || failed.some((task) => isPartly(state, task)) || isOnlyUnshown(failed)
    ? { outcome: "incomplete", counts, reason }
    : { outcome: "failed", counts, reason: "failed", message: reason }
}

/** Items of all tasks, each once: those that a part shows for its parent are its parent's. */
const itemCounts = (state: HasTasks) => {
  const items = tasksOf(state).flatMap(ownItemsOf)
  return {
    proven: items.filter(([, { verdict }]) => verdict === "proven").length,
    waived: items.filter(([, { verdict }]) => verdict === "waived").length
  }
}

/** It failed although some of its parts are completed and kept. Source: task chunking §5.3, §11.2. */
const isPartly = (state: HasTasks, task: TaskState): boolean =>
  task.reason !== failFast && childrenOf(state, task).some(({ status }) => status === "completed")

/** Nothing spoke against any of it: what is missing is something that shows it, not the work. */
const isOnlyUnshown = (failed: ReadonlyArray<TaskState>): boolean =>
  failed.length > 0 && failed.every(({ reason }) => unshownReasons.has(reason) || unjudgedReasons.has(reason))

const tasksKind = (name: "tasks" | "prompt") =>
  Tasks.offer(kinds, "kind", {
    name,
    hasBudget: true,
    begin: (_, args, completed, config) => beginTasks(args, completed, config, name !== "tasks"),
    recall: (_, batch) => recallTasks(batch),
    counts: (state, isEnding) => countsOf(outermostOf(state), isEnding),
    ends: endOfTasks,
    progress: () => ({}),
    obligations: obligationsOfAll
  })

/** Runs of many tasks (S2's Loop C), and of one large one (S4). */
export const ownKinds = [tasksKind("tasks"), tasksKind("prompt")]
