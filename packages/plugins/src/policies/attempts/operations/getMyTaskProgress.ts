import { Effect } from "effect"
import { accepted } from "../../../operations/answers.ts"
import { carriedOutBy } from "../../../operations/Operation.ts"
import { getMyTaskProgress as declared } from "../../sessions/contract.ts"
import { attemptProgress } from "../answers.ts"
import type { Asking } from "../context.ts"

export const getMyTaskProgress = carriedOutBy(declared, ({ ref, state }: Asking, { offset }) =>
  Effect.succeed(accepted(attemptProgress(state, ref, offset)))
)
