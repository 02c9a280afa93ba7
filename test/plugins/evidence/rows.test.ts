import { assert, describe, it } from "@effect/vitest"
import { rowsIn } from "../../../packages/plugins/src/policies/evidence/code/rowsIn.ts"
import { timesIn } from "../../../packages/plugins/src/policies/evidence/code/timesIn.ts"

describe("the rows in a range", () => {
  it("given rows in any order, are those within it, in the order of the file", () => {
    const rows = [9, 2, 4, 3]
    assert.deepStrictEqual(rowsIn(rows, { start: 3, end: 5 }), [2, 3, 4])
    assert.deepStrictEqual(rowsIn(rows, { start: 6, end: 9 }), [])
    assert.deepStrictEqual(rowsIn([], { start: 1, end: 9 }), [])
  })
})

describe("how often a name stands in a text", () => {
  it.each([
    ["save(a); save_all(); saved", "save", 1],
    ["$save + save$ + Äsave + saveé", "save", 0],
    ["save save\nsave", "save", 3],
    ["$a $a$a", "$a", 1],
    // what ends in a sign is that name, and no pattern
    ["empty? emp", "empty?", 1],
    ["a.b axb", "a.b", 1],
    ["𝒳save 😀save", "save", 1],
    ["anything", "", 0]
  ] as const)("given %j and %j, is %i: parts of longer words are none", (text, name, times) => {
    assert.strictEqual(timesIn(text, name), times)
  })
})
