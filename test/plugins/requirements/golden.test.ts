import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { composePlugins, type Recorded, toNdjson } from "@proofline/kernel"
import { loopOf, outcomeOf } from "@proofline/plugins/policies/requirements"
import { Effect } from "effect"
import { isUpdating, release } from "../../kernel/golden/release.ts"
import { replayOf } from "../../kernel/support/recorded.ts"
import { stateOf } from "../../kernel/support/words.ts"
import { requirementsScenario } from "./goldenScenario.ts"
import { directory, pluginsOf } from "./stage.ts"

const here = fileURLToPath(new URL("../../golden/requirements/", import.meta.url))
const levels = ["requirements", "requirements-iter1", "requirements-iter2"]

const read = (folder: string, name: string): ReadonlyArray<Recorded> =>
  readFileSync(`${here}${folder}/${name}.ndjson`, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line))

describe.runIf(isUpdating)("the golden logs of requirements runs", () => {
  it.live(`writes ${release}`, () =>
    Effect.gen(function* () {
      const played = yield* requirementsScenario
      const logs = [played.events, played.child(1), played.child(2)]
      for (const [i, name] of levels.entries()) {
        writeFileSync(`${here}${release}/${name}.ndjson`, (logs[i] ?? []).map(toNdjson).join(""))
      }
    })
  )
})

describe.skipIf(isUpdating)("a requirements run of any release", () => {
  it.live.each(readdirSync(here))(
    "given its logs of both levels (%s), then today's rules decide every event again",
    (folder) =>
      Effect.gen(function* () {
        const composition = composePlugins(yield* pluginsOf({ root: yield* directory }))
        const ends = levels.map((name) => {
          const { divergence, snapshot } = replayOf(composition, read(folder, name))
          assert.isNull(divergence)
          return snapshot
        })
        const [parent, ...children] = ends
        if (parent === undefined) throw new Error("There is no golden log.")
        const loop = loopOf(parent)
        assert.deepStrictEqual([stateOf(parent).run.status, loop.status, loop.iteration], ["completed", "completed", 2])
        assert.deepStrictEqual(
          loop.iterations.map(({ ended }) => ended),
          children.map((child, i) => outcomeOf(stateOf(child), i + 1))
        )
        assert.sameMembers(
          [...new Set(read(folder, "requirements").map(({ event_type }) => event_type))],
          [
            "BASE_CHECKED",
            "RUN_STARTED",
            "REQUIREMENTS_LOADED",
            "CRITERIA_CHECKED",
            "REQUIREMENT_VERIFIED",
            "REQUIREMENTS_VERIFIED",
            "ITERATION_STARTED",
            "ANSWER_REFUSED",
            "TASKS_GENERATED",
            "TASK_RUN_LINKED",
            "TASK_RUN_ENDED",
            "ITERATION_ENDED",
            "CONFIRMATION_STARTED",
            "REQUIREMENTS_MET",
            "RUN_COMPLETED"
          ]
        )
      })
  )
})
