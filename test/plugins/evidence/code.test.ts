import { assert, describe, it } from "@effect/vitest"
import { codeIn } from "../../../packages/plugins/src/policies/evidence/code/code.ts"
import { plainOf } from "../../../packages/plugins/src/policies/evidence/code/plain.ts"
import { rowTokens, tokensOf } from "../../../packages/plugins/src/policies/evidence/code/tokens.ts"
import { statementsOf } from "../../../packages/plugins/src/policies/evidence/tests/testBody.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"
import { outlined } from "../tree-sitter/support.ts"

describe("given lines of a file", () => {
  it.each<readonly [path: string, text: string, range: readonly [number, number], code: string]>([
    ["a.js", "f()\n", [1, 1], "0:0-0:2"],
    ["a.js", "\n  f(a) // b\n\n", [1, 3], "1:2-1:5"],
    ["a.js", "\ufefff(a + b\r\n)\r\ng()\r\n", [1, 3], "0:1-2:2"],
    ["a.js", "/* a */ b = 1; /* c */\n", [1, 1], "0:8-0:13"],
    ["a.js", "/* a\n*/ b = 1 /* c\n d */\n", [1, 3], "1:3-1:8"],
    ["a.js", "f()\n// a\n", [1, 2], "0:0-0:2"],
    ["a.js", "f(a)\n)\n", [1, 2], "0:0-0:3"],
    ["a.js", "f()\n// a\ng()\n", [2, 2], "comments"],
    ["a.js", "f()\n\n/* a */\ng()\n", [2, 3], "comments and blank lines"],
    ["a.js", "import 'a'\n// b\n\n}\nf()\n", [1, 4], "comments, imports, brackets and blank lines"],
    ["a.js", "import 'a'\nf()\n", [1, 1], "imports"],
    ["a.js", "f(\n)\n", [2, 2], "brackets"],
    ["a.js", "f()\n", [2, 2], "blank lines"],
    ["a.js", "if (a) {\n  ;\n}\nf()\n", [2, 2], "brackets"],
    ["a.py", "def f():\n    pass\n    g()\n", [2, 2], "statements that do nothing"],
    ["a.py", "def f():\n    pass\n    g()\n", [2, 3], "1:4-2:6"],
    ["src/index.js", "// a\n\nimport './b.js'  \nimport './c.js'\n", [1, 4], "2:0-3:15"],
    ["src/index.js", "// a\n\nimport './b.js'  \nimport './c.js'\n", [1, 3], "2:0-2:15"],
    ["src/index.js", "// a\n\nimport './b.js'  \nimport './c.js'\n", [1, 2], "comments and blank lines"]
  ])("when they are in %s, %j, lines %j, then their code is %s", async (path, text, [start, end], code) => {
    const found = codeIn(path, splitLines(text), await outlined(path, text), { start, end })
    const place = ({ column, row }: { readonly column: number; readonly row: number }) => `${row}:${column}`
    assert.strictEqual(
      typeof found === "string" ? found : `${place(found.start)}-${place(found.end)}`,
      /^\d/.test(code)
        ? code
        : `The lines hold only ${code}.${code.includes("imports") ? " Cite the code that uses what is imported." : ""}`
    )
  })

  it.each<readonly [path: string, text: string, tokens: ReadonlyArray<string>]>([
    ["a.js", "f( a, b ) // c\n", ["f", "(", "a", ",", "b", ")"]],
    ["a.js", "x=-1\n", ["x", "=", "-", "1"]],
    ["a.js", "\ufeffs = 'a b' + /* c */ `d`\r\n", ["s", "=", "\"'a b'\"", "+", '"`d`"']],
    ["a.js", "\n", []]
  ])("when a line of %s is %j, then its tokens are each for itself", async (path, text, tokens) => {
    const [line = ""] = splitLines(text)
    assert.deepStrictEqual(rowTokens(line, 0, await outlined(path, text)), { tokens, inString: false })
  })

  it("when one lies in a string, then that is told, unless it is documentation", async () => {
    const text = "s = `a\n\n  b` + c\n"
    const outline = await outlined("a.js", text)
    const inString = splitLines(text).map((line, row) => rowTokens(line, row, outline))
    assert.deepStrictEqual(inString, [
      { tokens: ["s", "=", '"`a"'], inString: false },
      { tokens: ['""'], inString: true },
      { tokens: ['"  b`"', "+", "c"], inString: true }
    ])
    const said = 'def f():\n    """a\n\n    b"""\n    return 1\n'
    const documented = await outlined("a.py", said)
    assert.deepStrictEqual(
      splitLines(said).map((line, row) => rowTokens(line, row, documented).inString),
      [false, false, false, false, false]
    )
  })

  it.each<readonly [path: string, text: string, tokens: string]>([
    ["a.js", "x  = y++ + 1 // a\n\n  f(z)\r\n", "> x = y ++ + 1 > f ( z )"],
    ["a.js", "s = `a\n  b`\nt()\n", '> s = "`a" "  b`" > t ( )'],
    ["a.java", "class A {\n  int a; /* b\n c */ int d;\n}\n", "class A { int a ; int d ; }"],
    ["a.py", "  a()\n  if b:\n      c()\n# d\nd()\n", ">0 a ( ) >0 if b : >4 c ( ) >0 d ( )"]
  ])("when %s, %j, is a part, then its tokens are %s", async (path, text, tokens) => {
    const lines = splitLines(text)
    const end = { row: lines.length - 1, column: (lines.at(-1) ?? "").trimEnd().length }
    const found = tokensOf(lines, await outlined(path, text), { start: { row: 0, column: 0 }, end })
    assert.strictEqual(found.replaceAll("\n", " "), tokens)
  })

  it("when a part begins and ends within lines, then only what is in it counts", async () => {
    const text = "a(); b(); c()\nd(); e()\n"
    const outline = await outlined("a.js", text)
    const tokens = (from: number, row: number, to: number) =>
      tokensOf(splitLines(text), outline, { start: { row: 0, column: from }, end: { row, column: to } }).replaceAll(
        "\n",
        " "
      )
    assert.strictEqual(tokens(5, 0, 8), "> b ( )")
    assert.strictEqual(tokens(10, 1, 3), "> c ( ) > d ( )")
  })
})

