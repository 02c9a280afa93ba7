import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { EventLog, type Recorded } from "@proofline/kernel"
import { databaseFaults } from "@proofline/plugins/adapters/sqlite-log/salvage"
import { runOverviews } from "@proofline/plugins/adapters/sqlite-log/summary"
import { Effect, Fiber, Layer, Queue, Stream } from "effect"
import { assert } from "vitest"
import { often } from "../../often.ts"
import { everything, fact, logAt } from "./shared.ts"
import { assertIntact, type Child, scratch, start } from "./support.ts"

const directory = scratch()

const isAck = (line: string): boolean => line.startsWith("ack ")

/** What each acknowledgement promised is in the log, and nothing else is. */
const assertAcknowledgedIsStored = (children: ReadonlyArray<Child>, events: ReadonlyArray<Recorded>): void => {
  const told = children.flatMap(({ lines }) => lines.filter(isAck)).toSorted()
  const stored = [...Map.groupBy(events, ({ command_id, stream }) => `${stream} ${command_id}`).values()]
    .map((written) => {
      assert.lengthOf(written, 2, "an append was torn")
      const last = written[1] as Recorded
      return `ack ${last.stream} ${last.version} ${last.command_id}`
    })
    .toSorted()
  assert.deepStrictEqual(stored, told)
}

/** What this process has locked of the files of a database, as the system tells. */
const locksOn = (file: string): ReadonlyArray<string> => {
  const files = ["", "-wal", "-shm"].flatMap((end) => statSync(`${file}${end}`, { throwIfNoEntry: false })?.ino ?? [])
  return readFileSync("/proc/locks", "utf8")
    .split("\n")
    .filter((line) => {
      const [, , , , pid, place] = line.split(/\s+/)
      return pid === `${process.pid}` && files.includes(Number(place?.split(":")[2]))
    })
    .map((line) => line.replace(/^\d+: /, ""))
    .toSorted()
}

describe("several processes on one file", () => {
  it.live("lose nothing, mix nothing and all get their turn", () =>
    Effect.gen(function* () {
      const file = join(directory, "four", "log.sqlite")
      const rounds = often(200)
      // all four make the file at once
      const children = ["a", "b", "c", "d"].map((name) => start("./writer.ts", file, name, `${rounds}`))
      yield* Effect.promise(() => Promise.all(children.map((child) => child.line((line) => line === "ready"))))
      for (const child of children) child.process.stdin?.write("go\n")
      const ends = yield* Effect.promise(() => Promise.all(children.map(({ ended }) => ended)))
      assert.deepStrictEqual(ends, Array(4).fill({ code: 0, signal: null }))

      const events = yield* everything.pipe(Effect.provide(logAt(file)))
      yield* assertIntact(events).pipe(Effect.provide(logAt(file)))
      assertAcknowledgedIsStored(children, events)
      assert.lengthOf(events, 4 * rounds * 2 * 2)
      const conflicts = children.map(({ lines }) => Number(lines.at(-1)?.split(" ")[1]))
      assert.isAbove(
        conflicts.reduce((sum, count) => sum + count, 0),
        0,
        "nobody met a conflict"
      )
    })
  )

  it.live.skipIf(!existsSync("/proc/locks"))(
    "keep their locks on the file while they look at it by other ways, for without them another process cuts off what they have mapped",
    () =>
      Effect.gen(function* () {
        const file = join(directory, "locks", "log.sqlite")
        yield* Effect.gen(function* () {
          const log = yield* EventLog
          yield* log.append("run_here", 0, [fact("cmd_here")])
          const before = locksOn(file)
          assert.isNotEmpty(before, "it holds none")
          runOverviews(file)
          assert.deepStrictEqual(locksOn(file), before, "after a look at the runs")
          yield* Effect.provide(everything, Layer.fresh(logAt(file)))
          assert.deepStrictEqual(locksOn(file), before, "after a second connection")
          databaseFaults(file)
          assert.deepStrictEqual(locksOn(file), before, "after a look for damage")
        }).pipe(Effect.provide(logAt(file)))
        assert.isEmpty(locksOn(file))
      })
  )

  it.live("are signalled what others append, and not what they append themselves", () =>
    Effect.gen(function* () {
      const file = join(directory, "signals", "log.sqlite")
      const listener = Effect.gen(function* () {
        const here = yield* EventLog
        const signals = yield* Queue.unbounded<void>()
        yield* here.othersAppended.pipe(
          Stream.runForEach(() => Queue.offer(signals, undefined)),
          Effect.forkScoped
        )
        // one comes at once
        yield* Queue.take(signals)
        yield* here.append("run_here", 0, [fact("cmd_here")])
        const there = Effect.flatMap(EventLog, (log) => log.append("run_there", 0, [fact("cmd_there")]))
        yield* there.pipe(Effect.provide(Layer.fresh(logAt(file))))
        yield* Queue.take(signals)
        const seen = yield* Stream.runCollect(here.read("run_there"))
        assert.lengthOf(seen, 1, "it came for the append of this process")
      })
      yield* listener.pipe(Effect.scoped, Effect.provide(logAt(file)))
    })
  )

  it.live("see each other's appends while they follow", () =>
    Effect.gen(function* () {
      const file = join(directory, "follow", "log.sqlite")
      const follower = Effect.gen(function* () {
        const here = yield* EventLog
        const child = start("./writer.ts", file, "other", "20")
        const positions = yield* here.follow().pipe(
          Stream.take(80),
          Stream.map(({ position }) => position),
          Stream.runCollect,
          Effect.forkScoped
        )
        yield* Effect.promise(() => child.line((line) => line === "ready"))
        child.process.stdin?.write("go\n")
        assert.deepStrictEqual(
          yield* Fiber.join(positions),
          Array.from({ length: 80 }, (_, i) => i + 1)
        )
        yield* Effect.promise(() => child.ended)
      })
      yield* follower.pipe(Effect.scoped, Effect.provide(logAt(file)))
    })
  )
})

describe("a process that is killed while it appends", () => {
  it.live("has lost nothing that was acknowledged, and the log goes on", () =>
    Effect.gen(function* () {
      const file = join(directory, "killed", "log.sqlite")
      const children: Array<Child> = []
      for (const name of ["a", "b", "c"]) {
        const child = start("./writer.ts", file, name, "1000000")
        children.push(child)
        yield* Effect.promise(() => child.line((line) => line === "ready"))
        child.process.stdin?.write("go\n")
        yield* Effect.promise(() => child.line((line) => line.endsWith(`_own_${children.length * 20}`)))
        child.process.kill("SIGKILL")
        assert.strictEqual((yield* Effect.promise(() => child.ended)).signal, "SIGKILL")
      }
      yield* Effect.gen(function* () {
        const events = yield* everything
        yield* assertIntact(events)
        const stored = new Set(
          events.map(({ stream, version, command_id }) => `ack ${stream} ${version} ${command_id}`)
        )
        const acknowledged = children.flatMap(({ lines }) => lines.filter(isAck))
        assert.deepStrictEqual(
          acknowledged.filter((ack) => !stored.has(ack)),
          []
        )
        // each had at most one append under way when it was killed, and that one is there whole or not at all
        const unasked = events.length / 2 - acknowledged.length
        assert.isTrue(Number.isInteger(unasked) && unasked >= 0 && unasked <= children.length, `${unasked} unasked`)
        const log = yield* EventLog
        const shared = events.filter(({ stream }) => stream === "run_shared").length
        yield* log.append("run_shared", shared, [fact("cmd_after")])
        yield* assertIntact(yield* everything)
      }).pipe(Effect.provide(logAt(file)))
    })
  )
})
