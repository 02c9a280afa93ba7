/** What stands in the place of a document that cannot be given. */
import { Problem } from "@proofline/kernel"
import { Schema } from "effect"
import { document } from "../base/Document.ts"

export const Refused = Schema.Struct({ problems: Schema.Array(Problem).check(Schema.isMinLength(1)) }).annotate({
  identifier: "Refused",
  description: "The input was refused."
})

/** Of a command that prints an object a line. */
const lastLine = (name: string, command: string) =>
  document({
    name,
    kinds: [name],
    title: `Refusal of ${command}`,
    description: `The last line of what \`proofline ${command} --json\` prints, where it was refused or cannot go on.`,
    data: Refused,
    examples: []
  })

export const eventsRefused = lastLine("events", "events")
export const evidenceRefused = lastLine("evidence", "evidence check")
