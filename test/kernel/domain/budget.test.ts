import { assert, describe, it } from "@effect/vitest"
import {
  budgetExceeded,
  budgetProblem,
  type CommandOf,
  callRecord,
  defaultRunConfig,
  definePlugin,
  kinds,
  nothingSpent,
  plugin,
  type RecordUsage,
  Run,
  type RunConfig,
  remainingBudget,
  spentLimit,
  tasksOf,
  type Usage,
  unlimited,
  unreportedUsage
} from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { often } from "../../often.ts"
import { attemptsStarted, callsOf, outcomeOf, play, randomBudget, usage } from "../support/budgets.ts"
import { chunking } from "../support/chunks.ts"
import { randomChunking, randomConfig } from "../support/histories.ts"
import { begun, played } from "../support/play.ts"
import { forSeeds, type Random, randomTasks } from "../support/random.ts"
import { recordedOf, replayOf } from "../support/recorded.ts"
import { end, endTerminal, judged, resume, start, stateOf, verified } from "../support/words.ts"

const budget = (over: Partial<RunConfig["budget"]>): Pick<RunConfig, "budget"> => ({
  budget: { ...unlimited, ...over }
})
const called = (
  task_id: string,
  attempt = 1,
  over: Partial<CommandOf<typeof RecordUsage>> = {}
): CommandOf<typeof RecordUsage> => ({
  _tag: "RecordUsage",
  agent: "command",
  role: "work",
  task_id,
  attempt,
  usage,
  ...over
})
/** An attempt that is accepted. */
const passes = (id: string, attempt = 1) => [start(id, attempt), end(id, attempt), verified(id, attempt)]
const a = aTask("a")
const b = aTask("b")

describe("a budget", () => {
  it("has no problem before it is used up, and tells which limit is reached and how much was spent", () => {
    const of = (limits: Partial<RunConfig["budget"]>, spent: Partial<typeof nothingSpent>) =>
      budgetProblem({ ...unlimited, ...limits }, { ...nothingSpent, ...spent })
    assert.isNull(of({}, { attempts: 1e9, calls: 1e9, tokens: 1e9, cost_usd: 1e9 }))
    assert.isNull(of({ max_attempts: 3, max_tokens: 10, max_cost_usd: 0.5 }, { attempts: 2, tokens: 9, cost_usd: 0.4 }))
    assert.deepStrictEqual(of({ max_attempts: 3 }, { attempts: 3 }), {
      limit: "max_attempts",
      message: "The budget is used up: 3 of 3 attempts (max_attempts)."
    })
    assert.strictEqual(
      of({ max_calls: 1 }, { calls: 1 })?.message,
      "It was stopped after one call of an agent, to be looked at."
    )
    assert.strictEqual(
      of({ max_calls: 2 }, { calls: 2 })?.message,
      "The budget is used up: 2 of 2 agent calls (max_calls)."
    )
    assert.strictEqual(
      of({ max_tokens: 10 }, { tokens: 12 })?.message,
      "The budget is used up: 12 of 10 tokens (max_tokens)."
    )
    assert.strictEqual(
      of({ max_cost_usd: 0.3 }, { cost_usd: 0.1 + 0.1 + 0.1 - 1e-12 })?.message,
      "The budget is used up: $0.3 of $0.3 (max_cost_usd)."
    )
    // the one that holds back more is told
    assert.strictEqual(of({ max_attempts: 1, max_tokens: 1 }, { attempts: 1, tokens: 1 })?.limit, "max_tokens")
  })

  it("has what was not spent left, never less than nothing", () => {
    assert.deepStrictEqual(
      remainingBudget(
        { max_attempts: 3, max_calls: 2, max_duration_ms: 5_000, max_tokens: 10, max_cost_usd: null },
        { attempts: 1, calls: 2, tokens: 12, cost_usd: 1 }
      ),
      { max_attempts: 2, max_calls: 0, max_duration_ms: 5_000, max_tokens: 0, max_cost_usd: null }
    )
  })

  it("counts a call where the agent says what it used, or where calls are counted", () => {
    const config = (over: Partial<RunConfig["budget"]>) => ({ ...defaultRunConfig, ...budget(over) })
    const record = (over: Partial<RunConfig["budget"]>, said: Usage | null) =>
      callRecord(config(over), called("a", 1, { usage: said }))
    assert.isNull(record({ max_tokens: 5 }, null))
    assert.isNull(record({ max_tokens: 5 }, unreportedUsage))
    assert.deepStrictEqual(record({ max_calls: 5 }, unreportedUsage)?.usage, null)
    assert.deepStrictEqual(record({}, { ...unreportedUsage, cost_usd: 0 })?.usage, { ...unreportedUsage, cost_usd: 0 })
  })
})

