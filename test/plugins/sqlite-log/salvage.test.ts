import { copyFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "@effect/vitest"
import { Digest, EventLog, genesisHash, type Recorded } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { checkWal, type SalvagedRun, salvage, salvageInto } from "@proofline/plugins/adapters/sqlite-log/salvage"
import { Effect, Result, Stream } from "effect"
import { assert } from "vitest"
import { openPages } from "../../../packages/plugins/src/adapters/sqlite-log/salvage/pages.ts"
import { localBytes, payloads } from "../../../packages/plugins/src/adapters/sqlite-log/salvage/payload.ts"
import { often } from "../../often.ts"
import { everything, fact, logAt } from "./shared.ts"
import { scratch } from "./support.ts"

const directory = scratch()
const pageBytes = 4_096

/** Sizes of contents: in a cell, in pages of their own, and in many of them. */
const sizes = [10, 300, 9_000, 40, 1_200, 30_000]

/** A log in which several runs have been written at the same time, closed as it is left by a process that ends. */
const made = Effect.fnUntraced(
  function* (_file: string, runs: number, rounds: number) {
    const log = yield* EventLog
    for (let round = 0; round < rounds; round++) {
      for (let run = 0; run < runs; run++) {
        const text = `${run}.${round} `.repeat((sizes[(run + round) % sizes.length] ?? 1) / 4)
        yield* log.append(`run_${run}`, round * 2, [fact(`cmd_${round}`, { text }), fact(`cmd_${round}`, { round })])
      }
    }
    return yield* everything
  },
  (effect, file) => Effect.provide(effect, logAt(file))
)

const salvaged = <A>(file: string, use: (found: Effect.Success<ReturnType<typeof salvage>>) => A) =>
  Effect.gen(function* () {
    const { sha256 } = yield* Digest
    return use(yield* salvage(file, sha256))
  }).pipe(Effect.scoped, Effect.provide(nodeDigest))

/** A fixed sequence of numbers in [0, 1), so that a failing place can be told again. */
const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

type Damage = (bytes: Buffer, next: () => number) => Buffer

const placeIn = (bytes: Buffer, next: () => number) => Math.floor(next() * bytes.length)
const damages: Readonly<Record<string, Damage>> = {
  "a bit is another": (bytes, next) => {
    const at = placeIn(bytes, next)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(next() * 8))
    return bytes
  },
  "the header of a page has another byte": (bytes, next) => {
    const page = Math.floor(placeIn(bytes, next) / pageBytes) * pageBytes
    bytes[page + Math.floor(next() * 12)] = Math.floor(next() * 256)
    return bytes
  },
  "a page is zero": (bytes, next) => {
    const page = Math.floor(placeIn(bytes, next) / pageBytes) * pageBytes
    return bytes.fill(0, page, page + pageBytes)
  },
  "a page is rubbish": (bytes, next) => {
    const page = Math.floor(placeIn(bytes, next) / pageBytes) * pageBytes
    return bytes.map((byte, at) => (at >= page && at < page + pageBytes ? Math.floor(next() * 256) : byte)) as Buffer
  },
  "its end is gone": (bytes, next) => bytes.subarray(0, placeIn(bytes, next))
}

