import { Effect } from "effect"
import { accepted } from "../../../operations/answers.ts"
import { carriedOutBy } from "../../../operations/Operation.ts"
import { getNextAction as declared } from "../../sessions/contract.ts"
import { attemptAction } from "../answers.ts"
import type { Asking } from "../context.ts"

export const getNextAction = carriedOutBy(declared, ({ isReported, ref, state }: Asking) =>
  Effect.succeed(accepted(attemptAction(state, ref, isReported)))
)
