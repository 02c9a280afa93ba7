import { Effect, Schema } from "effect"
import { accepted } from "../../../operations/answers.ts"
import { operation } from "../../../operations/Operation.ts"
import { maxResponseBytes, truncate, withList } from "../../../operations/sizeLimit.ts"
import type { Asking } from "../context.ts"
import { asksOf, conflictsOf, permissionBodies, questionBody } from "../overviews.ts"
import { questionOf, waitingIn } from "../questions.ts"

export const listApprovals = operation({
  name: "list_approvals",
  level: "all",
  subject: "project",
  title: "List approvals",
  description: "What waits for a person: the question, what it is about, and the answers it takes.",
  readOnly: true,
  idempotent: true,
  args: Schema.Struct({}),
  answer: Schema.Struct({ success: Schema.Literal(true), approvals: Schema.Array(Schema.Unknown) }),
  run: Effect.fnUntraced(function* ({ engine, runs }: Asking) {
    const { found, unseen } = yield* waitingIn(engine, yield* runs, (state) => {
      const question = questionOf(state)
      return [
        ...permissionBodies(state),
        ...asksOf(state),
        ...(question === null ? conflictsOf(state) : [questionBody(state, question)])
      ]
    })
    // one that is larger than an answer would not be shown at all
    const shown = found.map((one) => truncate(one, maxResponseBytes - 200))
    const head = { success: true, ...(unseen > 0 ? { runs_not_looked_at: unseen } : {}) }
    return accepted(withList(head, "approvals", shown))
  })
})
