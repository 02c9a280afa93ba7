import { Schema } from "effect"
import { Data, operation } from "../../../operations/Operation.ts"
import type { Asking } from "../context.ts"
import { submitAs } from "../submitting.ts"

export const submitReview = operation({
  name: "submit_review",
  level: "standard",
  subject: "attempt",
  title: "Submit a review",
  description: "The judgment of a reviewer who was asked for one: PASS, REJECT with what is to be changed, or RETRY.",
  readOnly: false,
  idempotent: true,
  args: Schema.Struct({
    data: Data.annotate({
      description: "{judgment: PASS|REJECT|RETRY, checks?: [{criterion, passed, details}], modification_prompt?}"
    })
  }),
  answer: Schema.Struct({ success: Schema.Literal(true), instruction: Schema.String, needs_person: Schema.Boolean }),
  run: (asking: Asking, { data }) => submitAs(asking, "review", "submit_review", { data, named: data })
})
