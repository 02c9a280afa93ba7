import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { missing } from "../src/shopping.js"

const entry = (name, amount, unit = "") => ({ name, amount, unit, bestBefore: null })

describe("missing", () => {
  it("gives what is not there, and the rest of what is not enough", () => {
    const stock = [entry("eggs", 2), entry("flour", 1000, "g")]
    const recipe = [entry("flour", 250, "g"), entry("eggs", 3), entry("butter", 50, "g")]
    assert.deepEqual(missing(stock, recipe), [
      { name: "eggs", amount: 1, unit: "" },
      { name: "butter", amount: 50, unit: "g" }
    ])
  })

  it("adds up what lies in several places", () => {
    const stock = [entry("milk", 300, "ml"), entry("milk", 500, "ml")]
    assert.deepEqual(missing(stock, [entry("milk", 600, "ml")]), [])
    assert.deepEqual(missing(stock, [entry("milk", 900, "ml")]), [{ name: "milk", amount: 100, unit: "ml" }])
  })

  it("takes only what has the same unit", () => {
    assert.deepEqual(missing([entry("milk", 1, "l")], [entry("milk", 600, "ml")]), [
      { name: "milk", amount: 600, unit: "ml" }
    ])
  })
})
