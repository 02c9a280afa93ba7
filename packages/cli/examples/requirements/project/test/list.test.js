import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { parseAmount, parseList } from "../src/list.js"

describe("parseAmount", () => {
  it("reads what is measured and what is counted", () => {
    assert.deepEqual(parseAmount("500 ml"), { amount: 500, unit: "ml" })
    assert.deepEqual(parseAmount("0.5 l"), { amount: 0.5, unit: "l" })
    assert.deepEqual(parseAmount("6"), { amount: 6, unit: "" })
  })

  it("knows what is no amount", () => {
    for (const text of ["", "ml", "-3 g", "some milk", "1 2 g"]) assert.equal(parseAmount(text), null)
  })
})

describe("parseList", () => {
  it("reads entries with and without a date", () => {
    assert.deepEqual(parseList("milk; 300 ml; 2026-05-05\nsalt;500 g"), [
      { name: "milk", amount: 300, unit: "ml", bestBefore: "2026-05-05" },
      { name: "salt", amount: 500, unit: "g", bestBefore: null }
    ])
  })

  it("takes blank lines and remarks for what they are", () => {
    assert.deepEqual(parseList("# the fridge\n\n  \n"), [])
  })

  it("refuses what it cannot read, with the number of the line", () => {
    for (const line of [
      "milk",
      "; 300 ml",
      "milk; much",
      "milk; 300 ml; soon",
      "milk; 300 ml; 2026-02-30",
      "a; 1; ; b"
    ]) {
      assert.throws(() => parseList(`# the fridge\n${line}\n`), { name: "SyntaxError", message: /^line 2\b/ })
    }
  })
})
