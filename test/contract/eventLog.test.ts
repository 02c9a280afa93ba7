import { copyFileSync, mkdtempSync, renameSync, rmSync, statSync, truncateSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { type Digest, EventLog, LogUnavailable, layerMemory, type WorkQueue } from "@proofline/kernel"
import { eventLogContract, lostLogContract } from "@proofline/kernel/testing"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as sqliteLog } from "@proofline/plugins/adapters/sqlite-log"
import { Effect, Layer } from "effect"
import { fact } from "../plugins/sqlite-log/shared.ts"

const root = mkdtempSync(join(tmpdir(), "proofline-contract-"))
afterAll(() => rmSync(root, { recursive: true }))
let files = 0

/** Every log that exists. `fresh` makes one that is empty. */
const implementations: ReadonlyArray<{
  readonly name: string
  readonly fresh: () => Layer.Layer<EventLog | WorkQueue | Digest, unknown>
}> = [
  { name: "memory", fresh: () => Layer.fresh(layerMemory).pipe(Layer.provideMerge(nodeDigest)) },
  {
    name: "sqlite",
    fresh: () => sqliteLog({ file: join(root, `${++files}`, "log.sqlite") }).pipe(Layer.provideMerge(nodeDigest))
  }
]

it("runs every case over every implementation", () => {
  assert.isNotEmpty(implementations)
  assert.isAbove(eventLogContract.length, 30)
})

for (const { name, fresh } of implementations) {
  describe(name, () => {
    for (const { name, run } of eventLogContract) it.live(name, () => run.pipe(Effect.provide(fresh())))
  })
}

/** What others do to a log that is in use. */
const losses: Readonly<Record<string, (file: string) => void>> = {
  "whose directory is removed": (file) => rmSync(dirname(file), { recursive: true }),
  "whose file is removed": (file) => rmSync(file),
  "whose file is replaced by a copy of it": (file) => {
    copyFileSync(file, `${file}.copy`)
    renameSync(`${file}.copy`, file)
  },
  "whose write-ahead log is removed": (file) => rmSync(`${file}-wal`),
  "whose write-ahead log is cut off": (file) => truncateSync(`${file}-wal`),
  "whose write-ahead log was cut off a page before its end": (file) =>
    truncateSync(`${file}-wal`, statSync(`${file}-wal`).size - 4_096),
  "whose shared memory is removed": (file) => rmSync(`${file}-shm`),
  "of which another program deletes all events": (file) => execute(file, "delete from event"),
  "of which another program deletes one run": (file) => {
    execute(
      file,
      "insert into event select position + 10, 'run_z', version, event_type, schema_version, timestamp, visibility, content, command_id, causation_id, correlation_id, hash, origin from event"
    )
    execute(file, "delete from event where stream = 'run_a'")
  },
  "of which another program deletes the last event": (file) =>
    execute(file, "delete from event where position = (select max(position) from event)")
}

const execute = (file: string, sql: string): void => {
  const db = new DatabaseSync(file, { timeout: 5_000 })
  db.exec(sql)
  db.close()
}

for (const [what, lose] of Object.entries(losses)) {
  describe(`sqlite, ${what}`, () => {
    let file = ""
    for (const { name, run } of lostLogContract(Effect.sync(() => lose(file)))) {
      it.live(name, () => {
        file = join(root, `${++files}`, "log.sqlite")
        return run.pipe(Effect.provide(sqliteLog({ file }).pipe(Layer.provideMerge(nodeDigest))))
      })
    }

    it.live("refuses an append also where nothing else has touched its directory for a while", () =>
      Effect.gen(function* () {
        const { append } = yield* EventLog
        yield* append("run_a", 0, [fact("cmd_1")])
        while (Date.now() - statSync(dirname(file)).ctimeMs < 100) yield* Effect.sleep(5)
        yield* append("run_a", 1, [fact("cmd_2")])
        lose(file)
        const refused = yield* Effect.flip(append("run_a", 2, [fact("cmd_3")]))
        assert.isTrue(refused instanceof LogUnavailable && refused.code === "log_lost", refused.message)
      }).pipe(
        Effect.provide(
          Layer.unwrap(
            Effect.sync(() => {
              file = join(root, `${++files}`, "log.sqlite")
              return sqliteLog({ file }).pipe(Layer.provideMerge(nodeDigest))
            })
          )
        )
      )
    )
  })
}
