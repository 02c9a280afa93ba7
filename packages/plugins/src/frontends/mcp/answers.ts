import type { Answer, LogUnavailable, Rejection } from "@proofline/kernel"
import { McpSchema } from "effect/ai"

/** The same for clients that read the structure and for those that read the text. */
export const toolResult = ({ body, ok }: Answer): McpSchema.CallToolResult =>
  new McpSchema.CallToolResult({
    isError: !ok,
    structuredContent: body,
    content: [{ type: "text", text: JSON.stringify(body) }]
  })

interface Refusal {
  /** Stable. */
  readonly error: string
  readonly message: string
  readonly next_step: string
  readonly [field: string]: unknown
}

export const refusal = (refused: Refusal): Answer => ({ ok: false, body: { success: false, ...refused } })

/** A session that cannot be opened, a token that is not good. */
export const ofRejection = ({ code, hint, message, open }: Rejection): Answer =>
  refusal({ error: code, message, next_step: hint, ...(open.length === 0 ? {} : { open }) })

/** Storage is nothing an agent can repair. */
export const ofLogUnavailable = ({ code, hint, message }: LogUnavailable): Answer =>
  refusal({ error: code, message, next_step: hint, needs_person: true })

/** What went wrong is in the log of the server; the agent learns nothing of its insides. */
export const ofDefect = (operation: string): Answer =>
  refusal({
    error: "internal_error",
    message: `${operation} ended with an error inside of Proofline. What was recorded before stands.`,
    next_step: "Call get_next_action to see where the work stands. If this happens again, tell a person.",
    needs_person: false
  })
