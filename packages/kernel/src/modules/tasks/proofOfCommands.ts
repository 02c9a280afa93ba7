import type { Asked } from "../../core/contract.ts"
import type { ProofConfig, WeakReason } from "../run/config.ts"
import { type Obligation, shownVerdict } from "../run/obligations.ts"
import { isShown } from "../run/verdicts.ts"
import type { BaseCheck } from "./BaseCheck.ts"
import { baseCheckOf, userCommands } from "./baseChecks.ts"
import type { CheckRun } from "./CheckRun.ts"
import { hasPassed, isGreen } from "./checks.ts"
import type { HasTasks, TaskState } from "./state.ts"

/** Why a command that passed shows nothing by itself. */
export type CommandWeakness = Extract<WeakReason, "was_green" | "agents_check" | "check_changed">

/** The user wrote it, in this task or word for word in another one. */
export const isUsersCommand = (state: HasTasks & Asked, { spec }: TaskState, command: string): boolean =>
  spec.commands_by !== "agent" || userCommands(state).includes(command)

/** Evidence shows some of the task: that a command fails without the work need not be told by the command alone. */
export const isShownByEvidence = ({ items }: TaskState): boolean =>
  items.some(({ receipt, verdict }) => isShown(verdict) && receipt !== null)

/** What speaks against a command of a task that passed; nothing: it shows the work, because it failed before it. */
export const commandProof = (
  state: HasTasks & Asked,
  task: TaskState,
  run: CheckRun
): ReadonlyArray<CommandWeakness> => {
  const found = userCommandProof(baseCheckOf(state, run.command), run, isShownByEvidence(task))
  return isUsersCommand(state, task, run.command)
    ? found
    : [...found.filter((reason) => reason !== "agents_check"), "agents_check"]
}

/** The same of a command that the user wrote, whatever it belongs to. `isShownElse`: evidence shows some of the work too. */
export const userCommandProof = (
  before: BaseCheck | undefined,
  run: CheckRun,
  isShownElse = false
): ReadonlyArray<CommandWeakness> => [
  ...(isRedAtBase(before, run, isShownElse) ? [] : (["was_green"] as const)),
  ...(isOfAgent(run) ? (["agents_check"] as const) : []),
  ...(isChanged(run) ? (["check_changed"] as const) : [])
]

const isRedAtBase = (before: BaseCheck | undefined, run: CheckRun, isShownElse: boolean): boolean => {
  const { as_written, brought, clean_room, control } = run
  if (before?.outcome !== "red") return false
  // what was there on another branch makes it pass without the work
  if (brought !== undefined && !isRed(brought)) return false
  // it failed for want of what an agent has written: that is told by another reason
  if (isOfAgent(run)) return true
  // the user wants no copy to decide
  if (clean_room === null) return true
  // in a copy of the project it may fail for what the copy lacks: there it must pass now
  const tried = clean_room ?? control ?? as_written
  return tried === undefined ? isShownElse : isGreen(tried)
}

/** An agent wrote what decides whether it passes: all scripts that it runs, or all tests that were red before. */
const isOfAgent = ({ clean_room, control, tests = [], without, written = [] }: CheckRun): boolean =>
  (written.length > 0 && (without === undefined || !isRed(without))) ||
  (tests.length > 0 && control !== undefined && !isGreen(control)) ||
  (clean_room?.with_new !== undefined && !isGreen(clean_room))

/** It failed by itself. Where it could not be run nobody knows. */
const isRed = (tried: NonNullable<CheckRun["without"]>): boolean =>
  tried.run !== null && !isGreen(tried) && tried.run.exit_code !== 126 && tried.run.exit_code !== 127

/** Nothing says that it passes with what it rests on as it was. */
const isChanged = ({ as_written, changed = [], clean_room }: CheckRun): boolean => {
  const before = new Set(clean_room != null && isGreen(clean_room) ? clean_room.restored : [])
  return changed.some((path) => !before.has(path)) && (as_written === undefined || !isGreen(as_written))
}

/** What commands show, each once, where nothing else does. One that shows it is enough; the others have passed beside it. */
export const ofCommands = (
  commands: ReadonlyArray<string>,
  runs: ReadonlyArray<CheckRun>,
  proof: ProofConfig,
  weaknessOf: (run: CheckRun) => ReadonlyArray<CommandWeakness>
): ReadonlyArray<Obligation> => {
  const all = [...new Set(commands)].map((text): Obligation & { readonly hasPassed: boolean } => {
    const run = runs.find(({ command }) => command === text)
    const passed = run !== undefined && hasPassed(run)
    const weak = run === undefined ? [] : weaknessOf(run)
    const verdict = shownVerdict(proof, passed, "proven", weak)
    return {
      kind: "command",
      text,
      verdict,
      shown_by: isShown(verdict) ? "check" : null,
      reviewer: null,
      weak,
      hasPassed: passed
    }
  })
  const isAnyShown = all.some(({ verdict }) => isShown(verdict))
  return all.flatMap(({ hasPassed: passed, ...one }) => (isAnyShown && passed && !isShown(one.verdict) ? [] : [one]))
}
