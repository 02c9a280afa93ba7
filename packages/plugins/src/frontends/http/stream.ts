import { EventLog, type LogUnavailable, type Recorded, toExport } from "@proofline/kernel"
import { Cause, Clock, Context, Effect, Latch, Layer, Logger, Schedule, Stream } from "effect"
import { pageOfLog, pageOfRun, reaches, tailOfLog, versionAt } from "./cursor.ts"
import { type Memory, makeMemory } from "./memory.ts"

export interface EventsOptions {
  /** A client that takes nothing for so long although there is something for it is hung up on, ms; 60,000. */
  readonly stalledMs?: number
  /** A client that is sent nothing for so long is sent a comment, ms; 15,000. */
  readonly keepAliveMs?: number
  /** Streams that may be open at once; 1,024. */
  readonly maxStreams?: number
}

export interface Followed {
  /** Null: the events of all runs. */
  readonly run: string | null
  /** Position after which it begins. */
  readonly after: number
  /** Ends the connection of a client that takes nothing. */
  readonly hangUp: () => void
}

/** The events of the log as they happen, for any number of clients over one follower of the log. */
export class Events extends Context.Service<
  Events,
  {
    /** Where the log ends. */
    readonly head: Effect.Effect<number, LogUnavailable>
    /** Whether the log goes that far. */
    readonly reaches: (position: number) => Effect.Effect<boolean, LogUnavailable>
    /** How many streams are open. */
    readonly open: Effect.Effect<number>
    readonly maxStreams: number
    /**
     * Server-sent events from a position on: what there is, the comment `caught-up`, then what is appended, by any
     * process. It is pulled: who takes nothing keeps nothing in memory. It ends when the log cannot be read.
     */
    readonly follow: (followed: Followed) => Stream.Stream<Uint8Array>
    /**
     * Comes back when everybody who follows was given all there is, and had a moment to ask for what it means; at once
     * where nobody does, and after 3 seconds in any case.
     */
    readonly seen: Effect.Effect<void>
    /** Ends all streams, so that a server need not wait for them when it ends. */
    readonly close: Effect.Effect<void>
  }
>()("@proofline/plugins/frontends/http/Events") {}

/** Bytes that are handed to a connection at once. */
const chunkBytes = 64 * 1024

/** How often it is looked who takes nothing. */
const stalledCheckInterval = "1 second"

/** A page that was read for a client is not kept longer for it, ms. */
const keptMs = 1_000

/** Follows the log as long as the layer lives. */
export const layerEvents = (options: EventsOptions): Layer.Layer<Events, never, EventLog> =>
  Layer.effect(Events, make(options))

/** One client. */
interface Client extends Followed {
  readonly latch: Latch.Latch
  /** Position, and version in its run, of the last event it was given. */
  position: number
  version: number
  /** All there was of its run when the follower began was read. */
  isThrough: boolean
  hasCaughtUp: boolean
  /** What was read for it and is not given yet: forgotten when it takes nothing, and read again. */
  rest: ReadonlyArray<Recorded>
  /** Since when it has not taken what it was given; null: it waits. */
  givenAt: number | null
}

/** What all streams share. */
interface Shared {
  readonly log: EventLog["Service"]
  readonly memory: Memory
  /** Opened when the memory knows where the log ends. */
  readonly ready: Latch.Latch
  readonly clients: Set<Client>
  /** The same clients by what they follow. */
  readonly byRun: Map<string | null, Set<Client>>
  /** Searches that are under way or were made just now: many come back to the same place at once. */
  readonly searches: Map<string, Effect.Effect<number, LogUnavailable>>
  readonly stalledMs: number
  readonly keepAliveMs: number
  isClosed: boolean
}

const make = Effect.fnUntraced(function* ({
  keepAliveMs = 15_000,
  maxStreams = 1_024,
  stalledMs = 60_000
}: EventsOptions) {
  const shared: Shared = {
    log: yield* EventLog,
    memory: makeMemory(),
    ready: Latch.makeUnsafe(false),
    clients: new Set(),
    byRun: new Map(),
    searches: new Map(),
    stalledMs,
    keepAliveMs,
    isClosed: false
  }
  yield* Effect.forkScoped(followLog(shared))
  yield* Effect.forkScoped(Effect.repeat(dropStalled(shared), Schedule.spaced(stalledCheckInterval)))
  yield* Effect.addFinalizer(() => close(shared))
  return Events.of({
    head: headOf(shared),
    reaches: (position) =>
      Effect.suspend(() => (position <= shared.memory.head() ? Effect.succeed(true) : reaches(shared.log, position))),
    open: Effect.sync(() => shared.clients.size),
    maxStreams,
    follow: (followed) => follow(shared, followed),
    seen: seen(shared),
    close: close(shared)
  })
})

