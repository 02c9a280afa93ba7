import { DateTime, Duration, Predicate } from "effect"
import { AiError } from "effect/ai"
import { terminalOfClient } from "../../agents/failure.ts"
import { waitNamed, waitOfHeaders } from "../../agents/wait.ts"
import type { Answered, RequestFailed } from "./request.ts"
import type { Wire } from "./wire.ts"

/** Of what a provider says, in characters. */
const maxSaid = 4_000

/** What is wrong with an answer, in our own words. */
export const reasonOfTold = (description: string) => new AiError.InvalidResponseError({ description })

export const unreadable = reasonOfTold("Its answer is no JSON.")
export const noText = reasonOfTold("Its answer has no text.")

const notReached = (url: string, description: string) =>
  new AiError.NetworkError({ reason: "TransportError", method: "POST", url, description })

export const cutOff = (url: string) => notReached(url, "The stream of the answer breaks off.")

export const reasonOfFailure = (url: string, { code, reason }: RequestFailed): AiError.AiErrorReason =>
  reason === "too_large" ? reasonOfTold(`Its answer is too large: ${code}.`) : notReached(url, code)

interface Refused extends Answered {
  /** What stands in the place of an answer: JSON, or a text. */
  readonly error: unknown
  readonly wire: Wire
  readonly redact: (text: string) => string
}

/** Why an answer is none, by its status, or by what stands in the answer. It has the key no more. */
export const reasonOfAnswer = ({ error, headers, redact, status, wire }: Refused): AiError.AiErrorReason => {
  const body = redact(typeof error === "string" ? error : JSON.stringify(error)).slice(0, maxSaid)
  if (status >= 300 && status < 400) {
    return reasonOfTold(
      `It sends to another address${redact(targetOf(headers))}, to which no key is taken: name that one as \`base_url\`.`
    )
  }
  const meant = status >= 400 ? status : statusIn(error, wire)
  const now = Date.now()
  const wait = waitOfHeaders(headers, now) ?? waitNamed(body, now)
  const http = { response: { status: meant ?? status, headers: {} }, body }
  if (meant === null) return reasonOfTold(`It answers with an error: ${shortened(body)}`)
  if (terminalOfClient({ status: meant, message: body }) === "agent_quota") {
    const resetAt = wait === null ? undefined : DateTime.makeUnsafe(now + wait)
    return new AiError.QuotaExhaustedError({ resetAt, http })
  }
  // an overload that passes, however it is called
  if (meant === 408 || meant === 429 || meant === 503 || meant === 529) {
    return new AiError.RateLimitError({ ...(wait === null ? {} : { retryAfter: Duration.millis(wait) }), http })
  }
  return AiError.reasonFromHttpStatus({ status: meant, http, description: shortened(said(error) ?? body, redact) })
}

const shortened = (text: string, redact: (text: string) => string = (one) => one): string => {
  const line = redact(text).replaceAll(/\s+/g, " ").trim()
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}

const targetOf = ({ location }: Answered["headers"]): string =>
  typeof location === "string" && URL.canParse(location) ? ` (${new URL(location).origin})` : ""

/** Providers put it into an object `error`, which may be the whole answer. */
const errorOf = (answer: unknown): unknown =>
  Predicate.isObject(answer) && "error" in answer ? (answer as { readonly error: unknown }).error : answer

const said = (answer: unknown): string | null => {
  const error = errorOf(answer)
  const message =
    Predicate.isObject(error) && "message" in error ? (error as { readonly message: unknown }).message : error
  return typeof message === "string" ? message : null
}

/** The status that an error in an answer of 200 should have had; null: it says nothing of one. */
const statusIn = (answer: unknown, { statusOf }: Wire): number | null => {
  const error = errorOf(answer)
  if (!Predicate.isObject(error)) return null
  const { code, type } = error as { readonly code?: unknown; readonly type?: unknown }
  if (typeof code === "number" && code >= 400 && code <= 599) return code
  return (
    [code, type]
      .map((name) => (typeof name === "string" ? statusOf[name] : undefined))
      .find((one) => one !== undefined) ?? null
  )
}
