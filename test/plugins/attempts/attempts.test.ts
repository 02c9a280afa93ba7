import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import { type AgentRole, taskOf } from "@proofline/kernel"
import { aTask } from "@proofline/kernel/testing"
import { operations } from "@proofline/plugins/operations"
import { Effect } from "effect"
import { effect } from "../../effects.ts"
import { cancel, check, stateOf, verified } from "../../kernel/support/words.ts"
import { taken } from "../operations/fitsDeclared.ts"
import { attemptsAt, atWork, begin, callFor, end } from "./stage.ts"

const source = { "src/add.py": "def add(a, b):\n    return a + b\n", "src/later.py": "def later():\n    pass\n" }
const task = aTask("t1", { checklist: [{ item: "add adds" }, { item: "later is there" }] })
const claim = (item: string, evidence: string) => ({ item, status: "done", evidence })
const lies = {
  summary: "Done.",
  checklist: [claim("add adds", "src/add.py:9"), claim("later is there", "src/later.py:1-2")]
}
const truth = {
  summary: "Done.",
  checklist: [
    claim("add adds", "src/add.py:1-2"),
    { item: "later is there", status: "skipped", reason: "Nobody has asked for it yet." }
  ]
}

const refusedWith = (
  { body, ok }: { readonly body: Readonly<Record<string, unknown>>; ok: boolean },
  error: string
) => {
  assert.deepStrictEqual([ok, body["error"]], [false, error], JSON.stringify(body))
  assert.match(String(body["message"]), /\S/)
  assert.match(String(body["next_step"]), /\S/)
}

const unknownTwice = ["field_unknown", "field_unknown"]

const keysOf = (body: Readonly<Record<string, unknown>>) =>
  (body["failures"] as ReadonlyArray<{ readonly key: string }>).map(({ key }) => key)

describe("the token of an attempt", () => {
  effect("given an attempt under way, then it is known by its token", function* () {
    const { attempts, execute, mint } = yield* attemptsAt([task])
    yield* execute(begin("t1"))
    assert.deepStrictEqual(yield* attempts.authenticate(yield* mint(callFor("t1"))), {
      run: "run_1",
      task_id: "t1",
      attempt: 1,
      role: "work"
    })
  })

  effect("given a forged token, or one of another project, then nobody has it", function* () {
    const { attempts, execute, mint } = yield* attemptsAt([task])
    const elsewhere = yield* attemptsAt([task])
    yield* execute(begin("t1"))
    const good = yield* mint(callFor("t1"))
    const other = yield* mint(callFor("t2"))
    const mixed = `${other.split(".")[0]}.${good.split(".")[1]}`
    for (const token of [mixed, `${good}x`, good.slice(0, -1), "att_x.y", "", yield* elsewhere.mint(callFor("t1"))]) {
      const refused = yield* Effect.flip(attempts.authenticate(token))
      assert.strictEqual(refused._tag === "Rejection" && refused.code, "token_unknown", token)
      assert.notInclude(JSON.stringify(refused), good.split(".")[1] ?? "")
    }
  })

  effect("given an attempt that is not begun, ended, cancelled, or another one, then it is over", function* () {
    const isOver = Effect.fnUntraced(function* (
      at: Effect.Success<typeof project>,
      role: AgentRole = "work",
      attempt = 1
    ) {
      const refused = yield* Effect.flip(
        Effect.flatMap(at.mint(callFor("t1", role, attempt)), at.attempts.authenticate)
      )
      assert.strictEqual(refused._tag === "Rejection" && refused.code, "attempt_over")
      assert.match(refused._tag === "Rejection" ? refused.hint : "", /End your turn/)
    })
    const project = attemptsAt([task], source)
    const at = yield* project
    yield* isOver(at)
    yield* at.execute(begin("t1"))
    yield* isOver(at, "work", 2)
    for (const role of ["review", "analyze"] as const) yield* isOver(at, role)
    yield* at.execute(end("t1", 1, { summary: "", checklist: null, problems: [] }))
    yield* isOver(at)
    const stopped = yield* project
    yield* stopped.execute(begin("t1"), cancel())
    yield* isOver(stopped)
    const asked = yield* stopped.mint(callFor("requirements", "verify"))
    assert.strictEqual((yield* Effect.flip(stopped.attempts.authenticate(asked)))._tag, "Rejection")
    // of a run that this project never had
    const unknown = yield* Effect.flip(
      Effect.flatMap(at.mint({ ...callFor("t1"), run_id: "run_x" }), at.attempts.authenticate)
    )
    assert.strictEqual(unknown._tag === "Rejection" && unknown.code, "attempt_over")
  })

  effect("given work that waits for its review, then the reviewer is known and the worker is not", function* () {
    const { attempts, execute, mint } = yield* attemptsAt(
      [aTask("t1", { checks: [], validation: ["it is good"] })],
      {},
      { reviewer: "command", reviewer_named: true }
    )
    yield* execute(begin("t1"), end("t1", 1, { summary: "", checklist: null, problems: [] }))
    assert.deepInclude(yield* attempts.authenticate(yield* mint(callFor("t1", "review"))), { role: "review" })
    const refused = yield* Effect.flip(attempts.authenticate(yield* mint(callFor("t1"))))
    assert.strictEqual(refused._tag === "Rejection" && refused.code, "attempt_over")
  })
})

