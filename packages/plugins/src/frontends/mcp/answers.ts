import { McpSchema } from "effect/ai"
import { type Answer, refusal } from "../../operations/index.ts"

/** The same for clients that read the structure and for those that read the text. */
export const toolResult = ({ body, ok }: Answer): McpSchema.CallToolResult =>
  new McpSchema.CallToolResult({
    isError: !ok,
    structuredContent: body,
    content: [{ type: "text", text: JSON.stringify(body) }]
  })

/** What went wrong is in the log of the server; the agent learns nothing of its insides. */
export const ofDefect = (operation: string): Answer =>
  refusal({
    error: "internal_error",
    message: `${operation} ended with an error inside of Proofline. What was recorded before stands.`,
    next_step: "Call get_next_action to see where the work stands. If this happens again, tell a person.",
    needs_person: false
  })