describe("given a log whose file is damaged in any place", () => {
  it.live.each(Object.entries(damages))(
    "when %s then all that is proven is found, and nothing else",
    ([what, damage]) =>
      Effect.gen(function* () {
        const file = join(directory, `${what.replaceAll(" ", "-")}.db`)
        const written = Map.groupBy(yield* made(file, 5, 14), ({ stream }) => stream)
        const whole = readFileSync(file)
        const seed = Number(process.env["PROOFLINE_SEED"] ?? Date.now() % 1_000_000)
        const next = random(seed)
        for (let i = 0; i < often(300); i++) {
          writeFileSync(file, damage(Buffer.from(whole), next))
          const at = `PROOFLINE_SEED=${seed}, ${i}`
          yield* salvaged(file, ({ missingPages, runs }) => {
            const kept = runs.filter(({ head }) => head !== null)
            for (const run of kept) assertBeginning(run, written.get(run.run_id) ?? [], at)
            const hurt = [...written].filter(
              ([id, events]) => kept.find(({ run_id }) => run_id === id)?.head?.version !== events.length
            )
            if (what === "its end is gone") {
              assert.isTrue(hurt.length === 0 || missingPages > 0, at)
              return
            }
            // events of several runs share a page; a bit is in one event
            assert.isAtMost(hurt.length, what.startsWith("a page") ? 5 : 1, at)
            for (const [id, events] of hurt) {
              const run = runs.find(({ run_id }) => run_id === id)
              assert.strictEqual(run?.known, events.length, `${at}: it is told that ${id} went on`)
            }
          })
        }
      })
  )

  it.live("then a new file has what was found, with its hashes, and runs that are cut off take nothing", () =>
    Effect.gen(function* () {
      const [file, to] = [join(directory, "to-save.db"), join(directory, "saved.db")]
      const written = yield* made(file, 3, 6)
      const event = written.find(({ stream, version }) => stream === "run_1" && version === 5) as Recorded
      const bytes = readFileSync(file)
      bytes[bytes.indexOf(event.hash)] = 0x78
      writeFileSync(file, bytes)
      const { sha256 } = yield* Digest
      const found = yield* salvage(file, sha256)
      assert.deepStrictEqual(
        found.runs.map(({ head, known, run_id }) => [run_id, head?.version, known]),
        [
          ["run_0", 12, 12],
          ["run_1", 4, 12],
          ["run_2", 12, 12]
        ]
      )
      const at = "2026-02-03T04:05:06.789Z"
      yield* salvageInto(found, { from: file, to, at, sha256, summarizers: [], cut: new Set(["run_1"]) })
      assert.isFalse(existsSync(`${to}-wal`))
      assert.isTrue(readFileSync(file).equals(bytes))
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        for (const [run, left] of [
          ["run_0", 12],
          ["run_1", 4],
          ["run_2", 12]
        ] as const) {
          const events = yield* Stream.runCollect(log.read(run))
          const before = written.filter(({ stream, version }) => stream === run && version <= left)
          assert.deepStrictEqual(
            events.map(({ hash }) => hash),
            before.map(({ hash }) => hash)
          )
        }
        const refused = yield* Effect.flip(log.append("run_1", 4, [fact("cmd_more")]))
        assert.isTrue(refused._tag === "LogUnavailable" && refused.code === "run_elsewhere")
        assert.include(refused.message, file)
        assert.strictEqual((yield* log.append("run_0", 12, [fact("cmd_more")])).events[0]?.version, 13)
      }).pipe(Effect.provide(logAt(to)))
    }).pipe(Effect.scoped, Effect.provide(nodeDigest))
  )
})

/** The events that were found are the first of those that were written. */
const assertBeginning = ({ events, head, run_id }: SalvagedRun, written: ReadonlyArray<Recorded>, at: string) => {
  let prev = genesisHash
  let version = 0
  for (const event of events()) {
    assert.strictEqual(event.hash, written[version]?.hash, `${at}: ${run_id}`)
    assert.deepStrictEqual(event.content, written[version]?.content, `${at}: ${run_id}`)
    assert.strictEqual(event.prev_hash, prev)
    prev = event.hash
    version++
  }
  assert.strictEqual(version, head?.version)
}

const copied = (from: string, to: string): void => {
  for (const end of ["", "-wal", "-shm"]) if (existsSync(`${from}${end}`)) copyFileSync(`${from}${end}`, `${to}${end}`)
}

/** The files as a process leaves them that is killed: all that was committed is in the write-ahead log. */
const killed = Effect.fnUntraced(function* (name: string) {
  const [open, file] = [join(directory, `${name}-open.db`), join(directory, `${name}.db`)]
  yield* Effect.gen(function* () {
    const log = yield* EventLog
    for (let i = 0; i < 20; i++) yield* log.append("run_0", i, [fact(`cmd_${i}`, { text: "x".repeat(3_000) })])
    copied(open, file)
  }).pipe(Effect.provide(logAt(open)))
  return file
})

const frameBytes = pageBytes + 24
const isDamaged = (file: string): boolean => Result.isFailure(Result.try(() => checkWal(file)))

const versions = (runs: ReadonlyArray<SalvagedRun>) => runs.map(({ head, run_id }) => [run_id, head?.version])

