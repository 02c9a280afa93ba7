/** Lists of runs, and how far one is. */
import {
  AssignmentStatus,
  awayKinds,
  Driver,
  described,
  RunProgress,
  RunProof,
  RunRow,
  RunSummary,
  ShownStatus,
  Stopped,
  Text,
  Time
} from "@proofline/kernel"
import { LoopProgress, LoopSummary } from "@proofline/plugins/policies/requirements"
import { Schema, Struct } from "effect"
import { document } from "../base/Document.ts"

const optional = Struct.map(Schema.optionalKey)
const shownSoFar = { proven: 1, reviewed: 0, weak: 0, waived: 0, unproven: 2, refuted: 0, stale: 0 }

const Listed = Schema.Struct({
  run_id: Text,
  kind: RunRow.fields.kind,
  name: Text,
  status: ShownStatus,
  stopped: Schema.optionalKey(Stopped),
  redacted: RunSummary.schema.fields.redacted,
  asked: RunSummary.schema.fields.asked,
  permissions: RunSummary.schema.fields.permissions,
  // left out of a run of before it was recorded, and counts of one that goes on: see `status RUN`
  ...RunProof.mapFields(optional).fields,
  started_at: Time,
  ended_at: Schema.optionalKey(Time),
  parent_run_id: Schema.optionalKey(Text),
  ...LoopProgress.mapFields(optional).fields,
  away: Schema.optionalKey(
    described(
      "It takes no events in this log. Left out: it is here.",
      Schema.Struct({
        kind: described(
          "`arriving`: not all of it has come; `moved`: it goes on in another log; `archived`: its events lie in a file; `cut`: it comes from a damaged log, and its end is lost.",
          Schema.Literals(awayKinds)
        ),
        place: described("The other log, or the file.", Text),
        at: Time
      })
    )
  )
}).annotate({ identifier: "ListedRun" })
export type Listed = typeof Listed.Type

export const historyDocument = document({
  name: "history",
  kinds: ["history"],
  title: "Output of history",
  description:
    "What `proofline history --json` prints, with --kind and --of too. `history --show RUN --json` prints the document of the command that made the run.",
  data: Schema.Struct({ runs: described("Newest first.", Schema.Array(Listed)) }),
  examples: [
    {
      runs: [
        {
          run_id: "run_02",
          kind: "requirements",
          name: "Login",
          status: "running",
          started_at: "2026-01-01T11:00:00.000Z",
          loop_status: "executing_tasks",
          iteration: 1,
          max_iterations: 3,
          requirements_total: 4,
          requirements_met: 1
        },
        {
          run_id: "run_01",
          kind: "tasks",
          name: "tasks",
          status: "completed",
          started_at: "2026-01-01T10:00:00.000Z",
          ended_at: "2026-01-01T10:05:00.000Z"
        }
      ]
    }
  ]
})

export const undecided = Schema.optionalKey(
  described(
    "Tasks whose changes cannot be put together before a person has decided between them, in the files; `message` says what to do.",
    Schema.Array(Schema.Struct({ run_id: Text, task_id: Text, message: Text }))
  )
)

const phase = Schema.optionalKey(described("The phase a session run is in.", Text))

const { proof: _, status: __, ...summaryFields } = RunSummary.schema.fields

/** A run that is shown, with what it has shown; where tasks were split, with its progress. */
const ShownRun = Schema.StructWithRest(
  Schema.Struct({
    ...summaryFields,
    status: ShownStatus,
    phase,
    driver: described("The process that drives it; null: none does.", Schema.NullOr(Driver)),
    ...RunProof.fields,
    ...LoopSummary.fields,
    ...RunProgress.schema
      .mapFields(Struct.pick(["held", "completed", "total", "chunked_tasks", "queue"]))
      .mapFields(optional).fields
  }),
  // what plugins add
  [Schema.Record(Schema.String, Schema.Unknown)]
)

const Runs = Schema.Struct({
  runs: Schema.Array(ShownRun),
  // with --all it is left out, as it takes the log
  undecided,
  ...RunProof.mapFields(optional).fields
}).annotate({
  identifier: "Status",
  description:
    "The runs that are shown; of those that are part of none, what they have shown together: nothing where there is no run."
})
export type StatusData = typeof Runs.Type

/** A task of a session run as its agents see it. */
interface SessionTask {
  readonly id: string
  readonly title: string
  readonly status: AssignmentStatus
  readonly assignee: string | null
  readonly subtasks?: ReadonlyArray<SessionTask>
}

const SessionTask: Schema.Codec<SessionTask> = Schema.Struct({
  id: Text,
  title: Text,
  status: AssignmentStatus,
  assignee: described("Whom it is assigned to; null: nobody.", Schema.NullOr(Text)),
  subtasks: Schema.optionalKey(
    described("What is part of it; left out when nothing is.", Schema.Array(Schema.suspend(() => SessionTask)))
  )
}).annotate({ identifier: "SessionTask" })

const ofKind = {
  phase,
  tasks: Schema.optionalKey(
    described("All tasks of a session run as its agents see them; left out in other runs.", Schema.Array(SessionTask))
  )
}

const Progress = Schema.StructWithRest(
  Schema.Struct({ ...RunProgress.schema.fields, ...ofKind, loop: Schema.optionalKey(LoopProgress) }),
  [Schema.Record(Text, Schema.Unknown)]
)

/** How far a run is; a requirements run with its task runs, in the order of their iterations. */
export const Watched = Schema.StructWithRest(
  Schema.Struct({ ...Progress.schema.fields, task_runs: Schema.optionalKey(Schema.Array(Progress)), undecided }),
  [Schema.Record(Text, Schema.Unknown)]
).annotate({ identifier: "Progress" })
export type Watched = typeof Watched.Type

export const statusDocument = document({
  name: "status",
  kinds: ["status"],
  title: "Output of status and watch",
  description:
    "What `proofline status --json` and `status RUN --json` print; `show --follow --json` prints one of the latter a line.",
  data: Schema.Union([Runs, Watched]),
  examples: [
    {
      runs: [
        {
          run_id: "run_01",
          kind: "tasks",
          name: "tasks",
          status: "running",
          started_at: "2026-01-01T10:00:00.000Z",
          ended_at: null,
          parent_run_id: null,
          tasks_total: 2,
          tasks_completed: 1,
          tasks_failed: 0,
          tasks_skipped: 0,
          items_total: 3,
          items_closed: 1,
          active: ["login"],
          driver: { pid: 4711, host: "box", since: "2026-01-01T10:00:00.000Z" },
          verdict: "unproven",
          counts: shownSoFar,
          reviewers: [],
          weak: []
        }
      ],
      verdict: "unproven",
      counts: shownSoFar,
      reviewers: [],
      weak: []
    }
  ]
})
