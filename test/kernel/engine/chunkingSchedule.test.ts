import { assert, describe, it } from "@effect/vitest"
import type { Recorded, RunConfig } from "@proofline/kernel"
import { aTask, type ScriptedAttempt } from "@proofline/kernel/testing"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { effect } from "../../effects.ts"
import { often } from "../../often.ts"
import { anAnalysis, aSplit, chunking, playsSplit } from "../support/chunks.ts"
import { letOthersGoOn } from "../support/letOthersGoOn.ts"
import { randomFrom } from "../support/random.ts"
import { criticalPath, type Load, listSchedule, planOf, randomLoad, totalWork } from "../support/schedule.ts"
import { cancel, stateOf } from "../support/words.ts"
import {
  all,
  aroundAppend,
  badly,
  newLog,
  newProcess,
  readRun,
  statusesOf,
  well,
  workerOptions
} from "../support/world.ts"

const idOf = (part: number): string => `p-sub-${part + 1}`
const partOf = (id: string): number => Number(id.slice("p-sub-".length)) - 1

interface Options {
  readonly workers: number
  readonly config?: Partial<RunConfig>
  readonly ends?: (part: number) => ScriptedAttempt
  /** Also tasks that are not split. They take no time, or for ever when they are called `endless`. */
  readonly others?: ReadonlyArray<string>
}

/** The task `p`, whose parts are such a load, worked off under virtual time: nothing takes time but the attempts. */
const workedOff = Effect.fnUntraced(function* (load: Load, { config, ends, others = [], workers }: Options) {
  const begun: Array<{ readonly id: string; readonly at: number }> = []
  const interrupted: Array<{ readonly id: string; readonly at: number }> = []
  const wakeAt: Array<number> = []
  let running = 0
  let most = 0
  const attempt = Effect.fnUntraced(function* (id: string) {
    const at = yield* Clock.currentTimeMillis
    begun.push({ id, at })
    most = Math.max(most, ++running)
    if (id === "endless") return yield* Effect.never
    const lasts = load.durations[partOf(id)] ?? 0
    wakeAt.push(at + lasts)
    yield* Effect.sleep(lasts)
    return ends?.(partOf(id)) ?? well
  })
  const script = (id: string) =>
    attempt(id).pipe(
      Effect.onInterrupt(() => Effect.map(Clock.currentTimeMillis, (at) => interrupted.push({ id, at }))),
      Effect.ensuring(Effect.sync(() => running--))
    )
  let appends = 0
  const log = aroundAppend(yield* newLog, (append) => Effect.tap(append, () => Effect.sync(() => appends++)))
  const { engine, runner } = yield* newProcess(
    log,
    playsSplit(script, () => Effect.succeed(anAnalysis(planOf(load))))
  )
  const settings = { workers, reviewer: "critic", ...chunking({ max_subtasks: load.durations.length }), ...config }
  const tasks = others.map((id) => aTask(id))
  const driving = yield* Effect.forkChild(
    runner.drive("run_1", aSplit(settings, {}, tasks), workerOptions({ slots: workers }))
  )
  const everybodyWaits = Effect.gen(function* () {
    for (let before = -1; before !== appends; ) {
      before = appends
      for (let i = 0; i < 60; i++) yield* Effect.yieldNow
    }
  })
  for (;;) {
    yield* everybodyWaits
    wakeAt.sort((a, b) => b - a)
    const next = wakeAt.pop()
    if (next === undefined || driving.pollUnsafe() !== undefined) break
    // only as far as something happens: the clock must not run ahead of the work
    yield* TestClock.setTime(next)
  }
  return { engine, driving, begun, interrupted, most, events: yield* readRun(log) }
})

type Events = ReadonlyArray<Recorded>

const contentOf = ({ content }: Recorded) => content as Readonly<Record<string, unknown>>

const endOf: ReadonlySet<string> = new Set(["SUBTASK_COMPLETE", "SUBTASK_FAILED"])

const assertEveryPartEnds = (events: Events): void => {
  const created = all(events, "SUBTASK_CREATED").map(({ subtask_id }) => subtask_id)
  const ended = events.flatMap((event) => (endOf.has(event.event_type) ? [contentOf(event)["subtask_id"]] : []))
  assert.strictEqual(new Set(ended).size, ended.length, "a part ends once")
  assert.sameMembers(ended, created)
}

const assertOrder = (load: Load, events: Events): void => {
  const completed = new Set<unknown>()
  for (const event of events) {
    const { subtask_id } = contentOf(event)
    if (event.event_type === "SUBTASK_COMPLETE") completed.add(subtask_id)
    if (event.event_type !== "SUBTASK_START") continue
    for (const needed of load.dependencies[partOf(`${subtask_id}`)] ?? [])
      assert.isTrue(completed.has(idOf(needed)), `${subtask_id} began before ${idOf(needed)} was completed`)
  }
}

/** Whose attempts overlap have different names, and there are no more names than workers. */
const assertWorkers = (events: Events, workers: number): void => {
  const names = new Set<unknown>()
  const busy = new Map<unknown, unknown>()
  let most = 0
  for (const event of events) {
    const { task_id, worker_id } = contentOf(event)
    if (event.event_type === "ATTEMPT_STARTED") {
      assert.notInclude([...busy.values()], worker_id, `${worker_id} was at work already when it began ${task_id}`)
      busy.set(task_id, worker_id)
      names.add(worker_id)
      most = Math.max(most, busy.size)
    } else if (event.event_type === "ATTEMPT_ENDED" || event.event_type === "ATTEMPT_CANCELLED") busy.delete(task_id)
  }
  assert.isAtMost(names.size, workers)
  assert.isAtMost(most, workers)
}

