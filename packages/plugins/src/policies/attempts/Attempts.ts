import type { AgentRole, LogUnavailable, Rejection, RunId, TaskId } from "@proofline/kernel"
import { Context, type Effect } from "effect"
import type { Answer, View } from "../../operations/Answer.ts"

/** One attempt of an agent that Proofline itself has started. */
export interface AttemptRef {
  readonly run: RunId
  readonly task_id: TaskId
  /** From 1. */
  readonly attempt: number
  readonly role: AgentRole
}

/**
 * Agents that Proofline has started, asking back while they work: each is bound to its own attempt, and may ask for
 * nothing else. What is handed in is checked at once, and judged as always when the attempt ends.
 */
export class Attempts extends Context.Service<
  Attempts,
  {
    /** Whether a text has the form of a token of an attempt, good or not. */
    readonly isToken: (token: string) => boolean
    /** The attempt a token belongs to, as long as it is under way. */
    readonly authenticate: (token: string) => Effect.Effect<AttemptRef, Rejection | LogUnavailable>
    /** Carries out an operation with arguments as a client sent them (without the token). */
    readonly call: (attempt: AttemptRef, operation: string, args: unknown) => Effect.Effect<Answer, LogUnavailable>
    /** What is to be seen of the attempt's own task. Changes nothing. */
    readonly view: (attempt: AttemptRef, view: View) => Effect.Effect<Answer, LogUnavailable>
  }
>()("@proofline/plugins/policies/attempts/Attempts") {}
