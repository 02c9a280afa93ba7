import { Schema } from "effect"
import { Data, operation } from "../../../operations/Operation.ts"
import type { Asking } from "../context.ts"
import { submitAs } from "../submitting.ts"

export const submitVerification = operation({
  name: "submit_verification",
  level: "standard",
  subject: "attempt",
  title: "Submit a verification",
  description:
    "Which requirements are met, of a verifier who was asked for it, each with its evidence: a run and what it printed, or path:line.",
  readOnly: false,
  idempotent: true,
  args: Schema.Struct({
    data: Data.annotate({
      description: "{all_requirements_met, requirement_status: [{requirement_id, met, evidence}]}"
    })
  }),
  answer: Schema.Struct({ success: Schema.Literal(true), instruction: Schema.String, needs_person: Schema.Boolean }),
  run: (asking: Asking, { data }) => submitAs(asking, "verify", "submit_verification", { data, named: data })
})
