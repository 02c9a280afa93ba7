import {
  chunkedOutcome,
  chunkedTaskStatus,
  loopOf,
  type QueueItem,
  type RunProgress,
  type SubtaskStatus,
  subtaskStateOf,
  subtaskStatus,
  subtasksOf,
  type TaskState
} from "@proofline/kernel"
import type { State } from "../state.ts"
import { count } from "./lines.ts"
import { isSessionProgress, sessionTree } from "./sessionTree.ts"
import { oneLine, type Style } from "./style.ts"

interface Line {
  readonly index: number
  readonly title: string
  readonly status: SubtaskStatus
  readonly iteration: number
  readonly failure: string
  readonly retries: ReadonlyArray<string>
}

/** A task that was split, as task chunking §9 prints it; below a subtask its retries, when they are known. */
const tree = (
  head: string,
  lines: ReadonlyArray<Line>,
  indent: string,
  style: Style,
  width: number
): ReadonlyArray<string> => [
  head,
  ...lines.flatMap((line, i) => {
    const last = i === lines.length - 1
    const stem = `${indent}${last ? "└──" : "├──"} Subtask ${line.index}: `
    const status = oneLine(statusWord(line), width - stem.length)
    const titleWidth = width - stem.length - [...status].length - 2
    const title = line.title === "" || titleWidth < 4 ? "" : `  ${style.dim(oneLine(line.title, titleWidth))}`
    const below = `${indent}${last ? "   " : "│  "}   `
    return [
      `${stem}${paint(line, style)(status)}${title}`,
      ...line.retries.map((retry) => `${below}${style.dim(oneLine(retry, width - below.length))}`)
    ]
  })
]

const statusWord = ({ failure, iteration, status }: Line): string => {
  switch (status) {
    case "COMPLETE":
      return "Complete"
    case "FAILED":
      if (failure === "run_cancelled") return "Interrupted"
      return `Failed${failure === "" ? "" : ` (${failure})`}`
    case "RUNNING":
      return iteration > 1 ? `Running (iteration ${iteration})` : "Running"
    case "RETRYING":
      return "Retrying"
    case "PENDING":
      return "Pending"
  }
}

const paint = ({ status }: Line, style: Style): ((text: string) => string) =>
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

/** A split task of a run that is being folded. */
export const chunkTree = (
  state: State,
  task: TaskState,
  indent: string,
  style: Style,
  width: number,
  retries: ReadonlyMap<string, ReadonlyArray<string>>
): ReadonlyArray<string> => {
  const subtasks = subtasksOf(state, task).toSorted((a, b) => indexOf(state, a) - indexOf(state, b))
  const done = subtasks.filter(({ status }) => status === "completed").length
  return tree(
    headOf(
      task.spec.id,
      stateWord(chunkedTaskStatus(state, task), chunkedOutcome(state, task)),
      done,
      subtasks.length,
      width
    ),
    subtasks.map((subtask) => ({
      index: indexOf(state, subtask),
      title: subtask.spec.title,
      status: subtaskStatus(subtask),
      iteration: subtask.current === null ? 1 : loopOf(state, subtask).iteration,
      failure: subtask.reason,
      retries: retries.get(subtask.spec.id) ?? []
    })),
    indent,
    style,
    width
  )
}

const indexOf = (state: State, subtask: TaskState): number => subtaskStateOf(state, subtask)?.index ?? 0

/**
 * All tasks of a run, those that were split with their subtasks and what was tried again. Where that is more than `height`
 * lines, only what is at work or has failed, and how much was left out.
 */
export const progressTree = (
  progress: RunProgress,
  style: Style,
  width: number,
  height = Number.POSITIVE_INFINITY
): ReadonlyArray<string> => {
  if (isSessionProgress(progress)) return sessionTree(progress, style, width, height)
  const lines = linesOf(progress, style, width, () => true)
  if (lines.length <= height) return lines
  const short = linesOf(progress, style, width, isOfInterest).slice(0, Math.max(1, height - 1))
  return [...short, style.dim(`└── and ${count(lines.length - short.length, "more line")}`)]
}

const isOfInterest = (status: SubtaskStatus | QueueItem["status"]): boolean =>
  status === "RUNNING" || status === "RETRYING" || status === "FAILED" || status === "ERROR"

const linesOf = (
  { chunked_tasks, completed, name, queue, status, total }: RunProgress,
  style: Style,
  width: number,
  isShown: typeof isOfInterest
): ReadonlyArray<string> => {
  const chunked = new Map(chunked_tasks.map((task) => [task.parent_task_id, task]))
  const roots = queue.filter((item) => !item.is_subtask && isShown(item.status))
  return [
    `${style.bold(oneLine(name, width - 30))} ${status} ${completed}/${total}`,
    ...roots.flatMap((item) => {
      const task = chunked.get(item.task_id)
      if (task === undefined) return [headOf(item.task_id, item.status, 0, 0, width)]
      const state = stateWord(task.status, task.outcome)
      return tree(
        headOf(item.task_id, state, task.completed_subtasks, task.total_subtasks, width),
        task.subtasks
          .map((subtask, i) => ({
            index: i + 1,
            title: subtask.title,
            status: subtask.status,
            iteration: subtask.iteration,
            failure: subtask.failure_reason ?? "",
            retries: subtask.retries.map(retryLine)
          }))
          .filter((line) => isShown(line.status)),
        "  ",
        style,
        width
      )
    })
  ]
}
