import { proofOf, shownStatus } from "@proofline/kernel"
import { Effect, Schema } from "effect"
import { accepted } from "../../../operations/answers.ts"
import { proofBody } from "../../../operations/excerpts.ts"
import { Data, operation } from "../../../operations/Operation.ts"
import { type Asking, sessionAfter } from "../asking.ts"
import { execute, now } from "../context.ts"
import { closeGone, release } from "../liveness.ts"
import { ReportCompleted } from "../rules/commands.ts"
import { sessionStatusOf } from "../sessionStatus.ts"

const textOrNull = (description: string) => Schema.optionalKey(Schema.NullOr(Schema.String).annotate({ description }))

export const reportCompleted = operation({
  name: "report_completed",
  title: "Report completion",
  description:
    "Ends the session. Success is refused while anything assigned is open; nothing is ever marked done by it.",
  readOnly: false,
  idempotent: true,
  args: Schema.Struct({
    result: Schema.Literals(["success", "failed", "blocked"]).annotate({ description: "How the work ended." }),
    summary: textOrNull("What was done."),
    next_steps: textOrNull("What is still to be done, and by whom.")
  }),
  answer: Schema.Struct({
    success: Schema.Literal(true),
    action: Schema.Literal("exit"),
    result: Schema.String,
    verdict: Schema.optionalKey(Schema.String),
    counts: Schema.optionalKey(Data)
  }),
  run: Effect.fnUntraced(function* (asking: Asking, { next_steps = null, result, summary = null }) {
    const { ref, state } = asking
    // those who were killed are no reason to leave before the phases are done
    yield* closeGone(asking, state)
    const { at } = yield* now
    const { state: after } = yield* execute(
      asking,
      ref.run,
      ReportCompleted({ session_id: ref.session_id, at, result, summary, next_steps })
    )
    yield* release(asking, ref.session_id)
    const ended = sessionAfter(asking, after)
    return accepted({
      success: true,
      action: "exit",
      result: ended.reported?.result ?? result,
      run_status: shownStatus(after.run),
      ...proofBody(proofOf(after)),
      ...sessionStatusOf(after, ended)
    })
  })
})