describe("what is spent", () => {
  it("is folded from attempts and calls, and is nothing again after a resume", () => {
    const run = begun([a, b]).after(
      start("a"),
      called("a"),
      called("a", 1, { usage: { input_tokens: 5, output_tokens: null, cost_usd: null } }),
      called("a", 1, { usage: null })
    )
    const { spent } = run.when(end("a")).run
    assert.deepStrictEqual(spent, { attempts: 1, calls: 3, tokens: 105, cost_usd: 0.1 })
    assert.deepStrictEqual(run.when(resume()).run.spent, nothingSpent)
  })
})

describe("a run whose attempts are used up", () => {
  const limited = budget({ max_attempts: 1 })

  it("begins no other, and goes on with what has begun", () => {
    const run = begun([a, b], limited).after(start("a"))
    assert.strictEqual(run.when(start("b")).code, "task_not_ready")
    const then = run.when(end("a"))
    assert.strictEqual(then.run.status, "running")
    assert.deepStrictEqual(then.orders, ["checks/a/1"])
  })

  it("has what it has done reviewed: only attempts are held back", () => {
    const c = aTask("c", { validation: ["It is good."] })
    const then = begun([c, b], { ...limited, reviewer: "critic" }).after(start("c"), end("c"), verified("c"))
    assert.deepStrictEqual(then.orders, ["review/c/1"])
  })

  it("ends when nothing more can happen; what is left stays open", () => {
    const then = begun([a, b], limited).after(start("a"), end("a"), verified("a"))
    assert.deepInclude(then.content("RUN_FAILED"), {
      total: 2,
      completed: 1,
      failed: 0,
      skipped: 0,
      reason: "budget",
      message: "The budget is used up: 1 of 1 attempt (max_attempts)."
    })
    const { run } = then.state
    assert.deepStrictEqual([run.status, run.failed_by], ["failed", "budget"])
    assert.strictEqual(then.task("b").status, "pending")
  })

  it("ends while a refused task waits for its retry, which a resume grants", () => {
    const run = begun([a], limited).after(start("a"))
    const ended = run.when(end("a", 1, "ERROR"))
    assert.deepStrictEqual(ended.types.slice(-2), ["TASK_STATUS_CHANGED", "RUN_FAILED"])
    const then = run.after(end("a", 1, "ERROR"), resume())
    assert.deepStrictEqual(then.delays, [["attempt/a/2/1", 2_000]])
    assert.strictEqual(then.task("a").retry_count, 1)
  })

  it("is completed when the budget is used exactly", () => {
    const then = begun([a, b], budget({ max_attempts: 2 })).after(...passes("a"), start("b"), end("b"), verified("b"))
    assert.deepStrictEqual([then.run.status, then.run.failed_by], ["completed", null])
  })

  it("is ended by what failed where the first failure ends it", () => {
    const then = begun([a, b], { ...limited, fail_fast: true, max_retries: 0 }).after(start("a"), end("a", 1, "ERROR"))
    assert.strictEqual(then.content("RUN_FAILED").reason, "fail_fast")
  })

  it("is ended by an agent that cannot work, whatever is left of the budget", () => {
    const then = begun([a, b], limited).after(start("a"), endTerminal("a"))
    assert.strictEqual(then.content("RUN_FAILED").reason, "breaker")
  })

  it("does not split a task that could not be begun", () => {
    const split = aTask("p", { chunk: "asked", depends_on: ["a"] })
    const then = begun([a, split], { ...limited, ...chunking() }).after(start("a"), end("a"), verified("a"))
    assert.notInclude(then.types, "CHUNKING_START")
    assert.strictEqual(then.run.failed_by, "budget")
  })
})

