import { assert, describe, it } from "@effect/vitest"
import { fileChanges } from "../../../packages/plugins/src/policies/evidence/work/lineProof.ts"
import { asksForSpelling } from "../../../packages/plugins/src/policies/evidence/work/spelling.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"
import { outlined } from "../tree-sitter/support.ts"

/** Lines that hold something new, and are more than the old ones in another spelling. */
const newIn = async (path: string, before: string, now: string): Promise<ReadonlyArray<string>> => {
  const lines = splitLines(now)
  const file = { path, lines, outline: await outlined(path, now) }
  const found = fileChanges(file, { _tag: "text", text: before }, await outlined(path, before))
  const respelled = found?.respelled() ?? new Set()
  return (found?.real.rows ?? []).filter((row) => !respelled.has(row)).map((row) => (lines[row] ?? "").trim())
}

const inFunction: Readonly<Record<string, (body: string) => string>> = {
  "a.js": (body) => `export function f(a, b) {\n  g(a)\n  ${body}\n  h(b)\n}\n`,
  "a.ts": (body) => `export function f(a: A, b: B) {\n  g(a)\n  ${body}\n  h(b)\n}\n`,
  "a.py": (body) => `def f(a, b):\n    g(a)\n    ${body}\n    h(b)\n`,
  "a.go": (body) => `package a\n\nfunc f(a A, b B) {\n\tg(a)\n\t${body}\n\th(b)\n}\n`,
  "a.rb": (body) => `def f(a, b)\n  g(a)\n  ${body}\n  h(b)\nend\n`,
  "a.rs": (body) => `fn f(a: A, b: B) -> C {\n    g(a);\n    ${body}\n}\n`,
  "A.java": (body) => `class A {\n  int f(A a, B b) {\n    g(a);\n    ${body}\n  }\n}\n`,
  "a.c": (body) => `int f(int a, int b) {\n  g(a);\n  ${body}\n}\n`,
  "a.php": (body) => `<?php\nfunction f($a, $b) {\n  g($a);\n  ${body}\n}\n`,
  "a.kt": (body) => `fun f(a: A, b: B) {\n  g(a)\n  ${body}\n  h(b)\n}\n`,
  "a.sh": (body) => `f() {\n  g "$1"\n  ${body}\n  h\n}\n`
}

const changed = (path: string, before: string, now: string): Promise<ReadonlyArray<string>> => {
  const around = inFunction[path] ?? ((body: string) => body)
  return newIn(path, around(before), around(now))
}

