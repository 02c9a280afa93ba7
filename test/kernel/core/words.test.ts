import { assert, describe, it } from "@effect/vitest"
import { counted, unended } from "@proofline/kernel"

describe("a name before a sign", () => {
  it("given a sign at its own end, loses it, unless it is nothing else", () => {
    const names = ["Do this:", "Do this. ", "これを行う：", "Do: this", "C++", "::"]
    assert.deepStrictEqual(names.map(unended), ["Do this", "Do this", "これを行う", "Do: this", "C++", "::"])
  })
})

describe("a number of things in words", () => {
  it("given one of them, is in the singular", () => {
    assert.strictEqual(counted(1, "task"), "1 task")
    assert.strictEqual(counted(1, "retry", "retries"), "1 retry")
  })

  it("given none or several, is in the plural", () => {
    assert.strictEqual(counted(0, "task"), "0 tasks")
    assert.strictEqual(counted(2, "retry", "retries"), "2 retries")
  })
})
