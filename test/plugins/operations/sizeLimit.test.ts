import { assert, describe, it } from "@effect/vitest"
import { truncate, truncateText } from "../../../packages/plugins/src/operations/sizeLimit.ts"
import { forSeeds, type Random } from "../../kernel/support/random.ts"
import { often } from "../../often.ts"

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

const names = ["message", "instruction", "open", "failures", "created", "verification", "output", "x", "y"]
const pieces = ["a", "\u0001", "ö", "😀", '"', "\\", "\n"]

const aText = (random: Random): string =>
  Array.from({ length: random.below(random.pick([10, 300, 4_000])) }, () => random.pick(pieces)).join("")

const aBody = (random: Random, depth: number): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    random
      .shuffled(names)
      .slice(0, random.below(6))
      .map((name) => [name, aValue(random, depth)])
  )

const aValue = (random: Random, depth: number): unknown => {
  switch (random.below(depth > 1 ? 3 : 6)) {
    case 0:
      return aText(random)
    case 1:
      return random.below(1_000_000)
    case 2:
      return Array.from({ length: random.below(300) }, () => random.below(100))
    case 3:
      return Array.from({ length: random.below(30) }, () => aValue(random, depth + 1))
    case 4:
      return Object.fromEntries(Array.from({ length: 30 + random.below(300) }, (_, i) => [`id${i}`, `task${i}`]))
    default:
      return aBody(random, depth + 1)
  }
}

describe("given any body, an answer", () => {
  it("has room for it, and leaves it as it is when it is small", () => {
    forSeeds(often(300), (random) => {
      const given = aBody(random, 0)
      const shown = truncate(given)
      assert.isAtMost(bytesOf(shown), 8 * 1024)
      if (bytesOf(given) <= 8 * 1024) assert.strictEqual(shown, given)
    })
  })

  it("counts what it left out of a list, and keeps what to do", () => {
    const failures = Array.from({ length: 90 }, (_, i) => ({ key: `k${i}`, message: "x".repeat(300) }))
    const shown = truncate({
      failures,
      failures_left_out: 10,
      next_step: "y".repeat(600),
      planning_guide: "z".repeat(900)
    })
    assert.strictEqual((shown["failures"] as []).length + Number(shown["failures_left_out"]), 100)
    assert.strictEqual(shown["next_step"], "y".repeat(600))
    assert.isBelow(String(shown["planning_guide"]).length, 200)
  })
})

describe("a text that is cut", () => {
  it("has its beginning or its end in so many bytes of JSON, with an ellipsis, and no half characters", () => {
    forSeeds(often(300), (random) => {
      const text = aText(random)
      const bytes = 10 + random.below(500)
      for (const isEnd of [false, true]) {
        const cut = truncateText(text, bytes, isEnd)
        assert.isAtMost(bytesOf(cut), Math.max(bytes, 2))
        assert.isTrue(cut.isWellFormed())
        if (cut === text) continue
        assert.isTrue(isEnd ? text.endsWith(cut.slice(1)) : text.startsWith(cut.slice(0, -1)))
        assert.strictEqual(isEnd ? cut[0] : cut.at(-1), "…")
      }
    })
  })
})
