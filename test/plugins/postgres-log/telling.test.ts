import { assert } from "@effect/vitest"
import { EventLog, makeSummaries } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as postgresLog } from "@proofline/plugins/adapters/postgres-log"
import { Context, Effect, Fiber, Layer, Stream } from "effect"
import pg from "pg"
import { makeRequest, toArguments } from "../../../packages/plugins/src/adapters/postgres-log/append.ts"
import { makeSummaryCache } from "../../../packages/plugins/src/adapters/postgres-log/summaries.ts"
import { live } from "../../effects.ts"
import { describePostgres } from "../../postgres.ts"
import { useDatabase } from "./support.ts"
import { events } from "./words.ts"

const on = (url: string) => Layer.fresh(postgresLog({ url })).pipe(Layer.provide(nodeDigest))
const opened = (url: string) => Effect.map(Layer.build(on(url)), (services) => Context.get(services, EventLog))

/** What is notified while the scope is open. */
const listening = (url: string, channel: string) =>
  Effect.gen(function* () {
    const heard: Array<string> = []
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => new pg.Client({ connectionString: url })),
      (client) => Effect.promise(() => client.end())
    )
    client.on("notification", ({ payload = "" }) => heard.push(payload))
    yield* Effect.promise(() => client.connect())
    yield* Effect.promise(() => client.query(`listen ${channel}`))
    return heard
  })

describePostgres("how others are told of what is appended to a log in PostgreSQL", () => {
  const { newLog } = useDatabase()

  live("is once for many appends that follow upon each other, and of the last of them within a moment", function* () {
    const { schema, url } = newLog()
    yield* Effect.gen(function* () {
      const [writer, reader] = [yield* opened(url), yield* opened(url)]
      const heard = yield* listening(url, `${schema}_log`)
      const appends = 100
      const seen: Array<readonly [version: number, at: number]> = []
      const following = yield* Effect.forkChild(
        reader.follow(1).pipe(
          Stream.take(appends),
          Stream.runForEach(({ version }) => Effect.sync(() => seen.push([version, performance.now()])))
        )
      )
      for (let i = 0; i < appends; i++) yield* writer.append("run_a", i, events(`a${i}`))
      const writtenAt = performance.now()
      yield* Fiber.join(following)
      // whoever is not told looks each two seconds
      assert.isBelow((seen.at(-1)?.[1] ?? Number.POSITIVE_INFINITY) - writtenAt, 1_000)
      assert.isAtLeast(heard.length, 1)
      assert.isBelow(heard.length, appends)
    }).pipe(Effect.scoped)
  })

  live("is at the end of a process too, of what it has not told yet", function* () {
    const { schema, url } = newLog()
    yield* Effect.gen(function* () {
      const heard = yield* listening(url, `${schema}_log`)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const log = yield* opened(url)
          yield* log.append("run_a", 0, events("a"))
          yield* log.append("run_a", 1, events("b"))
        })
      )
      while (heard.length < 2) yield* Effect.sleep(5)
    }).pipe(Effect.scoped)
  })

  live("is at the end of a process too, of what it has just begun to tell", function* () {
    const { schema, url } = newLog()
    yield* Effect.gen(function* () {
      const heard = yield* listening(url, `${schema}_log`)
      const client = new pg.Client({ connectionString: url })
      yield* Effect.promise(() => client.connect())
      for (let round = 1; round <= 5; round++) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const log = yield* opened(url)
            yield* log.append(`run_${round}`, 0, events("a"))
            yield* Effect.promise(() => client.query(`begin; lock table ${schema}.event in access exclusive mode`))
            const append = yield* Effect.forkChild(log.append(`run_${round}`, 1, events("b")), {
              startImmediately: true
            })
            // so long that it is due to be told as soon as it is written
            yield* Effect.sleep(40)
            yield* Effect.promise(() => client.query("rollback"))
            yield* Fiber.join(append)
          })
        )
        while (heard.length < 2 * round) yield* Effect.sleep(5)
      }
      yield* Effect.promise(() => client.end())
    }).pipe(Effect.scoped)
  })

  live("is by their looking where the log ends, where the writer was killed before he told", function* () {
    const { schema, url } = newLog()
    yield* Effect.gen(function* () {
      const reader = yield* opened(url)
      let signals = 0
      yield* Effect.forkChild(reader.othersAppended.pipe(Stream.runForEach(() => Effect.sync(() => signals++))))
      // it signals at once, and when it has begun to listen
      yield* Effect.sleep(500)
      const before = signals
      const request = makeRequest(Date.now(), "run_a", 0, events("a"), {})
      const values = [...toArguments(makeSummaryCache(makeSummaries([])), [request]), "{}", null]
      const client = new pg.Client({ connectionString: url })
      yield* Effect.promise(() => client.connect())
      yield* Effect.promise(() => client.query(`select ${schema}.append($1, $2, $3, $4, $5, $6)`, values))
      yield* Effect.promise(() => client.end())
      assert.strictEqual(signals, before)
      while (signals === before) yield* Effect.sleep(10)
    }).pipe(Effect.scoped)
  })
})
