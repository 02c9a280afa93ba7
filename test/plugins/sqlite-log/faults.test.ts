import { execFileSync } from "node:child_process"
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "@effect/vitest"
import { type Digest, EventLog, Locks, type LogUnavailable, WorkQueue } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { Effect, Exit, Layer, Stream } from "effect"
import { afterAll, assert } from "vitest"
import { toUnavailable } from "../../../packages/plugins/src/adapters/sqlite-log/failure.ts"
import { thisProcess } from "../../../packages/plugins/src/adapters/sqlite-log/holder.ts"
import { makeServices } from "../../../packages/plugins/src/adapters/sqlite-log/services.ts"
import { openSession, type Session } from "../../../packages/plugins/src/adapters/sqlite-log/session.ts"
import { everything, fact, logAt, workItem } from "./shared.ts"
import { assertIntact, scratch, start } from "./support.ts"

const directory = scratch()

const append = (stream: string, expected: number, command: string, size = 10) =>
  Effect.flatMap(EventLog, (log) => log.append(stream, expected, [fact(command, { text: "x".repeat(size) })]))

/** Why the log at this path cannot be opened. */
const refusal = (file: string) =>
  Effect.flip(append("run_a", 0, "cmd_1").pipe(Effect.provide(logAt(file)))) as Effect.Effect<LogUnavailable>

const assertSays = (refused: LogUnavailable, code: LogUnavailable["code"], file: string): void => {
  assert.strictEqual(refused._tag, "LogUnavailable")
  assert.strictEqual(refused.code, code, refused.message)
  assert.include(refused.message, file)
  assert.match(refused.message, /^[^\n]+\.$/, "one sentence")
  assert.match(refused.hint, /\.$/)
}

/** A log with an event in each of so many runs. */
const logWith = (file: string, runs: number) =>
  Effect.forEach(
    Array.from({ length: runs }, (_, i) => `run_${i}`),
    (run) => append(run, 0, "cmd_1", 2_000),
    {
      discard: true
    }
  ).pipe(Effect.provide(logAt(file)))

const execute = (file: string, sql: string) => {
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
}

describe("a file that is no log", () => {
  it.live.each<[what: string, code: LogUnavailable["code"], says: string, make: (file: string) => void, runs: number]>([
    ["no database", "log_corrupt", "no SQLite database", (file) => writeFileSync(file, "this is a text".repeat(99)), 0],
    [
      "the database of another program",
      "log_corrupt",
      "another program",
      (file) => execute(file, "create table theirs (a); insert into theirs values (1)"),
      0
    ],
    [
      "written by a newer Proofline",
      "log_newer",
      "9999_future",
      (file) => execute(file, "insert into schema_migration values ('9999_future', '2030-01-01T00:00:00.000Z')"),
      1
    ],
    [
      "damaged",
      "log_corrupt",
      "damaged",
      (file) => {
        const handle = openSync(file, "r+")
        const rubbish = Buffer.alloc(statSync(file).size - 8_192, 0x5a)
        writeSync(handle, rubbish, 0, rubbish.length, 8_192)
        closeSync(handle)
      },
      50
    ]
  ])("is refused and left as it is when it is %s", ([what, code, says, make, runs]) =>
    Effect.gen(function* () {
      const file = join(directory, what, "log.sqlite")
      mkdirSync(dirname(file))
      if (runs > 0) yield* logWith(file, runs)
      make(file)
      const before = readFileSync(file)
      const refused = yield* refusal(file)
      assertSays(refused, code, file)
      assert.include(refused.message, says)
      assert.isTrue(readFileSync(file).equals(before))
      assert.deepStrictEqual(readdirSync(dirname(file)), ["log.sqlite"])
    })
  )

  it.live("names the event whose content was made unreadable", () =>
    Effect.gen(function* () {
      const file = join(directory, "content.sqlite")
      yield* append("run_a", 0, "cmd_1").pipe(Effect.provide(logAt(file)))
      execute(file, "update event set content = '{'")
      const refused = yield* Effect.flip(everything.pipe(Effect.provide(logAt(file)))) as Effect.Effect<LogUnavailable>
      assert.strictEqual(refused.code, "log_corrupt")
      assert.include(refused.message, "event 1 of run_a")
      // whoever asks for it again is told; those that share the commit are not bothered
      const [again, other] = yield* Effect.all(
        [Effect.exit(append("run_a", 0, "cmd_1")), Effect.exit(append("run_b", 0, "cmd_1"))],
        { concurrency: "unbounded" }
      ).pipe(Effect.provide(logAt(file)))
      assert.strictEqual(((yield* Effect.flip(again)) as LogUnavailable).code, "log_corrupt")
      assert.isTrue(Exit.isSuccess(other))
    })
  )
})

