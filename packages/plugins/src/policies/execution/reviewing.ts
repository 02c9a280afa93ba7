/** What a reviewer came to, and why there is no judgement. */
import { type ActivityFailure, type AgentResult, enumerated, isLineReceipt, type TaskState } from "@proofline/kernel"
import { Result } from "effect"
import { type Judgment, parseReview } from "./answers.ts"

/** A reviewer that fails or cannot be read is asked again so often; its fault is none of the work's. */
export const maxReviewsAgain = 2

/** Why there is no judgement, and the code under which that is told where it stays so. */
export interface Unjudged {
  readonly code: "review_failed" | "review_unread" | "review_changed" | "no_reviewer"
  readonly why: string
  readonly isFinal: boolean
}

export const judgedOf = (
  { answer, error, outcome }: AgentResult,
  isNamed: boolean
): Result.Result<Judgment, Unjudged> => {
  if (outcome !== "COMPLETE") {
    const why = error?.message ?? "It did not end well."
    return Result.fail({ code: "review_failed", why, isFinal: error?.terminal === true })
  }
  // an agent that was never named as a reviewer and does not answer as one is no reviewer
  return Result.mapError(parseReview(answer), (why) =>
    isNamed ? { code: "review_unread", why, isFinal: false } : { code: "no_reviewer", why, isFinal: true }
  )
}

export const unjudgedFailure = (reviewer: string, { code, why }: Unjudged): ActivityFailure => {
  const head = "Its validation was judged by nobody:"
  const messages: Record<Unjudged["code"], string> = {
    review_failed: `${head} the reviewer ${reviewer} failed. ${why}`,
    review_unread: `${head} the reviewer ${reviewer} gave no judgement that can be read, asked ${maxReviewsAgain + 1} times. ${why}`,
    review_changed: `${head} the reviewer ${reviewer} changed what it was to judge, asked ${maxReviewsAgain + 1} times. ${why}`,
    no_reviewer: `${head} ${reviewer}, asked in the role review, gave no judgement. ${why}`
  }
  return { _tag: "ActivityFailure", code, message: messages[code] }
}

/** The same question to a reviewer whose judgement could not be used, with what was wrong. */
export const askedAgain = (prompt: string, { code, why }: Unjudged): string => {
  const heads: Partial<Record<Unjudged["code"], string>> = {
    review_unread: "Your former answer could not be read",
    review_changed: "Your former judgement does not count"
  }
  return heads[code] === undefined
    ? prompt
    : `${prompt}\n## ${heads[code]}\n\n${why} Judge again, and answer as it is said above.\n`
}

/** A judgement of what is there no more is none: the reviewer changed a file that shows an item. */
export const asItIs = (
  judgment: Judgment,
  { items }: TaskState,
  files: ReadonlyArray<string>
): Result.Result<Judgment, Unjudged> => {
  const cited = new Set(
    items.flatMap(({ receipt }) => (receipt !== null && isLineReceipt(receipt) ? [receipt.path] : []))
  )
  const changed = files.filter((file) => cited.has(file))
  if (changed.length === 0) return Result.succeed(judgment)
  const why = `While it judged, ${enumerated(changed, maxNamed)} ${changed.length === 1 ? "was" : "were"} changed. A reviewer changes nothing: it says what is to be changed.`
  return Result.fail({ code: "review_changed", why, isFinal: false })
}

/** So many files are named at most. */
const maxNamed = 5
