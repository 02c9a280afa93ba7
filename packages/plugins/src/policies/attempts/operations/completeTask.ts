import { type Operation, reading } from "../../../operations/Operation.ts"
import { completeTask as declared, reportArguments, reportIn } from "../../sessions/contract.ts"
import type { Asking } from "../context.ts"
import { submitAs } from "../submitting.ts"

export const completeTask: Operation<Asking> = {
  ...declared,
  read: reading(reportArguments, (asking: Asking, { task_id, ...said }) =>
    submitAs(asking, "work", declared.name, { data: reportIn(said), named: { task_id }, mustName: true })
  )
}
