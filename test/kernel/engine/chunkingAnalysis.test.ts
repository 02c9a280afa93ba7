import { assert, describe, it } from "@effect/vitest"
import type { AnalysisRequest, Analyzer, RunConfig, WorkItem } from "@proofline/kernel"
import { type Script, scripted } from "@proofline/kernel/testing"
import { Clock, Effect, Fiber, References } from "effect"
import { TestClock } from "effect/testing"
import { effect } from "../../effects.ts"
import { withActivities } from "../support/activities.ts"
import { anAnalysis, aSplit, chunking, parts, playsSplit } from "../support/chunks.ts"
import { judge } from "../support/judge.ts"
import { letOthersGoOn } from "../support/letOthersGoOn.ts"
import { all, badly, newLog, newProcess, readRun, statusesOf, well, workerOptions } from "../support/world.ts"

const critic: Partial<RunConfig> = { reviewer: "critic" }
const works: Script = () => Effect.succeed(well)

describe("an analyzer", () => {
  const drivenWith = Effect.fnUntraced(function* (plugins: ReturnType<typeof playsSplit>) {
    const log = yield* newLog
    const { runner } = yield* newProcess(log, plugins)
    const state = yield* runner.drive("run_1", aSplit(critic, { checks: ["true"] }), workerOptions())
    return { state, events: yield* readRun(log) }
  })

  for (const [how, plugins, reason] of [
    [
      "fails",
      playsSplit(works, () =>
        Effect.fail({ _tag: "ActivityFailure", code: "answer_invalid", message: "The answer is no plan." })
      ),
      "answer_invalid"
    ],
    ["breaks", playsSplit(works, () => Effect.die(new Error("boom"))), "activity_broken"],
    ["is not there", [scripted(works), judge], "activity_unknown"]
  ] as const) {
    it.effect(`that ${how} leaves the task in one piece, with a warning, and the run goes on`, () =>
      Effect.gen(function* () {
        const { events, state } = yield* drivenWith(plugins)
        assert.strictEqual(state.run.status, "completed")
        assert.deepStrictEqual(statusesOf(state), { p: "completed" })
        assert.deepInclude(all(events, "CHUNKING_SKIPPED")[0], { chunking_skipped: true, reason })
        assert.strictEqual(all(events, "ATTEMPT_STARTED").length, 1)
      }).pipe(Effect.provideService(References.CurrentLoggers, new Set()))
    )
  }

  effect("is told the user's own words and the limits, and is asked once", function* () {
    const requests: Array<AnalysisRequest> = []
    const analyze: Analyzer = (request) =>
      Effect.sync(() => {
        requests.push(request)
        return anAnalysis(parts(3))
      })
    const log = yield* newLog
    const { runner } = yield* newProcess(log, playsSplit(works, analyze))
    const config = { ...critic, ...chunking({ min_subtasks: 3, max_subtasks: 4 }) }
    const spec = { instruction: "Build login.", checklist: [{ item: "A", check: "true" }] }
    const driving = yield* Effect.forkChild(runner.drive("run_1", aSplit(config, spec), workerOptions()))
    yield* letOthersGoOn
    yield* Fiber.interrupt(driving)
    assert.deepStrictEqual(requests, [
      {
        run_id: "run_1",
        task_id: "p",
        prompt: "Build login.",
        checklist: ["A"],
        min_subtasks: 3,
        max_subtasks: 4,
        agent: "command",
        timeout_ms: 30 * 60_000,
        idle_timeout_ms: null
      }
    ])
  })
})

describe("a part that failed", () => {
  effect("is begun again only after 2,000 ms, then only after 3,000 ms more, and holds up nobody", function* () {
    const begun: Array<readonly [string, number]> = []
    const script: Script = (id, attempt) =>
      Effect.gen(function* () {
        begun.push([id, yield* Clock.currentTimeMillis])
        return id === "p-sub-1" && attempt < 3 ? badly : well
      })
    const log = yield* newLog
    const { runner } = yield* newProcess(
      log,
      playsSplit(script, () => Effect.succeed(anAnalysis(parts(2))))
    )
    const driving = yield* Effect.forkChild(runner.drive("run_1", aSplit(critic), workerOptions({ slots: 1 })))
    for (const [ms, attempts] of [
      [0, 2],
      [1_999, 2],
      [1, 3],
      [2_999, 3],
      [1, 4]
    ] as const) {
      yield* TestClock.adjust(ms)
      yield* letOthersGoOn
      assert.strictEqual(begun.length, attempts, JSON.stringify(begun))
    }
    assert.deepStrictEqual(begun, [
      ["p-sub-1", 0],
      ["p-sub-2", 0],
      ["p-sub-1", 2_000],
      ["p-sub-1", 5_000]
    ])
    assert.strictEqual((yield* Fiber.join(driving)).run.status, "completed")
    const [complete] = all(yield* readRun(log), "CHUNKING_COMPLETE")
    assert.deepInclude(complete, { total_retries: 2, total_duration_ms: 5_000 })
  })
})

describe("the work of a part in the queue", () => {
  effect("names its task, its number and how many there are; that of a task does not", function* () {
    const items: Array<WorkItem> = []
    const plugins = playsSplit(works, () => Effect.succeed(anAnalysis(parts(2)))).map((plugin) =>
      withActivities(plugin, (activity) => ({
        ...activity,
        run: (input, context) => {
          items.push(context.item)
          return activity.run(input, context)
        }
      }))
    )
    const { runner } = yield* newProcess(yield* newLog, plugins)
    // parts that run at the same time are judged once more as a whole
    yield* runner.drive("run_1", aSplit(critic), workerOptions({ slots: 1 }))
    const about = ({ activity, is_subtask, parent_task_id, subtask_index, task_id, total_subtasks }: WorkItem) =>
      [activity, task_id, is_subtask, parent_task_id, subtask_index, total_subtasks].join(" ")
    assert.sameMembers(items.map(about), [
      "analyzer-heuristic p false   ",
      ...[1, 2].flatMap((n) =>
        ["attempt", "criteria", "review"].map((activity) => `${activity} p-sub-${n} true p ${n} 2`)
      ),
      "aggregation p false   "
    ])
  })
})
