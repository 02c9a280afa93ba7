import { assert, describe, it } from "@effect/vitest"
import type { AgentRole } from "@proofline/kernel"
import { aTask } from "@proofline/kernel/testing"
import { Effect, Result } from "effect"
import { nextStepOf } from "../../../packages/plugins/src/policies/attempts/rejections.ts"
import { readSubmission } from "../../../packages/plugins/src/policies/attempts/submission.ts"
import { effect } from "../../effects.ts"
import { analysed, chunking, parts } from "../../kernel/support/chunks.ts"
import { check, end, judged, verified } from "../../kernel/support/words.ts"
import { attemptsAt, atWork, begin, callFor } from "./stage.ts"

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every kind
type Seen = any

const shownTo = (at: Effect.Success<ReturnType<typeof attemptsAt>>, call = callFor("t1", "work", 2)) =>
  Effect.flatMap(at.agent(call), (agent) => Effect.map(agent.call("get_my_task"), ({ body }): Seen => body))

describe("an attempt after one that was not accepted is told", () => {
  effect("the checks that failed, with the end of what they said, and none that passed", function* () {
    const at = yield* attemptsAt([aTask("t1", { checks: ["true", "false"] })])
    const output_tail = `begin${"x".repeat(1_600)}end`
    const failed = check(1, { command: "false", output_tail })
    yield* at.execute(begin("t1"), end("t1"), verified("t1", 1, [check(), failed]), begin("t1", 2))
    const { task } = yield* shownTo(at)
    assert.deepStrictEqual(task.last_attempt, {
      attempt: 1,
      failed_checks: [{ command: "false", exit_code: 1, timed_out: false, output: output_tail.slice(-1_500) }]
    })
  })

  effect("why a check that passed shows nothing", function* () {
    const at = yield* attemptsAt([aTask("t1", { checks: ["true"] })])
    const vacuous = {
      verdict: "vacuous",
      message: "It holds without the work.",
      base: null,
      head: null,
      neutralised: null
    } as const
    const failed = check(1, { ablation: vacuous })
    yield* at.execute(begin("t1"), end("t1"), verified("t1", 1, [failed]), begin("t1", 2))
    const { task } = yield* shownTo(at)
    assert.deepInclude(task.last_attempt.failed_checks[0], { ablation: "It holds without the work." })
  })

  effect("what its reviewer asked for", function* () {
    const config = { reviewer: "critic", reviewer_named: true }
    const at = yield* attemptsAt([aTask("t1", { checks: [], validation: ["it is good", "it is fast"] })], {}, config)
    const not_met = { criterion: "it is good", passed: false, details: "It is not." }
    const checks = [not_met, { criterion: "it is fast", passed: true, details: "" }]
    yield* at.execute(begin("t1"), end("t1"), { ...judged("t1", 1, "REJECT", "Make it good."), checks }, begin("t1", 2))
    const { task } = yield* shownTo(at)
    assert.deepStrictEqual(task.last_attempt, {
      attempt: 1,
      review: { judgment: "REJECT", modification_prompt: "Make it good.", not_met: [not_met] }
    })
  })

  effect("how it ended by itself", function* () {
    const at = yield* attemptsAt([aTask("t1")])
    yield* at.execute(begin("t1"), end("t1", 1, "ERROR"), begin("t1", 2))
    const { task } = yield* shownTo(at)
    assert.deepStrictEqual(task.last_attempt, { attempt: 1, error: { code: "agent_failed", message: "It broke." } })
  })

  effect("what was wrong with the form of its report", function* () {
    const at = yield* attemptsAt([aTask("t1", { checklist: [{ item: "add adds" }] })])
    const report = { summary: "", checklist: null, problems: ["The summary is no text."] }
    yield* at.execute(begin("t1"), end("t1", 1, "COMPLETE", { report }))
    yield* at.lookAt("t1")
    yield* at.execute(begin("t1", 2))
    const { task } = yield* shownTo(at)
    assert.deepStrictEqual(task.last_attempt.problems, ["The summary is no text."])
    assert.isNotEmpty(task.last_attempt.failures)
  })
})

describe("the task of an attempt", () => {
  effect("has each of its criteria and checks once, and no criterion that an item says already", function* () {
    const at = yield* attemptsAt([
      aTask("t1", {
        checklist: [{ item: "add adds" }],
        validation: ["it is good", "add adds", "it is good"],
        checks: ["true", "true"]
      })
    ])
    yield* at.execute(begin("t1"))
    const { has_task, task } = yield* shownTo(at, callFor("t1"))
    assert.isTrue(has_task)
    assert.deepInclude(task, { criteria: ["it is good"], checks: ["true"] })
    for (const key of ["last_attempt", "context"]) assert.notProperty(task, key)
  })

  effect("has neither where none are named", function* () {
    const at = yield* attemptsAt([aTask("t1", { checks: [] })])
    yield* at.execute(begin("t1"))
    const { task } = yield* shownTo(at, callFor("t1"))
    for (const key of ["criteria", "checks"]) assert.notProperty(task, key)
  })

  effect("says what it is a part of, and the whole shows its parts", function* () {
    const whole = aTask("p", { checks: [], chunk: "asked", title: "Whole", instruction: "Do all of it." })
    const at = yield* attemptsAt([whole], {}, chunking())
    yield* at.execute(analysed(parts(2)), begin("p-sub-1"))
    const { task } = yield* shownTo(at, callFor("p-sub-1"))
    assert.deepInclude(task, { task_id: "p-sub-1", context: "Part of p: Whole. Do all of it." })
    const { call } = yield* at.agent(callFor("p", "verify"))
    const node = (id: string, title: string, status: string) => ({ id, title, status })
    assert.deepStrictEqual((yield* call("get_my_task_progress")).body["tasks"], [
      {
        ...node("p", "Whole", "in_progress"),
        subtasks: [node("p-sub-1", "part 1", "in_progress"), node("p-sub-2", "part 2", "todo")]
      }
    ])
  })

  effect("is none of who is asked about the whole of a run", function* () {
    const at = yield* attemptsAt([aTask("t1")])
    const { call } = yield* at.agent(callFor("iteration-1", "generate"))
    const { body } = yield* call("get_my_task")
    assert.deepInclude(body, { success: true, has_task: false, needs_person: false })
    assert.notProperty(body, "task")
    assert.deepStrictEqual((yield* call("get_my_task_progress")).body["tasks"], [])
  })
})

