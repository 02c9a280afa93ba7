import { Effect, Schema } from "effect"
import { accepted } from "../../../operations/answers.ts"
import { operation } from "../../../operations/Operation.ts"
import { type Asking, sessionAfter } from "../asking.ts"
import { execute, load, now } from "../context.ts"
import { closeGone, release } from "../liveness.ts"
import { ReportCompleted } from "../rules/commands.ts"
import { isEndAwaited } from "../rules/phase.ts"
import { sessionStatusOf } from "../sessionStatus.ts"
import { settled } from "../settled.ts"

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
  answer: Schema.Struct({ success: Schema.Literal(true), action: Schema.Literal("exit"), result: Schema.String }),
  run: Effect.fnUntraced(function* (asking: Asking, { next_steps = null, result, summary = null }) {
    const { ref, state } = asking
    // those who were killed are no reason to leave before the phases are done
    yield* closeGone(asking, state)
    if (result === "success") yield* settled(asking, ref.run, yield* load(asking, ref.run), isEndAwaited)
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
      run_status: after.run.status,
      ...sessionStatusOf(after, ended)
    })
  })
})
