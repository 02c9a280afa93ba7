import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { referencesIn } from "../../../packages/plugins/src/policies/requirements-agent/references.ts"
import { often } from "../../often.ts"

describe("what a text cites", () => {
  it("given places among words, then each is found once, in order, without what stands around it", () => {
    const expected: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
      ["src/a.ts:3", ["src/a.ts:3"]],
      [
        "See src/a.ts:12-20, then (lib/b.py:7). Also `c.go:1`; again src/a.ts:12-20.",
        ["src/a.ts:12-20", "lib/b.py:7", "c.go:1"]
      ],
      ["a.ts:1,b.ts:2;c.ts:3", ["a.ts:1", "b.ts:2", "c.ts:3"]],
      ['"my dir/a b.ts":3-4 and "x":3', ['"my dir/a b.ts":3-4']],
      ["[src/a.ts:3](src/a.ts#L3) ((x/y.ts:4))", ["src/a.ts:3", "x/y.ts:4"]],
      ["app/[id]/page.tsx:9 app/(shop)/b.ts:2", ["app/[id]/page.tsx:9", "app/(shop)/b.ts:2"]],
      ["src/a.ts:12:5 - error", ["src/a.ts:12"]],
      ["Makefile:3 Dockerfile:10-12", ["Makefile:3", "Dockerfile:10-12"]],
      ["ソース/認証.ts:42", ["ソース/認証.ts:42"]],
      ["../x.ts:1 /etc/passwd:1", ["../x.ts:1", "/etc/passwd:1"]]
    ]
    for (const [text, found] of expected) assert.deepStrictEqual(referencesIn(text), found, text)
  })

  it("given addresses, times, counts and sentences, then nothing is found", () => {
    for (const text of [
      "http://localhost:3000/x http://127.0.0.1:8080 127.0.0.1:8080 https://example.com:443/a",
      "12:30:45 at 9:15",
      'Tests:12 passed:3 {"passed":12}',
      "src/a.ts line 3",
      "src/a.ts:0 src/a.ts:x src/a.ts:",
      "node:internal/modules:123abc",
      ""
    ]) {
      assert.deepStrictEqual(referencesIn(text), [], text)
    }
  })

  it("given a long run of anything, then it ends", () => {
    for (const one of ["(", "a", "/", '"', "a:", "(a:1", ":1"]) assert.isArray(referencesIn(one.repeat(20_000)))
  })

  it.prop(
    "given any text, then what is found stands in it",
    [Schema.Array(Schema.Literals(["a.ts", ":", "3", "-", "(", ")", '"', " ", "/", "\n", "b/c.d:1-2", "."]))],
    ([parts]) => {
      const text = parts.join("")
      for (const found of referencesIn(text)) {
        assert.include(text, found)
        assert.match(found, /:[1-9][0-9]*(?:-[1-9][0-9]*)?$/)
      }
    },
    { arbitrary: { runs: often(1_000) } }
  )
})
