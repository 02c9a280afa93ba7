import { carriedOutBy } from "../../../operations/Operation.ts"
import { submitPhase as declared } from "../../sessions/contract.ts"
import type { Asking } from "../context.ts"
import { submitAs, withoutTask } from "../submitting.ts"

export const submitPhase = carriedOutBy(declared, (asking: Asking, { data }) =>
  submitAs(asking, "work", declared.name, { data: withoutTask(data), named: data })
)
