import type { AgentRequest, LogUnavailable } from "@proofline/kernel"
import { Context, type Effect } from "effect"

/** Which agent of which attempt: one request to one agent. */
export type AgentCall = Pick<AgentRequest, "run_id" | "task_id" | "attempt" | "role">

/**
 * Secrets by which an agent shows what it was started for. They are good in every process of the project, and nothing
 * of them is kept: whether its attempt is still under way is told by the log.
 */
export class AttemptTokens extends Context.Service<
  AttemptTokens,
  {
    /** Whether a text has the form of a token, good or not. */
    readonly isToken: (text: string) => boolean
    /** A text without blanks that nobody can guess; the same call has always the same. */
    readonly mint: (call: AgentCall) => Effect.Effect<string, LogUnavailable>
    /** What a token was minted for; null: it was not minted here. */
    readonly read: (token: string) => Effect.Effect<AgentCall | null, LogUnavailable>
  }
>()("@proofline/plugins/policies/attempts/AttemptTokens") {}
