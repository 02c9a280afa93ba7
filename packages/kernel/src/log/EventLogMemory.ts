import { Clock, Context, Effect, Latch, Layer, Result, Stream } from "effect"
import type { CommandId, ItemId } from "../base/Ids.ts"
import type { LogUnavailable } from "../base/LogUnavailable.ts"
import { type EventCandidate, genesisHash, type Recorded } from "../base/Recorded.ts"
import type { Claim, Lease, WorkItem } from "../base/Work.ts"
import { Digest } from "../port/Digest.ts"
import { WorkQueue } from "../port/WorkQueue.ts"
import { type Away, elsewhere, notAsItLeft } from "./away.ts"
import { type ChainBroken, canonicalJson, continuing, seal } from "./codec.ts"
import {
  type AdoptOptions,
  type Appended,
  type AppendOptions,
  Conflict,
  commandIdOf,
  EventLog,
  LeaseLost
} from "./EventLog.ts"

/** A claim that nobody kept for so long, in ms, is lost: the item may be given to somebody else. */
export const claimSilenceMs = 10_000

/** How long an item that somebody could not carry out is offered to nobody, ms: meanwhile the other work goes on. */
export const declinedMs = 5_000

/**
 * The log and the queue in memory, gone with the layer: the reference every other implementation is compared with.
 * Time is the `Clock` of the fiber that asks.
 */
export const layerMemory: Layer.Layer<EventLog | WorkQueue, never, Digest> = Layer.effectContext(
  Effect.gen(function* () {
    const { sha256 } = yield* Digest
    const store = emptyStore()
    return Context.make(EventLog, makeLog(store, sha256)).pipe(Context.add(WorkQueue, makeQueue(store)))
  })
)

type Sha256 = Digest["Service"]["sha256"]

/** One consumer of `take`. */
type Taker = object

interface Entry {
  readonly item: WorkItem
  status: "queued" | "claimed" | "settled" | "cancelled"
  /** Number of the last claim; 0 before the first. */
  lease: number
  taker: Taker | null
  /** While it is queued: not to be taken before this moment. */
  due: number
  /** When the claim was made or last kept, ms since the epoch. */
  keptAt: number
}

interface Store {
  log: Array<Recorded>
  readonly streams: Map<string, Array<Recorded>>
  readonly away: Map<string, Away>
  /** Of the last event that was ever there. */
  position: number
  /** What each command wrote, by stream and command id. */
  readonly commands: Map<string, ReadonlyArray<Recorded>>
  readonly entries: Map<ItemId, Entry>
  /** Those that are queued or claimed, in the order of dispatch. */
  readonly open: Set<Entry>
  /** Opened whenever something was written. */
  readonly sleepers: Set<Latch.Latch>
}

const emptyStore = (): Store => ({
  log: [],
  streams: new Map(),
  away: new Map(),
  position: 0,
  commands: new Map(),
  entries: new Map(),
  open: new Set(),
  sleepers: new Set()
})

const makeLog = (store: Store, sha256: Sha256): EventLog["Service"] => ({
  append: (stream, expectedVersion, events, options = {}) =>
    Effect.suspend(() => Effect.fromResult(appendTo(store, sha256, stream, expectedVersion, events, options))),
  adopt: (stream, expectedVersion, events, options = {}) =>
    Effect.suspend(() => Effect.fromResult(adoptTo(store, sha256, stream, expectedVersion, events, options))),
  leave: (stream, expectedVersion, to) =>
    Effect.suspend(() => Effect.fromResult(leave(store, stream, expectedVersion, to))),
  away: (stream) => Effect.sync(() => store.away.get(stream) ?? null),
  read: (stream, from = 1) =>
    Stream.suspend(() => {
      const away = store.away.get(stream)
      if (away?.kind === "archived") return Stream.fail(elsewhere(stream, away))
      return Stream.fromArray((store.streams.get(stream) ?? []).slice(Math.max(1, from) - 1))
    }),
  readAll: (fromPosition = 1) => Stream.suspend(() => Stream.fromArray(since(store.log, fromPosition))),
  follow: (fromPosition = 1) =>
    sleeping(store, (latch) => {
      let next = Math.max(1, fromPosition)
      return Effect.suspend(function pull(): Effect.Effect<readonly [Recorded, ...Array<Recorded>]> {
        latch.closeUnsafe()
        const [first, ...rest] = since(store.log, next)
        if (first === undefined) return Effect.flatMap(latch.await, pull)
        next = (rest.at(-1) ?? first).position + 1
        return Effect.succeed([first, ...rest])
      })
    }),
  // nobody can take anything out of this memory
  check: Effect.void,
  // whoever shares this memory counts as another process
  othersAppended: sleeping(store, (latch) => {
    latch.openUnsafe()
    return Effect.map(latch.await, () => {
      latch.closeUnsafe()
      return [undefined] as const
    })
  })
})

