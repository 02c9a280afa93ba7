import { assert, describe } from "@effect/vitest"
import {
  activityWork,
  type CommandOf,
  definePlugin,
  gates,
  open,
  type Plugin,
  plugin,
  RecordActivity,
  Run,
  type Start,
  Tasks,
  taskOf
} from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { Effect, Fiber, Latch, Logger, Schema } from "effect"
import { effect } from "../../effects.ts"
import { cancel } from "../support/words.ts"
import { all, newLog, newProcess, readRun, workerOptions, works } from "../support/world.ts"

const Asking = plugin("asking", { state: null, after: [Run, Tasks] })
const Unlisted = Asking.command("asking.Unlisted", {
  schema: Schema.Struct({}),
  decide: () => [],
  recall: "follows"
})

/** A gate that stays open and wants this work, which this activity does. */
const asking = (
  over: Partial<Start>,
  run: () => Effect.Effect<CommandOf<typeof RecordActivity> | null> = () => Effect.die(new Error("boom")),
  input: Schema.Codec<Schema.Json, Schema.Json> = Schema.Struct({})
): Plugin =>
  definePlugin(Asking, {
    version: "1",
    parts: [
      Asking.activity("act-t", { input, run: run as never }),
      Asking.offer(gates, "last", {
        name: "g",
        verdict: () => open,
        wants: (state, task) => ({ ...activityWork(state, task, "act-t"), ...over })
      })
    ]
  })

describe("given a gate that waits for work that cannot be done", () => {
  const drive = Effect.fnUntraced(function* (asks: Plugin) {
    const log = yield* newLog
    const { runner } = yield* newProcess(log, [...works, asks])
    const state = yield* runner.drive("run_1", aRun([aTask("t")], { retry_delay_ms: 0 }), workerOptions())
    return { state, events: yield* readRun(log) }
  })

  const cases: ReadonlyArray<readonly [string, Plugin, string]> = [
    ["its input names the task", asking({}), "activity_broken"],
    ["its input names no task", asking({ input: {} }), "activity_broken"],
    ["neither the input nor the work names one", asking({ input: {}, task_id: null }), "activity_broken"],
    ["its input names another task", asking({ input: { task_id: "other" } }), "activity_broken"],
    [
      "its input does not fit the schema",
      asking({ input: {} }, undefined, Schema.Struct({ path: Schema.String })),
      "activity_input_invalid"
    ],
    [
      "its command is one that no plugin lists",
      asking({ input: {} }, () => Effect.succeed(Unlisted({}) as never)),
      "command_unowned"
    ]
  ]
  for (const [what, asks, code] of cases) {
    effect(`when ${what}, then the task is blocked by it and the run ends`, function* () {
      const { events, state } = yield* drive(asks)
      const [failure, ...others] = all(events, "ACTIVITY_FAILED")
      assert.isEmpty(others)
      assert.deepStrictEqual(
        [failure?.["code"], failure?.["awaited_by"]],
        [code, { plugin: "asking", task_id: "t", consequence: "blocked" }]
      )
      const task = taskOf(state, "t")
      assert.deepStrictEqual([task?.status, task?.reason], ["failed", code])
      assert.strictEqual(state.run.status, "failed")
    })
  }
})

describe("given a gate that stays open although the work that it wants has ended", () => {
  const answers: ReadonlyArray<readonly [string, () => Effect.Effect<CommandOf<typeof RecordActivity> | null>]> = [
    ["nothing", () => Effect.succeed(null)],
    ["a result", () => Effect.succeed(RecordActivity({ name: "act-t", key: "k", input: {}, result: 1 }))]
  ]
  for (const [what, run] of answers) {
    effect(`when the work has answered ${what}, then it is said what the task waits for`, function* () {
      const said: Array<unknown> = []
      const told = Latch.makeUnsafe(false)
      const logger = Logger.make(({ message }) => {
        said.push(message)
        told.openUnsafe()
      })
      const { engine, runner } = yield* newProcess(yield* newLog, [...works, asking({ input: {} }, run)])
      const driving = yield* runner
        .drive("run_1", aRun([aTask("t")]), workerOptions())
        .pipe(Effect.provide(Logger.layer([logger])), Effect.forkChild)
      yield* told.await
      assert.deepStrictEqual(said, [
        [
          "Task t still waits behind a gate of plugin asking: the work act-t that it wants has ended, and is not done again."
        ]
      ])
      yield* engine.execute("run_1", cancel())
      assert.strictEqual((yield* Fiber.join(driving)).run.status, "cancelled")
    })
  }
})