describe("code that is written otherwise", () => {
  it.each([
    ["a.js", "k(a, b)", "k(a, b);"],
    ["a.js", "const x = 'a'", 'const x = "a"'],
    ["a.js", "const x = 'it\\'s'", 'const x = "it\'s"'],
    ["a.js", "const x = 'a'", "const x = `a`"],
    ["a.js", "const x = { a: 1, b: 2 }", "const x = {\n    a: 1,\n    b: 2,\n  }"],
    ["a.js", "k(a, b)", "k(\n    a,\n    b,\n  )"],
    ["a.js", "a.b().c()", "a\n    .b()\n    .c()"],
    ["a.js", "return a && b", "return (\n    a &&\n    b\n  )"],
    ["a.js", "const x = (y) => y + 1", "const x = (y) => (y + 1)"],
    ["a.js", "if (a) k()", "if (a)\n    k()"],
    ["a.ts", "type X = 'a' | 'b'", 'type X = "a" | "b"'],
    ["a.py", "x = 'a'", 'x = "a"'],
    ["a.py", "if a:\n        k(b)", "if (a):\n        k(b)"],
    ["a.py", "return k(a, b)", "return k(\n        a,\n        b,\n    )"],
    ["a.py", "x = a + b", "x = (a + b)"],
    ["a.py", "x = a + b", "x = a + \\\n        b"],
    ["a.py", "k(a)", "k(a);"],
    ["a.go", "k(a, b)", "k(\n\t\ta,\n\t\tb,\n\t)"],
    ["a.go", "k(a)", "k(a);"],
    ["a.go", 'k("a")', "k(`a`)"],
    ["a.rb", "k('a')", 'k("a")'],
    ["a.rb", "k(a, b)", "k(\n    a,\n    b\n  )"],
    ["a.rs", "k(a, b)", "k(\n        a,\n        b,\n    )"],
    ["A.java", "return k(a);", "return k(a);;"],
    ["A.java", "return a + b;", "return (a + b);"],
    ["a.c", "return k(a, b);", "return k(a,\n    b);"],
    ["a.php", "return k('a');", 'return k("a");'],
    ["a.kt", "k(a, b)", "k(\n    a,\n    b,\n  )"],
    ["a.sh", "k 'a b'", 'k "a b"']
  ])("given the same in another spelling, then nothing is new: %s %s", async (path, before, now) => {
    assert.deepStrictEqual(await changed(path, before, now), [])
    assert.deepStrictEqual(await changed(path, now, before), [])
  })

  it.each([
    ["a.js", "return a", "return\n  a"],
    ["a.js", "for (;;) k()", "for (; a;) k()"],
    ["a.js", "if (a) k()", "if (a);\n  k()"],
    ["a.js", "k()\n  (b)", "k();\n  (b)"],
    ["a.js", "const x = a * (b + 1)", "const x = a * b + 1"],
    ["a.js", "const x = [a, , b]", "const x = [a, b]"],
    ["a.js", "k('a')", "k('b')"],
    ["a.js", "const x = () => ({ a })", "const x = () => { a }"],
    ["a.js", "a.k\n  b()", "a.k()\n  b()"],
    ["a.js", "k((a, b))", "k(a, b)"],
    ["a.py", "x = a", "x = a,"],
    ["a.py", "x = (a)", "x = (a,)"],
    ["a.py", "k('\\d')", "k(r'\\d')"],
    ["a.py", "k('{a}')", "k(f'{a}')"],
    ["a.py", "if a:\n        k(a)\n    l(b)", "if a:\n        k(a)\n        l(b)"],
    ["a.py", "x = a * (b + 1)", "x = a * b + 1"],
    ["a.py", "x = (a + b) * 2", "x = a + b * 2"],
    ["a.py", "x = [a]", "x = a"],
    ["a.js", "k('$' + a)", "k(`$' + a`)"],
    ["a.rb", "k('#{a}')", 'k("#{a}")'],
    ["a.rb", "k('\\n')", 'k("\\n")'],
    ["a.rb", "k\n  a", "k a"],
    ["a.rs", "k(a)", "k(a);"],
    ["a.rs", "(a,)", "(a)"],
    ["A.java", "if (a) k(b); l(b);", "if (a); k(b); l(b);"],
    ["A.java", "k('a');", 'k("a");'],
    ["a.c", "if (a) k(b);", "if (a); k(b);"],
    ["a.c", "k('a');", 'k("a");'],
    ["a.php", "return k('$a');", 'return k("$a");'],
    ["a.php", "return k('\\n');", 'return k("\\n");'],
    ["a.kt", "k(a)", "k\n  (a)"],
    ["a.go", "k('a')", 'k("a")'],
    ["a.go", "k(`\\n`)", 'k("\\n")'],
    ["a.sh", "k '$a'", 'k "$a"'],
    ["a.sh", "k; l", "k l"],
    ["a.sh", "(k)", "k"]
  ])("given something else, then it is new: %s %s", async (path, before, now) => {
    assert.notDeepEqual(await changed(path, before, now), [])
    assert.notDeepEqual(await changed(path, now, before), [])
  })

  it("given lines for the preprocessor, then where they end counts", async () => {
    const text = (body: string) => `#define A ${body}\nint f(void) {\n  return A;\n}\n`
    assert.notDeepEqual(await newIn("a.c", text("\nint b;"), text("int b;")), [])
  })

  it("given real work beside it, then that is new", async () => {
    const before = "function f(a) {\n  g('a')\n  return h(a)\n}\n"
    const now = 'function f(a) {\n  g("a")\n  if (!a) return null\n  return h(a)\n}\n'
    assert.deepStrictEqual(await newIn("a.js", before, now), ["if (!a) return null"])
  })
})

describe("what an item says of the spelling of code", () => {
  it.each([
    "Use double quotes",
    "Add missing semicolons",
    "Format with prettier",
    "Reformat save()",
    "Fix indentation",
    "Fix the trailing comma",
    "Wrap long lines",
    "Fix eslint warnings",
    "style: one argument a line",
    "Remove redundant parentheses",
    "Conform to PEP8",
    "ダブルクォートに統一する"
  ])("when it asks for it, then it may be shown by that: %s", (item) => {
    assert.isTrue(asksForSpelling(item))
  })

  it.each(["Retry the save when it fails", "Handle null users", "Validate the user in key()", "保存を再試行する"])(
    "when it asks for what code does, then it may not: %s",
    (item) => {
      assert.isFalse(asksForSpelling(item))
    }
  )
})
