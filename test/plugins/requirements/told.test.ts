import { assert, describe, it } from "@effect/vitest"
import { composePlugins, makeManifest, makeSummaries, type Recorded, type RunSummary } from "@proofline/kernel"
import { aRun, aTask } from "@proofline/kernel/testing"
import { loopProgressOf, loopSummary, loopSummaryOf, requirementsRules } from "@proofline/plugins/policies/requirements"
import { aDefinition, aRequirement, loading, planned } from "./stage.ts"

type Content = Readonly<Record<string, unknown>>

const definition = aDefinition([aRequirement("req_1", ["a"]), aRequirement("req_2", ["b"])])
const { _tag, ...file } = loading(definition)
const one = { ...definition, requirements: definition.requirements.slice(0, 1) }
const { sentenceOf } = makeManifest(composePlugins([requirementsRules]))

describe("what a sentence says of an event", () => {
  it.each<readonly [string, Content, string]>([
    ["REQUIREMENTS_LOADED", { ...file, changed: false }, "2 requirements of requirements.yaml were loaded."],
    [
      "REQUIREMENTS_LOADED",
      { ...file, definition: one, changed: true },
      "1 requirement of requirements.yaml were loaded anew."
    ],
    ["REQUIREMENTS_FILE_CHANGED", { sha256: "x" }, "The requirements file says something else than what was loaded."],
    [
      "CONFIRMATION_STARTED",
      { iteration: 1, round: 2 },
      "All requirements seem met; everything is verified once more."
    ],
    [
      "ITERATION_STARTED",
      { iteration: 2, unmet: ["req_1.1", "req_2.1"] },
      "Iteration 2 was started; criteria that are not met: req_1.1, req_2.1."
    ],
    ["ITERATION_STARTED", { iteration: 2, unmet: [] }, "Iteration 2 was started; criteria that are not met: none."],
    [
      "TASKS_GENERATED",
      { generator: "agent", iteration: 1, tasks: [planned("a", [])] },
      "agent planned 1 task for iteration 1."
    ],
    ["TASKS_GENERATED", { generator: "agent", iteration: 1, tasks: [] }, "agent planned 0 tasks for iteration 1."],
    [
      "ANSWER_REFUSED",
      { by: "agent", role: "verify", problems: ["No JSON.", "No words."] },
      "An answer of agent (verify) was refused: No JSON. No words."
    ],
    ["TASK_RUN_LINKED", { iteration: 1, run_id: "r-iter1" }, "The tasks of iteration 1 are run as r-iter1."],
    [
      "TASK_RUN_ENDED",
      { run_id: "r-iter1", status: "completed", message: "" },
      "The task run r-iter1 is over: completed."
    ],
    [
      "TASK_RUN_ENDED",
      { run_id: "r-iter1", status: "failed", message: "No task is completed." },
      "The task run r-iter1 is over: failed. No task is completed."
    ],
    [
      "CRITERIA_CHECKED",
      { requirement_id: "req_1", receipts: [1, 2], runs: [1] },
      "Requirement req_1 was looked at: 1 command, 2 receipts."
    ],
    ["REQUIREMENT_VERIFIED", { requirement_id: "req_1", verdict: "stale" }, "Requirement req_1 is stale."],
    ["REQUIREMENTS_VERIFIED", { summary: " 1 of 2. " }, "1 of 2."],
    ["REQUIREMENTS_VERIFIED", { summary: " " }, "The requirements were verified."],
    [
      "ITERATION_ENDED",
      { iteration: 1, unmet_requirements: [] },
      "Iteration 1 is over; requirements that are not met: none."
    ],
    ["REQUIREMENTS_MET", { met: ["req_1"], unmet: [] }, "The requirements are met: req_1."],
    [
      "REQUIREMENTS_MET",
      { met: ["req_1", "req_2"], unmet: ["req_3"] },
      "The requirements are met: req_1, req_2. Optional and not met: req_3."
    ],
    ["REQUIREMENTS_UNMET", { message: " Nobody plans. " }, "Nobody plans."],
    ["REQUIREMENTS_UNMET", { message: "" }, "The requirements are not met."]
  ])("%s: %j", (type, content, sentence) => {
    assert.strictEqual(sentenceOf({ type, content } as never), sentence)
  })
})

