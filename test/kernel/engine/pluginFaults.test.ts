import { assert, describe } from "@effect/vitest"
import {
  type AnyCommand,
  activityWork,
  definePlugin,
  gates,
  NoFields,
  open,
  type Plugin,
  PluginFault,
  type PluginParts,
  plugin,
  Run,
  RunStarted,
  StartAttempt,
  Tasks,
  taskOf
} from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { Cause, Effect, Exit, Fiber, Schema } from "effect"
import { effect } from "../../effects.ts"
import { resume } from "../support/words.ts"
import { all, newLog, newProcess, readRun, workerOptions, works } from "../support/world.ts"

const Odd = plugin("odd", { state: null, after: [Run, Tasks] })
const odd = (parts: PluginParts<"odd">["parts"] & object, more: Partial<PluginParts<"odd">> = {}): Plugin =>
  definePlugin(Odd, { version: "1", ...more, parts })

/** A gate that wants an activity which does this. */
const working = (run: () => unknown, activity = "act"): Plugin =>
  odd([
    Odd.activity("act", { input: Schema.Json, run: run as never }),
    Odd.offer(gates, "last", {
      name: "g",
      verdict: () => open,
      wants: (state, task) => activityWork(state, task, activity)
    })
  ])

const Noted = Odd.event("NOTED", {
  schema: Schema.Struct({
    count: Schema.Int,
    share: Schema.optionalKey(Schema.Number),
    text: Schema.optionalKey(Schema.String)
  }),
  visibility: "full",
  sentence: () => "It was noted."
})
/** A reaction that leads to an event with this content, whatever its type. */
const noting = (content: object): Plugin => {
  const Note = Odd.command("odd.Note", {
    schema: NoFields,
    decide: () => [Noted(content as never)],
    recall: { from: [Noted], args: () => ({}) }
  })
  return odd([Odd.react([RunStarted], () => [Note({})])], { events: [Noted], commands: [Note] })
}

const boom = (): never => {
  throw new Error("boom")
}

const drive = Effect.fnUntraced(function* (
  log: Effect.Success<typeof newLog>,
  one: Plugin | null,
  command: AnyCommand = aRun([aTask("t")])
) {
  const { runner } = yield* newProcess(log, one === null ? works : [...works, one], one === null ? "mended" : "")
  return yield* runner.drive("run_1", command, workerOptions()).pipe(Effect.exit)
})

const faultIn = (exit: Exit.Exit<unknown, unknown>): PluginFault => {
  const defect = Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isDieReason)?.defect : undefined
  if (defect instanceof PluginFault) return defect
  throw new Error(`No plugin is at fault: ${exit}`)
}

describe("given a plugin that breaks while work is done", () => {
  const cases: ReadonlyArray<readonly [string, Plugin, string]> = [
    [
      "an activity that is async",
      working(async () => null),
      "Plugin odd, run of act: It answered a Promise, no Effect."
    ],
    [
      "an activity that ends with nothing",
      working(() => Effect.void),
      "Plugin odd, run of act: It answered undefined, neither a command nor null."
    ],
    [
      "an activity that ends with a number",
      working(() => Effect.succeed(5)),
      "Plugin odd, run of act: It answered 5, neither a command nor null."
    ],
    [
      "a gate that wants an activity that nobody lists",
      working(() => Effect.succeed(null), "atc"),
      "Plugin odd, wants of g: It answered work to start whose activity atc no plugin lists."
    ],
    [
      "a reaction that asks for an activity that nobody lists",
      odd([
        Odd.react([RunStarted], () => [
          {
            _tag: "Start",
            key: "k",
            kind: "activity",
            activity: "atc",
            task_id: null,
            input: null,
            delay_ms: 0,
            priority: 0
          }
        ])
      ]),
      "Plugin odd, react on RUN_STARTED: It answered work to start whose activity atc no plugin lists."
    ],
    [
      "a guard of what an activity asks for",
      odd([Odd.guard(StartAttempt, boom)]),
      "Plugin odd, guard of StartAttempt: boom"
    ],
    [
      "an event that does not fit its own schema",
      noting({ count: "many" }),
      "Plugin odd, event NOTED: It wrote content that does not fit the schema: Expected number"
    ],
    [
      "an event with more than its schema names, which nobody would read again",
      noting({ count: 1, why: "x" }),
      'Plugin odd, event NOTED: It wrote content that does not fit the schema: Expected no excess property at ["why"]'
    ],
    [
      "an event with a number that is none in JSON",
      noting({ count: 1, share: Number.NaN }),
      "Plugin odd, event NOTED: It wrote content that does not fit the schema: Not canonical JSON: NaN at $.share."
    ],
    [
      "an event with half of a character",
      noting({ count: 1, text: "\ud83d" }),
      "Plugin odd, event NOTED: It wrote content that does not fit the schema: Not canonical JSON: a lone surrogate at $.text."
    ]
  ]
  for (const [what, one, message] of cases) {
    effect(`when it is ${what}, then it is a fault of the plugin, no verdict, and a resume goes on`, function* () {
      const log = yield* newLog
      const fault = faultIn(yield* drive(log, one))
      assert.include(fault.message, message)
      const before = yield* readRun(log)
      assert.isEmpty(all(before, "ACTIVITY_FAILED"))
      assert.isEmpty(all(before, "TASK_FAILED"))
      const after = yield* drive(log, null, before.length === 0 ? aRun([aTask("t")]) : resume())
      assert.isTrue(Exit.isSuccess(after))
      if (Exit.isSuccess(after)) assert.strictEqual(taskOf(after.value, "t")?.status, "completed")
    })
  }

  const failures: ReadonlyArray<readonly [string, () => Effect.Effect<unknown, unknown>, string]> = [
    ["fails with anything", () => Effect.fail(new Error("no way")), "no way"],
    ["interrupts itself", () => Effect.interrupt, "It interrupted itself."],
    [
      "joins a fiber that was interrupted",
      () =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(Effect.never)
          yield* Fiber.interrupt(fiber)
          return yield* Fiber.join(fiber)
        }),
      "It interrupted itself."
    ]
  ]
  for (const [what, run, says] of failures) {
    effect(`when an activity ${what}, then its work has failed, as when it throws, and is not repeated`, function* () {
      const log = yield* newLog
      const exit = yield* drive(log, working(run))
      assert.isTrue(Exit.isSuccess(exit))
      assert.deepStrictEqual(
        all(yield* readRun(log), "ACTIVITY_FAILED").map(({ code, message }) => [code, message]),
        [["activity_broken", `The activity act of plugin odd broke: ${says}`]]
      )
    })
  }
})
