import type { Sessions } from "@proofline/kernel"
import { Layer, Logger } from "effect"
import { McpProtocol, McpServer } from "effect/ai"
import type { Stdio } from "effect/Stdio"
import { readableInput } from "./input.ts"
import { registrations } from "./tools.ts"

export interface McpStdioOptions {
  /** What the server is called by its clients. */
  readonly name: string
  readonly version: string
  /** Who works over this connection; null: the name the client gives itself. */
  readonly agent: string | null
  /** The session of the connection ends when nothing was asked for so long, ms. */
  readonly ttlMs: number
}

/**
 * Pull mode over MCP on standard input and output: one tool for each operation, all of the project's own rules behind
 * `Sessions`. Nothing but the protocol is written to standard output. When standard input ends, what is under way is
 * still answered; then the fiber that built the layer is interrupted.
 */
export const layerStdio = (options: McpStdioOptions): Layer.Layer<never, never, Sessions | Stdio> =>
  McpServer.layerStdio({
    name: options.name,
    version: options.version,
    instructions,
    protocols,
    registrations: registrations(options)
  }).pipe(
    Layer.provide([readableInput, Layer.succeed(Logger.LogToStderr, true)]),
    // only a list of protocols that contradicts itself fails
    Layer.orDie
  )

/** The newest first: the first with a handshake is offered to a client that asks for one nobody knows. */
const protocols = [
  McpProtocol.v2026_07_28,
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05
] as const

/** For the agent; clients cut long ones off. */
const instructions =
  "Proofline says what to do next and accepts work only with proof. Call get_next_action first and whenever you are " +
  "unsure; do what its instruction says and hand in what expected_payload describes. Ask check_write_target before " +
  "every write. Every claim is checked on disk: evidence is file:line or file:start-end. A refusal names everything " +
  "that is wrong and the next_step; repair it and report again. When nothing is left, call report_completed."
