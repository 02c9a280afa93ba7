/** Session runs and who works in them. */
import { AskedOfPerson, described, PermissionWanted, Text, Time } from "@proofline/kernel"
import { Schema } from "effect"
import { document } from "../base/Document.ts"
import { undecided } from "./runs.ts"

const run_id = described("The session run.", Text)
const session_id = described("Id of the session.", Text)
const agent = described("What the agent is called: tasks are assigned to it.", Text)
const phase = described("The phase the run is in.", Schema.NullOr(Text))

export const sessionDocument = document({
  name: "session",
  kinds: ["session"],
  title: "Output of session open, revoke and end",
  description: "What `proofline session open --json`, `session revoke ID --json` and `session end --json` print.",
  data: Schema.Union([
    Schema.Struct({
      run_id,
      session_id,
      agent,
      token: described("Shown once; only its hash is kept.", Text),
      expires_at: described("When it ends, unless something is asked for before; every call moves it on.", Time)
    }).annotate({ title: "open" }),
    Schema.Struct({ run_id, session_id, status: Schema.Literal("closed") }).annotate({ title: "revoke" }),
    Schema.Struct({ run_id, status: Schema.Literal("cancelled") }).annotate({ title: "end" })
  ]),
  examples: [
    {
      run_id: "run_01",
      session_id: "ses_01",
      agent: "claude-code",
      token: "FEOiIKxJmfevkkLuGRG7ibyCm2D5cBNpUm836PKJf0o",
      expires_at: "2026-01-01T11:00:00.000Z"
    },
    { run_id: "run_01", session_id: "ses_01", status: "closed" },
    { run_id: "run_01", status: "cancelled" }
  ]
})

const Session = Schema.Struct({
  session_id,
  agent,
  status: Schema.Literals(["open", "closed"]),
  reason: Schema.optionalKey(
    described("Why it is closed, e.g. `reported`, `revoked`, `expired`, `process_ended` or `closed`.", Text)
  ),
  seen_at: described("When it last asked for something that is recorded.", Time),
  expires_at: Schema.optionalKey(
    described("When it ends if nothing more is asked for; left out where it is closed, or ends with its process.", Time)
  )
}).annotate({ identifier: "Session" })
export type Session = typeof Session.Type

export const sessionsDocument = document({
  name: "sessions",
  kinds: ["sessions"],
  title: "Output of session list",
  description: "What `proofline session list --json` prints.",
  data: Schema.Struct({
    run_id,
    phase,
    sessions: described("In the order in which they were opened.", Schema.Array(Session))
  }),
  examples: [
    {
      run_id: "run_01",
      phase: "READY_IMPL",
      sessions: [
        { session_id: "ses_01", agent: "claude-code", status: "open", seen_at: "2026-01-01T10:05:00.000Z" },
        {
          session_id: "ses_02",
          agent: "codex",
          status: "closed",
          reason: "reported",
          seen_at: "2026-01-01T10:04:00.000Z"
        }
      ]
    }
  ]
})

export const answerDocument = document({
  name: "answer",
  kinds: ["answer"],
  title: "Output of answer",
  description:
    "What `proofline answer --json` prints: the question, or, with an answer, where the run goes on and what is still asked.",
  data: Schema.Struct({
    run_id,
    phase,
    asked: Schema.optionalKey(
      described(
        "Items that agents cannot do, and of which nobody has said how it goes on.",
        Schema.Array(AskedOfPerson)
      )
    ),
    permissions: Schema.optionalKey(
      described("What agents ask leave for while they wait.", Schema.Array(PermissionWanted))
    ),
    undecided,
    question: Schema.optionalKey(
      described(
        "What a person is asked; null: nobody is asked anything. Left out after an answer.",
        Schema.NullOr(Text)
      )
    ),
    expected: Schema.optionalKey(
      described(
        "By field, the notation of what is taken; null: nobody is asked anything. Left out after an answer.",
        Schema.NullOr(Schema.Record(Text, Text))
      )
    )
  }),
  examples: [
    {
      run_id: "run_01",
      phase: "VERIFY_INTERVENTION",
      question: "The work has failed its verification too often.",
      expected: { answer: "continue|stop", "comment?": "str" }
    },
    { run_id: "run_01", phase: "READY_IMPL" }
  ]
})
