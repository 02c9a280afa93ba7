import type { Asked, Intent, Start } from "../../core/contract.ts"
import type { HasRun } from "../run/state.ts"
import type { BaseCheck } from "./BaseCheck.ts"
import { userCommandsBeside } from "./points.ts"
import type { HasTasks, TaskState } from "./state.ts"
import { tasksOf } from "./state.ts"
import { activities, workKey } from "./work.ts"

/** How the commands of the user ended before the work: each is run once at the base of the run, beside the first work. */

type State = HasRun & HasTasks & Asked

const commandsIn = ({ spec }: TaskState): ReadonlyArray<string> => [
  ...spec.checklist.flatMap(({ check }) => check ?? []),
  ...spec.checks
]

/** The commands that the user wrote, each once: those of the tasks in their order, then those that belong to no task. */
export const userCommands = (state: HasTasks & Asked): ReadonlyArray<string> => [
  ...new Set([
    ...tasksOf(state).flatMap((task) => (task.spec.commands_by === "agent" ? [] : commandsIn(task))),
    ...commandsBeside(state)
  ])
]

const commandsBeside = (state: Asked): ReadonlyArray<string> =>
  userCommandsBeside(state).flatMap(({ commands }) => commands())

/** How a command ended at the base; undefined: it is not known. */
export const baseCheckOf = ({ tasks }: HasTasks, command: string): BaseCheck | undefined =>
  tasks.base_checks?.checks.find((check) => check.command === command)

/** It is not known yet, and somebody will find out. */
export const awaitsBase = (state: State): boolean => {
  const { base, status } = state.run
  return status === "running" && base !== null && isUnknown(state)
}

const isUnknown = (state: HasTasks & Asked): boolean => {
  const { base_checks, has_commands } = state.tasks
  if (base_checks?.problem != null) return false
  const beside = commandsBeside(state)
  // what belongs to no task may be said anew while the run is under way
  return base_checks === null
    ? has_commands || beside.length > 0
    : beside.some((command) => baseCheckOf(state, command) === undefined)
}

/** A single worker begins with the task: its first attempt is under way before the commands are run. */
const isFirst = ({ run }: HasRun): boolean =>
  run.config.workers > 1 || run.resumes > 0 || (run.kind !== "tasks" && run.kind !== "prompt")

/** The work is ordered and not done. */
export const isBaseOrdered = (state: State): boolean =>
  awaitsBase(state) && (isFirst(state) || state.run.spent.attempts > 0)

/** By how many are known: those that were said anew are run under another key. */
const keyOf = ({ tasks }: HasTasks, resumes: number) =>
  workKey(activities.base, "", tasks.base_checks?.checks.length ?? 0, resumes)

/** Runs the commands at the base, as soon as that is due. Ordering it twice is ordering it once. */
export const baseWork = (state: State): ReadonlyArray<Start> =>
  isBaseOrdered(state)
    ? [
        {
          _tag: "Start",
          key: keyOf(state, state.run.resumes),
          kind: "activity",
          activity: activities.base,
          task_id: null,
          input: {},
          delay_ms: 0,
          // all checks wait for it
          priority: 2_000_000
        }
      ]
    : []

export const withdrawBase = (state: HasTasks, resumes: number): Intent<never> => ({
  _tag: "Cancel",
  work: { key: keyOf(state, resumes) }
})
