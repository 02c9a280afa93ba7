import { assert, describe, it } from "@effect/vitest"
import { lineChanges } from "../../../packages/plugins/src/policies/evidence/changes.ts"

describe("what was changed from one text to another", () => {
  it("given a line in the place of another, is that line and no cut", () => {
    assert.deepStrictEqual(lineChanges(["a", "b", "c"], ["a", "x", "c"]), { rows: [1], cuts: [] })
  })

  it("given a line that was taken out, is a cut behind the line before it", () => {
    assert.deepStrictEqual(lineChanges(["a", "b", "c"], ["a", "c"]), { rows: [], cuts: [0] })
    assert.deepStrictEqual(lineChanges(["a", "b"], ["b"]), { rows: [], cuts: [-1] })
  })

  it("given lines between others, is these, whatever blank lines are around them", () => {
    assert.deepStrictEqual(lineChanges(["a", "", "b"], ["a", "n", "", "m", "b", "", ""]), { rows: [1, 3], cuts: [] })
  })

  it("given the same lines, or nothing but blank ones, is nothing", () => {
    for (const [before, now] of [
      [["a"], ["", "a", ""]],
      [[], [""]],
      [
        ["a", "b"],
        ["a", "b"]
      ]
    ] as const) {
      assert.deepStrictEqual(lineChanges(before, now), { rows: [], cuts: [] })
    }
  })

  it("given several changes far apart, is each of them", () => {
    const before = Array.from({ length: 50 }, (_, i) => `line ${i}`)
    const now = before.flatMap((line, i) => (i === 10 ? [] : i === 30 ? [line, "new"] : [line]))
    assert.deepStrictEqual(lineChanges(before, now), { rows: [30], cuts: [9] })
  })
})