const makeQueue = (store: Store): WorkQueue["Service"] => ({
  take: (slots, labels) =>
    sleeping(store, (latch) => {
      const taker: Taker = {}
      const offered = new Set(labels)
      return Effect.flatMap(Clock.currentTimeMillis, function pull(now): Effect.Effect<readonly [Claim]> {
        latch.closeUnsafe()
        const entry = heldBy(store, taker, now) < slots ? best(store, offered, now) : null
        if (entry !== null) return Effect.succeed([claim(store, entry, taker, now)])
        return Effect.raceFirst(latch.await, Effect.sleep(nextChange(store, now) - now)).pipe(
          Effect.andThen(Clock.currentTimeMillis),
          Effect.flatMap(pull)
        )
      })
    }),
  keep: (claims) =>
    Effect.map(Clock.currentTimeMillis, (now) =>
      claims.filter(({ lease }) => {
        const entry = store.entries.get(lease.item)
        if (!holds(entry, lease)) return true
        entry.keptAt = now
        return false
      })
    ),
  settle: ({ lease }) =>
    Effect.sync(() => {
      const entry = store.entries.get(lease.item)
      if (!holds(entry, lease)) return
      close(store, entry, "settled")
      wake(store)
    }),
  decline: ({ lease }) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const entry = store.entries.get(lease.item)
      if (!holds(entry, lease)) return
      entry.status = "queued"
      entry.due = now + declinedMs
      wake(store)
    })
})

const appendTo = (
  store: Store,
  sha256: Sha256,
  stream: string,
  expected: number,
  events: ReadonlyArray<EventCandidate>,
  options: AppendOptions
): Result.Result<Appended, Conflict | LeaseLost | LogUnavailable> => {
  const command = commandIdOf(events)
  const key = command === null ? null : canonicalJson([stream, command])
  const written = key === null ? undefined : store.commands.get(key)
  if (written !== undefined) return Result.succeed({ events: written, repeated: true })
  if (options.lease !== undefined && !holds(store.entries.get(options.lease.item), options.lease)) {
    return Result.fail(new LeaseLost({ item: options.lease.item, lease: options.lease.number }))
  }
  const away = store.away.get(stream)
  if (away !== undefined) return Result.fail(elsewhere(stream, away))
  const before = store.streams.get(stream)
  const actual = before?.length ?? 0
  if (actual !== expected || !isBehind(options, before?.at(-1)?.command_id)) {
    return Result.fail(new Conflict({ stream, expected, actual }))
  }
  // every event is sealed before the first is stored, so that one that is no JSON leaves nothing behind
  const recorded = sealAll(store, sha256, stream, events)
  add(store, stream, recorded)
  if (key !== null) store.commands.set(key, recorded)
  for (const item of options.dispatch ?? []) dispatch(store, item)
  for (const id of options.cancel ?? []) cancel(store, id)
  const reported = options.settles === true ? store.entries.get(options.lease?.item ?? "") : undefined
  if (reported !== undefined && store.open.has(reported)) close(store, reported, "settled")
  wake(store)
  return Result.succeed({ events: recorded, repeated: false })
}

const isBehind = ({ behind }: AppendOptions, last: CommandId | undefined): boolean =>
  behind === undefined || behind === last

const add = (store: Store, stream: string, recorded: ReadonlyArray<Recorded>): void => {
  const before = store.streams.get(stream)
  if (before === undefined) store.streams.set(stream, [...recorded])
  else before.push(...recorded)
  store.log.push(...recorded)
  store.position += recorded.length
}

const adoptTo = (
  store: Store,
  sha256: Sha256,
  stream: string,
  expected: number,
  events: ReadonlyArray<Recorded>,
  { arriving }: AdoptOptions
): Result.Result<ReadonlyArray<Recorded>, Conflict | ChainBroken | LogUnavailable> => {
  const before = store.streams.get(stream) ?? []
  if (before.length !== expected) return Result.fail(new Conflict({ stream, expected, actual: before.length }))
  const last = before.at(-1)
  const head = last === undefined ? null : { stream, version: last.version, hash: last.hash }
  const taken = continuing(stream, head, store.position, events, sha256)
  if (Result.isFailure(taken)) return Result.fail(taken.failure)
  const away = store.away.get(stream) ?? null
  if (arriving === undefined) {
    const whole = [...before, ...taken.success]
    const fault = notAsItLeft(stream, away, whole[(away?.version ?? 0) - 1]?.hash ?? null)
    if (fault !== null) return Result.fail(fault)
    store.away.delete(stream)
  } else if (away === null) store.away.set(stream, { kind: "arriving", ...arriving, version: 0, hash: "" })
  add(store, stream, taken.success)
  for (const [id, written] of Map.groupBy(taken.success, ({ command_id }) => command_id)) {
    const command = canonicalJson([stream, id])
    store.commands.set(command, [...(store.commands.get(command) ?? []), ...written])
  }
  wake(store)
  return taken
}

