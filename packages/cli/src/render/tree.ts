import { isChunked, isClosed, isShown, rootsOf, shownStatus, subtasksOf, type TaskState } from "@proofline/kernel"
import type { State } from "../state.ts"
import { chunkTree } from "./chunkTree.ts"
import { count } from "./lines.ts"
import { oneLine, type Style } from "./style.ts"

/** The run as a tree: one line a task, one line an open item below the tasks at work. At most `height` lines. */
export const runTree = (
  state: State,
  style: Style,
  width: number,
  height: number,
  retries: ReadonlyMap<string, ReadonlyArray<string>> = new Map()
): ReadonlyArray<string> => {
  const roots = rootsOf(state)
  const tasks = roots.flatMap((task) => (subtasksOf(state, task).length > 0 ? subtasksOf(state, task) : [task]))
  const done = tasks.filter((task) => task.status === "completed").length
  const head = `${style.bold(oneLine(state.run.name, width - 30))} ${shownStatus(state.run)} ${done}/${tasks.length}`
  const lines = roots.flatMap((task, i) =>
    isChunked(state, task)
      ? chunkTree(state, task, "  ", style, width, retries)
      : taskLines(task, i === roots.length - 1, style, width)
  )
  if (lines.length < height) return [head, ...lines]
  // too tall for the terminal: what is at work comes first, the rest as a number
  const active = tasks.filter((task) => task.status === "in_progress" || task.status === "retrying")
  const short = active.map((task) => taskLine(task, "├──", style, width)).slice(0, Math.max(1, height - 3))
  return [head, ...short, style.dim(`└── and ${count(tasks.length - short.length, "more task")}`)]
}

const taskLines = (task: TaskState, last: boolean, style: Style, width: number): ReadonlyArray<string> => {
  const open = task.status === "in_progress" || task.status === "retrying"
  const items = open ? task.items : []
  return [
    taskLine(task, last ? "└──" : "├──", style, width),
    ...items.map((item, i) => {
      const stem = last ? "    " : "│   "
      const mark = isShown(item.verdict)
        ? style.green("✔")
        : item.verdict === "waived"
          ? style.yellow("~")
          : item.verdict === "refuted"
            ? style.red("✘")
            : style.dim("·")
      return `${stem}${i === items.length - 1 ? "└" : "├"} ${mark} ${oneLine(item.item, width - 10)}`
    })
  ]
}

const taskLine = (task: TaskState, stem: string, style: Style, width: number): string => {
  const shown = task.items.filter((item) => isClosed(item.verdict)).length
  const items = task.items.length === 0 ? "" : ` ${shown}/${task.items.length}`
  const attempt = task.attempts > 1 || task.status === "in_progress" ? ` (attempt ${task.attempts})` : ""
  return `${stem} ${mark(task, style)} ${oneLine(`${task.spec.id}: ${task.spec.title}`, width - 40)} ${style.dim(`${status(task)}${items}${attempt}`)}`
}

const mark = (task: TaskState, style: Style): string => {
  switch (task.status) {
    case "completed":
      return style.green("✔")
    case "failed":
      return task.verdict === "unproven" ? style.yellow("!") : style.red("✘")
    case "skipped":
      return style.yellow("-")
    case "in_progress":
      return style.bold("▶")
    case "retrying":
      return style.yellow("↻")
    case "blocked":
      return style.yellow("!")
    case "backlog":
    case "pending":
      return style.dim("·")
  }
}

const status = (task: TaskState): string =>
  task.status === "failed" && task.verdict === "unproven" ? "unproven" : task.status.replace("_", " ")
