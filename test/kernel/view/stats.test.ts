import { assert, describe, it } from "@effect/vitest"
import {
  type AnyCommand,
  type Composition,
  composePlugins,
  emptySnapshot,
  foldCounts,
  foldEvent,
  noCounts,
  obligationsOfAll,
  type RunConfig,
  type Snapshot,
  type StatsGroup,
  type StatsKey,
  statsBy,
  statsCellsOf,
  statsCellTexts,
  statsColumns,
  statsKeys,
  step,
  type Usage
} from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { Result } from "effect"
import { often } from "../../often.ts"
import { aggregated, analysed, aPart, chunking, measured } from "../support/chunks.ts"
import { randomHistory } from "../support/histories.ts"
import { judge } from "../support/judge.ts"
import { forSeeds } from "../support/random.ts"
import { done, end, endReporting, evidence, gone, judged, revisited, start, stateOf, waived } from "../support/words.ts"

/** The cells of a run, and the run as it stands. */
const counted = (composition: Composition, commands: ReadonlyArray<AnyCommand>) => {
  let snapshot: Snapshot = emptySnapshot(composition)
  let counts = noCounts
  for (const command of commands) {
    const decided = step(composition, snapshot, command)
    if (Result.isFailure(decided)) throw decided.failure
    for (const event of decided.success.events) {
      snapshot = foldEvent(composition, snapshot, event)
      const state = stateOf(snapshot)
      counts = foldCounts(counts, event, () => state)
    }
  }
  const state = stateOf(snapshot)
  return { cells: statsCellsOf(state, counts), state }
}

const nothing = { since: null, left_out: [] }
const played = (commands: ReadonlyArray<AnyCommand>, ...by: ReadonlyArray<StatsKey>) =>
  statsBy(by, counted(composePlugins([judge]), commands).cells, nothing)

const said = (task_id: string, attempt: number, usage: Usage | null, over: object = {}): AnyCommand => ({
  _tag: "RecordUsage",
  agent: "command",
  role: "work",
  task_id,
  attempt,
  usage,
  ...over
})
const used: Usage = { input_tokens: 70, output_tokens: 30, cost_usd: 0.5 }
const config: Partial<RunConfig> = {
  agents: { command: { preset: "claude", model: "small" }, other: { command: "x" } }
}
const two = aTask("a", { checks: [], checklist: [{ item: "one" }, { item: "two" }] })
const pick = <K extends keyof StatsGroup>(group: StatsGroup | undefined, ...keys: ReadonlyArray<K>) =>
  Object.fromEntries(keys.map((key) => [key, group?.[key]]))

