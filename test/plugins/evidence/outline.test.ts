import { assert, describe, it } from "@effect/vitest"
import {
  closing,
  indentOf,
  type Outline,
  outline
} from "../../../packages/plugins/src/policies/evidence/code/outline.ts"
import { languageOf } from "../../../packages/plugins/src/text/languages.ts"
import { scan } from "../../../packages/plugins/src/text/scan.ts"

const outlineOf = (path: string, source: string) => {
  const language = languageOf(path, source.split("\n"))
  return outline(scan(source, language), language)
}

/** The first line, the last one of the head and the last one of all, then the head, and in `{}` what its block holds. */
const told = ({ body, first, headLast, last, text }: Outline): string =>
  `${first}-${headLast}-${last} ${text.replaceAll("\n", "⏎")}${body === null ? "" : ` {${body.map(told).join("; ")}}`}`

const samples: ReadonlyArray<readonly [path: string, source: string, ...nodes: ReadonlyArray<string>]> = [
  ["a.js", "a()\n\n  b()\n", "0-0-0 a()", "2-2-2 b()"],
  ["a.js", "a(); b()", "0-0-0 a();", "0-0-0 b()"],
  ["a.js", "a +\nb\n", "0-1-1 a +⏎b"],
  ["a.js", "a &&\n b\nc = \n d\ne = (\n) =>\n f", "0-1-1 a &&⏎ b", "2-3-3 c = ⏎ d", "4-6-6 e = (⏎) =>⏎ f"],
  ["a.js", "a\n  .b()\n? c\n|| d\n", "0-3-3 a⏎  .b()⏎? c⏎|| d"],
  ["a.js", "a++\nb -> \nc", "0-0-0 a++", "1-2-2 b -> ⏎c"],
  ["a.js", "f(a,\n  [b\n], c)\nd", "0-2-2 f(a,⏎  [b⏎], c)", "3-3-3 d"],
  ["a.js", "f({ a })\ng([{\n}])\nh", "0-0-0 f({ a })", "1-2-2 g([{⏎}])", "3-3-3 h"],
  ["a.js", "if (a) {\n  b\n}\nc", "0-0-2 if (a) {1-1-1 b}", "3-3-3 c"],
  ["a.js", "if (a)\n{\n  b; c }\n", "0-1-2 if (a) {2-2-2 b;; 2-2-2 c}"],
  ["a.js", "a { b { c }\n d }", "0-0-1 a {0-0-0 b {0-0-0 c}; 1-1-1 d}"],
  ["a.js", "}\n } a", "1-1-1 a"],
  ["a.js", "a ]\nb )) c\n(d\n)", "0-0-0 a ]", "1-1-1 b )) c", "2-3-3 (d⏎)"],
  ["a.js", "{ a", "0-0-0  {0-0-0 a}"],
  ["a.js", ";;a", "0-0-0 ;", "0-0-0 ;", "0-0-0 a"],
  ["a.js", "a('}')\nb", "0-0-0 a('}')", "1-1-1 b"],
  ["a.dart", "a\nb;\nc", "0-1-1 a⏎b;", "2-2-2 c"],
  ["a.dart", "#if a\n@b\nc\nd;\ne@f\ng;", "0-0-0 #if a", "1-1-1 @b", "2-3-3 c⏎d;", "4-5-5 e@f⏎g;"],
  ["a.dart", "#define a \\\n b\nc;", "0-1-1 #define a \\⏎ b", "2-2-2 c;"],
  ["a.unknownlang", "f {\n  a\n}", "0-0-2 f {1-1-1 a}"],
  ["a.py", "def f():\n  a\n  b\nc\n", "0-0-2 def f(): {1-1-1 a; 2-2-2 b}", "3-3-3 c"],
  ["a.py", "if a:\n  b\n    c\n d\ne", "0-0-2 if a: {1-1-2 b {2-2-2 c}}", "3-3-3 d", "4-4-4 e"],
  ["a.py", "  a\nb", "0-0-0 a", "1-1-1 b"],
  ["a.py", "x = (\n1,\n2)\ny", "0-2-2 x = (⏎1,⏎2)", "3-3-3 y"],
  ["a.py", "x = (\n  a\ny", "0-0-1 x = ( {1-1-1 a}", "2-2-2 y"],
  ["a.py", "a)\nb", "0-0-0 a)", "1-1-1 b"],
  ["a.py", "a + \\\n  b\nc \\ d\n  e", "0-1-1 a + \\⏎  b", "2-2-3 c \\ d {3-3-3 e}"],
  ["a.py", "a = '''b\nc'''\nd", "0-1-1 a = '''b⏎c'''", "2-2-2 d"],
  ["a.py", "f('''b\nc'''\nd", "0-1-1 f('''b⏎c'''", "2-2-2 d"],
  ["a.py", "if a:\n\tb\n        c", "0-0-2 if a: {1-1-1 b; 2-2-2 c}"],
  [
    "a.py",
    "def f(): a\nasync  def g(): pass\n  b",
    "0-0-0 def f(): {0-0-0 a}",
    "1-1-2 async  def g(): {1-1-1 pass; 2-2-2 b}"
  ],
  ["a.rb", "def f\nend\nending\nx", "0-0-0 def f {}", "1-1-1 end", "2-2-2 ending", "3-3-3 x"],
  ["a.rb", "a\n  end\nb\nmy end", "0-0-1 a {1-1-1 end}", "2-2-2 b", "3-3-3 my end"],
  [
    "a.ex",
    "def f(x), do: nil\ndefp g(x),  do: [",
    "0-0-0 def f(x), do: {0-0-0 nil}",
    "1-1-1 defp g(x),  do: {1-1-1 [}"
  ],
  ["a.jl", "f(x) = nothing\nf(x) == a", "0-0-0 f(x) = {0-0-0 nothing}", "1-1-1 f(x) == a"],
  [
    "a.jl",
    "function f(x) a(x) end\nfunction g(x)\n  end",
    "0-0-0 function f(x) {0-0-0 a(x)}",
    "1-1-2 function g(x) {2-2-2 end}"
  ],
  [
    "a.lua",
    "function f() end\nlocal g = function(a) b(ending) end",
    "0-0-0 function f() {}",
    "1-1-1 local g = function(a) {1-1-1 b(ending)}"
  ],
  ["a.lua", "function f(a)end\nfunction g() b(end)end", "0-0-0 function f(a) {}", "1-1-1 function g() {1-1-1 b(end)}"],
  ["a.hs", "f x = 1\nf x == 1", "0-0-0 f x = {0-0-0 1}", "1-1-1 f x == 1"],
  ["a.ml", "let rec f a = b", "0-0-0 let rec f a = {0-0-0 b}"],
  ["a.nim", "proc f(a) = b", "0-0-0 proc f(a) = {0-0-0 b}"]
]

