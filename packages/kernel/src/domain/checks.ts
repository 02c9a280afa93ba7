import type { CheckRun } from "./CheckRun.ts"
import type { State, TaskState } from "./State.ts"

/** A shell command that decides about a task, or about the item with this index. */
export interface Check {
  readonly command: string
  readonly item_index: number | null
  /** It must also fail without the lines that are cited for its item. */
  readonly ablation: boolean
}

/** The commands that decide about a task, those of its items first. An item that is waived cites no lines. */
export const checksOf = ({ config }: State, { items, spec }: TaskState): ReadonlyArray<Check> => [
  ...spec.checklist.flatMap(({ ablation, check }, index) =>
    check === undefined
      ? []
      : [
          {
            command: check,
            item_index: index,
            ablation: (ablation ?? config.evidence.ablation) && items[index]?.verdict !== "waived"
          }
        ]
  ),
  ...spec.checks.map((command) => ({ command, item_index: null, ablation: false }))
]

export const hasChecks = ({ spec }: TaskState): boolean =>
  spec.checks.length > 0 || spec.checklist.some(({ check }) => check !== undefined)

export const hasPassed = (run: CheckRun): boolean =>
  run.exit_code === 0 && !run.timed_out && (run.ablation === null || run.ablation.verdict === "load_bearing")

/** What should have been run and was not: that is no pass either. */
export const missingChecks = (state: State, task: TaskState, runs: ReadonlyArray<CheckRun>): ReadonlyArray<Check> =>
  checksOf(state, task).filter(
    (check) =>
      !runs.some(
        (run) =>
          run.command === check.command &&
          run.item_index === check.item_index &&
          // what was refuted by its first run needs no second look
          (!check.ablation || run.ablation !== null || run.exit_code !== 0)
      )
  )
