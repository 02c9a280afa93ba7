import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { describe, it } from "@effect/vitest"
import { type Claim, claimSilenceMs, EventLog, type WorkItem, WorkQueue } from "@proofline/kernel"
import { Effect, Fiber, Queue, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { assert } from "vitest"
import { openSession } from "../../../packages/plugins/src/adapters/sqlite-log/session.ts"
import { often } from "../../often.ts"
import { everything, fact, workItem as item, logAt } from "./shared.ts"
import { assertIntact, scratch } from "./support.ts"

const directory = scratch()
let files = 0
const newFile = (): string => join(directory, `${++files}.sqlite`)

const dispatch = (items: ReadonlyArray<WorkItem>) =>
  Effect.flatMap(EventLog, (log) => log.append("run_a", 0, [], { dispatch: items }))

/** The next `n` claims of a consumer that leaves after them. */
const take = (n: number, ...labels: ReadonlyArray<string>) =>
  Effect.flatMap(WorkQueue, (queue) => queue.take(n, labels).pipe(Stream.take(n), Stream.runCollect))

const ids = (claims: ReadonlyArray<Claim>): ReadonlyArray<string> => claims.map((claim) => claim.item.id)

describe("given a log that the first migration made, with work in every state", () => {
  /** At 100 s: `claimed` was claimed then, `delayed` is due at 105 s, `other` needs a label of its own. */
  const older = (): string => {
    const file = newFile()
    const db = new DatabaseSync(file)
    db.exec(readFileSync(new URL("./log-0001.sql", import.meta.url), "utf8"))
    db.close()
    return file
  }
  const claimedAt = 100_000

  it.effect("when it is opened then what was queued is handed out in its order, and nothing else", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(claimedAt)
      assert.deepStrictEqual(ids(yield* take(4, "run:run_a")), ["first", "any", "last", "next"])
      yield* TestClock.setTime(105_000)
      assert.deepStrictEqual(ids(yield* take(1, "run:run_a")), ["delayed"])
      assert.deepStrictEqual(ids(yield* take(1, "run:run_b")), ["other"])
    }).pipe(Effect.provide(logAt(older())))
  )

  it.effect("when its claim is not kept then it is lost as long after its last sign as before", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(claimedAt + claimSilenceMs)
      assert.deepStrictEqual(ids(yield* take(1, "run:run_a")), ["delayed"])
      yield* TestClock.setTime(claimedAt + claimSilenceMs + 1)
      const [again] = yield* take(1, "run:run_a")
      assert.deepStrictEqual(again?.lease, { item: "claimed", number: 2 })
    }).pipe(Effect.provide(logAt(older())))
  )

  it.effect("when its claim is kept then it is still held, and may report", () =>
    Effect.gen(function* () {
      const [log, queue] = [yield* EventLog, yield* WorkQueue]
      yield* TestClock.setTime(claimedAt + claimSilenceMs)
      const claim = { item: item("claimed"), lease: { item: "claimed", number: 1 } }
      assert.deepStrictEqual(yield* queue.keep([claim]), [])
      yield* TestClock.setTime(claimedAt + claimSilenceMs + 1)
      assert.deepStrictEqual(ids(yield* take(1, "run:run_a")), ["delayed"])
      yield* log.append("run_a", 2, [fact("cmd_3")], { lease: claim.lease })
      yield* assertIntact(yield* everything)
    }).pipe(Effect.provide(logAt(older())))
  )

  it.effect("when work of it is dispatched again then it is known", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      yield* TestClock.setTime(claimedAt)
      const known = ["settled", "cancelled", "claimed", "first"].map((id) => item(id, { priority: 9 }))
      yield* log.append("run_a", 2, [], { dispatch: [...known, item("new", { priority: 3 })] })
      assert.deepStrictEqual(ids(yield* take(2, "run:run_a")), ["new", "first"])
    }).pipe(Effect.provide(logAt(older())))
  )
})

