import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import {
  composePlugins,
  emptySnapshot,
  foldEvent,
  makeManifest,
  makeSummaries,
  type Recorded,
  type RunSummary
} from "@proofline/kernel"
import { loopOf, loopSummary, loopSummaryOf, requirementsRules } from "@proofline/plugins/policies/requirements"
import { Effect } from "effect"
import { release } from "../../kernel/golden/release.ts"
import { stateOf } from "../../kernel/support/words.ts"
import { aDefinition, aRequirement, contentsOf, failing, planned, play, replayed, resumed } from "./stage.ts"

const golden: ReadonlyArray<Recorded> = readFileSync(
  new URL(`../../golden/requirements/${release}/requirements.ndjson`, import.meta.url),
  "utf8"
)
  .split("\n")
  .slice(0, -1)
  .map((line) => JSON.parse(line))

const { summarize } = makeSummaries([loopSummary])

/** The summary after each event. */
const summariesOf = (events: ReadonlyArray<Recorded>): ReadonlyArray<RunSummary> => {
  const all: Array<RunSummary> = []
  let now: RunSummary | null = null
  for (const event of events) {
    now = summarize(now, event)
    if (now !== null) all.push(now)
  }
  return all
}

const last = (events: ReadonlyArray<Recorded>): RunSummary => {
  const summary = summariesOf(events).at(-1)
  if (summary === undefined) throw new Error("There is no run.")
  return summary
}

describe("the rules of the loop alone", () => {
  it("given a log, then it is folded without any service", () => {
    const composition = composePlugins([requirementsRules])
    const manifest = makeManifest(composition)
    const end = golden.reduce(
      (now, recorded) =>
        foldEvent(
          composition,
          now,
          manifest.decode(recorded, () => now)
        ),
      emptySnapshot(composition)
    )
    assert.deepStrictEqual(
      [stateOf(end).run.status, loopOf(end).status, loopOf(end).iteration],
      ["completed", "completed", 2]
    )
    assert.isEmpty(composition.activities)
  })
})

describe("work of the loop that could not be done", () => {
  it.live("given an agent that cannot work, then the run has waited for it, and is decided again", () =>
    Effect.gen(function* () {
      const played = yield* play(aDefinition([aRequirement("req_1", ["a"])]), {
        generate: () => failing("generation_failed", "command")
      })
      assert.deepStrictEqual(
        contentsOf(played.events, "ACTIVITY_FAILED").map((content) => content["awaited_by"]),
        [{ plugin: "requirements", task_id: null, consequence: "agent_unavailable" }]
      )
      assert.isNull(replayed(played))
    })
  )

  it.live("given a verifier that fails, then the loop has gone on without it", () =>
    Effect.gen(function* () {
      const played = yield* play(
        aDefinition([aRequirement("req_1", ["a"])], { verifier: "scripted", trust_agent: true }),
        {
          generate: () => ({ tasks: [planned("task_1", ["req_1.1"])] }),
          verify: () => failing("verification_failed")
        },
        { config: { max_retries: 0 } }
      )
      assert.deepStrictEqual(
        contentsOf(played.events, "ACTIVITY_FAILED").map((content) => content["awaited_by"]),
        // before the work, and about what the task has shown
        Array.from({ length: 2 }, () => ({ plugin: "requirements", task_id: null, consequence: "survived" }))
      )
      assert.isNull(replayed(played))
    })
  )
})

describe("the summary of a requirements run", () => {
  it("given its events, then it says how far the loop is, and counts the tasks of the task runs", () => {
    assert.deepStrictEqual(
      [...new Set(summariesOf(golden).map((summary) => loopSummaryOf(summary).loop_status))],
      [
        undefined,
        "verifying_requirements",
        "generating_tasks",
        "executing_tasks",
        "generating_additional_tasks",
        "completed"
      ]
    )
    const summary = last(golden)
    assert.deepInclude(summary, { tasks_total: 2, tasks_completed: 2, tasks_failed: 0, tasks_skipped: 0 })
    // the other one is optional
    assert.deepStrictEqual(loopSummaryOf(summary), {
      iteration: 2,
      max_iterations: 3,
      requirements_total: 2,
      requirements_met: 1,
      loop_status: "completed"
    })
  })

  it.live("given a run that failed and is resumed, then its tasks that failed stay counted", () =>
    Effect.gen(function* () {
      const played = yield* play(
        aDefinition([aRequirement("req_1", ["a"])]),
        {
          generate: ({ iteration }) => ({ tasks: [planned(`task_${iteration}`, ["req_1.1"])] }),
          script: () => Effect.succeed({ outcome: "ERROR" })
        },
        { config: { max_retries: 0 }, load: { max_iterations: 1 } }
      )
      const before = last(played.events)
      assert.deepStrictEqual([before.status, before.tasks_failed], ["failed", 1])
      assert.deepInclude(loopSummaryOf(before), { loop_status: "failed", iteration: 1, max_iterations: 1 })
      const again = yield* resumed(played)
      const at = again.events.findIndex(({ event_type }) => event_type === "RUN_RESUMED")
      const taken = last(again.events.slice(0, at + 1))
      assert.deepStrictEqual([taken.status, taken.tasks_failed], ["running", 1])
      assert.deepInclude(loopSummaryOf(taken), { loop_status: "verifying_requirements", iteration: 1 })
    })
  )

  it("given any other run, then nothing of a loop is in it", () => {
    assert.deepStrictEqual(loopSummaryOf(last(golden.slice(0, 1))), {})
  })
})
