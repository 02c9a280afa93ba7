import { assert, describe, it } from "@effect/vitest"
import type { Failure, ReportedItem } from "@proofline/kernel"
import type { Phase } from "../../../../packages/plugins/src/policies/sessions/contract.ts"
import { waived } from "../../../kernel/support/words.ts"
import {
  alice,
  aPart,
  aPhase,
  asking,
  because,
  bob,
  type Play,
  phases,
  planning,
  to,
  withContract,
  working
} from "./playing.ts"

const gone = (id: string, reason = because) => ({ id, status: "cancelled", reason })
const many = (count: number) => Array.from({ length: count }, (_, i) => `t${i + 1}`)
const numbered = many(20).join(", ")

/** A contract whose phase of tasks says nothing of checklists. */
const loose = (): Play =>
  withContract({ READY_IMPL: { ...phases.READY_IMPL, expected_payload: { task_id: "str" } } }).working("a")

type Commands = typeof alice

describe("what is refused is told with what it is about", () => {
  const done = () => working("a", "b").proven("a")
  const parts = () => working("a").after(alice.creates(aPart("x", "a"), aPart("y", "a")))
  const anotherWay = (commands: Commands) => commands.completes("a", [waived("one")])

  it.each<[string, Play, (by: Commands) => ReturnType<Commands["submits"]>, Failure["fields"]]>([
    ["a task that is done", done(), anotherWay, { task_id: "a" }],
    ["a report that is looked at", working("a").after(alice.completes("a")), anotherWay, { task_id: "a" }],
    [
      "a task that is cancelled",
      working("a", "b").after(alice.cancels("b")),
      (by) => by.completes("b"),
      { task_id: "b", status: "cancelled" }
    ],
    ["open parts", parts(), (by) => by.completes("a"), { task_id: "a", tasks: "tsk_2, tsk_3" }],
    [
      "what it waits for",
      working("a", { id: "b", depends_on: ["a"] }),
      (by) => by.completes("b"),
      { task_id: "b", tasks: "a" }
    ],
    ["the tasks there are", working(...many(20)), (by) => by.completes("x"), { task_id: "x", tasks: numbered }],
    [
      "twenty of more tasks",
      working(...many(22)),
      (by) => by.completes("x"),
      { task_id: "x", tasks: `${numbered} and 2 more` }
    ],
    ["what is withdrawn without a reason", done(), (by) => by.plans("c", gone("b", "short")), { task_id: "b" }],
    ["what is withdrawn after it was done", done(), (by) => by.plans("c", gone("a")), { task_id: "a" }],
    [
      "a status that nobody knows",
      done(),
      (by) => by.plans({ id: "b", status: "odd" }),
      { task_id: "b", status: "odd" }
    ],
    [
      "an item that is dropped",
      done(),
      (by) => by.plans({ id: "b", checklist: ["two"] }),
      { task_id: "b", item: "one" }
    ]
  ])("%s", (_, play, command, fields) => {
    assert.deepStrictEqual(
      play.when(command(alice)).failures.map((failure) => failure.fields),
      [fields]
    )
  })

  it("whose task it is", () => {
    const play = working("a", "b").after(bob.opens())
    for (const command of [bob.completes("a"), bob.plans(gone("a"), "b")]) {
      assert.deepInclude(play.when(command).failures[0]?.fields, { task_id: "a", assignee: "alice" })
    }
  })
})

describe("the report of a task, where the notation says nothing of its checklist", () => {
  const refused = (checklist: unknown) =>
    loose()
      .when(alice.completes("a", null, { checklist }))
      .failures.map(({ fields, item, key }) => [key, fields["field"] ?? fields["task_id"] ?? fields["missing"], item])

  it.each<[string, unknown, ReadonlyArray<unknown>]>([
    ["no list", "x", ["checklist_required", "a", null]],
    ["no item", [null], ["field_invalid", "checklist[0].item", null]],
    ["a number for an item", [{ item: 3, status: "done" }], ["field_invalid", "checklist[0].item", null]],
    ["another status", [{ item: "one", status: "Done" }], ["field_invalid", "checklist[0].status", "one"]],
    [
      "a number for evidence",
      [{ item: "one", status: "done", evidence: 3 }],
      ["field_invalid", "checklist[0].evidence", "one"]
    ],
    [
      "a list for a reason",
      [{ item: "one", status: "skipped", reason: ["x"] }],
      ["field_invalid", "checklist[0].reason", "one"]
    ]
  ])("is refused with %s", (_, checklist, failure) => {
    assert.deepStrictEqual(refused(checklist)[0], failure)
  })

  it("is refused with what is missing where it says nothing", () => {
    for (const nothing of [null, []]) {
      assert.deepStrictEqual(refused(nothing), [["checklist_items_mismatch", "'one'", null]])
    }
  })
})

