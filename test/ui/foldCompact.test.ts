import { assert, describe, it } from "@effect/vitest"
import { makeCompact } from "../../packages/ui/src/fold/compact.ts"

const decodedOf = (stored: unknown): unknown => structuredClone(stored)

describe("what is kept of an event", () => {
  it("given a content that is decoded as it is stored, then the objects and lists of what is stored are kept", () => {
    const stored = { task_id: "task-1", checks: [{ command: "true", codes: [0, 1] }], notes: [] }
    const checks = stored.checks
    const [check] = checks
    const kept = makeCompact().content(decodedOf(stored), stored)
    assert.strictEqual(kept, stored)
    assert.strictEqual(stored.checks, checks)
    assert.strictEqual(stored.checks[0], check)
    assert.deepStrictEqual(stored, { task_id: "task-1", checks: [{ command: "true", codes: [0, 1] }], notes: [] })
  })

  it("given a content that is decoded into another shape, then that is kept, and what is stored is not seen", () => {
    const cases: ReadonlyArray<readonly [decoded: unknown, stored: unknown]> = [
      [{ a: 1, added: null }, { a: 1 }],
      [{ a: 1 }, { a: 1, dropped: [1, 2] }],
      [
        { a: 1, renamed: "x" },
        { a: 1, name: "x" }
      ],
      [{ list: [1, 2, 3] }, { list: [1, 2] }],
      [{ list: [] }, { list: [1] }],
      [{ one: { of: "an object" } }, { one: ["a list"] }],
      [{ one: ["a list"] }, { one: { of: "an object" } }],
      [{ at: 5 }, { at: "2026-01-01T00:00:00.000Z" }],
      [[undefined, null], null],
      [new Map([["a", 1]]), { a: 1 }],
      ["another text", "some text or other"]
    ]
    for (const [decoded, stored] of cases) {
      const expected = decodedOf(decoded)
      assert.deepStrictEqual(makeCompact().content(decoded, stored), expected)
    }
  })

  it("given a field that is called like the prototype, then it stays a field", () => {
    const text = '{"of":{"__proto__":{"list":[]},"other":"a"}}'
    const kept = makeCompact().content(JSON.parse(text), JSON.parse(text))
    assert.strictEqual(JSON.stringify(kept), text)
    assert.strictEqual(Object.getPrototypeOf(kept.of), Object.prototype)
  })

  it("given more texts than are remembered, then each is what it was", () => {
    const { text } = makeCompact()
    for (let i = 0; i < 20_000; i++) assert.strictEqual(text(`a text, number ${i}`), `a text, number ${i}`)
  })
})
