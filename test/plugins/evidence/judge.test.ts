import { assert, describe, it } from "@effect/vitest"
import {
  composePlugins,
  emptySnapshot,
  foldEvent,
  type LineFact,
  type LineReceipt,
  type ReportedItem,
  taskOf
} from "@proofline/kernel"
import { acceptsWeak } from "@proofline/kernel/testing"
import { Effect, Result, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { judge } from "../../../packages/plugins/src/policies/evidence/judge.ts"
import { parse } from "../../../packages/plugins/src/policies/evidence/reference.ts"
import { stateOf } from "../../kernel/support/words.ts"
import { often } from "../../often.ts"

const alone = composePlugins([])

type Judged = Parameters<typeof judge>

/** Where the user accepts what is weak. */
const judged = (task: Judged[0], report: Judged[1], facts: Judged[2]) =>
  judge(task, report, facts, {}, { proof: acceptsWeak })

/** A task with this checklist registered. */
const taskWith = (...items: ReadonlyArray<string>) => {
  const about = { task_id: "t" }
  const registered = foldEvent(alone, emptySnapshot(alone), {
    type: "TASK_REGISTERED",
    content: { ...about, title: "t", instruction: "Do t.", validation: [], checks: [], depends_on: [], priority: 1 }
  })
  const listed = foldEvent(alone, registered, {
    type: "CHECKLIST_REGISTERED",
    content: { ...about, items: items.map((item) => ({ item })) }
  })
  const task = taskOf(stateOf(listed), "t")
  if (task === undefined) throw new Error("The task was not registered.")
  return task
}

const report = (...checklist: ReadonlyArray<ReportedItem>) => ({ summary: "", checklist, problems: [] })

const done = (item: string, evidence: string | null = "a.py:1-2"): ReportedItem => ({ item, status: "done", evidence })
const skipped = (item: string, reason: string | null): ReportedItem => ({ item, status: "skipped", reason })

const receiptOf = (path: string, start: number, end: number): LineReceipt => ({
  kind: "lines",
  path,
  start,
  end,
  sha256: "a".repeat(64),
  git_blob: null,
  git_commit: null,
  covers: { start, end, sha256: null },
  declaration: null
})

/** The facts of a disk on which everything cited is there. */
const allThere = (checklist: ReadonlyArray<ReportedItem>): ReadonlyArray<LineFact> =>
  checklist.flatMap((reported, index) => {
    const evidence = reported.evidence ?? ""
    const parsed = parse(evidence)
    if (reported.status !== "done" || Result.isFailure(parsed)) return []
    const { end, path, start } = parsed.success
    const receipt = receiptOf(path, start, end)
    const about = { index, evidence, path, start, end, total: 99, declaration: null, untouched: null }
    return [{ ...about, outcome: "ok", detail: "", receipt } as const]
  })

const judgeAll = (items: ReadonlyArray<string>, ...checklist: ReadonlyArray<ReportedItem>) =>
  judged(taskWith(...items), report(...checklist), allThere(checklist))

const keysOf = (judgement: Pick<ReturnType<typeof judge>, "failures">) =>
  judgement.failures.map(({ index, key }) => [index, key])

describe("the list of items", () => {
  it("accepts done with evidence and skipped with a reason, under the index of the registered item", () => {
    const { accepted, failures } = judgeAll(["A", "B"], skipped("B", "Reusing SessionManager"), done("A"))
    assert.deepStrictEqual(failures, [])
    assert.deepStrictEqual(
      accepted.map(({ index, item, verdict }) => [index, item, verdict]),
      [
        [0, "A", "proven"],
        [1, "B", "waived"]
      ]
    )
  })

  it("takes blanks around an item and composed letters for no other item, and says it as it is registered", () => {
    const items = ["Gru\u0308ße", " B\n"]
    const { accepted, failures } = judgeAll(items, done(" Gr\u00fc\u00dfe "), skipped("B", "Reusing SessionManager"))
    assert.deepStrictEqual(failures, [])
    assert.deepStrictEqual(
      accepted.map(({ item }) => item),
      items
    )
    assert.deepStrictEqual(keysOf(judgeAll(["A"], done("A"), done("A "))), [[null, "checklist_items_mismatch"]])
  })

  it("names what is missing, not registered and repeated in one failure", () => {
    const { failures } = judgeAll(["A", "B", "C"], done("A"), done("A"), done("b"), done("C"))
    assert.strictEqual(failures.length, 1)
    assert.deepInclude(failures[0], {
      index: null,
      error: "payload_mismatch",
      key: "checklist_items_mismatch",
      item: null,
      fields: { missing: "'B'", unknown: "'b'", repeated: "'A'" },
      message:
        "Reported checklist items don't match registered items. Include all items from the original checklist. Missing: 'B'. Not registered: 'b'. Reported more often than registered: 'A'."
    })
  })

  it("accepts nothing of an item that was reported in two states", () => {
    const { accepted, failures } = judgeAll(["A"], done("A"), skipped("A", "It was not needed."))
    assert.deepStrictEqual(accepted, [])
    assert.deepStrictEqual(keysOf({ failures }), [[null, "checklist_items_mismatch"]])
  })

  it("matches two registered items of the same text one to one", () => {
    const both = judgeAll(["A", "A"], done("A", "a.py:1"), done("A", "a.py:2"))
    assert.deepStrictEqual(
      both.accepted.map(({ evidence, index }) => [index, evidence]),
      [
        [0, "a.py:1"],
        [1, "a.py:2"]
      ]
    )
    const one = judgeAll(["A", "A"], done("A"))
    assert.strictEqual(one.accepted.length, 1)
    assert.deepStrictEqual(one.failures[0]?.fields, { missing: "'A'" })
  })

  it.each([
    ["no report", null, "There is no report."],
    ["no checklist", { summary: "", checklist: null, problems: ["It is not JSON."] }, "It is not JSON."],
    ["an empty checklist", report(), "Missing: 'A'."]
  ])("refuses %s when a checklist is registered", (_, given, detail) => {
    const { accepted, failures } = judged(taskWith("A"), given, [])
    assert.deepStrictEqual(accepted, [])
    assert.deepStrictEqual(keysOf({ failures }), [[null, "checklist_items_mismatch"]])
    assert.include(failures[0]?.message, detail)
  })

  it("tells what is wrong with the report beside what is wrong with its items", () => {
    const given = { ...report(done("A", "a.py:1-2")), problems: ["The summary is no text."] }
    const { failures } = judged(taskWith("A"), given, [])
    assert.include(failures[0]?.message, "The summary is no text.")
    assert.isAbove(failures.length, 1)
    const whole = judged(taskWith("A"), given, allThere(given.checklist))
    assert.deepStrictEqual(keysOf(whole), [[null, "checklist_items_mismatch"]])
  })

  it("asks for nothing when nothing is registered, and refuses what is reported anyway", () => {
    assert.deepStrictEqual(judged(taskWith(), null, []), { accepted: [], cannot: [], failures: [] })
    assert.deepStrictEqual(keysOf(judgeAll([], done("A"))), [[null, "checklist_items_mismatch"]])
  })
})

describe("a single item", () => {
  it.each([
    ["pending", { item: "A", status: "pending" }, "checklist_item_pending"],
    ["pending with evidence", { item: "A", status: "pending", evidence: "a.py:1" }, "checklist_item_pending"],
    ["a status nobody knows", { item: "A", status: "Done", evidence: "a.py:1" }, "checklist_item_pending"],
    ["no status", { item: "A", evidence: "a.py:1" }, "checklist_item_pending"],
    ["done without evidence", { item: "A", status: "done" }, "checklist_evidence_required"],
    ["done with null", { item: "A", status: "done", evidence: null }, "checklist_evidence_required"],
    ["done with blanks", { item: "A", status: "done", evidence: " \t" }, "checklist_evidence_required"],
    [
      "done with a reason only",
      { item: "A", status: "done", reason: "It is really done." },
      "checklist_evidence_required"
    ],
    ["prose", { item: "A", status: "done", evidence: "line 42 in auth.py" }, "checklist_evidence_format_invalid"],
    ["an inverted range", { item: "A", status: "done", evidence: "a.py:58-42" }, "checklist_evidence_format_invalid"],
    ["skipped without a reason", { item: "A", status: "skipped" }, "checklist_reason_required"],
    ["skipped with null", { item: "A", status: "skipped", reason: null }, "checklist_reason_required"],
    ["a reason of nine characters", { item: "A", status: "skipped", reason: "Not now. " }, "checklist_reason_required"],
    ["ten blanks", { item: "A", status: "skipped", reason: " ".repeat(10) }, "checklist_reason_required"],
    [
      "blanks that are none to trim()",
      { item: "A", status: "skipped", reason: "\u3164".repeat(12) },
      "checklist_reason_required"
    ],
    [
      "invisible characters",
      { item: "A", status: "skipped", reason: "\u200b".repeat(12) },
      "checklist_reason_required"
    ],
    [
      "a word in a field of blanks",
      { item: "A", status: "skipped", reason: "no         no" },
      "checklist_reason_required"
    ],
    [
      "five characters of two units",
      { item: "A", status: "skipped", reason: "😀".repeat(5) },
      "checklist_reason_required"
    ],
    ["skipped with evidence only", { item: "A", status: "skipped", evidence: "a.py:1" }, "checklist_reason_required"]
  ])("refuses %s", (_, reported, key) => {
    const judgement = judgeAll(["A"], reported as ReportedItem)
    assert.deepStrictEqual(keysOf(judgement), [[0, key]])
    assert.deepStrictEqual(judgement.accepted, [])
  })

  it.each([["既存のものを再利用する"], ["Not needed"], ["1234567890"], ["😀😃😄😁😆😅😂🙂🙃😉"]])(
    "accepts the reason %j",
    (reason) => {
      assert.strictEqual(judgeAll(["A"], skipped("A", reason)).accepted[0]?.reason, reason)
    }
  )

  const cases: ReadonlyArray<readonly [Partial<LineFact>, string, object]> = [
    [{ outcome: "format_invalid" }, "checklist_evidence_format_invalid", { evidence: "a.py:5-9" }],
    [
      { outcome: "file_not_found", detail: "It is a directory." },
      "checklist_evidence_file_not_found",
      { file_path: "a.py", detail: "It is a directory." }
    ],
    [{ outcome: "out_of_range", total: 7 }, "checklist_evidence_line_out_of_range", { line: 9, total: 7 }],
    [{ outcome: "out_of_range", total: 3 }, "checklist_evidence_line_out_of_range", { line: 5, total: 3 }],
    [{ outcome: "empty" }, "checklist_evidence_empty_impl", { evidence: "a.py:5-9" }],
    [{ outcome: "ok", receipt: null }, "checklist_evidence_file_not_found", {}],
    [{ outcome: "ok", receipt: receiptOf("b.py", 5, 9) }, "checklist_evidence_file_not_found", {}],
    [{ outcome: "ok", evidence: "a.py:1" }, "checklist_evidence_file_not_found", {}],
    [{ outcome: "ok", index: 1 }, "checklist_evidence_file_not_found", {}]
  ]
  it.each(cases)("follows the fact %j", (fact, key, fields) => {
    const [there] = allThere([done("A", "a.py:5-9")])
    const found = {
      ...there,
      receipt: fact.outcome === "ok" ? (there?.receipt ?? null) : null,
      ...fact
    } as LineFact
    const { accepted, failures } = judged(taskWith("A"), report(done("A", "a.py:5-9")), [found])
    assert.deepStrictEqual(accepted, [])
    assert.strictEqual(failures[0]?.key, key)
    assert.deepInclude(failures[0]?.fields, fields)
  })

  it.each([{ start: 4 }, { end: 10 }, { path: "./a.py" }])("does not take a receipt of other lines: %j", (other) => {
    const [there] = allThere([done("A", "a.py:5-9")])
    const receipt = there?.receipt == null ? null : { ...there.receipt, ...other }
    const { accepted } = judged(taskWith("A"), report(done("A", "a.py:5-9")), [{ ...there, receipt } as LineFact])
    assert.deepStrictEqual(accepted, [])
  })

  it("given lines between which some were removed, when they are accepted, then nothing is noted against them", () => {
    const [there] = allThere([done("A", "a.py:5-6")])
    const proof = { change: { touched: true, lines: ["5", "6"] }, ignored: false, never_runs: null, named: [] }
    const { accepted } = judged(taskWith("A"), report(done("A", "a.py:5-6")), [
      { ...there, untouched: true, proof } as LineFact
    ])
    assert.deepStrictEqual(accepted[0]?.weak, [])
  })

  it("puts the sentence of the contract first and the detail after it", () => {
    const [there] = allThere([done("A", "a.py:5")])
    const fact = { ...there, outcome: "file_not_found", detail: "It is a directory.", receipt: null } as LineFact
    assert.strictEqual(
      judged(taskWith("A"), report(done("A", "a.py:5")), [fact]).failures[0]?.message,
      "Evidence file not found: a.py. Verify the file path is correct and the file exists. It is a directory."
    )
  })
})

it("names every problem of a report at once, in the order of registration", () => {
  const judgement = judgeAll(
    ["A", "B", "C", "D", "E"],
    skipped("D", "no"),
    done("X", "prose"),
    done("C", "a.py line 3"),
    { item: "B", status: "pending" },
    done("A", null)
  )
  assert.deepStrictEqual(keysOf(judgement), [
    [null, "checklist_items_mismatch"],
    [0, "checklist_evidence_required"],
    [1, "checklist_item_pending"],
    [2, "checklist_evidence_format_invalid"],
    [3, "checklist_reason_required"],
    [null, "checklist_evidence_format_invalid"]
  ])
})

const text = Arbitrary.schema(Schema.Literals(["A", "B", "C"]))
const reported = Arbitrary.all({
  item: text,
  status: Arbitrary.schema(Schema.Literals(["pending", "done", "skipped"])),
  evidence: Arbitrary.schema(Schema.Literals(["a.py:1", "a.py:2-3", "prose", ""])),
  reason: Arbitrary.schema(Schema.Literals(["It was not needed.", "no"]))
})
const items = Arbitrary.array(text, { maxLength: 5 })
const checklist = Arbitrary.array(reported, { maxLength: 7 })
const runs = { arbitrary: { runs: often(500) } }

describe("skipped items of a run that asks for proof", () => {
  const judgeProof = (max_waived: number, ...reasons: ReadonlyArray<string>) => {
    const items = reasons.map((_, i) => `item ${i + 1}`)
    const checklist = items.map((item, i) => skipped(item, reasons[i] ?? ""))
    const proof = { accept: [], max_waived }
    return judge(taskWith(...items), report(...checklist), [], {}, { proof })
  }
  const why = "It is reused from SessionManager."

  it.each([
    ["one letter", "aaaaaaaaaaaaaaaa"],
    ["dots between", "x.x.x.x.x.x.x.x.x"],
    ["three letters", "abcabcabcabc"]
  ])("given a reason of %s, then it is refused, and told why", (_, filler) => {
    const { failures } = judgeProof(1, filler)
    assert.deepInclude(failures[0], { index: 0, key: "checklist_reason_required" })
    assert.include(failures[0]?.message, "says nothing")
  })

  it("given reasons in words, also in Japanese, then they count", () => {
    assert.deepStrictEqual(judgeProof(1, why, "既存のセッション管理を再利用するため不要です").failures, [])
  })

  it.each([
    [1, 1],
    [2, 1],
    [3, 1],
    [6, 2],
    [10, 3]
  ])("of %i items %i may be skipped, one more is refused with the number", (total, most) => {
    const proven = Array.from({ length: total }, (_, i) => `item ${i + 1}`)
    const judgeSkipping = (count: number) => {
      const checklist = proven.map((item, i) => (i < count ? skipped(item, why) : done(item, `a.py:${i + 1}`)))
      const proof = { accept: ["untouched" as const], max_waived: 1 / 3 }
      return judge(taskWith(...proven), report(...checklist), allThere(checklist), {}, { proof })
    }
    assert.deepStrictEqual(judgeSkipping(most).failures, [])
    if (total === most) return
    const [tooMany] = judgeSkipping(most + 1).failures
    assert.deepInclude(tooMany, { index: null, key: "checklist_waived_too_many" })
    assert.deepInclude(tooMany?.fields, { waived: most + 1, total, allowed: most })
  })
})

describe("properties", () => {
  it.effect.prop(
    "never accepts more than is registered, nor one item twice",
    [items, checklist],
    ([items, checklist]) =>
      Effect.sync(() => {
        const { accepted } = judgeAll(items, ...checklist)
        assert.isTrue(accepted.every(({ index, item }) => items[index] === item))
        assert.strictEqual(new Set(accepted.map(({ index }) => index)).size, accepted.length)
      }),
    runs
  )

  it.effect.prop(
    "without a failure every item is accepted, and a failure leaves none out",
    [items, checklist],
    ([items, checklist]) =>
      Effect.sync(() => {
        const { accepted, failures } = judgeAll(items, ...checklist)
        assert.strictEqual(failures.length === 0, accepted.length === items.length && checklist.length === items.length)
      }),
    runs
  )

  it.effect.prop(
    "does not depend on the order of the report",
    [items, checklist, Schema.Int],
    ([items, checklist, seed]) =>
      Effect.sync(() => {
        const at = checklist.length === 0 ? 0 : Math.abs(seed) % checklist.length
        const turned = [...checklist.slice(at), ...checklist.slice(0, at)].reverse()
        assert.deepStrictEqual(judgeAll(items, ...turned), judgeAll(items, ...checklist))
      }),
    runs
  )
})
