import {
  asItStands,
  chunkedOutcome,
  chunkedTaskStatus,
  loopOf,
  type RunProgress,
  type SubtaskStatus,
  subtaskStateOf,
  subtaskStatus,
  subtasksOf,
  type TaskState
} from "@proofline/kernel"
import type { State } from "../project/state.ts"
import { oneLine, type Style } from "./style.ts"

const statusWord = (state: State, subtask: TaskState, shown: SubtaskStatus): string => {
  const iteration = subtask.current === null ? 1 : loopOf(state, subtask).iteration
  switch (shown) {
    case "COMPLETE":
      return "Complete"
    case "FAILED":
      if (subtask.reason === "run_cancelled") return "Interrupted"
      if (subtask.reason === "overtaken") return "Overtaken"
      return `Failed${subtask.reason === "" ? "" : ` (${subtask.reason})`}`
    case "RUNNING":
      return iteration > 1 ? `Running (iteration ${iteration})` : "Running"
    case "RETRYING":
      return "Retrying"
    case "PENDING":
      return "Pending"
  }
}

const paint = (status: SubtaskStatus, style: Style): ((text: string) => string) =>
  ({ COMPLETE: style.green, FAILED: style.red, RUNNING: style.bold, RETRYING: style.yellow, PENDING: style.dim })[
    status
  ]

/** `RUNNING - Chunked 2/3`. */
const headOf = (id: string, word: string, done: number, total: number, width: number): string => {
  const state = ` [${word}${total === 0 ? "" : ` - Chunked ${done}/${total}`}]`
  return `Task: ${oneLine(id, Math.max(10, width - 6 - state.length))}${state}`
}

const stateWord = (status: string, outcome: string | undefined): string =>
  outcome ?? (status === "COMPLETE" || status === "FAILED" ? status : "RUNNING")

/** One retry of a subtask. */
export const retryLine = ({
  delay_ms,
  failure_reason,
  retry_count
}: {
  readonly delay_ms: number
  readonly failure_reason: string
  readonly retry_count: number
}): string => `retry ${retry_count} after ${failure_reason}, waited ${delay_ms} ms`

/** How often each subtask was tried again, as lines. */
export const retriesOf = ({ chunked_tasks }: RunProgress): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    chunked_tasks.flatMap(({ subtasks }) =>
      subtasks.map(({ retries, subtask_id }) => [subtask_id, retries.map(retryLine)] as const)
    )
  )

/** Notes of several kinds, those of the first above. */
export const allNotes = (...kinds: ReadonlyArray<ReadonlyMap<string, ReadonlyArray<string>>>) =>
  kinds.reduce<Map<string, ReadonlyArray<string>>>((all, notes) => {
    for (const [id, lines] of notes) all.set(id, [...(all.get(id) ?? []), ...lines])
    return all
  }, new Map())

/** A task that was split, as task chunking §9 prints it; below a subtask its notes. */
export const chunkTree = (
  state: State,
  task: TaskState,
  style: Style,
  width: number,
  notes: ReadonlyMap<string, ReadonlyArray<string>>,
  isShown: (task: TaskState) => boolean
): ReadonlyArray<string> => {
  const subtasks = subtasksOf(state, task).toSorted((a, b) => indexOf(state, a) - indexOf(state, b))
  const done = subtasks.filter(({ status }) => status === "completed").length
  const stateNow = stateWord(chunkedTaskStatus(state, task), chunkedOutcome(state, task))
  const shown = subtasks.filter(isShown)
  return [
    headOf(task.spec.id, stateNow, done, subtasks.length, width),
    ...shown.flatMap((subtask, i) => {
      const isLast = i === shown.length - 1
      const word = subtask.alternative ? "Attempt" : "Subtask"
      const stem = `  ${isLast ? "└──" : "├──"} ${word} ${indexOf(state, subtask)}: `
      const shownStatus = subtaskStatus(asItStands(state.run, subtask))
      const status = oneLine(statusWord(state, subtask, shownStatus), width - stem.length)
      const titleWidth = width - stem.length - [...status].length - 2
      const isTitled = subtask.spec.title !== "" && titleWidth >= 4
      const title = isTitled ? `  ${style.dim(oneLine(subtask.spec.title, titleWidth))}` : ""
      const below = `  ${isLast ? "   " : "│  "}   `
      return [
        `${stem}${paint(shownStatus, style)(status)}${title}`,
        ...(notes.get(subtask.spec.id) ?? []).map((note) => `${below}${style.dim(oneLine(note, width - below.length))}`)
      ]
    })
  ]
}

const indexOf = (state: State, subtask: TaskState): number => subtaskStateOf(state, subtask)?.index ?? 0
