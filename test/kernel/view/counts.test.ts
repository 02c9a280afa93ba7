import { assert, describe, it } from "@effect/vitest"
import {
  type AnyCommand,
  composePlugins,
  emptySnapshot,
  foldEvent,
  foldHistory,
  makeManifest,
  makeSummaries,
  noHistory,
  proofOf,
  type RunConfig,
  type RunSummary,
  rowItems,
  rowProof,
  runRowNow,
  standingText,
  taskRowsOf
} from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { judge } from "../support/judge.ts"
import { logOf } from "../support/logOf.ts"
import { check, done, end, endReporting, evidence, start, stateOf, verified, waived } from "../support/words.ts"

/** A run of one task with one item and one check, tried once. */
const one = (max_retries: number, config: Partial<RunConfig> = { commands_last: true }) =>
  aRun([aTask("a", { checklist: [{ item: "one" }], checks: ["npm test"] })], { max_retries, ...config })

const told = (...commands: ReadonlyArray<AnyCommand>) => toldOf(one(0), commands)
const retried = (...commands: ReadonlyArray<AnyCommand>) => toldOf(one(1), commands)

const toldOf = (begun: AnyCommand, commands: ReadonlyArray<AnyCommand>) => {
  const composition = composePlugins([judge])
  const log = logOf(begun, ...commands)
  const [manifest, { summarize }] = [makeManifest(composition), makeSummaries([])]
  let [snapshot, history, summary] = [emptySnapshot(composition), noHistory, null as RunSummary | null]
  for (const recorded of log) {
    const event = manifest.decode(recorded, () => snapshot)
    snapshot = foldEvent(composition, snapshot, event)
    history = foldHistory(history, recorded, event)
    summary = summarize(summary, recorded)
  }
  const state = stateOf(snapshot)
  const row = runRowNow(summary as RunSummary, state)
  const [task] = taskRowsOf(state, history)
  return {
    run: [row.items_closed, row.items_total, row.checks_failed],
    task: [task?.items_closed, task?.items_total, task?.checks_failed],
    list: Object.values(rowItems(summary as RunSummary)).toReversed(),
    recorded: rowProof(summary as RunSummary),
    shown: proofOf(state),
    text: standingText(row.status, row)
  }
}

const failed = verified("a", 1, [check(1, { command: "npm test" })])

describe("the counts of a task with one item and one check", () => {
  it("given nothing is shown so far, are those of one item", () => {
    const { list, run, task } = told()
    assert.deepStrictEqual(
      [run, task, list],
      [
        [0, 1, undefined],
        [0, 1, undefined],
        [0, 1]
      ]
    )
  })

  it("given the item is shown and the check failed, name the check beside the item, in lists too", () => {
    const { list, recorded, run, shown, task, text } = told(
      start("a"),
      endReporting("a", 1, [done("one")]),
      evidence("a", 1, 0),
      failed
    )
    assert.deepStrictEqual(
      [run, task, list],
      [
        [1, 1, 1],
        [1, 1, 1],
        [1, 1]
      ]
    )
    assert.strictEqual(text, "failed · 1 proven · 1 check failed")
    assert.deepStrictEqual(recorded, shown)
  })

  it("given it is tried again, has no check that failed until they are run once more", () => {
    const first = [start("a"), endReporting("a", 1, [done("one")]), evidence("a", 1, 0), failed]
    assert.deepStrictEqual(retried(...first).run, [1, 1, 1])
    assert.deepStrictEqual(retried(...first, start("a", 2)).run, [1, 1, undefined])
  })

  it("given the run failed before anything was shown, are those of one item still", () => {
    const { list, recorded, run, shown, task, text } = told(start("a"), end("a", 1, "ERROR"))
    assert.deepStrictEqual(
      [run, task, list],
      [
        [0, 1, undefined],
        [0, 1, undefined],
        [0, 1]
      ]
    )
    assert.strictEqual(text, "failed · 0 proven · 1 unproven")
    assert.deepStrictEqual(recorded, shown)
  })

  it("given that in a log of before, are those that were recorded in it", () => {
    const { list, recorded, shown, text } = toldOf(one(0, {}), [start("a"), end("a", 1, "ERROR")])
    assert.deepStrictEqual([list, text], [[0, 1], "failed · 0 proven · 2 unproven"])
    assert.deepStrictEqual(recorded, shown)
  })

  it("given the item was left out, have the check in its place", () => {
    const { recorded } = told(start("a"), endReporting("a", 1, [waived("one")]), evidence("a", 1), failed)
    assert.deepInclude(recorded?.counts, { proven: 0, unproven: 1, waived: 1 })
  })
})