describe("given a write-ahead log that holds what was not committed, or an earlier use", () => {
  it.live("when a process was killed within a transaction then what it had written is no part of a run", () =>
    Effect.gen(function* () {
      const [open, other, file] = ["begun-open.db", "begun-other.db", "begun.db"].map((name) => join(directory, name))
      const append = (from: number, text: string) =>
        Effect.flatMap(EventLog, (log) => log.append("run_0", from, [fact(`cmd_${from}`, { text })]))
      yield* Effect.gen(function* () {
        for (let i = 0; i < 3; i++) yield* append(i, "committed")
        copied(open as string, other as string)
        // the next event, with a hash that is right, comes from a log that went on
        yield* Effect.provide(append(3, "not committed"), logAt(other as string))
        const db = new DatabaseSync(open as string)
        db.exec(`attach '${other}' as other; pragma cache_size = 1; begin immediate`)
        db.exec("insert into main.event select * from other.event where version = 4")
        db.exec("insert into main.command select * from other.command where command_id = 'cmd_3'")
        for (let i = 0; i < 50; i++) db.exec(`insert into label_set (labels) values ('${i}${"x".repeat(9_000)}')`)
        copied(open as string, file as string)
        db.close()
      }).pipe(Effect.provide(logAt(open as string)))
      assert.isTrue(readFileSync(`${file}-wal`).includes("not committed"))
      yield* salvaged(file as string, ({ lost, runs }) => {
        assert.deepStrictEqual([versions(runs), runs[0]?.known, lost], [[["run_0", 3]], 3, 0])
      })
    })
  )

  it.live("when it was begun anew then what is left of its earlier use stands for no page that was written since", () =>
    Effect.gen(function* () {
      const [open, file] = [join(directory, "anew-open.db"), join(directory, "anew.db")]
      const away = { kind: "archived", place: "/runs.archive", at: "2026-02-03T04:05:06.789Z" } as const
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        const text = "x".repeat(30_000)
        for (let i = 0; i < 20; i++) yield* log.append("run_old", i, [fact(`cmd_${i}`, { text: `${i}${text}` })])
        const db = new DatabaseSync(open)
        db.exec("pragma wal_checkpoint(restart)")
        db.close()
        yield* log.leave("run_old", 20, away)
        for (let i = 0; i < 3; i++) yield* log.append("run_new", i, [fact(`cmd_${i}`, { text: `new ${text}` })])
        copied(open, file)
      }).pipe(Effect.provide(logAt(open)))
      yield* salvaged(file, ({ lost, runs }) => assert.deepStrictEqual([versions(runs), lost], [[["run_new", 3]], 0]))
      // all that was committed is found without the file too
      writeFileSync(file, readFileSync(file).fill(0))
      yield* salvaged(file, ({ runs }) => assert.deepInclude(versions(runs), ["run_new", 3]))
    })
  )
})

describe("given an event whose pages lead to each other in a circle", () => {
  it.live("when it is read then it is no event, however long it says that it is", () =>
    Effect.gen(function* () {
      const file = join(directory, "circle.db")
      yield* made(file, 1, 6)
      const bytes = readFileSync(file)
      const circle = bytes.length / pageBytes
      // a page that is its own follower
      const page = Buffer.alloc(pageBytes)
      page.writeUInt32BE(circle + 1)
      writeFileSync(file, Buffer.concat([bytes, page]))
      const pages = openPages(file)
      const first = Buffer.alloc(pageBytes)
      for (const length of [50_000, 2 ** 30]) {
        first.fill(0).writeUInt32BE(circle + 1, localBytes(pageBytes, length))
        const read = payloads({ ...pages, page: () => first }, { at: 0, from: 0, bytes: length })
        assert.isTrue(read[Symbol.iterator]().next().done, `${length}`)
      }
      pages.close()
    })
  )
})

describe("given a run that came back from an archive", () => {
  it.live("when it is archived again, and again, then nothing is missed", () =>
    Effect.gen(function* () {
      const file = join(directory, "archived.db")
      const away = { kind: "archived", place: "/runs.archive", at: "2026-02-03T04:05:06.789Z" } as const
      yield* made(file, 3, 6)
      for (let i = 0; i < 3; i++) {
        yield* Effect.gen(function* () {
          const log = yield* EventLog
          const events = yield* Stream.runCollect(log.read("run_1"))
          yield* log.leave("run_1", 12, away)
          yield* log.adopt("run_1", 0, [...events])
          yield* log.leave("run_1", 12, away)
          yield* log.append("run_2", 12 + i, [fact(`cmd_more_${i}`)])
          if (i < 2) yield* log.adopt("run_1", 0, [...events])
        }).pipe(Effect.provide(logAt(file)))
        yield* salvaged(file, ({ lost }) => assert.strictEqual(lost, 0, `${i}`))
      }
      // nor in a log that was made of it, and goes on behind the positions of the archived run
      const to = join(directory, "archived-saved.db")
      const { sha256 } = yield* Digest
      const found = yield* salvage(file, sha256)
      yield* salvageInto(found, { from: file, to, at: away.at, sha256, summarizers: [], cut: new Set() })
      yield* Effect.flatMap(EventLog, (log) => log.append("run_0", 12, [fact("cmd_more")])).pipe(
        Effect.provide(logAt(to))
      )
      yield* salvaged(to, ({ lost }) => assert.strictEqual(lost, 0))
    }).pipe(Effect.scoped, Effect.provide(nodeDigest))
  )

  it.live("when the file is whole or its header is damaged then it is there, and nothing is missed", () =>
    Effect.gen(function* () {
      const file = join(directory, "restored.db")
      yield* made(file, 3, 6)
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        const events = yield* Stream.runCollect(log.read("run_1"))
        yield* log.leave("run_1", 12, { kind: "archived", place: "/runs.archive", at: "2026-02-03T04:05:06.789Z" })
        yield* log.adopt("run_1", 0, [...events])
      }).pipe(Effect.provide(logAt(file)))
      const isThere = salvaged(file, ({ away, lost, runs }) => {
        assert.deepStrictEqual(
          runs.map(({ head, run_id }) => [run_id, head?.version]),
          [
            ["run_0", 12],
            ["run_2", 12],
            ["run_1", 12]
          ]
        )
        assert.deepStrictEqual([[...away], lost], [[], 0])
      })
      yield* isThere
      writeFileSync(file, readFileSync(file).fill(0x78, 0, 4))
      yield* isThere
    })
  )
})

