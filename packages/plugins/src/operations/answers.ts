import type { Failure, Rejection } from "@proofline/kernel"
import type { Answer, Body } from "./Answer.ts"
import { truncate } from "./sizeLimit.ts"

/** Failures that one answer names; the others are counted. */
const maxFailures = 40

/** Ids, tasks or other entries that one answer lists. */
export const maxListed = 50

export const accepted = (body: Body): Answer => ({ ok: true, body })

/** Names the fields that were ignored: a name that is misspelt must not go unnoticed. */
export const withUnexpectedFields = (answer: Answer, unexpected: ReadonlyArray<string>): Answer => {
  if (unexpected.length === 0) return answer
  const ignored = unexpected.map((path) => ({
    code: "field_unexpected",
    message: `Field ${path} is not asked for, so nothing is made of it.`
  }))
  const { warnings } = answer.body
  return { ...answer, body: { ...answer.body, warnings: [...(Array.isArray(warnings) ? warnings : []), ...ignored] } }
}

/** The same answer within the response size limit. */
export const truncated = ({ body, ok }: Answer): Answer => ({ ok, body: truncate(body) })

/** Why a request was refused, what to do next, and where the work stands. */
export const refused = (
  { code, hint, message, open }: Pick<Rejection, "code" | "message" | "hint" | "open">,
  standing: Body,
  failures: ReadonlyArray<Failure> = []
): Answer => ({
  ok: false,
  body: {
    success: false,
    error: code,
    message,
    next_step: hint,
    ...(failures.length === 0 ? {} : failuresOf(failures)),
    ...(open.length === 0 ? {} : { open: open.slice(0, maxListed) }),
    ...standing
  }
})

export const failuresOf = (failures: ReadonlyArray<Failure>): Body => ({
  failures: failures.slice(0, maxFailures).map(({ fields, item, key, message }) => ({ key, item, fields, message })),
  ...(failures.length > maxFailures ? { failures_left_out: failures.length - maxFailures } : {})
})

/** A report, a payload or arguments that do not fit, with everything that is wrong. */
export const mismatch = (failures: ReadonlyArray<Failure>, standing: Body): Answer =>
  refused(
    {
      code: "payload_mismatch",
      message: `${failures.length === 1 ? "One thing is" : `${failures.length} things are`} wrong: ${failures
        .slice(0, 3)
        .map(({ message }) => message)
        .join(" ")}${failures.length > 3 ? " …" : ""}`,
      hint: "Mend every failure that is named, then send it again.",
      open: []
    },
    standing,
    failures
  )

/** The fields of every refusal that belongs to no work, e.g. of a token that is unknown. */
export interface Refusal {
  /** Stable. */
  readonly error: string
  readonly message: string
  readonly next_step: string
  readonly [field: string]: unknown
}

/** A refusal without anything about where work stands. */
export const refusal = (fields: Refusal): Answer => ({ ok: false, body: { success: false, ...fields } })