describe("a file that is cited without having been asked for", () => {
  const cited = (item: Partial<ReportedItem>, play = asking("src/a.ts").after(alice.plans("a"))) =>
    play.when(alice.completes("a", [{ item: "one", status: "done", ...item }])).failures

  it.each([
    ["src/b.ts:1", "src/b.ts"],
    ["file:src/b.ts", "src/b.ts"],
    ["absent:src/b.ts", "src/b.ts"],
    // a file of that name
    ["file:12", "file"],
    ["file:12-34", "file"],
    ["file:1x", "1x"],
    ["profile:src/b.ts", "profile:src/b.ts"]
  ])("is told by its path: %s", (evidence, path) => {
    assert.deepStrictEqual(
      cited({ evidence }).map(({ fields }) => fields["file_path"]),
      [path]
    )
  })

  it("is nothing where an item is excused, or cites none", () => {
    for (const item of [{ status: "skipped", reason: because, evidence: "src/b.ts:1" } as const, { evidence: null }]) {
      assert.deepStrictEqual(cited(item), [])
    }
  })

  it("may be cited again where it was asked for before the task was done", () => {
    const done = asking("src/a.ts").after(alice.plans("a", "b"), alice.checks("src/a.ts")).proven("a")
    const again = alice.completes("a", [{ item: "one", status: "done", evidence: "src/a.ts:3" }])
    assert.deepStrictEqual(done.when({ ...again, looked: { absent: [], rejudged: [] } }).keys, [])
  })
})

describe("what is sent to a phase that does not ask for it", () => {
  const quiet = aPhase({ transitions: [to("READY_PLAN")] })

  it.each<[string, Readonly<Record<string, Phase>>, object, string]>([
    ["a plan", { EXPLORATION: quiet }, { tasks: [] }, "`tasks` is taken in READY_PLAN. Submit EXPLORATION as"],
    ["a report", { EXPLORATION: quiet }, { task_id: "a" }, "`task_id` is taken in READY_IMPL. Submit EXPLORATION as"],
    [
      "a plan that nobody takes",
      { EXPLORATION: quiet, READY_PLAN: quiet },
      { tasks: [] },
      "`tasks` is taken in no phase. Submit EXPLORATION as"
    ]
  ])("is refused with where it belongs: %s", (_, changed, payload, hint) => {
    const { code, rejected } = withContract(changed).when(alice.submits(payload))
    assert.strictEqual(code, "phase_mismatch")
    assert.include(rejected?.message, "EXPLORATION")
    assert.include(rejected?.hint, hint)
  })

  it("is refused as a report with the phase that comes first", () => {
    const { rejected } = planning().when(alice.completes("a"))
    assert.include(rejected?.message, "READY_PLAN")
    assert.strictEqual(rejected?.hint, "Submit READY_PLAN first; tasks are completed in READY_IMPL.")
  })

  it("is not taken for what was sent before where that was nothing", () => {
    const left = withContract({ EXPLORATION: quiet }).after(alice.submits({}))
    assert.deepStrictEqual(left.when(alice.submits({})).types, ["PHASE_REJECTED"])
  })
})

describe("a payload of a phase", () => {
  it.each<[string, object, ReadonlyArray<string>]>([
    ["what is left out", {}, []],
    ["ten characters", { reason: "0123456789" }, []],
    ["ten characters that are pairs", { reason: "💡".repeat(10) }, []],
    ["nine, and blanks around them", { reason: "  012345678  " }, ["field_too_short"]],
    ["another kind of value", { reason: 3 }, ["field_invalid"]],
    ["what has no characters", { files: ["a"] }, ["field_too_short"]]
  ])("that asks for ten characters: %s", (_, payload, keys) => {
    const EXPLORATION = aPhase({
      expected_payload: { "reason?": "str", "files?": "list[str]" },
      min_chars: { reason: 10, files: 10 },
      transitions: [to("READY_PLAN")]
    })
    assert.deepStrictEqual(withContract({ EXPLORATION }).when(alice.submits(payload)).keys, keys)
  })
})
