import { assert, describe, it } from "@effect/vitest"
import type { Failure } from "@proofline/kernel"
import { refusalsFor } from "../../../../packages/plugins/src/policies/sessions/rules/session.ts"
import { done, evidence } from "../../../kernel/support/words.ts"
import {
  alice,
  aPart,
  aPlan,
  aPlay,
  asking,
  bob,
  type Play,
  phases,
  planning,
  withContract,
  working
} from "./playing.ts"

describe("a plan that leaves out what is clear", () => {
  const planOf = (over: object) => ({ tasks: [{ id: "a", description: "Do a.", ...over }] })

  it("is taken without any status, with items that are only named, and as a text", () => {
    const plan = planOf({ checklist: ["one", { item: "two" }, { item: "three", status: "pending" }] })
    for (const payload of [plan, JSON.stringify(plan), { tasks: JSON.stringify(plan.tasks) }]) {
      assert.deepStrictEqual(
        planning()
          .after(alice.submits(payload))
          .items("a")
          .map(([item]) => item),
        ["one", "two", "three"]
      )
    }
  })

  it("is taken as a contract words it that asks for texts alone", () => {
    const expected_payload = { tasks: "list[{id, description, checklist: list[str]}]" }
    const play = withContract({ READY_PLAN: { ...phases.READY_PLAN, expected_payload } }).explores()
    assert.lengthOf(play.after(alice.submits(planOf({ checklist: ["one", "two"] }))).items("a"), 2)
  })

  it("is refused where it names an item of a task twice, by a plan, a later plan and a batch", () => {
    const twice = planOf({ checklist: ["one", "two", { item: " one " }, "one"] })
    const refused = planning().when(alice.submits(twice))
    assert.deepStrictEqual(
      refused.failures.map(({ item, key }) => [key, item]),
      [["checklist_item_duplicate", "one"]]
    )
    assert.include(refused.failures[0]?.message, "is named twice")
    const play = planning().after(alice.submits(planOf({ checklist: ["one"] })))
    assert.deepStrictEqual(play.when(alice.submits(twice)).keys, ["checklist_item_duplicate"])
    const batch = alice.creates({ ...aPart("b", "a"), checklist: ["two", "two "] })
    assert.strictEqual(play.when(batch).code, "checklist_item_duplicate")
    // two tasks may ask for the same
    const both = { tasks: ["a", "b"].map((id) => ({ id, description: "Do it.", checklist: ["one"] })) }
    assert.deepStrictEqual(planning().when(alice.submits(both)).keys, [])
  })

  it("leaves a task that is done as it is", () => {
    const plan = { tasks: [{ id: "a" }, { id: "b" }, { id: "c", description: "Do c." }] }
    const then = working("a", "b").proven("a").after(alice.submits(plan))
    assert.deepStrictEqual(then.warnings, ["checklist_missing"])
    assert.deepStrictEqual(then.statuses("a"), ["completed"])
  })

  it.each([
    [{ status: "completed" }, "task_status_invalid"],
    [{ checklist: [{ item: "x", status: "done" }] }, "checklist_status_invalid"],
    [{ checklist: ["  "] }, "field_empty"],
    [{ id: "" }, "task_id_invalid"]
  ])("is still refused where it says %j", (over, key) => {
    assert.deepStrictEqual(planning().when(alice.submits(planOf({ checklist: ["x"], ...over }))).keys, [key])
  })
})

describe("a summary that is handed in while tasks are open", () => {
  it("is told which, in place of fields that it was never to have", () => {
    const play = working("a", "b", "c").proven("b")
    assert.deepStrictEqual(
      play.when(alice.submits({ summary: "All is done." })).failures.map(({ fields, key }) => [key, fields["tasks"]]),
      [["incomplete_tasks", "a, c"]]
    )
    // what names a task is a report of it
    const report = { summary: "Done.", checklist: [done("one")] }
    assert.deepStrictEqual(play.when(alice.submits(report)).keys, ["field_missing"])
  })
})

describe("what was refused", () => {
  it("is told to the session that handed it in, and to no other", () => {
    const play = aPlay()
      .after(bob.opens())
      .when(alice.submits({ findings: [] }))
    assert.isNotEmpty(refusalsFor(play.phases, play.session("alice")))
    assert.deepStrictEqual(refusalsFor(play.phases, play.session("bob")), [])
  })

  it("is found again by the agent in its next session, once the first is over", () => {
    const { phases } = aPlay()
      .when(alice.submits({}))
      .after(alice.closes("process_ended"), alice.opens({ session_id: "ses_again" }))
    const again = phases.sessions.find(({ session_id }) => session_id === "ses_again")
    assert.isNotEmpty(again === undefined ? [] : refusalsFor(phases, again))
  })

  it("is forgotten with what is taken next, and when the phase is left", () => {
    const taken = aPlay().when(alice.submits({})).explores()
    assert.deepStrictEqual(refusalsFor(taken.phases, taken.session()), [])
  })
})

