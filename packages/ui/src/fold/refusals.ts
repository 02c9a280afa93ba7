import {
  type AttemptView,
  type CheckRun,
  checkEnding,
  hasPassed,
  historyOf,
  type Recorded,
  type TaskId,
  type TaskState,
  taskOf
} from "@proofline/kernel"
import type { Checkpoint } from "./checkpoints.ts"
import { type ClaimRow, claimsOf } from "./claims.ts"
import { stateOf } from "./compose.ts"
import type { RunLog } from "./log.ts"
import type { Queries, RefusalRow } from "./protocol.ts"
import { summaryOf } from "./summary.ts"

/** What an event that refuses something may say; which of it, depends on its type. */
interface Content {
  readonly task_id?: string
  readonly attempt?: number
  readonly index?: number | null
  readonly item?: string | null
  readonly key?: string
  readonly message?: string
  readonly checks?: ReadonlyArray<CheckRun & { readonly criterion?: string; readonly details?: string }>
  readonly reviewer?: string
  readonly judgment?: string
  readonly modification_prompt?: string | null
}

/** What was refused until a version, newest first; `head` says what was done about it since. */
export const refusalsAnswer = (
  log: Pick<RunLog, "event" | "refusals">,
  { event, from, to }: Queries["refusals"]["params"],
  version: number,
  head: Checkpoint
): Queries["refusals"]["answer"] => {
  const total = log.refusals.upTo(version)
  const rows: Array<RefusalRow> = []
  const end = event === null ? to : Math.max(to, total - log.refusals.upTo(event - 1))
  for (let i = Math.max(0, from); i < Math.min(end, total); i++)
    rows.push(rowOf(log.event(log.refusals.at(total - 1 - i)), head))
  return { from: Math.max(0, from), total, rows }
}

const rowOf = (event: Recorded, { history, snapshot }: Checkpoint): RefusalRow => {
  const { event_type, timestamp, version } = event
  const { attempt = null, index = null, item = null, task_id = null, ...content } = event.content as Content
  const task = task_id === null ? undefined : taskOf(stateOf(snapshot), task_id as TaskId)
  const attempts = task_id === null ? [] : historyOf(history, task_id).attempts
  const claimIn = (number: number | null) => {
    const found = attempts.find((one) => one.attempt === number)
    if (task === undefined || found === undefined || index === null) return null
    return byIndex(task.items, found).get(index) ?? null
  }
  const later = attempt === null ? undefined : attempts.find((one) => one.attempt > attempt)
  const answer = claimIn(later?.attempt ?? null)
  return {
    version,
    timestamp,
    event_type,
    task_id,
    title: task?.spec.title ?? task_id,
    attempt,
    item,
    claim: claimIn(attempt)?.claim ?? null,
    ...reasonsOf(event, content),
    next:
      later === undefined
        ? null
        : {
            attempt: later.attempt,
            is_over: later.ended_at !== null,
            claim: answer?.claim ?? null,
            outcome: index === null ? ofWhole(later) : (answer?.outcome ?? null),
            reasons: answer?.refusals ?? []
          }
  }
}

/** The claims of an attempt by their item. Many refusals are about one attempt, and each about two. */
const byIndex = (items: TaskState["items"], attempt: AttemptView): ReadonlyMap<number | null, ClaimRow> => {
  const known = paired.get(attempt)
  if (known?.items === items) return known.rows
  // of several about no item the first
  const rows = new Map(
    claimsOf(items, attempt)
      .rows.map((row) => [row.index, row] as const)
      .toReversed()
  )
  paired.set(attempt, { items, rows })
  return rows
}

const paired = new WeakMap<
  AttemptView,
  { readonly items: TaskState["items"]; readonly rows: ReadonlyMap<number | null, ClaimRow> }
>()

/** What became of an attempt as a whole, where nothing is said of one item. */
const ofWhole = ({
  judgment,
  passed,
  refusals
}: ReturnType<typeof historyOf>["attempts"][number]): "accepted" | "refused" | null => {
  if (refusals.length > 0 || passed === false || (judgment !== null && judgment.judgment !== "PASS")) return "refused"
  return passed === null && judgment === null ? null : "accepted"
}

const reasonsOf = (event: Recorded, content: Content): Pick<RefusalRow, "kind" | "reasons" | "printed"> => {
  const { checks = [], judgment = "", key = "", message = "", modification_prompt, reviewer = "" } = content
  switch (event.event_type) {
    case "CHECKLIST_ITEM_REJECTED":
      return { kind: "claim", reasons: [{ key, message }], printed: "" }
    case "VERIFICATION_RUN":
    case "PHASE_VERIFIED": {
      const failed = checks.filter((check) => !hasPassed(check))
      return {
        kind: "check",
        reasons: failed.map((check) => ({ key: checkEnding(check), message: check.command })),
        printed: failed[0]?.output_tail ?? ""
      }
    }
    case "QUALITY_JUDGMENT":
      return {
        kind: "review",
        reasons: [
          { key: judgment, message: reviewer === "" ? "The review did not pass it." : `${reviewer} did not pass it.` },
          ...checks
            .filter((check) => (check as { readonly passed?: boolean }).passed === false)
            .map(({ criterion = "", details = "" }) => ({ key: "", message: `${criterion} ${details}`.trim() }))
        ],
        printed: modification_prompt ?? ""
      }
    default:
      return { kind: "other", reasons: [{ key, message: message === "" ? summaryOf(event) : message }], printed: "" }
  }
}

/** So many places at most are marked along a log. */
const marksMost = 240

/** Versions of refusals along the whole log, of those that lie close together one. */
export const marksOf = ({ head, refusals }: Pick<RunLog, "head" | "refusals">): ReadonlyArray<number> => {
  const step = Math.max(1, head / marksMost)
  const marks: Array<number> = []
  let last = -1
  for (let i = 0; i < refusals.length; i++) {
    const version = refusals.at(i)
    const place = Math.floor(version / step)
    if (place !== last) marks.push(version)
    last = place
  }
  return marks
}