describe("a run whose tokens are used up", () => {
  const limited = { ...budget({ max_tokens: 100 }), reviewer: "critic" }
  const c = aTask("c", { validation: ["It is good."], checks: [] })
  const held = (key: string, task_id: string) => ({
    _tag: "RecordActivityFailure" as const,
    name: "review",
    key,
    input: { task_id, attempt: 1 },
    code: budgetExceeded,
    message: "No token is left."
  })

  it("takes the attempt that has used them to its end", () => {
    const run = begun([a, b], limited).after(start("a"))
    assert.deepStrictEqual(run.when(called("a")).types, ["AGENT_CALLED"])
    const then = run.after(called("a"), end("a"))
    assert.strictEqual(then.run.status, "running")
  })

  it("waits for a review that was ordered, which may be under way, and takes its judgement", () => {
    const run = begun([c, b], limited).after(start("c"), called("c"), end("c"))
    const then = run.when(judged("c"))
    assert.strictEqual(then.task("c").status, "completed")
    assert.strictEqual(then.run.failed_by, "budget")
  })

  it("ends when nobody may begin the review, and orders it anew after a resume", () => {
    const run = begun([c, b], limited).after(start("c"), called("c"), end("c"))
    const then = run.when(held("review/c/1", "c"))
    assert.deepStrictEqual(then.types, ["ACTIVITY_FAILED", "RUN_FAILED"])
    const resumed = run.after(held("review/c/1", "c"), resume())
    assert.sameMembers([...resumed.orders], ["review/c/1/1", "attempt/b/1/1"])
    assert.strictEqual(resumed.task("c").attempts, 1)
  })

  it("does not end by a call that is made while something else goes on", () => {
    const run = begun([a, b], limited).after(start("a"), start("b"))
    assert.deepStrictEqual(run.when(called("a")).types, ["AGENT_CALLED"])
  })
})

describe("a resume after a budget was used up", () => {
  it("goes on with what is left and leaves what has failed", () => {
    const run = begun([a, b], { ...budget({ max_attempts: 1 }), max_retries: 0 }).after(
      start("a"),
      end("a", 1, "ERROR")
    )
    const then = run.when(resume())
    assert.deepStrictEqual(then.content("RUN_RESUMED").reopened, [])
    assert.deepStrictEqual(then.orders, ["attempt/b/1/1"])
  })

  it("takes up again what was given up because the time was over, and nothing else", () => {
    const afterA = aTask("after-a", { depends_on: ["a"] })
    const run = begun([a, afterA, b], { max_retries: 0 }).after(start("a"), start("b"), end("a", 1, "ERROR"), {
      _tag: "ExhaustBudget",
      message: "The time is over."
    })
    const then = run.when(resume())
    assert.deepStrictEqual(then.content("RUN_RESUMED").reopened, [{ task_id: "b", from: "start" }])
    assert.strictEqual(then.task("after-a").status, "skipped")
  })
})

/** A run of random tasks, some of which are split. */
const randomRun = (random: Random, over: Partial<RunConfig["budget"]>) => {
  const isSplit = random.chance(0.5)
  const config: RunConfig = {
    ...randomConfig(random),
    ...(isSplit ? { chunking: randomChunking(random) } : {}),
    ...budget(over)
  }
  const specs = () => ({
    checks: random.chance(0.7) ? ["true"] : [],
    checklist: random.chance(0.5) ? [{ item: "one" }] : [],
    validation: random.chance(0.5) ? ["good"] : [],
    chunk: isSplit ? random.pick(["asked", "auto", "no"] as const) : ("no" as const)
  })
  return aRun(randomTasks(random, isSplit ? 3 : 6, specs), config)
}

