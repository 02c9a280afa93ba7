import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { often } from "../../often.ts"
import { type Files, refused } from "./support.ts"

/** Every text as a file of its own; what is refused, by its text. */
const refusedOf = (texts: ReadonlyArray<readonly [path: string, text: string]>) => {
  const files = Object.fromEntries(texts.map(([path, text], i) => [`d${i}/${path}`, text]))
  return Effect.map(refused({ files }), (found) => {
    const all = found.join("\n")
    return new Map(texts.map(([path], i) => [`d${i}/${path}`, new RegExp(`\\bd${i}/`).test(all)]))
  })
}

const expectAll = (isRefused: boolean, texts: ReadonlyArray<readonly [path: string, text: string]>) =>
  // details of a criterion name ten places at most
  Effect.forEach(
    isRefused ? Array.from({ length: Math.ceil(texts.length / 8) }, (_, i) => texts.slice(i * 8, i * 8 + 8)) : [texts],
    (some) =>
      Effect.map(refusedOf(some), (found) => {
        for (const [i, [path, text]] of some.entries())
          assert.strictEqual(found.get(`d${i}/${path}`), isRefused, `${path}: ${text}`)
      })
  )

describe("given a line that stands for something left out", () => {
  it.effect("when it is on a changed line, then it is refused, whatever the language", () =>
    expectAll(true, [
      ["a.ts", "export const a = 1\n// ... rest of the code\n"],
      ["a.ts", "// existing code here\nexport const a = 1\n"],
      ["a.js", "const a = 1\n// ... unchanged\n"],
      ["a.js", "function f() { /* ... */ }\n"],
      ["a.js", "const a = 1\n...\n"],
      ["a.js", "const a = 1\n…\n"],
      [
        "a.tsx",
        "export const A = () => (\n  <div>\n    {/* ... rest of the component */}\n    <b>x</b>\n  </div>\n)\n"
      ],
      ["a.py", "a = 1\n# remaining implementation\n"],
      ["a.py", "a = 1\n# ...\n\nb = 2\n"],
      ["a.py", "a = 1\n# (rest of the file remains unchanged)\n"],
      ["a.py", "# 以下省略\na = 1\n"],
      ["a.rb", "a = 1\n# ...existing methods...\n"],
      ["a.go", "package a\n\n// ... other functions unchanged\n"],
      ["a.rs", "fn a() {}\n// (省略)\n"],
      ["A.java", "class A {\n  // rest of the implementation goes here\n  int a;\n}\n"],
      ["a.c", "int a;\n/* ... rest of file ... */\n"],
      ["a.cs", "class A {\n  // 残りのコードは省略\n  int a;\n}\n"],
      ["a.kt", "// Your code here\nval a = 1\n"],
      ["a.sh", "echo a\n...\n"],
      ["a.css", "a { color: red }\n/* ... existing styles ... */\n"],
      ["a.yaml", "a: 1\n# ... rest of the configuration\n"],
      ["a.sql", "select 1;\n-- error handling omitted for brevity\n"],
      ["a.html", "<p>x</p>\n<!-- rest of the page unchanged -->\n"],
      ["a.vue", "<template>\n  <!-- ... -->\n</template>\n"],
      ["a.txt", "first\n[rest of file]\n"],
      ["a.md", "# Title\n\n[... rest of the document ...]\n"],
      ["a.py", "a = 1\n[rest of the code]\n"]
    ])
  )

  it.effect("when the language, a text or a sentence gives it a meaning, then it is fine", () =>
    expectAll(false, [
      ["a.py", "class A:\n    def f(self) -> int:\n        ...\n\n\nx = [\n    ...\n]\n"],
      ["a.py", 'def f():\n    """\n    >>> for i in x:\n    ...     print(i)\n    """\n    return 1\n'],
      ["a.js", "const a = [...b, ...c]\nconst f = (...rest) => rest\nconst s = `\n...\n`\n"],
      ["a.ts", "const text = `\n// ... rest of the code\n`\nexport { text }\n"],
      ["a.ts", "/**\n * @example\n * f({\n *   ...\n *   // ... rest of the code\n * })\n */\nexport const f = 1\n"],
      ["a.ts", "// Usage:\n//   f({\n//     ...\n//   })\nexport const f = 1\n"],
      ["a.ts", "// Wait for the remaining requests to finish...\nexport const f = 1\n"],
      ["a.ts", "// If it is empty...\n// ... then nothing happens\nexport const f = 1\n"],
      ["a.ts", "// the rest of the arguments is passed on\nexport const f = 1\n"],
      ["a.ts", "// existing users keep their settings\nexport const f = 1\n"],
      ["a.c", "int f(const char *a,\n      ...\n);\n"],
      ["a.cpp", "void f() {\n  try { g(); } catch (\n    ...\n  ) { h(); }\n}\n"],
      ["a.go", "package a\n\nfunc f(a ...int) { g(a...) }\n"],
      ["a.rb", "(1...10).each { |i| puts i }\n"],
      ["a.rs", 'fn f() { for i in 0..10 { println!("..."); } }\n'],
      ["a.yaml", "---\na: 1\n...\n"],
      ["a.md", "Text\n\n```js\n// ... rest of the code\n```\n\nAnd so on...\n"],
      ["a.sh", "cat <<EOF\n...\nEOF\n"],
      ["a.cs", "class A {\n  // 引数は省略可能\n  int a;\n}\n"],
      ["a.txt", "...\nHe waited for the rest of the file to arrive.\n"]
    ])
  )
})

