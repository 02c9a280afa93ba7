import { randomUUID } from "node:crypto"
import { assert } from "@effect/vitest"
import { EventLog, Locks, Workers, WorkQueue } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as postgresLog } from "@proofline/plugins/adapters/postgres-log"
import { layer as postgresBlobs } from "@proofline/plugins/adapters/postgres-log/blobs"
import { grantWorker } from "@proofline/plugins/adapters/postgres-log/roles"
import { BlobStore } from "@proofline/plugins/ports"
import { Effect, Layer, Stream } from "effect"
import { live } from "../../effects.ts"
import { describePostgres } from "../../postgres.ts"
import { execute, useDatabase } from "./support.ts"
import { events, item } from "./words.ts"

const blobsOn = (url: string) => Layer.fresh(postgresBlobs({ url })).pipe(Layer.provide(nodeDigest))
const on = (url: string) => Layer.fresh(postgresLog({ url })).pipe(Layer.provide(nodeDigest))

/** The code of the failure of a statement. */
const refusal = (url: string, sql: string) =>
  Effect.promise(() =>
    execute(url, sql).then(
      () => "accepted",
      (error) => String(error.code)
    )
  )

const denied = "42501"

describePostgres("who may use a log in PostgreSQL", () => {
  const { newLog, url: database } = useDatabase()

  live("as a worker can do the work of one log, but neither write its events itself nor see another log", function* () {
    const [log, other] = [newLog(), newLog()]
    const role = `worker_${randomUUID().replaceAll("-", "")}`
    const made = Effect.promise(() => execute(database(), `create role "${role}" login password 'its word'`))
    yield* Effect.acquireRelease(made, () =>
      Effect.promise(() => execute(database(), `drop owned by "${role}"; drop role "${role}"`))
    )
    const asRole = (url: string) => {
      const changed = new URL(url)
      changed.username = role
      changed.password = encodeURIComponent("its word")
      return changed.href
    }
    yield* Layer.build(on(log.url))
    yield* Layer.build(on(other.url))
    yield* grantWorker(log.url, role)

    yield* Effect.gen(function* () {
      const [events_, queue, locks, workers] = [yield* EventLog, yield* WorkQueue, yield* Locks, yield* Workers]
      yield* events_.append("run_a", 0, events("a", 2), { dispatch: [item("x")] })
      yield* locks.acquire("a", 0)
      yield* queue.take(1, []).pipe(
        Stream.take(1),
        Stream.runForEach((claim) =>
          Effect.gen(function* () {
            assert.deepStrictEqual(yield* queue.keep([claim]), [])
            assert.strictEqual((yield* workers.list)[0]?.holding, 1)
            yield* events_.append("run_a", 2, events("b"), { lease: claim.lease })
            yield* queue.settle(claim)
          })
        )
      )
      assert.strictEqual((yield* Stream.runCollect(events_.read("run_a"))).length, 3)
      yield* events_.check
      const blobs = yield* BlobStore
      const { sha256 } = yield* blobs.put("what was asked")
      assert.strictEqual(Buffer.from(yield* blobs.get(sha256)).toString(), "what was asked")
    }).pipe(Effect.provide(blobsOn(asRole(log.url))), Effect.provide(on(asRole(log.url))))

    const { schema } = log
    const statements: ReadonlyArray<string> = [
      `insert into ${schema}.event select * from ${schema}.event`,
      `update ${schema}.event set content = '{}'`,
      `delete from ${schema}.event`,
      `truncate ${schema}.event`,
      `update ${schema}.log_head set position = 0`,
      `update ${schema}.work_item set state = 'settled'`,
      `delete from ${schema}.run_summary`,
      `select ${schema}.boss_complete('work', '{}', null, '{}')`,
      `drop function ${schema}.hold_of`,
      `insert into ${schema}.blob values ('a', 0, 1, '')`,
      `delete from ${schema}.blob`,
      `select * from ${other.schema}.event`,
      `select ${other.schema}.lost('{}')`,
      `select * from ${other.schema}_queue.job`
    ]
    for (const statement of statements)
      assert.strictEqual(yield* refusal(asRole(database()), statement), denied, statement)
    const opened = yield* Effect.flip(Effect.scoped(Layer.build(on(asRole(other.url)))))
    assert.strictEqual(opened.code, "log_unwritable")
    assert.notInclude(opened.message + opened.hint, role)
  })

  live("is told where the database is that cannot be used, and never who logs in", function* () {
    const wrong = new URL(`${database()}?schema=any`)
    wrong.password = "guessed"
    wrong.username = "somebody"
    const away = new URL(wrong)
    away.port = "1"
    const missing = new URL(database())
    missing.pathname = "/nowhere"
    const unnamed = new URL(wrong)
    unnamed.hostname = "no-such-machine.invalid"
    const silent = new URL(database())
    silent.password = ""
    const rows: ReadonlyArray<readonly [url: string, said: RegExp, hint: RegExp]> = [
      [wrong.href, /the server refused the login/, /the password in the address.*pg_hba/],
      [silent.href, /the server wants a password, and the address has none/, /the password in the address/],
      [
        away.href,
        /127\.0\.0\.1:1 cannot be used: the server cannot be reached \(ECONNREFUSED\)/,
        /runs, listens on port 1 .*goes on by itself as long as a worker takes its work/
      ],
      [unnamed.href, /nobody knows a machine of this name/, /name of the machine/],
      [missing.href, /database nowhere on 127\.0\.0\.1.*does not exist/, /`create database "nowhere"`/],
      ["mysql://somebody:guessed@host/db", /begins with postgres:\/\//, /postgres:\/\/user@host/],
      [`${database()}?schema=My-Log`, /"My-Log" is no name of a schema/, /postgres:\/\/user@host/]
    ]
    for (const [url, said, hint] of rows) {
      const failure = yield* Effect.flip(Effect.scoped(Layer.build(on(url))))
      assert.strictEqual(failure.code, "log_failed")
      assert.match(failure.message, said)
      assert.match(failure.hint, hint)
      assert.notMatch(failure.message + failure.hint, /somebody|guessed/)
    }
  })

  live("is told log_newer where a newer Proofline has been", function* () {
    const { schema, url } = newLog()
    yield* Effect.scoped(Layer.build(on(url)))
    yield* Effect.promise(() =>
      execute(database(), `insert into ${schema}.schema_migration values ('9999_later', '2030-01-01')`)
    )
    const failure = yield* Effect.flip(Effect.scoped(Layer.build(on(url))))
    assert.strictEqual(failure.code, "log_newer")
    assert.include(failure.message, `its schema has "9999_later"`)
  })
})