describe("given the body of a test", () => {
  it.each<readonly [path: string, body: string, statements: ReadonlyArray<string>]>([
    ["a.js", "{ a(); b();\n c() }", ["a()", "b()", "c()"]],
    ["a.js", "a()", ["a()"]],
    ["a.js", "{}", []],
    ["a.js", "{\n  a(() => {\n    b();\n    c()\n  })\n  d()\n}", ["a(() => {\n    b();\n    c()\n  })", "d()"]],
    [
      "a.js",
      "{\n  a\n    .b()\n  c\n  && d\n  e\n  ?.f()\n  ..g\n}",
      ["a\n    .b()", "c\n  && d", "e\n  ?.f()", "..g"]
    ],
    ["a.js", "{\n  a(\n  b\n  )\n\n\n  c\n}", ["a(\n  b\n  )", "c"]],
    ["a.js", "{\n  a = b\n      + c\n  || d\n  e\n}", ["a = b\n      + c\n  || d", "e"]],
    ["a.js", "{\n\ta\n        b\n\tc\n\t\td\n}", ["a", "b", "c\n\t\td"]],
    ["a.js", "{\n  a\nb }", ["a", "b"]],
    ["a.rb", "do |a, b|\n  c\n  d\n", ["c", "d"]],
    ["a.rb", "do\n  a\n  b\n", ["a", "b"]],
    ["a.rb", "done\n", ["done"]],
    ["a.rb", "x do |a|\n  b\n", ["x do |a|\n  b"]],
    ["a.sh", "{\n  a; b\n  c\n}", ["a; b", "c"]],
    ["a.py", "  a(1)\n  if b:\n    c()\n  d()\n", ["a(1)", "if b:\n    c()", "d()"]]
  ])("when it is in %s, %j, then its statements are found", async (path, body, statements) => {
    const lead = "f() "
    const text = path === "a.py" ? body : lead + body
    const outline = await outlined(path, text)
    const plain = plainOf(splitLines(text), outline)
    const from = path === "a.py" ? 0 : lead.length
    const found = statementsOf(plain, { from, to: plain.code.length }, outline.language)
    assert.deepStrictEqual(
      found.map(({ code }) => code),
      statements
    )
    for (const { code, from, to } of found) assert.strictEqual(plain.code.slice(from, to), code)
  })
})