describe("the figures of a run", () => {
  it("given an omitted and a refused claim, another agent and a waived item, counts each where it belongs", () => {
    const { groups, total } = played(
      [
        aRun([two], config),
        start("a"),
        said("a", 1, used),
        endReporting("a", 1, [{ item: "one", status: "done" }]),
        evidence("a", 1),
        start("a", 2, { agent: "other" }),
        endReporting("a", 2, [done("one"), waived("two")]),
        evidence("a", 2, 0),
        revisited()
      ],
      "agent",
      "model"
    )
    assert.deepStrictEqual(
      groups.map((group) =>
        pick(
          group,
          "agent",
          "model",
          "claimed",
          "accepted",
          "asked",
          "omitted",
          "retries",
          "items",
          "items_proven",
          "items_waived"
        )
      ),
      [
        {
          agent: "command",
          model: "small",
          claimed: 1,
          accepted: 0,
          asked: 2,
          omitted: 1,
          retries: 0,
          items: 0,
          items_proven: 0,
          items_waived: 0
        },
        {
          agent: "other",
          model: null,
          claimed: 1,
          accepted: 1,
          asked: 2,
          omitted: 0,
          retries: 1,
          items: 2,
          items_proven: 1,
          items_waived: 1
        }
      ]
    )
    assert.deepStrictEqual(groups[0]?.refusals, { checklist_evidence_required: 2 })
    assert.deepInclude(total, { runs: 1, tasks: 1, attempts: 2, refused: 2, acceptance_rate: 0.5, omission_rate: 0.25 })
  })

  it("given one call that says what it used and one that does not, knows a part, and says so; given none, knows nothing", () => {
    const run = (usage: Usage | null) => [
      aRun([two], config),
      start("a"),
      ...(usage === null ? [] : [said("a", 1, usage)]),
      end("a", 1, "ERROR"),
      start("a", 2),
      endReporting("a", 2, [done("one"), done("two")]),
      evidence("a", 2, 0, 1)
    ]
    const { total } = played(run(used))
    assert.deepInclude(total, { calls: 2, input_tokens: 70, output_tokens: 30, tokens_unknown: 1, cost_usd: 0.5 })
    assert.deepInclude(total.per_proven_item, { tokens: 50, cost_usd: 0.25 })
    const text = (of: typeof total, name: string) =>
      statsCellTexts(of)[statsColumns.findIndex((one) => one.name === name)]
    assert.strictEqual(text(total, "tokens"), "≥ 100")
    const silent = played(run(null)).total
    assert.deepInclude(silent, { calls: 2, input_tokens: null, output_tokens: null, tokens_unknown: 2, cost_usd: null })
    assert.deepInclude(silent.per_proven_item, { tokens: null, cost_usd: null })
    assert.strictEqual(text(silent, "tokens/item"), "unknown")
  })

  it("given an attempt that was lost, does not call the one after it a retry", () => {
    const { total } = played([aRun([two], config), start("a"), end("a", 1, "LOST", { report: null }), start("a", 2)])
    assert.deepInclude(total, { attempts: 2, lost: 1, retries: 0 })
  })

  it("given a fork, counts what happened in it alone, and what it was told of in the first run", () => {
    const first = [
      aRun([two], config),
      start("a"),
      said("a", 1, used),
      endReporting("a", 1, [done("one"), done("two")]),
      evidence("a", 1, 0)
    ]
    const forked: AnyCommand = { _tag: "ForkRun", run_id: "r", version: 1, hash: "0".repeat(64) }
    const { total } = played([...first, forked])
    assert.deepStrictEqual(
      pick(total, "runs", "attempts", "retries", "claimed", "accepted", "refused", "items", "calls"),
      {
        runs: 1,
        ...{ attempts: 0, retries: 0, claimed: 0, accepted: 0, refused: 0, items: 1, calls: 0 }
      }
    )
    assert.strictEqual(total.cost_usd, null)
    // what goes on is counted, one that was tried before is a retry, and what was shown there counts there
    const on = played([
      ...first,
      forked,
      start("a", 2),
      endReporting("a", 2, [done("one"), done("two")]),
      evidence("a", 2, 0, 1)
    ])
    assert.deepStrictEqual(
      pick(on.total, "attempts", "retries", "claimed", "accepted", "refused", "items", "items_proven"),
      { attempts: 1, retries: 1, claimed: 2, accepted: 2, refused: 0, items: 1, items_proven: 1 }
    )
  })

  it("given a fork while an attempt is under way, counts neither it nor that it is lost there", () => {
    const forked: AnyCommand = { _tag: "ForkRun", run_id: "r", version: 1, hash: "0".repeat(64) }
    const { total } = played([
      aRun([two], config),
      start("a"),
      forked,
      end("a", 1, "LOST", { report: null }),
      start("a", 2)
    ])
    assert.deepStrictEqual(pick(total, "attempts", "lost", "retries", "duration_unknown", "calls"), {
      ...{ attempts: 1, lost: 0, retries: 0, duration_unknown: 0, calls: 0 }
    })
  })

  it("given a reviewer, counts its refusal, and its call for itself", () => {
    const task = aTask("a", { checks: [], checklist: [{ item: "one" }], validation: ["good"] })
    const { groups } = played(
      [
        aRun([task], { ...config, reviewer: "critic", reviewer_named: true }),
        start("a"),
        endReporting("a", 1, [done("one")]),
        evidence("a", 1, 0),
        said("a", 1, used, { agent: "critic", role: "review" }),
        judged("a", 1, "REJECT")
      ],
      "agent"
    )
    assert.deepStrictEqual(
      groups.map((group) => pick(group, "agent", "calls", "input_tokens", "refusals")),
      [
        { agent: "command", calls: 1, input_tokens: null, refusals: { review_reject: 1 } },
        { agent: "critic", calls: 1, input_tokens: 70, refusals: {} }
      ]
    )
  })

  it("given very many calls, counts all of them", () => {
    const calls = 60_000
    const state = stateOf(emptySnapshot(composePlugins([judge])))
    let counts = noCounts
    for (let i = 0; i < calls; i++) {
      const content = { task_id: `task_${i}`, attempt: 1, role: "work", agent: "a", usage: { cost_usd: 1 } }
      counts = foldCounts(counts, { type: "AGENT_CALLED", content }, () => state)
    }
    assert.strictEqual(statsBy([], statsCellsOf(state, counts), nothing).total.cost_usd, calls)
  })

  it("given a task that was split, counts its items once, for the agents of the parts that show them", () => {
    const split = aTask("p", { checks: [], chunk: "asked", checklist: [{ item: "one" }, { item: "two" }] })
    const works = (id: string, agent: string, item: string) => [
      start(id, 1, { agent }),
      endReporting(id, 1, [done(item)]),
      evidence(id, 1, 0),
      measured(id),
      judged(id)
    ]
    const { groups, total } = played(
      [
        aRun([split], { ...config, ...chunking(), reviewer: "critic", reviewer_named: true }),
        analysed([aPart("1", { checklist: [0] }), aPart("2", { checklist: [1] })]),
        ...works("p-sub-1", "command", "one"),
        ...works("p-sub-2", "other", "two"),
        aggregated(),
        evidence("p", 1, 0, 1),
        revisited()
      ],
      "agent"
    )
    assert.deepInclude(total, { tasks: 1, items: 2, items_proven: 2, claimed: 2, accepted: 2, attempts: 2 })
    assert.deepStrictEqual(
      groups.map((group) => pick(group, "agent", "items", "items_proven")),
      [
        { agent: "command", items: 1, items_proven: 1 },
        { agent: "other", items: 1, items_proven: 1 },
        { agent: "critic", items: 0, items_proven: 0 }
      ]
    )
  })

  it("given something that is stale later, counts the acceptance as it was, and the item as it is", () => {
    const { total } = played([
      aRun([two], config),
      start("a"),
      endReporting("a", 1, [done("one"), done("two")]),
      evidence("a", 1, 0, 1),
      revisited(0, [gone("a", 1, 0)], 2)
    ])
    assert.deepInclude(total, { accepted: 2, stale: 1, items: 2, items_open: 2 })
    assert.deepStrictEqual(total.refusals, {})
  })

  it("given any history, counts every item once as `status` does, and comes to the same whatever is kept apart in whatever order", () => {
    const composition = composePlugins([judge])
    forSeeds(often(200), (random, seed) => {
      const options = { commands: 60, wild: false, chunks: seed % 3 === 1, races: seed % 3 === 2 }
      const { taken } = randomHistory(random, options)
      const { cells, state } = counted(
        composition,
        taken.map(({ command }) => command)
      )
      const whole = statsBy([], cells, nothing)
      const items = obligationsOfAll(state).filter(({ kind }) => kind === "item")
      const has = (...verdicts: ReadonlyArray<string>) =>
        items.filter(({ verdict }) => verdicts.includes(verdict)).length
      assert.deepInclude(whole.total, {
        items: items.length,
        items_proven: has("proven"),
        items_weak: has("weak"),
        items_waived: has("waived"),
        items_open: has("unproven", "refuted", "stale"),
        attempts: taken.filter(({ step }) => step.events.some(({ type }) => type === "ATTEMPT_STARTED")).length
      })
      const by = random.shuffled(statsKeys).slice(random.below(3))
      const apart = statsBy(by, cells, nothing)
      assert.deepStrictEqual(apart.total, whole.total)
      const sum = (figure: (group: StatsGroup) => number) => apart.groups.reduce((all, group) => all + figure(group), 0)
      assert.strictEqual(
        sum(({ claimed }) => claimed),
        whole.total.claimed
      )
      assert.strictEqual(
        sum(({ refused }) => refused),
        whole.total.refused
      )
      assert.strictEqual(
        sum(({ items: count }) => count),
        whole.total.items
      )
      for (const group of apart.groups) assert.deepStrictEqual(Object.keys(group).slice(0, by.length), [...by])
    })
  })
})
