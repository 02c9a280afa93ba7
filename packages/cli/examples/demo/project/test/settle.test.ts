import assert from "node:assert/strict"
import { describe, it } from "node:test"
import * as reports from "../src/report.ts"
import { settleUp } from "../src/settle.ts"

describe("settleUp", () => {
  it("has nothing to do when all are even", () => {
    assert.deepEqual(settleUp(new Map()), [])
    assert.deepEqual(settleUp(new Map([["Ada", 0], ["Ben", 0]])), [])
  })

  it("lets the one who owes pay the one who is owed", () => {
    assert.deepEqual(settleUp(new Map([["Ada", 500], ["Ben", -500]])), [{ from: "Ben", to: "Ada", amount: 500 }])
  })

  it("starts with the largest debt and goes by name where debts are equal", () => {
    assert.deepEqual(settleUp(new Map([["Ada", 700], ["Cleo", -200], ["Ben", -200], ["Dan", -300]])), [
      { from: "Dan", to: "Ada", amount: 300 },
      { from: "Ben", to: "Ada", amount: 200 },
      { from: "Cleo", to: "Ada", amount: 200 }
    ])
  })

  it("brings everybody to zero with fewer payments than people", () => {
    const balances = new Map([["Ada", 901], ["Ben", -450], ["Cleo", 37], ["Dan", -480], ["Eve", -8]])
    const payments = settleUp(balances)
    const after = new Map(balances)
    for (const { from, to, amount } of payments) {
      after.set(from, (after.get(from) ?? 0) + amount)
      after.set(to, (after.get(to) ?? 0) - amount)
    }
    assert.deepEqual([...after.values()], [0, 0, 0, 0, 0])
    assert.ok(payments.length < balances.size)
  })

  it("leaves the balances it was given alone", () => {
    const balances = new Map([["Ada", 500], ["Ben", -500]])
    settleUp(balances)
    assert.deepEqual([...balances], [["Ada", 500], ["Ben", -500]])
  })

  it("refuses balances that do not add up to zero", () => {
    assert.throws(() => settleUp(new Map([["Ada", 501], ["Ben", -500]])), RangeError)
  })
})

describe("report", () => {
  const dinner = { id: "1", what: "Dinner", paidBy: "Ada", amount: "30.00", sharedBy: ["Ada", "Ben"] }

  it("says what was spent, where everybody stands and who pays whom", () => {
    assert.equal(
      reports.report({ name: "Rome", expenses: [dinner] }),
      ["Rome: 30.00", "", "  Ada 15.00", "  Ben -15.00", "", "Ben pays Ada 15.00"].join("\n")
    )
  })

  it("adds the tip before it splits", () => {
    const lines = reports.report({ name: "Rome", expenses: [{ ...dinner, tip: 10 }] }).split("\n")
    assert.equal(lines[0], "Rome: 33.00")
    assert.equal(lines.at(-1), "Ben pays Ada 16.50")
  })

  it("says so when nobody owes anything", () => {
    assert.equal(reports.report({ name: "Home", expenses: [] }).split("\n").at(-1), "Nobody owes anything.")
  })
})
