import { assert, describe } from "@effect/vitest"
import { CancelRun, Conflict, EventLog, type RunHead, RunHeads } from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { Context, Deferred, Effect, Fiber, Option, Stream } from "effect"
import { effect, live } from "../../effects.ts"
import { newLog, newProcess, readRun, workerOptions, works } from "../support/world.ts"

const script = works

describe("given a log that ends before what was read of it", () => {
  effect("then a command fails at once with log_lost, instead of being decided again and again", function* () {
    const log = yield* newLog
    let appends = 0
    const inner = Context.get(log, EventLog)
    const shrunk = Context.add(log, EventLog, {
      ...inner,
      append: (stream, expected) =>
        Effect.suspend(() => {
          appends++
          return Effect.fail(new Conflict({ stream, expected, actual: expected - 1 }))
        })
    })
    const first = yield* newProcess(log, script)
    yield* first.engine.execute("run_1", aRun([aTask("a")]))
    const { engine } = yield* newProcess(shrunk, script)
    const failed = yield* Effect.flip(engine.execute("run_1", CancelRun({ reason: "user" })))
    assert.strictEqual(failed._tag === "LogUnavailable" && failed.code, "log_lost")
    assert.strictEqual(appends, 1)
  })
})

describe("given a place for the heads of runs", () => {
  /** What was kept, and how many events the log had then. */
  const keeping = Effect.gen(function* () {
    const log = yield* newLog
    const kept: Array<RunHead> = []
    const heads = {
      keep: (head: RunHead) => Effect.sync(() => void kept.push(head)),
      of: () => Effect.succeed(null),
      all: Effect.succeed([])
    }
    return { log, kept, process: Effect.provideService(newProcess(log, script), RunHeads, heads) }
  })

  effect("when a run ends then its head is kept, and no other", function* () {
    const { kept, log, process } = yield* keeping
    const { runner } = yield* process
    const state = yield* runner.drive("run_1", aRun([aTask("a"), aTask("b")]), workerOptions())
    assert.strictEqual(state.run.status, "completed")
    const last = (yield* readRun(log)).at(-1)
    assert.deepStrictEqual(kept, [{ run_id: "run_1", version: last?.version ?? 0, hash: last?.hash ?? "" }])
  })

  effect("when a run is cancelled then its head is kept", function* () {
    const { kept, log, process } = yield* keeping
    const { engine } = yield* process
    yield* engine.execute("run_1", aRun([aTask("a")]))
    assert.deepStrictEqual(kept, [])
    yield* engine.execute("run_1", CancelRun({ reason: "user" }))
    const [head] = kept
    const last = (yield* readRun(log)).at(-1)
    assert.strictEqual(head?.hash, last?.hash)
  })

  live(
    "when whoever ended the run is interrupted while its head is kept then the end is told nevertheless",
    function* () {
      const log = yield* newLog
      const keeps = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const heads = {
        keep: () => Effect.andThen(Deferred.succeed(keeps, undefined), Deferred.await(goOn)),
        of: () => Effect.succeed(null),
        all: Effect.succeed([])
      }
      const { engine } = yield* Effect.provideService(newProcess(log, script), RunHeads, heads)
      yield* engine.execute("run_1", aRun([aTask("a")]))
      const cancelled = Stream.filter(engine.changes, ({ event }) => event.event_type === "RUN_CANCELLED")
      const told = yield* Effect.forkChild(Stream.runHead(cancelled), { startImmediately: true })
      const ending = yield* Effect.forkChild(engine.execute("run_1", CancelRun({ reason: "user" })))
      yield* Deferred.await(keeps)
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(ending), { startImmediately: true })
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(interrupting)
      assert.isTrue(Option.isSome(yield* Effect.timeoutOption(Fiber.join(told), "1 second")))
    }
  )
})