describe("the report of an attempt", () => {
  effect("given lies, then all of them are told at once, and nothing is recorded or written", function* () {
    const { call, files, load } = yield* atWork([task], source)
    const { version } = yield* load
    const answer = yield* call("complete_task", { task_id: "t1", data: lies })
    refusedWith(answer, "payload_mismatch")
    assert.deepStrictEqual(keysOf(answer.body), [
      "checklist_evidence_line_out_of_range",
      "checklist_evidence_empty_impl"
    ])
    assert.isFalse(existsSync(files.report))
    assert.strictEqual((yield* load).version, version)
  })

  effect(
    "given lies, then the failures are those that the run itself finds when the attempt ends with them",
    function* () {
      const at = yield* attemptsAt([task], source)
      yield* at.execute(begin("t1"))
      const { call } = yield* at.agent(callFor("t1"))
      const told = yield* call("complete_task", { task_id: "t1", data: lies })
      yield* at.execute(end("t1", 1, { ...lies, problems: [] } as never))
      yield* at.lookAt("t1")
      const failures = taskOf(stateOf(yield* at.load), "t1")?.current?.failures ?? []
      assert.lengthOf(failures, 2)
      assert.deepStrictEqual(told.body["failures"], failures)
    }
  )

  effect("given the truth, then it stands in the report file, and the log says nothing of it", function* () {
    const { call, report, load } = yield* atWork([task], source)
    const { version } = yield* load
    refusedWith(yield* call("report_completed", { result: "success" }), "report_missing")
    // as a text, as some clients send it
    const taken = yield* call("complete_task", { task_id: "t1", data: JSON.stringify(truth) })
    assert.deepInclude(taken.body, { success: true, taken: true, task_id: "t1", role: "work" })
    assert.deepStrictEqual(report(), truth)
    assert.deepInclude((yield* call("get_next_action")).body, { action: "report_completion" })
    // the same by the other name takes its place
    const again = { ...truth, summary: "Again." }
    assert.isTrue((yield* call("submit_phase", { data: { task_id: "t1", ...again } })).ok)
    assert.deepStrictEqual(report(), again)
    assert.deepInclude((yield* call("report_completed", { result: "success" })).body, { action: "exit" })
    assert.strictEqual((yield* load).version, version)
  })

  effect("given a report that was taken, then a later refusal still says so", function* () {
    const { call } = yield* atWork([task], source)
    yield* call("complete_task", { task_id: "t1", data: truth })
    const taken = /Your report was taken/
    const refusals = [
      yield* call("update_task_status", { task_id: "t1", status: "done" }),
      yield* call("complete_task", { task_id: "t2", data: truth }),
      yield* call("report_completed", { result: "perhaps" })
    ]
    for (const { body, ok } of refusals) {
      assert.isFalse(ok)
      assert.match(String(body["instruction"]), taken)
    }
  })

  effect(
    "given a report whose checks failed, then the next attempt is told which items were accepted, and how",
    function* () {
      const at = yield* attemptsAt([{ ...task, checks: ["false"] }], source)
      yield* at.execute(begin("t1"), end("t1", 1, { ...truth, problems: [] } as never))
      yield* at.lookAt("t1")
      yield* at.execute(verified("t1", 1, [check(1, { command: "false" })]), begin("t1", 2))
      const { call } = yield* at.agent(callFor("t1", "work", 2))
      const { task: shown } = (yield* call("get_my_task")).body
      assert.deepStrictEqual((shown as Readonly<Record<string, unknown>>)["checklist"], [
        { item: "add adds", status: "done" },
        { item: "later is there", status: "skipped" }
      ])
    }
  )

  effect("given a shape that is none, then every fault is named and the evidence is not looked at", function* () {
    const { call } = yield* atWork([task], source)
    const answer = yield* call("complete_task", {
      task_id: "t1",
      data: {
        summary: 4,
        checklist: [
          { item: "add adds", status: "finished" },
          { status: "done", evidence: ["x"] }
        ]
      }
    })
    refusedWith(answer, "payload_mismatch")
    assert.sameMembers(
      (answer.body["failures"] as ReadonlyArray<{ readonly fields: { readonly field: string } }>).map(
        ({ fields }) => fields.field
      ),
      ["summary", "checklist[0].status", "checklist[1].item", "checklist[1].evidence"]
    )
    const misspelt = yield* call("submit_phase", { data: { ...truth, sumary: "x" } })
    assert.deepInclude(misspelt.body["warnings"] as ReadonlyArray<unknown>, {
      code: "field_unexpected",
      message: "Field sumary is not asked for, so nothing is made of it."
    })
  })

  effect("given an agent that says it is blocked, then it may leave without a report", function* () {
    const { call } = yield* atWork([task], source)
    assert.deepInclude((yield* call("report_completed", { result: "blocked" })).body, {
      success: true,
      action: "exit"
    })
  })
})

