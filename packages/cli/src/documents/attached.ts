/** Receipts that travel with the code, and what they show of a commit. */
import { Count, described, Ordinal, Text, VerificationView } from "@proofline/kernel"
import { Schema } from "effect"
import { document, oneProven } from "../base/Document.ts"

const aCommit = "3f0c5e1b7a9d2c4e6f8091a2b3c4d5e6f7a8b9c0"

export const attachDocument = document({
  name: "receipts-attach",
  kinds: ["receipts-attach"],
  title: "Output of receipts attach",
  description: "What `proofline receipts attach --json` prints.",
  data: Schema.Struct({
    run_id: Text,
    commit: described("The commit that has the note.", Text),
    attached: described("False: it was there already.", Schema.Boolean),
    notes_ref: Text,
    receipts_ref: described("Holds the same as the note, for the run.", Text),
    receipts: Count,
    holding: described("How many of them hold in the commit.", Count),
    keyid: described("Of the key that signed them; null: they are not signed.", Schema.NullOr(Text)),
    pushed_to: Schema.NullOr(Text),
    push: described("A command that sends it to others.", Text),
    fetch: described("A command with which others get it.", Text)
  }),
  examples: [
    {
      run_id: "run_01",
      commit: aCommit,
      attached: true,
      notes_ref: "refs/notes/proofline",
      receipts_ref: "refs/proofline/receipts/run_01",
      receipts: 3,
      holding: 3,
      keyid: null,
      pushed_to: null,
      push: "git push origin refs/notes/proofline refs/proofline/receipts/run_01",
      fetch:
        "git fetch --no-tags origin 'refs/notes/proofline*:refs/notes/proofline*' 'refs/proofline/receipts/*:refs/proofline/receipts/*'"
    }
  ]
})

/** What a finding is about. */
export const FindingRule = Schema.Literals([
  "receipt-stale",
  "receipt-missing",
  "receipt-moved",
  "run-unproven",
  "receipts-none",
  "receipts-inherited",
  "receipts-by-content",
  "receipts-elsewhere",
  "file-unknown",
  "attached-unreadable",
  "signature-broken",
  "signer-unknown",
  "signature-none"
])
export type FindingRule = typeof FindingRule.Type

export const Finding = Schema.Struct({
  rule: FindingRule,
  level: described("`error` decides the exit code.", Schema.Literals(["error", "warning", "note"])),
  message: Text,
  path: described("From the top of the repository; null: it is about no file.", Schema.NullOr(Text)),
  start: described("The first line of it; null: the file as a whole.", Schema.NullOr(Ordinal)),
  end: Schema.NullOr(Ordinal),
  run_id: Schema.NullOr(Text),
  task_id: Schema.NullOr(Text),
  item_index: Schema.NullOr(Count)
}).annotate({ identifier: "Finding" })
export type Finding = typeof Finding.Type

export const AttachedRun = Schema.Struct({
  commit: described(
    "The commit that it is attached to; null: it was found by the name of the run.",
    Schema.NullOr(Text)
  ),
  project: described("The folder of the project in its repository; empty: the top.", Text),
  claimed_by: described("Ids of the keys that are said to have signed it.", Schema.Array(Text)),
  ...VerificationView.fields
}).annotate({ identifier: "AttachedRun" })
export type AttachedRun = typeof AttachedRun.Type

/** What is attached to a commit, and what of it holds there. */
export const CommitProof = Schema.Struct({
  commit: Text,
  base: described("What was looked at is what came after this commit; null: the commit alone.", Schema.NullOr(Text)),
  whole: described("There are receipts, all of them hold, and nothing speaks against it.", Schema.Boolean),
  found: described(
    "Where the receipts were: on the `commit`; in the `range` from its base; of the `run` that was named; by their `content`, for their own commit was rebased or squashed; on the nearest `ancestors`; `none`.",
    Schema.Literals(["commit", "range", "run", "content", "ancestors", "none"])
  ),
  signatures: Schema.Struct({
    required: described("What no trusted key signed is refused.", Schema.Boolean),
    keys: described("Ids of the trusted keys.", Schema.Array(Text)),
    from: described("Where they are from.", Schema.Array(Text))
  }),
  runs: Schema.Array(AttachedRun),
  unknown: described("Changed files of which no receipt that holds speaks.", Schema.Array(Text)),
  findings: Schema.Array(Finding)
}).annotate({ identifier: "CommitProof", description: "What is attached to a commit, and what of it holds there." })
export type CommitProof = typeof CommitProof.Type

export const commitDocument = document({
  name: "commit",
  kinds: ["commit"],
  title: "Output of ci, and of verify of a commit that receipts are attached to",
  description: "What `proofline ci --format json` and `proofline verify --ref COMMIT --attached --json` print.",
  data: CommitProof,
  examples: [
    {
      commit: aCommit,
      base: null,
      whole: false,
      found: "commit",
      signatures: { required: false, keys: [], from: [] },
      runs: [
        {
          commit: aCommit,
          project: "",
          claimed_by: [],
          run_id: "run_01",
          name: "tasks",
          run_status: "completed",
          whole: false,
          ref: aCommit,
          chain: null,
          kept_head: null,
          signature: { signed: false, checked: false, keyid: null },
          verdict: "unproven",
          reviewers: [],
          weak: [],
          counts: { ...oneProven, proven: 0, stale: 1, receipts: 1, re_anchored: 0, missing: 0, open: 0 },
          receipts: [
            {
              task_id: "login",
              task_completed: true,
              item_index: 0,
              item: "Add login()",
              evidence: "src/auth.ts:3-9",
              status: "stale",
              verdict: "stale",
              shown_by: null,
              now: "src/auth.ts:12-18",
              reason: "login was found, but it changed.",
              weak: []
            }
          ]
        }
      ],
      unknown: ["README.md"],
      findings: [
        {
          rule: "receipt-stale",
          level: "error",
          message: "login: Add login(): login was found, but it changed.",
          path: "src/auth.ts",
          start: 12,
          end: 18,
          run_id: "run_01",
          task_id: "login",
          item_index: 0
        },
        {
          rule: "signature-none",
          level: "warning",
          message: "The receipts of run_01 are not signed: nothing tells who wrote them.",
          path: null,
          start: null,
          end: null,
          run_id: "run_01",
          task_id: null,
          item_index: null
        }
      ]
    }
  ]
})
