import {
  asItStands,
  heldIn,
  isChunked,
  isClosed,
  isWorkedOn,
  partsOf,
  rootsOf,
  type Spent,
  shownStatus,
  type TaskState
} from "@proofline/kernel"
import type { State } from "../project/state.ts"
import { heldText } from "./asked.ts"
import { allNotes, chunkTree } from "./chunkTree.ts"
import { count } from "./lines.ts"
import { itemMark } from "./requirements.ts"
import { oneLine, type Style } from "./style.ts"

/**
 * The run as a tree: one line a task, one line an item below the tasks at work, and the subtasks of those that were split.
 * Where that is more than `height` lines, only what is at work or has failed, and how much was left out. `notes` are lines that
 * stand below a task, by its id.
 */
export const runTree = (
  state: State,
  style: Style,
  width: number,
  height = Number.POSITIVE_INFINITY,
  notes: ReadonlyMap<string, ReadonlyArray<string>> = new Map()
): ReadonlyArray<string> => {
  const roots = rootsOf(state)
  const tasks = roots.flatMap((task) => (partsOf(state, task).length > 0 ? partsOf(state, task) : [task]))
  const done = tasks.filter((task) => task.status === "completed").length
  const head = `${style.bold(oneLine(state.run.name, width - 30))} ${shownStatus(state.run)} ${done}/${tasks.length}${usedText(state.run.spent)}`
  const held = new Map(heldIn(state).map((one) => [one.task_id, [heldText(one)]] as const))
  const below = held.size === 0 ? notes : allNotes(held, notes)
  const isOfInterest = (task: TaskState): boolean =>
    isWorkedOn(asItStands(state.run, task)) || task.status === "blocked" || task.status === "failed"
  const linesOf = (isShown: (task: TaskState) => boolean) => {
    const shown = roots.filter(isShown)
    return shown.flatMap((task, i) =>
      isChunked(state, task)
        ? chunkTree(state, task, style, width, below, isShown)
        : taskLines(asItStands(state.run, task), i === shown.length - 1, style, width, below.get(task.spec.id) ?? [])
    )
  }
  const lines = linesOf(() => true)
  if (lines.length < height) return [head, ...lines]
  const short = linesOf(isOfInterest).slice(0, Math.max(1, height - 2))
  return [head, ...short, style.dim(`└── and ${count(lines.length - short.length, "more line")}`)]
}

/** What agents say they have used so far; empty: they said nothing. */
const usedText = ({ cost_usd, tokens }: Spent): string => {
  const used = [
    ...(tokens === 0 ? [] : [`${tokens.toLocaleString("en")} tokens`]),
    ...(cost_usd === 0 ? [] : [`$${cost_usd.toFixed(2)}`])
  ]
  return used.length === 0 ? "" : ` · ${used.join(", ")}`
}

const taskLines = (
  task: TaskState,
  last: boolean,
  style: Style,
  width: number,
  notes: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const open = isWorkedOn(task)
  const items = open ? task.items : []
  const stem = last ? "    " : "│   "
  return [
    taskLine(task, last ? "└──" : "├──", style, width),
    ...items.map(
      (item, i) =>
        `${stem}${i === items.length - 1 ? "└" : "├"} ${itemMark(item.verdict, style)} ${oneLine(item.item, width - 10)}`
    ),
    ...notes.map((note) => `${stem}  ${style.dim(oneLine(note, width - 6))}`)
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
