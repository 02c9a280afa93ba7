import { answerLeadsTo } from "@proofline/kernel"
import { Result } from "effect"
import { parseNotation } from "../../../operations/payloadNotation.ts"
import type { Phase, Scalar, Transition } from "./PhaseContract.ts"
import { conditionContextOf, phaseOf, transitionOf } from "./phase.ts"
import type { PhasesState, State } from "./state.ts"

/** Answers that a person may give in a phase, with where they lead as things stand. */
export interface PersonAnswers {
  readonly named: ReadonlyArray<{
    /** Words of the same meaning. */
    readonly answer: ReadonlyArray<string>
    /** The phase that follows; empty: the contract names none. */
    readonly goes_on_with: string
    readonly leads_to: string
  }>
  /** Where any other text leads; null: none is taken. */
  readonly other: string | null
}

/**
 * Those that the contract names: in a transition, or as a word that the answer may be. What follows is told by the contract
 * itself, as if it were the answer.
 */
export const personAnswersOf = (state: State, phases: PhasesState, phase: Phase): PersonAnswers => {
  const leads = (answer: unknown) => {
    const taken = transitionOf(phase.transitions, conditionContextOf(state, phases, { answer }))
    const to = taken?.to ?? ""
    const then = taken === undefined ? null : { phase: to, kind: phaseOf(phases, to)?.kind ?? "" }
    const tried = phase.transitions.slice(0, taken === undefined ? undefined : phase.transitions.indexOf(taken) + 1)
    const unless = tried.some(looksElsewhere) ? " A comment may lead elsewhere." : ""
    return { goes_on_with: to, leads_to: `${answerLeadsTo(then)}${unless}` }
  }
  const { takesOther, words } = wordsOf(phase)
  const groups: ReadonlyArray<ReadonlyArray<Scalar>> = [
    ...phase.transitions.flatMap(({ when }) => {
      const answer = when?.payload?.["answer"]
      return answer === undefined ? [] : [[answer].flat() as ReadonlyArray<Scalar>]
    }),
    ...words.map((word) => [word])
  ]
  const known = new Set<Scalar>()
  const named = groups.flatMap((group) => {
    const fresh = group.filter((one) => !known.has(one))
    for (const one of fresh) known.add(one)
    const [first] = fresh
    return first === undefined ? [] : [{ answer: fresh.map(String), ...leads(first) }]
  })
  return { named, other: takesOther ? leads(unnamed).leads_to : null }
}

/** What else is said decides whether it is taken. */
const looksElsewhere = ({ unless = {}, when = {} }: Transition): boolean =>
  [when, unless].some(({ empty = [], filled = [], payload = {} }) =>
    [...empty, ...filled, ...Object.keys(payload)].some((field) => field !== "answer")
  )

/** A text that no contract names. */
const unnamed = "\u0000"

/** What the answer may be: these words, and whether anything else. */
const wordsOf = ({
  expected_payload
}: Phase): { readonly words: ReadonlyArray<string>; readonly takesOther: boolean } => {
  const notation = expected_payload["answer"] ?? expected_payload["answer?"] ?? "any"
  const type = parseNotation(notation)
  if (Result.isFailure(type)) return { words: [], takesOther: true }
  const { members } = type.success
  return {
    words: members.flatMap((member) => (member.kind === "literals" ? member.texts : [])),
    takesOther: members.some(({ kind }) => kind !== "literals" && kind !== "bool")
  }
}
