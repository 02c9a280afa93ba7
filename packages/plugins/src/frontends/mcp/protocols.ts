import { McpProtocol } from "effect/ai"

/** The newest first: the first with a handshake is offered to a client that asks for one nobody knows. */
export const protocols = [
  McpProtocol.v2026_07_28,
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05
] as const

/** What a client may name as the revision it speaks. */
export const revisions: ReadonlyArray<string> = protocols.map(({ protocolVersion }) => protocolVersion)
