/** What was accepted is judged again before a run ends: completed means that it holds then, not that it held once. */
import { Schema } from "effect"
import type { TaskId } from "../../base/Ids.ts"
import type { Fact, Start, Worded } from "../../core/contract.ts"
import { rejectConflict } from "../../core/Rejection.ts"
import { enumerated, filledIn } from "../../core/words.ts"
import { conditions } from "../run/points.ts"
import { isClosed, isShown } from "../run/verdicts.ts"
import {
  ChecklistRegistered,
  EvidenceRevisited,
  evidenceStale,
  ItemRejected,
  StaleItem,
  TaskStatusChanged
} from "./events.ts"
import { touchedFiles } from "./files.ts"
import { refused } from "./gates.ts"
import { retries } from "./points.ts"
import { isLineReceipt, type Receipt } from "./Report.ts"
import { settledRefused } from "./settle.ts"
import { staleMessage } from "./staleMessage.ts"
import { type HasTasks, ownItemsOf, parentOf, type TaskState, Tasks, type TasksView, taskOf, tasksOf } from "./state.ts"
import { activities, workKey } from "./work.ts"

/** An item that was accepted, and what it was accepted with. */
export interface HeldItem {
  readonly task_id: TaskId
  readonly attempt: number
  readonly index: number
  readonly item: string
  readonly evidence: string
  readonly receipt: Receipt
}

/** Where it is, and all that it is a part of: what parts did is in the project only when they are put together. */
const isWhollyCompleted = (state: TasksView, task: TaskState): boolean => {
  for (let at: TaskState | undefined = task; at !== undefined; at = parentOf(state, at))
    if (at.status !== "completed") return false
  return true
}

/** All receipts on which the completed tasks of a run rest, each once. */
export const heldItems = (state: TasksView): ReadonlyArray<HeldItem> =>
  tasksOf(state).flatMap((task) =>
    isWhollyCompleted(state, task)
      ? ownItemsOf(task).flatMap(([index, { evidence, item, receipt, verdict }]) =>
          receipt === null || !isShown(verdict)
            ? []
            : [{ task_id: task.spec.id, attempt: attemptOf(task), index, item, evidence: evidence ?? "", receipt }]
        )
      : []
  )

const attemptOf = ({ attempts, current }: TaskState): number => current?.attempt ?? attempts

const isOrdered = (state: TasksView): boolean => {
  const { isFresh, problem } = state.tasks.revisits
  return (
    state.run.status === "running" &&
    !isFresh &&
    problem === null &&
    state.tasks.open_count === 0 &&
    heldItems(state).length > 0
  )
}

export const revisitKey = ({ run, tasks }: Pick<TasksView, "run" | "tasks">) =>
  workKey(activities.revisit, "", tasks.revisits.count, run.resumes)

/** The run would end, and waits for what was accepted to be judged again. */
export const awaitsRevisit = (state: Pick<TasksView, "run" | "tasks">): boolean =>
  state.run.status === "running" &&
  state.tasks.revisits.problem === null &&
  state.run.ending.includes(revisitKey(state))

/** One piece of work, however much was accepted. */
const revisitWork = (state: TasksView): Start => ({
  _tag: "Start",
  key: revisitKey(state),
  kind: "activity",
  activity: activities.revisit,
  task_id: null,
  input: { round: state.tasks.revisits.count },
  delay_ms: 0,
  priority: 1_000_000
})

export const stillHolds = Tasks.offer(conditions, "condition", {
  name: "still_holds",
  unmet: (state) => {
    const { problem } = state.tasks.revisits
    return problem === null ? null : `What was accepted could not be judged again: ${problem}`
  },
  wants: (state) => (isOrdered(state) ? revisitWork(state) : null)
})

const { changed_by: _, evidence: __, item: ___, shown_by: ____, ...foundFields } = StaleItem.fields

/** What judging again came to; `stale`: what does not hold any more. */
export const RecordRevisit = Tasks.command("RecordRevisit", {
  schema: Schema.Struct({
    round: Schema.Int,
    judged: Schema.Int,
    stale: Schema.Array(Schema.Struct(foundFields))
  }),
  decide: ({ judged, round, stale }, state) => {
    if (round !== state.tasks.revisits.count || !state.run.ending.includes(revisitKey(state)) || !isOrdered(state)) {
      return rejectConflict(
        "attempt_not_current",
        "Nobody waits for what was accepted to be judged again.",
        "Drop this result."
      )
    }
    const held = new Map(heldItems(state).map((one) => [placeOf(one), one]))
    const found = stale.flatMap((one): ReadonlyArray<typeof StaleItem.Type> => {
      const known = held.get(placeOf(one))
      const task = taskOf(state, one.task_id)
      if (known === undefined || task === undefined) return []
      const { evidence, item } = known
      return [
        { ...one, item, evidence, changed_by: changedBy(state, task, one.path), shown_by: shownAgainBy(state, task) }
      ]
    })
    return [EvidenceRevisited({ round, judged, stale: found }), ...reopened(state, found)]
  },
  recall: {
    from: [EvidenceRevisited],
    args: (batch) => {
      const revisited = batch.first(EvidenceRevisited)
      return (
        revisited && {
          ...revisited,
          stale: revisited.stale.map(({ changed_by, evidence, item, shown_by, ...found }) => found)
        }
      )
    }
  }
})

const placeOf = ({ attempt, index, task_id }: Pick<HeldItem, "attempt" | "index" | "task_id">): string =>
  `${index} ${attempt} ${task_id}`

const shownAgainBy = (state: TasksView, task: TaskState): TaskId | null =>
  retries(state).flatMap((one) => one.shownAgainBy?.(task) ?? [])[0] ?? null

