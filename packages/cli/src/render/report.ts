import {
  asItStands,
  askedIn,
  chunkOf,
  conflictFlag,
  type FileConflict,
  firstOf,
  givenUpIn,
  hasPassed,
  isShown,
  proofOf,
  rootsOf,
  shownStatus,
  standingText,
  stoppedOf,
  subtasksOf,
  type TaskState,
  tasksOf
} from "@proofline/kernel"
import { phaseOf } from "@proofline/plugins/policies/sessions"
import type { State } from "../project/state.ts"
import { waitingLines } from "./asked.ts"
import { count, messageLines, weakness } from "./lines.ts"
import { itemMark } from "./requirements.ts"
import { oneLine, plain, type Style } from "./style.ts"

/** The end of a run for people: what is proven and where, what is not and why, and where to look further. */
export const runReport = (
  state: State,
  style: Style,
  refusals: ReadonlyArray<string>,
  command: (words: string) => string
): string => {
  const tasks = rootsOf(state)
  return [
    ...waitingLines({ asked: askedIn(state) }, style, command, state.run.status === "running"),
    ...refusals,
    `${style.bold(plain(state.run.name))}: ${statusWord(state, style)}`,
    ...tasks.flatMap((task) => [
      ...taskReport(state, task, style, ""),
      ...subtasksOf(state, task).flatMap((subtask) => taskReport(state, subtask, style, "    "))
    ]),
    "",
    taskCounts(tasks),
    plain(standingText(shownStatus(state.run), proofOf(state))),
    ...runNotes(state, style),
    ...nextSteps(state, command),
    ""
  ].join("\n")
}

const taskCounts = (tasks: ReadonlyArray<TaskState>): string => {
  const numberOf = (status: TaskState["status"]): number => tasks.filter((task) => task.status === status).length
  const [failed, skipped] = [numberOf("failed"), numberOf("skipped")]
  return `${count(numberOf("completed"), "task")} of ${tasks.length} completed${failed === 0 ? "" : `, ${failed} failed`}${skipped === 0 ? "" : `, ${skipped} skipped`}.`
}

/** What must not be overlooked in a run. */
export const runNotes = (state: State, style: Style): ReadonlyArray<string> => {
  const unproven = rootsOf(state).filter((task) => task.status === "failed" && task.verdict === "unproven")
  return [
    ...(unproven.length === 0
      ? []
      : [
          style.yellow(
            `UNPROVEN: ${unproven.map((task) => task.spec.id).join(", ")}. Nothing spoke against it, but nothing proved it either; it does not count as done.`
          )
        ]),
    ...byWord(tasksOf(state).filter(isByWord), style),
    ...verification(state, style)
  ]
}

/** What can be done with a run, as commands to copy. */
export const nextSteps = (state: State, command: (words: string) => string): ReadonlyArray<string> => [
  ...goOn(state, command),
  `Every event:      ${command(`events ${state.run.run_id}`)}`,
  `Decide it again:  ${command(`replay ${state.run.run_id}`)}`,
  ...(tasksOf(state).some(({ items }) => items.some(({ receipt }) => receipt !== null))
    ? [`Check it later:   ${command(`verify ${state.run.run_id}`)}`]
    : [])
]

/** Agents come back to a session run by themselves, as long as it goes on. */
const goOn = (state: State, command: (words: string) => string): ReadonlyArray<string> => {
  if (state.sessions.phases !== null) {
    const { phase } = state.sessions.phases
    if (state.run.status !== "running") return []
    return phaseOf(state.sessions.phases, phase)?.kind === "person"
      ? [`Waits for you:    ${command("answer")}`]
      : [`In phase ${phase}; agents go on with: ${command("mcp")}`]
  }
  if (state.run.status === "completed") return []
  const flag = conflictFlag(state)
  const instead = flag.endsWith("overwrite") ? " (the later one wins; `manual` instead: you decide)" : ""
  return [`Go on with:       ${command(`resume ${state.run.run_id}${flag}`)}${instead}`]
}

const byWord = (tasks: ReadonlyArray<TaskState>, style: Style): ReadonlyArray<string> =>
  tasks.length === 0
    ? []
    : [
        style.yellow(
          `BY WORD ALONE: ${tasks.map(({ spec }) => spec.id).join(", ")}. No checklist was registered, so nothing shows that it is done.`
        )
      ]

