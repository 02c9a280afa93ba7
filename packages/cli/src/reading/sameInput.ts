import { EventLog, makeSummaries, type RunSummary } from "@proofline/kernel"
import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import { Effect, Stream } from "effect"

/** What a run began with, as its summary has it; one of before it was kept there is asked for its first event. */
interface Beginning {
  /** Relative to the project; null: it was made of no file. */
  readonly path: string | null
  /** The commit that was there before it; null: none. */
  readonly commit: string | null
}

export const beginningOf = Effect.fnUntraced(function* (row: RunOverview) {
  const { base_commit = null, input } = hasBeginning(row) ? row : yield* firstOf(row.run_id)
  const path = input?.path ?? null
  // `-` stands for words that were given on the command line
  return { path: path === "-" ? null : path, commit: base_commit } satisfies Beginning
})

/** No event has to be read for it. */
export const hasBeginning = ({ input }: RunOverview): boolean => input !== undefined

const firstOf = Effect.fnUntraced(function* (run: string) {
  const first = yield* Stream.runHead((yield* EventLog).read(run))
  const { base_commit, input }: Partial<RunSummary> =
    first._tag === "None" ? {} : (makeSummaries([]).summarize(null, first.value) ?? {})
  return { base_commit, input }
})

/** Its tasks, without those that were made of one of them. */
const taskIdsOf = Effect.fnUntraced(function* (run: string) {
  const registered = Stream.filter((yield* EventLog).read(run), ({ event_type }) => event_type === "TASK_REGISTERED")
  return (yield* Stream.runCollect(registered)).map(({ content }) => (content as { readonly task_id: string }).task_id)
})

/**
 * The run that has overtaken one which is not completed: another of the same file was completed after that had ended, with every
 * task of it. Null: none has, and what is left of it is still to be done.
 */
export const overtakerOf = Effect.fnUntraced(function* (run: RunOverview, rows: ReadonlyArray<RunOverview>) {
  const last = run.ended_at ?? run.started_at
  const later = rows.filter(
    (row) =>
      row.status === "completed" &&
      row.kind === run.kind &&
      row.parent_run_id === null &&
      row.away == null &&
      row.redacted !== true &&
      row.ended_at !== null &&
      row.ended_at > last
  )
  if (later.length === 0) return null
  const { path } = yield* beginningOf(run)
  if (path === null) return null
  const ids = yield* taskIdsOf(run.run_id)
  for (const row of later) {
    if ((yield* beginningOf(row)).path !== path) continue
    const done = new Set(yield* taskIdsOf(row.run_id))
    if (ids.every((id) => done.has(id))) return { path, run_id: row.run_id }
  }
  return null
})
