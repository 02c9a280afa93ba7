import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parseReview, parseWorkReport } from "../../../packages/plugins/src/policies/execution/answers.ts"

const one = { item: "one", status: "done", evidence: "src/a.ts:1-2" }

describe("the report of an agent", () => {
  it.each([
    ["the summary", { summary: 7, checklist: [one] }],
    ["another item", { summary: "", checklist: [one, { item: "two", status: "done", evidence: 7 }] }]
  ])("given that %s has another type, then it is a problem, and the items that can be read are judged", (_, report) => {
    const { checklist, problems, summary } = parseWorkReport(JSON.stringify(report), true)
    assert.lengthOf(problems, 1)
    assert.match(problems[0] ?? "", /^The report does not have the promised shape: \S.*[^\s.]\.$/)
    assert.deepStrictEqual(checklist, [one as never])
    assert.strictEqual(summary, "")
  })

  it.each([
    ["no item that can be read", { checklist: [{ item: 1 }] }],
    ["items that are no list", { checklist: { 0: one } }],
    ["a list in place of a report", [one]],
    ["nothing", null],
    ["a number", 7]
  ])("given %s, then it is a problem, and there is no checklist", (_, report) => {
    const { checklist, problems } = parseWorkReport(JSON.stringify(report), true)
    assert.lengthOf(problems, 1)
    assert.isNull(checklist)
  })

  it.each([
    ["a report of both", { summary: "It adds.", checklist: [one] }, { summary: "It adds.", checklist: [one] }],
    ["only items", { checklist: [one] }, { summary: "", checklist: [one] }],
    ["only words", { summary: "It adds." }, { summary: "It adds.", checklist: null }]
  ])("given %s, then that is the report", (_, report, expected) => {
    for (const isAsked of [true, false])
      assert.deepStrictEqual(parseWorkReport(JSON.stringify(report), isAsked), { ...expected, problems: [] } as never)
  })

  it("given no answer, then that is a problem where a checklist was asked for", () => {
    const none = { summary: "", checklist: null }
    const { problems, ...rest } = parseWorkReport(null, true)
    assert.deepStrictEqual(rest, none)
    assert.match(problems.join(), /^There was no report: .*\$PROOFLINE_REPORT_FILE/)
    const [shape = ""] = /\{.*\}$/.exec(problems.join()) ?? []
    assert.deepStrictEqual(parseWorkReport(shape, true).problems, [])
    assert.deepStrictEqual(parseWorkReport(null, false), { ...none, problems: [] })
  })

  it("given words that are no JSON, then they are the summary where no checklist was asked for", () => {
    const words = "x".repeat(2_001)
    assert.deepStrictEqual(parseWorkReport(words, false), { summary: words.slice(1), checklist: null, problems: [] })
    const { checklist, problems, summary } = parseWorkReport(words, true)
    assert.deepStrictEqual([summary, checklist, problems.length], ["", null, 1])
    assert.match(
      problems[0] ?? "",
      /^The report is not JSON: .+\. Write one JSON value, with no text before or behind it\.$/
    )
    assert.notInclude(parseWorkReport("{}\n\nThat is\nall.", true).problems.join(), "\n")
  })
})

const met = { criterion: "It adds", passed: true }
const unmet = { criterion: "It subtracts", passed: false }

describe("the answer of a reviewer", () => {
  it.each([
    ["a PASS", { judgment: "PASS", checks: [met] }, { judgment: "PASS", checks: [met], modification_prompt: null }],
    ["a PASS without more", { judgment: "PASS" }, { judgment: "PASS", checks: [], modification_prompt: null }],
    [
      "a PASS that contradicts its own checks",
      { judgment: "PASS", checks: [met, unmet, { ...unmet, criterion: "It divides" }], modification_prompt: "Fine." },
      {
        judgment: "REJECT",
        checks: [met, unmet, { ...unmet, criterion: "It divides" }],
        modification_prompt: "The reviewer passed the work although not everything is met: It subtracts; It divides."
      }
    ],
    [
      "a REJECT",
      { judgment: "REJECT", checks: [unmet], modification_prompt: "Subtract." },
      { judgment: "REJECT", checks: [unmet], modification_prompt: "Subtract." }
    ]
  ])("given %s, then that is the judgement", (_, answer, expected) => {
    assert.deepStrictEqual(Result.getOrThrow(parseReview(JSON.stringify(answer))), expected as never)
  })

  it.each([
    ["no answer", null, /^It gave no answer: /],
    ["words", "Fine.", /^The report is not JSON: /],
    ["another shape", '{"judgment":"MAYBE"}', /^The report does not have the promised shape: /]
  ])("given %s, then it is none, and that is why", (_, answer, why) => {
    const read = parseReview(answer)
    assert.match(Result.isFailure(read) ? read.failure : "", why)
  })
})