describe("an agent and the work of others", () => {
  const others = [task, aTask("t2", { checklist: [{ item: "add adds" }], instruction: "SECRET OF T2" })]
  const argumentsFor = (task_id: string): Readonly<Record<string, unknown>> => ({
    task_id,
    data: { task_id, ...truth },
    status: "done",
    file_path: "src/add.py",
    result: "success",
    tasks: [{ title: "x", parent_task_id: task_id }]
  })

  for (const { name, subject } of operations.filter(({ subject }) => subject !== "project")) {
    effect(`given ${name} with another agent's task, then nothing of it is read or written`, function* () {
      const { agent, execute, load } = yield* attemptsAt(others, source)
      yield* execute(begin("t1"), begin("t2"))
      const mine = yield* agent(callFor("t1"))
      const theirs = yield* agent(callFor("t2"))
      const { version } = yield* load
      const answer = yield* mine.call(name, taken(name, argumentsFor("t2")))
      assert.notInclude(JSON.stringify(answer.body), "SECRET OF T2", subject)
      assert.deepStrictEqual([existsSync(theirs.files.report), existsSync(mine.files.report)], [false, false])
      assert.strictEqual((yield* load).version, version)
      if (name === "complete_task" || name === "submit_phase") refusedWith(answer, "task_not_yours")
    })
  }

  effect("given two tasks whose names are one for files, then each report comes to its own", function* () {
    const twins = ["a/b", "a_b"].map((id) => aTask(id, { checklist: [] }))
    const { agent, execute } = yield* attemptsAt(twins)
    yield* execute(begin("a/b"), begin("a_b"))
    const one = yield* agent(callFor("a/b"))
    const two = yield* agent(callFor("a_b"))
    yield* one.call("complete_task", { task_id: "a/b", data: { summary: "one" } })
    yield* two.call("complete_task", { task_id: "a_b", data: { summary: "two" } })
    assert.deepStrictEqual([one.report(), two.report()], [{ summary: "one" }, { summary: "two" }])
  })

  effect("given what belongs to sessions alone, then it is refused with what to do", function* () {
    const { call } = yield* atWork([task], source)
    refusedWith(yield* call("update_task_status", { task_id: "t1", status: "done" }), "not_in_attempt")
    refusedWith(yield* call("create_tasks", { tasks: [] }), "not_in_attempt")
    refusedWith(yield* call("submit_review", { data: { judgment: "PASS" } }), "wrong_role")
    refusedWith(yield* call("submit_verification", { data: {} }), "wrong_role")
  })

  effect("given a path outside, or what is no file, then it may not be written", function* () {
    const { call, root } = yield* atWork([task], source)
    const codeOf = (file_path: string, more = {}) =>
      Effect.map(call("check_write_target", { file_path, ...more }), ({ body }) => [body["allowed"], body["code"]])
    assert.deepStrictEqual(yield* codeOf("src/add.py"), [true, "allowed"])
    assert.deepStrictEqual(yield* codeOf(join(root, "src/new.py")), [true, "allowed"])
    assert.deepStrictEqual(yield* codeOf("src/new.py", { allow_new_files: false }), [false, "new_file_not_allowed"])
    assert.deepStrictEqual(yield* codeOf("../elsewhere.py"), [false, "outside_root"])
    assert.deepStrictEqual(yield* codeOf("/etc/passwd"), [false, "outside_root"])
    assert.deepStrictEqual(yield* codeOf("src"), [false, "not_a_file"])
    assert.deepStrictEqual(yield* codeOf(".proofline/state/proofline.db"), [false, "housekeeping"])
    const nothing = yield* call("check_write_target")
    assert.deepInclude(nothing.body, { allowed: false, error: "payload_mismatch" })
  })
})

