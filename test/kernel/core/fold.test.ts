import { assert, describe, it } from "@effect/vitest"
import { composePlugins, emptySnapshot, foldEvent, makeFold, type Snapshot, tasksOf } from "@proofline/kernel"
import { randomHistory } from "../support/histories.ts"
import { judge } from "../support/judge.ts"
import { forSeeds } from "../support/random.ts"
import { stateOf } from "../support/words.ts"

/** What readers see of the tasks of a run. */
const seen = (snapshot: Snapshot) =>
  tasksOf(stateOf(snapshot)).map(({ attempts, spec, status }) => ({ id: spec.id, status, attempts }))

describe("a fold of many events that changes its maps in place", () => {
  it("given any history, when the run is looked at after each event, then it is the run of single folds", () =>
    forSeeds(30, (random) => {
      const { taken } = randomHistory(random, { wild: true, commands: 40, chunks: random.chance(0.5) })
      const composition = composePlugins([judge])
      const fold = makeFold(composition, emptySnapshot(composition))
      let singly = emptySnapshot(composition)
      for (const event of taken.flatMap(({ step }) => step.events)) {
        fold.add(event)
        singly = foldEvent(composition, singly, event)
        assert.deepStrictEqual(seen(fold.now()), seen(singly), `version ${singly.version}, ${event.type}`)
      }
      assert.deepStrictEqual(seen(fold.end()), seen(singly))
    }))
})