describe("given a mark of work left to do", () => {
  it.effect("when a changed comment begins with it or ends a sentence with it, then it is refused", () =>
    expectAll(true, [
      ["a.ts", "// TODO: validate\nexport const a = 1\n"],
      ["a.ts", "export const a = 1 // FIXME(ann) rounding\n"],
      ["a.ts", "// TODO implement sorting\nexport const a = 1\n"],
      ["a.ts", "/**\n * Adds.\n * @todo subtract as well\n */\nexport const a = 1\n"],
      ["a.ts", "// todo: implement sorting\nexport const a = 1\n"],
      ["a.js", "/* XXX */\nvar a\n"],
      ["a.py", "# Works for one. TODO handle many\na = 1\n"],
      ["a.py", 'def f():\n    """TBD"""\n    return 1\n'],
      ["a.rb", "# HACK: until 2.0\na = 1\n"],
      ["a.go", "package a\n\n// 未実装\nvar a = 1\n"],
      ["a.rs", "// 後で実装する\nfn a() {}\n"],
      ["a.java", "class A { int a; /* TODO */ }\n"],
      ["a.yaml", "a: 1 # TODO: the real value\n"],
      ["a.sql", "-- TODO: index\nselect 1;\n"],
      ["Dockerfile", "FROM scratch\n# FIXME: pin the version\n"],
      ["a.php", "<?php\n# TODO.\n$a = 1;\n"]
    ])
  )

  it.effect("when it is a name, a text or spoken of, then it is fine", () =>
    expectAll(false, [
      ["a.ts", "// Adds a todo to the TODO list of the user\nexport const todo = { title: 'TODO' }\n"],
      ["a.ts", "// TODO items are kept in the order they were added\nexport const TODO = 1\n"],
      ["a.ts", 'const s = "// TODO: x"\nexport const t = `\n// FIXME: y\n`\n'],
      ["a.ts", "// TODO, FIXME and XXX markers are counted\nexport const a = /TODO/\n"],
      ["a.ts", '// Finds `TODO: fix` and "FIXME" in comments\nexport const a = 1\n'],
      ["a.py", 'def add(todo):\n    """Adds.\n\n    Args:\n        todo: The item to add.\n    """\n    return todo\n'],
      ["a.py", "TODO = 'todo'\nXXX = 1\n# Numbers look like XXX-XXXX\n"],
      ["a.md", "# TODO\n\n- TODO: buy milk\n<!-- TODO -->\n"],
      ["a.txt", "TODO: call\n"],
      ["a.cs", "class A {\n  // 未実装の場合は例外を投げる\n  int a;\n}\n"],
      ["a.json", '{ "todo": "TODO: x" }\n'],
      ["a.html", "<h1>TODO</h1>\n"],
      ["a.yaml", 'title: "a # TODO: b"\n']
    ])
  )
})

