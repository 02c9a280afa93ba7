import { type AskedOfPerson, counted, type HeldTask, type PermissionWanted } from "@proofline/kernel"
import { afterAnswer, itemAnswers, permissionAnswers } from "@proofline/kernel/standing"
import { oneLine, plain, type Style } from "./style.ts"

type Asked = Pick<AskedOfPerson, "attempt" | "evidence" | "files" | "index" | "item" | "reason" | "run_id" | "task_id">

/** What waits for a person, as a run is shown with it. */
interface Waiting {
  readonly asked?: ReadonlyArray<Asked>
  readonly permissions?: ReadonlyArray<PermissionWanted>
  readonly undecided?: ReadonlyArray<Undecided>
}

/** A task whose changes cannot be put together before a person has decided between them, in the files. */
export interface Undecided {
  readonly run_id: string
  readonly task_id: string
  /** What to do, with commands. */
  readonly message: string
}

/** For what a task waits that nobody of ours opens. */
export const heldText = ({ gate, plugin }: Pick<HeldTask, "gate" | "plugin">): string =>
  `waits for gate ${oneLine(gate, 80)} of plugin ${oneLine(plugin, 80)}`

/** All that waits for a person, with the commands that answer. */
export const waitingLines = (
  { asked = [], permissions = [], undecided = [] }: Waiting,
  style: Style,
  command: (words: string) => string,
  isRunning: boolean
): ReadonlyArray<string> => [
  ...(undecided.length === 0
    ? []
    : [style.yellow("WAITS FOR YOU: changes that cannot be put together."), ...undecided.flatMap(undecidedText), ""]),
  ...permissionLines(permissions, style, command),
  ...askedLines(asked, style, command, isRunning)
]

/** The task, and what to do as it was written when it failed. */
export const undecidedText = ({ message, task_id }: Undecided): ReadonlyArray<string> => [
  `  ? ${oneLine(task_id, 80)}:`,
  ...plain(message)
    .split("\n")
    .map((line) => `      ${line}`)
]

const permissionLines = (
  permissions: ReadonlyArray<PermissionWanted>,
  style: Style,
  command: (words: string) => string
): ReadonlyArray<string> => {
  const [first] = permissions
  if (first === undefined) return []
  const about = `--run ${first.run_id}${permissions.length === 1 ? "" : ` --question ${first.permission}`}`
  return [
    style.yellow(`WAITS FOR YOU: an agent asks whether it may do ${permissions.length === 1 ? "this" : "these"}.`),
    ...permissions.flatMap((one) => permissionText(one, style, permissions.length > 1)),
    ...Object.entries(permissionAnswers).map(
      ([answer, leadsTo]) => `  ${command(`answer ${answer} ${about}`)}${style.dim(`   ${leadsTo}`)}`
    ),
    ""
  ]
}

/** What an agent asks leave for, in one line and what belongs to it. */
export const permissionText = (one: PermissionWanted, style: Style, isOneOfMany: boolean): ReadonlyArray<string> => {
  const { agent, attempt, detail, files, role, task_id, title, tool } = one
  const who = `${oneLine(agent, 60)} (${role === "work" ? `attempt ${attempt}` : role})`
  return [
    `  ${style.yellow("?")} ${oneLine(task_id, 80)}, ${who}: ${oneLine(title, 200)}${isOneOfMany ? style.dim(`   ${one.permission}`) : ""}`,
    ...(detail === "" || detail === title
      ? []
      : [`      ${tool === "" ? "with" : oneLine(tool, 20)}: ${oneLine(detail, 500)}`]),
    ...(files.length === 0
      ? []
      : [
          `      files: ${files
            .slice(0, 5)
            .map((file) => oneLine(file, 200))
            .join(", ")}`
        ])
  ]
}

/** What waits for a person, item by item, with why, what was tried, and the commands that answer; nothing where nothing waits. */
const askedLines = (
  asked: ReadonlyArray<Asked>,
  style: Style,
  command: (words: string) => string,
  isRunning: boolean
): ReadonlyArray<string> => {
  const [first] = asked
  if (first === undefined) return []
  return [
    style.yellow(`WAITS FOR YOU: ${counted(asked.length, "item")} that cannot be done, as the agent says.`),
    ...asked.flatMap((one) => itemLines(one, style)),
    ...answersFor(asked, first).map(([answer, then]) => `  ${command(answer)}${style.dim(`   ${then}`)}`),
    ...(isRunning ? [] : [style.dim(`  ${afterAnswer(false)} Then: ${command(`resume ${first.run_id}`)}`)]),
    ""
  ]
}

const itemLines = ({ attempt, evidence, files, index, item, reason, task_id }: Asked, style: Style) => [
  `  ${style.yellow("?")} ${oneLine(task_id, 80)}, item ${index + 1}: ${oneLine(item, 200)}`,
  `      why: ${oneLine(reason, 500)}`,
  ...(evidence === null ? [] : [`      evidence: ${oneLine(evidence, 200)}`]),
  style.dim(
    `      tried: ${counted(attempt, "attempt")}; ${files.length === 0 ? "no file changed" : `changed ${files.slice(0, 5).join(", ")}${files.length > 5 ? ` and ${files.length - 5} more` : ""}`}`
  )
]

/** Of several items the first is the example. */
const answersFor = (asked: ReadonlyArray<Asked>, { index, run_id, task_id }: Asked) => {
  const isOne = asked.length === 1
  const about = `--run ${run_id}${isOne ? "" : ` --task ${task_id} --item ${index + 1}`}`
  return Object.entries(itemAnswers).map(
    ([answer, leadsTo]) =>
      [`answer ${answer} ${about}${answer === "continue" ? ' --comment "…"' : ""}`, leadsTo] as const
  )
}

/** One line for a list of runs; empty: nothing waits. */
export const askedNote = ({ asked = [], permissions = [] }: Waiting): string => {
  const [first, ...more] = permissions
  if (first !== undefined) {
    return `waits for you: ${first.task_id}: may ${oneLine(first.agent, 40)}: ${oneLine(first.title, 100)}${more.length === 0 ? "" : ` and ${more.length} more`}`
  }
  return asked.length === 0
    ? ""
    : `waits for you: ${asked
        .slice(0, 3)
        .map(
          ({ evidence, index, item, reason, task_id }) =>
            `${task_id}, item ${index + 1}: ${oneLine(item, 60)} (${oneLine(reason, 120)}${evidence === null ? "" : `; ${oneLine(evidence, 80)}`})`
        )
        .join("; ")}${asked.length > 3 ? ` and ${asked.length - 3} more` : ""}`
}
