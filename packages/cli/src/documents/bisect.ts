/** The attempt after which a command fails. */
import { Count, described, Ordinal, Text } from "@proofline/kernel"
import { Schema } from "effect"
import { document } from "../base/Document.ts"

const TextOrNull = Schema.NullOr(Text)
const OrdinalOrNull = Schema.NullOr(Ordinal)
const ExitCode = described("Null: a signal ended the command, or it was not run.", Schema.NullOr(Schema.Int))

const End = Schema.Struct({ version: Ordinal, exit_code: ExitCode })

const Data = Schema.Struct({
  run_id: described("The run whose attempt it is.", Text),
  asked_run_id: described("The run that was asked for: another one where a task run of it did it.", Text),
  attempt: described("Null: no attempt did it; `notes` says what is known.", OrdinalOrNull),
  task_id: described("The task of the attempt, or whose subtasks were put together.", TextOrNull),
  version: described("Version of the event of `run_id` from which on the command fails.", Ordinal),
  agent: TextOrNull,
  outcome: described("How the attempt ended.", TextOrNull),
  claim: described("What the agent said at its end.", TextOrNull),
  command: Text,
  good: described("The first tree: the command passes.", End),
  bad: described("The last tree: it fails.", End),
  steps: described(
    "Calls of tools within the attempt, one of which did it; empty where the attempt is the finest answer.",
    Schema.Array(
      Schema.Struct({
        line: described("Its last line among what the agent told.", Ordinal),
        at: Text,
        title: Text,
        files: Schema.Array(Text),
        status: Text
      })
    )
  ),
  files: described(
    "What differs between the last tree that is good and the first that is bad.",
    Schema.Array(
      Schema.Struct({
        path: Text,
        added: described("Lines; null: not counted.", Schema.NullOr(Count)),
        removed: Schema.NullOr(Count),
        by_attempt: described(
          "It was seen to change while the attempt worked; null: nobody looked.",
          Schema.NullOr(Schema.Boolean)
        )
      })
    )
  ),
  trees: described(
    "Commits of the last tree that is good and of the first that is bad; null: it is in no repository.",
    Schema.Struct({ good: TextOrNull, bad: TextOrNull })
  ),
  tried: described(
    "All trees in which the command was run, in order.",
    Schema.Array(
      Schema.Struct({
        what: Text,
        version: OrdinalOrNull,
        task_id: TextOrNull,
        attempt: OrdinalOrNull,
        verdict: Schema.Literals(["good", "bad", "skip"]),
        exit_code: ExitCode,
        signal: TextOrNull,
        timed_out: Schema.Boolean,
        problem: described("Why it was not run.", TextOrNull)
      })
    )
  ),
  notes: described("What is uncertain, one sentence each.", Schema.Array(Text))
})
export type Bisected = typeof Data.Type

export const bisectDocument = document({
  name: "bisect",
  kinds: ["bisect"],
  title: "Output of bisect",
  description: "What `proofline bisect --json` prints.",
  data: Data,
  examples: [
    {
      ...{ run_id: "run_01", asked_run_id: "run_01", attempt: 2, task_id: "login", version: 31 },
      ...{ agent: "claude", outcome: "COMPLETE", claim: "Added login().", command: "npm test" },
      good: { version: 1, exit_code: 0 },
      bad: { version: 80, exit_code: 1 },
      steps: [
        { line: 12, at: "2026-01-01T11:00:00.000Z", title: "Edit src/auth.ts", files: ["src/auth.ts"], status: "done" }
      ],
      files: [{ path: "src/auth.ts", added: 7, removed: 2, by_attempt: true }],
      trees: { good: "0".repeat(40), bad: "1".repeat(40) },
      tried: [
        {
          ...{ what: "the beginning of run_01", version: 1, task_id: null, attempt: null },
          ...{ verdict: "good", exit_code: 0, signal: null, timed_out: false, problem: null }
        }
      ],
      notes: []
    }
  ]
})
