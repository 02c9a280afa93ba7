import { readFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "@effect/vitest"
import {
  driveRun,
  driverOf,
  EventLog,
  LockHeld,
  Locks,
  makeSummaries,
  Presence,
  type RunSummary,
  WorkQueue
} from "@proofline/kernel"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { type Holder, layer as sqliteLog } from "@proofline/plugins/adapters/sqlite-log"
import { remadeIn } from "@proofline/plugins/adapters/sqlite-log/remade"
import { runOverviews } from "@proofline/plugins/adapters/sqlite-log/summary"
import { Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { assert } from "vitest"
import { thisProcess } from "../../../packages/plugins/src/adapters/sqlite-log/holder.ts"
import { fact, logAt, workItem } from "./shared.ts"
import { scratch, start } from "./support.ts"

const directory = scratch()

const dispatch = (...ids: ReadonlyArray<string>) =>
  Effect.flatMap(EventLog, (log) => log.append("run_a", 0, [], { dispatch: ids.map((id) => workItem(id)) }))

const takeOne = Effect.flatMap(WorkQueue, (queue) => Stream.runHead(queue.take(1, [])))

describe("who drives a run", () => {
  it.live("is exactly one of several processes that try at once", () =>
    Effect.gen(function* () {
      const file = join(directory, "race.sqlite")
      const racers = Array.from({ length: 4 }, () => start("./actor.ts", "race to drive", file))
      yield* Effect.promise(() => Promise.all(racers.map((racer) => racer.line((line) => line === "ready"))))
      for (const racer of racers) racer.process.stdin?.write("go\n")
      const told = yield* Effect.promise(() =>
        Promise.all(racers.map((racer) => racer.line((line) => line !== "ready")))
      )
      const winner = racers[told.indexOf("won")]
      assert.deepStrictEqual(
        told.filter((line) => line !== "won"),
        Array(3).fill(`lost ${winner?.process.pid}`)
      )
      for (const racer of racers) racer.process.stdin?.end("done\n")
      yield* Effect.promise(() => Promise.all(racers.map(({ ended }) => ended)))
    })
  )

  // the test clock stands still: the claim is not lost for silence
  it.effect("is nobody once its process is dead, and its work is given out again at once", () =>
    Effect.gen(function* () {
      const file = join(directory, "dead.sqlite")
      yield* dispatch("x").pipe(Effect.provide(logAt(file)))
      const child = start("./actor.ts", "drive and claim", file)
      yield* Effect.promise(() => child.line((line) => line === "claimed 1"))
      yield* Effect.gen(function* () {
        assert.strictEqual((yield* driverOf("run_a"))?.pid, child.process.pid)
        yield* Effect.flip(Effect.scoped(driveRun("run_a")))
        child.process.kill("SIGKILL")
        yield* Effect.promise(() => child.ended)
        assert.strictEqual(yield* driverOf("run_a"), null)
        yield* Effect.scoped(driveRun("run_a"))
        const head = yield* takeOne
        assert.deepStrictEqual(head._tag === "Some" ? head.value.lease : null, { item: "x", number: 2 })
      }).pipe(Effect.provide(logAt(file)))
    })
  )

  it.live("is not taken for alive because another process has its number now", () =>
    Effect.gen(function* () {
      const file = join(directory, "number.sqlite")
      const gone = { pid: process.pid, host: hostname(), started: "1" }
      yield* Effect.gen(function* () {
        const scope = yield* Scope.make()
        const other = yield* Layer.buildWithScope(
          sqliteLog({ file, holder: gone }).pipe(Layer.provide(nodeDigest)),
          scope
        )
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* driveRun("run_a").pipe(Effect.provide(other))
            assert.strictEqual(yield* driverOf("run_a"), null)
          })
        )
        yield* Scope.close(scope, Exit.void)
      }).pipe(Effect.provide(logAt(file)))
    })
  )

  it.effect("on another host is believed for 15 s after its last heartbeat", () =>
    Effect.gen(function* () {
      const file = join(directory, "elsewhere.sqlite")
      const elsewhere = { pid: 1, host: "elsewhere.example", started: null }
      const scope = yield* Scope.make()
      const there = yield* Layer.buildWithScope(
        sqliteLog({ file, holder: elsewhere }).pipe(Layer.provide(nodeDigest)),
        scope
      )
      const here = yield* Layer.buildWithScope(logAt(file), scope)
      const current = driverOf("run_a").pipe(Effect.provide(here))
      yield* Scope.provide(driveRun("run_a").pipe(Effect.provide(there)), scope)
      yield* TestClock.adjust(14_999)
      assert.strictEqual((yield* current)?.host, "elsewhere.example")
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* current, null)
      yield* Scope.close(scope, Exit.void)
    })
  )
})

describe("the runs of a file", () => {
  it("are those of one moment, however many others begin meanwhile", async () => {
    const file = join(directory, "at-once.sqlite")
    const child = start("./actor.ts", "begin runs", file)
    for (let seen = 0; seen < 400; ) {
      const rows = runOverviews(file)
      assert.isAtLeast(rows.length, seen)
      seen = rows.length
      // lets the child be heard
      await new Promise(setImmediate)
      if (child.process.exitCode !== null && child.process.exitCode !== 0) assert.fail("the child broke")
    }
    assert.deepStrictEqual((await child.ended).code, 0)
  })
})

