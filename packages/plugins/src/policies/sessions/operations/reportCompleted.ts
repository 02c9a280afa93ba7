import { proofOf, shownStatus } from "@proofline/kernel"
import { Effect, Schema } from "effect"
import type { Answer, Body } from "../../../operations/Answer.ts"
import { accepted, refused } from "../../../operations/answers.ts"
import { proofBody } from "../../../operations/excerpts.ts"
import { Data, operation } from "../../../operations/Operation.ts"
import { lineOf } from "../../../operations/sizeLimit.ts"
import { type Asking, sessionAfter } from "../asking.ts"
import { execute, load, now } from "../context.ts"
import { contentOf } from "../eventContent.ts"
import { closeGone, release } from "../liveness.ts"
import { missingList } from "../missing.ts"
import { ReportCompleted } from "../rules/commands.ts"
import { CompletionRefused } from "../rules/events.ts"
import { instructed } from "../rules/instructions.ts"
import type { Missing } from "../rules/missingSchema.ts"
import { isEndAwaited } from "../rules/phase.ts"
import { sessionStatusOf } from "../sessionStatus.ts"
import { settled } from "../settled.ts"
import type { AnyRun } from "../state.ts"

const textOrNull = (description: string) => Schema.optionalKey(Schema.NullOr(Schema.String).annotate({ description }))

export const reportCompleted = operation({
  name: "report_completed",
  title: "Report completion",
  description: "Ends the session. Success is refused while work is open, and once while something is not shown.",
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
    if (result === "success") yield* settled(asking, ref.run, yield* load(asking, ref.run), isEndAwaited)
    const { at } = yield* now
    const { events, ...reported } = yield* execute(
      asking,
      ref.run,
      ReportCompleted({ session_id: ref.session_id, at, result, summary, next_steps })
    )
    const told = contentOf(events, CompletionRefused)
    if (told !== undefined) {
      return notShown(
        reported.state,
        told.missing,
        sessionStatusOf(reported.state, sessionAfter(asking, reported.state))
      )
    }
    // it may have ended the run, and before that what was accepted is judged again
    const after = yield* settled(asking, ref.run, reported, isEndAwaited)
    const ended = sessionAfter(asking, after)
    yield* release(asking, ref.session_id)
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

/** The session stays open: what is missing can be repaired. */
const notShown = (state: AnyRun, missing: ReadonlyArray<Missing>, sessionStatus: Body): Answer => {
  const named = missing.slice(0, 3).map(({ command, item, message, task_id }) => {
    const subject = [task_id ?? "", item ?? command ?? ""].filter((part) => part !== "").join(", ")
    return `${subject}: ${lineOf(message, 200)}`
  })
  const [first] = missing
  return refused(
    {
      code: "not_proven",
      message: instructed(state, missing.length === 1 ? "not_proven_one" : "not_proven_many", {
        count: missing.length,
        missing: `${named.join(" ")}${missing.length > 3 ? " …" : ""}`
      }),
      hint: instructed(state, "not_proven_next", { next: first?.next_step ?? "" }),
      open: [...new Set(missing.flatMap(({ task_id }) => task_id ?? []))]
    },
    { ...sessionStatus, ...missingList(missing) }
  )
}
