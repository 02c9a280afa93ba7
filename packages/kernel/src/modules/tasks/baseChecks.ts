import type { Intent, Start } from "../../core/contract.ts"
import type { HasRun } from "../run/state.ts"
import type { BaseCheck } from "./BaseCheck.ts"
import type { HasTasks, TaskState } from "./state.ts"
import { tasksOf } from "./state.ts"
import { activities, workKey } from "./work.ts"

/** How the commands of the user ended before the work: each is run once at the base of the run, beside the first work. */

type State = HasRun & HasTasks

const commandsIn = ({ spec }: TaskState): ReadonlyArray<string> => [
  ...spec.checklist.flatMap(({ check }) => check ?? []),
  ...spec.checks
]

/** The commands that the user wrote, each once, in the order of the tasks. */
export const userCommands = (state: HasTasks): ReadonlyArray<string> => [
  ...new Set(tasksOf(state).flatMap((task) => (task.spec.commands_by === "agent" ? [] : commandsIn(task))))
]

/** How a command ended at the base; undefined: it is not known. */
export const baseCheckOf = ({ tasks }: HasTasks, command: string): BaseCheck | undefined =>
  tasks.base_checks?.checks.find((check) => check.command === command)

/** It is not known yet, and somebody will find out. */
export const awaitsBase = (state: State): boolean => {
  const { base, config, kind, status } = state.run
  return (
    status === "running" &&
    config.proof !== null &&
    base !== null &&
    state.tasks.base_checks === null &&
    (kind === "tasks" || kind === "prompt") &&
    state.tasks.has_commands
  )
}

/** A single worker begins with the task: its first attempt is under way before the commands are run. */
const isFirst = ({ run }: HasRun): boolean => run.config.workers > 1 || run.resumes > 0

/** The work is ordered and not done. */
export const isBaseOrdered = (state: State): boolean =>
  awaitsBase(state) && (isFirst(state) || state.run.spent.attempts > 0)

const keyOf = (resumes: number) => workKey(activities.base, "", 0, resumes)

/** Runs the commands at the base, as soon as that is due. Ordering it twice is ordering it once. */
export const baseWork = (state: State): ReadonlyArray<Start> =>
  isBaseOrdered(state)
    ? [
        {
          _tag: "Start",
          key: keyOf(state.run.resumes),
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

export const withdrawBase = (resumes: number): Intent<never> => ({ _tag: "Cancel", work: { key: keyOf(resumes) } })
