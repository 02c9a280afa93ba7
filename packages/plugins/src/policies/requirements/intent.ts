/** What a requirements file no longer asks for. Asking for more is nobody's decision but the file's; asking for less is. */
import { Schema } from "effect"
import type { AcceptanceCriterion, Requirement, RequirementDefinition } from "./definition.ts"

/** One way in which a file asks for less than before, or for something else. */
export const IntentChange = Schema.Struct({
  /** Id of a requirement or criterion, or the key of the file: `constraints`, `verification.verifier`. */
  id: Schema.String,
  change: Schema.Literals(["dropped", "reworded", "made_optional", "check_removed", "check_changed", "loosened"]),
  before: Schema.String,
  /** Null: nothing took its place. */
  after: Schema.NullOr(Schema.String)
})
export type IntentChange = typeof IntentChange.Type

type Changes = ReadonlyArray<IntentChange>

/** Line breaks and blanks are no words. */
const words = (text: string): string => text.trim().replace(/\s+/g, " ")
const isSame = (a: string | null, b: string | null): boolean => words(a ?? "") === words(b ?? "")

/** Where `now` asks for less than `before`, or for something else; what it adds is no change of this kind. */
export const intentChanges = (before: RequirementDefinition, now: RequirementDefinition): Changes => {
  const current = new Map(now.requirements.map((requirement) => [requirement.id, requirement]))
  return [
    ...before.requirements.flatMap((requirement) => {
      const { id } = requirement
      const after = current.get(id)
      return after === undefined ? [dropped(id, titleOf(requirement))] : changesOf(requirement, after)
    }),
    ...unmatched(before.constraints, now.constraints, String).map(({ before: text, now: after }) =>
      after === null ? dropped("constraints", text) : reworded("constraints", text, after)
    ),
    ...loosened(before.verification, now.verification)
  ]
}

const dropped = (id: string, before: string): IntentChange => ({ id, change: "dropped", before, after: null })
const reworded = (id: string, before: string, after: string): IntentChange => ({
  id,
  change: "reworded",
  before,
  after
})

const titleOf = ({ description, name }: Requirement): string => name ?? description

const changesOf = (before: Requirement, now: Requirement): Changes => {
  const { id } = before
  return [
    ...(isSame(before.name, now.name) ? [] : [reworded(id, before.name ?? "", now.name ?? "")]),
    ...(isSame(before.description, now.description) ? [] : [reworded(id, before.description, now.description)]),
    ...(before.priority === "required" && now.priority === "optional"
      ? [{ id, change: "made_optional", before: titleOf(before), after: titleOf(now) } as const]
      : []),
    ...before.acceptance_criteria.flatMap((criterion) => {
      const same = now.acceptance_criteria.find((one) => isSame(one.criterion, criterion.criterion))
      return same === undefined ? [] : shownOtherwise(criterion, same)
    }),
    ...unmatched(before.acceptance_criteria, now.acceptance_criteria, ({ criterion }) => criterion).map(
      ({ before: one, now: after }) =>
        after === null ? dropped(one.id, one.criterion) : reworded(one.id, one.criterion, after.criterion)
    )
  ]
}

/** The same words, shown in another way. */
const shownOtherwise = ({ check, id, verify }: AcceptanceCriterion, now: AcceptanceCriterion): Changes => [
  ...(check === null || isSame(check, now.check)
    ? []
    : [
        { id, change: now.check === null ? "check_removed" : "check_changed", before: check, after: now.check } as const
      ]),
  ...(verify === null || isSame(verify, now.verify) ? [] : [reworded(id, verify, now.verify ?? "")])
]

interface Unmatched<A> {
  readonly before: A
  /** What stands in its place and was not there before; null: nothing does. */
  readonly now: A | null
}

/** What is not there any more, with what took its place in the list. */
const unmatched = <A>(
  before: ReadonlyArray<A>,
  now: ReadonlyArray<A>,
  textOf: (one: A) => string
): ReadonlyArray<Unmatched<A>> => {
  const isIn = (all: ReadonlyArray<A>, one: A): boolean => all.some((other) => isSame(textOf(other), textOf(one)))
  return before.flatMap((one, index) => {
    if (isIn(now, one)) return []
    const successor = now[index]
    return [{ before: one, now: successor === undefined || isIn(before, successor) ? null : successor }]
  })
}

type Verification = RequirementDefinition["verification"]

const loosened = (before: Verification, now: Verification): Changes => [
  ...(before.verifier === now.verifier || before.verifier === "none"
    ? []
    : [{ id: "verification.verifier", change: "loosened", before: before.verifier, after: now.verifier } as const]),
  ...(before.trust_agent || !now.trust_agent
    ? []
    : [{ id: "verification.trust_agent", change: "loosened", before: "false", after: "true" } as const])
]

const changeTexts: Record<IntentChange["change"], string> = {
  dropped: "was dropped",
  reworded: "was reworded",
  made_optional: "is optional now",
  check_removed: "has no check any more",
  check_changed: "has another check",
  loosened: "was loosened"
}

/** One change in a sentence without its full stop. */
export const intentChangeText = ({ after, before, change, id }: IntentChange): string =>
  change === "made_optional" || after === null
    ? `${id} ${changeTexts[change]} (${before})`
    : `${id} ${changeTexts[change]} (${before} → ${after})`
