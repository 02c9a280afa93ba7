import { assert, describe, it } from "@effect/vitest"
import {
  type ActivityFailure,
  type AnyCommand,
  type Base,
  composePlugins,
  emptySnapshot,
  type Found,
  type HasRun,
  type HasTasks,
  impl,
  isLineReceipt,
  type KernelState,
  kernelStateOf,
  type Plugin,
  type StartTasks
} from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { requirements } from "@proofline/plugins/policies/requirements"
import { Baseline, BlobStore, CommandRunner, OutputFiles } from "@proofline/plugins/ports"
import { Effect, Layer, Result } from "effect"
import { cancel, end, start, stateOf } from "../../kernel/support/words.ts"
import { nowhere } from "../nowhere.ts"
import { planned, starting } from "./stage.ts"

const known: Base = { commit: "c".repeat(40), snapshot: { sha256: "0".repeat(64), bytes: 0 } }
const captured: Base = { commit: null, snapshot: { sha256: "1".repeat(64), bytes: 1 } }
const me = { pid: 1, host: "here", since: "2026-01-01T00:00:00.000Z" }
const other = { ...me, pid: 2 }

const input = {
  iteration: 2,
  run_id: "run_1-iter2",
  name: "a feature (iteration 2)",
  tasks_yaml_path: "generated/x.yaml",
  header: ["Tasks of iteration 2."],
  tasks: [planned("task_2", ["r.1"]), planned("task_3", ["r.1"], { chunk: "auto" })],
  chunk: "asked",
  goal: "The goal.",
  completed: [
    {
      task_id: "task_1",
      title: "One",
      summary: "",
      files: [],
      shown: [
        { item: "a", path: "a.py", shows: ["1"], whole: false },
        { item: "b", path: "b.py", shows: ["2"], whole: false }
      ]
    }
  ],
  budget: { max_attempts: 3, max_calls: null, max_duration_ms: null, max_tokens: null, max_cost_usd: null }
} as const

interface Driving {
  readonly run?: Partial<StartTasks>
  /** The task run as it is found. */
  readonly found?: KernelState
  readonly isUnwritable?: boolean
  /** Files of which the lines that were shown are not what they were. */
  readonly changed?: ReadonlyArray<string>
}

const shownIn = (item: string, path: string) => ({
  item,
  receipt: { kind: "lines", path }
})

const emptyState = (): KernelState => kernelStateOf(emptySnapshot(composePlugins([])))

/** What is written, said before and asked of the driver for the task run of an iteration. */
const driven = ({ changed = [], found = emptyState(), isUnwritable = false, run }: Driving) =>
  Effect.gen(function* () {
    const written: Array<readonly [string, string]> = []
    const said: Array<AnyCommand> = []
    const asked: Array<AnyCommand | null> = []
    const files = Layer.mock(OutputFiles, {
      write: (path, text) =>
        isUnwritable
          ? (Effect.fail({ message: "There is no room." }) as never)
          : Effect.sync(() => {
              written.push([path, text])
              return null
            })
    })
    const plugin: Plugin = yield* requirements({
      judge: (receipts) =>
        Effect.succeed(
          receipts.map((receipt) => {
            const isChanged = isLineReceipt(receipt) && changed.includes(receipt.path)
            return { status: isChanged ? "stale" : "proven", now: null, reason: "" } as const
          })
        ),
      text: ({ header, name, tasks }) => [name, ...header, ...tasks.map(({ id }) => id)].join("\n")
    }).pipe(
      Effect.provide(
        Layer.mergeAll(
          nowhere,
          files,
          Layer.mock(BlobStore, {}),
          Layer.mock(CommandRunner, {}),
          Layer.mock(Baseline, { capture: Effect.succeed(captured) })
        )
      )
    )
    const activity = plugin[impl].parts.find((one) => one.kind === "activity" && one.name === "requirements-execute")
    assert.strictEqual(activity?.kind, "activity")
    if (activity?.kind !== "activity") throw new Error("There is no such activity.")
    const whole: StartTasks = { ...starting("/project"), kind: "tasks", ...run, tasks: [aTask("task_1")] }
    const state = stateOf(given().after(whole).snapshot)
    const over = stateOf(given().after(aRun([aTask("task_2")], {}, "run_1-iter2")).snapshot)
    const result = yield* Effect.result(
      activity.run(input, {
        item: {} as never,
        lease: 1,
        worker_id: "w",
        state: {
          run: state.run,
          requirements: { completed: [{ id: "task_1", items: [shownIn("a", "a.py"), shownIn("b", "b.py")] }] }
        } as never,
        dispatch: (command: AnyCommand) =>
          Effect.sync(() => {
            said.push(command)
            return state
          }),
        drive: (_: string, begin: (found: Found<HasRun & HasTasks>) => AnyCommand | null) =>
          Effect.sync(() => {
            asked.push(begin({ plugins: [{ name: "judge", version: "1" }], state: found }))
            return over
          })
      } as never) as Effect.Effect<AnyCommand, ActivityFailure>
    )
    return { written, said, asked, result, state }
  })

