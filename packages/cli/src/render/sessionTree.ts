import type { RunProgress } from "@proofline/kernel"
import type { TaskNode } from "@proofline/plugins/policies/sessions"
import { count } from "./lines.ts"
import { oneLine, type Style } from "./style.ts"

/** The progress of a session run. */
interface SessionProgress extends RunProgress {
  readonly phase: string
  readonly tasks: ReadonlyArray<TaskNode>
}

export const isSessionProgress = (progress: RunProgress): progress is SessionProgress => progress["tasks"] !== undefined

/**
 * A session run: its phase, and its tasks as agents see them, each with whom it is assigned to. Where that is more than
 * `height` lines, only what is at work or blocked, and how much was left out.
 */
export const sessionTree = (
  { completed, name, phase, status, tasks, total }: SessionProgress,
  style: Style,
  width: number,
  height: number
): ReadonlyArray<string> => {
  const head = `${style.bold(oneLine(name, width - 30))} ${status} ${completed}/${total}${phase === "" ? "" : `, phase ${phase}`}`
  const lines = nodesOf(tasks, "", style, width)
  if (lines.length < height) return [head, ...lines.map(({ line }) => line)]
  const short = lines.filter(({ status }) => isOfInterest(status)).slice(0, Math.max(0, height - 2))
  return [
    head,
    ...short.map(({ line }) => line),
    style.dim(`└── and ${count(lines.length - short.length, "more task")}`)
  ]
}

const isOfInterest = (status: TaskNode["status"]): boolean => status === "in_progress" || status === "blocked"

interface Line {
  readonly status: TaskNode["status"]
  readonly line: string
}

const nodesOf = (tasks: ReadonlyArray<TaskNode>, indent: string, style: Style, width: number): ReadonlyArray<Line> =>
  tasks.flatMap(({ assignee, id, status, subtasks = [], title }, i) => {
    const isLast = i === tasks.length - 1
    const stem = `${indent}${isLast ? "└──" : "├──"} `
    const who = assignee == null ? "nobody" : oneLine(assignee, 20)
    const word = status.replace("_", " ")
    const titleWidth = Math.max(10, width - stem.length - word.length - who.length - 4)
    return [
      {
        status,
        line: `${stem}${oneLine(`${id}: ${title}`, titleWidth)}  ${paint(status, style)(word)}  ${style.dim(who)}`
      },
      ...nodesOf(subtasks, `${indent}${isLast ? "    " : "│   "}`, style, width)
    ]
  })

const paint = (status: TaskNode["status"], style: Style): ((text: string) => string) =>
  ({
    backlog: style.dim,
    todo: style.dim,
    in_progress: style.bold,
    blocked: style.yellow,
    done: style.green,
    cancelled: style.dim
  })[status]
