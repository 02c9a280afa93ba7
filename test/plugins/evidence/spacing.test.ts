import { assert, describe, it } from "@effect/vitest"
import {
  type Bytes,
  spacingOf,
  spacingsAskedFor
} from "../../../packages/plugins/src/policies/evidence/work/spacing.ts"

describe("an item that asks for what words do not show", () => {
  it.each([
    ["Add a newline at the end of a.js", ["final newline"]],
    ["Fix the missing newline at end of file in a.js", ["final newline"]],
    ["End a.js with a newline", ["final newline"]],
    ["Remove the trailing newline from a.js", ["no final newline"]],
    ["Convert the line endings of a.js to LF", ["lf"]],
    ["Use CRLF line endings in a.js", ["crlf"]],
    ["Convert a.js from CRLF to LF", ["lf"]],
    ["Normalize line endings", ["lf", "crlf"]],
    ["Remove carriage returns from a.js", ["lf"]],
    ["Remove the UTF-8 BOM from a.js", ["no bom"]],
    ["Save a.js with a byte order mark", ["bom"]],
    ["Convert tabs to spaces in a.js", ["spaces"]],
    ["Replace tabs with 4 spaces in a.js", ["spaces"]],
    ["Indent a.js with tabs", ["tabs"]],
    ["Use tabs instead of spaces in a.js", ["tabs"]],
    ["Use 2 spaces instead of tabs", ["spaces"]],
    ["Make a.js executable", ["executable"]],
    ["Set the executable bit of a.js", ["executable"]],
    ["Remove the execute permission of a.js", ["not executable"]]
  ])("when it does, then that is known: %s", (item, expected) => {
    assert.deepStrictEqual<ReadonlyArray<string>>(spacingsAskedFor(item, "src/a.js"), expected)
  })

  it.each([
    "Parse CRLF line endings in a.js",
    "Accept files with a BOM",
    "Add a tab for the settings",
    "Add a tab bar with spaces between the tabs, and test it",
    "Convert the line endings of b.js to LF",
    "Handle tabs and spaces in the lexer",
    "Show the permissions of the user",
    "Implement save()"
  ])("when it asks for code or another file, then nothing is known: %s", (item) => {
    assert.deepStrictEqual(spacingsAskedFor(item, "src/a.js"), [])
  })
})

describe("what became of a file beside its words", () => {
  const kinds = (before: Bytes, now: Bytes) => Object.fromEntries(spacingOf(before, now))

  it.each([
    ["a\nb", "a\nb\n", { "final newline": [1] }],
    ["a\nb\n", "a\nb", { "no final newline": [1] }],
    ["a\r\nb\r\n", "a\nb\n", { lf: [0, 1] }],
    ["a\nb\r\n", "a\r\nb\r\n", { crlf: [0] }],
    ["\ufeffa\nb\n", "a\nb\n", { "no bom": [0] }],
    ["a\n", "\ufeffa\n", { bom: [0] }],
    ["a\n\tb\n", "a\n  b\n", { spaces: [1] }],
    ["a\n  b\n", "a\n\tb\n", { tabs: [1] }],
    ["a\n\tb\n", "a\n\t\tb\n", {}],
    ["a\r\nb\r\n", "a \r\nb\r\n", {}],
    ["a\r\nb\r\n", "a\nc\n", {}],
    ["a\nb\n", "a\n\nb\n", {}]
  ])("when %j becomes %j, then that is told", (before, now, expected) => {
    assert.deepStrictEqual(kinds({ text: before }, { text: now }), expected)
  })

  it("when it can be run now, then every line shows it", () => {
    const text = "a\nb\n"
    assert.deepStrictEqual(kinds({ text }, { text, executable: true }), { executable: [0, 1] })
    assert.deepStrictEqual(kinds({ text, executable: true }, { text }), { "not executable": [0, 1] })
  })
})