const of = (...commands: ReadonlyArray<AnyCommand>) =>
  stateOf(given().after({ ...aRun([aTask("task_2")], { max_retries: 0 }), driver: me }, ...commands).snapshot)

describe("the task run of an iteration", () => {
  it.effect("is started with what the run above it has, and what was done before", () =>
    Effect.gen(function* () {
      const { asked, result, said, state, written } = yield* driven({ run: { base: known } })
      const text = "a feature (iteration 2)\nTasks of iteration 2.\ntask_2\ntask_3"
      assert.deepStrictEqual(written, [["generated/x.yaml", text]])
      assert.lengthOf(said, 1)
      assert.deepInclude(said[0], { iteration: 2, run_id: "run_1-iter2", tasks_yaml_path: "generated/x.yaml" })
      const [begun] = asked as ReadonlyArray<unknown> as ReadonlyArray<StartTasks>
      assert.deepInclude(begun, {
        _tag: "StartRun",
        run_id: "run_1-iter2",
        kind: "tasks",
        name: "a feature (iteration 2)",
        root: "/project",
        parent_run_id: "run_1",
        completed_task_ids: ["task_1"],
        completed_tasks: input.completed,
        goal: "The goal.",
        config: { ...state.run.config, budget: input.budget },
        plugins: [{ name: "judge", version: "1" }],
        driver: state.run.driver,
        base: known
      })
      assert.strictEqual(begun?.input?.path, "generated/x.yaml")
      assert.strictEqual(begun?.input?.sha256, (said[0] as { readonly sha256?: string }).sha256)
      assert.deepStrictEqual(
        begun?.tasks.map((task) => [task.id, task.chunk, "covers" in task]),
        [
          ["task_2", "no", false],
          ["task_3", "asked", false]
        ]
      )
      assert.deepInclude(Result.getOrThrow(result), { iteration: 2, run_id: "run_1-iter2", status: "incomplete" })
    })
  )

  it.effect("is told nothing of lines that do not hold any more, so that it can show them again", () =>
    Effect.gen(function* () {
      const { asked } = yield* driven({ changed: ["a.py"] })
      const [begun] = asked as ReadonlyArray<unknown> as ReadonlyArray<StartTasks>
      const [task] = input.completed
      assert.deepStrictEqual(begun?.completed_tasks, [{ ...task, shown: [task.shown[1]] }])
    })
  )

  it.effect("begins with the project as it is, where nobody knows what it was", () =>
    Effect.gen(function* () {
      const { asked } = yield* driven({ run: { base: null } })
      assert.deepStrictEqual((asked[0] as unknown as StartTasks).base, captured)
    })
  )

  it.effect("is not driven when its file cannot be written", () =>
    Effect.gen(function* () {
      const { asked, result, said } = yield* driven({ isUnwritable: true })
      assert.deepStrictEqual([asked, said.length], [[], 1])
      const failure = { _tag: "ActivityFailure", code: "tasks_file_unwritable", message: "There is no room." } as const
      assert.deepStrictEqual(Result.isFailure(result) ? result.failure : null, failure)
    })
  )

  const stopped = { error: { code: "quota", message: "No quota is left.", terminal: true } }
  it.effect.each<readonly [string, StartTasks["driver"], KernelState, string | null]>([
    ["goes on where this driver has taken it up already", me, of(), null],
    ["goes on where another driver had it", other, of(), "ResumeRun"],
    ["goes on where nobody is known to have it", null, of(), "ResumeRun"],
    ["goes on where somebody has cancelled it", me, of(cancel()), "ResumeRun"],
    ["goes on where a breaker has ended it", me, of(start("task_2"), end("task_2", 1, "ERROR", stopped)), "ResumeRun"],
    ["is over where it has failed by itself", me, of(start("task_2"), end("task_2", 1, "ERROR")), null]
  ])("%s", ([, driver, found, expected]) =>
    Effect.gen(function* () {
      const { asked, state } = yield* driven({ run: { driver }, found })
      assert.strictEqual(asked[0]?._tag ?? null, expected)
      if (expected !== null)
        assert.deepInclude(asked[0], { driver, config: { ...state.run.config, budget: input.budget } })
    })
  )
})