describe("a lock", () => {
  // the test clock stands still: it is not given up waiting for
  it.effect("goes to one that waits for it once the process that holds it is killed", () =>
    Effect.gen(function* () {
      const file = join(directory, "lock-dead.sqlite")
      const child = start("./actor.ts", "lock", file)
      yield* Effect.promise(() => child.line((line) => line === "locked"))
      yield* Effect.gen(function* () {
        const locks = yield* Locks
        const refused = yield* Effect.flip(Effect.scoped(locks.acquire("a", 0)))
        assert.deepStrictEqual(refused instanceof LockHeld ? refused.holder.pid : refused, child.process.pid)
        const waiting = yield* Effect.forkScoped(locks.acquire("a", 60_000))
        child.process.kill("SIGKILL")
        yield* Effect.promise(() => child.ended)
        yield* Fiber.join(waiting)
        yield* Effect.flip(Effect.scoped(locks.acquire("a", 0)))
      }).pipe(Effect.scoped, Effect.provide(logAt(file)))
    })
  )
})

describe("a log in which an older process was at work", () => {
  /** Of before locks and presences had tables of their own, with a row for each of `holds`. */
  const older = (name: string, holds: Readonly<Record<string, Holder>>): string => {
    const file = join(directory, name)
    const db = new DatabaseSync(file)
    db.exec(readFileSync(new URL("./log-0001.sql", import.meta.url), "utf8"))
    const insert = db.prepare("insert into run_driver values (?, ?, ?, ?, ?)")
    for (const [key, { host, pid, started }] of Object.entries(holds)) {
      insert.run(key, JSON.stringify({ pid, host, started }), since, Date.now(), "token")
    }
    const summary = db.prepare("insert into run_summary values (?, ?, ?)")
    summary.run("run_a", since, JSON.stringify({ run_id: "run_a", parent_run_id: null }))
    db.close()
    return file
  }
  const since = "2026-01-02T03:04:05.678Z"
  const living = thisProcess()
  const dead: Holder = { pid: 2 ** 22 + 1, host: hostname(), started: null }

  it.live("shows who drives before and after it is opened", () =>
    Effect.gen(function* () {
      const file = older("older-summary.sqlite", { run_a: living })
      const driver = { pid: process.pid, host: hostname(), since }
      assert.deepStrictEqual(runOverviews(file)[0]?.driver, driver)
      yield* Effect.void.pipe(Effect.provide(logAt(file)))
      assert.deepStrictEqual(runOverviews(file)[0]?.driver, driver)
      const db = new DatabaseSync(file, { readOnly: true })
      assert.isUndefined(db.prepare("select 1 from sqlite_schema where name = 'run_driver'").get())
      db.close()
    })
  )

  it.live("keeps what a living process holds, and nothing of a dead one", () =>
    Effect.gen(function* () {
      const file = older("older-holds.sqlite", {
        run_a: living,
        run_b: dead,
        "session:ses_a": living,
        "session:ses_b": dead,
        "input:tasks.yaml": living,
        sessions: dead
      })
      yield* Effect.gen(function* () {
        const [locks, presence] = [yield* Locks, yield* Presence]
        const isThere = (kind: "run" | "session", id: string) =>
          Effect.map(presence.of({ kind, id }), (driver) => driver?.since === since)
        const there = [isThere("run", "run_a"), isThere("run", "run_b")]
        const sessions = [isThere("session", "ses_a"), isThere("session", "ses_b")]
        assert.deepStrictEqual(yield* Effect.all([...there, ...sessions]), [true, false, true, false])
        const isFree = (name: string) => Effect.isSuccess(Effect.scoped(locks.acquire(name, 0)))
        assert.deepStrictEqual(yield* Effect.all([isFree("input:tasks.yaml"), isFree("sessions")]), [false, true])
      }).pipe(Effect.provide(logAt(file)))
    })
  )
})

describe("the summary of a run", () => {
  it.live("is what the kernel makes of the events, readable without us, newest run first", () =>
    Effect.gen(function* () {
      const file = join(directory, "summary.sqlite")
      const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`
      const started = (day: number) => ({
        ...fact("cmd_start", { kind: "tasks", name: `run ${day}`, parent_run_id: null }),
        event_type: "RUN_STARTED",
        timestamp: at(day)
      })
      const task = { ...fact("cmd_task", { task_id: "t" }), event_type: "TASK_REGISTERED" }
      const begun = { ...fact("cmd_begun", { task_id: "t" }), event_type: "ATTEMPT_STARTED" }
      const recorded = yield* Effect.gen(function* () {
        const log = yield* EventLog
        yield* log.append("run_1", 0, [started(1)])
        yield* log.append("run_2", 0, [started(2)])
        yield* log.append("run_1", 1, [task, { ...task, content: { task_id: "u" } }])
        return yield* Stream.runCollect(log.readAll())
      }).pipe(Effect.provide(logAt(file)))
      // another process goes on from what is stored
      yield* Effect.flatMap(EventLog, (log) => log.append("run_1", 3, [begun])).pipe(Effect.provide(logAt(file)))

      const db = new DatabaseSync(file, { readOnly: true })
      const rows = db.prepare("select summary from run_summary order by started_at desc").all() as Array<{
        summary: string
      }>
      db.close()
      const summaries: Array<RunSummary> = rows.map(({ summary }) => JSON.parse(summary))
      assert.deepStrictEqual(
        summaries.map(({ run_id }) => run_id),
        ["run_2", "run_1"]
      )
      const folded = recorded
        .filter(({ stream }) => stream === "run_1")
        .reduce<RunSummary | null>(makeSummaries([]).summarize, null)
      assert.deepStrictEqual(summaries[1], { ...folded, active: ["t"] } as RunSummary)
      assert.strictEqual(summaries[1]?.tasks_total, 2)

      // a file of an older Proofline that was not opened since
      const older = new DatabaseSync(file)
      older.exec("drop table command_left; drop table away")
      older.close()
      assert.deepStrictEqual(remadeIn(file, ["run_2", "run_1", "run_none"], []), summaries)
    })
  )
})
