import { Effect } from "effect"
import { carriedOutBy } from "../../../operations/Operation.ts"
import { updateTaskStatus as declared } from "../../sessions/contract.ts"
import type { Asking } from "../context.ts"
import { notInAttempt } from "../rejections.ts"

/** Refused, whatever it is asked with: the status of a task follows from what is proven of it. */
export const updateTaskStatus = carriedOutBy(declared, ({ ref }: Asking) =>
  Effect.fail(notInAttempt(ref, declared.name))
)
