import { assert, describe, it } from "@effect/vitest"
import { lineChanges } from "../../../packages/plugins/src/policies/evidence/work/changes.ts"

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

  it.each([
    ["abxy", "xyab", [0, 1, 2, 3], [-1]],
    ["abxy", "xyba", [2, 3], [-1]],
    ["qabx", "qxac", [2, 3], [0]],
    ["xc", "bcb", [0, 2], []],
    ["aca", "c", [], [-1, 0]],
    ["ac", "cab", [1, 2], [-1]],
    ["abc", "bca", [2], [-1]],
    ["qab", "qba", [1, 2], [0]],
    ["qabc", "qxbyc", [1, 3], []],
    ["abcd", "ad", [], [0]],
    ["a b", "ab", [], []],
    ["aba", "a", [], [0]],
    ["a", "aba", [1, 2], []],
    ["abab", "ab", [], [1]]
  ] as const)("given %s that became %s, is the lines %j and the cuts %j", (before, now, rows, cuts) => {
    const lines = (text: string) => [...text].map((char) => char.trim())
    assert.deepStrictEqual(lineChanges(lines(before), lines(now)), { rows, cuts })
  })

  it("given texts that are too different, is all between their first and their last difference", () => {
    const some = (of: string) => Array.from({ length: 1_001 }, (_, i) => `${of} ${i}`)
    const text = (of: string) => ["head", "top", ...some(of), "same", ...some(`more of ${of}`), "tail"]
    const { cuts, rows } = lineChanges(text("old"), text("new"))
    assert.deepStrictEqual([rows[0], rows.at(-1), rows.length, cuts.length], [2, 2_004, 2_003, 0])
    assert.deepStrictEqual(lineChanges(text("old"), ["head", "top", "tail"]), { rows: [], cuts: [1] })
  })
})
