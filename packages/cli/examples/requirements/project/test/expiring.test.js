import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { expiring } from "../src/expiring.js"

const entry = (name, bestBefore) => ({ name, amount: 1, unit: "", bestBefore })
const names = (entries) => entries.map(({ name }) => name)

describe("expiring", () => {
  it("lists the most urgent first, and what is over already before it", () => {
    const stock = [entry("eggs", "2026-05-06"), entry("milk", "2026-05-05"), entry("yoghurt", "2026-05-02")]
    assert.deepEqual(names(expiring(stock, "2026-05-04", 3)), ["yoghurt", "milk", "eggs"])
  })

  it("counts the last day, and nothing beyond it", () => {
    const stock = [entry("eggs", "2026-05-07"), entry("cream", "2026-05-08")]
    assert.deepEqual(names(expiring(stock, "2026-05-04", 3)), ["eggs"])
    assert.deepEqual(names(expiring([entry("milk", "2026-05-04")], "2026-05-04", 0)), ["milk"])
  })

  it("leaves out what keeps, and the stock as it is", () => {
    const stock = [entry("salt", null), entry("milk", "2026-05-05"), entry("fish", "2026-05-04")]
    assert.deepEqual(names(expiring(stock, "2026-05-04", 3)), ["fish", "milk"])
    assert.deepEqual(names(stock), ["salt", "milk", "fish"])
  })
})
