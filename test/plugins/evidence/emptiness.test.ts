import { assert, describe, it } from "@effect/vitest"
import { isEmpty } from "../../../packages/plugins/src/policies/evidence/emptiness.ts"
import { splitLines } from "../../../packages/plugins/src/policies/evidence/lines.ts"
import { listOf, partsOf } from "../fixtures.ts"

const judge = (path: string, source: string, start: number, end: number) =>
  isEmpty(path, splitLines(source), { start, end })

/**
 * Code as agents leave it when they only pretend, and code that does something, by file name; the first line begins
 * what is cited. Then ranges within files.
 */
const parts = partsOf(new URL("fixtures/emptiness.txt", import.meta.url))

const samples = (what: string): ReadonlyArray<readonly [path: string, source: string]> =>
  parts.flatMap(({ head, text }) => {
    const [, path] = new RegExp(`^${what} in (.*)$`).exec(head) ?? []
    return path === undefined ? [] : listOf(text).map((source) => [path, source] as const)
  })

describe("cited lines that hold no implementation", () => {
  it.each(samples("nothing"))("refuses %s: %s", (path, source) => {
    assert.notStrictEqual(judge(path, source, 1, splitLines(source).length), null)
    // as an agent cites it: the line where it begins
    assert.notStrictEqual(judge(path, source, 1, 1), null, "its first line alone")
  })
})

describe("cited lines that hold an implementation", () => {
  it.each(samples("something"))("accepts %s: %s", (path, source) => {
    assert.strictEqual(judge(path, source, 1, splitLines(source).length), null)
  })
})

const ranges = parts.flatMap(({ expected, head, text }) =>
  expected.map((line) => {
    const [, range = "", verdict = "", name = ""] = /^(\S+) (\w+): (.*)$/.exec(line) ?? []
    return { name, path: head.replace("ranges in ", ""), text, range, verdict }
  })
)

describe("a range within a file", () => {
  it.each(ranges)("$name: $verdict", ({ path, range, text, verdict }) => {
    const [start = 1, end = start] = range.split("-").map(Number)
    assert.strictEqual(judge(path, text, start, end) === null ? "implemented" : "empty", verdict)
  })
})
