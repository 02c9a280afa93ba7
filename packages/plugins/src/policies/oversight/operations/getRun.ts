import { Effect, Schema } from "effect"
import { accepted } from "../../../operations/answers.ts"
import { Data, operation } from "../../../operations/Operation.ts"
import { type Asking, run_id, stateNamed } from "../context.ts"
import { runBody } from "../overviews.ts"

export const getRun = operation({
  name: "get_run",
  level: "standard",
  subject: "project",
  title: "Get a run",
  description: "One run as it stands: its status, and every task with its checklist and what was proven of it.",
  readOnly: true,
  idempotent: true,
  args: Schema.Struct({ run_id }),
  answer: Schema.Struct({
    run_id: Schema.String,
    status: Schema.String,
    verdict: Schema.String,
    counts: Data,
    tasks: Schema.Array(Schema.Unknown)
  }),
  run: (asking: Asking, { run_id }) => Effect.map(stateNamed(asking, run_id), (state) => accepted(runBody(state)))
})
