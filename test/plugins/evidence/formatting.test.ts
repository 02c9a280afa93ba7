import { assert, describe, it } from "@effect/vitest"
import {
  asksForFormatting,
  layoutIn,
  layoutOf
} from "../../../packages/plugins/src/policies/evidence/work/formatting.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"

describe("what an item asks to lay out in another way", () => {
  it.each([
    ["Format format.go with gofmt", "format.go"],
    ["Reformat `src/a.ts` and src/b.ts using prettier", "src/b.ts"],
    ["Format the code", "a.py"],
    ["Format all Go files in src/", "src/a.go"],
    ["Lint src/a.ts with eslint --fix", "src/a.ts"],
    ["Run black over all files", "a.py"],
    ["Run gofmt 1.19 on format.go", "format.go"],
    ["Apply the formatter", "a.rs"],
    ["Everything is formatted with rustfmt", "a.rs"],
    ["Fix the indentation of lib/a.rb", "lib/a.rb"],
    ["Remove trailing whitespace from a.c", "a.c"],
    ["format.goを整形する", "format.go"],
    ["gofmtでコードを整形する", "a.go"],
    ["すべてのファイルにprettierを適用する", "a.ts"]
  ])("when it asks for nothing else, then it does: %s", (item, path) => {
    assert.isTrue(asksForFormatting(item, path))
  })

  it.each([
    ["Format format.go with gofmt", "other.go"],
    ["Format all Go files in src/", "lib/a.go"],
    ["Format the price in cart.js", "cart.js"],
    ["Format dates with Intl", "a.js"],
    ["Format file sizes", "a.js"],
    ["Format code blocks", "a.js"],
    ["Format format.go with gofmt and fix F()", "format.go"],
    ["Format a.js with prettier, then add tests", "a.js"],
    ["Add a formatter", "a.js"],
    ["Run prettier in the pre-commit hook", "hook.sh"],
    ["Add gofmt to the workflow", "ci.yml"],
    ["日付を整形する", "a.ts"],
    ["prettierを追加する", "a.ts"]
  ])("when it asks for code, for more, or for another file, then it does not: %s", (item, path) => {
    assert.isFalse(asksForFormatting(item, path))
  })
})

describe("what was laid out", () => {
  const shown = (before: string, now: string, start: number, end: number): number => {
    const layout = layoutOf(splitLines(before), splitLines(now))
    return layout === null ? -1 : layoutIn(layout, { start, end }, (text) => text).length
  }

  it("given the same words, then the lines that differ, blank ones too", () => {
    assert.strictEqual(shown("a(1,2)\nb\n", "a(1, 2)\nb\n", 1, 2), 1)
    assert.strictEqual(shown("a\nb\n", "a\n\nb\n", 2, 2), 1)
    assert.strictEqual(shown("a\n\n\nb\n", "a\n\nb\n", 1, 3), 1)
    assert.strictEqual(shown("import b\nimport a\n", "import a\nimport b\n", 1, 2) > 0, true)
    assert.strictEqual(shown("// +build x\na\n", "//go:build x\n// +build x\n\na\n", 1, 3) > 0, true)
  })

  it("given other words, or blanks at the end of a line, then nothing", () => {
    assert.strictEqual(shown("a\n", "// new\na\n", 1, 2), -1)
    assert.strictEqual(shown("// old\na\n", "a\n", 1, 1), -1)
    assert.strictEqual(shown("a\nb\n", "a \nb\n", 1, 2), 0)
    assert.strictEqual(shown("a\nb\nc\n", "a\n  b\nc\n", 3, 3), 0)
  })
})
