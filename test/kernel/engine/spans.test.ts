import { assert, describe } from "@effect/vitest"
import { EventLog } from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { Context, Stream } from "effect"
import { effect } from "../../effects.ts"
import { attributesOf, named, spansOf } from "../support/spans.ts"
import { newLog, newProcess, readRun, workerOptions, works } from "../support/world.ts"

describe("given a run of one task", () => {
  effect("each piece of work and each command is a span that says where in the log it stands", function* () {
    const log = yield* newLog
    const { runner } = yield* newProcess(log, works)
    const spans = yield* spansOf(runner.drive("run_1", aRun([aTask("a")]), workerOptions()))
    const events = yield* readRun(log)
    const [attempt] = named(spans, "activity attempt")
    assert.isDefined(attempt)
    assert.deepInclude(attributesOf(attempt), {
      run: "run_1",
      key: "attempt/a/1",
      plugin: "scripted",
      // it was ordered by the command that started the run
      version: events.filter(({ command_id }) => command_id === events[0]?.command_id).length
    })
    const written = named(spans, "Engine.execute").filter((span) => span.attributes.has("events"))
    assert.isNotEmpty(written)
    for (const { position, version } of written.map(attributesOf)) {
      const [first] = yield* Context.get(log, EventLog)
        .readAll(Number(position))
        .pipe(Stream.take(1), Stream.runCollect)
      assert.strictEqual(first?.position, position)
      assert.isAtLeast(Number(version), first?.version ?? Infinity)
    }
  })
})
