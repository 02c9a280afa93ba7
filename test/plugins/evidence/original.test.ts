import { assert, describe, it } from "@effect/vitest"
import { originalRule } from "../../../packages/plugins/src/policies/evidence/code/original.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"

const reasonOf = (source: string, start: number, end = start): string | null =>
  originalRule("a.py", splitLines(source), { start, end })?.reason ?? null

const emptyBy = (pattern: string): string => `Empty implementation detected (matches '${pattern}')`

describe("the original text rules", () => {
  it.each([
    ["pass", "pass", String.raw`^\s*pass\s*$`],
    ["...", "    ...", String.raw`^\s*\.\.\.\s*$`],
    ["a TODO comment", "  # TODO: login", String.raw`^\s*#\s*TODO`],
    ["a TODO comment of another language", "//TODO", String.raw`^\s*//\s*TODO`],
    ["not implemented", "raise  NotImplementedError('later')", String.raw`^\s*raise\s+NotImplementedError`]
  ])("refuse %s and name the pattern", (_, source, pattern) => {
    assert.strictEqual(reasonOf(source, 1), emptyBy(pattern))
  })

  it("accept code", () => {
    assert.strictEqual(reasonOf("def login(user):\n    return check(user)\n", 1, 2), null)
  })

  it("given the first line lies behind the end of the file, then they say so", () => {
    assert.strictEqual(reasonOf("a = 1\nb = 2\n", 3), "Line 3 exceeds file length (2 lines)")
  })

  it("given blank lines around, then those do not matter", () => {
    assert.strictEqual(reasonOf("\n\n    pass\n\n", 1, 4), emptyBy(String.raw`^\s*pass\s*$`))
  })

  it("given CRLF line ends, then those are line ends", () => {
    assert.strictEqual(reasonOf("pass\r\nx()\r\n", 1, 2), emptyBy(String.raw`^\s*pass\s*$`))
  })
})

describe("the faults of the original text rules, which are kept", () => {
  it.each([
    ["a head hides the pass under it", "def login():\n    pass\n", 1, 2],
    ["a head of another language hides its TODO", "function login() {\n  // TODO\n}\n", 1, 3],
    ["a documentation string hides a pass", '"""Logs in."""\npass\n', 1, 2],
    ["blank lines pass", "\n\n", 1, 2],
    ["a lone comment passes", "# logs in\n", 1, 1],
    ["a lone brace passes", "}\n", 1, 1],
    ["an import passes", "import os\n", 1, 1],
    ["the last line may lie behind the end of the file", "a = 1\n", 1, 90],
    ["a range that ends before it begins passes", "a = 1\npass\n", 2, 1],
    ["a comment that says todo in small letters passes", "# todo\n", 1, 1]
  ])("%s", (_, source, start, end) => {
    assert.strictEqual(reasonOf(source, start, end), null)
  })

  it.each([
    ["real code below a TODO comment is refused", "# TODO: use an index\nreturn find(user)\n"],
    ["real code below a pass is refused", "pass\nreturn find(user)\n"],
    ["the last branch of a working function is refused", "raise NotImplementedError(kind)\n"]
  ])("%s", (_, source) => {
    assert.notStrictEqual(reasonOf(source, 1, splitLines(source).length), null)
  })
})
