/** What agents claimed, what held, and what it cost. */
import { Stats } from "@proofline/kernel"
import { document } from "../base/Document.ts"

const figures = {
  runs: 2,
  tasks: 3,
  attempts: 5,
  lost: 0,
  retries: 2,
  claimed: 14,
  accepted: 11,
  refusals: { checklist_evidence_empty_impl: 2, untouched: 1 },
  stale: 0,
  asked: 16,
  omitted: 2,
  items: 8,
  items_proven: 7,
  items_weak: 0,
  items_waived: 1,
  items_open: 0,
  duration_ms: 61_000,
  duration_unknown: 0,
  calls: 5,
  input_tokens: 4_000,
  output_tokens: 900,
  tokens_unknown: 1,
  cost_usd: null,
  cost_unknown: 5,
  refused: 3,
  acceptance_rate: 11 / 14,
  omission_rate: 2 / 16,
  per_proven_item: { duration_ms: 61_000 / 7, tokens: 700, cost_usd: null }
}

export const statsDocument = document({
  name: "stats",
  kinds: ["stats"],
  title: "Output of stats",
  description: "What `proofline stats --json` prints.",
  data: Stats,
  examples: [
    {
      by: ["agent"],
      since: null,
      groups: [{ agent: "claude", ...figures }],
      total: figures,
      values: { agent: 1, model: 0, task: 1, kind: 1, run: 1 },
      left_out: [],
      reasons: ["checklist_evidence_empty_impl", "untouched"]
    }
  ]
})