/** How the commands that verify the whole of a session run ended last, and why the run is not completed. */
const verification = (
  { run: { message, status }, sessions: { phases } }: State,
  style: Style
): ReadonlyArray<string> => {
  if (phases === null) return []
  const checks = phases.verification?.checks ?? []
  const failed = checks.filter((check) => !hasPassed(check))
  return [
    ...(checks.length === 0
      ? [style.yellow("No command verified the whole of the work.")]
      : failed.length === 0
        ? [
            `Verified by ${count(checks.length, "command")}: ${checks.map(({ command }) => oneLine(command, 60)).join("; ")}.`
          ]
        : [style.red(`Verification failed: ${failed.map(({ command }) => oneLine(command, 60)).join("; ")}.`)]),
    ...(status === "incomplete" && message !== "" ? [`Incomplete: ${oneLine(message, 300)}`] : [])
  ]
}

const statusWord = (state: State, style: Style): string => {
  const stopped = stoppedOf(state.run)
  if (stopped !== null) return style.yellow(`stopped: ${oneLine(stopped.message, 200)}`)
  switch (state.run.status) {
    case "completed":
      return style.green("completed")
    case "running":
      return style.yellow("not finished")
    case "incomplete":
      return style.yellow("incomplete")
    default:
      // where tasks have failed, and nothing else, their number is told below
      return style.red(
        `${state.run.status}${state.run.message === "" || state.run.failed_by === "failed" ? "" : `: ${oneLine(state.run.message, 200)}`}`
      )
  }
}

/** Nothing but the word of an agent stands behind it. */
const isByWord = ({ status, verdict }: TaskState): boolean => status === "completed" && verdict === "unproven"

/** Whose work may not be in the project any more, and whose is there in its place. */
export const givenUpText = ({ file, sources }: FileConflict): string => {
  const names = [...new Set(sources)]
  return `the later one won in ${file}: what ${names.slice(0, -1).join(", ")} did there is given up where ${names.at(-1)} has something else`
}

/** Files of one kind that are named. */
const maxFiles = 10

const taskReport = (state: State, known: TaskState, style: Style, indent: string): ReadonlyArray<string> => {
  const task = asItStands(state.run, known)
  const mark = isByWord(task)
    ? style.yellow("!")
    : task.status === "completed"
      ? style.green("✔")
      : task.status === "failed"
        ? style.red("✘")
        : style.yellow("-")
  const { left_alone = [], outcome } = chunkOf(state, task)?.outcome ?? {}
  const named = ({ file, sources }: FileConflict): string => `${file} (${[...new Set(sources)].join(", ")})`
  const lines = [
    `  ${mark} ${task.spec.id}: ${oneLine(task.spec.title, 80)} ${style.dim(`${task.status}${isByWord(task) ? " by word alone" : ""}, ${count(task.attempts, "attempt")}`)}`,
    ...messageLines(task.message).map((line) => `      ${line}`),
    ...(outcome === "merged"
      ? [
          ...firstOf(givenUpIn(state, task).map(givenUpText), maxFiles),
          ...firstOf(
            left_alone.map((one) => `put aside by a part, and still there: ${named(one)}`),
            maxFiles
          )
        ].map((line) => style.yellow(`      ${line}`))
      : []),
    ...task.items.flatMap(({ answer, evidence, item, reason, status, verdict, weak }, index) => {
      if (task.yielded.includes(index)) {
        return [
          `      ${itemMark("stale", style)} ${oneLine(item, 100)}  ${style.dim("overwritten: it is for the whole to show")}`
        ]
      }
      const shown =
        verdict === "waived"
          ? `waived${answer === undefined ? "" : " by a person"}: ${oneLine(reason ?? "", 100)}`
          : isShown(verdict)
            ? (evidence ?? "")
            : status === "cannot"
              ? `cannot be done: ${oneLine(reason ?? "", 100)}`
              : null
      return [
        `      ${itemMark(verdict, style)} ${oneLine(item, 100)}${shown === null ? "" : `  ${style.dim(shown)}`}`,
        ...(isShown(verdict) && weak.length > 0 ? [`        ${style.yellow(weakness(weak))}`] : [])
      ]
    })
  ]
  return lines.map((line) => `${indent}${line}`)
}
