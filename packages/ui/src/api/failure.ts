import type { ProblemItem } from "@proofline/plugins/frontends/http/api"

/** Why something that was asked was not done. Every refusal of the server has this shape, and a lost connection too. */
export interface Failure {
  /** Of the HTTP answer; 0: there was none. */
  readonly status: number
  /** Stable, as in the API. `server_unreachable`: nobody answers; `answer_unreadable`: it is not as declared. */
  readonly code: string
  readonly message: string
  /** What to do next; empty: nothing can be said. */
  readonly hint: string
  /** Every single fault with its place, where there are several. */
  readonly problems: ReadonlyArray<ProblemItem>
}

/** What a promise of `ask` is rejected with. */
export class AskError extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.message)
    this.name = "AskError"
    this.failure = failure
  }
}

/** What to do where nobody answers. */
export const serveAgain =
  "The page connects again by itself. If the server has ended, run `proofline serve` in the project directory and open the address that it prints."

/** Nobody answers, or not to the end. */
export const unreachable: Failure = {
  status: 0,
  code: "server_unreachable",
  message: "The server does not answer.",
  hint: serveAgain,
  problems: []
}

/** Any error as one shape. */
export const failureOf = (error: unknown): Failure => {
  if (error instanceof AskError) return error.failure
  const fields = (typeof error === "object" && error !== null ? error : {}) as Record<string, unknown>
  const text = (value: unknown, otherwise = "") => (typeof value === "string" ? value : otherwise)
  if (typeof fields["status"] === "number" && typeof fields["code"] === "string") {
    return {
      status: fields["status"],
      code: fields["code"],
      message: text(fields["detail"], text(fields["title"], "That was refused.")),
      hint: text(fields["hint"]),
      problems: Array.isArray(fields["problems"]) ? (fields["problems"] as ReadonlyArray<ProblemItem>) : []
    }
  }
  return unreadable(0)
}

/** The answer has this HTTP status, and is neither what was asked for nor a refusal. */
export const unreadable = (status: number): Failure => ({
  status,
  code: "answer_unreadable",
  message: `The server's answer is not one that this page can read${status === 0 ? "" : ` (HTTP ${status})`}.`,
  hint: "Reload the page: another version of Proofline may be serving it now. If it stays, look at the server's stderr.",
  problems: []
})
