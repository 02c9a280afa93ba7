import { Effect, Schema } from "effect"
import { accepted } from "../../../operations/answers.ts"
import { operation } from "../../../operations/Operation.ts"
import type { Reading } from "../asking.ts"
import { allTaskTrees, taskTreesOf } from "../rules/taskTree.ts"
import { withTrees } from "../taskTrees.ts"

export const getMyTaskProgress = operation({
  name: "get_my_task_progress",
  title: "Get the progress of my tasks",
  description: "Facts only: my tasks with all their subtasks and what they are part of. Changes nothing.",
  readOnly: true,
  idempotent: true,
  args: Schema.Struct({
    offset: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })).annotate({
        description: "Where to go on, as next_offset of the answer before says; left out: from the beginning."
      })
    )
  }),
  answer: Schema.Struct({ tasks: Schema.Array(Schema.Unknown) }),
  run: ({ session, state }: Reading, { offset }) => {
    const trees = session === null ? allTaskTrees(state) : taskTreesOf(state, session.agent)
    return Effect.succeed(accepted(withTrees({}, trees, offset)))
  }
})
