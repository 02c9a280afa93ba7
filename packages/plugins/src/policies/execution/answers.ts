import { ReportedItem, ReviewReport, WorkReport } from "@proofline/kernel"
import { Option, Result, Schema } from "effect"

export interface ParsedReport {
  readonly summary: string
  /** Null: there was no usable checklist. */
  readonly checklist: ReadonlyArray<ReportedItem> | null
  readonly problems: ReadonlyArray<string>
}

const decodeItem = Schema.decodeUnknownOption(ReportedItem)
const decodeWork = Schema.decodeUnknownResult(WorkReport)
const decodeReview = Schema.decodeUnknownResult(ReviewReport)

/** Read by whoever wrote the command, too: what it has to leave, and where. */
const noReport =
  'There was no report: no report file and no fenced block in the output. The file that $PROOFLINE_REPORT_FILE names is to hold: {"summary": "…", "checklist": [{"item": "the text of an item", "status": "done", "evidence": "src/auth.ts:42-58"}]}'

/** An agent's answer in the role `work`. Whatever does not fit the promised shape is a problem, never a guess. */
export const parseWorkReport = (answer: string | null, checklistAsked: boolean): ParsedReport => {
  if (answer === null) {
    return {
      summary: "",
      checklist: null,
      problems: checklistAsked ? [noReport] : []
    }
  }
  const parsed = parseJson(answer)
  if (Result.isFailure(parsed)) {
    // without a checklist the closing words of the agent are all that was asked for
    return checklistAsked
      ? { summary: "", checklist: null, problems: [parsed.failure] }
      : { summary: answer.slice(0, 2_000), checklist: null, problems: [] }
  }
  const report = decodeWork(parsed.success)
  if (Result.isFailure(report)) {
    return { summary: "", checklist: readableItems(parsed.success), problems: [shapeProblem(report.failure)] }
  }
  const { checklist, summary } = report.success
  return { summary: summary ?? "", checklist: checklist ?? null, problems: [] }
}

/** The items of a report that can be read although something else of it does not fit: they are judged too. Null: none can. */
const readableItems = (report: unknown): ReadonlyArray<ReportedItem> | null => {
  const { checklist } = (report ?? {}) as { readonly checklist?: unknown }
  if (!Array.isArray(checklist)) return null
  const items = checklist.flatMap((one: unknown) => Option.getOrUndefined(decodeItem(one)) ?? [])
  return items.length === 0 ? null : items
}

export type Judgment = Pick<ReviewReport, "judgment"> & {
  readonly checks: NonNullable<ReviewReport["checks"]>
  readonly modification_prompt: string | null
}

/** A reviewer's answer; the failure says in a sentence why it is none. A PASS with a failed check is a REJECT. */
export const parseReview = (answer: string | null): Result.Result<Judgment, string> => {
  if (answer === null) return Result.fail("It gave no answer: no report file and no fenced block in the output.")
  const parsed = parseJson(answer)
  if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
  const review = decodeReview(parsed.success)
  if (Result.isFailure(review)) return Result.fail(shapeProblem(review.failure))
  const { checks = [], judgment, modification_prompt = null } = review.success
  const failed = checks.filter((check) => !check.passed)
  return Result.succeed(
    judgment === "PASS" && failed.length > 0
      ? {
          judgment: "REJECT",
          checks,
          modification_prompt: `The reviewer passed the work although not everything is met: ${failed.map((check) => check.criterion).join("; ")}.`
        }
      : { judgment, checks, modification_prompt }
  )
}

const parseJson = (text: string): Result.Result<unknown, string> => {
  try {
    return Result.succeed(JSON.parse(text))
  } catch (error) {
    const why = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " ")
    return Result.fail(`The report is not JSON: ${why}. Write one JSON value, with no text before or behind it.`)
  }
}

const shapeProblem = (error: { readonly message: string }): string =>
  `The report does not have the promised shape: ${error.message
    .split("\n")
    .map((line) => line.trim())
    .join(" ")}.`
