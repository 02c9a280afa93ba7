import {
  activities,
  type ContentOf,
  EndAttempt,
  type Failure,
  type LogUnavailable,
  RecordActivityFailure,
  type Rejection,
  type Snapshot,
  step,
  taskOf,
  type WorkReport
} from "@proofline/kernel"
import { Effect } from "effect"
import { weaknessesOf } from "../../operations/excerpts.ts"
import { findNow } from "../../operations/findNow.ts"
import { outstandingOf } from "../../operations/outstanding.ts"
import { runIn } from "../sessions/contract.ts"
import type { AttemptRef } from "./Attempts.ts"
import type { AttemptContext } from "./context.ts"
import { notJudged } from "./rejections.ts"

/** What is wrong with a report, and what holds and shows little. */
export interface Judged {
  readonly failures: ReadonlyArray<Failure>
  readonly warnings: ReadonlyArray<{ readonly code: string; readonly message: string }>
}

export const nothingSaid: Judged = { failures: [], warnings: [] }

/**
 * What a report would come to if the attempt ended with it now: the same rules and the same look at the disk as then,
 * with nothing of it recorded.
 */
export const judged = Effect.fnUntraced(function* (
  { engine }: AttemptContext,
  before: Snapshot,
  { attempt, run, task_id }: AttemptRef,
  report: WorkReport
): Effect.fn.Return<Judged, Rejection | LogUnavailable> {
  const { composition } = engine
  const end = EndAttempt({ ...wellEnded, task_id, attempt, report: reportOf(report) })
  const ended = yield* Effect.fromResult(step(composition, before, end))
  const state = runIn(ended.after)
  const task = taskOf(state, task_id)
  const next = task === undefined ? null : outstandingOf(state, task)
  if (next?.activity !== activities.evidence) return nothingSaid
  const refused = notJudged("It asked for more than a look.")
  const found = yield* findNow(engine, next, { run, task_id, after: ended.after, refused })
  if (found === null) return nothingSaid
  if (found._tag === RecordActivityFailure.name) return yield* Effect.fail(notJudged(String(found["message"])))
  const { after } = yield* Effect.fromResult(step(composition, ended.after, found))
  const looked = taskOf(runIn(after), task_id)
  return {
    failures: looked?.current?.failures ?? [],
    warnings: looked === undefined ? [] : weaknessesOf(looked)
  }
})

const reportOf = ({ checklist, summary }: WorkReport): ContentOf<typeof EndAttempt>["report"] => ({
  summary: summary ?? "",
  checklist: checklist ?? null,
  problems: []
})

/** How an attempt ends about which nothing is known but its report. */
const wellEnded = {
  outcome: "COMPLETE",
  exit_code: 0,
  signal: null,
  duration_ms: 0,
  error: null,
  output: null,
  files_modified: null
} as const
