import { checkContinuation, type LogUnavailable, type Rejection, type RunId, rejectUnknown } from "@proofline/kernel"
import { Effect, Schema } from "effect"
import { accepted } from "../../../operations/answers.ts"
import { operation, text } from "../../../operations/Operation.ts"
import { type Asking, run_id, runNamed } from "../context.ts"
import { answerQuestion } from "../questions.ts"

export const answerApproval = operation({
  name: "answer_approval",
  level: "all",
  subject: "project",
  title: "Answer an approval",
  description: "Gives the answer of a person to what waits for one. An agent never decides it for them.",
  readOnly: false,
  idempotent: false,
  args: Schema.Struct({
    run_id,
    answer: text("The answer, as list_approvals names them."),
    question_id: Schema.optionalKey(
      Schema.String.annotate({ description: "Of the approval, where several wait in the run." })
    ),
    comment: Schema.optionalKey(
      Schema.NullOr(Schema.String).annotate({ description: "What the person says beside the answer." })
    )
  }),
  answer: Schema.Struct({ success: Schema.Literal(true), run_id: Schema.String, run_status: Schema.String }),
  run: Effect.fnUntraced(function* (asking: Asking, { answer, comment = null, question_id, run_id = "" }) {
    const run = yield* runAsked(asking, run_id)
    const after = yield* Effect.andThen(
      checkContinuation(run),
      answerQuestion(run, answer.trim(), comment, { question_id })
    ).pipe(Effect.provide(asking.services))
    return accepted({
      success: true,
      run_id: run,
      run_status: after.run.status,
      phase: after.sessions.phases?.phase ?? null
    })
  })
})

/** The named run, or the session run that goes on. */
const runAsked = Effect.fnUntraced(function* (
  asking: Asking,
  named: string
): Effect.fn.Return<RunId, Rejection | LogUnavailable> {
  if (named.trim() !== "") return yield* runNamed(asking, named)
  const goesOn = (yield* asking.runs).find(({ kind, status }) => kind === "session" && status === "running")
  return goesOn === undefined ? yield* noSessionRun : goesOn.run_id
})

const noSessionRun = rejectUnknown(
  "session_run_missing",
  "No session run goes on in this project: nobody is asked anything.",
  "Call list_approvals for what waits for a person."
)
