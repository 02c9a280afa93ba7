import {
  type Appended,
  type AppendOptions,
  Conflict,
  commandIdOf,
  type Digest,
  type EventCandidate,
  elsewhere,
  type Lease,
  LeaseLost,
  type Recorded,
  type RunSummary,
  seal,
  type WorkItem
} from "@proofline/kernel"
import { Result } from "effect"
import type { Head } from "./heads.ts"
import { pageOfStream } from "./read.ts"
import { toRow } from "./rows.ts"
import type { Session } from "./session.ts"
import type { Statements } from "./statements.ts"
import { setBy } from "./steady.ts"
import { digestOf } from "./summaryDigest.ts"

export interface AppendRequest {
  readonly stream: string
  readonly expected: number
  readonly events: ReadonlyArray<EventCandidate>
  /** Canonical JSON of the content of each event. */
  readonly contents: ReadonlyArray<string>
  readonly options: AppendOptions
}

/** Decides and writes one append within the running transaction. Throws `LogUnavailable` where the run is elsewhere. */
export const append = (
  session: Session,
  sha256: Digest["Service"]["sha256"],
  request: AppendRequest
): Result.Result<Appended, Conflict | LeaseLost> => {
  const { commands, statements, heads } = session
  const { stream, expected, events, options } = request
  const head = heads.of(stream)
  const command = commandIdOf(events)
  const before = command === null || head.version === 0 ? undefined : commands.get(stream, command)
  if (before !== undefined) {
    return Result.succeed({
      events: pageOfStream(session, stream, before.first_version, before.events),
      repeated: true
    })
  }
  if (options.lease !== undefined && !holds(statements, options.lease)) {
    return Result.fail(new LeaseLost({ item: options.lease.item, lease: options.lease.number }))
  }
  if (head.away !== null) throw elsewhere(stream, head.away)
  if (head.version !== expected || !isBehind(session, request))
    return Result.fail(new Conflict({ stream, expected, actual: head.version }))
  const recorded = insertEvents(session, sha256, request, head)
  const [first] = recorded
  if (first !== undefined) {
    commands.put(stream, first.command_id, { first_version: first.version, events: recorded.length }, first.position)
  }
  dispatch(statements, options.dispatch ?? [])
  for (const id of options.cancel ?? []) statements.cancel.run(id)
  if (options.settles === true && options.lease !== undefined) {
    statements.settle.run(options.lease.item, options.lease.number)
  }
  session.news = true
  return Result.succeed({ events: recorded, repeated: false })
}

const isBehind = ({ commands }: Session, { expected, options: { behind }, stream }: AppendRequest): boolean => {
  const last = behind === undefined ? undefined : commands.get(stream, behind)
  return behind === undefined || (last !== undefined && last.first_version + last.events - 1 === expected)
}

const holds = (statements: Statements, lease: Lease): boolean => {
  const row = statements.lease.get(lease.item)
  return row !== undefined && (row.status === "claimed" || row.status === "lost") && row.lease === lease.number
}

const insertEvents = (
  session: Session,
  sha256: Digest["Service"]["sha256"],
  { stream, events, contents }: AppendRequest,
  head: Head
): ReadonlyArray<Recorded> => {
  const position = session.heads.position()
  let { hash } = head
  const recorded = events.map((event, i) => {
    const at = { position: position + i + 1, stream, version: head.version + i + 1, prev_hash: hash }
    const sealed = seal(event, at, sha256, contents[i] as string)
    hash = sealed.hash
    return sealed
  })
  store(session, stream, head, recorded, contents)
  return recorded
}

/** Writes events that follow the end of a stream and of the log, with what they change of the run's summary. */
export const store = (
  { heads, statements, summaries }: Session,
  stream: string,
  head: Head,
  events: ReadonlyArray<Recorded>,
  contents: ReadonlyArray<string>
): void => {
  const last = events.at(-1)
  if (last === undefined) return
  let { summary } = head
  events.forEach((event, i) => {
    statements.insertEvent.run(...toRow(event, contents[i] as string))
    if (summaries.types.has(event.event_type)) summary = summaries.summarize(summary, event)
  })
  if (summary !== null && summary !== head.summary) {
    putSummary(statements, stream, summary)
  }
  heads.advance(stream, { ...head, version: last.version, hash: last.hash, summary }, last.position)
}

const putSummary = ({ insertSummary, renewSummary }: Statements, run: string, summary: RunSummary): void => {
  const { started_at } = summary
  const text = JSON.stringify(summary)
  const digest = digestOf(run, started_at, text)
  const { changes } = renewSummary.run(text, digest, run, started_at)
  if (Number(changes) === 0) insertSummary.run(run, started_at, text, digest)
}

const dispatch = (statements: Statements, items: ReadonlyArray<WorkItem>): void => {
  const labelSets = new Map<string, number>()
  for (const item of items) {
    const labels = JSON.stringify(item.labels)
    const labelSet = labelSets.get(labels) ?? labelSetOf(statements, labels)
    labelSets.set(labels, labelSet)
    const status = item.not_before <= 0 ? "ready" : "waiting"
    const freeAt = status === "ready" ? item.not_before : item.not_before - setBy()
    statements.dispatch.run(item.id, JSON.stringify(item), labelSet, item.priority, status, freeAt)
  }
}

const labelSetOf = (statements: Statements, labels: string): number => {
  const known = statements.labelSet.get(labels)
  if (known !== undefined) return known.id
  statements.insertLabels.run(labels)
  return (statements.labelSet.get(labels) as { readonly id: number }).id
}
