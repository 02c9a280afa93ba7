import assert from "node:assert/strict"
import { describe, it } from "node:test"
import * as money from "../src/money.ts"

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0)

describe("parseAmount", () => {
  it("reads whole and broken amounts", () => {
    assert.deepEqual(["12.50", "12", "12.5", "0.07", " 3.20 "].map(money.parseAmount), [1250, 1200, 1250, 7, 320])
  })

  it("reads amounts below zero", () => {
    assert.equal(money.parseAmount("-3.20"), -320)
    assert.equal(money.parseAmount("-0.05"), -5)
  })

  it("is exact where floating point is not", () => {
    assert.equal(money.parseAmount("1.15"), 115)
    assert.equal(money.parseAmount("4.35"), 435)
  })

  it("refuses what is not an amount", () => {
    for (const text of ["", "abc", "1.234", "1,50", "1.", ".5", "1e3", "--1", "12 EUR"]) {
      assert.throws(() => money.parseAmount(text), RangeError, text)
    }
  })
})

describe("formatAmount", () => {
  it("always writes two decimals", () => {
    assert.deepEqual([0, 7, 50, 1250, 100000].map(money.formatAmount), ["0.00", "0.07", "0.50", "12.50", "1000.00"])
  })

  it("keeps the sign of less than a unit", () => {
    assert.equal(money.formatAmount(-5), "-0.05")
    assert.equal(money.formatAmount(-1250), "-12.50")
  })

  it("is undone by parseAmount", () => {
    for (const amount of [0, 1, 99, 100, 12345, -1, -99, -12345]) {
      assert.equal(money.parseAmount(money.formatAmount(amount)), amount)
    }
  })
})

describe("splitEvenly", () => {
  it("gives everybody the same where it divides", () => {
    assert.deepEqual(money.splitEvenly(900, 3), [300, 300, 300])
  })

  it("gives the cents that are left to the first ones", () => {
    assert.deepEqual(money.splitEvenly(1000, 3), [334, 333, 333])
    assert.deepEqual(money.splitEvenly(2, 3), [1, 1, 0])
  })

  it("never loses a cent", () => {
    for (let parts = 1; parts <= 30; parts++) assert.equal(sum(money.splitEvenly(12345, parts)), 12345)
  })

  it("refuses to share among nobody", () => {
    for (const parts of [0, -1, 1.5]) assert.throws(() => money.splitEvenly(100, parts), RangeError)
  })
})

describe("splitByWeights", () => {
  it("follows the weights", () => {
    assert.deepEqual(money.splitByWeights(1000, [1, 4]), [200, 800])
    assert.deepEqual(money.splitByWeights(1000, [1, 0, 1]), [500, 0, 500])
  })

  it("gives the cents that are left to the largest fraction cut off", () => {
    assert.deepEqual(money.splitByWeights(1000, [1, 2]), [333, 667])
    assert.deepEqual(money.splitByWeights(100, [1, 1, 1]), [34, 33, 33])
  })

  it("never loses a cent", () => {
    for (let weight = 1; weight <= 30; weight++) assert.equal(sum(money.splitByWeights(9999, [weight, 7, 3])), 9999)
  })

  it("refuses weights that cannot be", () => {
    for (const weights of [[], [0, 0], [1, -1, 1], [0.5, 0.5]]) {
      assert.throws(() => money.splitByWeights(100, weights), RangeError)
    }
  })
})

describe("addTip", () => {
  it("adds a percentage, rounded to the cent", () => {
    assert.equal(money.addTip(8000, 10), 8800)
    assert.equal(money.addTip(1005, 10), 1106)
    assert.equal(money.addTip(1234, 0), 1234)
  })

  it("refuses a tip below zero", () => {
    assert.throws(() => money.addTip(1000, -5), RangeError)
  })
})
