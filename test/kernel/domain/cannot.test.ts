import { assert, describe, it } from "@effect/vitest"
import { askedIn, type RunConfig, type TaskSpec } from "@proofline/kernel"
import { aTask } from "@proofline/kernel/testing"
import { begun, type Played } from "../support/play.ts"
import {
  answered,
  check,
  done,
  end,
  endReporting,
  evidence,
  impossible,
  resume,
  start,
  verified
} from "../support/words.ts"

const two = [{ item: "one" }, { item: "two" }]
const noRetry = { max_retries: 0 }

/** The first attempt of `a` shows its first item and says of the second that it cannot be done. */
const asked = (
  spec: Partial<TaskSpec> = {},
  config: Partial<RunConfig> = noRetry,
  ...others: ReadonlyArray<TaskSpec>
): Played =>
  begun([aTask("a", { checklist: two, checks: [], ...spec }), ...others], config).after(
    start("a"),
    endReporting("a", 1, [done("one"), impossible("two")]),
    evidence("a", 1, 0)
  )

const item = { index: 1, item: "two", reason: "the key for it is missing", evidence: null }

describe("an item that cannot be done", () => {
  it("given that nothing else is left, then a person is asked, and the run ends so that a resume goes on", () => {
    const then = asked()
    assert.deepStrictEqual(then.types, [
      "EVIDENCE_CHECKED",
      "CHECKLIST_ITEM_ACCEPTED",
      "CHECKLIST_ITEM_CANNOT",
      "PERSON_ASKED",
      "RUN_INCOMPLETE"
    ])
    assert.deepStrictEqual(then.content("PERSON_ASKED"), { task_id: "a", attempt: 1, items: [item], files: [] })
    assert.deepInclude(then.task("a"), { status: "blocked", reason: "cannot", retry_count: 0 })
    assert.deepStrictEqual(then.items("a"), [
      ["one", "proven"],
      ["two", "unproven"]
    ])
    assert.deepStrictEqual(askedIn(then.state), [
      { run_id: then.run.run_id, task_id: "a", attempt: 1, ...item, files: [] }
    ])
    assert.match(then.run.message, /A person is asked/)
  })

  it("given that nobody has answered, when the run is resumed, then nothing is tried and it ends the same", () => {
    const then = asked().after(resume())
    assert.deepStrictEqual(then.types, ["RUN_RESUMED", "RUN_INCOMPLETE"])
    assert.deepStrictEqual(then.orders, [])
  })

  it("given tasks that do not wait for it, then the run goes on with them, and only what depends on it rests", () => {
    const b = aTask("b", { depends_on: ["a"] })
    const then = asked({}, noRetry, b, aTask("c"))
    assert.strictEqual(then.run.status, "running")
    const over = then.after(start("c"), end("c"), verified("c"))
    assert.deepStrictEqual(over.types, ["VERIFICATION_RUN", "TASK_COMPLETED", "RUN_INCOMPLETE"])
    assert.deepStrictEqual(over.statuses("a", "b", "c"), ["blocked", "pending", "completed"])
  })

  it("given an item that is refused beside it, then that is tried again by the usual rules, and it stands", () => {
    const first = begun([aTask("a", { checklist: two, checks: [] })]).after(
      start("a"),
      endReporting("a", 1, [{ item: "one", status: "done" }, impossible("two")]),
      evidence("a", 1)
    )
    assert.deepInclude(first.content("TASK_STATUS_CHANGED"), { to: "retrying", retry_count: 1 })
    assert.strictEqual(first.task("a").items[1]?.status, "cannot")
    const second = first.after(
      start("a", 2),
      endReporting("a", 2, [done("one"), impossible("two")]),
      evidence("a", 2, 0)
    )
    assert.strictEqual(second.task("a").status, "blocked")
  })

  it("given commands of its own, then they are asked for first, and what it may be the reason for is no refusal", () => {
    const ofTask = asked({ checks: ["true"] })
    assert.deepStrictEqual(ofTask.orders, ["checks/a/1"])
    assert.include(ofTask.after(verified("a", 1, [check(1)])).types, "PERSON_ASKED")
    const ofOther = asked({ checklist: [{ item: "one", check: "true" }, { item: "two" }] })
    const failed = ofOther.after(verified("a", 1, [check(1, { item_index: 0 })]))
    assert.strictEqual(failed.content("TASK_FAILED").reason, "checks_failed")
  })
})

