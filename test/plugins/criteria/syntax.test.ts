import { assert, describe, it } from "@effect/vitest"
import { Syntax } from "@proofline/plugins/ports"
import { Effect } from "effect"
import { bracketFault } from "../../../packages/plugins/src/policies/criteria/brackets.ts"
import { linesOf } from "../../../packages/plugins/src/policies/criteria/file.ts"
import { jsonFault } from "../../../packages/plugins/src/policies/criteria/json.ts"
import { faultsOf } from "../../../packages/plugins/src/policies/criteria/readFacts.ts"
import { hasSubstance, stubsIn } from "../../../packages/plugins/src/policies/criteria/substance.ts"
import {
  isAllChanged,
  isMeantToBeBroken,
  isNew,
  lastChanged,
  rowsOf
} from "../../../packages/plugins/src/policies/criteria/syntax.ts"
import { grammars, outlined } from "../tree-sitter/support.ts"
import { fileOf, linesWith } from "./files.ts"

type Rows = ReadonlyArray<number> | null

/** A file with its outline, all of it changed unless rows are named. */
const read = (path: string, text: string, rows: Rows) =>
  Syntax.pipe(
    Effect.flatMap(({ outline }) => outline(path, text)),
    Effect.map((outline) => fileOf(path, text, rows, outline))
  )

const faults: ReadonlyArray<readonly [path: string, text: string, rows: Rows, ...faults: ReadonlyArray<string>]> = [
  ["a.js", "const a = ;\n", null, "1: const a = ;"],
  ["a.js", "const a = ;\n", []],
  ["a.js", "const a = 1\n", null],
  ["a.json.js", "const a = ;\n", null, "1: const a = ;"],
  ["fixtures/a.js", "const a = ;\n", null],
  ["a.JSON", "{}\n", null],
  ["a.txt", "const a = (\n", null],
  ["a.js", "const a = ;\nconst b = ;\n", [0]],
  ["a.js", "const a = ;\nconst b = ;\n", null, "1: const a = ;", "2: const b = ;"],
  ["a.js", "const a = ;\nconst b = 1\n", [0], "1: const a = ;"],
  ["a.js", "const a = ;\nconst b = 1\n", [1]],
  ["a.js", "const c = ;\nconst a = 1\nconst b = ;\n", [0, 2], "1: const c = ;", "3: const b = ;"],
  ["a.d.ts", "const a = ;\n", null],
  ["a.d.mts", "const a = ;\n", null],
  ["a.d.ts.ts", "const a = ;\n", null, "1: const a = ;"],
  ["a.ts", 'export type  *  from "./a"\n', null],
  ["a.ts", "export const a: import('x').B<string> = 1\n", null],
  ["a.kt", "fun f() {\n  val a = = 1\n}\n", null],
  ["a.kt", "fun f() {\n  g(1\n}\n", null, "3: `}` stands where `(` of line 2"],
  ["a.sh", "f() {\n  echo a\n", null, "1: f() {"],
  ["a.sh", "f() {\n  echo a\n", []],
  ["a.sh", "if a; then\n  b\n", null],
  ["a.sh", "echo a )(\n", null],
  ["a.sh", "echo a\n", null],
  ["a.ts", "export const a = (b: number) => {\n  return b\n", null, "1: export const a"],
  ["a.ts", "export const a = (b: number) => {\n  return b\n", [1]],
  ["a.ts", "export const a = (b: number) => {\n  return b\n", []],
  ["a.ts", "f()\n\nexport const a = () => {\n  return 1\n", [2], "3: export const a = () => {"],
  ["a.cs", "class A {\n  void F() {\n    G();\n  }\n", [1], "2: void F() {"],
  ["a.tsx", "export const A = () => {\n  return <b>:)</b>\n", null, "1: export const A"],
  ["a.c", "// </a>\nvoid f() {\n  g(1);\n", null, "3: a `}` is missing"],
  ["a.c", "// </a>\nvoid f() {\n  g(1);\n", []],
  ["a.c", "// </a>\nvoid f() {\n  g(1);\n", [2]],
  ["a.c", "// </a>\nvoid g() {}\nvoid f() {\n", [2], "3: a `}` is missing"],
  ["a.c", "// </a>\nvoid f() {\n  g(1);\n}\n", null],
  ["A.java", "class A {\n  void f() {\n}\n", [1], "2: `{` is never closed"],
  ["A.java", "class A {\n  void f() {\n    g();\n", [0, 1], "2: `{` is never closed"],
  ["A.java", "class A {\n  void f() {\n    g();\n", [2]],
  ["A.java", "class A {\n  void f() {\n    g();\n", []],
  ["A.java", "class A {\n  void f() {\n  {\n}\n}\n", [2], "3: `{` is never closed"],
  ["a.tsx", "const a = <b>:)</b>\nf()\n", null]
]