/** Keeps the memory at the end of the log and wakes whoever waits, for as long as it runs. */
const followLog = (shared: Shared) => {
  const { log, memory, ready } = shared
  return Effect.gen(function* () {
    if (!memory.isKnown()) memory.begin(yield* tailOfLog(log))
    ready.openUnsafe()
    yield* log.follow(memory.head() + 1).pipe(Stream.runForEachArray((page) => Effect.sync(() => news(shared, page))))
  }).pipe(
    Effect.catchTag("LogUnavailable", (why) => (why.code === "log_lost" ? end(shared, why) : Effect.fail(why))),
    // whatever else happened to it, it goes on where it was
    Effect.sandbox,
    Effect.tapError((cause) => warn("The log cannot be followed for now.", cause)),
    Effect.retry(Schedule.spaced("1 second")),
    Effect.repeat(Schedule.spaced("1 second"))
  )
}

/** Nothing comes any more. */
const end = (shared: Shared, why: LogUnavailable) =>
  close(shared).pipe(Effect.andThen(warn(`All streams of events end. ${why.message}`)), Effect.andThen(Effect.never))

const news = ({ byRun, memory }: Shared, page: ReadonlyArray<Recorded>): void => {
  const wake = (run: string | null): void => {
    for (const { latch } of byRun.get(run) ?? []) latch.openUnsafe()
  }
  memory.add(page)
  for (const run of new Set(page.map(({ stream }) => stream))) wake(run)
  wake(null)
}

/** Hangs up on those that take nothing, and keeps nothing for those that are slow. */
const dropStalled = ({ clients, stalledMs }: Shared) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    for (const client of clients) {
      const sinceMs = client.givenAt === null ? 0 : now - client.givenAt
      if (sinceMs >= keptMs) client.rest = []
      if (sinceMs >= stalledMs) client.hangUp()
    }
  })

const headOf = ({ log, memory }: Shared) =>
  Effect.suspend(() =>
    memory.isKnown() ? Effect.succeed(memory.head()) : Effect.map(tailOfLog(log), (tail) => tail.at(-1)?.position ?? 0)
  )

/** How many events of a run stand at a position of the log or before it. */
const versionOf = Effect.fnUntraced(function* ({ log, memory, searches }: Shared, run: string, after: number) {
  const near = memory.versionAt(run, after)
  if (near !== null) return near
  const key = `${after} ${run}`
  const search = searches.get(key) ?? (yield* Effect.cachedWithTTL(versionAt(log, run, after), "5 seconds"))
  searches.set(key, search)
  if (searches.size > 100) searches.delete(searches.keys().next().value ?? key)
  return yield* search
})

/** What comes next for a client; empty: nothing so far. */
const nextOf = ({ log, memory }: Shared, client: Client): Effect.Effect<ReadonlyArray<Recorded>, LogUnavailable> => {
  const { position, run, version } = client
  if (run === null) {
    const near = memory.after(position)
    return near === null ? pageOfLog(log, position + 1) : Effect.succeed(near)
  }
  const near = memory.ofRun(run, version)
  if (near.length > 0) return Effect.succeed(near)
  if (client.isThrough && memory.lastOf(run) <= version) return Effect.succeed([])
  return Effect.tap(pageOfRun(log, run, version + 1), (page) =>
    Effect.sync(() => {
      if (page.length === 0) client.isThrough = true
    })
  )
}

const give = (client: Client) =>
  Effect.map(Clock.currentTimeMillis, (now): NonEmpty<Uint8Array> => {
    const chunk: Array<Uint8Array> = []
    let bytes = 0
    let count = 0
    for (const event of client.rest) {
      const text = encoded(event)
      chunk.push(text)
      count++
      bytes += text.length
      client.position = event.position
      client.version = event.version
      if (bytes >= chunkBytes) break
    }
    client.rest = client.rest.slice(count)
    client.givenAt = now
    return chunk as unknown as NonEmpty<Uint8Array>
  })

const comment = (client: Client, text: Uint8Array) =>
  Effect.map(Clock.currentTimeMillis, (now): NonEmpty<Uint8Array> => {
    client.givenAt = now
    return [text]
  })

const caughtUp = (client: Client) =>
  Effect.suspend(() => {
    client.hasCaughtUp = true
    return comment(client, throughNow)
  })

