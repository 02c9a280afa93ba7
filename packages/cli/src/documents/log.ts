/** Logs and what is moved between them. */
import { Count, described, Problem, Text } from "@proofline/kernel"
import { Schema } from "effect"
import { document } from "./Document.ts"

const LogName = described("The file of the log, or host, port and name of its database.", Text)
const hash = described("Of its last event; null: nothing of it is there.", Schema.NullOr(Text))

export const logCopyDocument = document({
  name: "log-copy",
  kinds: ["log-copy"],
  title: "Output of log copy",
  description: "What `proofline log copy --json` prints.",
  data: Schema.Struct({
    from: LogName,
    to: LogName,
    runs: described(
      "Oldest first, task runs before the run that they are a part of.",
      Schema.Array(
        Schema.Struct({
          run_id: Text,
          outcome: described(
            "`there`: it was there already; `left_out`, `refused`: for `problem`, and nothing of it was written.",
            Schema.Literals(["copied", "there", "left_out", "refused"])
          ),
          events: described("In the target.", Count),
          added: described("Of them, those that came now.", Count),
          blobs: Count,
          blobs_missing: described("Names of blobs that are not there any more.", Schema.Array(Text)),
          hash,
          moved: described("It is not completed, and goes on in the target alone.", Schema.Boolean),
          problem: Schema.NullOr(Problem)
        })
      )
    ),
    verified: described("Runs whose chain was computed again in the target, and ends as in the source.", Count)
  }),
  examples: [
    {
      from: "/project/.proofline/state/proofline.db",
      to: "/archive/proofline.db",
      runs: [
        {
          run_id: "run_20260101_100000_k3x9q2",
          outcome: "copied",
          events: 42,
          added: 42,
          blobs: 6,
          blobs_missing: [],
          hash: "a".repeat(64),
          moved: false,
          problem: null
        }
      ],
      verified: 1
    }
  ]
})
