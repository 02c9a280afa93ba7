import { Effect, Schema } from "effect"
import { operation } from "../../../operations/Operation.ts"
import { type Asking, sessionAfter } from "../asking.ts"
import { execute, now } from "../context.ts"
import { myTaskAnswer } from "../nextAction.ts"
import { IssueNextAction } from "../rules/commands.ts"

export const getMyTask = operation({
  name: "get_my_task",
  title: "Get my task",
  description: "The task to work on, with its text, its checklist and what the work before it came to.",
  readOnly: false,
  idempotent: true,
  args: Schema.Struct({}),
  answer: Schema.Struct({ success: Schema.Literal(true), has_task: Schema.Boolean, instruction: Schema.String }),
  run: Effect.fnUntraced(function* (asking: Asking) {
    const { ref, session, state } = asking
    if (state.run.status !== "running") return myTaskAnswer(state, session)
    const { at } = yield* now
    const { state: after } = yield* execute(
      asking,
      ref.run,
      IssueNextAction({ session_id: ref.session_id, at, tool: "get_my_task" })
    )
    return myTaskAnswer(after, sessionAfter(asking, after))
  })
})