describe("given a file of which lines were changed", () => {
  it.effect.each(faults)(
    "when it is %s, %j, on rows %j, then it is told where it does not parse",
    ([path, text, rows, ...told]) =>
      Effect.gen(function* () {
        const { outline } = yield* Syntax
        const found = yield* faultsOf(yield* read(path, text, rows), outline)
        assert.deepStrictEqual(
          found.map(({ line, text: said }, i) => `${line}: ${said}`.slice(0, told[i]?.length)),
          told
        )
        for (const one of found) assert.strictEqual(one.path, path)
      }).pipe(Effect.provide(grammars))
  )

  it("when blank lines stand between, then they count as changed", () => {
    const file = fileOf("a.js", "a\n\n b\n \n", [0])
    assert.isTrue(isAllChanged(file, [0, 1, 3]))
    assert.isFalse(isAllChanged(file, [0, 2]))
    assert.deepStrictEqual(
      [isNew(file), isNew(fileOf("a.js", "a\n\n", [0])), isNew(fileOf("a.js", "a\n"))],
      [false, true, true]
    )
    assert.deepStrictEqual(
      [file, fileOf("a.js", "a\n\nb\n \n"), fileOf("a.js", "a\n", [])].map(lastChanged),
      [0, 2, -1]
    )
  })

  it.each([
    [
      [1, 0],
      [3, 4],
      [1, 2, 3]
    ],
    [
      [1, 0],
      [3, 0],
      [1, 2]
    ],
    [[1, 0], [1, 0], [1]],
    [[2, 3], [2, 5], [2]]
  ] as const)("when a part of it is from %j to %j, then it is on rows %j", (start, end, rows) => {
    const at = ([row, column]: readonly [number, number]) => ({ row, column })
    assert.deepStrictEqual(rowsOf({ start: at(start), end: at(end) }), [...rows])
  })

  it("when it is there to be broken, then that is known", () => {
    const yes = [
      ["fixture/a.js", "a/fixtures/b.js", "testdata/a.js", "test-data.js", "a.invalid.js", "bad_a.js", "a-corrupt.js"],
      [
        "corrupted",
        "template/a",
        "a/snapshot",
        "snapshots/a",
        "syntax-error.js",
        "syntaxerrors/a",
        "syntax_errors/a.js",
        "golden"
      ]
    ].flat()
    const no = ["badge.js", "src/a.js", "prefixture.js", "goldenrod/a.js", "syntax.js"]
    assert.deepStrictEqual(
      [...yes, ...no].filter((path) => isMeantToBeBroken(fileOf(path, ""))),
      yes
    )
    const texts = ["// @flow", "{% if a %}", "{{ a }}", "{{#a}}", "{{- a.b | c }}", "<%= a %>", "<%- a", "{%- a"]
    const others = ["@flowers", "{%a", "{{ a: 1 }}", "<%a", "{ a }", `${"\n".repeat(2_000)}// @flow`]
    assert.deepStrictEqual(
      [...texts, ...others].filter((text) => isMeantToBeBroken(fileOf("a.js", text))),
      texts
    )
  })
})

describe("given a JSON file of which lines were changed", () => {
  const missing = '{\n  "a": 1\n  "b": 2,\n  "c": 3,\n  "d": 4\n}\n'
  const cut = '{\n  "a": 1,\n  "b":\n'

  it.each<readonly [string, ReadonlyArray<number>, number | null]>([
    [missing, [2], 3],
    [missing, [1], 2],
    [missing, [3], 4],
    [missing, [0, 4, 5], null],
    [missing, [], null],
    [cut, [2], 3],
    [cut, [1], 2],
    [cut, [0], null],
    ['{\n\n  "a": 1\n', [2], 3],
    ['{"a": 1}\n{"a": 2}\n', [0], null],
    ['{"a": 1}\n"b"\n', [0], 1]
  ])("when it is %j and rows %j are, then it does not parse on line %s", (text, rows, line) => {
    assert.deepStrictEqual(linesWith(jsonFault(fileOf("a.json", text, rows))), line === null ? [] : [line])
  })

  it("when a sign is wrong, then that is said in few words", () => {
    const [found] = jsonFault(fileOf("a.json", '{ "a": x }\n'))
    assert.strictEqual(found?.text, "it is no JSON: Unexpected token 'x'")
  })
})

