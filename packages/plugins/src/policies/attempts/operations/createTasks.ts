import { Effect } from "effect"
import { readerOf } from "../../../operations/arguments.ts"
import { type Operation, reading } from "../../../operations/Operation.ts"
import { createTasks as declared, submitPhase } from "../../sessions/contract.ts"
import type { Asking } from "../context.ts"
import { notInAttempt } from "../rejections.ts"
import { submit } from "../submitting.ts"

const readData = readerOf(submitPhase.arguments)

/** A plan for requirements: all the arguments are what is handed in. */
export const createTasks: Operation<Asking> = {
  ...declared,
  read: reading(
    (sent) => readData({ data: sent ?? {} }),
    (asking: Asking, { data }) =>
      asking.ref.role === "generate" ? submit(asking, data) : Effect.fail(notInAttempt(asking.ref, declared.name))
  )
}
