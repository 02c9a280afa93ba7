import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { composePlugins, type Recorded, toNdjson } from "@proofline/kernel"
import { loopOf, outcomeOf } from "@proofline/plugins/policies/requirements"
import { Effect } from "effect"
import { replayOf } from "../../kernel/support/recorded.ts"
import { stateOf } from "../../kernel/support/words.ts"
import { aDefinition, aRequirement, directory, planned, play, pluginsOf } from "./stage.ts"

/** The release that is being made; the folders of all others are closed. */
const release = "0.6.0"
const here = fileURLToPath(new URL("../../golden/requirements/", import.meta.url))
const levels = ["requirements", "requirements-iter1", "requirements-iter2"]

const read = (folder: string, name: string): ReadonlyArray<Recorded> =>
  readFileSync(`${here}${folder}/${name}.ndjson`, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line))

/** Every kind of event of the loop: refused answers, a gap, an opinion, two iterations. */
const scenario = play(
  aDefinition(
    [aRequirement("req_1", ["a"]), aRequirement("req_2", [{ criterion: "b", check: "true" }, "c"], "optional")],
    {
      verifier: "scripted"
    }
  ),
  {
    generate: ({ ask, iteration }) =>
      ask === 1 && iteration === 1
        ? { problems: ["No YAML."], answer: "Here is the plan." }
        : {
            tasks: [
              planned(
                `task_${iteration}`,
                iteration === 1 ? ["req_2.2"] : ["req_1.1"],
                iteration === 1 ? { checks: [], validation: ["nice"] } : {}
              )
            ]
          },
    verify: ({ ask }) =>
      ask === 1 ? { problems: ["No JSON."], answer: "It is met!" } : { met: true, evidence: "`npm test`: ok" }
  },
  {
    config: { reviewer: "command", reviewer_named: true },
    load: { proof: { verifier_named: true, user_commands: ["npm test"] } }
  }
)

describe.runIf(process.env["UPDATE_GOLDEN"] === "1")("the golden logs of requirements runs", () => {
  it.live(`writes ${release}`, () =>
    Effect.gen(function* () {
      const played = yield* scenario
      const logs = [played.events, played.child(1), played.child(2)]
      for (const [i, name] of levels.entries()) {
        writeFileSync(`${here}${release}/${name}.ndjson`, (logs[i] ?? []).map(toNdjson).join(""))
      }
    })
  )
})

describe("a requirements run of an earlier release", () => {
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
            // before 0.6.0 no command was run at the base
            ...(folder === release ? ["BASE_CHECKED"] : []),
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
