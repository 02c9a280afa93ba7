/** What of a run is proven, and whether its log holds. */
import { Count, described, LogFaultView, Ordinal, Text, Time, VerificationView } from "@proofline/kernel"
import { ReportView } from "@proofline/plugins/frontends/http/report"
import { Schema } from "effect"
import { document, oneProven, provenLogin } from "../base/Document.ts"
import { Watched } from "./runs.ts"

const zeros = "0".repeat(64)

export const verifyDocument = document({
  name: "verify",
  kinds: ["verify"],
  title: "Output of verify",
  description: "What `proofline verify --json` prints.",
  data: VerificationView,
  examples: [
    {
      run_id: "run_01",
      name: "tasks",
      run_status: "completed",
      whole: true,
      ref: null,
      chain: { ok: true, events: 16, head: { version: 16, hash: zeros } },
      kept_head: { version: 16, hash: zeros },
      signature: null,
      verdict: "proven",
      reviewers: [],
      weak: [],
      counts: { ...oneProven, receipts: 1, re_anchored: 1, missing: 0, open: 0 },
      receipts: [
        {
          task_id: "login",
          task_completed: true,
          item_index: 0,
          item: "Add login()",
          evidence: "src/auth.ts:3-9",
          status: "re_anchored",
          verdict: "proven",
          shown_by: "evidence",
          now: "src/auth.ts:12-18",
          reason: "The same lines of login, moved.",
          weak: []
        }
      ]
    }
  ]
})

const aReport: ReportView = {
  run_id: "run_02",
  ...provenLogin,
  proven: true,
  started_at: "2026-01-01T11:00:00.000Z",
  ended_at: "2026-01-01T11:05:00.000Z",
  input: { path: "login-requirements.yaml", sha256: zeros },
  iterations: { current: 1, max: 3 },
  spent: { attempts: 1, calls: 0, tokens: 0, cost_usd: 0 },
  budget: { max_attempts: null, max_calls: null, max_duration_ms: null, max_tokens: null, max_cost_usd: null },
  head: { version: 20, hash: zeros },
  runs: [
    {
      run_id: "run_02-iter1",
      iteration: 1,
      status: "completed",
      tasks_yaml_path: "generated/login-tasks-iter1.yaml",
      head: { version: 15, hash: zeros }
    }
  ],
  counts: { ...oneProven, requirements: 1, requirements_proven: 1, receipts: 1, holding: 1, missing: 0 },
  requirements: [
    {
      id: "req_1",
      name: null,
      description: "People can log in",
      priority: "required",
      verdict: "proven",
      verified_at: "2026-01-01T11:05:00.000Z",
      opinion: null,
      criteria: [
        {
          id: "req_1.1",
          criterion: "A wrong password is refused",
          verify: null,
          verdict: "proven",
          by: "tasks",
          message: "login: src/login.ts:3.",
          checks: [],
          tasks: [{ task_id: "login", run_id: "run_02-iter1", items: [0], superseded_by: [] }]
        }
      ]
    }
  ],
  tasks: [
    {
      task_id: "login",
      run_id: "run_02-iter1",
      iteration: 1,
      parent_task_id: null,
      title: "Log in",
      status: "completed",
      verdict: "proven",
      attempts: 1,
      agent: "command",
      message: "",
      covers: ["req_1.1"],
      checks: [],
      review: null,
      items: [
        {
          index: 0,
          item: "Refuse wrong passwords",
          covers: [],
          verdict: "proven",
          evidence: {
            evidence: "src/login.ts:3",
            status: "proven",
            now: "src/login.ts:3",
            why: "",
            sha256: zeros,
            code: {
              path: "src/login.ts",
              start: 3,
              lines: ["if (!matches) throw new Refused()"],
              cited: [3, 3],
              more: 0
            }
          },
          reason: null,
          shown_by: "evidence",
          weak: [],
          weaknesses: [],
          checks: []
        }
      ]
    }
  ]
}

export const reportDocument = document({
  name: "report",
  kinds: ["report"],
  title: "Output of report",
  description: "What `proofline report --json` prints: a part of what `show --json` does.",
  data: ReportView,
  examples: [aReport]
})

/** What an attempt claimed, and what of it was refused. */
const AttemptTold = Schema.Struct({
  run_id: Text,
  task_id: Text,
  attempt: Ordinal,
  claimed: described("How many items it reported as done; null: it reported none.", Schema.NullOr(Count)),
  refused: described("Why it was not accepted, as codes with a sentence.", Schema.Array(Text)),
  ended: described("How it ended, where that was not well; else null.", Schema.NullOr(Text))
}).annotate({ identifier: "Attempt" })

