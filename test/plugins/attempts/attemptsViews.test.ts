import { assert, describe, it } from "@effect/vitest"
import { ReviewReport, WorkReport } from "@proofline/kernel"
import { aTask } from "@proofline/kernel/testing"
import { operations } from "@proofline/plugins/operations"
import { Effect, Result, Schema } from "effect"
import { readSubmission } from "../../../packages/plugins/src/policies/attempts/submission.ts"
import { effect } from "../../effects.ts"
import { often } from "../../often.ts"
import { taken } from "../operations/fitsDeclared.ts"
import { attemptsAt, begin, callFor, end } from "./stage.ts"

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
const limit = 8 * 1024

const item = (i: number) => `Item ${i}: ${"word ".repeat(20)}`
const claims = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ item: item(i), status: "done", evidence: `src/missing-${i}.py:1` }))

describe("what an attempt is shown", () => {
  effect(
    "given an attempt after one that was refused, then it is told everything that spoke against that one",
    function* () {
      const at = yield* attemptsAt([aTask("t1", { checklist: [{ item: "add adds" }], instruction: "Write add()." })])
      const lie = { summary: "Done.", checklist: [{ item: "add adds", status: "done", evidence: "src/add.py:1" }] }
      yield* at.execute(begin("t1"), end("t1", 1, { ...lie, problems: [] } as never))
      yield* at.lookAt("t1")
      yield* at.execute(begin("t1", 2))
      const { call } = yield* at.agent(callFor("t1", "work", 2))
      for (const operation of ["get_my_task", "get_next_action"]) {
        const { body } = yield* call(operation)
        assert.deepInclude(body, { attempt: 2, role: "work", call: "complete_task" })
        const shown = body["task"] as Readonly<Record<string, unknown>>
        assert.deepInclude(shown, { description: "Write add().", checks: ["true"] })
        assert.deepStrictEqual(shown["checklist"], [{ item: "add adds", status: "pending" }])
        assert.include(JSON.stringify(shown["last_attempt"]), "checklist_evidence_file_not_found")
      }
    }
  )

  effect("given two tasks, then progress and log speak of its own alone, and leave no trace", function* () {
    const at = yield* attemptsAt([aTask("t1", { title: "Mine" }), aTask("t2", { title: "Theirs" })])
    yield* at.execute(begin("t1"), begin("t2"))
    const ref = yield* Effect.flatMap(at.mint(callFor("t1")), at.attempts.authenticate)
    const { version } = yield* at.load
    const [task, progress, log] = yield* Effect.forEach(["task", "progress", "log"] as const, (view) =>
      at.attempts.view(ref, view)
    )
    assert.deepStrictEqual(progress?.body, {
      tasks: [{ id: "t1", title: "Mine", status: "in_progress", subtasks: [] }]
    })
    const events = log?.body["events"] as ReadonlyArray<Readonly<Record<string, unknown>>>
    assert.deepStrictEqual(
      events.map(({ type }) => type),
      ["ATTEMPT_STARTED", "TASK_STARTED", "TASK_REGISTERED"]
    )
    for (const answer of [task, progress, log]) {
      assert.isTrue(answer?.ok)
      assert.notInclude(JSON.stringify(answer), "t2")
      assert.notInclude(JSON.stringify(answer), "Theirs")
    }
    assert.strictEqual((yield* at.load).version, version)
  })

  effect("given the largest task there is, then every answer is small, and says what it leaves out", function* () {
    const checklist = Array.from({ length: 200 }, (_, i) => ({ item: item(i) }))
    const at = yield* attemptsAt([
      aTask("t1", {
        checklist,
        instruction: "日本語🙂 ".repeat(20_000),
        validation: checklist.map((one) => one.item),
        checks: Array.from({ length: 50 }, (_, i) => `sh check-${i}.sh ${"x".repeat(500)}`)
      })
    ])
    const report = { summary: "Done. ".repeat(2_000), checklist: claims(200) }
    yield* at.execute(begin("t1"), end("t1", 1, { ...report, problems: [] } as never))
    yield* at.lookAt("t1")
    yield* at.execute(begin("t1", 2))
    const { call, token } = yield* at.agent(callFor("t1", "work", 2))
    const args = {
      task_id: "t1",
      data: report,
      file_path: "x".repeat(20_000),
      result: "success",
      status: "done",
      tasks: []
    }
    for (const { name } of operations.filter(({ subject }) => subject !== "project")) {
      const { body } = yield* call(name, taken(name, args))
      assert.isAtMost(bytesOf(body), limit, name)
    }
    const { body } = yield* call("complete_task", taken("complete_task", args))
    const failures = body["failures"] as ReadonlyArray<unknown>
    assert.isNotEmpty(failures)
    assert.strictEqual(failures.length + Number(body["failures_left_out"]), 200)
    assert.match(String(body["next_step"]), /Mend every failure/)
    const ref = yield* at.attempts.authenticate(token)
    for (const view of ["task", "progress", "log"] as const) {
      assert.isAtMost(bytesOf((yield* at.attempts.view(ref, view)).body), limit, view)
    }
    const task = (yield* call("get_my_task")).body["task"] as Readonly<Record<string, unknown>>
    assert.strictEqual((task["checklist"] as ReadonlyArray<unknown>).length + Number(task["checklist_left_out"]), 200)
  })
})

