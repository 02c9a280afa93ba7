/** Logs and what is moved between them. */
import { Count, described, Problem, TaskRow, Text } from "@proofline/kernel"
import { Schema } from "effect"
import { document } from "../base/Document.ts"

const LogName = described("The file of the log, or host, port and name of its database.", Text)
const hash = described("Of its last event; null: nothing of it is there.", Schema.NullOr(Text))
const file = described("The archive, absolute.", Text)

const anArchive = "/project/.proofline/archive/runs-before-2026-01-31-20260201T100000Z.ndjson.gz"
const aRun = {
  run_id: "run_20260101_100000_k3x9q2",
  status: "completed",
  ended_at: "2026-01-01T10:05:00.000Z",
  events: 42,
  hash: "a".repeat(64)
}

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
          run_id: aRun.run_id,
          outcome: "copied",
          events: 42,
          added: 42,
          blobs: 6,
          blobs_missing: [],
          hash: aRun.hash,
          moved: false,
          problem: null
        }
      ],
      verified: 1
    }
  ]
})

const archived = Schema.Struct({
  run_id: Text,
  status: Text,
  ended_at: Text,
  events: Count,
  hash: described("Of its last event.", Text),
  redacted: Schema.optionalKey(
    described(
      "Its texts are pseudonyms: it shows nothing. Left out: it is not redacted.",
      Schema.Struct({
        original: described(
          "The run of the log that it was made of, with --redaction-key; null: nobody looked.",
          Schema.NullOr(Text)
        ),
        commitments_differ_at: described(
          "The first version that commits to another event than the log has; null: all of them are those of the log.",
          Schema.NullOr(Count)
        ),
        events_differ_at: described(
          "The first version that is not what comes of that event with this key and this Proofline; null: all are.",
          Schema.NullOr(Count)
        )
      })
    )
  )
})

export const logArchiveDocument = document({
  name: "log-archive",
  kinds: ["log-archive"],
  title: "Output of log archive",
  description: "What `proofline log archive --json` prints, and `proofline verify FILE --json` of an archive.",
  data: Schema.Struct({
    file,
    action: described(
      "`planned`: nothing was done, and there is no file; `archived`: the runs are in the file and not in the log any more; `verified`: the file is as it was written.",
      Schema.Literals(["planned", "archived", "verified"])
    ),
    runs: Schema.Array(archived),
    events: Count,
    blobs: Count,
    blobs_missing: described("Names of blobs that were gone when it was made.", Schema.Array(Text)),
    bytes: described("Size of the file; 0: there is none.", Count),
    left: described(
      "Runs that ended before, and stay.",
      Schema.Array(Schema.Struct({ run_id: Text, problem: Problem }))
    )
  }),
  examples: [
    {
      file: anArchive,
      action: "archived",
      runs: [aRun],
      events: 42,
      blobs: 6,
      blobs_missing: [],
      bytes: 12345,
      left: []
    }
  ]
})

export const logRestoreDocument = document({
  name: "log-restore",
  kinds: ["log-restore"],
  title: "Output of log restore",
  description: "What `proofline log restore FILE --json` prints.",
  data: Schema.Struct({
    file,
    runs: Schema.Array(
      Schema.Struct({
        run_id: Text,
        outcome: described(
          "`there`: it was in the log already; `refused`: for `problem`, and it was left as it is.",
          Schema.Literals(["restored", "there", "refused"])
        ),
        events: Count,
        hash: described("Of its last event in the archive.", Text),
        problem: Schema.NullOr(Problem)
      })
    )
  }),
  examples: [
    {
      file: anArchive,
      runs: [{ run_id: aRun.run_id, outcome: "restored", events: 42, hash: aRun.hash, problem: null }]
    }
  ]
})

export const eventsExportDocument = document({
  name: "events-export",
  kinds: ["events-export"],
  title: "Output of events export",
  description: "What `proofline events export --json` prints.",
  data: Schema.Struct({
    file: described("The file, absolute.", Text),
    runs: described(
      "With task runs, and runs on which they rest.",
      Schema.Array(
        Schema.Struct({ run_id: Text, status: Text, events: Count, hash: described("Of its last event.", Text) })
      )
    ),
    events: Count,
    blobs: Count,
    blobs_missing: described("Names of blobs that were gone before.", Schema.Array(Text)),
    bytes: described("Size of the file.", Count),
    redacted: described("Texts, names and paths are pseudonyms, and blobs were left out.", Schema.Boolean),
    key_file: Schema.optionalKey(described("Of a redacted one: where its secret key is, absolute.", Text))
  }),
  examples: [
    {
      file: "/project/run.ndjson",
      runs: [{ run_id: aRun.run_id, status: "completed", events: 42, hash: aRun.hash }],
      events: 42,
      blobs: 6,
      blobs_missing: [],
      bytes: 12345,
      redacted: false
    }
  ]
})

