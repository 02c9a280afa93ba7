/** What agents claimed, what held, and what it cost. docs/history.md says how each figure is counted. */
import { Schema } from "effect"
import { Count, described, Text, Texts, Time } from "./fields.ts"

/** What figures may be kept apart by. */
export const statsKeys = ["agent", "model", "task", "kind", "run"] as const
export const StatsKey = Schema.Literals(statsKeys).annotate({ identifier: "StatsKey" })
export type StatsKey = typeof StatsKey.Type

const Money = Schema.Finite
const Ratio = Schema.NullOr(Schema.Finite)

/** Figures that several parts of runs have together by adding them up. */
const counted = {
  attempts: described("Attempts of agents at tasks.", Count),
  lost: described("Attempts that ended with Proofline itself: a crash, or a machine that went away.", Count),
  retries: described("Attempts that are not the first at their task, without those after one that was lost.", Count),
  claimed: described("Items that reports call done; an item that is claimed in two reports counts twice.", Count),
  accepted: described("Of these, how many were accepted when they were judged.", Count),
  refusals: described(
    "How often something was refused, by reason. Weak evidence stands under each reason of its own.",
    Schema.Record(Text, Count)
  ),
  stale: described("Items that were accepted, and did not hold any more when they were judged again.", Count),
  asked: described("Items that reports had to speak of.", Count),
  omitted: described("Of these, items that the report does not mention.", Count),
  items: described("Items by how they stand now; each once.", Count),
  items_proven: Count,
  items_weak: Count,
  items_waived: Count,
  items_open: described("Unproven, refuted or stale.", Count),
  duration_ms: described("How long attempts took, together.", Count),
  duration_unknown: described("Attempts of which that is not known.", Count),
  calls: described("Calls of agents that are known: attempts, reviews, plans, verifications.", Count),
  input_tokens: Count,
  output_tokens: Count,
  tokens_unknown: described("Calls of which tokens are not known; they are in no sum.", Count),
  cost_usd: Money,
  cost_unknown: described("Calls of which the cost is not known; they are in no sum.", Count)
}

export const StatsFigures = Schema.Struct(counted)
export type StatsFigures = typeof StatsFigures.Type

const rest = {
  runs: Count,
  tasks: described("Outermost tasks; a task of two runs counts twice.", Count),
  ...counted,
  refused: described("Refusals, whatever their reason.", Count),
  input_tokens: described("Null: no call says it.", Schema.NullOr(Count)),
  output_tokens: described("Null: no call says it.", Schema.NullOr(Count)),
  cost_usd: described("US dollars. Null: no call says it.", Schema.NullOr(Money)),
  acceptance_rate: described("`accepted` / `claimed`; null: nothing was claimed.", Ratio),
  omission_rate: described("`omitted` / `asked`; null: nothing was to be reported.", Ratio),
  per_proven_item: Schema.Struct({
    duration_ms: described("Null: nothing is proven.", Ratio),
    tokens: described("Input and output. Null: nothing is proven, or no call says it.", Ratio),
    cost_usd: described("Null: nothing is proven, or no call says it.", Ratio)
  }).annotate({
    description: "What is known of it, divided by `items_proven`: at least so much where something is unknown."
  })
}

/** Of a key that was asked for; null: there is none, or it is not known. */
const keys = Object.fromEntries(statsKeys.map((key) => [key, Schema.optionalKey(Schema.NullOr(Text))])) as Record<
  StatsKey,
  Schema.optionalKey<Schema.NullOr<typeof Text>>
>

export const StatsTotal = Schema.Struct(rest).annotate({ identifier: "StatsTotal" })
export type StatsTotal = typeof StatsTotal.Type
export const StatsGroup = Schema.Struct({ ...keys, ...rest }).annotate({
  identifier: "StatsGroup",
  description: "The keys that were asked for, in that order, and the figures of all that has them in common."
})
export type StatsGroup = typeof StatsGroup.Type

export const Stats = Schema.Struct({
  by: described("What figures are kept apart by.", Schema.Array(StatsKey)),
  since: described("Only runs that began then or later; null: all runs.", Schema.NullOr(Time)),
  values: described(
    "By key, how many values of it are known: figures are not kept apart by one that has none.",
    Schema.Struct(Object.fromEntries(statsKeys.map((key) => [key, Count])) as Record<StatsKey, typeof Count>)
  ),
  groups: described("The greatest number of claims first.", Schema.Array(StatsGroup)),
  total: StatsTotal,
  left_out: described(
    "Runs that are not counted: their events are not in this log, cannot be read, are not as they were written, or are redacted.",
    Schema.Array(Schema.Struct({ run_id: Text, code: Text, message: Text }))
  ),
  reasons: described("All reasons of refusals, the most frequent first.", Texts)
}).annotate({
  identifier: "Stats",
  description: "What agents claimed, what held, and what it cost, as the log counts it."
})
export type Stats = typeof Stats.Type
