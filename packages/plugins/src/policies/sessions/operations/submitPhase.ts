import { Schema } from "effect"
import { Data, operation } from "../../../operations/Operation.ts"
import type { Asking } from "../asking.ts"
import { submit } from "../submission.ts"

export const submitPhase = operation({
  name: "submit_phase",
  title: "Submit a phase",
  description:
    "Hands in the payload of the current phase. It must fit expected_payload; a refusal names everything that is wrong.",
  readOnly: false,
  idempotent: false,
  args: Schema.Struct({
    data: Data.annotate({ description: "The payload, an object as expected_payload describes it." })
  }),
  answer: Schema.Struct({ success: Schema.Literal(true), instruction: Schema.String, needs_person: Schema.Boolean }),
  run: (asking: Asking, { data }) => submit(asking, data, false)
})