describe("a log that cannot be written", () => {
  it.live.each<[what: string, path: string]>([
    ["its directory is a file", "plain/log.sqlite"],
    ["it is new and its directory is not ours", "theirs/log.sqlite"],
    ["its directory would be in one that is not ours", "theirs/state/log.sqlite"],
    ["it is there and may only be read", "there/log.sqlite"]
  ])("is named when %s", ([what, path]) =>
    Effect.gen(function* () {
      const root = join(directory, what)
      const file = join(root, path)
      const there = join(root, "there", "log.sqlite")
      yield* append("run_a", 0, "cmd_1").pipe(Effect.provide(logAt(there)))
      writeFileSync(join(root, "plain"), "")
      mkdirSync(join(root, "theirs"))
      const readOnly = [there, dirname(there), join(root, "theirs")]
      for (const one of readOnly) chmodSync(one, 0o555)
      // the way there must be open to the other user
      chmodSync(directory, 0o755)
      const actor = start("./actor.ts", "append as nobody", file)
      assertSays(
        JSON.parse(yield* Effect.promise(() => actor.line((line) => line.startsWith("{")))),
        "log_unwritable",
        file
      )
      assert.deepStrictEqual(readdirSync(join(root, "theirs")), [])
      for (const one of readOnly) chmodSync(one, 0o755)
      yield* append("run_a", 1, "cmd_2").pipe(Effect.provide(logAt(there)))
      yield* assertIntact(yield* everything.pipe(Effect.provide(logAt(there)))).pipe(Effect.provide(nodeDigest))
    })
  )
})

/** Runs the log with its connection at hand. */
const withSession = <A, E>(
  file: string,
  use: (session: Session) => Effect.Effect<A, E, EventLog | WorkQueue | Locks | Digest>
): Effect.Effect<A, E | LogUnavailable> =>
  Effect.gen(function* () {
    const session = yield* openSession(file)
    const services = yield* makeServices(session, thisProcess())
    return yield* Effect.provide(use(session), services)
  }).pipe(Effect.scoped, Effect.provide(nodeDigest))

/** Appends until the disk is full; what was acknowledged. */
const fillUp = Effect.gen(function* () {
  const acknowledged: Array<string> = []
  for (;;) {
    const command = `cmd_${acknowledged.length}`
    const exit = yield* Effect.exit(append("run_a", acknowledged.length, command, 3_000))
    if (Exit.isSuccess(exit)) acknowledged.push(command)
    else return { acknowledged, refused: yield* Effect.flip(exit) as Effect.Effect<LogUnavailable> }
  }
})

const commands = Effect.map(everything, (events) => events.map(({ command_id }) => command_id))

