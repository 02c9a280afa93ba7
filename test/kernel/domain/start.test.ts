import { assert, describe, it } from "@effect/vitest"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import {
  activityFailed,
  cancel,
  contentOf,
  end,
  endTerminal,
  evidence,
  judged,
  resume,
  start,
  stateOf,
  task,
  typesOf,
  verified
} from "../support/words.ts"

const a = aTask("a")
const b = aTask("b", { depends_on: ["a"] })

describe("starting a run", () => {
  it("registers every task with its checklist and orders the first attempts of those that wait for nothing", () => {
    const c = aTask("c", { checklist: [{ item: "one" }, { item: "two", check: "true" }] })
    const { events, step } = given().when(aRun([b, a, c]))
    assert.deepStrictEqual(typesOf(events), [
      "RUN_STARTED",
      "TASK_REGISTERED",
      "TASK_REGISTERED",
      "TASK_REGISTERED",
      "CHECKLIST_REGISTERED"
    ])
    assert.deepStrictEqual(contentOf(events, "CHECKLIST_REGISTERED"), {
      task_id: "c",
      items: [{ item: "one" }, { item: "two", check: "true" }]
    })
    assert.deepStrictEqual(
      step?.starts.map(({ activity, delay_ms, key, priority }) => ({ activity, delay_ms, key, priority })),
      [
        { activity: "attempt", delay_ms: 0, key: "attempt/a/1", priority: 2 },
        { activity: "attempt", delay_ms: 0, key: "attempt/c/1", priority: 1 }
      ]
    )
    assert.deepStrictEqual(stateOf(step?.after).run.status, "running")
    assert.strictEqual(task(step?.after.state, "c").items[1]?.check, "true")
  })

  it("counts tasks completed in an earlier run as done", () => {
    const { step } = given().when({ ...aRun([aTask("n", { depends_on: ["old"] })]), completed_task_ids: ["old"] })
    assert.deepStrictEqual(
      step?.starts.map(({ key }) => key),
      ["attempt/n/1"]
    )
  })

  it("is refused for ids used twice, unknown dependencies, cycles and nothing to do", () => {
    const codes = [
      [a, aTask("a")],
      [aTask("x", { depends_on: ["nowhere"] })],
      [aTask("x", { depends_on: ["y"] }), aTask("y", { depends_on: ["x"] })],
      []
    ].map((tasks) => given().when(aRun(tasks)).rejected?.code)
    assert.deepStrictEqual(codes, [
      "task_id_duplicate",
      "task_dependency_unknown",
      "task_dependency_cycle",
      "run_empty"
    ])
  })

  it("is refused when the run exists, whatever became of it", () => {
    const running = given().after(aRun([a]))
    const completed = running.after(start("a"), end("a"), verified("a"))
    for (const run of [running, running.after(cancel()), completed]) {
      assert.strictEqual(run.when(aRun([a])).rejected?.code, "run_exists")
    }
  })

  it("never completes a run of any kind in which there is nothing to prove", () => {
    const { events, step } = given().when({ ...aRun([]), kind: "prompt" })
    assert.deepStrictEqual(typesOf(events), ["RUN_STARTED"])
    assert.strictEqual(stateOf(step?.after).run.status, "running")
    assert.strictEqual(given().when({ ...aRun([]), kind: "unheard-of" }).rejected?.code, "run_kind_unknown")
  })

  it("takes 20,000 tasks in one chain", () => {
    const chain = Array.from({ length: 20_000 }, (_, i) => aTask(`t${i}`, { depends_on: i === 0 ? [] : [`t${i - 1}`] }))
    const { events, step } = given().when(aRun(chain))
    assert.strictEqual(events.length, 20_001)
    assert.deepStrictEqual(
      step?.starts.map(({ key, priority }) => [key, priority]),
      [["attempt/t0/1", 20_000]]
    )
  })
})

describe("starting an attempt", () => {
  const run = given().after(aRun([a, b]))

  it("starts the task with its first attempt, not with later ones", () => {
    assert.deepStrictEqual(typesOf(run.when(start("a")).events), ["TASK_STARTED", "ATTEMPT_STARTED"])
    const again = run.after(start("a"), end("a", 1, "ERROR")).when(start("a", 2))
    assert.deepStrictEqual(typesOf(again.events), ["ATTEMPT_STARTED"])
    assert.strictEqual(task(again.step?.after.state, "a").attempts, 2)
  })

  it("is refused for a task that does not exist", () => {
    assert.strictEqual(run.when(start("z")).rejected?.code, "task_unknown")
  })

  it("is refused out of order", () => {
    for (const attempt of [0, 2, -1]) assert.strictEqual(run.when(start("a", attempt)).rejected?.code, "task_not_ready")
    assert.strictEqual(run.when(start("a", 1.5)).rejected?.code, "arguments_invalid")
  })

  it("is refused while an attempt of the task is running, under its own number and under the next", () => {
    const running = run.after(start("a"))
    assert.strictEqual(running.when(start("a", 1)).rejected?.code, "task_not_ready")
    assert.strictEqual(running.when(start("a", 2)).rejected?.code, "task_not_ready")
  })

  it("is refused while the attempt before it is being judged", () => {
    const judging = run.after(start("a"), end("a"))
    assert.strictEqual(judging.when(start("a", 2)).rejected?.code, "task_not_ready")
  })

  it("is refused while a dependency is open, and after one failed", () => {
    assert.strictEqual(run.when(start("b")).rejected?.code, "task_not_ready")
    const failed = given().after(aRun([a, b], { max_retries: 0 }), start("a"), end("a", 1, "ERROR"))
    assert.strictEqual(failed.when(start("b")).rejected?.code, "task_not_ready")
  })

  it("is refused when the task is completed or the run has ended", () => {
    const completed = run.after(start("a"), end("a"), verified("a"))
    assert.strictEqual(completed.when(start("a", 2)).rejected?.code, "task_not_ready")
    assert.strictEqual(run.after(cancel()).when(start("a")).rejected?.code, "task_not_ready")
  })

  it("is refused while the agent's breaker is open", () => {
    const two = given().after(aRun([a, aTask("c")]), start("a"), start("c"), endTerminal("a"))
    assert.strictEqual(two.when(start("a", 2)).rejected?.code, "task_not_ready")
  })
})