describe("given the statements of the queue", () => {
  /** How SQLite answers them; in brackets what it searches by. Without brackets it reads the first entry only. */
  const plans = {
    labelSet: "SEARCH label_set USING INDEX sqlite_autoindex_label_set_1 (labels=?)",
    labelSetsAfter: "SEARCH label_set USING INTEGER PRIMARY KEY (rowid>?)",
    nextHolder: "SEARCH work_item USING INDEX work_item_held (holder>?)",
    slotsUsed: "SEARCH work_item USING INDEX work_item_held (holder=? AND taker=? AND free_at>?)",
    nextDue: "SEARCH work_item USING INDEX work_item_due",
    best: "SEARCH work_item USING INDEX work_item_free (label_set=?)",
    free: "SEARCH work_item USING INDEX work_item_due (free_at<?)",
    freeFrom: "SEARCH work_item USING INDEX work_item_held (holder=?)",
    item: "SEARCH work_item USING INTEGER PRIMARY KEY (rowid=?)",
    claim: "SEARCH work_item USING INTEGER PRIMARY KEY (rowid=?)",
    lease: "SEARCH work_item USING INDEX sqlite_autoindex_work_item_1 (id=?)",
    keep: "SEARCH work_item USING INDEX sqlite_autoindex_work_item_1 (id=?)",
    settle: "SEARCH work_item USING INDEX sqlite_autoindex_work_item_1 (id=?)",
    decline: "SEARCH work_item USING INDEX sqlite_autoindex_work_item_1 (id=?)",
    cancel: "SEARCH work_item USING INDEX sqlite_autoindex_work_item_1 (id=?)"
  } as const

  it.live("when SQLite plans them then each is one search of an index, without a scan or a sort", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { db, statements } = yield* openSession(newFile())
        const found = Object.keys(plans).map((name) => {
          const { sourceSQL } = statements[name as keyof typeof plans] as unknown as StatementSync
          const steps = db.prepare(`explain query plan ${sourceSQL}`).all()
          return [name, steps.map(({ detail }) => `${detail}`.replace("COVERING ", "")).join("; ")]
        })
        assert.deepStrictEqual(Object.fromEntries(found), plans)
      })
    )
  )
})

describe("given work that needs several labels, some of it due later", () => {
  const labels = ["a", "b", "c"]
  const Work = Schema.Struct({
    labels: Schema.Array(Schema.Literals(labels)),
    priority: Schema.Literals([-1, 0, 0.5, 2]),
    not_before: Schema.Literals([0, 500, 1_000, 1_001])
  })

  it.effect.prop(
    "when it is taken then all that is due and offered comes by priority, then in the order of dispatch",
    [Schema.Array(Work), Schema.Array(Schema.Literals(labels))],
    ([works, offered]) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(1_000)
        const items = works.map((work, i) => item(`${i}`, work))
        const wanted = items
          .filter((one) => one.not_before <= 1_000 && one.labels.every((label) => offered.includes(label)))
          .toSorted((one, other) => other.priority - one.priority)
        yield* dispatch([...items, item("last", { priority: -2 })])
        const claims = yield* take(wanted.length + 1, ...offered)
        assert.deepStrictEqual(ids(claims), [...wanted.map(({ id }) => id), "last"])
      }).pipe(Effect.provide(logAt(newFile())), Effect.provide(TestClock.layer())),
    { arbitrary: { runs: often(60) } }
  )
})