describe("whatever agents do, under whatever limit", () => {
  it("no run begins more attempts than it may, and every run ends", () => {
    let reached = 0
    forSeeds(often(400), (random, seed) => {
      const limits = randomBudget(random)
      const run = randomRun(random, limits)
      const { legs, snapshot } = play({ run, seed, slots: 1 + random.below(4), random, resume: resume() })
      assert.notStrictEqual(stateOf(snapshot).run.status, "running")
      for (const leg of legs) {
        assert.isAtMost(attemptsStarted(leg), limits.max_attempts ?? Number.POSITIVE_INFINITY)
        const ends = leg.flatMap(({ content, type }) => (type === "RUN_FAILED" ? [content as { reason: string }] : []))
        if (ends[0]?.reason === "budget") reached++
      }
      // a leg that was not the last one has brought the run further
      for (const leg of legs.slice(0, -1)) assert.isAbove(attemptsStarted(leg) + callsOf(leg), 0)
    })
    assert.isAbove(reached, often(500))
  })

  it("one worker makes no more calls than it may, and stops after each in a step", () => {
    forSeeds(often(300), (random, seed) => {
      const max_calls = 1 + random.below(3)
      const { legs } = play({ run: randomRun(random, { max_calls }), seed, slots: 1, random, resume: resume() })
      for (const leg of legs) assert.isAtMost(callsOf(leg), max_calls)
    })
  })

  it("a chain of resumes ends as the run without a limit does", () => {
    let chains = 0
    forSeeds(often(400), (random, seed) => {
      const limits = randomBudget(random)
      const run = randomRun(random, {})
      const limited = { ...run, config: { ...run.config, ...budget(limits) } }
      const free = play({ run, seed, slots: 1, random, resume: null })
      const chain = play({ run: limited, seed, slots: 1, random, resume: resume() })
      assert.deepStrictEqual(outcomeOf(chain.snapshot), outcomeOf(free.snapshot))
      chains += Number(chain.legs.length > 2)
    })
    assert.isAbove(chains, often(100))
  })

  it("a run that stays within its limit never notices it", () => {
    forSeeds(often(200), (random, seed) => {
      const run = randomRun(random, {})
      const free = play({ run, seed, slots: 1, random, resume: null })
      const events = free.legs.flat()
      const exactly = budget({ max_attempts: Math.max(1, attemptsStarted(events)) })
      const limited = play({
        run: { ...run, config: { ...run.config, ...exactly } },
        seed,
        slots: 1,
        random,
        resume: null
      })
      assert.deepStrictEqual(outcomeOf(limited.snapshot), outcomeOf(free.snapshot))
    })
  })

  it("a replay of the log comes to the same decisions", () => {
    forSeeds(often(100), (random, seed) => {
      const run = randomRun(random, randomBudget(random))
      const { composition, batches, snapshot } = play({ run, seed, slots: 3, random, resume: resume() })
      const { divergence, snapshot: replayed } = replayOf(composition, recordedOf(composition, batches))
      assert.isNull(divergence, JSON.stringify(divergence))
      assert.deepStrictEqual(stateOf(replayed).run.spent, stateOf(snapshot).run.spent)
      assert.strictEqual(tasksOf(stateOf(replayed)).length, tasksOf(stateOf(snapshot)).length)
    })
  })
})

describe("a run of a kind that has no budget", () => {
  const Visited = plugin("visited", { state: null, after: [Run] })
  const visited = definePlugin(Visited, {
    version: "1",
    parts: [
      Visited.offer(kinds, "kind", {
        name: "visited",
        hasBudget: false,
        begin: () => Visited.tell([]),
        recall: () => ({}),
        counts: () => ({ total: 0, completed: 0, failed: 0, skipped: 0 }),
        ends: () => null,
        progress: () => ({})
      })
    ]
  })

  it("is not limited: its agents come by themselves", () => {
    const limitOf = (kind: string) => {
      const run = played(visited).after({ ...aRun([a]), kind, config: { ...defaultRunConfig, ...limited } })
      return spentLimit(run.after(called("a")).state)
    }
    const limited = budget({ max_calls: 1 })
    assert.isNull(limitOf("visited"))
    assert.isNotNull(limitOf("tasks"))
  })
})
