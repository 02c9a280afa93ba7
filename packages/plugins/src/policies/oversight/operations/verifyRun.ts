import { Effect, Schema } from "effect"
import { accepted } from "../../../operations/answers.ts"
import { Data, operation } from "../../../operations/Operation.ts"
import { type Asking, run_id, runNamed } from "../context.ts"
import { verificationBody } from "../overviews.ts"

export const verifyRun = operation({
  name: "verify_run",
  level: "standard",
  subject: "project",
  title: "Verify a run",
  description:
    "Checks the log of a run and whether everything it proved still holds on disk. Starts no agent and no command.",
  readOnly: true,
  idempotent: true,
  args: Schema.Struct({ run_id }),
  answer: Schema.Struct({
    run_id: Schema.String,
    whole: Schema.Boolean,
    verdict: Schema.String,
    counts: Data,
    receipts: Schema.Array(Schema.Unknown)
  }),
  run: (asking: Asking, { run_id }) =>
    Effect.flatMap(runNamed(asking, run_id), (run) =>
      Effect.map(asking.verify(run), (found) => accepted(verificationBody(found)))
    )
})