/** What a client is given at its next pull; it has caught up when it is at `target`, or through with its run. */
const pulled = (shared: Shared, client: Client, target: number) =>
  Effect.suspend(function next(): Effect.Effect<NonEmpty<Uint8Array>, LogUnavailable | Cause.Done> {
    client.givenAt = null
    if (shared.isClosed) return Cause.done()
    if (client.rest.length > 0) return give(client)
    if (!client.hasCaughtUp && client.position >= target) return caughtUp(client)
    // closed before it is looked: news that come meanwhile are not missed
    client.latch.closeUnsafe()
    return Effect.flatMap(nextOf(shared, client), (events) => {
      if (events.length > 0) {
        client.rest = events
        return give(client)
      }
      if (!client.hasCaughtUp && (client.run === null || client.isThrough)) return caughtUp(client)
      return Effect.flatMap(Effect.timeoutOption(client.latch.await, shared.keepAliveMs), ({ _tag }) =>
        _tag === "Some" || shared.isClosed ? Effect.suspend(next) : comment(client, keepAlive)
      )
    })
  })

const clientOf = (followed: Followed): Client => ({
  ...followed,
  latch: Latch.makeUnsafe(false),
  position: followed.after,
  version: 0,
  isThrough: false,
  hasCaughtUp: false,
  rest: [],
  givenAt: null
})

/** One more client, until its scope is closed. */
const enter = ({ byRun, clients }: Shared, followed: Followed) =>
  Effect.acquireRelease(
    Effect.sync((): Client => {
      const client = clientOf(followed)
      clients.add(client)
      const same = byRun.get(followed.run) ?? new Set()
      byRun.set(followed.run, same.add(client))
      return client
    }),
    (client) =>
      Effect.sync(() => {
        clients.delete(client)
        const same = byRun.get(client.run)
        same?.delete(client)
        if (same?.size === 0) byRun.delete(client.run)
      })
  )

const follow = (shared: Shared, followed: Followed): Stream.Stream<Uint8Array> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const client = yield* enter(shared, followed)
      // an end before the follower has begun would be passed over
      yield* shared.ready.await
      const { after, run } = followed
      if (run !== null) client.version = yield* versionOf(shared, run, after)
      return Stream.fromPull(Effect.succeed(pulled(shared, client, shared.memory.head())))
    })
  ).pipe(
    // headers are sent with the first bytes
    Stream.prepend([listening]),
    Stream.catchCause((cause) =>
      Stream.fromEffectDrain(warn("A stream of events ends: the log cannot be read.", cause))
    )
  )

const seen = ({ clients, log, memory }: Shared) =>
  Effect.gen(function* () {
    if (clients.size === 0) return
    const tail = yield* Effect.orElseSucceed(tailOfLog(log), () => [])
    const head = tail.at(-1)?.position ?? 0
    const isGiven = Effect.sync(
      () => memory.head() >= head && [...clients].every(({ givenAt, rest }) => givenAt === null && rest.length === 0)
    )
    yield* Effect.repeat(isGiven, { schedule: Schedule.spaced("50 millis"), until: (all) => all })
    yield* Effect.sleep("1 second")
  }).pipe(Effect.timeoutOption("3 seconds"), Effect.asVoid)

const close = (shared: Shared) =>
  Effect.sync(() => {
    shared.isClosed = true
    shared.ready.openUnsafe()
    for (const client of shared.clients) {
      client.latch.openUnsafe()
      if (client.givenAt !== null) client.hangUp()
    }
  })

/** Standard output belongs to whoever started the server. */
const warn = (...message: ReadonlyArray<unknown>) =>
  Effect.provideService(Effect.logWarning(...message), Logger.LogToStderr, true)

type NonEmpty<A> = [A, ...Array<A>]

const encoder = new TextEncoder()
const listening = encoder.encode(": listening\n\n")
const throughNow = encoder.encode(": caught-up\n\n")
const keepAlive = encoder.encode(": keepalive\n\n")

/** Many clients are given the same event. */
const texts = new WeakMap<Recorded, Uint8Array>()

/** An event as server-sent event. JSON has no line ends; a type of a plugin might. */
const encoded = (event: Recorded): Uint8Array => {
  const known = texts.get(event)
  if (known !== undefined) return known
  const type = event.event_type.replace(/[\r\n]/g, " ")
  const text = encoder.encode(`id: ${event.position}\nevent: ${type}\ndata: ${JSON.stringify(toExport(event))}\n\n`)
  texts.set(event, text)
  return text
}
