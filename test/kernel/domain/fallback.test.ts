import { assert, describe, it } from "@effect/vitest"
import { defaultChunkingConfig, type RunConfig } from "@proofline/kernel"
import { aTask } from "@proofline/kernel/testing"
import { begun, type Played } from "../support/play.ts"
import { activityFailed, cancel, end, endTerminal, judged, resume, start, verified } from "../support/words.ts"

const order: Partial<RunConfig> = { agent: "claude", fallback: ["codex", "gemini"] }
const a = aTask("a")
const two = [a, aTask("b")]
const by = (agent: string) => ({ agent })

const overloaded = (task: string, attempt: number, over: object = {}) =>
  end(task, attempt, "ERROR", {
    error: { code: "agent_overloaded", message: "It is overloaded.", terminal: false, transient: true, ...over }
  })

describe("an agent that cannot work any more, with others in its place", () => {
  const without = (agents: ReadonlyArray<string>, over: Partial<RunConfig> = {}): Played =>
    agents.reduce(
      (play, agent, index) => play.after(start("a", index + 1, by(agent)), endTerminal("a", index + 1)),
      begun([a], { ...order, ...over })
    )

  it("is followed by the next: the same task is worked on at once, and the attempt does not count", () => {
    const play = without(["claude"])
    assert.strictEqual(play.run.status, "running")
    assert.deepStrictEqual(play.delays, [["attempt/a/2", 0]])
    assert.strictEqual(play.task("a").retry_count, 0)
    const done = play.after(start("a", 2, by("codex")), end("a", 2), verified("a", 2))
    assert.strictEqual(done.run.status, "completed")
  })

  it("is begun no more, also by who chose it before its breaker was open", () => {
    const late = begun(two, order)
      .after(start("a", 1, by("claude")), endTerminal("a"))
      .when(start("b", 1, by("claude")))
    assert.strictEqual(late.code, "agent_unavailable")
    assert.include(late.when(start("b", 1, by("codex"))).types, "ATTEMPT_STARTED")
  })

  it("stops the run only when nobody is left, and names all of them", () => {
    assert.strictEqual(without(["claude", "codex"]).run.status, "running")
    const play = without(["claude", "codex", "gemini"])
    assert.deepInclude(play.content("RUN_FAILED"), { reason: "breaker" })
    assert.include(play.content("RUN_FAILED").message, "claude and codex and gemini")
  })

  it("is asked first again after a resume", () => {
    const play = without(["claude", "codex", "gemini"]).after(resume())
    assert.deepStrictEqual(play.orders, ["attempt/a/4/1"])
    assert.strictEqual(play.run.breakers.toString(), begun([a], order).run.breakers.toString())
  })

  it("is not followed where it alone is named", () => {
    const play = begun(two, { agent: "claude" }).after(start("a", 1, by("claude")), endTerminal("a"))
    assert.strictEqual(play.run.status, "failed")
  })

  it("stops what needs a reviewer of another name", () => {
    const reviewed = aTask("a", { checks: [], validation: ["good"] })
    const config = { ...order, reviewer: "critic", reviewer_named: true }
    const judged = begun([reviewed], config).after(start("a", 1, by("claude")), end("a"))
    const play = judged.after({ ...activityFailed("a", 1, "review"), agent: "critic", terminal: true })
    assert.strictEqual(play.run.status, "failed")
  })

  it("is followed as a reviewer too, by other work", () => {
    const reviewed = aTask("a", { checks: [], validation: ["good"] })
    const config = { ...order, reviewer: "claude", reviewer_named: true }
    const judged = begun([reviewed], config).after(start("a", 1, by("claude")), end("a"))
    assert.deepStrictEqual(judged.orders, ["review/a/1"])
    const play = judged.after({ ...activityFailed("a", 1, "review"), agent: "claude", terminal: true })
    assert.deepStrictEqual(play.orders, ["review/a/1/by/codex"])
    const keys = play.after(cancel()).cancels
    assert.deepInclude(keys, { key: "review/a/1/by/codex" })
  })
})

describe("work that an agent was asked for before its breaker opened elsewhere", () => {
  const reviewer = { ...order, reviewer: "claude", reviewer_named: true }
  const reviewed = begun([aTask("a", { checks: [], validation: ["good"] }), aTask("b")], reviewer)
    .after(start("b", 1, by("claude")), start("a", 1, by("claude")), end("a"))
    .after(endTerminal("b"))
  const analysed = begun([aTask("a", { chunk: "auto" }), aTask("b")], {
    ...order,
    chunking: { ...defaultChunkingConfig, analyzer: "agent" }
  }).after(start("b", 1, by("claude")), endTerminal("b"))

  it.each([
    ["review", reviewed, {}, 1],
    ["review", reviewed, { agent: "claude", terminal: true }, 1],
    ["analyzer-agent", analysed, {}, 0],
    ["analyzer-agent", analysed, { agent: "claude", terminal: true }, 0]
  ] as const)("is done by the next when it fails: %s", (activity, play, over, attempt) => {
    const failed = play.after({ ...activityFailed("a", attempt, activity), ...over })
    assert.deepStrictEqual(failed.orders, [`${activity}/a/${attempt}/by/codex`])
    assert.isNull(failed.task("a").blocked)
  })

  it("is taken from it when it succeeds", () => {
    const done = reviewed.after(judged("a", 1, "PASS"))
    assert.strictEqual(done.task("a").status, "completed")
  })
})

describe("an attempt that ends because the provider is overloaded", () => {
  const claude: Partial<RunConfig> = { ...order, max_retries: 2, retry_delay_ms: 1_000, backoff_multiplier: 2 }
  const tried = (...errors: ReadonlyArray<object>): Played =>
    errors.reduce<Played>(
      (play, over, index) => play.after(start("a", index + 1, by("claude")), overloaded("a", index + 1, over)),
      begun([a], claude)
    )

  it("is made again after a wait that grows, and uses up no retry", () => {
    const once = tried({})
    assert.deepStrictEqual(once.delays, [["attempt/a/2", 1_000]])
    const twice = tried({}, {})
    assert.deepStrictEqual(twice.delays, [["attempt/a/3", 2_000]])
    assert.strictEqual(twice.task("a").retry_count, 0)
    const failed = twice.after(start("a", 3, by("claude")), end("a", 3, "ERROR"))
    assert.strictEqual(failed.task("a").retry_count, 1)
  })

  it("waits as long as it is told to", () => {
    assert.deepStrictEqual(tried({ retry_after_ms: 60_000 }).delays, [["attempt/a/2", 60_000]])
    assert.deepStrictEqual(tried({ retry_after_ms: 10 }).delays, [["attempt/a/2", 1_000]])
  })

  it("is left to the next agent when that has not helped", () => {
    const play = tried({}, {}, {})
    assert.strictEqual(play.contents("ATTEMPT_ENDED")[0]?.error?.terminal, true)
    assert.deepStrictEqual(play.delays, [["attempt/a/4", 0]])
    assert.strictEqual(play.run.status, "running")
    assert.strictEqual(play.task("a").transient_count, 0)
  })

  it("stops the run resumable where nobody else is named, whatever was tried before counts no more", () => {
    const alone = { ...claude, fallback: [] }
    const play = begun([a], { ...alone, max_retries: 0 }).after(start("a", 1, by("claude")), overloaded("a", 1))
    assert.deepInclude(play.content("RUN_FAILED"), { reason: "breaker" })
    assert.strictEqual(play.task("a").status, "pending")
    const again = play.after(resume())
    assert.strictEqual(again.run.status, "running")
  })
})
