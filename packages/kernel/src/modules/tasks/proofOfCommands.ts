import type { Asked } from "../../core/contract.ts"
import type { ProofConfig, WeakReason } from "../run/config.ts"
import { isShown, type Obligation, type Verdict } from "../run/obligations.ts"
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

/** Some command of the task shows that it is done: the user's own, which failed before the work and passes with it. */
export const isShownByCommand = (state: HasTasks & Asked, task: TaskState, runs: ReadonlyArray<CheckRun>): boolean =>
  runs.some((run) => hasPassed(run) && commandProof(state, task, run).length === 0)

const isRedAtBase = (before: BaseCheck | undefined, run: CheckRun, isShownElse: boolean): boolean => {
  const { as_written, control } = run
  if (before?.outcome !== "red") return false
  // it failed for want of what an agent has written: that is told by another reason
  if (isOfAgent(run)) return true
  // in a copy of the project it may fail for what the copy lacks: there it must pass now
  const tried = control ?? as_written
  return tried === undefined ? isShownElse : isGreen(tried)
}

/** An agent wrote what decides whether it passes: all scripts that it runs, or all tests that were red before. */
const isOfAgent = ({ control, tests = [], without, written = [] }: CheckRun): boolean =>
  (written.length > 0 && (without === undefined || !isRed(without))) ||
  (tests.length > 0 && control !== undefined && !isGreen(control))

/** It failed by itself. Where it could not be run nobody knows. */
const isRed = (tried: NonNullable<CheckRun["without"]>): boolean =>
  tried.run !== null && !isGreen(tried) && tried.run.exit_code !== 126 && tried.run.exit_code !== 127

const isChanged = ({ as_written, changed = [] }: CheckRun): boolean =>
  changed.length > 0 && (as_written === undefined || !isGreen(as_written))

/** What commands show, each once, where nothing else does. One that shows it is enough; the others have passed beside it. */
export const ofCommands = (
  commands: ReadonlyArray<string>,
  runs: ReadonlyArray<CheckRun>,
  proof: ProofConfig | null,
  weaknessOf: (run: CheckRun) => ReadonlyArray<CommandWeakness>
): ReadonlyArray<Obligation> => {
  const all = [...new Set(commands)].map((text): Obligation & { readonly hasPassed: boolean } => {
    const run = runs.find(({ command }) => command === text)
    const passed = run !== undefined && hasPassed(run)
    const weak = run === undefined ? [] : weaknessOf(run)
    const isAccepted = weak.every((reason) => proof?.accept.includes(reason))
    const verdict: Verdict = !passed ? "unproven" : weak.length === 0 ? "proven" : isAccepted ? "weak" : "unproven"
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
