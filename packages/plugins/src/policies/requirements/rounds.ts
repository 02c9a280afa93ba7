import { counted, type Fact, type Rejection, type RunState } from "@proofline/kernel"
import type { ContentOf } from "./contents.ts"
import { type CriterionVerdict, isMetBy, type Requirement, type RequirementDefinition } from "./definition.ts"
import {
  AnswerRefused,
  ConfirmationStarted,
  IterationEnded,
  IterationStarted,
  RequirementsMet,
  RequirementsVerified,
  RequirementVerified
} from "./events.ts"
import { gateOf } from "./gate.ts"
import { feedbackOf, isMet, nextOf, openOf, standingOpinion, unmetCriteria, withoutOpinion } from "./next.ts"
import type { OpinionArgs } from "./requests.ts"
import { generatingStatus, type Loop, verifiedNow } from "./state.ts"
import { unmet } from "./unmet.ts"
import { criteriaOf, factsOf, isShownByTasks, verdictOf } from "./verdict.ts"
import { awaited, notWaitedFor } from "./waiting.ts"

type LoopFact = Fact<"requirements">
type Decision = ReadonlyArray<LoopFact> | Rejection

export const recordOpinion = (command: OpinionArgs, loop: Loop): Decision => {
  const { answer, ask, evidence, facts, iteration, met, output, problems, requirement_id, verifier } = command
  const requirement = awaited(loop, command, true)
  if (requirement === null || loop.definition === null || loop.stage._tag !== "Verifying" || ask !== loop.stage.ask) {
    return notWaitedFor("an opinion of this requirement")
  }
  if (problems.length > 0) {
    return [
      AnswerRefused({
        role: "verify",
        by: verifier,
        iteration,
        round: loop.round,
        ask,
        requirement_id,
        reason: "unreadable",
        problems,
        uncovered: [],
        answer,
        tasks: [],
        output
      })
    ]
  }
  const opinion = { verifier, met, evidence, facts, output }
  const { trust_agent } = loop.definition.verification
  const criteria = criteriaOf(loop, requirement, factsOf(loop), opinion, trust_agent)
  return [verified(loop, requirement, criteria, opinion, ask)]
}

const verified = (
  loop: Loop,
  { id }: Requirement,
  criteria: ReadonlyArray<CriterionVerdict>,
  opinion: ContentOf<"REQUIREMENT_VERIFIED">["opinion"],
  ask: number
): LoopFact => {
  const verdict = verdictOf(criteria)
  return RequirementVerified({
    iteration: loop.iteration,
    round: loop.round,
    requirement_id: id,
    verdict,
    met: isMetBy({ verdict }),
    criteria,
    opinion,
    ask
  })
}

export const advance = (run: RunState, loop: Loop): ReadonlyArray<LoopFact> => {
  const { definition, halted, stage } = loop
  if (definition === null || nextOf(loop, run)._tag !== "Advance") return []
  if (halted !== null) {
    const reason = stage._tag === "Generating" ? "generation_failed" : "execution_failed"
    return [unmet(loop, reason, halted.message)]
  }
  if (stage._tag !== "Verifying") return []
  const requirement = verifiedNow(loop)
  return requirement === undefined ? afterRound(loop, definition) : [judged(loop, definition, requirement)]
}

/** Without anybody's new opinion. */
const judged = (loop: Loop, definition: RequirementDefinition, requirement: Requirement): LoopFact => {
  const standing = standingOpinion(loop, requirement)
  const { trust_agent } = definition.verification
  const why = loop.stage._tag === "Verifying" ? loop.stage.unasked : null
  const criteria =
    standing === null
      ? withoutVerifier(loop, definition, withoutOpinion(loop, requirement), why !== null)
      : criteriaOf(loop, requirement, factsOf(loop), standing, trust_agent)
  const told = why === null ? criteria : criteria.map((one) => unasked(one, why))
  return verified(loop, requirement, told, standing, 0)
}

/**
 * What tasks have shown is not enough without the word of a verifier that the user chose, nor after any verifier was asked
 * and nothing usable came back: it may have been a rejection.
 */
