import type { Effect } from "effect"
import type { McpSchema, McpServer } from "effect/ai"

export type Server = McpServer.McpServer["Service"]
export type Args = Readonly<Record<string, unknown>>
export type Content = McpSchema.CallToolResult["content"]

/** A tool of the suite: what it answers with, or asks its client for. */
export interface FixtureTool {
  readonly name: string
  readonly schema?: Readonly<Record<string, unknown>>
  readonly handle: (
    args: Args,
    server: Server
  ) => Effect.Effect<
    Content | McpSchema.CallToolResult | McpSchema.InputRequired,
    McpSchema.InternalError | McpSchema.InvalidParams,
    McpSchema.McpRequestContext
  >
}
