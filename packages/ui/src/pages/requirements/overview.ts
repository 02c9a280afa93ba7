import type { ReportView, TracedCriterion, TracedItem, TracedTask } from "@proofline/plugins/frontends/http/api"
import type { LoopNow } from "../../fold/protocol.ts"

export type RequirementNow = LoopNow["requirements"][number]
export type CriterionNow = RequirementNow["criteria"][number]

/** From what is shown to what is not, and why. */
export const verdicts = ["proven", "refuted", "stale", "unproven"] as const
export type Verdict = (typeof verdicts)[number]

/** How many criteria have each verdict; one that nobody here knows counts as unproven. */
export const countsOf = (criteria: ReadonlyArray<Pick<CriterionNow, "verdict">>): Readonly<Record<Verdict, number>> => {
  const counts = { proven: 0, refuted: 0, stale: 0, unproven: 0 }
  for (const { verdict } of criteria) counts[verdicts.find((known) => known === verdict) ?? "unproven"]++
  return counts
}

/** Requirements with the criteria of one verdict; null: all. A requirement without such criteria is left out. */
export const withVerdict = (
  requirements: ReadonlyArray<RequirementNow>,
  verdict: Verdict | null
): ReadonlyArray<RequirementNow> =>
  verdict === null
    ? requirements
    : requirements.flatMap((requirement) => {
        const criteria = requirement.criteria.filter((one) => countsOf([one])[verdict] === 1)
        return criteria.length === 0 ? [] : [{ ...requirement, criteria }]
      })

/** The task of a criterion with the items that show it; null while it was not run. */
export const tracedOf = (
  { tasks }: Pick<ReportView, "tasks">,
  { items, run_id, task_id }: TracedCriterion["tasks"][number]
): { readonly task: TracedTask; readonly items: ReadonlyArray<TracedItem> } | null => {
  const task = tasks.find((one) => one.run_id === run_id && one.task_id === task_id)
  return task === undefined ? null : { task, items: task.items.filter(({ index }) => items.includes(index)) }
}

/** When the report is to be made anew: something was decided, or another iteration began. */
export const stateOf = ({ iteration, requirements, status, task_runs }: LoopNow): string =>
  JSON.stringify([
    status,
    iteration,
    requirements.map(({ criteria, verdict }) => [verdict, criteria.map((one) => one.verdict)]),
    task_runs
  ])
