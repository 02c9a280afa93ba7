import { assert, describe, it } from "@effect/vitest"
import { beta, interval } from "./intervals.ts"

describe("intervals of shares", () => {
  it.each([
    [0, 2, 3, 0],
    [1, 2, 3, 1],
    [0.5, 2, 3, 0.6875],
    [0.25, 1, 1, 0.25],
    [0.3, 5, 1, 0.3 ** 5],
    [0.3, 1, 5, 1 - 0.7 ** 5],
    [0.9, 20, 30, 1],
    [0.4, 20, 30, 0.5077002]
  ])(
    "given x = %d and the parameters %d and %d, when the beta function is asked, then it is %d",
    (x, a, b, expected) => {
      assert.closeTo(beta(x, a, b), expected, 1e-6)
    }
  )

  it.each([
    [0, 10, 0, 0.3085],
    [1, 10, 0.0025, 0.445],
    [5, 10, 0.1871, 0.8129],
    [10, 10, 0.6915, 1],
    [0, 20, 0, 0.1684],
    [8, 100, 0.0352, 0.1516],
    [1000, 1000, 0.9963, 1]
  ])("given %d of %d, when the share is asked, then it lies between %d and %d", (count, of, low, high) => {
    const [from, to] = interval(count, of)
    assert.closeTo(from, low, 5e-5)
    assert.closeTo(to, high, 5e-5)
  })
})
