import {
  activities,
  type ContentOf,
  EndAttempt,
  type Failure,
  type LogUnavailable,
  perform,
  RecordActivityFailure,
  type Rejection,
  type Snapshot,
  step,
  taskOf,
  type WorkItem,
  type WorkReport
} from "@proofline/kernel"
import { Effect } from "effect"
import { weaknessesOf } from "../../operations/excerpts.ts"
import { runIn } from "../sessions/contract.ts"
import type { AttemptRef } from "./Attempts.ts"
import type { AttemptContext } from "./context.ts"
import { outstandingOf } from "./outstanding.ts"
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
  const { composition, host } = engine
  const end = EndAttempt({ ...wellEnded, task_id, attempt, report: reportOf(report) })
  const ended = yield* Effect.fromResult(step(composition, before, end))
  const state = runIn(ended.after)
  const task = taskOf(state, task_id)
  const next = task === undefined ? null : outstandingOf(state, task)
  if (next?.activity !== activities.evidence) return nothingSaid
  const item: WorkItem = { ...noItem, run, key: next.key, activity: next.activity, task_id, input: next.input }
  const onlyLooks = () => Effect.fail(notJudged("It asked for more than a look."))
  const activity = composition.activities.get(next.activity)
  const found = yield* perform(
    activity,
    {
      item,
      lease: 0,
      worker_id: "",
      state: composition.view(activity?.slot ?? 0, ended.after.slices),
      dispatch: onlyLooks,
      drive: onlyLooks
    },
    host
  )
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

/** Placeholder for the work item where the rules run outside the queue. */
const noItem = {
  id: "",
  kind: "activity",
  is_subtask: false,
  labels: [],
  priority: 0,
  not_before: 0
} as const
