import type { RejectionKind } from "@proofline/kernel"

/** What an operation answers: the same for every front-end. */
export interface Answer {
  /** False: the request was refused; the body says why, and what to do. */
  readonly ok: boolean
  readonly body: Body
  /** Of a refusal, what it is about; left out: what was asked is wrong. */
  readonly kind?: RejectionKind
  /** The arguments are not what the operation asks for: nothing was looked at. */
  readonly isMalformed?: true
  /** Nothing was decided: the log cannot be used now. */
  readonly isUnavailable?: true
}

/** Fields of JSON. */
export type Body = Readonly<Record<string, unknown>>

/** What is shown of the work without asking for anything: it leaves no trace in the log. */
export type View = "task" | "progress" | "log"
