import { Effect } from "effect"
import { accepted } from "../../../operations/answers.ts"
import { carriedOutBy } from "../../../operations/Operation.ts"
import { reportCompleted as declared } from "../../sessions/contract.ts"
import { attemptStanding, taskShown } from "../answers.ts"
import type { Asking } from "../context.ts"
import { reportMissing } from "../rejections.ts"

export const reportCompleted = carriedOutBy(declared, ({ isReported, ref, state }: Asking, { result }) =>
  // whoever says that it has failed needs no report for that
  result === "success" && !isReported
    ? Effect.fail(reportMissing(ref))
    : Effect.succeed(
        accepted({
          success: true,
          action: "exit",
          result,
          ...taskShown(state, ref),
          ...attemptStanding(ref, isReported)
        })
      )
)
