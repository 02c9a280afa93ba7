import { assert, describe, it } from "@effect/vitest"
import { isTooDeep } from "../../../packages/plugins/src/operations/depth.ts"

const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`
const deep = (levels: number): unknown => JSON.parse(nested(levels))

describe("whether a request goes down too deep", () => {
  it("given lists, objects or both, counts their levels and nothing else", () => {
    for (const [value, is] of [
      ["a", false],
      [null, false],
      [{ a: 1, b: [2, { c: "d" }] }, false],
      [deep(200), false],
      [deep(201), true],
      [{ a: deep(199) }, false],
      [{ a: 1, b: { c: deep(199) } }, true],
      [Array.from({ length: 10_000 }, () => ({ a: [] })), false],
      [deep(100_000), true]
    ] as const) {
      assert.strictEqual(isTooDeep(value), is)
    }
  })

  it("given a text of JSON, counts what it stands for; given another text, nothing", () => {
    for (const [value, is] of [
      [{ data: nested(199) }, false],
      [{ data: nested(200) }, true],
      [{ data: `  {"a": ${nested(199)}}` }, true],
      [{ data: `{"a": "${nested(300)}", "b": "\\"${nested(300)}"}` }, false],
      [{ data: `Look: ${nested(300)}` }, false],
      [{ data: "[]".repeat(300) }, false]
    ] as const) {
      assert.strictEqual(isTooDeep(value), is, JSON.stringify(value).slice(0, 60))
    }
  })
})
