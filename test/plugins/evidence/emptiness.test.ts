import { assert, describe, it } from "@effect/vitest"
import { isEmpty } from "../../../packages/plugins/src/policies/evidence/emptiness.ts"
import { splitLines } from "../../../packages/plugins/src/policies/evidence/lines.ts"
import { implementations, ranges, stubs } from "./samples.ts"

const judge = (path: string, source: string, start: number, end: number) =>
  isEmpty(path, splitLines(source), { start, end })

describe("cited lines that hold no implementation", () => {
  for (const [path, sources] of Object.entries(stubs)) {
    it.each(sources.map((source, i) => [i, source] as const))(`refuses ${path} %i: %s`, (_, source) => {
      assert.notStrictEqual(judge(path, source, 1, splitLines(source).length), null)
      // as an agent cites it: the line where it begins
      assert.notStrictEqual(judge(path, source, 1, 1), null, "its first line alone")
    })
  }
})

describe("cited lines that hold an implementation", () => {
  for (const [path, sources] of Object.entries(implementations)) {
    it.each(sources.map((source, i) => [i, source] as const))(`accepts ${path} %i: %s`, (_, source) => {
      assert.strictEqual(judge(path, source, 1, splitLines(source).length), null)
    })
  }
})

describe("a range within a file", () => {
  it.each(ranges)("%s", (_, path, source, range, expected) => {
    const [start = 1, end = start] = range.split("-").map(Number)
    assert.strictEqual(judge(path, source, start, end) === null ? "implemented" : "empty", expected)
  })
})