describe("given a claim that went silent", () => {
  it.effect("when somebody looked who could not take it then its holder may still keep it", () =>
    Effect.gen(function* () {
      const queue = yield* WorkQueue
      yield* dispatch([item("x", { labels: ["a"], priority: 1 }), item("y")])
      const [x] = yield* take(1, "a")
      yield* TestClock.adjust(claimSilenceMs + 1)
      assert.deepStrictEqual(ids(yield* take(1)), ["y"])
      assert.deepStrictEqual(yield* queue.keep(x === undefined ? [] : [x]), [])
      yield* dispatch([item("z")])
      assert.deepStrictEqual(ids(yield* take(1, "a")), ["z"])
      yield* TestClock.adjust(claimSilenceMs + 1)
      const [again] = yield* take(1, "a")
      assert.deepStrictEqual(again?.lease, { item: "x", number: 2 })
    }).pipe(Effect.provide(logAt(newFile())))
  )

  it.effect("when somebody looked who could not take it then it may still report and be settled", () =>
    Effect.gen(function* () {
      const [log, queue] = [yield* EventLog, yield* WorkQueue]
      yield* dispatch([item("x", { labels: ["a"], priority: 1 }), item("y"), item("z", { labels: ["a"] })])
      const [x] = yield* take(1, "a")
      yield* TestClock.adjust(claimSilenceMs + 1)
      yield* take(1)
      if (x === undefined) assert.fail("nothing was claimed")
      yield* log.append("run_a", 0, [fact("cmd_1")], { lease: x.lease })
      yield* queue.settle(x)
      assert.deepStrictEqual(ids(yield* take(1, "a")), ["z"])
    }).pipe(Effect.provide(logAt(newFile())))
  )
})

describe("given a consumer that waits for work", () => {
  /** Transactions in the write-ahead log: frames that say how large the database is after them. */
  const commits = (file: string): number => {
    const wal = readFileSync(`${file}-wal`)
    const frame = 24 + wal.readUInt32BE(8)
    let count = 0
    for (let at = 32; at < wal.length; at += frame) if (wal.readUInt32BE(at + 4) !== 0) count++
    return count
  }
  /** Takes into a queue, with so many slots, and waits for the next claim of it. */
  const consumer = Effect.fnUntraced(function* (slots: number) {
    const queue = yield* WorkQueue
    const claims = yield* Queue.unbounded<Claim>()
    const taking = yield* Effect.forkChild(
      Stream.runForEach(queue.take(slots, []), (claim) => Queue.offer(claims, claim))
    )
    return { next: Queue.take(claims), taking }
  })

  it.effect("when a report settles its work then one transaction writes that and claims what comes next", () => {
    const file = newFile()
    return Effect.gen(function* () {
      const log = yield* EventLog
      yield* dispatch([item("x"), item("y")])
      const { next, taking } = yield* consumer(1)
      const x = yield* next
      // its consumer waits for a slot
      yield* TestClock.adjust(1)
      const before = commits(file)
      yield* log.append("run_a", 0, [fact("cmd_1")], { lease: x.lease, settles: true })
      const y = yield* next
      assert.strictEqual(y.item.id, "y")
      assert.strictEqual(commits(file), before + 1)
      yield* log.append("run_a", 1, [], { lease: y.lease, dispatch: [item("z")], settles: true })
      assert.strictEqual((yield* next).item.id, "z")
      assert.strictEqual(commits(file), before + 2)
      yield* Fiber.interrupt(taking)
    }).pipe(Effect.provide(logAt(file)))
  })

  it.effect(
    "when it has slots for all that is there then one transaction claims that, and what it never saw is free",
    () => {
      const file = newFile()
      return Effect.gen(function* () {
        const log = yield* EventLog
        const queue = yield* WorkQueue
        yield* dispatch([item("x"), item("y"), item("z")])
        const before = commits(file)
        const [x] = yield* queue.take(3, []).pipe(Stream.take(1), Stream.runCollect)
        assert.strictEqual(x?.item.id, "x")
        const others = yield* take(2)
        assert.deepStrictEqual(
          others.map(({ lease }) => lease),
          [
            { item: "y", number: 2 },
            { item: "z", number: 2 }
          ]
        )
        // one to claim them, one to give two back, one to claim those; the last two may be one
        assert.isAtMost(commits(file), before + 3)
        yield* log.append("run_a", 0, [fact("cmd_1")], { lease: { item: "x", number: 1 } })
      }).pipe(Effect.provide(logAt(file)))
    }
  )
})