describe("what a person answers", () => {
  it.each([
    ["no-answer", "continue", " ", "guidance_required", null],
    ["another item", "waive", "", "no_question", 0]
  ] as const)("given %s, then it is refused and the question stays", (_, answer, text, code, index) => {
    const then = asked().when(answered("a", answer, text, index))
    assert.strictEqual(then.code, code)
    assert.lengthOf(askedIn(then.state), 1)
  })

  it("given that nothing waits, then there is nothing to answer", () => {
    const run = begun([aTask("a")])
    assert.deepStrictEqual(
      [run.when(answered("a", "waive")).code, run.when(answered("x", "waive")).code],
      ["no_question", "task_unknown"]
    )
  })

  it("waive: the item counts as waived by the person, and what was shown completes the task", () => {
    const said = asked().after(answered("a", "waive", "we do without"))
    assert.deepStrictEqual(said.types, ["PERSON_ANSWERED"])
    const then = said.after(resume())
    assert.deepStrictEqual(then.types, ["RUN_RESUMED", "TASK_STATUS_CHANGED", "TASK_COMPLETED", "RUN_ENDING"])
    assert.deepStrictEqual(then.content("TASK_COMPLETED"), { task_id: "a", attempts: 1, proven: 1, waived: 1 })
    assert.deepInclude(then.task("a").items[1], { status: "skipped", verdict: "waived", reason: item.reason })
    assert.deepStrictEqual(then.task("a").items[1]?.answer, {
      answer: "waive",
      text: "we do without",
      at: "2026-01-02T12:00:00.000Z"
    })
  })

  it("waive of all there is: the person's word completes the task, and nothing is called shown", () => {
    const then = begun([aTask("a", { checklist: [{ item: "two" }], checks: [] })], noRetry).after(
      start("a"),
      endReporting("a", 1, [impossible("two")]),
      evidence("a", 1),
      answered("a", "waive"),
      resume()
    )
    assert.deepStrictEqual(then.statuses("a"), ["completed"])
    assert.strictEqual(then.content("RUN_COMPLETED").proof?.verdict, "unproven")
  })

  it("continue: another attempt is made although no retry is left, and it is told what the person said", () => {
    const then = asked().after(answered("a", "continue", "use the test key"), resume())
    assert.deepStrictEqual(then.types, ["RUN_RESUMED", "TASK_STATUS_CHANGED"])
    assert.deepInclude(then.content("TASK_STATUS_CHANGED"), {
      to: "retrying",
      reason: "answered",
      retry_count: 0,
      delay_ms: 0
    })
    assert.deepStrictEqual(then.orders, ["attempt/a/2/1"])
    assert.deepStrictEqual(then.task("a").items[1]?.guidance, ["use the test key"])
    const over = then.after(start("a", 2), endReporting("a", 2, [done("one"), done("two")]), evidence("a", 2, 0, 1))
    assert.deepInclude(over.content("TASK_COMPLETED"), { attempts: 2, proven: 2 })
  })

  it("given the answer while the run goes on, then nobody needs to resume it", () => {
    const then = asked({}, noRetry, aTask("c")).after(answered("a", "continue", "use the test key"))
    assert.deepStrictEqual(then.types, ["PERSON_ANSWERED", "TASK_STATUS_CHANGED"])
    assert.deepStrictEqual(then.orders, ["attempt/a/2"])
  })

  it("give_up: the task fails with the reason, and no resume takes it up again", () => {
    const then = asked().after(answered("a", "give_up", "too dear"), resume())
    assert.deepInclude(then.content("TASK_FAILED"), { reason: "given_up", verdict: "unproven" })
    assert.match(
      then.task("a").message,
      /"two", which cannot be done: the key for it is missing What they said: too dear/
    )
    assert.deepStrictEqual(then.after(resume()).content("RUN_RESUMED").reopened, [])
  })

  it("given two items, then it rests until both are answered, and one that is to go on makes another attempt", () => {
    const both = begun([aTask("a", { checklist: [...two, { item: "three" }], checks: [] }), aTask("c")], noRetry).after(
      start("a"),
      endReporting("a", 1, [impossible("one"), impossible("two"), done("three")]),
      evidence("a", 1, 2)
    )
    const half = both.after(answered("a", "waive", "", 0))
    assert.deepStrictEqual([half.types, half.task("a").status], [["PERSON_ANSWERED"], "blocked"])
    const then = half.after(answered("a", "continue", "like this", 1))
    assert.strictEqual(then.content("TASK_STATUS_CHANGED").to, "retrying")
    const over = then.after(start("a", 2), endReporting("a", 2, [done("two"), done("three")]), evidence("a", 2, 1, 2))
    assert.deepStrictEqual(over.verdicts("a"), ["waived", "proven", "proven"])
  })
})
