import { type AgentRequest, type AgentResult, AttemptError, Usage } from "@proofline/kernel"
import { Schema } from "effect"

/** Bytes as people can read them, where they are text. */
const Bytes = Schema.Union([Schema.Struct({ text: Schema.String }), Schema.Struct({ base64: Schema.String })])

/** All that an agent was asked, and all that came of it: what a call needs to be played again. */
export const Exchange = Schema.Struct({
  version: Schema.Literal(1),
  agent: Schema.String,
  role: Schema.String,
  task_id: Schema.String,
  attempt: Schema.Int,
  prompt: Schema.String,
  outcome: Schema.Literals(["COMPLETE", "ERROR", "TIMEOUT"]),
  exit_code: Schema.NullOr(Schema.Int),
  signal: Schema.NullOr(Schema.String),
  duration_ms: Schema.Finite,
  answer: Schema.NullOr(Schema.String),
  error: Schema.NullOr(AttemptError),
  usage: Schema.NullOr(Usage),
  stdout: Bytes,
  stderr: Bytes,
  steps: Bytes,
  /** A patch as `git diff --binary` writes it, of what changed in the directory meanwhile; null: nobody looked. */
  files: Schema.NullOr(Bytes),
  /** Why nobody looked; null: somebody did, or the role changes no files. */
  files_missing: Schema.NullOr(Schema.String)
})
export type Exchange = typeof Exchange.Type

/** What was seen of the files. */
export type Seen = { readonly patch: Uint8Array } | { readonly missing: string } | null

export const exchangeOf = (agent: string, request: AgentRequest, result: AgentResult, seen: Seen): Exchange => ({
  version: 1,
  agent,
  role: request.role,
  task_id: request.task_id,
  attempt: request.attempt,
  prompt: request.prompt,
  outcome: result.outcome,
  exit_code: result.exit_code,
  signal: result.signal,
  duration_ms: result.duration_ms,
  answer: result.answer,
  error: result.error,
  usage: result.usage,
  stdout: written(result.stdout),
  stderr: written(result.stderr),
  steps: written(result.steps),
  files: seen !== null && "patch" in seen ? written(seen.patch) : null,
  files_missing: seen !== null && "missing" in seen ? seen.missing : null
})

/** The same as the agent's end; no provider is asked, and so nothing is used. */
export const resultOf = (exchange: Exchange, duration_ms: number): AgentResult => ({
  outcome: exchange.outcome,
  exit_code: exchange.exit_code,
  signal: exchange.signal,
  duration_ms,
  answer: exchange.answer,
  stdout: bytesOf(exchange.stdout),
  stderr: bytesOf(exchange.stderr),
  steps: bytesOf(exchange.steps),
  error: exchange.error,
  usage: null
})

export const bytesOf = (written: typeof Bytes.Type): Uint8Array =>
  "text" in written ? Buffer.from(written.text) : Buffer.from(written.base64, "base64")

const written = (bytes: Uint8Array): typeof Bytes.Type => {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = all.toString()
  return Buffer.from(text).equals(all) ? { text } : { base64: all.toString("base64") }
}

const Written = Schema.fromJsonString(Exchange)
export const encodeExchange = Schema.encodeSync(Written)
export const decodeExchange = Schema.decodeUnknownEffect(Written)
