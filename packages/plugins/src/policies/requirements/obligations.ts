import type { Obligation, WeakReason } from "@proofline/kernel"
import type { CriterionVerdict, Requirement } from "./definition.ts"
import { gateOf } from "./gate.ts"
import type { Loop } from "./state.ts"

const by = { check: "check", tasks: "evidence", agent: "review" } as const

/** What has to hold for the run: the criteria of the requirements that gate it. */
export const obligationsOf = (loop: Loop): ReadonlyArray<Obligation> =>
  (loop.definition === null ? [] : gateOf(loop.definition)).flatMap((requirement) => ofRequirement(loop, requirement))

/** What has to hold for one requirement: its criteria. */
export const ofRequirement = (
  loop: Loop,
  { acceptance_criteria, id: requirement }: Pick<Requirement, "acceptance_criteria" | "id">
): ReadonlyArray<Obligation> => {
  const seen = loop.requirements.get(requirement)
  const reviewer = seen?.opinion?.verifier ?? null
  return acceptance_criteria.map(({ criterion, id }) =>
    ofCriterion(loop, criterion, seen?.criteria.find((one) => one.id === id) ?? null, reviewer)
  )
}

/** What an agent proves, because it is trusted, is reviewed; what rests on weak evidence is weak. */
const ofCriterion = (loop: Loop, text: string, found: CriterionVerdict | null, reviewer: string | null): Obligation => {
  const isProven = found?.verdict === "proven"
  const isReviewed = isProven && found.by === "agent"
  const weak = isProven && found.by === "tasks" ? weakIn(loop, found.tasks) : (found?.weak ?? [])
  return {
    kind: "criterion",
    text,
    verdict: isReviewed ? "reviewed" : isProven && weak.length > 0 ? "weak" : (found?.verdict ?? "unproven"),
    shown_by: isProven && found.by !== null ? by[found.by] : null,
    reviewer: isReviewed ? reviewer : null,
    weak
  }
}

const weakIn = ({ completed }: Loop, tasks: ReadonlyArray<string>): ReadonlyArray<WeakReason> => [
  ...new Set(
    completed
      .filter(({ id }) => tasks.includes(id))
      .flatMap(({ items }) => items)
      .filter(({ verdict }) => verdict === "weak")
      .flatMap(({ weak }) => weak)
      .map(({ reason }) => reason)
  )
]
