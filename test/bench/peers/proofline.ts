/** Proofline through its ports, put together as its command line does. */
import "effect/schema/SchemaJITCompiler/enable" // first, as in the CLI
import { join } from "node:path"
import {
  type AnyCommand,
  composePlugins,
  defaultChunkingConfig,
  defaultRunConfig,
  defineAnalyzer,
  Engine,
  type EventCandidate,
  EventLog,
  kernelStateOf,
  type Plugin,
  Runner,
  Worker
} from "@proofline/kernel"
import { definePlugin, FinishRun, kinds, plugin, Run, StartRun } from "@proofline/kernel/plugin"
import { aRun, aTask, scripted } from "@proofline/kernel/testing"
import { layer as nodeDigest } from "@proofline/plugins/adapters/node-digest"
import { layer as nodeIds } from "@proofline/plugins/adapters/node-ids"
import { layer as postgresLog } from "@proofline/plugins/adapters/postgres-log"
import { layer as sqliteLog } from "@proofline/plugins/adapters/sqlite-log"
import { Effect, HashMap, Layer, ManagedRuntime, Schema, Stream } from "effect"
import { fill } from "../rows.ts"
import { partsEach, wideRun } from "../wide.ts"
import {
  type Counts,
  counting,
  expectCounted,
  type Parts,
  type Payload,
  payload,
  serve,
  slots,
  writers
} from "./contract.ts"

const storage = (place: string) =>
  (place.startsWith("postgres") ? postgresLog({ url: place }) : sqliteLog({ file: join(place, "proofline.db") })).pipe(
    Layer.provideMerge(nodeDigest)
  )

const candidate = (stream: string, version: number): EventCandidate => ({
  event_type: "CHECKLIST_ITEM_ACCEPTED",
  schema_version: 1,
  timestamp: new Date().toISOString(),
  visibility: "full",
  content: payload(version),
  command_id: `${stream}-${version}`,
  causation_id: null,
  correlation_id: stream
})

/** Each writer appends to a stream of its own, one event after the other, at the version that it knows. */
const appending = (atOnce: number) => async (place: string) => {
  const runtime = ManagedRuntime.make(storage(place))
  let round = 0
  const times = (n: number) =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const name = round++
      const write = Effect.fnUntraced(function* (writer: number) {
        const stream = `run_${name}_${writer}`
        for (let i = 0; i < n / atOnce; i++) yield* log.append(stream, i, [candidate(stream, i)])
      })
      yield* Effect.forEach(
        Array.from({ length: atOnce }, (_, writer) => writer),
        write,
        {
          concurrency: "unbounded",
          discard: true
        }
      )
    })
  await runtime.runPromise(EventLog)
  return { times: (n: number) => runtime.runPromise(times(n)), close: () => runtime.dispose() }
}

const PayloadSchema = Schema.Struct({
  task_id: Schema.String,
  attempt: Schema.Int,
  index: Schema.Int,
  item: Schema.String,
  status: Schema.String,
  verdict: Schema.String,
  evidence: Schema.String,
  sha256: Schema.String,
  note: Schema.String
}) satisfies Schema.Codec<Payload>

/**
 * A kind of run with so many steps, the result of each an event. Each is an activity that a worker claims, so many at
 * once; or, where that is none at all, one activity takes them all, and each is recorded before the next one begins.
 */
const Steps = plugin("steps", { state: { total: 0, done: 0 }, after: [Run] })
const Opened = Steps.event("STEPS_OPENED", {
  schema: Schema.Struct({ total: Schema.Int, at_once: Schema.Int }),
  visibility: "summary",
  evolve: (_, { total }) => ({ total, done: 0 }),
  sentence: ({ total }) => `${total} steps.`
})
const Done = Steps.event("STEP_DONE", {
  schema: Schema.Struct({ n: Schema.Int, next: Schema.NullOr(Schema.Int), result: PayloadSchema }),
  visibility: "full",
  evolve: (own) => ({ ...own, done: own.done + 1 }),
  sentence: ({ n }) => `Step ${n} is done.`
})
const Record = Steps.command("steps.Record", {
  schema: Schema.Struct({ n: Schema.Int, next: Schema.NullOr(Schema.Int), result: PayloadSchema }),
  decide: (args) => [Done(args)],
  recall: { from: [Done], args: (batch) => batch.first(Done) }
})
const step = (n: number, next: number | null) => ({
  _tag: "Start" as const,
  key: `step/${n}`,
  kind: "activity" as const,
  activity: "step",
  task_id: null,
  input: { n, next },
  delay_ms: 0,
  priority: 0
})
const counts = ({ done, total }: { readonly done: number; readonly total: number }) => ({
  total,
  completed: done,
  failed: 0,
  skipped: 0
})
const steps = definePlugin(Steps, {
  version: "1",
  events: [Opened, Done],
  commands: [Record],
  parts: [
    Steps.offer(kinds, "kind", {
      name: "steps",
      hasBudget: false,
      begin: (_, { at_once, total }) => Steps.tell([Opened({ total: Number(total), at_once: Number(at_once) })]),
      recall: (_, batch) => ({ ...batch.first(Opened) }),
      counts: ({ steps }) => counts(steps),
      ends: ({ steps }) =>
        steps.done < steps.total
          ? null
          : { outcome: "completed", counts: counts(steps), proven: steps.done, waived: 0 },
      progress: ({ steps }) => steps
    }),
    Steps.react([Opened], ({ at_once, total }) =>
      at_once === 0
        ? [{ ...step(0, null), activity: "all_steps", key: "all_steps" }]
        : // those that all begin at once have none that comes next
          Array.from({ length: Math.min(at_once, total) }, (_, n) => step(n, at_once === 1 && total > 1 ? 1 : null))
    ),
    Steps.react([Done], ({ next }, { steps }) =>
      next !== null
        ? [step(next, next + 1 < steps.total ? next + 1 : null)]
        : steps.done === steps.total
          ? [FinishRun({})]
          : []
    ),
    Steps.activity("all_steps", {
      input: Schema.Struct({ n: Schema.Int, next: Schema.Null }),
      run: Effect.fnUntraced(function* (_, { dispatch, state: { steps } }) {
        // begun anew after a crash it goes on where the run is
        let own = steps
        while (own.done < own.total) {
          const n = own.done
          own = (yield* dispatch(Record({ n, next: null, result: payload(n) }))).steps
        }
        return null
      })
    }),
    Steps.activity("step", {
      input: Schema.Struct({ n: Schema.Int, next: Schema.NullOr(Schema.Int) }),
      run: ({ n, next }) => Effect.succeed(Record({ n, next, result: payload(n) }))
    })
  ]
})

