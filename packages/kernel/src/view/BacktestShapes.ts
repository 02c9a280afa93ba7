/** What other rules would have decided about the claims of past runs. docs/backtest.md says how it is judged. */
import { Schema } from "effect"
import type { ClaimDecision, Truth } from "./Decisions.ts"
import { Count, described, Text, TextOrNull, Texts } from "./fields.ts"

const Outcome = Schema.Literals(["accepted", "refused", "open"]).annotate({
  identifier: "DecisionOutcome",
  description: "`open`: neither; what it still waits for is not in the log."
})

const Decided = Schema.Struct({
  outcome: Outcome,
  reasons: described("Why it is refused; of what is accepted why it is weak.", Texts)
})

/** A decision that would change. */
export const ChangedDecision = Schema.Struct({
  run_id: Text,
  version: described("Version of the first event of what was recorded of it.", Count),
  task_id: Text,
  attempt: Count,
  item_index: described("Null: it is about the attempt as a whole.", Schema.NullOr(Count)),
  item: TextOrNull,
  evidence: TextOrNull,
  recorded: Decided,
  policy: Decided,
  truth: described(
    "What the log says later: `held`, or `did_not_hold`.",
    Schema.Literals(["held", "did_not_hold", "unknown"])
  ),
  changed_by: described(
    "`version`: the rules of today differ from those of then in this, with or without the policy.",
    Schema.Literals(["policy", "version"])
  )
}).annotate({ identifier: "ChangedDecision" })
export type ChangedDecision = typeof ChangedDecision.Type

const Score = Schema.Struct({
  refused: described("Decisions with a known truth that refuse.", Count),
  right: described("Of these, what did not hold.", Count),
  precision: described("`right` / `refused`; null: nothing was refused.", Schema.NullOr(Schema.Finite)),
  recall: described("`right` / `did_not_hold`; null: everything held.", Schema.NullOr(Schema.Finite))
}).annotate({ identifier: "Score" })

/** How right refusals are. */
export const Scores = Schema.Struct({
  decisions: Count,
  known: described("Decisions of which the log says later whether they were right.", Count),
  did_not_hold: described("Of these, claims that did not hold.", Count),
  few: described("Too few are known for the figures to say much.", Schema.Boolean),
  recorded: Score,
  policy: Score
}).annotate({ identifier: "Scores" })
export type Scores = typeof Scores.Type

/** A decision with what the policy would make of it. */
export interface Compared {
  readonly recorded: Pick<ClaimDecision, "outcome">
  readonly policy: Pick<ClaimDecision, "outcome">
  readonly truth: Truth
}

/** Fewer known decisions than this say little. */
const fewBelow = 30

/** Precision and recall of refusals: what is refused should be what does not hold. */
export const scoresOf = (all: ReadonlyArray<Compared>): Scores => {
  const known = all.filter(({ truth }) => truth !== "unknown")
  const did_not_hold = known.filter(({ truth }) => truth === "did_not_hold").length
  const scoreOf = (side: "recorded" | "policy") => {
    const refusals = known.filter((one) => one[side].outcome === "refused")
    const right = refusals.filter(({ truth }) => truth === "did_not_hold").length
    return {
      refused: refusals.length,
      right,
      precision: refusals.length === 0 ? null : right / refusals.length,
      recall: did_not_hold === 0 ? null : right / did_not_hold
    }
  }
  return {
    decisions: all.length,
    known: known.length,
    did_not_hold,
    few: known.length < fewBelow,
    recorded: scoreOf("recorded"),
    policy: scoreOf("policy")
  }
}
