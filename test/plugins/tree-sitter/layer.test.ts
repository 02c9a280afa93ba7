import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Plugin } from "@proofline/kernel"
import { faultOf, layer } from "@proofline/plugins/adapters/tree-sitter"
import { Syntax } from "@proofline/plugins/ports"
import { Effect } from "effect"
import { judged, outlined } from "./support.ts"

const example = new URL("../../../packages/cli/examples/dart-language/dart.mjs", import.meta.url)
const { default: dart } = (await import(example.href)) as { readonly default: Plugin }
const dartRules = dart.languages ?? []

describe("given a file", () => {
  it("when its first line names a program, then its language is that program's", async () => {
    for (const first of ["#!/usr/bin/env python3", "#!/usr/bin/python", "#!/usr/bin/env -S python3.11 -u"]) {
      assert.strictEqual((await outlined("bin/tool", `${first}\npass\n`)).language, "python")
    }
  })

  it("when it begins with a byte order mark or its lines end with CRLF, then it is read all the same", async () => {
    const text = "\ufefffunction f() {\r\n  return null\r\n}\r\nfunction g() {\r\n  return 1\r\n}\r\n"
    assert.isNotNull((await judged("a.js", text, 1)).empty)
    assert.isNull((await judged("a.js", text, 4)).empty)
    assert.deepStrictEqual((await outlined("a.js", text)).faults, [])
  })

  it.effect("when it is too large or of no known language, then there is no outline", () =>
    Effect.gen(function* () {
      const { outline } = yield* Syntax
      assert.isNull(yield* outline("a.py", "x = 1\n".repeat(300_000)))
      assert.isNull(yield* outline("a.unknown", "x"))
      assert.isNull(yield* outline("toString", "x"))
    }).pipe(Effect.provide(layer()))
  )
})

describe("given a language of a plugin", () => {
  const source = `class Cart extends Base {
  int total() {
    return items.length;
  }
  void clear() {
  }
}
`
  it.effect("when a file of it is read, then by its rules", () =>
    Effect.gen(function* () {
      const { outline } = yield* Syntax
      const found = yield* outline("lib/cart.dart", source)
      assert.deepStrictEqual(
        found?.declarations.map(({ empty, name }) => [name, empty]),
        [
          ["Cart", null],
          ["total", null],
          ["clear", "has an empty body"]
        ]
      )
      assert.include(found?.neutralised({ start: 2, end: 2 }), "throw StateError('neutralised');\n    return items")
    }).pipe(Effect.provide(layer({ languages: dartRules })))
  )

  const [rules] = dartRules
  assert.isDefined(rules)
  const querying = (before: string | RegExp, after: string) => ({ query: rules.query.replaceAll(before, after) })

  it.effect("when it can be read, then nothing is said", () => Effect.map(faultOf(rules), assert.isNull))

  // what would let everything pass is among them
  it.effect.each<readonly [said: string, faulty: object]>([
    ["no_such_node", querying("(block) (class_body)", "(block) (no_such_node)")],
    ["@coment", querying("@comment", "@coment")],
    ["#unfinishedd?", querying("#unfinished?", "#unfinishedd?")],
    ["@function", querying(/@function/g, "@_f")],
    ["`extensions`", { extensions: ".dart" }],
    ["`extensions`", { extensions: ["dart"] }],
    ["/nowhere/dart.wasm", { grammar: "/nowhere/dart.wasm" }]
  ])("when it is broken, then that is said in words: %s", ([said, faulty]) =>
    Effect.map(faultOf({ ...rules, ...faulty }), (fault) => assert.include(fault, said))
  )
})

