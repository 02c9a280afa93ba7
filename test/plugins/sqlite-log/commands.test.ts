import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "@effect/vitest"
import { type Appended, type Digest, EventLog, type LogUnavailable } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { Effect, Layer, Stream } from "effect"
import { assert } from "vitest"
import { thisProcess } from "../../../packages/plugins/src/adapters/sqlite-log/holder.ts"
import { makeServices } from "../../../packages/plugins/src/adapters/sqlite-log/services.ts"
import { openSession } from "../../../packages/plugins/src/adapters/sqlite-log/session.ts"
import { fact, logAt } from "./shared.ts"
import { scratch } from "./support.ts"

const directory = scratch()

const append = (stream: string, version: number) =>
  Effect.flatMap(EventLog, (log) => log.append(stream, version, events(stream, version)))

/** Two of one command. */
const events = (stream: string, version: number) => {
  const command = `cmd_${stream}_${version}`
  return [fact(command, { a: version }), fact(command, { b: version })]
}

/** Appends to runs in turn until the rows of commands are left for later, and so many more; the versions of each run. */
const busy = (isLeft: () => boolean, more = 20) =>
  Effect.gen(function* () {
    const versions = [0, 0, 0]
    for (let left = more, i = 0; left > 0; i++) {
      const run = i % versions.length
      yield* append(`run_${run}`, versions[run] as number)
      versions[run] = (versions[run] as number) + 2
      left = isLeft() ? left - 1 : more
    }
    return versions
  })

/** What a process leaves that is killed while it writes one commit after the other. */
const killed = (name: string) => {
  const file = join(directory, name, "log.sqlite")
  const copy = join(directory, name, "copy", "log.sqlite")
  return Effect.gen(function* () {
    const session = yield* openSession(file)
    const services = yield* makeServices(session, thisProcess())
    const versions = yield* Effect.provide(
      busy(() => session.commands.areLeft()),
      services
    )
    mkdirSync(dirname(copy))
    // in another process: this one would lose its locks
    execFileSync("cp", [file, `${file}-wal`, dirname(copy)])
    return { file: copy, closed: file, versions }
  }).pipe(Effect.scoped, Effect.provide(nodeDigest))
}

const rowsOf = (file: string) => {
  const db = new DatabaseSync(file)
  const rows = db.prepare("select stream, command_id, first_version, events from command order by 1, 3").all()
  const { left } = db.prepare("select count(*) as left from command_left").get() ?? {}
  db.close()
  return { rows: rows.map((row) => Object.values(row)), left }
}

const expectedRows = (versions: ReadonlyArray<number>) =>
  versions.flatMap((version, run) =>
    Array.from({ length: version / 2 }, (_, i) => [`run_${run}`, `cmd_run_${run}_${2 * i}`, 2 * i + 1, 2])
  )

/** Each command is sent again, as if nothing were known of it. */
const sentAgain = (versions: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    for (const [run, version] of versions.entries()) {
      for (let at = 0; at < version; at += 2) {
        const { events, repeated }: Appended = yield* append(`run_${run}`, at)
        assert.isTrue(repeated, `command ${at} of run_${run}`)
        assert.deepStrictEqual(
          events.map(({ content, version }) => [version, content]),
          [
            [at + 1, { a: at }],
            [at + 2, { b: at }]
          ]
        )
      }
    }
  })

const at =
  (file: string) =>
  <A>(effect: Effect.Effect<A, unknown, EventLog | Digest>) =>
    Effect.provide(effect, Layer.fresh(logAt(file)))

describe("given commands whose rows are left for later", () => {
  it.live("when they are sent again to whoever has left them then they are answered with what they wrote", () =>
    Effect.gen(function* () {
      const session = yield* openSession(join(directory, "again.sqlite"))
      const services = yield* makeServices(session, thisProcess())
      const versions = yield* Effect.provide(
        busy(() => session.commands.areLeft()),
        services
      )
      yield* Effect.provide(sentAgain(versions), services)
    }).pipe(Effect.scoped, Effect.provide(nodeDigest))
  )

  it.live("when the log is closed then their rows are written", () =>
    Effect.gen(function* () {
      const { closed, versions } = yield* killed("closed")
      assert.deepStrictEqual(rowsOf(closed), { rows: expectedRows(versions), left: 0 })
    })
  )

  it.live("when the process was killed then the next one answers them, and writes their rows with its own", () =>
    Effect.gen(function* () {
      const { file, versions } = yield* killed("killed")
      assert.strictEqual(rowsOf(file).left, 1)
      yield* sentAgain(versions).pipe(at(file))
      const [first = 0, ...others] = versions
      yield* append("run_0", first).pipe(at(file))
      assert.deepStrictEqual(rowsOf(file), { rows: expectedRows([first + 2, ...others]), left: 0 })
    })
  )

  it.live("when another process appends meanwhile then each of them answers the commands of both", () =>
    Effect.gen(function* () {
      const file = join(directory, "both.sqlite")
      const session = yield* openSession(file)
      const services = yield* makeServices(session, thisProcess())
      const versions = yield* Effect.provide(
        busy(() => session.commands.areLeft()),
        services
      )
      yield* Effect.gen(function* () {
        yield* sentAgain(versions)
        yield* append("run_other", 0)
        yield* Effect.provide(Effect.andThen(sentAgain(versions), append("run_0", versions[0] as number)), services)
        yield* sentAgain([(versions[0] as number) + 2, ...versions.slice(1)])
      }).pipe(at(file))
      const { repeated } = yield* Effect.provide(append("run_other", 0), services)
      assert.isTrue(repeated)
    }).pipe(Effect.scoped, Effect.provide(nodeDigest))
  )

  it.live("when the index hides the end of their run then the end is not taken for the end: log_corrupt", () =>
    Effect.gen(function* () {
      const { file, versions } = yield* killed("hidden")
      const end = versions[1] as number
      const db = new DatabaseSync(file, { defensive: false } as object)
      db.exec("pragma writable_schema = on")
      // the index is made of other rows than the table has
      db.exec(`create table copy as select * from event where not (stream = 'run_1' and version > ${end - 2})`)
      db.exec("create unique index other on copy (stream, version)")
      const root = db.prepare("select rootpage from sqlite_schema where name = 'other'").get()?.["rootpage"]
      db.prepare("update sqlite_schema set rootpage = ? where name = 'sqlite_autoindex_event_1'").run(Number(root))
      db.exec("delete from sqlite_schema where name = 'other'")
      db.close()
      const read = Effect.flatMap(EventLog, (log) => Stream.runCollect(log.read("run_1")))
      const refused = (yield* Effect.flip(at(file)(read))) as LogUnavailable
      assert.strictEqual(refused.code, "log_corrupt", basename(file))
      assert.include(refused.message, `ends run_1 at event ${end - 2}`)
    })
  )
})
