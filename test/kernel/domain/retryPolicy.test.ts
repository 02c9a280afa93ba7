import { assert, describe, it } from "@effect/vitest"
import { defaultRunConfig, maxDelayMs, mayRetry, retryDelayMs } from "@proofline/kernel"
import { often } from "../../often.ts"
import { forSeeds } from "../support/random.ts"

describe("the retry policy", () => {
  it("waits 2,000 ms, then 3,000 ms by default, and no third time", () => {
    assert.strictEqual(retryDelayMs(defaultRunConfig, 0), 2_000)
    assert.strictEqual(retryDelayMs(defaultRunConfig, 1), 3_000)
    assert.isTrue(mayRetry(defaultRunConfig, "ERROR", 0))
    assert.isTrue(mayRetry(defaultRunConfig, "ERROR", 1))
    assert.isFalse(mayRetry(defaultRunConfig, "ERROR", 2))
  })

  it("tries again only what the run retries on", () => {
    const config = { ...defaultRunConfig, retry_on: ["TIMEOUT"] as const }
    assert.isTrue(mayRetry(config, "TIMEOUT", 0))
    assert.isFalse(mayRetry(config, "ERROR", 0))
    assert.isFalse(mayRetry(config, "INCOMPLETE", 0))
    for (const outcome of ["INCOMPLETE", "ERROR", "TIMEOUT"] as const) {
      assert.isTrue(mayRetry(defaultRunConfig, outcome, 0))
      assert.isFalse(mayRetry({ ...defaultRunConfig, retry_on: [] }, outcome, 0))
      assert.isFalse(mayRetry({ ...defaultRunConfig, max_retries: 0 }, outcome, 0))
    }
  })

  it("never waits longer than a day", () => {
    assert.strictEqual(maxDelayMs, 86_400_000)
    assert.strictEqual(retryDelayMs({ ...defaultRunConfig, backoff_multiplier: 10 }, 8), maxDelayMs)
    assert.strictEqual(retryDelayMs(defaultRunConfig, 100_000), maxDelayMs)
  })

  it("always gives a whole number of milliseconds between nothing and a day, growing with every retry", () => {
    forSeeds(often(2_000), (random) => {
      const config = {
        ...defaultRunConfig,
        retry_delay_ms: random.pick([0, 0, 1, 7, 2_000, 1_000_000_000]),
        backoff_multiplier: 1 + random.below(400) / 100
      }
      const count = random.pick([0, 1, 2, 3, 10, 100, 5_000])
      const delay = retryDelayMs(config, count)
      assert.isTrue(Number.isInteger(delay), `${JSON.stringify(config)} ${count} → ${delay}`)
      assert.isAtLeast(delay, 0)
      assert.isAtMost(delay, maxDelayMs)
      assert.isAtLeast(retryDelayMs(config, count + 1), delay)
    })
  })
})
