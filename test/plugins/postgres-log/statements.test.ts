import { afterEach, assert, beforeEach } from "@effect/vitest"
import { EventLog, WorkQueue } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as postgresLog } from "@proofline/plugins/adapters/postgres-log"
import { Effect, Layer, Stream } from "effect"
import pg from "pg"
import { live } from "../../effects.ts"
import { describePostgres } from "../../postgres.ts"
import { useDatabase } from "./support.ts"
import { events, item } from "./words.ts"

const on = (url: string) => Layer.fresh(postgresLog({ url })).pipe(Layer.provide(nodeDigest))

describePostgres("what a log in PostgreSQL asks of it", () => {
  const { newLog } = useDatabase()
  const sent = pg.Client.prototype.query
  let asked: Array<string> = []
  // every statement of this process passes here, also those of pg-boss
  beforeEach(() => {
    asked = []
    pg.Client.prototype.query = function (this: pg.Client, ...args: ReadonlyArray<unknown>) {
      const [query] = args as ReadonlyArray<string | { readonly text: string }>
      asked.push(typeof query === "string" ? query : `${query?.text}`)
      return Reflect.apply(sent, this, args)
    } as typeof sent
  })
  afterEach(() => {
    pg.Client.prototype.query = sent
  })
  // beside them the process says now and then that it lives and looks where the log ends, and pg-boss looks after its own schema
  const appends = (schema: string) =>
    asked.filter(
      (text) => text.includes(`${schema}.`) && !/^select (?:\S+\.(?:beat|claim|lost)\(|position from )/.test(text)
    )

  live("is one statement for an append, also one that dispatches, cancels, reports or is refused", function* () {
    const { schema, url } = newLog()
    yield* Effect.gen(function* () {
      const log = yield* EventLog
      const queue = yield* WorkQueue
      yield* log.append("run_a", 0, events("a"), { dispatch: [item("x"), item("y")] })
      const claims = yield* queue.take(1, []).pipe(Stream.take(1), Stream.runCollect)
      const lease = claims[0]?.lease
      assert.isDefined(lease)
      asked = []
      yield* log.append("run_a", 1, events("b", 3), { dispatch: [item("z")], cancel: ["y"], lease })
      yield* Effect.flip(log.append("run_a", 1, events("c"), { lease }))
      yield* log.append("run_a", 0, events("a"))
      assert.strictEqual(appends(schema).length, 3, appends(schema).join("\n"))
    }).pipe(Effect.provide(on(url)))
  })

  live("is a statement for many appends that wait together", function* () {
    const { schema, url } = newLog()
    yield* Effect.gen(function* () {
      const log = yield* EventLog
      yield* log.append("run_first", 0, events("first"))
      asked = []
      yield* Effect.all(
        Array.from({ length: 64 }, (_, i) => log.append(`run_${i}`, 0, events(`c${i}`))),
        { concurrency: "unbounded" }
      )
      assert.isAtMost(appends(schema).length, 2, appends(schema).join("\n"))
    }).pipe(Effect.provide(on(url)))
  })

  live(
    "is one statement for a read, also of nothing, and for what a follower finds, with the look for what is lost",
    function* () {
      const { schema, url } = newLog()
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        yield* log.append("run_a", 0, events("a", 2))
        asked = []
        assert.lengthOf(yield* Stream.runCollect(log.read("run_a")), 2)
        assert.lengthOf(yield* Stream.runCollect(log.read("run_a", 3)), 0)
        yield* log.follow(1).pipe(Stream.take(2), Stream.runDrain)
        const reads = asked.filter((text) => text.includes(`${schema}.event`) || text.includes(`${schema}.lost(`))
        assert.lengthOf(reads, 3, reads.join("\n"))
      }).pipe(Effect.provide(on(url)))
    }
  )

  live("fails, of many appends that share it, only for the one that is wrong", function* () {
    yield* Effect.gen(function* () {
      const log = yield* EventLog
      yield* log.append("run_first", 0, events("first"))
      const broken = events("broken").map((event) => ({ ...event, schema_version: 1.5 }))
      const answers = yield* Effect.all(
        [
          Effect.exit(log.append("run_a", 0, events("a"))),
          Effect.exit(log.append("run_b", 0, broken)),
          Effect.exit(log.append("run_c", 0, events("c"), { dispatch: [{ ...item("nul"), id: "a\u0000b" }] })),
          Effect.exit(log.append("run_d", 0, events("d")))
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        answers.map(({ _tag }) => _tag),
        ["Success", "Failure", "Failure", "Success"]
      )
      const streams = Array.from(yield* Stream.runCollect(log.readAll()), ({ stream }) => stream)
      assert.deepStrictEqual(streams, ["run_first", "run_a", "run_d"])
    }).pipe(Effect.provide(on(newLog().url)))
  })
})
