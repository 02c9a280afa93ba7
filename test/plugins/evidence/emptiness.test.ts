import { assert, describe, it } from "@effect/vitest"
import { isEmpty } from "../../../packages/plugins/src/policies/evidence/code/emptiness.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"
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

const none = "only brackets, imports or decorators"
const nothingYet = "only a body that does nothing yet"
const rules = "only brackets or rules without declarations"
const brackets = "only brackets or closing tags"
const headings = "only headings, ticked boxes or rules"
const note = "only a note of what is to be written"

const reasons: ReadonlyArray<
  readonly [path: string, source: string, range: readonly [number, number], reason: string | null]
> = [
  ["a.dart", "a();\n// a\n  \nb();", [2, 3], "only blank lines and comments"],
  ["a.dart", "a();\n// a\nb();", [2, 3], null],
  ["a.dart", "import 'a.dart';", [1, 1], none],
  ["a.dart", "return;\nvoid f() {}", [1, 2], nothingYet],
  ["a.dart", "return;\nimport 'a.dart';", [1, 2], "only a return without a value"],
  ["a.dart", "return 1;", [1, 1], null],
  ["a.dart", "throw 'no';", [1, 1], null],
  ["a.dart", "if (a) {}", [1, 1], none],
  ["a.dart", "while (next()) {}", [1, 1], null],
  ["a.dart", "a {\n  throw UnimplementedError();\n  f();\n}", [1, 4], null],
  ["a.dart", "int f() {\n  todo();\n  return 0;\n}", [1, 4], nothingYet],
  ["a.dart", "int f() {\n  return 0;\n}", [1, 3], null],
  ["a.dart", "int f() {\n  return 0;\n} // TODO", [1, 3], nothingYet],
  ["a.dart", "int f() => 0; // TODO", [1, 1], nothingYet],
  ["a.dart", "// TODO: count\nint f() => 0;", [2, 2], nothingYet],
  ["a.dart", "int f(int a) {\n  // TODO: count\n  return a;\n}", [1, 4], nothingYet],
  ["a.dart", "int f(int a) {\n  return a;\n}", [1, 3], null],
  ["a.dart", "int f(int a) {\n  // TODO: count\n  return b;\n}", [1, 4], null],
  ["a.lua", "-- TODO: count\n-- by tens\nfunction f(a)\n  return a\nend", [3, 5], nothingYet],
  ["a.ex", "def f(a), do: a # TODO", [1, 1], nothingYet],
  ["a.pl", "sub f {\n  my ($a) = @_;\n  # TODO: count\n  return $a;\n}", [1, 5], nothingYet],
  ["a.pl", "sub f {\n  my ($a) = @_;\n  return $a;\n}", [1, 4], null],
  ["a.dart", "Never fail() => throw Exception('no');", [1, 1], null],
  ["a.dart", "class A {\n  int a = 1;\n  void f() {}\n}", [1, 4], nothingYet],
  ["a.dart", "class A {\n  int a = 1;\n  int f() => throw UnimplementedError();\n}", [1, 4], nothingYet],
  ["a.dart", "class A {\n  int a = 1;\n}", [1, 3], null],
  ["a.dart", "class A {}", [1, 1], nothingYet],
  ["a.dart", "class A:B {}", [1, 1], null],
  ["a.dart", "class A : B {}", [1, 1], null],
  ["a.dart", "class A extends B {}", [1, 1], null],
  ["a.dart", "class Ax on {}\nclass Axon {}", [2, 2], nothingYet],
  ["a.dart", "void f() {\n  if (a) {\n    return;\n  }\n  g();\n}", [3, 3], null],
  ["a.dart", "if (a) {\n  return;\n}", [2, 2], "only a return without a value"],
  ["a.proto", "message A {}", [1, 1], null],
  ["a.lua", "function f() end\nreturn  M.ab", [1, 2], nothingYet],
  ["a.lua", "require 'a'\nfunction f() g() end\nreturn M", [1, 3], null],
  ["a.lua", "print(1) return M", [1, 1], null],
  ["a.lua", "return M + 1", [1, 1], null],
  ["a.json", '{\n  "a": 1\n}', [1, 1], brackets],
  ["a.json", '{\n  "a": 1\n}', [3, 3], brackets],
  ["a.json", '{\n  "a": 1\n}', [1, 2], null],
  ["a.html", "<a>\n  </a>  \n</b> b", [2, 2], brackets],
  ["a.html", "<a>\n  </a>  \n</b> b", [2, 3], null],
  ["a.md", "Text\n# Title\nText", [2, 2], headings],
  ["a.md", "Text\n# Title\nText", [1, 2], null],
  ["a.md", "Text\n# Title\nText", [2, 3], null],
  ["a.txt", "- TODO: a\n1. TODO\n[ ] FIXME : b", [1, 3], note],
  ["a.txt", "- TODO: a\nText", [1, 2], null],
  ["a.txt", "see TODO: a", [1, 1], null],
  ["a.txt", "TODOS are kept", [1, 1], null],
  ["a.yaml", "TODO: a", [1, 1], null],
  ["a.css", "a {\n  b: c;\n}\n.d {\n}", [1, 1], null],
  ["a.css", "a {\n  b: c;\n}\n.d {\n}", [3, 3], rules],
  ["a.css", "a {\n  b: c;\n}\n.d {\n}", [4, 5], rules],
  ["a.css", "a { b: c }\n.d {\n}", [1, 2], null],
  ["a.css", "@import 'x';\n.a {\n}", [1, 2], null],
  ["a.css", ".a {\n}\nb { c: d }", [1, 1], rules],
  ["a.css", ".a { }\nb { c: d }", [1, 1], rules]
]

describe("given lines of a file", () => {
  it.each(reasons)("when they are in %s, %j, lines %j, then it is said: %s", (path, source, [start, end], reason) => {
    assert.strictEqual(judge(path, source, start, end)?.reason ?? null, reason && `The lines hold ${reason}.`)
  })
})