describe("the judgment of an agent", () => {
  const reviewed = Effect.gen(function* () {
    const at = yield* attemptsAt([aTask("t1", { checks: [], validation: ["it is good"] })], source, {
      reviewer: "command",
      reviewer_named: true
    })
    yield* at.execute(begin("t1"), end("t1", 1, { summary: "", checklist: null, problems: [] }))
    return yield* at.agent(callFor("t1", "review"))
  })

  effect("given a review, then it stands in the report file once it is whole", function* () {
    const { call, files, report } = yield* reviewed
    const wrong = yield* call("submit_review", { data: { judgment: "GOOD", checks: [{ criterion: "it is good" }] } })
    refusedWith(wrong, "payload_mismatch")
    assert.deepStrictEqual(keysOf(wrong.body), ["field_invalid", "field_missing"])
    const unmet = [{ criterion: "it is good", passed: false, details: "It is not." }]
    const contradiction = yield* call("submit_review", { data: { judgment: "PASS", checks: unmet } })
    assert.deepStrictEqual(keysOf(contradiction.body), ["review_contradiction"])
    assert.isFalse(existsSync(files.report))
    const judgment = { judgment: "REJECT", checks: unmet, modification_prompt: "Make it good." }
    const taken = yield* call("submit_review", { data: JSON.stringify(judgment) })
    assert.deepInclude(taken.body, { success: true, taken: true })
    assert.deepStrictEqual(report(), judgment)
  })

  effect("given a reviewer, then it reports no work and writes no file", function* () {
    const { call } = yield* reviewed
    refusedWith(yield* call("complete_task", { task_id: "t1", data: truth }), "wrong_role")
    refusedWith(yield* call("submit_phase", { data: truth }), "wrong_role")
    assert.deepInclude((yield* call("check_write_target", { file_path: "src/add.py" })).body, {
      allowed: false,
      code: "read_only"
    })
    assert.deepInclude((yield* call("get_next_action")).body, { action: "review", call: "submit_review" })
  })

  effect("given a verification, then what is met needs evidence and the whole follows from its parts", function* () {
    const at = yield* attemptsAt([task], source)
    yield* at.execute(begin("t1"))
    const { call, report } = yield* at.agent(callFor("requirements", "verify"))
    const status = (met: boolean, evidence?: string) => ({ requirement_id: "R1", met, ...(evidence && { evidence }) })
    const submit = (all_requirements_met: boolean, ...requirement_status: ReadonlyArray<unknown>) =>
      call("submit_verification", { data: { all_requirements_met, requirement_status } })
    assert.deepStrictEqual(keysOf((yield* submit(true, status(true))).body), ["verification_evidence_required"])
    assert.deepStrictEqual(keysOf((yield* submit(true, status(false))).body), ["verification_contradiction"])
    assert.deepStrictEqual(keysOf((yield* submit(false, status(true, "src/add.py:1"))).body), [
      "verification_contradiction"
    ])
    assert.isTrue((yield* submit(true, status(true, "src/add.py:1"))).ok)
    assert.deepStrictEqual(report(), {
      all_requirements_met: true,
      requirement_status: [{ requirement_id: "R1", met: true, evidence: "src/add.py:1" }]
    })
  })

  effect("given an agent that analyses, then it hands nothing in by a call", function* () {
    const at = yield* attemptsAt([aTask("t1", { chunk: "asked" })], source)
    const { call } = yield* at.agent(callFor("t1", "analyze", 0))
    refusedWith(yield* call("submit_phase", { data: truth }), "wrong_role")
    refusedWith(yield* call("create_tasks", { tasks: [planned] }), "not_in_attempt")
    assert.match(String((yield* call("get_next_action")).body["instruction"]), /PROOFLINE_REPORT_FILE/)
  })
})

