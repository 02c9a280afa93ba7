import { assert, describe, it } from "@effect/vitest"
import {
  type AnyCommand,
  type AnyEvent,
  composePlugins,
  judgedIn,
  makeBacktest,
  makeTruths,
  scoresOf,
  type Truth
} from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { often } from "../often.ts"
import { eventsOf, randomHistory } from "./support/histories.ts"
import { judge } from "./support/judge.ts"
import { played } from "./support/play.ts"
import { forSeeds } from "./support/random.ts"
import { recordedOf } from "./support/recorded.ts"
import { check, done, end, endReporting, evidence, gone, revisited, start, verified } from "./support/words.ts"

const composition = composePlugins([judge])
const same = { composition, told: (event: AnyEvent) => event }

describe("a backtest", () => {
  it("given any history and the same rules, decides every command as it was recorded", () => {
    forSeeds(often(200), (random, seed) => {
      const history = randomHistory(random, {
        commands: 50,
        wild: false,
        chunks: seed % 2 === 1,
        cannot: seed % 3 === 0
      })
      const log = recordedOf(
        composition,
        history.taken.map(({ step }) => step.events)
      )
      const past = makeBacktest(composition, same)
      const turns = [...log.flatMap((event) => past.add(event)), ...past.end().turns]
      assert.deepStrictEqual(
        turns.flatMap(({ recorded }) => recorded),
        eventsOf(history)
      )
      for (const turn of turns) assert.deepStrictEqual(turn.theirs(), turn.recorded, `version ${turn.version}`)
    })
  })
})

const two = aTask("a", { checks: [], checklist: [{ item: "one" }, { item: "two" }] })

/** What is known in the end of the items of these attempts. */
const truthsOf = (
  commands: ReadonlyArray<AnyCommand>,
  ...asked: ReadonlyArray<readonly [attempt: number, index: number | null]>
) => {
  const truths = makeTruths()
  let play = played(judge)
  for (const command of commands) {
    play = play.after(command)
    for (const event of play.events) truths.add(event)
    const about = judgedIn(play.events)
    const outcome = play.types.includes("TASK_COMPLETED")
      ? "accepted"
      : play.types.includes("TASK_STATUS_CHANGED")
        ? "refused"
        : "open"
    if (about !== null) truths.decided(about.task_id, about.attempt, outcome)
  }
  return asked.map(([attempt, index]): Truth => truths.of({ task_id: "a", index }, attempt))
}
const both = (attempt: number) => [
  start("a", attempt),
  endReporting("a", attempt, [done("one"), done("two")]),
  evidence("a", attempt, 0, 1)
]

describe("what a log says later of a claim", () => {
  it("given that it was judged again and the run is completed, it held; given that it was stale, it did not", () => {
    assert.deepStrictEqual(truthsOf([aRun([two]), ...both(1)], [1, 0], [1, null]), ["unknown", "unknown"])
    assert.deepStrictEqual(truthsOf([aRun([two]), ...both(1), revisited()], [1, 0], [1, null]), ["held", "held"])
    assert.deepStrictEqual(
      truthsOf(
        [aRun([two]), ...both(1), revisited(0, [gone("a", 1, 0)], 2), ...both(2), revisited(1)],
        [1, 0],
        [1, 1],
        [1, null],
        [2, 0]
      ),
      ["did_not_hold", "unknown", "did_not_hold", "held"]
    )
  })

  it("given that it was refused, it did not hold when other lines were accepted later, and held when they were the same", () => {
    const refused = (checklist: Parameters<typeof endReporting>[2], files_modified: ReadonlyArray<string>) => [
      aRun([two]),
      start("a"),
      endReporting("a", 1, checklist),
      evidence("a", 1, 0),
      start("a", 2),
      { ...endReporting("a", 2, [done("one"), done("two")]), files_modified },
      evidence("a", 2, 0, 1),
      revisited()
    ]
    const withoutEvidence = [done("one"), { item: "two", status: "done" as const }]
    assert.deepStrictEqual(truthsOf(refused(withoutEvidence, ["src/a.ts"]), [1, 1], [1, null]), [
      "did_not_hold",
      "did_not_hold"
    ])
    // nothing was changed between the refusal and what was accepted
    assert.deepStrictEqual(truthsOf(refused(withoutEvidence, []), [1, null]), ["held"])
  })

  it("given that a command of its own refutes it, it did not hold", () => {
    const task = aTask("a", { checks: [], checklist: [{ item: "one", check: "true" }, { item: "two" }] })
    assert.deepStrictEqual(
      truthsOf([aRun([task]), ...both(1), verified("a", 1, [check(1, { item_index: 0 })])], [1, 0], [1, 1]),
      ["did_not_hold", "unknown"]
    )
  })

  it("given that it was never accepted, nobody knows", () => {
    assert.deepStrictEqual(
      truthsOf([aRun([two], { max_retries: 0 }), start("a"), end("a"), evidence("a", 1)], [1, null]),
      ["unknown"]
    )
  })
})

describe("precision and recall", () => {
  it("are of refusals of which the truth is known, and say when those are few", () => {
    const one = (recorded: "accepted" | "refused", policy: "accepted" | "refused" | "open", truth: Truth) => ({
      recorded: { outcome: recorded },
      policy: { outcome: policy },
      truth
    })
    const scores = scoresOf([
      one("refused", "accepted", "did_not_hold"),
      one("refused", "refused", "did_not_hold"),
      one("accepted", "refused", "held"),
      one("accepted", "open", "held"),
      one("refused", "refused", "unknown")
    ])
    assert.deepStrictEqual(scores, {
      decisions: 5,
      known: 4,
      did_not_hold: 2,
      few: true,
      recorded: { refused: 2, right: 2, precision: 1, recall: 1 },
      policy: { refused: 2, right: 1, precision: 0.5, recall: 0.5 }
    })
    assert.isNull(scoresOf([]).policy.precision)
    assert.isFalse(scoresOf(Array.from({ length: 30 }, () => one("accepted", "accepted", "held"))).few)
  })
})
