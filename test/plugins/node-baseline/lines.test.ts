import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import {
  changesBetween,
  digestsOf,
  packed,
  unpacked
} from "../../../packages/plugins/src/adapters/node-baseline/lines.ts"
import { often } from "../../often.ts"

const digests = (text: string) => digestsOf(Buffer.from(text))
const lines = Arbitrary.array(Arbitrary.schema(Schema.Literals(["a", "b", "c", ""])), { maxLength: 12 })
const runs = { arbitrary: { runs: often(1_000) } }

describe("the digests of a text", () => {
  it("are one a line, whatever ends it; a final line end begins no other line", () => {
    assert.deepStrictEqual(digests("a\nb\n"), digests("a\r\nb"))
    assert.strictEqual(digests("a\n\n").length, 2)
    assert.deepStrictEqual(digests(""), [])
    assert.notDeepEqual(digests("a\rb\n"), digests("ab\n"))
    assert.notDeepEqual(digests("a\r"), digests("a"), "a lone carriage return ends no line")
  })

  it("are the first four bytes of the SHA-256", () => {
    // printf abc | sha256sum
    assert.strictEqual(packed(digests("abc\nabc\n")), "ba7816bfba7816bf")
  })

  it.prop(
    "survive being packed",
    [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 - 1 })))],
    ([some]) => {
      assert.deepStrictEqual(unpacked(packed(some)), some)
    }
  )
})

describe("the changes between two texts", () => {
  it.prop(
    "leave a range untouched only when the old text has it in one piece",
    [lines, lines],
    ([before, now]) => {
      const changes = changesBetween(digests(before.join("\n")), digests(now.join("\n")))
      const [old, young] = [before, now].map((some) => some.join("\n").split("\n"))
      assert.isDefined(old)
      assert.isDefined(young)
      for (let start = 1; start <= digests(now.join("\n")).length; start++) {
        for (let end = start; end <= digests(now.join("\n")).length; end++) {
          if (changes.touched(start, end)) continue
          const piece = young.slice(start - 1, end)
          assert.isTrue(
            old.some((_, i) => piece.every((line, j) => old[i + j] === line)),
            `${start}-${end}`
          )
        }
      }
    },
    runs
  )

  it.prop(
    "touch a range when they touch a part of it",
    [lines, lines],
    ([before, now]) => {
      const changes = changesBetween(digests(before.join("\n")), digests(now.join("\n")))
      for (let end = 2; end <= now.length; end++) {
        const parts = changes.touched(1, end - 1) || changes.touched(end, end) || changes.touched(end - 1, end)
        assert.strictEqual(changes.touched(1, end), parts)
      }
    },
    runs
  )

  it.prop("are none between a text and itself", [lines], ([some]) => {
    const same = digests(some.join("\n"))
    assert.isFalse(changesBetween(same, same).touched(1, same.length))
  })

  it("given two long texts without a line in common, then all of it is new, and what encloses it is not", () => {
    const numbered = (word: string) => Array.from({ length: 20_000 }, (_, i) => `${word} ${i}`).join("\n")
    const changes = changesBetween(
      digests(`head\n${numbered("old")}\ntail\n`),
      digests(`head\n${numbered("new")}\ntail\n`)
    )
    assert.isFalse(changes.touched(1, 1))
    assert.isTrue(changes.touched(2, 2))
    assert.isTrue(changes.touched(20_001, 20_001))
    assert.isFalse(changes.touched(20_002, 20_002))
  })

  it("say nothing of lines that are not there", () => {
    const changes = changesBetween(digests("a\n"), digests("b\n"))
    assert.isFalse(changes.touched(2, 9))
    assert.isTrue(changes.touched(1, 2 ** 40))
  })
})