const planned = { id: "task_4", name: "More", instruction: "Do more.", covers: ["req_1.1"], checks: ["true"] }

describe("the plan of an agent", () => {
  const planning = Effect.gen(function* () {
    const at = yield* attemptsAt([task], source)
    yield* at.execute(begin("t1"))
    return { ...(yield* at.agent(callFor("iteration-1", "generate"))), load: at.load }
  })

  effect("given a plan, then it stands in the report file once it is whole, and nothing is recorded", function* () {
    const { call, files, load, report } = yield* planning
    const { version } = yield* load
    assert.deepInclude((yield* call("get_next_action")).body, { action: "generate", call: "create_tasks" })
    refusedWith(yield* call("report_completed", { result: "success" }), "report_missing")
    assert.isFalse(existsSync(files.report))
    const whole = [
      planned,
      {
        ...planned,
        id: "task_5",
        depends_on: ["task_4", "t1"],
        validation: ["it is good", { criterion: "and fast", covers: "req_1.2" }],
        checklist: ["it is there", { item: "it runs", check: "true", covers: ["req_1.2"] }]
      }
    ]
    const taken = yield* call("create_tasks", { tasks: whole })
    assert.deepInclude(taken.body, { success: true, taken: true })
    assert.deepStrictEqual(report(), { tasks: whole })
    // what is handed in again takes its place; clients send lists as texts of JSON
    assert.isTrue((yield* call("create_tasks", { tasks: JSON.stringify([{ ...planned, depends_on: null }]) })).ok)
    assert.deepStrictEqual(report(), { tasks: [planned] })
    assert.isTrue((yield* call("report_completed", { result: "success" })).ok)
    assert.strictEqual((yield* load).version, version)
  })

  effect("given a plan that is none, then all that is wrong is told at once and nothing is taken", function* () {
    const { call, files } = yield* planning
    const { name, ...nameless } = planned
    const expected: ReadonlyArray<readonly [unknown, ReadonlyArray<string>]> = [
      [{ tasks: [nameless, { ...planned, checks: [1] }, "x"] }, ["field_missing", "field_invalid", "field_invalid"]],
      [{ tasks: [{ ...planned, title: name, checklist: [{ item: "a", command: "true" }] }] }, unknownTwice],
      [{ tasks: [] }, ["plan_empty"]],
      [{ tasks: [planned, { ...planned, name: "Again" }] }, ["id_duplicate"]],
      [{}, ["field_missing"]],
      [{ tasks: "all of them" }, ["field_invalid"]]
    ]
    for (const [args, keys] of expected) {
      const answer = yield* call("create_tasks", args)
      refusedWith(answer, "payload_mismatch")
      assert.deepStrictEqual(keysOf(answer.body), keys, JSON.stringify(args))
    }
    assert.isFalse(existsSync(files.report))
  })

  effect("given an agent that plans, then it hands in nothing else and writes no file", function* () {
    const { call, files } = yield* planning
    refusedWith(yield* call("submit_phase", { data: { tasks: [planned] } }), "wrong_role")
    refusedWith(yield* call("submit_verification", { data: {} }), "wrong_role")
    const refused = yield* call("submit_review", { data: {} })
    assert.match(String(refused.body["next_step"]), /create_tasks\(tasks\)/)
    const target = yield* call("check_write_target", { file_path: "src/add.py" })
    assert.deepInclude(target.body, { allowed: false, code: "read_only" })
    assert.isFalse(existsSync(files.report))
  })

  effect("given a reviewer or a verifier, then it creates no tasks", function* () {
    const at = yield* attemptsAt([task], source)
    yield* at.execute(begin("t1"))
    const { call } = yield* at.agent(callFor("req_1", "verify"))
    refusedWith(yield* call("create_tasks", { tasks: [planned] }), "not_in_attempt")
  })
})
