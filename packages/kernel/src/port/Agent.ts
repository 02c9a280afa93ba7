import { Context, type Effect, Schema } from "effect"
import type { BlobRef } from "../base/Blob.ts"
import type { LogUnavailable } from "../base/LogUnavailable.ts"

/** What an agent is asked for; it learns it from `PROOFLINE_ROLE`. */
export type AgentRole = "work" | "review" | "analyze" | "generate" | "verify"

export interface AgentRequest {
  readonly run_id: string
  readonly task_id: string
  /** From 1. */
  readonly attempt: number
  readonly role: AgentRole
  readonly prompt: string
  /** Where it works, absolute; null: in the project directory. */
  readonly directory: string | null
  /** Hard limit in ms. */
  readonly timeout_ms: number
  /** Ends the agent after so many ms without output; null: never. */
  readonly idle_timeout_ms: number | null
  /** The session of its own that it is to go on with, where it can; left out: it begins a new one. */
  readonly resume?: AgentSession
}

/** What a call of an agent used, as far as it says so itself. */
export const Usage = Schema.Struct({
  input_tokens: Schema.NullOr(Schema.Int),
  output_tokens: Schema.NullOr(Schema.Int),
  cost_usd: Schema.NullOr(Schema.Finite)
})
export type Usage = typeof Usage.Type

/** A conversation that an agent keeps itself, and with which it can go on. */
export const AgentSession = Schema.Struct({
  /** It is handed to command lines: one word, and never an option. */
  id: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9._:][A-Za-z0-9._:-]{0,199}$/)),
  /** What was used in all of it, of agents that say only that; left out: they say what one call used. */
  used: Schema.optionalKey(Usage)
})
export type AgentSession = typeof AgentSession.Type
export const isSessionId = Schema.is(AgentSession.fields.id)

/** The files that a tool looks at or changes, as the agent names them. */
const Files = Schema.Array(Schema.String)

/** What an agent does, as it says itself while it works. It proves nothing. */
export const AgentStep = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({ type: Schema.Literal("thought"), text: Schema.String }),
  /** A call of a tool; another step with the same `id` is its newer state, in which an empty title or list is unchanged. */
  Schema.Struct({
    type: Schema.Literal("tool"),
    id: Schema.String,
    title: Schema.String,
    status: Schema.Literals(["running", "done", "failed"]),
    files: Files
  }),
  /** The whole plan, each time. */
  Schema.Struct({
    type: Schema.Literal("plan"),
    entries: Schema.Array(
      Schema.Struct({ text: Schema.String, status: Schema.Literals(["pending", "in_progress", "completed"]) })
    )
  }),
  /** It asked whether it may do something. */
  Schema.Struct({
    type: Schema.Literal("permission"),
    title: Schema.String,
    answer: Schema.Literals(["allowed", "denied", "not_answered"])
  }),
  /** What Proofline says of how the agent was asked. */
  Schema.Struct({ type: Schema.Literal("note"), text: Schema.String })
])
export type AgentStep = typeof AgentStep.Type

/** A step with the moment in which it was told, as it is kept: one a line. */
export const TimedStep = Schema.fromJsonString(Schema.Struct({ at: Schema.String, step: AgentStep }))

/** What an agent wants to do and asks leave for, as it says itself. */
export const PermissionQuestion = Schema.Struct({
  title: Schema.String,
  /** The kind of the tool: `read`, `edit`, `execute`, …; empty: it did not say. */
  tool: Schema.String,
  /** What the tool is called with, e.g. the command line; at most 2,000 characters, empty: it did not say. */
  detail: Schema.String,
  files: Files
})
export type PermissionQuestion = typeof PermissionQuestion.Type

/** `always`: allowed, and so is everything of its kind for as long as the agent works, where it offers that. */
export const PermissionAnswer = Schema.Literals(["allow", "always", "deny"])
export type PermissionAnswer = typeof PermissionAnswer.Type

/** What an agent may ask back while it works on one prompt. */
export interface AskingBack {
  /** Waits for the answer of a person, however long that takes. */
  readonly permission: (question: PermissionQuestion) => Effect.Effect<PermissionAnswer, LogUnavailable>
  /** Hears each step when it is kept, and how many there are with it; left out: nobody listens. */
  readonly stepped?: (step: AgentStep, count: number) => void
}

/** Why an attempt ended badly. */
export const AttemptError = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  /** Trying again cannot help (quota, credentials, no such program). */
  terminal: Schema.Boolean,
  /** Its provider is overloaded or cannot be reached: nothing is wrong with the work, and trying again may help. */
  transient: Schema.optionalKey(Schema.Boolean),
  /** How long it says to wait, in ms. */
  retry_after_ms: Schema.optionalKey(Schema.Int)
})
export type AttemptError = typeof AttemptError.Type

export interface AgentResult {
  /** `COMPLETE` only says that the agent ended by itself and well; whether the work holds is decided elsewhere. */
  readonly outcome: "COMPLETE" | "ERROR" | "TIMEOUT"
  readonly exit_code: number | null
  readonly signal: string | null
  readonly duration_ms: number
  /** The text of the report file, else the last fenced block of the output; null when there was neither. */
  readonly answer: string | null
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  /** `TimedStep`s, one a line; empty: it tells of none. */
  readonly steps: Uint8Array
  readonly error: AttemptError | null
  /** What it says it has used; null: it did not say. */
  readonly usage: Usage | null
  /** All that was asked and came of it, where that is recorded. */
  readonly exchange?: BlobRef
  /** The session of its own in which it worked, and with which it can go on; left out: it named none. */
  readonly session?: AgentSession
}

/** The result of an agent of which there is nothing but an error: it was not started, or gave nothing back. */
export const failedWith = (error: AttemptError | null): AgentResult => ({
  outcome: "ERROR",
  exit_code: null,
  signal: null,
  duration_ms: 0,
  answer: null,
  stdout: new Uint8Array(),
  stderr: new Uint8Array(),
  steps: new Uint8Array(),
  error,
  usage: null
})

export class UnknownAgent extends Schema.TaggedError<UnknownAgent>()("UnknownAgent", {
  agent: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message() {
    return `There is no agent "${this.agent}". Known: ${this.known.join(", ") || "none"}.`
  }
}

/**
 * The agents of this project by name. `run` lets one work on one prompt in the directory that is asked for.
 * Interrupting it ends the agent and every process it started before the interruption completes.
 */
export class Agents extends Context.Service<
  Agents,
  {
    readonly names: ReadonlyArray<string>
    readonly run: (
      agent: string,
      request: AgentRequest,
      back: AskingBack
    ) => Effect.Effect<AgentResult, UnknownAgent | LogUnavailable>
  }
>()("@proofline/kernel/port/Agents") {}
