import {
  chunkedOutcome,
  chunkedTaskStatus,
  type RunProgress,
  type State,
  type SubtaskStatus,
  subtaskStatus,
  subtasksOf,
  type TaskState
} from "@proofline/kernel"
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
    const title = line.title === "" ? "" : `  ${style.dim(oneLine(line.title, Math.max(10, width - 40)))}`
    return [
      `${indent}${last ? "└──" : "├──"} Subtask ${line.index}: ${statusWord(line, style)}${title}`,
      ...line.retries.map((retry) => `${indent}${last ? "   " : "│  "}   ${style.dim(retry)}`)
    ]
  })
]

const statusWord = ({ failure, iteration, status }: Line, style: Style): string => {
  switch (status) {
    case "COMPLETE":
      return style.green("Complete")
    case "FAILED":
      return style.red(`Failed${failure === "" ? "" : ` (${failure})`}`)
    case "RUNNING":
      return style.bold(iteration > 1 ? `Running (iteration ${iteration})` : "Running")
    case "RETRYING":
      return style.yellow("Retrying")
    case "PENDING":
      return style.dim("Pending")
  }
}

/** `RUNNING - Chunked 2/3`. */
const headOf = (id: string, word: string, done: number, total: number): string =>
  `Task: ${id} [${word}${total === 0 ? "" : ` - Chunked ${done}/${total}`}]`

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
  const subtasks = subtasksOf(state, task).toSorted((a, b) => (a.part?.index ?? 0) - (b.part?.index ?? 0))
  const done = subtasks.filter(({ status }) => status === "completed").length
  return tree(
    headOf(task.spec.id, stateWord(chunkedTaskStatus(task), chunkedOutcome(task)), done, subtasks.length),
    subtasks.map((subtask) => ({
      index: subtask.part?.index ?? 0,
      title: subtask.spec.title,
      status: subtaskStatus(subtask),
      iteration: subtask.current?.iteration ?? 1,
      failure: subtask.reason,
      retries: retries.get(subtask.spec.id) ?? []
    })),
    indent,
    style,
    width
  )
}

/** All tasks of a run, those that were split with their subtasks and what was tried again. */
export const progressTree = (progress: RunProgress, style: Style, width: number): ReadonlyArray<string> => {
  const chunked = new Map(progress.chunked_tasks.map((task) => [task.parent_task_id, task]))
  const roots = progress.queue.filter(({ is_subtask }) => !is_subtask)
  return [
    `${style.bold(oneLine(progress.name, width - 30))} ${progress.status} ${progress.completed}/${progress.total}`,
    ...roots.flatMap((item) => {
      const task = chunked.get(item.task_id)
      if (task === undefined) return [`Task: ${item.task_id} [${item.status}]`]
      return tree(
        headOf(item.task_id, stateWord(task.status, task.outcome), task.completed_subtasks, task.total_subtasks),
        task.subtasks.map((subtask, i) => ({
          index: i + 1,
          title: subtask.title,
          status: subtask.status,
          iteration: subtask.iteration,
          failure: subtask.failure_reason ?? "",
          retries: subtask.retries.map(retryLine)
        })),
        "  ",
        style,
        width
      )
    })
  ]
}
