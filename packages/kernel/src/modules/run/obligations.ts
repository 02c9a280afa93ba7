import { Schema } from "effect"
import { type ProofConfig, WeakReason } from "./config.ts"
import { perVerdict, verdicts } from "./verdicts.ts"

/**
 * What an item, a task or a run comes to. `reviewed`: passed by a reviewer that the user named; `weak`: accepted by the
 * user's word although a reason speaks against the evidence. These, `proven` and `waived` count as done.
 */
export const Verdict = Schema.Literals(verdicts).annotate({
  identifier: "Verdict",
  description:
    "What an item or a task comes to. `reviewed`: passed by a reviewer that the user named; `weak`: accepted by the user's word although a reason speaks against the evidence. These, `proven` and `waived` count as done."
})
export type Verdict = typeof Verdict.Type

/** What has passed comes to `shown`, unless something speaks against it that the user does not accept. */
export const shownVerdict = (
  { accept }: ProofConfig,
  hasPassed: boolean,
  shown: "proven" | "reviewed",
  weak: ReadonlyArray<WeakReason>
): Verdict => {
  if (!hasPassed) return "unproven"
  if (weak.length === 0) return shown
  return weak.every((reason) => accept.includes(reason)) ? "weak" : "unproven"
}

/** What shows something. */
export const ShownBy = Schema.Literals(["evidence", "check", "review", "person"])
export type ShownBy = typeof ShownBy.Type

/** One thing that has to hold, and what shows it. */
export interface Obligation {
  /** `criterion`: of a validation or a requirement; `command`: a check, where nothing else shows the task. */
  readonly kind: "item" | "criterion" | "command"
  /** The item, the criterion or the command. */
  readonly text: string
  readonly verdict: Verdict
  /** Null: nothing shows it. */
  readonly shown_by: ShownBy | null
  /** Who reviewed it; null: nobody. */
  readonly reviewer: string | null
  /** Why it shows less than it seems to. */
  readonly weak: ReadonlyArray<WeakReason>
}

const worstFirst = ["refuted", "stale", "unproven", "weak", "reviewed", "proven"] as const

/** What several come to together. Where nothing is shown nothing is proven, whatever was waived. */
export const worstOf = (all: ReadonlyArray<Pick<Obligation, "verdict">>): Verdict =>
  worstFirst.find((verdict) => all.some((one) => one.verdict === verdict)) ?? (all.length === 0 ? "unproven" : "waived")

/** How many came to each verdict. */
export const verdictCounts = (all: ReadonlyArray<Pick<Obligation, "verdict">>): ProofCounts =>
  perVerdict((verdict) => all.filter((one) => one.verdict === verdict).length)

/** How many of what has to hold came to which verdict: items, criteria that are no items, commands where there is nothing else. */
export const ProofCounts = Schema.Struct(perVerdict(() => Schema.Int)).annotate({
  identifier: "Counts",
  description: "How many of what has to hold came to which verdict."
})
export type ProofCounts = typeof ProofCounts.Type

/** What a run has shown, as it is written down when it ends. */
export const RecordedProof = Schema.Struct({
  verdict: Schema.Literals(["proven", "reviewed", "weak", "unproven"]).annotate({
    identifier: "RunVerdict",
    description: "`unproven` unless the run is completed and everything required of it counts as done."
  }),
  counts: ProofCounts,
  reviewers: Schema.Array(Schema.String).annotate({ description: "Who reviewed something, by name." }),
  weak: Schema.Array(WeakReason).annotate({
    description: "Reasons that the user accepts and that hold for something."
  })
})

/** What a run has shown. Checks are named beside what they stand for: where evidence shows a task, `counts` has none of them. */
export const RunProof = Schema.Struct({
  ...RecordedProof.fields,
  checks_failed: Schema.optionalKey(Schema.Int).annotate({
    description: "Check commands that did not pass in the last attempt at their tasks; left out: none."
  })
})
export type RunProof = typeof RunProof.Type

/** What a run has shown, by all that has to hold for it. */
export const proofBy = (all: ReadonlyArray<Obligation>, isCompleted: boolean): typeof RecordedProof.Type => {
  const shown = worstOf(all)
  return {
    verdict: isCompleted && (shown === "proven" || shown === "reviewed" || shown === "weak") ? shown : "unproven",
    counts: verdictCounts(all),
    reviewers: [...new Set(all.flatMap(({ reviewer, verdict }) => (verdict === "reviewed" ? (reviewer ?? []) : [])))],
    weak: [...new Set(all.flatMap(({ verdict, weak }) => (verdict === "weak" ? weak : [])))]
  }
}
