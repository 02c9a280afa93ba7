import type { EventLog, LogUnavailable, Recorded, RunId } from "@proofline/kernel"
import { Effect, Option, Stream } from "effect"

/** So many events are looked through, and so many are read at once. */
const maxScanned = 2_000
const pageSize = 200

/** More lines than fit into an answer are not asked for. */
const maxLines = 100

export interface NewestEvents {
  /** The newest first. */
  readonly events: ReadonlyArray<Recorded>
  /** There are no others. */
  readonly isAll: boolean
}

/** The newest events of a run up to a version that are wanted. The log is read backwards, no further than needed. */
export const newestEvents = Effect.fnUntraced(function* (
  log: EventLog["Service"],
  run: RunId,
  version: number,
  isWanted: (event: Recorded) => boolean
): Effect.fn.Return<NewestEvents, LogUnavailable> {
  const events: Array<Recorded> = []
  let end = version
  while (end > 0 && events.length < maxLines && version - end < maxScanned) {
    const from = Math.max(1, end - pageSize + 1)
    const page = yield* log.read(run, from).pipe(Stream.take(end - from + 1), Stream.runCollect)
    events.push(...page.toReversed().filter(isWanted))
    end = from - 1
  }
  return { events: events.slice(0, maxLines), isAll: end === 0 && events.length <= maxLines }
})

/** The position behind an event of a run; 1 when there is no such event. */
export const positionAfter = (
  log: EventLog["Service"],
  run: RunId,
  version: number
): Effect.Effect<number, LogUnavailable> =>
  Effect.map(
    version === 0 ? Effect.succeedNone : Stream.runHead(log.read(run, version)),
    Option.match({ onNone: () => 1, onSome: ({ position }) => position + 1 })
  )
