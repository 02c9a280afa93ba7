import { BlobRef, LineFact } from "@proofline/kernel"
import { Schema } from "effect"
import { contents, LoopCheck, ReceiptCheck } from "./contents.ts"
import { GeneratedTask } from "./definition.ts"

const { changed, ...file } = contents.REQUIREMENTS_LOADED.fields

/** The requirements of a run, at its beginning or when their file has changed. */
export const LoadArgs = Schema.Struct(file)
export type LoadArgs = typeof LoadArgs.Type

/** Names what is asked: in which iteration, after which verification, and how often. */
const asked = { iteration: Schema.Int, round: Schema.Int, ask: Schema.Int }

/** Whether an answer is waited for. */
export const BeginArgs = Schema.Struct({
  /** `look`: the machine does, and nobody is asked. */
  role: Schema.Literals(["generate", "verify", "look"]),
  ...asked,
  /** Null for tasks. */
  requirement_id: Schema.NullOr(Schema.String)
})
export type BeginArgs = typeof BeginArgs.Type

/** What the machine has seen of a requirement. */
export const FactsArgs = Schema.Struct({
  iteration: Schema.Int,
  round: Schema.Int,
  requirement_id: Schema.String,
  runs: Schema.Array(LoopCheck),
  receipts: Schema.Array(ReceiptCheck)
})
export type FactsArgs = typeof FactsArgs.Type

const answer = {
  /** Why the answer cannot be used, in sentences. */
  problems: Schema.Array(Schema.String),
  /** As it was given; null: nothing was. */
  answer: Schema.NullOr(Schema.String),
  output: Schema.NullOr(BlobRef)
}

/** What a generator has answered. With `problems` the answer cannot be used and `tasks` is empty. */
export const PlanArgs = Schema.Struct({
  generator: Schema.String,
  ...asked,
  tasks: Schema.Array(GeneratedTask),
  ...answer
})
export type PlanArgs = typeof PlanArgs.Type

/** What a verifier has answered. With `problems` the answer cannot be used, and `met` is false. */
export const OpinionArgs = Schema.Struct({
  verifier: Schema.String,
  ...asked,
  requirement_id: Schema.String,
  met: Schema.Boolean,
  evidence: Schema.String,
  /** What the disk says of every `path:line` in the evidence. */
  facts: Schema.Array(LineFact),
  ...answer
})
export type OpinionArgs = typeof OpinionArgs.Type
