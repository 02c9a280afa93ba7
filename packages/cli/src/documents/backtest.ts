/** What other rules would have decided. */
import { ChangedDecision, Count, described, Scores, Text, Texts } from "@proofline/kernel"
import { Schema } from "effect"
import { document } from "../base/Document.ts"

const score = { refused: 2, right: 2, precision: 1, recall: 1 }

export const backtestDocument = document({
  name: "backtest",
  kinds: ["backtest"],
  title: "Output of backtest",
  description: "What `proofline backtest --json` prints.",
  data: Schema.Struct({
    policies: described("The plugins that were tried, together.", Texts),
    accept: described("The reasons that were accepted beside those of each run.", Texts),
    runs: described("Runs that were gone through.", Count),
    items: described("Claims that an item is done.", Scores),
    attempts: described("Attempts, as they were judged by commands and reviews of then.", Scores),
    not_judgeable: described("Decisions that the log holds too little for.", Count),
    changed: described(
      "Decisions that would change, each on the run as it was recorded.",
      Schema.Array(ChangedDecision)
    ),
    left_out: described(
      "Runs that were not gone through.",
      Schema.Array(Schema.Struct({ run_id: Text, code: Text, message: Text }))
    ),
    integrity: described(
      "Runs whose log is not as it was written; nothing of them is judged.",
      Schema.Array(Schema.Struct({ run_id: Text, code: Text, message: Text }))
    )
  }),
  examples: [
    {
      policies: [],
      accept: ["untouched"],
      runs: 1,
      items: {
        decisions: 4,
        known: 3,
        did_not_hold: 2,
        few: true,
        recorded: score,
        policy: { ...score, refused: 1, right: 1, recall: 0.5 }
      },
      attempts: { decisions: 2, known: 2, did_not_hold: 1, few: true, recorded: score, policy: score },
      not_judgeable: 0,
      changed: [
        {
          run_id: "run_01",
          version: 13,
          task_id: "login",
          attempt: 1,
          item_index: 0,
          item: "Add login()",
          evidence: "src/auth.ts:3-9",
          recorded: { outcome: "refused", reasons: ["untouched"] },
          policy: { outcome: "accepted", reasons: ["untouched"] },
          truth: "did_not_hold",
          changed_by: "policy"
        }
      ],
      left_out: [],
      integrity: []
    }
  ]
})
export type BacktestData = typeof backtestDocument.data.Type
