import { assert, describe, it } from "@effect/vitest"
import { composePlugins, LogUnavailable } from "@proofline/kernel"
import { loopOf } from "@proofline/plugins/policies/requirements"
import { Effect, Result } from "effect"
import { aroundAppend, newLog, newProcess, workerOptions } from "../../kernel/support/world.ts"
import {
  aDefinition,
  aRequirement,
  contentsOf,
  directory,
  loading,
  planned,
  play,
  pluginsOf,
  replayed,
  resumed,
  seen,
  starting,
  verdictsOf
} from "./stage.ts"

/** A run that has begun and that nobody drives. */
const begun = Effect.fnUntraced(function* (definition: Parameters<typeof loading>[0]) {
  const stage = { root: yield* directory }
  const plugins = yield* pluginsOf(stage)
  const log = yield* newLog
  const { engine } = yield* newProcess(log, plugins)
  yield* engine.execute("run_1", starting(stage.root))
  yield* engine.execute("run_1", loading(definition))
  const loop = Effect.map(engine.load("run_1"), loopOf)
  return { engine, loop }
})

const facts = (round: number) =>
  ({ _tag: "requirements.RecordFacts", iteration: 0, round, requirement_id: "req_1", runs: [], receipts: [] }) as never

describe("requirements that are loaded anew", () => {
  it.live("given what was seen for the old ones comes late, then it is refused", () =>
    Effect.gen(function* () {
      const { engine, loop } = yield* begun(aDefinition([aRequirement("req_1", [{ criterion: "a", check: "false" }])]))
      assert.strictEqual((yield* loop).round, 1)
      yield* engine.execute("run_1", loading(aDefinition([aRequirement("req_1", [{ criterion: "b", check: "true" }])])))
      const late = yield* Effect.result(engine.execute("run_1", facts(1)))
      assert.isTrue(
        Result.isFailure(late) && late.failure._tag === "Rejection" && late.failure.code === "task_not_ready"
      )
      const now = yield* Effect.result(engine.execute("run_1", facts((yield* loop).round)))
      assert.isTrue(Result.isSuccess(now))
    })
  )

  it.live(
    "given a criterion with other words under the same id, then what was shown of the old ones does not count",
    () =>
      Effect.gen(function* () {
        const before = yield* play(aDefinition([aRequirement("req_1", ["the note is written"])]), {
          generate: () => ({ tasks: [planned("task_1", ["req_1.1"])] })
        })
        assert.strictEqual(before.status, "completed")
        const { completed, iteration, planned: all } = before.loop
        const again = (criteria: ReadonlyArray<string>) =>
          play(
            aDefinition([aRequirement("req_1", criteria)]),
            { generate: () => ({ problems: ["Nobody plans."] }) },
            { load: { carried: { run_id: "run_0", iteration, planned: all, completed } } }
          )
        assert.deepStrictEqual(verdictsOf(yield* again(["passwords are hashed"])), { "req_1.1": "unproven" })
        // the same words elsewhere are still the same
        assert.deepStrictEqual(verdictsOf(yield* again(["passwords are hashed", "the note is written"])), {
          "req_1.1": "unproven",
          "req_1.2": "proven"
        })
      })
  )

  it.live("given only the number of iterations has changed, then the plan that is waited for is the same one", () =>
    Effect.gen(function* () {
      const definition = aDefinition([aRequirement("req_1", [])])
      const { engine, loop } = yield* begun(definition)
      yield* engine.execute("run_1", facts(1))
      const { round, stage } = yield* loop
      assert.strictEqual(stage._tag, "Generating")
      yield* engine.execute("run_1", loading(definition, { max_iterations: 7 }))
      const after = yield* loop
      assert.deepStrictEqual([after.stage, after.round, after.limit, after.iteration], [stage, round, 7, 1])
    })
  )

  it.live("given other requirements while a plan is waited for, then that iteration is begun again", () =>
    Effect.gen(function* () {
      const { engine, loop } = yield* begun(aDefinition([aRequirement("req_1", [])]))
      yield* engine.execute("run_1", facts(1))
      yield* engine.execute("run_1", loading(aDefinition([aRequirement("req_1", ["a"])])))
      assert.deepStrictEqual([(yield* loop).iteration, (yield* loop).iterations], [0, []])
      yield* engine.execute("run_1", facts((yield* loop).round))
      assert.deepStrictEqual([(yield* loop).iteration, (yield* loop).stage._tag], [1, "Generating"])
    })
  )

  it.live("given the iterations were used up, then other requirements get as many again at once", () =>
    Effect.gen(function* () {
      const played = yield* play(
        aDefinition([aRequirement("req_1", [{ criterion: "a", check: "false" }])]),
        { generate: ({ iteration, unmet }) => ({ tasks: [planned(`task_${iteration}`, unmet)] }) },
        { load: { max_iterations: 1 } }
      )
      yield* played.process.engine.execute(
        "run_1",
        loading(aDefinition([aRequirement("req_1", ["b"])]), { max_iterations: 1 })
      )
      const again = yield* resumed(played)
      assert.deepStrictEqual([again.status, again.loop.iteration], ["completed", 2])
      assert.isNull(replayed(again))
    })
  )
})

describe("a task run that had ended by itself", () => {
  it.live(
    "given nobody recorded its end, when the run goes on, then it is recorded, and no task of it is run again",
    () =>
      Effect.gen(function* () {
        const stage = {
          root: yield* directory,
          generate: ({ iteration }: { readonly iteration: number }) => ({
            tasks: [planned(`task_${iteration}a`, ["req_1.1"]), planned(`task_${iteration}b`, [])]
          }),
          script: (id: string) =>
            Effect.succeed({ outcome: id === "task_1a" ? ("ERROR" as const) : ("COMPLETE" as const) })
        }
        const plugins = yield* pluginsOf(stage)
        const log = yield* newLog
        let isLost = true
        const first = yield* newProcess(
          aroundAppend(log, (append, _stream) =>
            Effect.flatMap(append, (appended) =>
              // the last that is ever written is the end of the task run
              isLost && appended.events.some(({ event_type }) => event_type === "RUN_INCOMPLETE")
                ? Effect.fail(new LogUnavailable({ code: "log_failed", message: "gone", hint: "" }))
                : Effect.succeed(appended)
            )
          ),
          plugins
        )
        yield* first.engine.execute("run_1", starting(stage.root, { max_retries: 0 }))
        const load = loading(aDefinition([aRequirement("req_1", ["a"])]))
        const died = yield* Effect.result(first.runner.drive("run_1", load, workerOptions({ slots: 4 })))
        assert.isTrue(Result.isFailure(died))
        isLost = false
        const second = yield* newProcess(log, plugins, "b")
        const played = yield* seen(second, log, composePlugins(plugins), stage)
        assert.strictEqual(contentsOf(played.events, "TASK_RUN_ENDED").length, 0)
        const again = yield* resumed(played)
        assert.deepStrictEqual([again.status, again.loop.iteration], ["completed", 2])
        assert.strictEqual(contentsOf(again.child(1), "ATTEMPT_STARTED").length, 2)
        assert.isNull(replayed(again))
      })
  )
})
