import type { CheckRun } from "./Event.ts"
import type { TaskState } from "./State.ts"

/** A shell command that decides about a task, or about the item with this index. */
export interface Check {
  readonly command: string
  readonly item_index: number | null
}

/** The commands that decide about a task, those of its items first. */
export const checksOf = ({ spec }: TaskState): ReadonlyArray<Check> => [
  ...spec.checklist.flatMap((item, index) =>
    item.check === undefined ? [] : [{ command: item.check, item_index: index }]
  ),
  ...spec.checks.map((command) => ({ command, item_index: null }))
]

export const hasChecks = (task: TaskState): boolean => checksOf(task).length > 0

export const hasPassed = (run: CheckRun): boolean => run.exit_code === 0 && !run.timed_out

/** What should have been run and was not: that is no pass either. */
export const missingChecks = (task: TaskState, runs: ReadonlyArray<CheckRun>): ReadonlyArray<Check> =>
  checksOf(task).filter(
    (check) => !runs.some((run) => run.command === check.command && run.item_index === check.item_index)
  )
