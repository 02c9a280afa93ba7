import type { HasRun } from "../run/state.ts"
import type { CheckRun, ScratchRun } from "./CheckRun.ts"
import type { TaskState } from "./state.ts"

/** A shell command that decides about a task, or about the item with this index. */
export interface Check {
  readonly command: string
  readonly item_index: number | null
  /** It must also fail without the lines that are cited for its item. */
  readonly ablation: boolean
}

/** The commands that decide about a task, those of its items first. An item that is waived cites no lines. */
export const checksOf = ({ run: { config } }: HasRun, { items, spec }: TaskState): ReadonlyArray<Check> => [
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
  run.exit_code === 0 &&
  !run.timed_out &&
  (run.ablation === null || run.ablation.verdict === "load_bearing") &&
  (run.as_written === undefined || isGreen(run.as_written))

/** It passed in a copy of the project too. */
export const isGreen = ({ run }: ScratchRun): boolean => run !== null && run.exit_code === 0 && !run.timed_out

/** It passes only because what it rests on was changed. */
const isBent = (run: CheckRun): boolean =>
  run.exit_code === 0 && !run.timed_out && run.as_written !== undefined && !isGreen(run.as_written)

/** What should have been run and was not: that is no pass either. */
export const missingChecks = (state: HasRun, task: TaskState, runs: ReadonlyArray<CheckRun>): ReadonlyArray<Check> =>
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

/** The check passed, but its ablation could not be run: it neither proves nor refutes the item. */
export const isUntried = (check: CheckRun): boolean =>
  check.exit_code === 0 && !check.timed_out && !isBent(check) && check.ablation?.verdict === "unproven"

/** What follows for items whose own commands have not passed. */
export const itemVerdicts = (checks: ReadonlyArray<CheckRun>) =>
  checks.flatMap((check) =>
    check.item_index === null || hasPassed(check)
      ? []
      : [{ index: check.item_index, verdict: isUntried(check) ? ("unproven" as const) : ("refuted" as const) }]
  )

/** Why verification did not pass, in words. */
export const failedChecks = (failed: ReadonlyArray<CheckRun>, missing: ReadonlyArray<Check>): string => {
  const ended = failed.flatMap((check) => {
    if (check.timed_out) return [`\`${check.command}\` ran out of time`]
    if (check.exit_code === null) return [`\`${check.command}\` was ended by ${check.signal}`]
    return check.exit_code === 0 ? [] : [`\`${check.command}\` exited with ${check.exit_code}`]
  })
  const open = [...ended, ...missing.map(({ command }) => `\`${command}\` was not run`)]
  const vacuous = failed.filter((check) => check.exit_code === 0 && check.ablation?.verdict === "vacuous")
  return [
    ...(open.length === 0 ? [] : [`Checks failed: ${open.join("; ")}.`]),
    ...failed.filter(isBent).map(bent),
    ...vacuous.map(({ ablation, command }) => `\`${command}\` shows nothing: ${ablation?.message ?? ""}`),
    ...(failed.some(isUntried) ? [untried(failed.filter(isUntried))] : [])
  ].join(" ")
}

const bent = ({ as_written, changed = [], command }: CheckRun): string =>
  `\`${command}\` counts only with what it rests on as the user wrote it: ${changed.join(", ")} ${changed.length === 1 ? "was" : "were"} changed in this run. ${as_written?.message ?? ""} Put ${changed.length === 1 ? "it" : "them"} back, or make it pass there too.`

/** Items often share a command. */
export const untried = (checks: ReadonlyArray<CheckRun>): string =>
  [
    ...new Set(
      checks.map(({ ablation, command }) => `\`${command}\` has not shown anything: ${ablation?.message ?? ""}`)
    )
  ].join(" ")
