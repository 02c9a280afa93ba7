import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type Bucket, taken } from "../../../packages/plugins/src/http/bucket.ts"

const within = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

describe("how often something may be done", () => {
  it("given parts that do not add up to one exactly, when it is asked again after the time that was told, then it may be done", () => {
    const rate = { perSecond: 1, burst: 1 }
    const moments = [0, 18, 40, 62]
    const last = moments.reduce((bucket: Bucket | undefined, now) => taken(rate, bucket, now).bucket, undefined)
    const { bucket, waitMs } = taken(rate, last, 62)
    assert.isAbove(waitMs, 0)
    assert.strictEqual(taken(rate, bucket, 62 + waitMs).waitMs, 0)
  })

  it.prop(
    "given any rate and any moments, when each is asked for, then no window lets more through than burst and rate allow, and who waits as told is let through",
    [within(1, 50), within(1, 10), Schema.Array(within(-20, 30)).check(Schema.isMaxLength(200))],
    ([perSecond, burst, gaps]) => {
      const rate = { perSecond, burst }
      let bucket: Bucket | undefined
      let now = 1_000_000
      const through: Array<number> = []
      for (const gap of gaps) {
        // a clock may be set back, and gives nothing then
        now += gap
        const asked = taken(rate, bucket, now)
        if (asked.waitMs > 0) {
          assert.strictEqual(taken(rate, asked.bucket, now + asked.waitMs).waitMs, 0)
        } else through.push(now)
        bucket = asked.bucket
      }
      const passedMs = gaps.slice(1).reduce((sum, gap) => sum + Math.max(0, gap), 0)
      assert.isAtMost(through.length, burst + (passedMs / 1_000) * perSecond + 1e-6)
      if (gaps.some((gap) => gap < 0)) return
      for (let i = 0; i < through.length; i++) {
        for (let j = i; j < through.length; j++) {
          const seconds = ((through[j] as number) - (through[i] as number)) / 1_000
          assert.isAtMost(j - i + 1, burst + seconds * perSecond + 1e-6)
        }
      }
    }
  )
})
