import { carriedOutBy } from "../../../operations/Operation.ts"
import { completeTask as declared } from "../../sessions/contract.ts"
import type { Asking } from "../context.ts"
import { submitAs } from "../submitting.ts"

export const completeTask = carriedOutBy(declared, (asking: Asking, { data, task_id }) =>
  submitAs(asking, "work", declared.name, { data, named: { task_id }, mustName: true })
)