describe("given source that is changed", () => {
  it.effect("when it does not parse because of it, then it is refused", () =>
    expectAll(true, [
      ["a.py", "def f(:\n    return 1\n"],
      ["a.py", "a = [1, 2\nb = 3\n"],
      ["a.tsx", "export const A = () => {\n  return <b>:)</b>\n"],
      ["a.kt", "fun f() {\n  g(1\n}\n"],
      ["a.swift", "func f() {\n  g()\n"],
      ["a.scala", "object A {\n  def f = List(1, 2\n}\n"],
      ["a.cpp", "int f() {\n  return g(1;\n}\n"],
      ["a.cs", "class A {\n  void F() {\n"],
      ["a.sh", "f() {\n  echo a\n"],
      ["a.js", "const a = ;\n"],
      ["a.ts", "export const a = (b: number) => {\n  return b\n"],
      ["a.go", "package a\n\nfunc f() {\n\tg(1\n}\n"],
      ["A.java", "class A {\n  void f() {\n"],
      ["a.rb", "def f\n  1 +\nend end end\n"],
      ["a.php", "<?php\nfunction f( { return 1; }\n"],
      ["a.rs", "fn f() {\n    let a = vec![1;\n"],
      ["a.c", "int f(void) {\n  return 1;\n"],
      ["a.ts", "<<<<<<< ours\nexport const a = 1\n=======\nexport const a = 2\n>>>>>>> theirs\n"],
      ["a.json", '{ "a": 1,\n'],
      ["a.json", '{ "a": 1, }\n']
    ])
  )

  it.effect("when a tool or a test wants it so, then it is fine", () =>
    expectAll(false, [
      ["tsconfig.json", '{\n  // strict\n  "strict": true,\n}\n'],
      [".vscode/settings.json", '{ "a": 1, /* b */ }\n'],
      ["a.json", '{"a":1}\n{"a":2}\n'],
      ["fixtures/a.js", "const a = ;\n"],
      ["invalid.json", "{\n"],
      ["a.js", "// @flow\nexport type A = {| +a: number |}\nfunction f<T>(x: ?T): %checks { return !!x }\n"],
      ["a.c", '#ifdef __cplusplus\nextern "C" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n'],
      ["a.tsx", "export const A = () => <b>:) 1) a</b>\n"],
      ["a.ts", 'export type * from "./types"\nexport const a: import("x").B<string> = 1\n'],
      ["a.sh", 'case "$1" in\n  a) echo a ;;\n  *) exit 1 ;;\nesac\n'],
      ["a.php", "<?php if ($a): ?>\n<p>}</p>\n<?php endif; ?>\n"],
      ["a.py", "\ufeffa = 1\r\nb = 2\r\n"]
    ])
  )

  const broken = "export const a = {\n  b: [1, 2\n}\n\nexport const c = ;\n"

  it.effect("when it was broken before, then nobody is blamed for it", () =>
    Effect.gen(function* () {
      const files = { "a.ts": `${broken}export const d = 1\n` }
      assert.deepStrictEqual(yield* refused({ before: { "a.ts": broken }, files }), [])
      const open = "class A {\n  void f() {\n"
      assert.deepStrictEqual(
        yield* refused({ before: { "A.java": open }, files: { "A.java": `${open}    g();\n` } }),
        []
      )
    })
  )

  it.effect("when a changed line breaks what was whole, then it is refused", () =>
    Effect.gen(function* () {
      const before = { "a.ts": "export const a = 1\nexport const b = 2\nexport const c = 3\n" }
      const files = { "a.ts": "export const a = 1\nexport const b = = 2\nexport const c = 3\n" }
      assert.deepStrictEqual(yield* refused({ before, files }), ["syntax_parses: a.ts:2: export const b = = 2"])
      const cut = { "a.ts": `${before["a.ts"]}export const d = () => {\n  return 1\n` }
      assert.deepStrictEqual(yield* refused({ before, files: cut }), [
        "syntax_parses: a.ts:4: export const d = () => {"
      ])
    })
  )
})

const Line = Schema.Literals([
  "// TODO: x",
  "# FIXME",
  "...",
  "// ... rest of the code",
  "(",
  "}",
  "<<<<<<< ours",
  "# 以下省略",
  "const a = ;",
  '{ "a": ',
  "[rest of file]",
  "x"
])
const Path = Schema.Literals(["a.ts", "a.py", "a.go", "a.rb", "a.json", "a.md", "a.css", "a.sh", "a.txt", "a.java"])

describe("a file without a changed line", () => {
  it.effect.prop(
    "is never blamed, whatever is in it",
    [Schema.Array(Line), Path, Schema.Boolean],
    ([lines, path, inRepository]) => {
      const before: Files = { [path]: `${lines.join("\n")}\n` }
      return Effect.map(refused({ before, files: before, inRepository }), (found) => assert.deepStrictEqual(found, []))
    },
    { arbitrary: { runs: often(20) } }
  )
})
