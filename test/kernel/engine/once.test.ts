import { assert, describe } from "@effect/vitest"
import { definePlugin, NoFields, plugin } from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { Effect, Fiber, Stream } from "effect"
import { effect } from "../../effects.ts"
import { activityFailed, cancel, end, resume, start, verified } from "../support/words.ts"
import { all, aroundAppend, newLog, newProcess, readRun, workerOptions, works } from "../support/world.ts"

const run = aRun([aTask("a"), aTask("b", { depends_on: ["a"] })])

describe("the same command id twice", () => {
  const options = (commandId: string) => ({ commandId })

  effect("is answered with what was written then, and writes nothing", function* () {
    const log = yield* newLog
    const { engine } = yield* newProcess(log, works)
    const first = yield* engine.execute("run_1", run, options("c1"))
    assert.isFalse(first.repeated)
    const again = yield* engine.execute("run_1", run, options("c1"))
    assert.isTrue(again.repeated)
    assert.deepStrictEqual(again.events, first.events)
    assert.deepStrictEqual(yield* readRun(log), [...first.events])
  })

  effect("is answered so also after the run has moved on, whatever would be decided now", function* () {
    const log = yield* newLog
    const { engine } = yield* newProcess(log, works)
    const commands = [
      ["c1", run],
      ["c2", start("a")],
      // would be accepted a second time
      ["c3", { ...activityFailed("a"), input: null }],
      ["c4", end("a")],
      ["c5", verified("a")],
      ["c6", start("b")],
      ["c7", cancel()],
      ["c8", resume()],
      ["c9", cancel()]
    ] as const
    const first = []
    for (const [id, command] of commands) first.push(yield* engine.execute("run_1", command, options(id)))
    const before = yield* readRun(log)
    const elsewhere = yield* newProcess(log, works, "other")
    for (const process of [engine, elsewhere.engine]) {
      for (const [i, [id, command]] of commands.entries()) {
        const again = yield* process.execute("run_1", command, options(id))
        assert.isTrue(again.repeated, id)
        assert.deepStrictEqual(again.events, first[i]?.events, id)
        assert.strictEqual(again.snapshot.version, before.length)
      }
    }
    assert.deepStrictEqual(yield* readRun(log), before)
  })

  effect("is answered so also when today nothing would follow from the command", function* () {
    const log = yield* newLog
    const { engine } = yield* newProcess(log, [...works, remembering])
    const first = yield* engine.execute("run_1", remember, options("c1"))
    assert.strictEqual(first.events.length, 1)
    const again = yield* engine.execute("run_1", remember, options("c1"))
    assert.isTrue(again.repeated)
    assert.deepStrictEqual(again.events, first.events)
    const other = yield* engine.execute("run_1", remember, options("c2"))
    assert.deepStrictEqual([other.repeated, other.events.length], [false, 0])
  })

  effect("of a command that was refused is decided again: nothing had been recorded", function* () {
    const log = yield* newLog
    const { engine } = yield* newProcess(log, works)
    yield* engine.execute("run_1", run)
    const refused = yield* Effect.flip(engine.execute("run_1", end("a"), options("c2")))
    assert.strictEqual(refused._tag, "Rejection")
    yield* engine.execute("run_1", start("a"))
    const { repeated } = yield* engine.execute("run_1", end("a"), options("c2"))
    assert.isFalse(repeated)
  })

  effect("in another run is another command", function* () {
    const log = yield* newLog
    const { engine } = yield* newProcess(log, works)
    yield* engine.execute("run_1", run, options("c1"))
    const { repeated } = yield* engine.execute("run_2", { ...run, run_id: "run_2" }, options("c1"))
    assert.isFalse(repeated)
  })
})

const Remembering = plugin("remembering", { state: false })
const Remembered = Remembering.event("REMEMBERED", {
  schema: NoFields,
  visibility: "full",
  evolve: () => true,
  sentence: () => "It is remembered."
})
const Remember = Remembering.command("remembering.Do", {
  schema: NoFields,
  decide: (_, { remembering }) => (remembering ? [] : [Remembered({})]),
  recall: { from: [Remembered], args: () => ({}) }
})
const remember = Remember({})
/** Says something once, and afterwards nothing. */
const remembering = definePlugin(Remembering, { version: "1", events: [Remembered], commands: [Remember] })

describe("the engine", () => {
  effect("writes nothing when a command is refused", function* () {
    const log = yield* newLog
    const { engine } = yield* newProcess(log, works)
    yield* engine.execute("run_1", run)
    const before = yield* readRun(log)
    yield* Effect.flip(engine.execute("run_1", start("b")))
    assert.deepStrictEqual(yield* readRun(log), before)
  })

  effect("decides again on what is new when somebody else got ahead", function* () {
    const log = yield* newLog
    const other = yield* newProcess(log, works, "other")
    let interfered = false
    const { engine } = yield* newProcess(
      aroundAppend(log, (append) =>
        Effect.gen(function* () {
          if (!interfered) {
            interfered = true
            yield* Effect.orDie(other.engine.execute("run_1", start("a")))
          }
          return yield* append
        })
      ),
      works
    )
    yield* other.engine.execute("run_1", run)
    yield* engine.load("run_1")
    const refused = yield* Effect.flip(engine.execute("run_1", start("a")))
    assert.strictEqual(refused._tag, "Rejection")
    assert.strictEqual(all(yield* readRun(log), "ATTEMPT_STARTED").length, 1)
    const { snapshot } = yield* engine.execute("run_1", end("a"))
    assert.strictEqual(snapshot.version, (yield* readRun(log)).length)
  })

  effect("says that a log is too new for it, instead of guessing", function* () {
    const log = yield* newLog
    const newer = yield* newProcess(log, [...works, remembering], "newer")
    yield* newer.engine.execute("run_1", remember)
    const { engine } = yield* newProcess(log, works)
    const error = yield* Effect.flip(engine.load("run_1"))
    assert.strictEqual(error.code, "log_newer")
    assert.include(error.message, "REMEMBERED")
  })

  effect("tells of every change once, in order", function* () {
    const log = yield* newLog
    const { engine, runner } = yield* newProcess(log, works)
    const listening = yield* Effect.forkChild(
      engine.changes.pipe(
        Stream.takeUntil(({ event }) => event.event_type === "RUN_COMPLETED"),
        Stream.map(({ event }) => event),
        Stream.runCollect
      ),
      { startImmediately: true }
    )
    yield* runner.drive("run_1", aRun([aTask("a"), aTask("b")]), workerOptions())
    assert.deepStrictEqual(yield* Fiber.join(listening), [...(yield* readRun(log))])
  })

  effect("gives the causes of events on to the log", function* () {
    const log = yield* newLog
    const { engine } = yield* newProcess(log, works)
    yield* engine.execute("run_1", run, { commandId: "c1", causationId: "c0" })
    for (const event of yield* readRun(log)) {
      assert.deepInclude(event, { command_id: "c1", causation_id: "c0", correlation_id: "run_1", stream: "run_1" })
    }
  })
})