describe("given the brackets of a file", () => {
  it.each<readonly [string, string, string | null]>([
    ["a.js", "f(a, [b], { c })\n", null],
    ["a.js", "f(a\n", "0: `(` is never closed"],
    ["a.js", "(\n[\n]\n", "0: `(` is never closed"],
    ["a.js", "a\n}\n", "1: `}` closes nothing"],
    ["a.js", "a\n]\n", "1: `]` closes nothing"],
    ["a.js", "{\n  f(a]\n}\n", "1: `]` stands where `(` of line 2 is not closed yet"],
    ["a.js", "f('(')\n// {\n/* [\n*/\n", null],
    ["a.js", "f(a) // }\n)\n", "1: `)` closes nothing"],
    ["a.c", "#if A\nf() {\n#else\ng() {\n#endif\n}\n", null],
    ["a.c", " #  elif A\n(\n", null],
    ["a.c", "#else\n(\n", null],
    ["a.c", "#ifdef  __cplusplus\n(\n", null],
    ["a.c", "#ifdef A\n(\n", "1: `(` is never closed"],
    ["a.c", "#iffy\n(\n", "1: `(` is never closed"],
    ["a.c", "a #if b\n(\n", "1: `(` is never closed"],
    ["a.sh", "f() {\n", null]
  ])("when %s is %j, then it is told where they do not match: %s", async (path, text, told) => {
    const fault = bracketFault(linesOf(text), await outlined(path, text))
    assert.strictEqual(fault && `${fault.row}: ${fault.text}`, told)
  })
})

const stub = (name: string) => `  ${name}() {\n    throw new Error('not implemented')\n  }\n`

describe("given what was changed in a file", () => {
  it.effect.each<readonly [path: string, text: string, rows: Rows, isDone: boolean]>([
    ["a.js", "f()\n", null, true],
    ["a.js", "", null, false],
    ["a.js", "\n \n", null, false],
    ["a.js", "// a\n/* b\n c */\n", null, false],
    ["a.js", "// a\nf()\n", null, true],
    ["a.js", "f() // a\n", null, true],
    ["a.js", "f() /* a\n b */\n", [1], true],
    ["a.js", "  /* a\n b */\nf()\n", [0, 1], true],
    ["a.js", "function f() {\n}\n", null, false],
    ["a.js", "function f() {\n}\ng()\n", null, true],
    ["a.js", "g()\nfunction f() {\n}\n", [1, 2], false],
    ["a.js", "g()\nfunction f() {\n}\n", [0], true],
    ["a.js", "function f() {\n}\ng()\n", [2], true],
    ["a.js", "function f() {\n  g()\n}\n", [0, 1], true],
    ["a.js", "f()\n\ng()\n", [1], true],
    ["a.js", "f()\ng()\n", [], true],
    ["a.js", "f()\n// a\n", [1], true],
    ["a.txt", "a\n", null, true],
    ["a.py", "# a\n", null, false],
    ["a.unknown", "# a\n", null, true]
  ])("when it is %s, %j, rows %j, then something is done: %s", ([path, text, rows, isDone]) =>
    Effect.gen(function* () {
      assert.strictEqual(hasSubstance(yield* read(path, text, rows)), isDone)
    }).pipe(Effect.provide(grammars))
  )

  it.effect.each<readonly [text: string, rows: Rows, lines: ReadonlyArray<number>]>([
    [`class A {\n${stub("m")}}\n`, null, [2]],
    [`class A {\n${stub("m")}}\n`, [1, 2, 3], [2]],
    [`class A {\n${stub("m")}}\n`, [0, 1, 2, 4], []],
    [`class A {\n${stub("m")}}\n`, [0, 2, 3, 4], []],
    [`class A {\n${stub("m")}${stub("n")}}\n`, null, [2, 5]],
    [`class A {\n  m() {\n  }\n${stub("n")}}\n`, null, [4]],
    ["function f() {\n}\n// not implemented\n", null, []],
    ["// not implemented\nfunction f() {\n}\n", null, []],
    ["function f() {\n  log('not implemented')\n  return g()\n}\n", null, []],
    [`class A {\n${stub("m")}}\nclass B extends A {\n  m() {\n    return 1\n  }\n}\n`, null, []],
    [`class A {\n${stub("m")}}\nclass B extends A {\n  n() {\n    return 1\n  }\n}\n`, null, [2]],
    [`class A {\n${stub("m")}}\nclass B extends A {\n${stub("m")}}\n`, null, [2, 7]],
    [`class A {\n${stub("m")}  m() {\n    return 1\n  }\n}\n`, null, [2]],
    ["function f() {\n  throw new Error('not implemented')\n}\nclass A {\n  f() {\n    return 1\n  }\n}\n", null, [1]]
  ])("when it is %j, rows %j, then functions that are not implemented are found on lines %j", ([text, rows, lines]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(linesWith(stubsIn(yield* read("a.js", text, rows))), lines)
      assert.isEmpty(stubsIn(fileOf("a.js", text, rows)))
    }).pipe(Effect.provide(grammars))
  )
})