describe("given lines to be neutralised", () => {
  const run = (program: string, file: string, text: string): number => {
    const folder = mkdtempSync(join(tmpdir(), "neutralised-"))
    try {
      writeFileSync(join(folder, file), text)
      execFileSync(program, [join(folder, file)], { stdio: "ignore" })
      return 0
    } catch (error) {
      return (error as { readonly status: number | null }).status ?? -1
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  const source = `const limit = 5
function unused(a) {
  return a * limit
}
const twice = (a) => a * 2
class Sum {
  add(a, b) {
    const sum = a + b
    return sum
  }
}
if (twice(2) !== 4) process.exit(3)
if (new Sum().add(1, 2) !== 3) process.exit(4)
`
  it("when they are not used, then the program goes on as before; when they are, then it fails", async () => {
    const outline = await outlined("a.cjs", source)
    assert.strictEqual(run(process.execPath, "a.cjs", source), 0)
    const exit = (start: number, end: number) =>
      run(process.execPath, "a.cjs", outline.neutralised({ start, end }) ?? "")
    assert.strictEqual(exit(1, 1), 0, "a constant nobody uses in time")
    assert.strictEqual(exit(2, 4), 0, "a function nobody calls")
    assert.strictEqual(exit(2, 2), 0, "its head")
    assert.notStrictEqual(exit(5, 5), 0, "an arrow")
    assert.notStrictEqual(exit(7, 7), 0, "a head")
    assert.notStrictEqual(exit(8, 9), 0, "a body")
    assert.notStrictEqual(exit(6, 6), 0, "a class")
  })

  it.each([
    [
      "a.ts",
      "export const f = (a: number) => {\n  if (a === 0) {\n    return 0\n  }\n  const b = a + 1\n  return b\n}\n"
    ],
    ["a.go", "package a\nfunc f(a int) int {\n\tif a == 0 {\n\t\treturn 0\n\t}\n\tb := a + 1\n\treturn b\n}\n"],
    ["A.java", "class A {\n  int f(int a) {\n    if (a == 0) {\n      return 0;\n    }\n    return a + 1;\n  }\n}\n"],
    ["a.rs", "fn f(a: i32) -> i32 {\n    for i in 0..a {\n        g(i);\n    }\n    let b = a + 1;\n    b\n}\n"],
    ["a.py", "def f(a):\n    if a == 0:\n        return 0\n    b = a + 1\n    return b\n"],
    ["a.rb", "def f(a)\n  if a == 0\n    return 0\n  end\n  a + 1\nend\n"],
    ["a.cpp", "int f(int a) {\n  while (a > 3) {\n    a--;\n  }\n  return a + 1;\n}\n"]
  ])("when they begin with a block, as in %s, then what fails stands before it", async (path, text) => {
    const rows = text.split("\n")
    const first = rows.findIndex((row) => /^\s+(?:if|for|while)\b/.test(row))
    const outline = await outlined(path, text)
    const made = (outline.neutralised({ start: first + 1, end: rows.length - 2 }) ?? "").split("\n")
    assert.deepStrictEqual([made.slice(0, first), made.slice(first + 1)], [rows.slice(0, first), rows.slice(first)])
    const inner = outline.neutralised({ start: first + 2, end: first + 2 })?.split("\n") ?? []
    assert.deepStrictEqual(inner.slice(0, first + 1), rows.slice(0, first + 1))
    assert.notStrictEqual(inner[first + 1], rows[first + 1])
  })

  it("when they are all of a file, then the rest is still a program of that language", async () => {
    const outline = await outlined("a.cjs", source)
    const text = outline.neutralised({ start: 1, end: 11 }) ?? ""
    assert.deepStrictEqual((await outlined("a.cjs", text)).faults, [])
    assert.isNull(outline.neutralised({ start: 100, end: 100 }))
  })
})

describe("given a text that nobody wrote as source", () => {
  const readable = "def f():\n    return 1\n"

  it.effect(
    "when it would bring a grammar down or keep it busy for long, then there is no outline, and others are read",
    () =>
      Effect.gen(function* () {
        const { outline } = yield* Syntax
        for (const [path, text] of [
          ["a.py", "(".repeat(100_000)],
          ["a.py", "a/*\\\n".repeat(20_000)],
          ["a.ts", "`${".repeat(50_000)],
          ["a.swift", "'".repeat(25_000)],
          ["a.java", "a<b".repeat(20_000)]
        ] as const) {
          assert.isNull(yield* outline(path, text), text.slice(0, 4))
          assert.isNotNull(yield* outline("b.py", readable + text.slice(0, 1).replace(/./, "#")))
        }
      }).pipe(Effect.provide(layer()))
  )

  it.effect("when a line is long, or drawn in a comment, then it is read like any other", () =>
    Effect.gen(function* () {
      const { outline } = yield* Syntax
      for (const line of [`x = "${"QUJD".repeat(10_000)}"`, `# ${"-".repeat(3_000)}`, `# ${"=*".repeat(400)}`])
        assert.isNotNull(yield* outline("a.py", `${line}\n${readable}`), line.slice(0, 10))
    }).pipe(Effect.provide(layer()))
  )
})