export const eventsImportDocument = document({
  name: "events-import",
  kinds: ["events-import"],
  title: "Output of events import",
  description: "What `proofline events import FILE --json` prints.",
  data: Schema.Struct({
    file: described("The file, absolute; `stdin`.", Text),
    log: LogName,
    runs: Schema.Array(
      Schema.Struct({
        run_id: Text,
        outcome: described(
          "`there`: all of it was in the log already; `refused`: for `problem`, and it was left as it is.",
          Schema.Literals(["imported", "there", "refused"])
        ),
        events: described("In the file.", Count),
        added: described("Of them, those that came now.", Count),
        hash: described("Of its last event in the file.", Text),
        redacted: described("Its texts are pseudonyms: it shows nothing.", Schema.Boolean),
        problem: Schema.NullOr(Problem)
      })
    ),
    blobs: described("In the file.", Count),
    blobs_missing: described("Names of blobs that events name and that are not in the file.", Schema.Array(Text))
  }),
  examples: [
    {
      file: "/elsewhere/run.ndjson",
      log: "/project/.proofline/state/proofline.db",
      runs: [
        {
          run_id: aRun.run_id,
          outcome: "imported",
          events: 42,
          added: 42,
          hash: aRun.hash,
          redacted: false,
          problem: null
        }
      ],
      blobs: 6,
      blobs_missing: []
    }
  ]
})

export const forkDocument = document({
  name: "fork",
  kinds: ["fork"],
  title: "Output of fork",
  description: "What `proofline fork RUN --at N --json` prints; where it is gone on with at once, that of `run`.",
  data: Schema.Struct({
    run_id: described("The new run.", Text),
    origin: described(
      "The event behind which it goes its own way, with its hash in the log of the other run.",
      Schema.Struct({ run_id: Text, version: Count, hash: Text })
    ),
    status: described("Of the run as it was then.", Text)
  }),
  examples: [
    {
      run_id: "run_20260102_100000_m4y8r3",
      origin: { run_id: aRun.run_id, version: 20, hash: aRun.hash },
      status: "running"
    }
  ]
})

const Sided = Schema.Struct({
  path: described("JSON Pointer (RFC 6901).", Schema.String),
  a: Schema.optionalKey(Schema.Json),
  b: Schema.optionalKey(Schema.Json)
})

const Placed = Schema.Struct({ version: Count, type: Text, content: Schema.Json })

const Stands = Schema.Struct({
  status: TaskRow.fields.status,
  verdict: TaskRow.fields.verdict,
  attempts: Count,
  refusals: Count,
  items_closed: Count,
  items_total: Count
})

export const diffDocument = document({
  name: "diff",
  kinds: ["diff"],
  title: "Output of diff",
  description: "What `proofline diff RUN RUN --json` prints.",
  data: Schema.Struct({
    a: described("The first run.", Text),
    b: described("The second run.", Text),
    shared: described("Events that both have, because one is a fork of the other or both are of one run.", Count),
    parted: described(
      "The first event of each, behind those, that the other has nowhere, whoever did it, when, in which words and in which order; null: there is none.",
      Schema.NullOr(
        Schema.Struct({
          a: described("Null: the other has all of its events.", Schema.NullOr(Placed)),
          b: described("Null: the other has all of its events.", Schema.NullOr(Placed)),
          differences: described("Where the content differs, of events of one type.", Schema.Array(Sided))
        })
      )
    ),
    settings: described("How both were to be run in the end, where that differs.", Schema.Array(Sided)),
    summary: described(
      "What each came to; empty: it has no such line.",
      Schema.Array(
        Schema.Struct({
          name: Text,
          a: Schema.String,
          b: Schema.String,
          delta: described("How much more it is in B; empty: as much, or nothing that is counted.", Schema.String),
          differs: described("It means something else; what something took never does.", Schema.Boolean)
        })
      )
    ),
    tasks: described(
      "Those that went differently first.",
      Schema.Array(
        Schema.Struct({
          task_id: Text,
          title: Text,
          b_task_id: Schema.optionalKey(described("What B calls it, where that is something else.", Text)),
          differs: Schema.Boolean,
          a: described("Null: it has no such task.", Schema.NullOr(Stands)),
          b: described("Null: it has no such task.", Schema.NullOr(Stands)),
          items: described(
            "Items whose verdict is another one; null: it has no such item.",
            Schema.Array(
              Schema.Struct({
                item: Text,
                a: Schema.NullOr(TaskRow.fields.verdict),
                b: Schema.NullOr(TaskRow.fields.verdict)
              })
            )
          )
        })
      )
    )
  }),
  examples: [
    {
      a: aRun.run_id,
      b: "run_20260102_100000_m4y8r3",
      shared: 20,
      parted: {
        a: { version: 21, type: "ATTEMPT_ENDED", content: { task_id: "login", attempt: 1, outcome: "COMPLETE" } },
        b: { version: 23, type: "ATTEMPT_ENDED", content: { task_id: "login", attempt: 1, outcome: "ERROR" } },
        differences: [{ path: "/outcome", a: "COMPLETE", b: "ERROR" }]
      },
      settings: [{ path: "/agent", a: "claude", b: "codex" }],
      summary: [
        { name: "Status", a: "completed", b: "failed", delta: "", differs: true },
        { name: "Attempts", a: "1", b: "3", delta: "+2", differs: true }
      ],
      tasks: [
        {
          task_id: "login",
          title: "Log in",
          differs: true,
          a: { status: "completed", verdict: "proven", attempts: 1, refusals: 0, items_closed: 1, items_total: 1 },
          b: { status: "failed", verdict: "unproven", attempts: 3, refusals: 2, items_closed: 0, items_total: 1 },
          items: [{ item: "Add the function login", a: "proven", b: "unproven" }]
        }
      ]
    }
  ]
})