const leave = (
  store: Store,
  stream: string,
  expected: number,
  to: Pick<Away, "kind" | "place" | "at">
): Result.Result<Away, Conflict> => {
  const events = store.streams.get(stream) ?? []
  const last = events.at(-1)
  if (last === undefined || last.version !== expected) {
    return Result.fail(new Conflict({ stream, expected, actual: events.length }))
  }
  const away: Away = { ...to, version: last.version, hash: last.hash }
  store.away.set(stream, away)
  for (const entry of [...store.open]) if (entry.item.run === stream) close(store, entry, "cancelled")
  if (to.kind === "archived") {
    store.streams.delete(stream)
    store.log = store.log.filter((event) => event.stream !== stream)
    for (const event of events) store.commands.delete(canonicalJson([stream, event.command_id]))
  }
  wake(store)
  return Result.succeed(away)
}

const sealAll = (
  store: Store,
  sha256: Sha256,
  stream: string,
  events: ReadonlyArray<EventCandidate>
): ReadonlyArray<Recorded> => {
  const before = store.streams.get(stream) ?? []
  let prev_hash = before.at(-1)?.hash ?? genesisHash
  return events.map((event, i) => {
    const place = { position: store.position + i + 1, stream, version: before.length + i + 1, prev_hash }
    const recorded = seal(event, place, sha256)
    prev_hash = recorded.hash
    return recorded
  })
}

const dispatch = (store: Store, item: WorkItem): void => {
  if (store.entries.has(item.id)) return
  const entry: Entry = { item, status: "queued", lease: 0, taker: null, due: item.not_before, keptAt: 0 }
  store.entries.set(item.id, entry)
  store.open.add(entry)
}

const cancel = (store: Store, id: ItemId): void => {
  const entry = store.entries.get(id)
  if (entry !== undefined && store.open.has(entry)) close(store, entry, "cancelled")
}

const close = (store: Store, entry: Entry, status: "settled" | "cancelled"): void => {
  entry.status = status
  store.open.delete(entry)
}

const holds = (entry: Entry | undefined, lease: Lease): entry is Entry =>
  entry !== undefined && entry.status === "claimed" && entry.lease === lease.number

const isSilent = (entry: Entry, now: number): boolean => entry.keptAt + claimSilenceMs < now

/** When the item may be taken, as far as is known now. */
const dueAt = (entry: Entry): number => (entry.status === "queued" ? entry.due : entry.keptAt + claimSilenceMs + 1)

const heldBy = (store: Store, taker: Taker, now: number): number => {
  let claimedCount = 0
  for (const entry of store.open) {
    if (entry.status === "claimed" && entry.taker === taker && !isSilent(entry, now)) claimedCount++
  }
  return claimedCount
}

/** The due item that comes first among those whose labels are all offered. */
const best = (store: Store, offered: ReadonlySet<string>, now: number): Entry | null => {
  let found: Entry | null = null
  for (const entry of store.open) {
    if (dueAt(entry) > now || !entry.item.labels.every((label) => offered.has(label))) continue
    if (found === null || entry.item.priority > found.item.priority) found = entry
  }
  return found
}

/** When something becomes due or goes silent that is not yet; Infinity: only a write can change anything. */
const nextChange = (store: Store, now: number): number => {
  let next = Number.POSITIVE_INFINITY
  for (const entry of store.open) {
    if (dueAt(entry) > now) next = Math.min(next, dueAt(entry))
  }
  return next
}

const claim = (store: Store, entry: Entry, taker: Taker, now: number): Claim => {
  const isTakenOver = entry.status === "claimed"
  entry.status = "claimed"
  entry.lease += 1
  entry.taker = taker
  entry.keptAt = now
  // whoever lost this item has a slot free now
  if (isTakenOver) wake(store)
  return { item: entry.item, lease: { item: entry.item.id, number: entry.lease } }
}

/** The events from a position on; positions ascend, and may have holes where a run was archived. */
const since = (events: ReadonlyArray<Recorded>, from: number): ReadonlyArray<Recorded> => {
  let [low, high] = [0, events.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle] as Recorded).position < from) low = middle + 1
    else high = middle
  }
  return events.slice(low)
}

const wake = (store: Store): void => {
  for (const latch of store.sleepers) latch.openUnsafe()
}

/**
 * A stream whose pull may sleep until something was written. The pull closes its latch before it looks, so that a
 * write between looking and sleeping is not missed.
 */
const sleeping = <A>(
  store: Store,
  pull: (latch: Latch.Latch) => Effect.Effect<readonly [A, ...Array<A>]>
): Stream.Stream<A> =>
  Stream.unwrap(
    Effect.acquireRelease(
      Effect.sync(() => {
        const latch = Latch.makeUnsafe(false)
        store.sleepers.add(latch)
        return latch
      }),
      (latch) => Effect.sync(() => store.sleepers.delete(latch))
    ).pipe(Effect.map((latch) => Stream.fromPull(Effect.succeed(pull(latch)))))
  )
