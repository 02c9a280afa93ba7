import type { WeakReason } from "../run/config.ts"
import { isShown } from "../run/obligations.ts"
import { baseCheckOf, userCommands } from "./baseChecks.ts"
import type { CheckRun } from "./CheckRun.ts"
import { isGreen } from "./checks.ts"
import type { HasTasks, TaskState } from "./state.ts"

/** Why a command that passed shows nothing by itself. */
export type CommandWeakness = Extract<WeakReason, "was_green" | "agents_check" | "check_changed">

/** The user wrote it, in this task or word for word in another one. */
export const isUsersCommand = (state: HasTasks, { spec }: TaskState, command: string): boolean =>
  spec.commands_by !== "agent" || userCommands(state).includes(command)

/** Evidence shows some of the task: that a command fails without the work need not be told by the command alone. */
export const isShownByEvidence = ({ items }: TaskState): boolean =>
  items.some(({ receipt, verdict }) => isShown(verdict) && receipt !== null)

/** What speaks against a command that passed; nothing: it shows the work, because it failed before it. */
export const commandProof = (state: HasTasks, task: TaskState, run: CheckRun): ReadonlyArray<CommandWeakness> => [
  ...(isRedAtBase(state, task, run) ? [] : (["was_green"] as const)),
  ...(isUsersCommand(state, task, run.command) ? [] : (["agents_check"] as const)),
  ...(isChanged(run) ? (["check_changed"] as const) : [])
]

const isRedAtBase = (state: HasTasks, task: TaskState, { as_written, command, control }: CheckRun): boolean => {
  if (baseCheckOf(state, command)?.outcome !== "red") return false
  // in a copy of the project it may fail for what the copy lacks: there it must pass now
  const tried = control ?? as_written
  return tried === undefined ? isShownByEvidence(task) : isGreen(tried)
}

const isChanged = ({ as_written, changed = [] }: CheckRun): boolean =>
  changed.length > 0 && (as_written === undefined || !isGreen(as_written))
