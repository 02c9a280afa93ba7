import type { AttemptError } from "@proofline/kernel"
import { DateTime, Duration } from "effect"
import type { AiError } from "effect/ai"
import { attemptError, type ClientFailure } from "../../agents/failure.ts"

/** A refusal of these says that nobody can be asked there; of others, that this prompt cannot be. */
const forGood: ReadonlySet<number> = new Set([404, 405, 410, 501])

/** Why a model has not answered, in the codes that all agents have. */
export const errorOf = (agent: string, { reason }: AiError.AiError, now: number): AttemptError => {
  const status = statusOf(reason)
  const isRefused = reason._tag === "InvalidRequestError" || reason._tag === "UnknownError"
  if (isRefused || (status !== null && forGood.has(status))) {
    const said = "description" in reason && reason.description !== undefined ? ` It says: ${reason.description}` : ""
    return {
      code: "agent_refused",
      message: `The provider of agent "${agent}" refuses the request (${status}).${said}`,
      terminal: status !== null && forGood.has(status)
    }
  }
  const ended = {
    agent,
    ended_by: "itself",
    exit_code: 0,
    signal: null,
    timeout_ms: 0,
    idle_timeout_ms: null,
    has_answer: false,
    stdout: "",
    stderr: "",
    now
  } as const
  const unspoken: ClientFailure = { status: null, message: "", told: "It gives no answer that can be used." }
  const error =
    attemptError({ ...ended, client: failureOf(reason, now) }) ?? attemptError({ ...ended, client: unspoken })
  return error as AttemptError
}

const statusOf = (reason: AiError.AiErrorReason): number | null =>
  "http" in reason ? (reason.http?.response?.status ?? null) : null

const failureOf = (reason: AiError.AiErrorReason, now: number): ClientFailure => {
  const status = statusOf(reason)
  switch (reason._tag) {
    case "AuthenticationError":
      return { status, message: "" }
    case "QuotaExhaustedError": {
      const { resetAt } = reason
      return { status: 402, message: "", ...(resetAt === undefined ? {} : { until: DateTime.toEpochMillis(resetAt) }) }
    }
    case "RateLimitError": {
      const { retryAfter } = reason
      const until = retryAfter === undefined ? {} : { until: now + Duration.toMillis(retryAfter) }
      return { status: null, message: "", transient: "agent_overloaded", ...until }
    }
    case "InternalProviderError":
    case "NetworkError":
      return { status: null, message: "", transient: "agent_network" }
    default:
      return { status: null, message: "", told: "description" in reason ? (reason.description ?? "") : reason.message }
  }
}