const { summarize } = makeSummaries([loopSummary])

const { _tag: _, ...started } = aRun([aTask("task_1")])
const begun: readonly [string, Content] = ["RUN_STARTED", { ...started, kind: "requirements", name: "a feature" }]
const loaded = (more: Content = {}): readonly [string, Content] => [
  "REQUIREMENTS_LOADED",
  { ...file, changed: false, ...more }
]
const carried = { run_id: "run_0", iteration: 4, planned: [], completed: [] }
const iteration = (number: number): readonly [string, Content] => [
  "ITERATION_STARTED",
  { iteration: number, status: number === 1 ? "generating_tasks" : "generating_additional_tasks", unmet: [] }
]
const generated: readonly [string, Content] = ["TASKS_GENERATED", { tasks: [planned("a", []), planned("b", [])] }]
const ended = (stopped: string | null, ...statuses: ReadonlyArray<string>): readonly [string, Content] => [
  "TASK_RUN_ENDED",
  { stopped, tasks: statuses.map((status) => ({ status })) }
]
const verified = (...met: ReadonlyArray<boolean>): readonly [string, Content] => [
  "REQUIREMENTS_VERIFIED",
  { requirement_status: met.map((is) => ({ met: is })) }
]
const met: readonly [string, Content] = ["REQUIREMENTS_MET", {}]
const unmet = (reason: string): readonly [string, Content] => ["REQUIREMENTS_UNMET", { reason }]
const failed = (reason: string): readonly [string, Content] => ["RUN_FAILED", { reason, message: "" }]
const incomplete: readonly [string, Content] = ["RUN_INCOMPLETE", { reason: "" }]
const resumed: readonly [string, Content] = ["RUN_RESUMED", {}]

const summaryOf = (events: ReadonlyArray<readonly [string, Content]>): RunSummary => {
  const summary = [begun, ...events].reduce(
    (now: RunSummary | null, [event_type, content]) =>
      summarize(now, {
        stream: "run_1",
        event_type,
        content,
        timestamp: "2026-01-01T00:00:00.000Z"
      } as never as Recorded),
    null
  )
  assert.isNotNull(summary)
  return summary
}

