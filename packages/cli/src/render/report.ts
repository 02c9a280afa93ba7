import { rootsOf, type State, subtasksOf, type TaskState, tasksOf } from "@proofline/kernel"
import { count, weakness } from "./lines.ts"
import { oneLine, plain, type Style } from "./style.ts"

/** The end of a run for people: what is proven and where, what is not and why, and where to look further. */
export const runReport = (
  state: State,
  style: Style,
  refusals: ReadonlyArray<string>,
  command: (words: string) => string
): string => {
  const tasks = rootsOf(state)
  const items = tasksOf(state).flatMap((task) => task.items.slice(task.part?.carries.length ?? 0))
  const by = (verdict: string) => items.filter((item) => item.verdict === verdict).length
  const unproven = tasks.filter((task) => task.status === "failed" && task.verdict === "unproven")
  return [
    ...refusals,
    `${style.bold(plain(state.name))}: ${statusWord(state, style)}`,
    ...tasks.flatMap((task) => [
      ...taskReport(task, style, ""),
      ...subtasksOf(state, task).flatMap((subtask) => taskReport(subtask, style, "    "))
    ]),
    "",
    `${count(tasks.filter((task) => task.status === "completed").length, "task")} of ${tasks.length} completed; of ${count(items.length, "checklist item")} ${by("proven")} proven, ${by("waived")} waived, ${items.length - by("proven") - by("waived")} open.`,
    ...(unproven.length === 0
      ? []
      : [
          style.yellow(
            `UNPROVEN: ${unproven.map((task) => task.spec.id).join(", ")}. Nothing spoke against it, but nothing proved it either; it does not count as done.`
          )
        ]),
    ...selfJudged(state, style),
    ...goOn(state, command),
    `Every event:      ${command(`events ${state.run_id}`)}`,
    `Decide it again:  ${command(`replay ${state.run_id}`)}`,
    ...(tasksOf(state).some(({ items }) => items.some(({ receipt }) => receipt !== null))
      ? [`Check it later:   ${command(`verify ${state.run_id}`)}`]
      : []),
    ""
  ].join("\n")
}

/** Agents come back to a session run by themselves, as long as it goes on. */
const goOn = (state: State, command: (words: string) => string): ReadonlyArray<string> => {
  if (state.pull !== null) {
    const { phase } = state.pull
    return state.status === "running" ? [`In phase ${phase}; agents go on with: ${command("mcp")}`] : []
  }
  return state.status === "completed" ? [] : [`Go on with:       ${command(`resume ${state.run_id}`)}`]
}

/** Said loudly: nothing but the word of the agent that did the work stands behind these. */
const selfJudged = (state: State, style: Style): ReadonlyArray<string> => {
  const ids = tasksOf(state).flatMap(({ current, items, spec, status }) =>
    status === "completed" && current?.judgment !== null && current?.judgment !== undefined && items.length === 0
      ? [spec.id]
      : []
  )
  return state.config.reviewer_named || ids.length === 0
    ? []
    : [
        style.yellow(
          `JUDGED BY THE AGENT ITSELF: ${ids.join(", ")}. No evidence was cited. Name a reviewer with --reviewer, or ask for evidence with --reviewer none.`
        )
      ]
}

const statusWord = (state: State, style: Style): string => {
  switch (state.status) {
    case "completed":
      return style.green("completed")
    case "running":
      return style.yellow("not finished")
    case "incomplete":
      return style.yellow("incomplete")
    default:
      return style.red(`${state.status}${state.message === "" ? "" : `: ${oneLine(state.message, 200)}`}`)
  }
}

const taskReport = (task: TaskState, style: Style, indent: string): ReadonlyArray<string> => {
  const mark =
    task.status === "completed" ? style.green("✔") : task.status === "failed" ? style.red("✘") : style.yellow("-")
  const { conflicts = [], outcome } = task.chunk?.outcome ?? {}
  const lines = [
    `  ${mark} ${task.spec.id}: ${oneLine(task.spec.title, 80)} ${style.dim(`${task.status}, ${count(task.attempts, "attempt")}`)}`,
    ...(task.message === ""
      ? []
      : plain(task.message)
          .split("\n")
          .map((line) => `      ${line}`)),
    ...(outcome === "merged"
      ? conflicts.map(({ file, sources }) =>
          style.yellow(`      the later one won: ${file} (${[...new Set(sources)].join(", ")})`)
        )
      : []),
    ...task.items.flatMap((item) => {
      switch (item.verdict) {
        case "proven":
          return [
            `      ${style.green("✔")} ${oneLine(item.item, 100)}  ${style.dim(item.evidence ?? "")}`,
            ...(item.weak.length === 0 ? [] : [`        ${style.yellow(weakness(item.weak))}`])
          ]
        case "waived":
          return `      ${style.yellow("~")} ${oneLine(item.item, 100)}  ${style.dim(`waived: ${oneLine(item.reason ?? "", 100)}`)}`
        case "refuted":
          return `      ${style.red("✘")} ${oneLine(item.item, 100)}`
        default:
          return `      ${style.dim("·")} ${oneLine(item.item, 100)}`
      }
    })
  ]
  return lines.map((line) => `${indent}${line}`)
}
