import { execFileSync } from "node:child_process"
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "@effect/vitest"
import { type Digest, EventLog, type LogUnavailable, WorkQueue } from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { Effect, Exit, Stream } from "effect"
import { afterAll, assert } from "vitest"
import { toUnavailable } from "../../../packages/plugins/src/adapters/sqlite-log/failure.ts"
import { thisProcess } from "../../../packages/plugins/src/adapters/sqlite-log/holder.ts"
import { makeServices } from "../../../packages/plugins/src/adapters/sqlite-log/services.ts"
import { openSession, type Session } from "../../../packages/plugins/src/adapters/sqlite-log/session.ts"
import { everything, fact, logAt } from "./shared.ts"
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

describe("a file that is no log", () => {
  it.live("is left alone when it is no database", () =>
    Effect.gen(function* () {
      const file = join(directory, "text.sqlite")
      writeFileSync(file, "this is a text, and long enough to be taken for the header of something".repeat(20))
      assertSays(yield* refusal(file), "log_corrupt", file)
      assert.deepStrictEqual(
        readdirSync(directory).filter((name) => name.startsWith("text")),
        ["text.sqlite"]
      )
    })
  )

  it.live("is left alone when it is the database of another program", () =>
    Effect.gen(function* () {
      const file = join(directory, "foreign.sqlite")
      const db = new DatabaseSync(file)
      db.exec("create table theirs (a); insert into theirs values (1)")
      db.close()
      const before = statSync(file)
      assertSays(yield* refusal(file), "log_corrupt", file)
      assert.strictEqual(statSync(file).mtimeMs, before.mtimeMs)
    })
  )

  it.live("is left alone when a newer Proofline wrote it", () =>
    Effect.gen(function* () {
      const file = join(directory, "newer.sqlite")
      yield* append("run_a", 0, "cmd_1").pipe(Effect.provide(logAt(file)))
      const db = new DatabaseSync(file)
      db.exec("insert into schema_migration values ('9999_future', '2030-01-01T00:00:00.000Z')")
      db.close()
      const refused = yield* refusal(file)
      assertSays(refused, "log_newer", file)
      assert.include(refused.message, "9999_future")
    })
  )

  it.live("is called damaged when its pages are overwritten", () =>
    Effect.gen(function* () {
      const file = join(directory, "damaged.sqlite")
      for (let i = 0; i < 50; i++) yield* append(`run_${i}`, 0, "cmd_1", 2_000).pipe(Effect.provide(logAt(file)))
      const rubbish = Buffer.alloc(statSync(file).size - 8_192, 0x5a)
      const handle = openSync(file, "r+")
      writeSync(handle, rubbish, 0, rubbish.length, 8_192)
      closeSync(handle)
      assertSays(yield* refusal(file), "log_corrupt", file)
    })
  )

  it.live("names the event whose content was made unreadable", () =>
    Effect.gen(function* () {
      const file = join(directory, "content.sqlite")
      yield* append("run_a", 0, "cmd_1").pipe(Effect.provide(logAt(file)))
      const db = new DatabaseSync(file)
      db.exec("update event set content = '{'")
      db.close()
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

describe("a place that cannot be written", () => {
  it.live("is named when the directory is a file", () =>
    Effect.gen(function* () {
      writeFileSync(join(directory, "plain"), "")
      const file = join(directory, "plain", "log.sqlite")
      assertSays(yield* refusal(file), "log_unwritable", file)
    })
  )

  for (const [what, inside] of [
    ["the log is new", "log.sqlite"],
    ["its directory is new", "state/log.sqlite"]
  ] as const) {
    it.live(`is named when the directory is not ours and ${what}`, () =>
      Effect.gen(function* () {
        const place = join(directory, `readonly-${inside.length}`)
        mkdirSync(place)
        chmodSync(place, 0o555)
        // the way there must be open to the other user
        chmodSync(directory, 0o755)
        const file = join(place, inside)
        const refused = yield* Effect.promise(() => start("./opener.ts", file).line((line) => line.startsWith("{")))
        assertSays(JSON.parse(refused), "log_unwritable", file)
        assert.deepStrictEqual(readdirSync(place), [])
      })
    )
  }

  it.live("is named when the log is there but may only be read", () =>
    Effect.gen(function* () {
      const file = join(directory, "readonly-file", "log.sqlite")
      yield* append("run_a", 0, "cmd_1").pipe(Effect.provide(logAt(file)))
      chmodSync(file, 0o444)
      chmodSync(dirname(file), 0o555)
      const refused = yield* Effect.promise(() => start("./opener.ts", file).line((line) => line.startsWith("{")))
      assertSays(JSON.parse(refused), "log_unwritable", file)
      chmodSync(dirname(file), 0o755)
      chmodSync(file, 0o644)
      yield* append("run_a", 1, "cmd_2").pipe(Effect.provide(logAt(file)))
      yield* assertIntact(yield* everything.pipe(Effect.provide(logAt(file)))).pipe(Effect.provide(nodeDigest))
    })
  )
})

/** Runs the log with its connection at hand. */
const withSession = <A, E>(
  file: string,
  use: (session: Session) => Effect.Effect<A, E, EventLog | WorkQueue | Digest>
): Effect.Effect<A, E | LogUnavailable> =>
  Effect.gen(function* () {
    const session = yield* openSession(file)
    const services = yield* makeServices(session, thisProcess())
    return yield* Effect.provide(use(session), services)
  }).pipe(Effect.scoped, Effect.provide(nodeDigest))

const workItem = (id: string, padding = 0) => ({
  id,
  run: "run_a",
  key: id,
  kind: "attempt" as const,
  activity: "attempt",
  task_id: null,
  is_subtask: false,
  input: "x".repeat(padding),
  labels: [],
  priority: 0,
  not_before: 0
})

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
        const big = { dispatch: [workItem("small"), workItem("big", 2_000_000)], cancel: ["kept"] }
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
      const bad = { ...workItem("x"), priority: Number.NaN }
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