/** Mostly as it should be. */
const Text = Schema.Union([Schema.String, Schema.String, Schema.Null, Schema.Int])
const field = Schema.optionalKey(Text)
const oneOf = (...values: ReadonlyArray<string>) =>
  Schema.Union([Schema.Literals(values), Schema.Literals(values), Schema.String])

const Work = Schema.Struct({
  summary: field,
  checklist: Schema.optionalKey(
    Schema.Union([
      Text,
      Schema.Array(
        Schema.Struct({
          item: Text,
          status: oneOf("done", "skipped", "pending"),
          evidence: field,
          reason: field,
          more: field
        })
      ).check(Schema.isMaxLength(2))
    ])
  )
})
const Review = Schema.Struct({
  judgment: oneOf("PASS", "REJECT", "RETRY"),
  checks: Schema.optionalKey(
    Schema.Union([
      Text,
      Schema.Array(
        Schema.Struct({ criterion: Text, passed: Schema.Union([Schema.Boolean, Schema.String]), details: field })
      ).check(Schema.isMaxLength(2))
    ])
  ),
  modification_prompt: field
})

const Covers = Schema.optionalKey(Schema.Union([Text, Schema.Array(Text).check(Schema.isMaxLength(2))]))
const Plan = Schema.Struct({
  tasks: Schema.Array(
    Schema.Struct({
      id: Schema.Literals(["a", "b", "c d"]),
      name: Schema.Literals(["n", "n", ""]),
      instruction: Schema.Literals(["i", "i: #"]),
      covers: Covers,
      depends_on: Covers,
      checks: Schema.optionalKey(Schema.Literals(["true"])),
      more: Schema.optionalKey(Schema.Literals(["x"]))
    })
  ).check(Schema.isMaxLength(3))
})

const runs = { arbitrary: { runs: often(1_000) } }

describe("what is taken by a call", () => {
  it.prop(
    "given anything, then what is taken as work is what a worker reads as a report",
    [Work],
    ([data]) => {
      const read = readSubmission("work", data)
      if (Result.isFailure(read)) assert.isNotEmpty(read.failure)
      else Schema.decodeUnknownSync(WorkReport)(read.success.answer)
    },
    runs
  )

  it.prop(
    "given anything, then what is taken as a judgment is what a worker reads as one, and no PASS with something unmet",
    [Review],
    ([data]) => {
      const read = readSubmission("review", data)
      if (Result.isFailure(read)) return assert.isNotEmpty(read.failure)
      const judged = Schema.decodeUnknownSync(ReviewReport)(read.success.answer)
      assert.isFalse(judged.judgment === "PASS" && judged.checks?.some(({ passed }) => !passed) === true)
    },
    runs
  )

  let plans = 0

  it.prop(
    "given anything, then what is taken as a plan has tasks of their own ids and nothing that no task has",
    [Plan],
    ([data]) => {
      const read = readSubmission("generate", data)
      if (Result.isFailure(read)) return assert.isNotEmpty(read.failure)
      plans++
      const tasks = read.success.answer["tasks"] as ReadonlyArray<Readonly<Record<string, unknown>>>
      assert.isNotEmpty(tasks)
      assert.strictEqual(new Set(tasks.map(({ id }) => id)).size, tasks.length)
      for (const one of tasks) assert.notProperty(one, "more")
      assert.notInclude(JSON.stringify(tasks), "null")
    },
    runs
  )

  it("plans were taken often enough to say so", () => assert.isAbove(plans, 3))
})