describe("a full disk", () => {
  it.live("fails every request that waits, loses nothing and is forgotten once there is space", () =>
    withSession(join(directory, "full.sqlite"), ({ db, file }) =>
      Effect.gen(function* () {
        db.exec("pragma max_page_count = 60")
        const { acknowledged, refused } = yield* fillUp
        assertSays(refused, "log_disk_full", file)
        assert.isAbove(acknowledged.length, 10)
        // one of these alone would fit: what shares a commit fails together
        const waiting = yield* Effect.all(
          Array.from({ length: 300 }, (_, i) => Effect.exit(append(`run_${i}`, 0, "cmd_w", 3_000))),
          { concurrency: "unbounded" }
        )
        for (const exit of waiting) {
          assert.isTrue(Exit.isFailure(exit))
          assertSays(yield* Effect.flip(exit) as Effect.Effect<LogUnavailable>, "log_disk_full", file)
        }
        assert.deepStrictEqual(yield* commands, acknowledged)
        yield* assertIntact(yield* everything)

        db.exec("pragma max_page_count = 4294967294")
        yield* append("run_a", acknowledged.length, "cmd_after")
        assert.deepStrictEqual(yield* commands, [...acknowledged, "cmd_after"])
        yield* assertIntact(yield* everything)
      })
    )
  )

  it.live("dispatches and cancels nothing when the append does not fit", () =>
    withSession(join(directory, "full-work.sqlite"), ({ db }) =>
      Effect.gen(function* () {
        const log = yield* EventLog
        const queue = yield* WorkQueue
        yield* log.append("run_a", 0, [fact("cmd_1")], { dispatch: [workItem("kept")] })
        db.exec("pragma max_page_count = 40")
        const big = {
          dispatch: [workItem("small"), workItem("big", { input: "x".repeat(2_000_000) })],
          cancel: ["kept"]
        }
        assert.isTrue(Exit.isFailure(yield* Effect.exit(log.append("run_a", 1, [fact("cmd_2")], big))))
        db.exec("pragma max_page_count = 4294967294")
        yield* log.append("run_a", 1, [fact("cmd_3")], { dispatch: [workItem("later")] })
        const claims = yield* queue.take(2, []).pipe(Stream.take(2), Stream.runCollect)
        assert.deepStrictEqual(
          claims.map((claim) => claim.item.id),
          ["kept", "later"]
        )
      })
    )
  )

  it.live("keeps nothing for a process that wanted to give it up, once it can be written again", () =>
    withSession(join(directory, "held.sqlite"), ({ db }) =>
      Effect.gen(function* () {
        const locks = yield* Locks
        yield* Effect.scoped(
          Effect.andThen(
            locks.acquire("a", 0),
            Effect.sync(() => db.exec("pragma query_only = 1"))
          )
        )
        const refused = yield* Effect.flip(Effect.scoped(locks.acquire("a", 0)))
        assert.strictEqual(refused._tag, "LockHeld")
        db.exec("pragma query_only = 0")
        yield* Effect.scoped(locks.acquire("a", 30_000))
      })
    )
  )

  const mounted = mountSmall(join(directory, "small"))
  it.live.skipIf(mounted === null)("of the operating system is named, and the log goes on after it", () =>
    Effect.gen(function* () {
      const file = join(mounted ?? "", "log.sqlite")
      const padding = join(mounted ?? "", "padding")
      writeFileSync(padding, Buffer.alloc(512 * 1024))
      yield* Effect.gen(function* () {
        const { acknowledged, refused } = yield* fillUp
        assertSays(refused, "log_disk_full", file)
        assert.deepStrictEqual(yield* commands, acknowledged)
        // what SQLite calls an I/O error is the full disk here, and is not elsewhere
        const ioError = Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: 4874 })
        assertSays(toUnavailable(file, ioError), "log_disk_full", file)
        assertSays(toUnavailable(join(directory, "x.sqlite"), ioError), "log_failed", directory)
        rmSync(padding)
        yield* append("run_a", acknowledged.length, "cmd_after")
        yield* assertIntact(yield* everything)
      }).pipe(Effect.provide(logAt(file)))
      const events = yield* everything.pipe(Effect.provide(logAt(file)))
      assert.strictEqual(events.at(-1)?.command_id, "cmd_after")
    })
  )
})