// --- who changed it -----------------------------------------------------------------------------------------------

/** Those whose last attempt ended after that of the task, the last one first. */
const workedOnSince = (state: HasTasks, { ended }: TaskState): ReadonlyArray<TaskState> =>
  tasksOf(state)
    .filter((other) => other.ended > ended)
    .toSorted((a, b) => b.ended - a.ended)

/** The last of them that changed the file, or that is shown by it where nobody watched what was changed. */
const changedBy = (state: HasTasks, task: TaskState, path: string | null) => {
  const other = path === null ? undefined : workedOnSince(state, task).find((one) => isAtWorkOn(one, path))
  return other === undefined ? null : { task_id: other.spec.id, attempt: attemptOf(other) }
}

const isAtWorkOn = (task: TaskState, path: string): boolean =>
  touchedFiles(task).includes(path) ||
  (task.current?.files_modified == null &&
    task.items.some(({ receipt }) => receipt !== null && isLineReceipt(receipt) && receipt.path === path))

const maxNamed = 5

/** Who has worked on a file since a task, in words. */
export const workedOnSinceText = (state: HasTasks, task: TaskState, path: string | null): string =>
  whoText(state, { changed_by: changedBy(state, task, path), task_id: task.spec.id })

const whoText = (
  state: HasTasks,
  { changed_by, task_id }: Pick<typeof StaleItem.Type, "changed_by" | "task_id">
): string => {
  if (changed_by !== null)
    return `Task ${changed_by.task_id} has worked on that file since (attempt ${changed_by.attempt}).`
  const task = taskOf(state, task_id)
  const since = task === undefined ? [] : workedOnSince(state, task).map(({ spec }) => spec.id)
  if (since.length === 0) return "No task of this run was worked on since."
  return `The log does not say who changed it; worked on since: ${enumerated(since, maxNamed)}.`
}

// --- what follows -------------------------------------------------------------------------------------------------

type Facts = ReadonlyArray<Fact<"tasks"> | Worded>

const reopened = (state: TasksView, stale: ReadonlyArray<typeof StaleItem.Type>): Facts => {
  const byTask = Map.groupBy(stale, ({ shown_by, task_id }) => shown_by ?? task_id)
  const tasks = [...byTask].flatMap(([id, items]) => {
    const task = taskOf(state, id)
    return task === undefined ? [] : [{ task, owed: owedBy(task, items) }]
  })
  const ids = new Set(tasks.map(({ task }) => task.spec.id))
  const open = tasks.filter(({ owed }) => owed.rejected.length > 0)
  const parents = new Map(open.flatMap(({ task }) => ancestorsOf(state, task)).map((task) => [task.spec.id, task]))
  return [
    ...open.flatMap(({ owed, task }) => reopenedTask(state, task, owed)),
    ...[...parents.values()]
      .filter(({ spec, status }) => status === "completed" && !ids.has(spec.id))
      .map((task) => backFor(task))
  ]
}

interface Owed {
  /** What it has to show beside what is on its list. */
  readonly added: ReadonlyArray<string>
  readonly rejected: ReadonlyArray<{ readonly index: number; readonly stale: typeof StaleItem.Type }>
}

/** What a task has to show again; what it shows already in the place of a part is not asked for twice. */
const owedBy = (task: TaskState, items: ReadonlyArray<typeof StaleItem.Type>): Owed => {
  const added: Array<string> = []
  const rejected = items.flatMap((stale) => {
    if (stale.shown_by === null) return [{ index: stale.index, stale }]
    const item = `${stale.task_id}: ${stale.item}`
    const known = task.items.findIndex((one) => one.item === item)
    if (known !== -1) return isClosed(task.items[known]?.verdict ?? "unproven") ? [] : [{ index: known, stale }]
    added.push(item)
    return [{ index: task.items.length + added.length - 1, stale }]
  })
  return { added, rejected }
}

const reopenedTask = (state: TasksView, task: TaskState, { added, rejected }: Owed): Facts => {
  const task_id = task.spec.id
  const attempt = attemptOf(task)
  const items = [...task.items.map(({ item }) => item), ...added]
  const failures = rejected.map(({ index, stale }) => {
    const why = `${stale.reason} ${whoText(state, stale)}`
    const fields = { evidence: stale.evidence, why }
    const message = filledIn(state.run.config.messages[evidenceStale] ?? staleMessage, fields)
    return ItemRejected({
      task_id,
      attempt,
      index,
      error: "payload_mismatch",
      key: evidenceStale,
      item: items[index] ?? stale.item,
      fields,
      message
    })
  })
  const [first] = failures
  // an event holds it, and a log of before says it so of one item too
  const message = `${failures.length} of its items do not hold any more; first: ${first?.content.message ?? ""}`
  const refusal = { ...refused(evidenceStale, message), isRecorded: true } as const
  return [
    ...(added.length === 0
      ? []
      : [
          ChecklistRegistered({
            task_id,
            items: [...task.spec.checklist, ...added.map((item) => ({ item }))],
            added: added.length,
            criteria: true
          })
        ]),
    ...failures,
    ...settledRefused(state, task, refusal)
  ]
}

const ancestorsOf = (state: TasksView, task: TaskState): ReadonlyArray<TaskState> => {
  const parent = parentOf(state, task)
  return parent === undefined ? [] : [parent, ...ancestorsOf(state, parent)]
}

/** A task is not done while one of its parts is open. */
const backFor = (task: TaskState): Fact<"tasks"> =>
  TaskStatusChanged({
    task_id: task.spec.id,
    from: task.status,
    to: "retrying",
    reason: evidenceStale,
    retry_count: task.retry_count,
    delay_ms: 0,
    reopened_items: task.items.length
  })
