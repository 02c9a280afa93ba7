/** Plugins and operations. */
import { Problem, Text } from "@proofline/kernel"
import { Schema } from "effect"
import { document } from "./Document.ts"

export const pluginsDocument = document({
  name: "plugins",
  kinds: ["plugins"],
  title: "Output of plugins check",
  description: "What `proofline plugins check --json` prints.",
  data: Schema.Struct({
    plugins: Schema.Array(Schema.Struct({ name: Text, version: Text })),
    problems: Schema.Array(Problem)
  }),
  examples: [{ plugins: [{ name: "evidence", version: "1" }], problems: [] }]
})

export const callDocument = document({
  name: "call",
  kinds: ["call"],
  title: "Output of call",
  description: "What `proofline call OPERATION --json` prints.",
  data: Schema.Struct({
    operation: Text,
    /** False: it was refused, and the answer says why. */
    ok: Schema.Boolean,
    answer: Schema.Record(Text, Schema.Unknown)
  }),
  examples: [{ operation: "get_my_task_progress", ok: true, answer: { tasks: [] } }]
})