/** Seed, how far back a part may depend, workers. */
const loads = [
  [1, 1_000, 1],
  [2, 50, 2],
  [3, 20, 6],
  [4, 50, 10],
  [5, 100, 15],
  [6, 200, 20],
  [7, 400, 30],
  [8, 1_000, 50]
] as const

const loadOf = ([seed, reach]: (typeof loads)[number]): Load => randomLoad(randomFrom(seed), 1_000, reach)

describe("a task of 1,000 parts with random dependencies and durations", () => {
  for (const one of loads.slice(-often(loads.length))) {
    const [seed, reach, workers] = one
    effect(
      `given ${workers} at work, is done as soon as a list schedule lets it (${reach} back, seed ${seed})`,
      function* () {
        const load = loadOf(one)
        const { driving, events, most } = yield* workedOff(load, { workers })
        const took = yield* Clock.currentTimeMillis
        const state = yield* Fiber.join(driving)
        assert.strictEqual(state.run.status, "completed")
        assert.strictEqual(
          all(events, "CHUNKING_ANALYSIS")[0]?.["execution_mode"],
          workers === 1 ? "sequential" : "hybrid"
        )
        // a dispatch takes no virtual time
        assert.isAtMost(took, listSchedule(load, workers) * 1.02)
        assert.isAtLeast(took, Math.max(criticalPath(load), totalWork(load) / workers), "nobody is that quick")
        assert.strictEqual(most, workers)
        assertWorkers(events, workers)
        assertOrder(load, events)
        assertEveryPartEnds(events)
        assert.strictEqual(all(events, "ATTEMPT_STARTED").length, 1_000)
      }
    )
  }

  it("is one for which the order matters: whoever takes what comes first in the plan needs longer", () => {
    const worse = loads.filter((one) => {
      const load = loadOf(one)
      return listSchedule(load, one[2], "plan") > listSchedule(load, one[2]) * 1.04
    })
    assert.isAtLeast(worse.length, 3)
  })
})

/** Fails fast as soon as part `failing` has ended. */
const failing = Effect.fnUntraced(function* (seed: number, others: ReadonlyArray<string> = []) {
  const random = randomFrom(seed)
  const { dependencies, durations } = randomLoad(random, 40, 15)
  // parts take seconds: beside the heartbeat they last
  const load = { dependencies, durations: durations.map((ms) => 10 * ms) }
  const failing = random.below(40)
  const config = chunking({ max_subtasks: 40, fail_fast: true, retry: { max_retries: 0 } })
  const ends = (part: number) => (part === failing ? badly : well)
  const run = yield* workedOff(load, { workers: 6, config, ends, others })
  const at = (run.begun.find(({ id }) => id === idOf(failing))?.at ?? 0) + (load.durations[failing] ?? 0)
  return { ...run, load, failing, at }
})

describe("a task that fails fast, as soon as one of its parts has failed", () => {
  effect("interrupts in the same instant all that is at work for it, and nothing more begins", function* () {
    let interruptions = 0
    for (let seed = 1; seed <= often(25); seed++) {
      const { at, begun, driving, events, failing: failed, interrupted, load } = yield* failing(seed)
      const state = yield* Fiber.join(driving)
      const where = `seed ${seed}`
      assert.strictEqual(state.run.status, "failed", where)
      assert.strictEqual(all(events, "TASK_FAILED")[0]?.["reason"], "fail_fast", where)
      for (const one of interrupted) assert.strictEqual(one.at, at, `${where}: ${one.id}`)
      for (const one of begun) assert.isAtMost(one.at, at, `${where}: ${one.id}`)
      const cancelled = all(events, "ATTEMPT_CANCELLED")
      assert.sameMembers(
        interrupted.map(({ id }) => id),
        cancelled.map(({ task_id }) => `${task_id}`),
        where
      )
      for (const { reason } of cancelled) assert.strictEqual(reason, "fail_fast")
      // all others that were begun were completed: nobody was left at work
      const completed = all(events, "SUBTASK_COMPLETE").map(({ subtask_id }) => subtask_id)
      assert.sameMembers(
        begun.map(({ id }) => id),
        [...completed, ...interrupted.map(({ id }) => id), idOf(failed)],
        where
      )
      assertEveryPartEnds(events)
      assertOrder(load, events)
      interruptions += interrupted.length
      yield* TestClock.setTime(0)
    }
    assert.isAbove(interruptions, often(50))
  })

  effect("given other tasks go on: interrupts its own parts in the same instant, and none of the others", function* () {
    let interruptions = 0
    for (let seed = 1; seed <= often(10); seed++) {
      const { at, begun, driving, engine, interrupted } = yield* failing(seed, ["endless"])
      const lastBegun = Math.max(...begun.map((one) => one.at))
      yield* letOthersGoOn
      const parts = interrupted.filter(({ id }) => id !== "endless")
      assert.deepStrictEqual(parts, interrupted, `seed ${seed}`)
      for (const one of parts) assert.strictEqual(one.at, at, `seed ${seed}: ${one.id}`)
      assert.isAtMost(lastBegun, at)
      const state = stateOf(yield* engine.load("run_1"))
      assert.strictEqual(state.run.status, "running")
      assert.deepInclude(statusesOf(state), { p: "failed", endless: "in_progress" })
      assert.sameMembers(
        Object.entries(statusesOf(state)).flatMap(([id, status]) => (status === "in_progress" ? id : [])),
        ["endless"]
      )
      yield* engine.execute("run_1", cancel())
      yield* Fiber.join(driving)
      interruptions += parts.length
      yield* TestClock.setTime(0)
    }
    assert.isAbove(interruptions, often(20))
  })
})