describe("ending an attempt", () => {
  const run = given().after(aRun([a, b]), start("a"))

  it("records output, end and report in this order, each only when there is one", () => {
    const output = { output_tail: "bye", stdout: null, stderr: null }
    assert.deepStrictEqual(typesOf(run.when(end("a", 1, "COMPLETE", { output })).events), [
      "ATTEMPT_OUTPUT_SUMMARIZED",
      "ATTEMPT_ENDED",
      "CHECKLIST_REPORTED"
    ])
    assert.deepStrictEqual(typesOf(run.when(end("a", 1, "COMPLETE", { report: null })).events), ["ATTEMPT_ENDED"])
  })

  it("is refused when the attempt is not the current one, late, cancelled or unknown", () => {
    const refusals = {
      unknown: run.when(end("z")),
      never: run.when(end("b")),
      next: run.when(end("a", 2)),
      twice: run.after(end("a")).when(end("a")),
      settled: run.after(end("a", 1, "ERROR")).when(end("a", 1)),
      older: run.after(end("a", 1, "ERROR"), start("a", 2)).when(end("a", 1)),
      cancelled: run.after(cancel()).when(end("a")),
      lost: run.after(resume()).when(end("a"))
    }
    for (const [why, { rejected }] of Object.entries(refusals)) {
      assert.strictEqual(rejected?.code, "attempt_not_current", why)
    }
  })
})

describe("a report about an attempt", () => {
  const reports = [
    ["checks", verified],
    ["judgement", judged]
  ] as const

  for (const [what, report] of reports) {
    it(`is refused when its ${what} comes before the end, late, for another attempt, or after a cancellation`, () => {
      const run = given().after(aRun([a, b]), start("a"))
      assert.strictEqual(run.when(report("a")).rejected?.code, "attempt_not_current")
      assert.strictEqual(run.after(end("a")).when(report("a", 2)).rejected?.code, "attempt_not_current")
      assert.strictEqual(run.when(report("z")).rejected?.code, "attempt_not_current")
      assert.strictEqual(run.after(cancel()).when(report("a")).rejected?.code, "attempt_not_current")
      assert.strictEqual(run.after(end("a"), cancel()).when(report("a")).rejected?.code, "attempt_not_current")
      assert.strictEqual(run.after(end("a"), verified("a")).when(report("a")).rejected?.code, "attempt_not_current")
    })
  }

  it("is refused when the checks were recorded before", () => {
    const run = given().after(
      aRun([aTask("a", { validation: ["good"] })], { reviewer: "critic" }),
      start("a"),
      end("a"),
      verified("a")
    )
    assert.strictEqual(run.when(verified("a")).rejected?.code, "attempt_not_current")
  })

  it("is refused when nobody judges evidence", () => {
    assert.strictEqual(
      given()
        .after(aRun([a]))
        .when(evidence("a", 1, 0)).rejected?.code,
      "command_unowned"
    )
  })
})

describe("an activity without events of its own", () => {
  const run = given().after(aRun([a]))

  it("leaves its result in the log", () => {
    const { events } = run.when({ _tag: "RecordActivity", name: "x.look", key: "k", input: { n: 1 }, result: [2] })
    assert.deepStrictEqual(events, [
      { type: "ACTIVITY_RESULT", content: { name: "x.look", key: "k", input: { n: 1 }, result: [2] } } as never
    ])
  })

  it("that fails about nothing in particular changes nothing else", () => {
    const { events, step } = run.when({ ...activityFailed("a"), input: null })
    assert.deepStrictEqual(typesOf(events), ["ACTIVITY_FAILED"])
    assert.strictEqual(stateOf(step?.after).tasks.open_count, 1)
  })

  it("that fails late, about an attempt which is over, changes nothing", () => {
    const late = run.after(start("a"), end("a", 1, "ERROR"), start("a", 2)).when(activityFailed("a", 1))
    assert.deepStrictEqual(typesOf(late.events), ["ACTIVITY_FAILED"])
    const over = run.after(start("a"), end("a"), verified("a")).when(activityFailed("a", 1))
    assert.deepStrictEqual(typesOf(over.events), ["ACTIVITY_FAILED"])
  })

  it("that fails after the run has ended is forgotten by a resume", () => {
    const held = given().after(aRun([a]), start("a"), endTerminal("a"), activityFailed("a", 2))
    const { events, step } = held.when(resume())
    assert.notInclude(typesOf(events), "TASK_FAILED")
    assert.deepStrictEqual(
      step?.starts.map(({ key }) => key),
      ["attempt/a/2/1"]
    )
  })
})