/** A file system of 2 MiB; null where we may not mount one. */
function mountSmall(at: string): string | null {
  mkdirSync(at)
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", at], { stdio: "ignore" })
  } catch {
    return null
  }
  afterAll(() => void execFileSync("umount", ["-l", at]))
  return at
}

describe("a mistake in one request", () => {
  it.live("is a defect of that request and leaves those that share its commit alone", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      // the summary of a run cannot be kept without the items of its checklist
      const started = { ...fact("cmd_0", { kind: "tasks", name: "n", parent_run_id: null }), event_type: "RUN_STARTED" }
      yield* log.append("run_bad", 0, [started])
      const bad = { ...fact("cmd_1", {}), event_type: "CHECKLIST_REGISTERED" }
      const exits = yield* Effect.all(
        [append("run_a", 0, "cmd_1"), log.append("run_bad", 1, [fact("cmd_1"), bad]), append("run_b", 0, "cmd_1")].map(
          (effect) => Effect.exit(effect)
        ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
      const bads = exits[1] as Exit.Exit<unknown, unknown>
      assert.isTrue(Exit.isFailure(bads) && bads.cause.reasons.every(({ _tag }) => _tag === "Die"))
      const events = yield* everything
      assert.deepStrictEqual(
        events.map(({ stream }) => stream),
        ["run_bad", "run_a", "run_b"]
      )
      yield* assertIntact(events)
    }).pipe(Effect.provide(logAt(join(directory, "mistake.sqlite"))))
  )

  it.live("takes back everything when the work it dispatches cannot be stored", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      yield* append("run_a", 0, "cmd_1")
      const bad = workItem("x", { priority: Number.NaN })
      assert.isTrue(Exit.isFailure(yield* Effect.exit(log.append("run_a", 1, [fact("cmd_2")], { dispatch: [bad] }))))
      yield* append("run_a", 1, "cmd_3")
      const events = yield* everything
      assert.deepStrictEqual(
        events.map(({ command_id }) => command_id),
        ["cmd_1", "cmd_3"]
      )
      yield* assertIntact(events)
    }).pipe(Effect.provide(logAt(join(directory, "dispatch.sqlite"))))
  )

  it.live("an interrupted append that had not begun is not carried out", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const first = yield* Effect.forkChild(log.append("run_a", 0, [fact("cmd_1")]), { startImmediately: true })
      first.interruptUnsafe()
      yield* log.append("run_b", 0, [fact("cmd_2")])
      const streams = (yield* everything).map(({ stream }) => stream)
      assert.deepStrictEqual(streams, ["run_b"])
    }).pipe(Effect.provide(logAt(join(directory, "interrupted.sqlite"))))
  )
})

describe("a run that another process archives", () => {
  it.live("is no loss to those that know it, also when it was the end of the log", () => {
    const file = join(directory, "archived.sqlite")
    return Effect.gen(function* () {
      const log = yield* EventLog
      yield* append("run_a", 0, "cmd_1")
      yield* append("run_b", 0, "cmd_2")
      yield* append("run_b", 1, "cmd_3")
      const to = { kind: "archived", place: "run_b.gz", at: "2026-01-02T03:04:05.678Z" } as const
      yield* Effect.flatMap(EventLog, (other) => other.leave("run_b", 2, to)).pipe(
        Effect.provide(Layer.fresh(logAt(file)))
      )
      yield* log.check
      const gone = yield* Effect.flip(append("run_b", 2, "cmd_4"))
      assert.strictEqual(gone._tag === "LogUnavailable" && gone.code, "run_elsewhere")
      const { events } = yield* append("run_a", 1, "cmd_5")
      assert.deepStrictEqual(
        events.map(({ position }) => position),
        [4],
        "a position is never given twice"
      )
    }).pipe(Effect.provide(logAt(file)))
  })
})