export const showDocument = document({
  name: "show",
  kinds: ["show"],
  title: "Output of show",
  description:
    "What `proofline show --json` prints. `show --follow --json` prints its `progress` again and again, as a document of the kind `status` a line.",
  data: Schema.Struct({
    ...ReportView.fields,
    attempts: described("All of its task runs, in order.", Schema.Array(AttemptTold)),
    progress: described("How far it is, with the plans of tasks that were split.", Watched)
  }),
  examples: [
    {
      ...aReport,
      attempts: [{ run_id: "run_02-iter1", task_id: "login", attempt: 1, claimed: 1, refused: [], ended: null }],
      progress: {
        run_id: "run_02",
        name: "Login",
        status: "completed",
        verdict: "proven",
        counts: oneProven,
        reviewers: [],
        weak: [],
        completed: 0,
        total: 0,
        chunked_tasks: [],
        queue: [],
        loop: {
          loop_status: "completed",
          iteration: 1,
          max_iterations: 3,
          requirements_total: 1,
          requirements_met: 1
        },
        task_runs: []
      }
    }
  ]
})

/** An event, without where it stands. */
const Decided = Schema.Struct({ type: Text, content: Schema.Json })

const Unjudged = Schema.Struct({
  code: described(
    "`run_not_ended`: the log does not say how it goes on; `task_run_missing`: a task run is not in the file; `task_runs_skipped`: --until is a version of the whole; `redacted_departs`: the rules do not come to some of its events with pseudonyms.",
    Schema.Literals(["run_not_ended", "task_run_missing", "task_runs_skipped", "redacted_departs"])
  ),
  message: Text
})

const Replayed = Schema.Struct({
  run_id: Text,
  events: described("Events that were replayed.", Count),
  status: described("Of the run behind the last event that was judged.", Text),
  divergence: described(
    "The first decision that today's code would not make; null when there is none.",
    Schema.NullOr(
      Schema.Struct({
        version: described("Of the first event that differs, or of the batch that cannot be judged.", Count),
        reason: described(
          "`different`: another event or content; `missing`: today one more; `surplus`: today one fewer; `refused`: today the command would be rejected; `unordered`: work that nothing had asked for; `unreadable`.",
          Schema.Literals(["different", "missing", "surplus", "refused", "unordered", "unreadable"])
        ),
        message: Text,
        recorded: described("As recorded; null where the log has none.", Schema.NullOr(Decided)),
        expected: described("As decided today; null where today has none.", Schema.NullOr(Decided)),
        differences: described(
          "Where the content of both differs, when they are of one type.",
          Schema.Array(
            Schema.Struct({
              path: described("JSON Pointer (RFC 6901) into the content.", Schema.String),
              recorded: Schema.optionalKey(Schema.Json),
              expected: Schema.optionalKey(Schema.Json)
            })
          )
        )
      })
    )
  ),
  integrity: described("Where the log is not as it was written; null when it is.", Schema.NullOr(LogFaultView)),
  unjudged: described("What was not judged, and why; with --assert each is a failure.", Schema.Array(Unjudged)),
  until: Schema.optionalKey(
    described(
      "With --until: the event that was judged last, and the tasks as they were behind it.",
      Schema.Struct({
        version: Ordinal,
        event_type: Text,
        timestamp: Time,
        tasks: Schema.Array(
          Schema.Struct({ id: Text, status: Text, attempts: Count, items_total: Count, items_closed: Count })
        )
      })
    )
  )
}).annotate({ identifier: "Replayed" })
export type Replayed = typeof Replayed.Type

const ReplayedWhole = Schema.Struct({
  ...Replayed.fields,
  task_runs: Schema.optionalKey(
    described(
      "Of a requirements run: its task runs, each replayed, and compared with what the run recorded of them.",
      Schema.Array(Replayed)
    )
  )
}).annotate({ identifier: "ReplayedWhole" })

export const replayDocument = document({
  name: "replay",
  kinds: ["replay"],
  title: "Output of replay",
  description: "What `proofline replay RUN --json` prints, and `replay --assert` when it fails.",
  data: Schema.Struct({
    ...ReplayedWhole.fields,
    other_runs: Schema.optionalKey(
      described("Of a file with several runs: those behind the first, in its order.", Schema.Array(ReplayedWhole))
    )
  }),
  examples: [{ run_id: "run_01", events: 42, status: "completed", divergence: null, integrity: null, unjudged: [] }]
})
