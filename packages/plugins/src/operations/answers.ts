import { type Failure, filledIn, type Rejection, type RejectionKind } from "@proofline/kernel"
import type { Answer, Body } from "./Answer.ts"
import { truncate } from "./sizeLimit.ts"

/** Failures that one answer names; the others are counted. */
const maxFailures = 40

/** Ids, tasks or other entries that one answer lists. */
export const maxListed = 50

export const accepted = (body: Body): Answer => ({ ok: true, body })

/** Adds a warning for every field the operation does not know, so that misspelt names are noticed. */
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
export const truncated = (answer: Answer): Answer => ({ ...answer, body: truncate(answer.body) })

/** A rejection, or what takes its place. */
type Refused = Pick<Rejection, "code" | "message" | "hint" | "open"> & Partial<Pick<Rejection, "kind">>

/** Why a request was refused, what to do next, and where the work stands. */
export const refused = (
  { code, hint, kind = "invalid", message, open }: Refused,
  status: Body,
  failures: ReadonlyArray<Failure> = []
): Answer => ({
  ok: false,
  kind,
  body: {
    success: false,
    error: code,
    message,
    next_step: hint,
    ...(failures.length === 0 ? {} : failuresOf(failures)),
    ...(open.length === 0 ? {} : { open: open.slice(0, maxListed) }),
    ...status
  }
})

export const failuresOf = (failures: ReadonlyArray<Failure>): Body => ({
  failures: failures.slice(0, maxFailures).map(({ fields, item, key, message }) => ({ key, item, fields, message })),
  ...(failures.length > maxFailures ? { failures_left_out: failures.length - maxFailures } : {})
})

/** A constant by itself: the page of error codes reads it as the hint of `mismatch`. */
const mendAll = "Mend every failure that is named, then send it again."

/** What is said around failures. */
export const mismatchTexts = {
  one: "One thing is wrong: {failures}",
  many: "{count} things are wrong: {failures}",
  next: mendAll
}

/** A report, a payload or arguments that do not fit, with everything that is wrong. */
export const mismatch = (
  failures: ReadonlyArray<Failure>,
  status: Body,
  texts: typeof mismatchTexts | null = null
): Answer => {
  const { many, one } = texts ?? mismatchTexts
  return refused(
    {
      code: "payload_mismatch",
      message: filledIn(failures.length === 1 ? one : many, {
        count: failures.length,
        failures: `${failures
          .slice(0, 3)
          .map(({ message }) => message)
          .join(" ")}${failures.length > 3 ? " …" : ""}`
      }),
      hint: texts === null ? mendAll : texts.next,
      open: []
    },
    status,
    failures
  )
}

/** Arguments that are not what the operation asks for, whatever they are about. */
export const malformed = (
  failures: ReadonlyArray<Failure>,
  status: Body,
  texts: typeof mismatchTexts | null = null
): Answer => ({
  ...mismatch(failures, status, texts),
  isMalformed: true
})

/** The fields of every refusal that belongs to no work, e.g. of a token that is unknown. */
export interface Refusal {
  /** Stable. */
  readonly error: string
  readonly message: string
  readonly next_step: string
  readonly [field: string]: unknown
}

/** A refusal without anything about where work stands. */
export const refusal = (fields: Refusal, kind: RejectionKind = "invalid"): Answer => ({
  ok: false,
  kind,
  body: { success: false, ...fields }
})
