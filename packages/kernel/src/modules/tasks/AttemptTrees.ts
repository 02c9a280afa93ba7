import { Schema } from "effect"
import { ProjectTree } from "../run/schemas.ts"

/** The files around an attempt, as far as somebody looked. A tree that is left out is the newest before it. */
export const AttemptTrees = Schema.Struct({
  /** When it began, where that is not what the last attempt left. */
  before: Schema.optionalKey(ProjectTree),
  /** When it ended. */
  after: Schema.optionalKey(ProjectTree),
  /** While it worked: how many of its steps it had told when the look at the files began, and when it ended. */
  steps: Schema.optionalKey(Schema.Array(Schema.Struct({ since: Schema.Int, step: Schema.Int, tree: ProjectTree }))),
  /** It worked in a worktree of its own, and these are trees of that. */
  worktree: Schema.optionalKey(Schema.Literal(true)),
  /** Others were at work in the directory: what they had done by halves is in them too. */
  among_others: Schema.optionalKey(Schema.Literal(true)),
  /** In none of the trees: repositories within the project (with a `/` at the end), and files that are too large. */
  left_out: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Why there is a tree too few; a sentence. */
  problem: Schema.optionalKey(Schema.String)
})
export type AttemptTrees = typeof AttemptTrees.Type
