import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parseReview, parseWorkReport } from "../../../packages/plugins/src/policies/execution/answers.ts"

const one = { item: "one", status: "done", evidence: "src/a.ts:1-2" }

describe("the report of an agent", () => {
  it.each([
    ["the summary", { summary: 7, checklist: [one] }],
    ["another item", { summary: "", checklist: [one, { item: "two", status: "done", evidence: 7 }] }]
  ])("given that %s has another type, then it is a problem, and the items that can be read are judged", (_, report) => {
    const { checklist, problems } = parseWorkReport(JSON.stringify(report), true)
    assert.lengthOf(problems, 1)
    assert.deepStrictEqual(checklist, [one as never])
  })

  it("given no item that can be read, then there is no checklist", () => {
    const { checklist, problems } = parseWorkReport(JSON.stringify({ checklist: [{ item: 1 }] }), true)
    assert.lengthOf(problems, 1)
    assert.isNull(checklist)
  })
})

describe("the answer of a reviewer", () => {
  it("given a PASS that contradicts its own checks, then it is a REJECT that says what is not met", () => {
    const checks = [{ criterion: "It adds", passed: false }]
    const { judgment, modification_prompt } = Result.getOrThrow(
      parseReview(JSON.stringify({ judgment: "PASS", checks }))
    )
    assert.strictEqual(judgment, "REJECT")
    assert.include(modification_prompt, "It adds")
  })
})