describe("how far the loop is after", () => {
  it.each<readonly [string, ReadonlyArray<readonly [string, Content]>, Content]>([
    [
      "its requirements were loaded",
      [loaded()],
      {
        iteration: 0,
        max_iterations: 3,
        requirements_total: 2,
        requirements_met: 0,
        loop_status: "verifying_requirements"
      }
    ],
    ["those of an earlier run", [loaded({ carried })], { iteration: 4, max_iterations: 7 }],
    [
      "others were loaded",
      [loaded(), iteration(1), verified(true), loaded({ changed: true, max_iterations: 1, definition: one })],
      {
        iteration: 1,
        max_iterations: 3,
        requirements_total: 1,
        requirements_met: 0,
        loop_status: "verifying_requirements"
      }
    ],
    [
      "others were loaded, with more iterations",
      [loaded(), loaded({ changed: true, max_iterations: 5 })],
      { iteration: 0, max_iterations: 5 }
    ],
    [
      "others were loaded while tasks are run",
      [loaded(), iteration(1), generated, loaded({ changed: true })],
      { loop_status: "executing_tasks", iteration: 1 }
    ],
    [
      "an iteration began",
      [loaded(), iteration(1)],
      { iteration: 1, max_iterations: 3, loop_status: "generating_tasks" }
    ],
    [
      "one beyond the last began",
      [loaded(), iteration(4)],
      { iteration: 4, max_iterations: 4, loop_status: "generating_additional_tasks" }
    ],
    ["tasks were planned", [loaded(), iteration(1), generated], { loop_status: "executing_tasks" }],
    [
      "they are over",
      [loaded(), generated, ended(null, "completed", "failed", "skipped")],
      { loop_status: "verifying_requirements" }
    ],
    ["they were stopped", [loaded(), generated, ended("budget", "completed")], { loop_status: "executing_tasks" }],
    ["some requirements are met", [loaded(), verified(true, false)], { requirements_met: 1 }],
    ["all are met", [loaded(), met], { loop_status: "completed" }],
    [
      "its iterations are used up",
      [loaded(), generated, unmet("iterations_used_up")],
      { loop_status: "failed", loop_resumes_at: undefined }
    ],
    [
      "nobody planned",
      [loaded(), iteration(1), unmet("generation_failed")],
      { loop_status: "failed", loop_resumes_at: "generating_tasks" }
    ],
    [
      "nobody planned and the run failed",
      [loaded(), iteration(1), unmet("generation_failed"), failed("failed")],
      { loop_status: "failed", loop_resumes_at: "generating_tasks" }
    ],
    [
      "the run failed",
      [loaded(), generated, failed("breaker")],
      { loop_status: "failed", loop_resumes_at: "executing_tasks" }
    ],
    [
      "it is incomplete",
      [loaded(), generated, incomplete],
      { loop_status: "failed", loop_resumes_at: "executing_tasks" }
    ],
    [
      "its budget was used up",
      [loaded(), generated, failed("budget")],
      { loop_status: "executing_tasks", loop_resumes_at: "executing_tasks" }
    ],
    [
      "it failed once all were met",
      [loaded(), met, failed("failed")],
      { loop_status: "completed", loop_resumes_at: undefined }
    ],
    [
      "it was cancelled and resumed",
      [loaded(), generated, ["RUN_CANCELLED", { reason: "" }], resumed],
      { loop_status: "executing_tasks", loop_resumes_at: undefined }
    ],
    [
      "it was resumed where it failed",
      [loaded(), generated, failed("breaker"), resumed],
      { loop_status: "executing_tasks", loop_resumes_at: undefined }
    ],
    [
      "it was resumed at its end",
      [loaded(), unmet("iterations_used_up"), failed("failed"), resumed],
      { loop_status: "verifying_requirements" }
    ],
    ["a completed one was resumed", [loaded(), met, resumed], { loop_status: "verifying_requirements" }],
    [
      "it was resumed with a new budget",
      [loaded(), generated, failed("budget"), resumed],
      { loop_status: "executing_tasks", loop_resumes_at: undefined }
    ]
  ])("%s", (_what, events, expected) => {
    const summary: Content = loopSummaryOf(summaryOf(events))
    assert.deepStrictEqual(Object.fromEntries(Object.keys(expected).map((key) => [key, summary[key]])), expected)
  })

  it("given its task runs, then their tasks are counted, and stay so in a resume", () => {
    const countsOf = (...events: ReadonlyArray<readonly [string, Content]>) => {
      const { tasks_completed, tasks_failed, tasks_skipped, tasks_total } = summaryOf(events)
      return [tasks_total, tasks_completed, tasks_failed, tasks_skipped]
    }
    const run = [loaded(), generated, ended(null, "completed", "completed", "failed", "skipped")]
    assert.deepStrictEqual(countsOf(...run), [2, 2, 1, 1])
    assert.deepStrictEqual(countsOf(...run, generated, ended(null, "failed")), [4, 2, 2, 1])
    assert.deepStrictEqual(countsOf(...run, failed("failed"), resumed), [2, 2, 1, 1])
    assert.deepStrictEqual(countsOf(loaded(), generated, ended("cancelled", "completed", "failed")), [2, 0, 0, 0])
  })

  it("given a run without requirements, then nothing of a loop is in it, whatever becomes of it", () => {
    for (const events of [[], [incomplete], [failed("budget")], [failed("budget"), resumed]]) {
      assert.deepStrictEqual(loopSummaryOf(summaryOf(events)), {})
      assert.isNull(loopProgressOf(summaryOf(events)))
    }
    assert.deepStrictEqual(loopProgressOf(summaryOf([loaded(), failed("breaker")])), {
      loop_status: "failed",
      iteration: 0,
      max_iterations: 3,
      requirements_total: 2,
      requirements_met: 0
    })
  })
})
