import { assert, describe, it } from "@effect/vitest"
import type { RunConfig } from "@proofline/kernel"
import { aRun, aTask, type ScriptedAttempt } from "@proofline/kernel/testing"
import { Effect, Fiber, Latch } from "effect"
import { effect } from "../../effects.ts"
import { often } from "../../often.ts"
import { letOthersGoOn } from "../support/letOthersGoOn.ts"
import { forSeeds, type Random, randomFrom, randomTasks } from "../support/random.ts"
import { all, badly, newLog, newProcess, plays, runOf, statusesOf, well, workerOptions } from "../support/world.ts"

describe("a worker", () => {
  effect("has as many attempts running as it has slots, and never one more", function* () {
    const full = Latch.makeUnsafe(false)
    const goOn = Latch.makeUnsafe(false)
    let running = 0
    let most = 0
    const log = yield* newLog
    const { runner } = yield* newProcess(
      log,
      plays(() =>
        Effect.gen(function* () {
          running++
          most = Math.max(most, running)
          if (running === 3) yield* full.open
          yield* goOn.await
          running--
          return well
        })
      )
    )
    const tasks = Array.from({ length: 9 }, (_, i) => aTask(`t${i}`))
    const driving = yield* Effect.forkChild(runner.drive("run_1", aRun(tasks), workerOptions({ slots: 3 })))
    yield* full.await
    yield* letOthersGoOn
    assert.strictEqual(running, 3)
    yield* goOn.open
    const state = yield* Fiber.join(driving)
    assert.strictEqual(state.run.status, "completed")
    assert.strictEqual(most, 3)
  })

  effect("begins with the tasks on which the longest chains wait", function* () {
    const tasks = [
      aTask("x"),
      aTask("a"),
      aTask("b", { depends_on: ["a"] }),
      aTask("c", { depends_on: ["b"] }),
      aTask("y")
    ]
    const begun: Array<string> = []
    yield* runOf(
      tasks,
      (id) => {
        begun.push(id)
        return Effect.succeed(well)
      },
      {},
      1
    )
    assert.deepStrictEqual(begun, ["a", "b", "x", "y", "c"])
  })

  effect("takes only work whose labels it offers", function* () {
    const log = yield* newLog
    const begun: Array<string> = []
    const plugins = plays((id) => {
      begun.push(id)
      return Effect.succeed(well)
    })
    const without = yield* newProcess(log, plugins, "a")
    const withLabel = yield* newProcess(log, plugins, "b")
    const driving = yield* Effect.forkChild(
      without.runner.drive("run_1", aRun([aTask("a")], { labels: ["gpu"] }), workerOptions())
    )
    yield* letOthersGoOn
    assert.deepStrictEqual(begun, [])
    yield* Fiber.interrupt(driving)
    const state = yield* withLabel.runner.drive(
      "run_1",
      { _tag: "ResumeRun", driver: null, config: null },
      workerOptions({ labels: ["gpu", "x"] })
    )
    assert.strictEqual(state.run.status, "completed")
    assert.deepStrictEqual(begun, ["a"])
  })
})

/** How the attempts of each task go; beyond the list, as the last. */
type Plan = ReadonlyMap<string, ReadonlyArray<ScriptedAttempt["outcome"]>>

/** What must become of a run, worked out task by task without any engine. */
const foretold = (
  tasks: ReturnType<typeof randomTasks>,
  plan: Plan,
  config: Pick<RunConfig, "max_retries" | "retry_on" | "fail_fast">
) => {
  const statuses: Record<string, "completed" | "failed" | "skipped"> = {}
  const becomes = (id: string): "completed" | "failed" | "skipped" => {
    const task = tasks.find((one) => one.id === id)
    if (task?.depends_on.some((dependency) => becomes(dependency) !== "completed")) return "skipped"
    for (let retries = 0; ; retries++) {
      const outcome = plan.get(id)?.[retries] ?? "COMPLETE"
      if (outcome === "COMPLETE" && task?.checks.every((check) => check === "true")) return "completed"
      const condition = outcome === "COMPLETE" ? "INCOMPLETE" : outcome
      if (retries >= config.max_retries || !config.retry_on.includes(condition)) return "failed"
    }
  }
  for (const { id } of tasks) statuses[id] = becomes(id)
  const all = Object.values(statuses)
  const status = all.every((one) => one === "completed")
    ? "completed"
    : (config.fail_fast && all.includes("failed")) || !all.includes("completed")
      ? "failed"
      : "incomplete"
  return { status, statuses }
}

const randomPlan = (random: Random) => {
  const tasks = randomTasks(random, 12, () => ({ checks: random.chance(0.9) ? ["true"] : ["true", "false"] }))
  const plan: Plan = new Map(
    tasks.map(({ id }) => [
      id,
      Array.from({ length: random.below(4) }, () => random.pick(["COMPLETE", "ERROR", "TIMEOUT"] as const))
    ])
  )
  const config = {
    max_retries: random.below(4),
    retry_on: (["INCOMPLETE", "ERROR", "TIMEOUT"] as const).filter(() => random.chance(0.8)),
    fail_fast: random.chance(0.2)
  }
  return { tasks, plan, config, slots: 1 + random.below(4) }
}

describe("any run of any tasks", () => {
  effect("respects the dependencies and ends as foretold", function* () {
    const ends = new Map<string, number>()
    for (let seed = 1; seed <= often(150); seed++) {
      const { config, plan, slots, tasks } = randomPlan(randomFrom(seed))
      const { events, state } = yield* runOf(
        tasks,
        (id, attempt) => Effect.as(Effect.yieldNow, { outcome: plan.get(id)?.[attempt - 1] ?? "COMPLETE" }),
        config,
        slots
      )
      const expected = foretold(tasks, plan, config)
      assert.strictEqual(state.run.status, expected.status, `seed ${seed}`)
      if (!config.fail_fast) assert.deepStrictEqual(statusesOf(state), expected.statuses, `seed ${seed}`)
      ends.set(state.run.status, (ends.get(state.run.status) ?? 0) + 1)
      const completed = new Set<string>()
      for (const { content, event_type } of events) {
        const id = (content as { readonly task_id: string }).task_id
        if (event_type === "TASK_COMPLETED") completed.add(id)
        if (event_type !== "ATTEMPT_STARTED") continue
        const dependencies = tasks.find((task) => task.id === id)?.depends_on ?? []
        assert.includeMembers([...completed], [...dependencies], `seed ${seed}: ${id}`)
      }
    }
    for (const status of ["completed", "failed", "incomplete"])
      assert.isAbove(ends.get(status) ?? 0, often(10) - 1, status)
  })

  effect("starts every attempt once, in order, under a work item of its own", function* () {
    const { events } = yield* runOf([aTask("a"), aTask("b")], (id, n) =>
      Effect.succeed(id === "a" && n < 3 ? badly : well)
    )
    const started = all(events, "ATTEMPT_STARTED")
    assert.deepStrictEqual(
      started.filter(({ task_id }) => task_id === "a").map(({ attempt }) => attempt),
      [1, 2, 3]
    )
    assert.strictEqual(new Set(started.map(({ item_id }) => item_id)).size, 4)
  })
})

it("the random tasks are no trivial ones", () => {
  let edges = 0
  forSeeds(150, (random) => {
    edges += randomPlan(random).tasks.flatMap(({ depends_on }) => depends_on).length
  })
  assert.isAbove(edges, 500)
})