describe("a parent with open subtasks", () => {
  it("is not done, and is told their ids, whatever its own status is", () => {
    const play = working("p", "q").after(alice.creates(aPart("x", "p"), aPart("y", "p")))
    for (const open of [play, play.after(alice.starts("p")), play.after(alice.putsOff("p"))]) {
      assert.deepStrictEqual(open.when(alice.finishes("p")).refusal, ["subtasks_incomplete", ["tsk_3", "tsk_4"]])
    }
    const [failure] = play.when(alice.completes("p")).failures
    assert.deepInclude(failure, { key: "subtasks_incomplete", fields: { task_id: "p", tasks: "tsk_3, tsk_4" } })
    // without any, it goes through its statuses as before
    assert.strictEqual(play.when(alice.finishes("q")).code, "invalid_transition")
  })
})

describe("work that seemed to be over", () => {
  it("goes on with a plan of what is missing, as long as the run has not ended", () => {
    const done = working("a").proven("a")
    for (const over of [done, done.summed()]) {
      for (const plan of [aPlan("b"), { summary: "One more.", ...aPlan("b") }]) {
        const then = over.after(alice.submits(plan))
        assert.deepStrictEqual([then.phase, ...then.statuses("b")], ["READY_IMPL", "pending"])
      }
    }
    assert.strictEqual(done.handedIn().when(alice.plans("b")).code, "verification_running")
  })
})

describe("a task that is done", () => {
  const again = (rejudged: ReadonlyArray<Failure> | null) => ({
    ...alice.completes("a", [{ item: "one", status: "done", evidence: "src/a.ts:3-4" }]),
    ...(rejudged === null ? {} : { looked: { absent: [], rejudged } })
  })

  it("is shown anew by a report that holds, in its phase and after it", () => {
    for (const play of [working("a", "b").proven("a"), working("a").proven("a")]) {
      const looking = play.after(again([]))
      assert.deepInclude(looking.contents("TASK_STATUS_CHANGED")[0], {
        to: "retrying",
        reason: "reported_again",
        reopened_items: 1
      })
      const then = looking.after(evidence("a", 2, 0))
      const { attempts, current, status } = then.task("a")
      assert.deepStrictEqual([attempts, status, then.phase], [2, "completed", play.phase])
      assert.strictEqual(current?.report?.checklist?.[0]?.evidence, "src/a.ts:3-4")
    }
  })

  it("stays as it was shown when the new report does not hold, or nobody looked", () => {
    const failure: Failure = { key: "checklist_evidence_empty_impl", item: "one", fields: {}, message: "It is empty." }
    const play = working("a", "b").proven("a")
    const worse = play.when(again([failure]))
    assert.deepStrictEqual(worse.failures, [failure])
    assert.strictEqual(worse.task("a").verdict, "proven")
    assert.deepStrictEqual(play.when(again(null)).keys, ["already_completed"])
  })
})

describe("an exploration", () => {
  it("is refused with the files that are not there, and with no other", () => {
    const look = (...absent: ReadonlyArray<string>) => ({
      ...alice.explores("src/a.ts:1-9", "src/b.ts", "./src/c.ts"),
      looked: { absent, rejudged: null }
    })
    assert.deepStrictEqual(
      aPlay()
        .when(look("src/a.ts", "src/c.ts"))
        .failures.map(({ fields, key }) => [key, fields["files"]]),
      [["explored_file_not_found", "src/a.ts, src/c.ts"]]
    )
    assert.deepStrictEqual(aPlay().when(look()).keys, [])
  })
})

describe("a file that was written before anybody asked for it", () => {
  const play = () => asking("src/a.ts").after(alice.plans("a", "b"))
  const asked = (changed: boolean | null) => ({ ...alice.checks("src/a.ts"), changed })
  const codeFor = (over: Play, changed: boolean | null) =>
    over
      .when(asked(changed))
      .contents("WRITE_TARGET_CHECKED")
      .map(({ code }) => code)[0]

  it("is asked for too late: it cannot be cited, until it is as it was and is asked for first", () => {
    assert.strictEqual(codeFor(play(), true), "write_target_late")
    const late = play().after(asked(true))
    assert.deepStrictEqual(late.when(alice.completes("a")).keys, ["write_target_not_checked"])
    assert.strictEqual(codeFor(late, false), "allowed")
  })

  it("is none where it was asked for before, for another task too, or where nothing has to be asked for", () => {
    const before = play().after(asked(false))
    for (const over of [before, before.proven("a"), working("a")]) assert.strictEqual(codeFor(over, true), "allowed")
    assert.strictEqual(codeFor(play(), null), "allowed")
  })
})

describe("a report with a field of a wrong kind", () => {
  it.each([
    ["b", "x", "dependencies_open"],
    ["b", [{ item: "one", status: "done", evidence: 3 }], "dependencies_open"],
    ["z", 3, "unknown_task"]
  ])("is told everything else that is wrong with it too: %s %j", (id, checklist, other) => {
    const play = working("a", { id: "b", depends_on: ["a"] })
    assert.sameMembers([...play.when(alice.completes(id, null, { checklist })).keys], ["field_invalid", other])
  })
})
