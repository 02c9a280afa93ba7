import type { Ablation, AblationRun, LineReceipt } from "@proofline/kernel"
import type { LineRange } from "../../port/index.ts"

/** The runs of an ablation so far, in this order; null: not run. */
export interface AblationRuns {
  readonly base: AblationRun | null
  readonly head: AblationRun | null
  readonly neutralised: AblationRun | null
}

/** Red at the commit where the run began? Null: yes, go on. */
export const judgeBase = (runs: AblationRuns, base: AblationRun, commit: string): Ablation | null =>
  isGreen(base)
    ? {
        ...runs,
        verdict: "vacuous",
        message: `The check passes without the work: at commit ${commit.slice(0, 10)}, where the run began, it exits with 0 too. It must test what was to be done.`
      }
    : null

/** Green in a clean checkout of the project as it is now? Null: yes, go on. */
export const judgeHead = (runs: AblationRuns, head: AblationRun): Ablation | null =>
  isGreen(head)
    ? null
    : untried(
        runs,
        `The check passes in the project, but in a clean checkout of it, with every change but without the files that git ignores, it ${ending(head)}. Let the check make what it needs, or let git keep it.`
      )

/** Red again without the lines? */
export const judgeNeutralised = (runs: AblationRuns, neutralised: AblationRun, receipt: LineReceipt): Ablation =>
  isGreen(neutralised)
    ? {
        ...runs,
        verdict: "vacuous",
        message: `The check passes without the cited lines: it exits with 0 although ${cited(receipt)} is disabled. Either it does not test them, or the work is done elsewhere.`
      }
    : {
        ...runs,
        verdict: "load_bearing",
        message: `The check fails without the work, passes with it, and fails again when ${cited(receipt)} is disabled.`
      }

/** It could not be tried, for this reason. */
export const untried = (runs: AblationRuns, message: string): Ablation => ({ ...runs, verdict: "unproven", message })

export const nothingRun: AblationRuns = { base: null, head: null, neutralised: null }

/** The text without the lines, for files whose language nobody knows. Line ends of the others stay what they are. */
export const withoutLines = (text: string, { end, start }: LineRange): string =>
  (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).filter((_, index) => index < start - 1 || index >= end).join("")

/** Why an ablation cannot even begin. Each says what to do about it. */
export const reasons = {
  noBase:
    "When the run began the project was not in a git repository with a commit, so there is nothing to compare with. Commit the project and start a new run, or leave `ablation` off.",
  noReceipt: "No lines are cited for its item.",
  changed: (path: string) =>
    `${path} was changed after its lines were accepted as evidence. Resume the run to look again.`,
  noRule: (path: string, language: string) =>
    `Nobody has said how lines of ${language} are made to fail, so ${path} cannot be tried. Cite other lines, or leave \`ablation\` off for this item.`,
  neverRan: (output: string) => `The check could not be run in a checkout: ${output.trim()}`
}

const isGreen = (run: AblationRun): boolean => run.exit_code === 0 && !run.timed_out

const ending = (run: AblationRun): string =>
  run.timed_out ? "runs out of time" : run.exit_code === null ? "is ended by a signal" : `exits with ${run.exit_code}`

const cited = ({ covers: { end, start }, path }: LineReceipt): string =>
  `${path}:${start === end ? start : `${start}-${end}`}`
