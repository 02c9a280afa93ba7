import { assert, describe, it } from "@effect/vitest"
import { fileChanges } from "../../../packages/plugins/src/policies/evidence/work/lineProof.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"
import { outlined } from "../tree-sitter/support.ts"

const f = "function f(a) {\n  const b = g(a)\n  return b + 1\n}\n"
const h = "function h(a) {\n  return g(a) - 1\n}\n"

/** The lines that hold something new. */
const newIn = async (path: string, before: string, now: string): Promise<ReadonlyArray<string>> => {
  const lines = splitLines(now)
  const file = { path, lines, outline: await outlined(path, now) }
  const found = fileChanges(file, { _tag: "text", text: before }, await outlined(path, before))
  return (found?.real.rows ?? []).map((row) => (lines[row] ?? "").trim())
}

describe("declarations that are in both versions of a file", () => {
  it("when one was moved, then nothing is new", async () => {
    assert.deepStrictEqual(await newIn("a.js", `${f}\n${h}`, `${h}\n${f}`), [])
  })

  it("when one was moved and changed, then it is new", async () => {
    assert.include(await newIn("a.js", `${f}\n${h}`, `${h.replace("- 1", "- 2")}\n${f}`), "return g(a) - 2")
  })

  it("when one was copied, then nothing is new", async () => {
    assert.deepStrictEqual(await newIn("a.js", `${f}\n${h}`, `${f}\n${h}\n${f}`), [])
  })

  it("when one was moved into another class, then it is new", async () => {
    const m = "  m(a) {\n    return g(a)\n  }\n"
    const n = "  n(a) {\n    const b = h(a)\n    return b * 2\n  }\n"
    assert.include(
      await newIn("a.js", `class A {\n${m}${n}}\nclass B {\n}\n`, `class A {\n${n}}\nclass B {\n${m}}\n`),
      "return g(a)"
    )
  })

  it("when one is laid out in other lines where lines mean nothing, then nothing is new", async () => {
    const before = "class A {\n    int f(int a) {\n        return g(a, 1);\n    }\n}\n"
    assert.deepStrictEqual(
      await newIn(
        "A.java",
        before,
        "class A {\n    int f(int a)\n    {\n        return g(a,\n                 1);\n    }\n}\n"
      ),
      []
    )
  })

  it("when one has a comment behind its end, then nothing is new", async () => {
    const noted = h.replace(/\}\n$/, "}; // the first\n")
    assert.deepStrictEqual(await newIn("a.js", `${noted}\n${f}`, `${f}\n${noted}`), [])
  })

  it("when a class was moved with all in it, then nothing is new", async () => {
    const a = "class A {\n  m(a) {\n    return g(a)\n  }\n}\n"
    assert.deepStrictEqual(await newIn("a.js", `${a}\n${f}${f}`, `${f}${f}\n${a}`), [])
  })

  it("when something new stands between them, then that alone is new", async () => {
    assert.deepStrictEqual(await newIn("a.js", `${f}\n${h}`, `${h}\nconst limit = 5\n${f}`), ["const limit = 5"])
  })
})

describe("statements that changed places", () => {
  it("when two did, then both are new, as nobody can tell which was moved", async () => {
    assert.deepStrictEqual(await newIn("a.rb", "def f\n  a(1)\n  b(2)\nend\n", "def f\n  b(2)\n  a(1)\nend\n"), [
      "b(2)",
      "a(1)"
    ])
  })
})