describe("given a text that no grammar reads", () => {
  it.each(samples)(
    "when it is %s and says %j, then its statements are found with their blocks",
    (path, source, ...nodes) => {
      assert.deepStrictEqual(outlineOf(path, source).map(told), nodes)
    }
  )
})

describe("given a text that nobody writes", () => {
  const firsts = (path: string, source: string) => outlineOf(path, source).map(({ first, last }) => [first, last])

  it("when its blocks are too deep, then those are taken as one", () => {
    const depthOf = (node: Outline | undefined): number => (node === undefined ? 0 : 1 + depthOf(node.body?.[0]))
    const braces = (depth: number) => outlineOf("a.js", `${"a {\n".repeat(depth)}b\n${"}".repeat(depth)}\nc`)
    const indents = (depth: number) =>
      outlineOf("a.py", Array.from({ length: depth }, (_, i) => `${" ".repeat(i)}a\n`).join(""))
    assert.deepStrictEqual([depthOf(braces(100)[0]), depthOf(braces(101)[0]), braces(150).length], [101, 101, 2])
    assert.deepStrictEqual([depthOf(indents(101)[0]), depthOf(indents(102)[0])], [101, 101])
  })

  it("when a line is too long, then it does not go on, nor has it a body", () => {
    const ending = (length: number) => `${"a".repeat(length - 1)}+\nb`
    assert.deepStrictEqual(firsts("a.js", ending(20_000).replace("a+", " +")), [[0, 1]])
    assert.deepStrictEqual(firsts("a.js", ending(20_001).replace("a+", " +")), [
      [0, 0],
      [1, 1]
    ])
    const inline = (length: number) => outlineOf("a.py", `def f(): ${"a".repeat(length - "def f(): ".length)}`)[0]?.body
    assert.strictEqual(inline(20_000)?.length, 1)
    assert.isNull(inline(20_001))
  })

  it("when a bracket joins too many lines, or too many are not closed, then they join nothing", () => {
    const joined = (count: number) => firsts("a.py", `(${"\na".repeat(count - 1)})\nb`)[0]
    assert.deepStrictEqual(
      [joined(501), joined(502)],
      [
        [0, 500],
        [0, 0]
      ]
    )
    const unclosed = (count: number) => firsts("a.py", `${"(\n".repeat(count)}\n[a,\nb]`).at(-1)
    assert.deepStrictEqual([unclosed(199)?.[0], unclosed(200)?.[0]], [200, 202])
  })
})

describe("given a bracket", () => {
  it.each([
    ["(a)b", 0, 3],
    ["([{}])", 1, 5],
    ["a(b)(c)", 1, 4],
    ["(a", 0, 2],
    ["{(})", 0, 4],
    ["[(])a", 0, 4]
  ] as const)("when %s is read from %d, then it ends before %d", (code, open, end) => {
    assert.strictEqual(closing(code, open), end)
  })
})

describe("given the blanks before a line", () => {
  it.each([
    ["a", 0],
    ["  a  ", 2],
    ["\ta", 8],
    [" \t a", 9],
    ["        \ta", 16],
    ["\ufeff a", 1],
    ["\u00a0 a", 0]
  ] as const)("when it is %j, then it is indented by %d", (line, width) => {
    assert.strictEqual(indentOf(line), width)
  })
})
