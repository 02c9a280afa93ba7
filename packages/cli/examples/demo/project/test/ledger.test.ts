import assert from "node:assert/strict"
import { describe, it } from "node:test"
import * as book from "../src/ledger.ts"

const expense = (id: string, more: Partial<book.Expense> = {}): book.Expense => ({
  id,
  what: "Dinner",
  paidBy: "Ada",
  amount: 9000,
  sharedBy: ["Ada", "Ben", "Cleo"],
  ...more
})

const ledgerOf = (...expenses: book.Expense[]) => expenses.reduce(book.addExpense, book.emptyLedger)

describe("addExpense", () => {
  it("adds at the end and leaves the old ledger alone", () => {
    const one = ledgerOf(expense("a"))
    const two = book.addExpense(one, expense("b"))
    assert.deepEqual(two.map(({ id }) => id), ["a", "b"])
    assert.equal(one.length, 1)
  })

  it("refuses an id that is taken", () => {
    assert.throws(() => book.addExpense(ledgerOf(expense("a")), expense("a")), RangeError)
  })

  it("refuses an amount that is not a whole number of cents above zero", () => {
    for (const amount of [0, -100, 10.5, Number.NaN]) {
      assert.throws(() => ledgerOf(expense("a", { amount })), RangeError)
    }
  })

  it("refuses an expense that nobody shares", () => {
    assert.throws(() => ledgerOf(expense("a", { sharedBy: [] })), RangeError)
  })

  it("refuses weights that do not match the people", () => {
    assert.throws(() => ledgerOf(expense("a", { weights: [1, 2] })), RangeError)
  })
})

describe("removeExpense", () => {
  it("removes one and leaves the old ledger alone", () => {
    const two = ledgerOf(expense("a"), expense("b"))
    assert.deepEqual(book.removeExpense(two, "a").map(({ id }) => id), ["b"])
    assert.equal(two.length, 2)
  })

  it("refuses an id that is not there", () => {
    assert.throws(() => book.removeExpense(ledgerOf(expense("a")), "b"), RangeError)
  })
})

describe("balances", () => {
  it("are empty for an empty ledger", () => {
    assert.equal(book.balances(book.emptyLedger).size, 0)
  })

  it("credit the one who paid and charge all who share", () => {
    assert.deepEqual([...book.balances(ledgerOf(expense("a")))], [["Ada", 6000], ["Ben", -3000], ["Cleo", -3000]])
  })

  it("follow the weights", () => {
    const ledger = ledgerOf(expense("a", { sharedBy: ["Ben", "Cleo"], weights: [1, 2] }))
    assert.deepEqual([...book.balances(ledger)], [["Ada", 9000], ["Ben", -3000], ["Cleo", -6000]])
  })

  it("add up over several expenses", () => {
    const ledger = ledgerOf(expense("a"), expense("b", { paidBy: "Ben" }), expense("c", { paidBy: "Cleo" }))
    assert.deepEqual([...book.balances(ledger).values()], [0, 0, 0])
  })

  it("account for every cent", () => {
    const ledger = ledgerOf(expense("a", { amount: 10000 }), expense("b", { amount: 2500, paidBy: "Ben" }))
    const total = [...book.balances(ledger).values()].reduce((sum, balance) => sum + balance, 0)
    assert.equal(total, 0, `the balances are off by ${total} cents`)
  })
})