const withoutVerifier = (
  { proof }: Loop,
  { verification: { verifier } }: RequirementDefinition,
  criteria: ReadonlyArray<CriterionVerdict>,
  wasAsked: boolean
): ReadonlyArray<CriterionVerdict> =>
  !(proof.verifier_named || wasAsked) || verifier === "none"
    ? criteria
    : criteria.map((one) =>
        isShownByTasks(one)
          ? {
              ...one,
              verdict: "unproven",
              message: `${one.message} The verifier ${verifier} has not said that it is met.`
            }
          : one
      )

const unasked = (criterion: CriterionVerdict, why: string): CriterionVerdict =>
  criterion.verdict === "unproven" ? { ...criterion, message: `${criterion.message} ${why}` } : criterion

/** Every requirement was looked at: met, given up, or once more. */
const afterRound = (loop: Loop, definition: RequirementDefinition): ReadonlyArray<LoopFact> => {
  const { iteration, limit, offset } = loop
  const open = definition.requirements.filter((requirement) => !isMet(loop, requirement))
  const gate = gateOf(definition)
  // a missing status is unmet, and 0 of 0 is never met
  const all_requirements_met = gate.length > 0 && gate.every((requirement) => isMet(loop, requirement))
  // who was asked may have changed what others rest on: before it counts, the machine looks at everything once more
  if (all_requirements_met && loop.hasAsked && !loop.isConfirming) {
    return [ConfirmationStarted({ iteration, round: loop.round + 1 })]
  }
  const unmet_requirements = open.map(({ id }) => id)
  const all = definition.requirements.length
  const feedback_for_additional_tasks = openOf(loop, definition)
  const result: ReadonlyArray<LoopFact> = [
    RequirementsVerified({
      iteration,
      all_requirements_met,
      requirement_status: definition.requirements.map(({ id }) => statusOf(loop, id)),
      unmet_requirements,
      summary: `${all - open.length} of ${all} requirements are met.`,
      feedback_for_additional_tasks
    }),
    ...(iteration === offset ? [] : [IterationEnded({ iteration, unmet_requirements })])
  ]
  if (all_requirements_met) {
    const met = definition.requirements.filter((requirement) => isMet(loop, requirement)).map(({ id }) => id)
    return [...result, RequirementsMet({ iteration, met, unmet: unmet_requirements })]
  }
  if (iteration >= limit) {
    const ids = gate.filter((requirement) => !isMet(loop, requirement)).map(({ id }) => id)
    const message = `Not met after ${counted(iteration - offset, "iteration")}: ${ids.join(", ")}.`
    return [...result, unmet(loop, "iterations_used_up", message)]
  }
  const givenUp = givenUpFor(loop, definition)
  if (givenUp.length > 0) {
    const message = `A person has given up ${givenUp.join(", ")}, and nothing else is left to be met.`
    return [...result, unmet(loop, "execution_failed", message)]
  }
  const next = iteration + 1
  return [
    ...result,
    IterationStarted({
      iteration: next,
      status: generatingStatus({ iteration: next, offset }),
      unmet: unmetCriteria(loop, definition, false),
      previous_feedback: feedbackOf(loop, definition)
    })
  ]
}

/**
 * Tasks of the last iteration that a person has given up, where every criterion that is not met was theirs: the same work
 * would be planned again. Empty: something else can be done.
 */
const givenUpFor = (loop: Loop, definition: RequirementDefinition): ReadonlyArray<string> => {
  const last = loop.iterations.findLast(({ ended }) => ended !== null)
  const givenUp = (last?.ended?.tasks ?? []).flatMap(({ given_up, id }) => (given_up === true ? [id] : []))
  const open = new Set(unmetCriteria(loop, definition, false))
  const isTheirs = loop.planned
    .filter(({ id, iteration }) => iteration === loop.iteration && givenUp.includes(id))
    .flatMap(({ covers }) => covers.map(({ id }) => id))
  return [...open].every((id) => isTheirs.includes(id)) ? givenUp : []
}

const statusOf = (loop: Loop, id: string) => {
  const known = loop.requirements.get(id)
  return {
    requirement_id: id,
    met: known?.met === true,
    evidence: (known?.criteria ?? []).map((one) => `${one.id} ${one.verdict}: ${one.message}`).join("\n")
  }
}
