import type { Failure } from "@proofline/kernel"
import type { Answer, Body } from "../../operations/Answer.ts"
import { malformed, mismatch } from "../../operations/answers.ts"
import { instructed } from "./rules/instructions.ts"
import { failureOf } from "./rules/phaseTexts.ts"
import type { AnyRun } from "./state.ts"

const textsOf = (state: AnyRun) => ({
  one: instructed(state, "failures_one"),
  many: instructed(state, "failures_many"),
  next: instructed(state, "failures_next")
})

/** Everything that is wrong with what was handed in, in the words of the contract. */
export const mismatched = (state: AnyRun, failures: ReadonlyArray<Failure>, sessionStatus: Body): Answer =>
  mismatch(failures, sessionStatus, textsOf(state))

/** The same of arguments, whose faults were found without the contract. */
export const malformedIn = (state: AnyRun, failures: ReadonlyArray<Failure>, sessionStatus: Body): Answer => {
  const { phases } = state.sessions
  const said =
    phases === null
      ? failures
      : failures.map(({ fields, item, key, message }) => failureOf(phases, phases.phase, key, fields, item, message))
  return malformed(said, sessionStatus, textsOf(state))
}