describe("the answer to a report", () => {
  effect("has the task as it is until the attempt ends, and no warning where there is none", function* () {
    const { call } = yield* atWork([aTask("t1", { title: "Mine", checks: [] })])
    const { body } = yield* call("complete_task", { task_id: "t1", data: { summary: "Done." } })
    assert.deepInclude(body, { success: true, taken: true })
    assert.deepStrictEqual(body["task"], { id: "t1", title: "Mine", new_status: "in_progress" })
    assert.match(String(body["instruction"]), /^Your report was taken/)
    assert.notProperty(body, "warnings")
  })

  effect("whether a file may be written says why not, and cuts its name", function* () {
    const { call } = yield* atWork([aTask("t1")])
    const yes = yield* call("check_write_target", { file_path: `src/${"x".repeat(400)}` })
    assert.deepStrictEqual(Object.keys(yes.body).toSorted(), ["allowed", "code", "file_path"])
    assert.lengthOf(String(yes.body["file_path"]), 300)
    const no = yield* call("check_write_target", { file_path: "src/new.py", allow_new_files: false })
    assert.deepInclude(no.body, { error: "src/new.py does not exist.", next_step: "Name an existing file." })
  })
})

describe("what an agent does to hand in its answer", () => {
  it.each<[AgentRole, RegExp]>([
    ["work", /^Report with complete_task\(task_id: "t1", data: /],
    ["review", /^Hand in your answer with submit_review\(data\)/],
    ["generate", /^Hand in your answer with create_tasks\(tasks\)/],
    ["verify", /^Hand in your answer with submit_verification\(data\)/],
    ["analyze", /^Answer as your prompt says, in the file/]
  ])("is said by its role: %s", (role, says) => {
    assert.match(nextStepOf({ run: "run_1", task_id: "t1", attempt: 1, role }), says)
  })
})

describe("what cannot be true together is refused with what it is about", () => {
  const met = (requirement_id: string, evidence: string | null = "src/a.ts:1") => ({
    requirement_id,
    met: true,
    evidence
  })
  const unmet = (requirement_id: string) => ({ requirement_id, met: false })
  const planned = (id: string, more: object = {}) => ({ id, name: "n", instruction: "i", ...more })

  it.each<[string, AgentRole, unknown, ReadonlyArray<object>]>([
    [
      "a criterion that is not met in work that passes",
      "review",
      {
        judgment: "PASS",
        checks: [
          { criterion: "a", passed: true },
          { criterion: "b", passed: false }
        ]
      },
      [{ criterion: "b" }]
    ],
    ["nothing in work that does not", "review", { judgment: "RETRY", checks: [{ criterion: "b", passed: false }] }, []],
    ["an id that is given twice", "generate", { tasks: [planned("a"), planned("b"), planned("a")] }, [{ id: "a" }]],
    ["a field that no task has", "generate", { tasks: [planned("a", { title: "x" })] }, [{ field: "tasks[0].title" }]],
    [
      "what is met by word alone",
      "verify",
      { all_requirements_met: true, requirement_status: [met("R1", "  "), met("R2"), met("R3", null)] },
      [{ requirement_id: "R1" }, { requirement_id: "R3" }]
    ],
    [
      "what is not met of a whole that is",
      "verify",
      { all_requirements_met: true, requirement_status: [unmet("R1"), met("R2"), unmet("R3")] },
      [{ unmet: "R1, R3" }]
    ],
    [
      "a whole that is not met in no part",
      "verify",
      { all_requirements_met: false, requirement_status: [] },
      [{ unmet: "" }]
    ],
    [
      "nothing where parts are missing",
      "verify",
      { all_requirements_met: false, requirement_status: [unmet("R1")] },
      []
    ]
  ])("%s", (_, role, data, fields) => {
    const read = readSubmission(role, data)
    assert.deepStrictEqual(Result.isFailure(read) ? read.failure.map((failure) => failure.fields) : [], fields)
  })

  it.each([
    [true, [unmet("R1")], "all_requirements_met is true, and these are not met: R1."],
    [false, [], "all_requirements_met is false, and no requirement is named that is not met."]
  ])("in the words of what was said of the whole: %s", (all_requirements_met, requirement_status, message) => {
    const read = readSubmission("verify", { all_requirements_met, requirement_status })
    assert.deepStrictEqual(Result.isFailure(read) ? read.failure.map((failure) => failure.message) : [], [message])
  })
})