describe("given a log that was killed", () => {
  it.live("when its write-ahead log is whole then it is used; when it is damaged, cut or gone then it is refused", () =>
    Effect.gen(function* () {
      const file = yield* killed("wal")
      const wal = readFileSync(`${file}-wal`)
      const frames = Math.floor((wal.length - 32) / frameBytes)
      assert.isAbove(frames, 20)
      assert.isFalse(isDamaged(file))
      // one that has been begun and not committed is no damage
      writeFileSync(`${file}-wal`, Buffer.concat([wal, wal.subarray(32, 32 + frameBytes)]))
      assert.isFalse(isDamaged(file))

      const next = random(7)
      for (let i = 0; i < often(300); i++) {
        const bytes = Buffer.from(wal)
        const at = 32 + Math.floor(next() * (frames - 4) * frameBytes)
        bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(next() * 8))
        writeFileSync(`${file}-wal`, bytes)
        assert.isTrue(isDamaged(file), `byte ${at}`)
      }
      const cut = (bytes: number) => {
        writeFileSync(`${file}-wal`, wal)
        truncateSync(`${file}-wal`, bytes)
      }
      cut(wal.length - frameBytes)
      assert.isTrue(isDamaged(file))
      cut(0)
      assert.isTrue(isDamaged(file))
      rmSync(`${file}-wal`)
      assert.isTrue(isDamaged(file))
      const before = readFileSync(file)
      const refused = yield* Effect.flip(Effect.provide(everything, logAt(file)))
      assert.isTrue(refused._tag === "LogUnavailable" && refused.code === "log_corrupt")
      assert.isTrue(readFileSync(file).equals(before))
    })
  )

  it.live("when a frame of its write-ahead log is damaged then the events in all others are found", () =>
    Effect.gen(function* () {
      const file = yield* killed("frames")
      const wal = readFileSync(`${file}-wal`)
      // the checksum of the first frame: SQLite reads none of them any more
      wal[32 + 16] = (wal[32 + 16] ?? 0) ^ 1
      writeFileSync(`${file}-wal`, wal)
      yield* salvaged(file, ({ runs }) => {
        assert.deepStrictEqual(
          runs.map(({ head, run_id }) => [run_id, head?.version]),
          [["run_0", 20]]
        )
      })
    })
  )
})

describe("given an index that hides the end of a run", () => {
  it.live("when the run is read then the end is not taken for the end: log_corrupt", () =>
    Effect.gen(function* () {
      const file = join(directory, "hidden.db")
      yield* made(file, 2, 4)
      const db = new DatabaseSync(file, { defensive: false } as object)
      db.exec("pragma writable_schema = on")
      // the index is made of other rows than the table has
      db.exec("create table copy as select * from event where not (stream = 'run_1' and version > 5)")
      db.exec("create unique index other on copy (stream, version)")
      const root = db.prepare("select rootpage from sqlite_schema where name = 'other'").get()?.["rootpage"]
      db.prepare("update sqlite_schema set rootpage = ? where name = 'sqlite_autoindex_event_1'").run(Number(root))
      db.exec("delete from sqlite_schema where name = 'other'")
      db.close()
      const read = (run: string) => Effect.flatMap(EventLog, (log) => Stream.runCollect(log.read(run)))
      assert.strictEqual((yield* Effect.provide(read("run_0"), logAt(file))).length, 8)
      const refused = yield* Effect.flip(Effect.provide(read("run_1"), logAt(file)))
      assert.isTrue(refused._tag === "LogUnavailable" && refused.code === "log_corrupt")
      assert.include(refused.message, "ends run_1 at event 5")
    })
  )
})