const engine = (place: string, plugins: ReadonlyArray<Plugin>) =>
  Runner.layer.pipe(
    Layer.provideMerge(Worker.layer),
    Layer.provideMerge(Engine.layer(composePlugins(plugins))),
    Layer.provideMerge(nodeIds),
    Layer.provideMerge(storage(place))
  )

/** One run of n after the other, by one engine. */
const driving =
  (plugins: ReadonlyArray<Plugin>, command: (run: string, n: number) => AnyCommand, atOnce: number) =>
  async (place: string) => {
    const runtime = ManagedRuntime.make(engine(place, plugins))
    let runs = 0
    const drive = (n: number) =>
      Effect.gen(function* () {
        const runner = yield* Runner
        const run = `run_${runs++}`
        const ended = yield* runner.drive(run, command(run, n), { workerId: "w", slots: atOnce, labels: [] })
        const { message, status } = kernelStateOf(ended).run
        if (status !== "completed") throw new Error(`The run ended as ${status}: ${message}`)
      })
    await runtime.runPromise(Runner)
    return { times: (n: number) => runtime.runPromise(drive(n)), close: () => runtime.dispose() }
  }

const stepping = (atOnce: number, inSlots: number) =>
  driving(
    [steps],
    (run, total) =>
      StartRun({
        run_id: run,
        kind: "steps",
        name: "steps",
        root: "/project",
        input: null,
        parent_run_id: null,
        completed_task_ids: [],
        config: defaultRunConfig,
        plugins: [],
        driver: null,
        base: null,
        total,
        at_once: atOnce
      }),
    inSlots
  )

/** A task in so many parts, each with its attempt, its judgment and the rules of both; the agent does nothing. */
const agent = scripted(() => Effect.succeed({ outcome: "COMPLETE" }))
const analyzer = defineAnalyzer("bench", "1", ({ max_subtasks }) =>
  Effect.succeed({
    is_decomposable: true,
    decomposition_reason: "It has parts.",
    criteria: [],
    subtasks: Array.from({ length: max_subtasks }, (_, i) => ({
      title: `part ${i + 1}`,
      prompt: `Do part ${i + 1}.`,
      dependencies: [],
      acceptance_criteria: ["It is done."],
      checklist: [],
      paths: [],
      changes_files: true
    }))
  })
)
const whole = driving(
  [agent, analyzer],
  (run, n) =>
    aRun(
      [aTask("t", { checks: [], chunk: "asked" })],
      {
        workers: slots,
        reviewer: "critic",
        reviewer_named: true,
        chunking: { ...defaultChunkingConfig, analyzer: "bench", max_subtasks: n }
      },
      run
    ),
  slots
)

const long = "run_long"

const filling = async (place: string) => ({
  times: (events: number) =>
    Effect.gen(function* () {
      yield* fill(yield* EventLog, long, wideRun(Math.ceil(events / 50)), events)
    }).pipe(Effect.provide(storage(place)), Effect.runPromise)
})

/** Read by the log, page by page, and counted: what Emmett's fold does. */
const folding = async (place: string) => ({
  times: (events: number) =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const seen: Counts = new Map()
      yield* Stream.runForEachArray(log.read(long), (page) =>
        Effect.sync(() => {
          for (const { content, event_type } of page) counting(seen, event_type, content)
        })
      )
      expectCounted(seen, events)
    }).pipe(Effect.provide(storage(place)), Effect.runPromise)
})

/** By the engine, as each process does that works on a run: chain checked, schemas decoded, folded by the rules. */
const loading = async (place: string) => ({
  times: (events: number) =>
    Effect.gen(function* () {
      const { load } = yield* Engine
      const { tasks } = kernelStateOf(yield* load(long))
      const expected = Math.ceil(events / 50) * (1 + partsEach)
      const found = HashMap.size(tasks.byId)
      if (found !== expected) throw new Error(`The fold is left with ${found} tasks, not ${expected}.`)
    }).pipe(Effect.provide(engine(place, [])), Effect.runPromise)
})

const parts: Parts = {
  append: appending(1),
  append32: appending(writers),
  step: stepping(0, 1),
  claimed: stepping(1, 1),
  subtasks: stepping(Number.MAX_SAFE_INTEGER, slots),
  whole,
  fill: filling,
  fold: folding,
  load: loading
}

await serve(parts)
