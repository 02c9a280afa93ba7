import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { EventLog, Presence } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as postgresLog } from "@proofline/plugins/adapters/postgres-log"
import { runOverviews } from "@proofline/plugins/adapters/postgres-log/overviews"
import { layer as sqliteLog } from "@proofline/plugins/adapters/sqlite-log"
import { runOverviews as runsInFile } from "@proofline/plugins/adapters/sqlite-log/summary"
import { Effect, Layer } from "effect"
import { candidate, facts } from "../../bench/history.ts"
import { live } from "../../effects.ts"
import { describePostgres } from "../../postgres.ts"
import { execute, useDatabase } from "./support.ts"

describePostgres("the runs of a log in PostgreSQL at a glance", () => {
  const { newLog } = useDatabase()

  live("are told with what a newer Proofline has changed in its schema", function* () {
    const { schema, url } = newLog()
    yield* Effect.scoped(Layer.build(postgresLog({ url }).pipe(Layer.provide(nodeDigest))))
    const changes: Array<string> = []
    const look = () => Effect.promise(() => runOverviews(url, (change) => changes.push(change)))
    yield* look()
    assert.deepStrictEqual(changes, [])
    yield* Effect.promise(() =>
      execute(url, `insert into ${schema}.schema_migration values ('9999_later', '2030-01-01')`)
    )
    assert.deepStrictEqual(yield* look(), [])
    assert.deepStrictEqual(changes, ["9999_later"])
  })

  live("are none where there is no log", function* () {
    assert.deepStrictEqual(yield* Effect.promise(() => runOverviews(newLog().url)), [])
  })

  live(
    "are those of a file with the same events, whoever of two processes appended them, and who drives",
    function* () {
      const { url } = newLog()
      const file = join(mkdtempSync(join(tmpdir(), "proofline-overviews-")), "log.sqlite")
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(join(file, ".."), { recursive: true })))
      const open = (layer: Layer.Layer<EventLog | Presence, unknown>) => Layer.build(Layer.fresh(layer))
      const there = () => open(postgresLog({ url }).pipe(Layer.provide(nodeDigest)))
      const [one, other] = [yield* there(), yield* there()]
      const inFile = yield* open(sqliteLog({ file }).pipe(Layer.provide(nodeDigest)))
      for (const run of ["run_a", "run_b"]) {
        let version = 0
        for (const fact of facts(2)) {
          if (version === 60) break
          const append = Effect.flatMap(EventLog, (log) => log.append(run, version, [candidate(fact, run, version)]))
          yield* Effect.provide(append, version % 7 < 4 ? one : other)
          yield* Effect.provide(append, inFile)
          version++
        }
      }
      const runs = yield* Effect.promise(() => runOverviews(url))
      assert.deepStrictEqual(runs, runsInFile(file))
      assert.deepInclude(runs[0], { run_id: "run_b", status: "running", tasks_total: 2 })
      const driver = yield* Effect.provide(
        Effect.flatMap(Presence, (presence) => presence.announce({ kind: "run", id: "run_a" })),
        one
      )
      assert.deepStrictEqual(
        (yield* Effect.promise(() => runOverviews(url))).map((run) => run.driver),
        [null, driver]
      )
    }
  )
})
