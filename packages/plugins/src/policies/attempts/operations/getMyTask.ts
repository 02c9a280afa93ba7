import { Effect } from "effect"
import { accepted } from "../../../operations/answers.ts"
import { carriedOutBy } from "../../../operations/Operation.ts"
import { getMyTask as declared } from "../../sessions/contract.ts"
import { attemptTask } from "../answers.ts"
import type { Asking } from "../context.ts"

export const getMyTask = carriedOutBy(declared, ({ isReported, ref, state }: Asking) =>
  Effect.succeed(accepted(attemptTask(state, ref, isReported)))
)
