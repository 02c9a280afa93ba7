import { assert, describe, it } from "@effect/vitest"
import {
  definePlugin,
  gates,
  modules,
  nextFor,
  type PluginParts,
  passed,
  plugin,
  Run,
  TaskCompleted,
  TaskSkipped,
  Tasks
} from "@proofline/kernel"
import { pluginContract } from "@proofline/kernel/testing"
import { Effect } from "effect"
import diary from "../support/diary.ts"

describe("a plugin whose event was written in earlier schema versions", () => {
  const written = [
    { event_type: "NOTED", schema_version: 1, content: { note: "It is begun." } },
    { event_type: "NOTED", schema_version: 2, content: { note: "It is begun.", number: 1 } }
  ]
  for (const { name, run } of pluginContract(diary, [], written)) it.effect(name, () => run)

  /** What the cases for an earlier version say where these lines are given. */
  const said = (lines: typeof written) =>
    Effect.map(
      Effect.forEach(
        pluginContract(diary, [], lines).filter(({ name }) => name.includes("is lifted")),
        ({ run }) => Effect.match(run, { onFailure: ({ message }) => message, onSuccess: () => "" })
      ),
      (all) => all.filter((message) => message !== "")
    )

  it.effect("is not known to read them where nothing that was written then is given", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said(written), [])
      assert.deepStrictEqual(yield* said(written.slice(1)), [
        "No NOTED of schema version 1 is given: that it can be read is not known."
      ])
    })
  )

  it.effect("is told which line it does not lift to what its schema asks for", () =>
    Effect.gen(function* () {
      const [one, two] = written
      const wrong = [one, { ...two, content: { note: "It is begun.", number: "one" } }] as typeof written
      const [message, ...others] = yield* said(wrong)
      assert.include(message, "(NOTED v2) cannot be read: its content does not fit the schema (")
      assert.isEmpty(others)
    })
  )
})

describe("the kernel's own modules, as any plugin", () => {
  for (const plugin of modules) for (const { name, run } of pluginContract(plugin)) it.effect(name, () => run)
})

describe("a plugin whose mistakes no type finds", () => {
  const Odd = plugin("odd", { state: { n: 0 }, after: [Run, Tasks] })
  const said = (parts: PluginParts<"odd">["parts"] & object) =>
    Effect.map(
      Effect.forEach(pluginContract(definePlugin(Odd, { version: "1", parts })), ({ name, run }) =>
        Effect.match(run, { onFailure: ({ message }) => [name, message], onSuccess: () => [] })
      ),
      (all) => all.filter(({ length }) => length > 0)
    )
  const boom = (): never => {
    throw new Error("boom")
  }
  const through = "odd goes through a run, and changes no state but its own by what it answers"

  it.effect("is told where a verdict counts in the state", () =>
    Effect.gen(function* () {
      const counting = Odd.offer(gates, "last", {
        name: "g",
        verdict: ({ odd }) => {
          ;(odd as { n: number }).n++
          return passed
        }
      })
      const [[name, message] = [], ...others] = yield* said([counting])
      assert.strictEqual(name, through)
      assert.match(String(message), /Plugin odd, verdict of g: .*read only/)
      assert.isEmpty(others)
    })
  )

  it.effect("is told where another one's state is changed", () =>
    Effect.gen(function* () {
      const taking = Odd.react([TaskCompleted], (_, { run }) => {
        ;(run as { name: string }).name = "mine"
        return []
      })
      assert.include((yield* said([taking]))[0]?.[1], "Plugin odd, react on TASK_COMPLETED: ")
    })
  )

  it.effect("is told where the task that a gate is asked about is changed, which stands in a map", () =>
    Effect.gen(function* () {
      const forgetting = Odd.offer(gates, "ready", {
        name: "g",
        verdict: (_, task) => {
          Object.assign(task, { status: "completed" })
          return passed
        }
      })
      assert.match(String((yield* said([forgetting]))[0]?.[1]), /Plugin odd, verdict of g: Cannot assign to read only/)
    })
  )

  it.effect("is told where a reaction breaks, also on what the run does not go through", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* said([Odd.react([TaskSkipped], boom)]), [
        ["odd: what it reacts with to TASK_SKIPPED is something to ask for", "Plugin odd, react on TASK_SKIPPED: boom"]
      ])
      assert.include(
        (yield* said([Odd.react([TaskSkipped], () => true as never)]))[0]?.[1],
        "It answered true, no list of commands"
      )
      assert.include(
        (yield* said([Odd.react([TaskCompleted], boom)])).map(([name]) => name),
        through
      )
    })
  )

  it.effect("is told of nothing where there is nothing", () =>
    Effect.gen(function* () {
      const right = [
        Odd.react([TaskCompleted, TaskSkipped], ({ task_id }, state) => nextFor(state, task_id)),
        Odd.offer(gates, "last", { name: "g", verdict: () => passed })
      ]
      assert.isEmpty(yield* said(right))
    })
  )
})
