import { assert, describe, it } from "@effect/vitest"
import { type EventCandidate, EventLog } from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { Context, Effect, Stream } from "effect"
import { type Log, newLog, newProcess, works } from "../../kernel/support/world.ts"
import { aWatcher } from "./watcher.ts"

const candidate = (key: number): EventCandidate => ({
  event_type: "ACTIVITY_STARTED",
  schema_version: 1,
  timestamp: "2026-01-02T12:00:00.000Z",
  visibility: "full",
  content: { name: "x", key: `${key}`, input_sha256: "x".repeat(200) },
  command_id: "many",
  causation_id: null,
  correlation_id: "run_1"
})

/** A log of which it is counted how many events of runs are read. */
const counting = (log: Log) => {
  const events = Context.get(log, EventLog)
  let count = 0
  const read: (typeof events)["read"] = (run, from) =>
    Stream.tap(events.read(run, from), () => Effect.sync(() => count++))
  return { log: Context.add(log, EventLog, { ...events, read }), readSoFar: () => count }
}

const aLongLog = Effect.fnUntraced(function* (length: number) {
  const log = yield* newLog
  const { engine } = yield* newProcess(log, works)
  yield* Effect.orDie(engine.execute("run_1", aRun([aTask("a")])))
  const { version } = yield* Effect.orDie(engine.load("run_1"))
  const more = Array.from({ length: length - version }, (_, key) => candidate(key))
  yield* Effect.orDie(Context.get(log, EventLog).append("run_1", version, more))
  return log
})

describe("given a run of 5,000 events, a page of them", () => {
  it.effect.each([undefined, 1, 2_500, 5_000])("is read without reading all of them (from %s)", (from) =>
    Effect.gen(function* () {
      const { log, readSoFar } = counting(yield* aLongLog(5_000))
      const watcher = yield* aWatcher(log)
      const { body, ok } = yield* watcher.ask("get_events", from === undefined ? {} : { from })
      assert.isTrue(ok, JSON.stringify(body))
      assert.deepInclude(body, { events_total: 5_000 })
      assert.isAbove((body["events"] as ReadonlyArray<unknown>).length, 0)
      assert.isBelow(readSoFar(), 1_000)
    })
  )

  it.effect.each([1, 49, 50, 51, 100, 101, 777])("names how many events there are (%i)", (length) =>
    Effect.gen(function* () {
      const watcher = yield* aWatcher(yield* aLongLog(Math.max(length, 10)))
      const { body } = yield* watcher.ask("get_events")
      assert.deepInclude(body, { events_total: Math.max(length, 10), next_from: null })
    })
  )
})
