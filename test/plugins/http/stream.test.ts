import { spawn } from "node:child_process"
import { connect } from "node:net"
import { fileURLToPath } from "node:url"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { type EventLog, LogUnavailable, type Recorded, toExport } from "@proofline/kernel"
import { Effect, Exit, Schema, Scope, Stream } from "effect"
import { live } from "../../effects.ts"
import { often } from "../../often.ts"
import { facts } from "./facts.ts"
import { listen, operatorToken, staged } from "./stage.ts"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

/** Bytes that are still needed. What only hung on something that is gone is gone with the next collection. */
const inMemory = (): number => {
  for (let i = 0; i < 3; i++) collect()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

type Stage = Effect.Success<ReturnType<typeof staged>>

/** Appends events one after the other; how many a run has is counted here. */
const appending = (log: EventLog["Service"]) => {
  const versions = new Map<string, number>()
  return (run: string, count = 1, size = 1, padding = "") =>
    Effect.gen(function* () {
      for (let i = 0; i < count; i++) {
        const version = versions.get(run) ?? 0
        versions.set(run, version + size)
        const batch = facts(size, version + 1).map((fact, i) => ({
          ...fact,
          content: { n: version + i + 1, padding },
          command_id: `${run}-${version}`
        }))
        yield* log.append(run, version, batch)
      }
    })
}

const wholeLog = (log: EventLog["Service"]) => Stream.runCollect(log.readAll())

const within = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const positions = (events: ReadonlyArray<Recorded>) => events.map(({ position }) => position)

/** A run that the API knows, with nothing in it but its beginning. */
const begun = Effect.fnUntraced(function* (stage: Stage, ...runs: ReadonlyArray<string>) {
  for (const run of runs) yield* stage.begin(run)
  const lengths = new Map<string, number>()
  for (const run of runs) lengths.set(run, (yield* stage.engine.load(run)).version)
  return (run: string, count = 1) =>
    Effect.gen(function* () {
      for (let i = 0; i < count; i++) {
        const length = lengths.get(run) ?? 0
        lengths.set(run, length + 1)
        yield* stage.log.append(run, length, facts(1, length + 1))
      }
    })
})

/** A client that asks for all events, and takes none. */
const notReading = (port: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = connect(port, "127.0.0.1")
      socket.pause()
      socket.on("error", () => {})
      socket.write(
        `GET /api/v1/events/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${operatorToken}\r\n\r\n`
      )
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

describe("a stream of events", () => {
  live(
    "given events before and after it was opened, when it is read, then they come in order as they are in the log",
    function* () {
      const stage = yield* staged()
      const append = yield* begun(stage, "run_1", "run_2")
      yield* append("run_1", 5)
      const all = yield* listen(stage.port, "/api/v1/events/stream")
      const one = yield* listen(stage.port, "/api/v1/runs/run_1/events/stream")
      assert.strictEqual(all.response.statusCode, 200)
      assert.include(String(all.response.headers["content-type"]), "text/event-stream")
      yield* Effect.all([all.caughtUp, one.caughtUp])
      const before = (yield* wholeLog(stage.log)).length
      assert.strictEqual(all.events.length, before)
      for (let i = 0; i < 20; i++) yield* append(i % 3 === 0 ? "run_2" : "run_1")
      const log = yield* wholeLog(stage.log)
      const ofOne = log.filter(({ stream }) => stream === "run_1")
      yield* Effect.all([all.count(log.length), one.count(ofOne.length)])
      assert.deepStrictEqual(
        all.events,
        log.map((event) => ({ id: event.position, event: event.event_type, data: toExport(event) }))
      )
      assert.deepStrictEqual(one.ids(), positions(ofOne))
      assert.deepStrictEqual(one.comments, ["listening", "caught-up"])
    }
  )

  it.live.prop(
    "given any places where it is cut off, when it goes on after the last event, then the pieces together are the log",
    [
      Schema.Array(Schema.Struct({ run: Schema.Literals(["run_1", "run_2", "run_3"]), count: within(1, 30) })).check(
        Schema.isMaxLength(12)
      ),
      Schema.Array(within(0, 60)).check(Schema.isMaxLength(4)),
      Schema.NullOr(Schema.Literals(["run_1", "run_2"])),
      Schema.Boolean
    ],
    ([batches, cuts, run, asHeader]) =>
      Effect.gen(function* () {
        const stage = yield* staged()
        const append = yield* begun(stage, "run_1", "run_2", "run_3")
        const half = Math.ceil(batches.length / 2)
        for (const batch of batches.slice(0, half)) yield* append(batch.run, batch.count)
        const path = run === null ? "/api/v1/events/stream" : `/api/v1/runs/${run}/events/stream`
        const wanted = () =>
          Effect.map(wholeLog(stage.log), (log) => log.filter(({ stream }) => run === null || stream === run))
        const seen: Array<number> = []
        const open = () => {
          const last = seen.at(-1)
          return last === undefined
            ? listen(stage.port, path)
            : asHeader
              ? listen(stage.port, path, { "last-event-id": String(last) })
              : listen(stage.port, `${path}?after=${last}`)
        }
        for (const cut of cuts) {
          yield* Effect.scoped(
            Effect.gen(function* () {
              const client = yield* open()
              yield* client.caughtUp
              seen.push(...client.ids().slice(0, cut))
            })
          )
        }
        const client = yield* open()
        for (const batch of batches.slice(half)) yield* append(batch.run, batch.count)
        const log = yield* wanted()
        yield* client.count(log.length - seen.length)
        assert.deepStrictEqual([...seen, ...client.ids()], positions(log))
      }).pipe(Effect.scoped),
    { arbitrary: { runs: often(25) } }
  )

  live(
    "given a log of many pages, when a run or all of it is followed from anywhere, then nothing is left out",
    function* () {
      const stage = yield* staged()
      yield* stage.begin("run_1")
      const append = appending(stage.log)
      // most of it before the follower begins, most of run_b far behind the end
      yield* append("run_b", 6, 700)
      yield* append("run_c", 7, 900)
      yield* append("run_b", 1, 30)
      const again = yield* staged({ root: stage.root })
      const log = yield* wholeLog(stage.log)
      const about = yield* again.client.about()
      assert.strictEqual(about.position, log.length)
      for (const after of [0, 1, 999, 1_000, 1_001, 4_200, 4_201, 9_000, log.length - 31, log.length - 1, log.length]) {
        const client = yield* listen(again.port, `/api/v1/events/stream?after=${after}`)
        yield* client.caughtUp
        assert.deepStrictEqual(client.ids(), positions(log).slice(after), String(after))
      }
      // runs are known by their beginning; these have none, and are asked for below the API
      for (const run of ["run_b", "run_c"]) {
        for (const after of [
          0,
          5,
          700,
          701,
          2_500,
          4_202,
          4_209,
          10_000,
          log.length - 30,
          log.length - 5,
          log.length
        ]) {
          const bytes: Array<string> = []
          yield* again.events.follow({ run, after, hangUp: () => {} }).pipe(
            Stream.decodeText(),
            Stream.takeUntil((text) => text.includes(": caught-up")),
            Stream.runForEach((text) => Effect.sync(() => bytes.push(text)))
          )
          const ids = [...bytes.join("").matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
          const wanted = log.filter((event) => event.stream === run && event.position > after)
          assert.deepStrictEqual(ids, positions(wanted), `${run} ${after}`)
        }
      }
    }
  )

  live("given another process that appends to the same file, when it does, then its events come too", function* () {
    const stage = yield* staged()
    yield* stage.begin("run_1")
    const one = yield* listen(stage.port, "/api/v1/runs/run_1/events/stream")
    const all = yield* listen(stage.port, "/api/v1/events/stream")
    yield* Effect.all([one.caughtUp, all.caughtUp])
    const child = spawn(
      process.execPath,
      [
        "--conditions=@proofline/source",
        fileURLToPath(new URL("appender.ts", import.meta.url)),
        stage.file,
        "run_1",
        "50"
      ],
      { stdio: ["ignore", "ignore", "inherit"] }
    )
    const code = yield* Effect.callback<number | null>((resume) => {
      child.on("exit", (code) => resume(Effect.succeed(code)))
      return Effect.sync(() => child.kill("SIGKILL"))
    })
    assert.strictEqual(code, 0)
    const log = yield* wholeLog(stage.log)
    assert.isAbove(log.length, 50)
    yield* Effect.all([one.count(log.length), all.count(log.length)])
    assert.deepStrictEqual(one.ids(), positions(log))
    assert.deepStrictEqual(all.ids(), positions(log))
  })

  live(
    "given a log that cannot be followed again and again, when it can be, then nothing is missing or doubled",
    function* () {
      let follows = 0
      const gone = new LogUnavailable({ code: "log_failed", message: "The disk is away.", hint: "Wait." })
      const stage = yield* staged({
        around: (log) => ({
          ...log,
          follow: (from) => {
            const whole = log.follow(from)
            return ++follows < 3 ? Stream.concat(Stream.take(whole, 7), Stream.fail(gone)) : whole
          }
        })
      })
      const append = yield* begun(stage, "run_1")
      const one = yield* listen(stage.port, "/api/v1/runs/run_1/events/stream")
      const all = yield* listen(stage.port, "/api/v1/events/stream")
      yield* Effect.all([one.caughtUp, all.caughtUp])
      yield* append("run_1", 30)
      const log = yield* wholeLog(stage.log)
      yield* Effect.all([one.count(log.length), all.count(log.length)])
      assert.deepStrictEqual(one.ids(), positions(log))
      assert.deepStrictEqual(all.ids(), positions(log))
      assert.isAtLeast(follows, 3)
    }
  )

  live("given the typed client, when it follows a run, then it gets events and no comments", function* () {
    const stage = yield* staged()
    yield* stage.begin("run_1")
    const stream = yield* stage.client.runs.stream({ params: { run: "run_1" }, query: { after: 1 }, headers: {} })
    const log = yield* wholeLog(stage.log)
    const events = yield* stream.pipe(Stream.take(log.length - 1), Stream.runCollect)
    assert.deepStrictEqual(
      events.map(({ data, event, id }) => ({ id, event, data: JSON.parse(data) })),
      log.slice(1).map((one) => ({ id: String(one.position), event: one.event_type, data: toExport(one) }))
    )
  })

  live("given a position that the log does not reach, when it is to go on there, then it is refused", function* () {
    const stage = yield* staged()
    yield* stage.begin("run_1")
    const { position } = yield* stage.client.about()
    for (const path of ["/api/v1/events/stream", "/api/v1/runs/run_1/events/stream"]) {
      const headers = { "last-event-id": String(position + 1) }
      const { json, status } = yield* stage.send(path, { headers })
      assert.deepStrictEqual([status, json.code], [400, "position_unknown"])
      const client = yield* listen(stage.port, path, { "last-event-id": String(position) })
      yield* client.caughtUp
      assert.deepStrictEqual(client.events, [])
    }
  })

  live("given 500 streams that wait, when an event comes, then each of them gets it", function* () {
    const stage = yield* staged()
    const append = yield* begun(stage, "run_1", "run_2")
    const clients = yield* Effect.forEach(
      Array.from({ length: 500 }, (_, i) => i),
      (i) => listen(stage.port, `/api/v1/${i % 2 === 0 ? "" : "runs/run_1/"}events/stream`),
      { concurrency: 20 }
    )
    yield* Effect.forEach(clients, ({ caughtUp }) => caughtUp, { discard: true })
    const before = clients.map(({ events }) => events.length)
    yield* append("run_2")
    yield* append("run_1")
    yield* Effect.forEach(clients, ({ count }, i) => count((before[i] ?? 0) + (i % 2 === 0 ? 2 : 1)), {
      discard: true
    })
    const last = (yield* wholeLog(stage.log)).at(-1)?.position
    for (const { events } of clients) assert.strictEqual(events.at(-1)?.id, last)
  })

  live(
    "given as many streams as there may be, when one more is opened, then it is refused until one is closed",
    function* () {
      const stage = yield* staged({ events: { maxStreams: 2 } })
      const first = yield* listen(stage.port, "/api/v1/events/stream")
      const second = yield* listen(stage.port, "/api/v1/events/stream")
      yield* Effect.all([first.caughtUp, second.caughtUp])
      const { headers, json, status } = yield* stage.send("/api/v1/events/stream")
      assert.deepStrictEqual([status, json.code, headers["retry-after"]], [429, "too_many_streams", "1"])
      first.close()
      yield* Effect.repeat(stage.events.open, { until: (count) => count === 1 })
      yield* (yield* listen(stage.port, "/api/v1/events/stream")).caughtUp
    }
  )

  live("given a stream that is silent, when time goes by, then a comment is sent", function* () {
    const stage = yield* staged({ events: { keepAliveMs: 20 } })
    const client = yield* listen(stage.port, "/api/v1/events/stream")
    yield* Effect.repeat(Effect.yieldNow, { until: () => client.comments.length >= 4 })
    assert.deepStrictEqual(client.comments.slice(0, 4), ["listening", "caught-up", "keepalive", "keepalive"])
  })

  live(
    "given a client that reads nothing, when much happens, then others get it all, and nothing is kept for it",
    function* () {
      const stage = yield* staged()
      yield* stage.begin("run_1")
      const append = appending(stage.log)
      yield* notReading(stage.port)
      const reader = yield* listen(stage.port, "/api/v1/events/stream")
      yield* reader.caughtUp
      const take = Effect.gen(function* () {
        yield* append("run_b", 12, 500, "x".repeat(4_000))
        const length = yield* Stream.runCount(stage.log.readAll())
        yield* reader.until(() => reader.events.at(-1)?.id === length)
        assert.deepStrictEqual(
          reader.ids(),
          reader.ids().map((_, i) => length - reader.events.length + i + 1)
        )
        reader.events.length = 0
      })
      yield* take
      const before = inMemory()
      yield* take
      // what was appended since has 26 MB as text
      assert.isBelow(inMemory() - before, 8_000_000)
      assert.strictEqual(yield* stage.events.open, 2)
    }
  )

  live(
    "given a client that reads nothing for long, when there is something for it, then it is hung up on",
    function* () {
      const stage = yield* staged({ events: { stalledMs: 500 } })
      yield* stage.begin("run_1")
      const gone = yield* notReading(stage.port)
      const reader = yield* listen(stage.port, "/api/v1/events/stream")
      yield* reader.caughtUp
      // more than a connection holds by itself
      yield* appending(stage.log)("run_b", 20, 500, "x".repeat(4_000))
      yield* reader.count(10_000)
      yield* Effect.repeat(stage.events.open, { until: (count) => count === 1 })
      // only one that reads hears of its end
      yield* Effect.callback<void>((resume) => {
        gone.on("close", () => resume(Effect.void))
        gone.resume()
      })
    }
  )

  it.live(
    "given open streams, when the server ends, then they end at once",
    () =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const stage = yield* Scope.provide(staged(), scope)
        yield* stage.begin("run_1")
        const clients = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, i) => i),
          (i) => listen(stage.port, `/api/v1/${i % 2 === 0 ? "" : "runs/run_1/"}events/stream`)
        )
        yield* Effect.forEach(clients, ({ caughtUp }) => caughtUp, { discard: true })
        // the server would wait for them for 10 s, which is longer than the test may take
        yield* Scope.close(scope, Exit.void)
        yield* Effect.forEach(clients, ({ over }) => over, { discard: true })
      }).pipe(Effect.scoped),
    8_000
  )
})
