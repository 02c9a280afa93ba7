import { assert, describe, it } from "@effect/vitest"
import { judged, verdicts } from "./support.ts"

/** A function that holds one statement, in every language. */
const inFunction: Readonly<Record<string, (statement: string) => string>> = {
  "a.js": (s) => `function login() {\n${s}\n}\n`,
  "a.ts": (s) => `function login(): void {\n${s}\n}\n`,
  "a.py": (s) => `def login():\n    ${s}\n`,
  "a.go": (s) => `package a\n\nfunc login() {\n${s}\n}\n`,
  "A.java": (s) => `class A {\n  void login() {\n${s}\n  }\n}\n`,
  "a.c": (s) => `void login(int x)\n{\n${s}\n}\n`,
  "a.cpp": (s) => `void login(int x)\n{\n${s}\n}\n`,
  "A.cs": (s) => `class A {\n  void Login() {\n${s}\n  }\n}\n`,
  "a.kt": (s) => `fun login() {\n${s}\n}\n`,
  "a.swift": (s) => `func login() {\n${s}\n}\n`,
  "a.rs": (s) => `fn login(x: u8) {\n${s}\n}\n`,
  "a.scala": (s) => `object A {\n  def login(): Unit = {\n${s}\n  }\n}\n`,
  "a.rb": (s) => `def login\n${s}\nend\n`,
  "a.php": (s) => `<?php\nfunction login() {\n${s}\n}\n`,
  "a.sh": (s) => `login() {\n${s}\n}\n`
}

const idle: Readonly<Record<string, ReadonlyArray<string>>> = {
  "a.js": [
    "let u;",
    "let u = 1;",
    "var x;",
    "let a, b;",
    "'login';",
    '"login"',
    "`login`;",
    "42;",
    "true;",
    "null;",
    "u;",
    "void 0;",
    "void u;",
    "if (false) { save() }",
    "if (0) {}",
    "if ('') { save() }",
    "switch (false) { case true: save() }",
    "switch (true) { case false: save(); break; default: break }",
    "while (false) { save() }",
    ";"
  ],
  "a.ts": ["let u: string;", "let u: string = 'x';", "let u: () => void;", "'login';", "if (false) {\n  save()\n}"],
  "a.py": [
    "x",
    "42",
    "1.5",
    "x: int",
    "x: int = 1",
    "if False: save()",
    "while False: save()",
    "None",
    "if []: save()",
    "if set(): save()"
  ],
  "a.go": ["var x int", "_ = x", "if false { save() }", "switch { case false: save() }"],
  "A.java": ["int x;", "String a, b;", "if (false) { save(); }"],
  "a.c": ["int x;", "char *name;", "0;", '"login";', "x;", "(void)x;", "if (0) { save(); }"],
  "a.cpp": ["int x;", "std::string name;", "0;", '"login";', "if (false) { save(); }"],
  "A.cs": ["int x;", "if (false) { Save(); }"],
  "a.kt": ["val x: Int", "if (false) { save() }"],
  "a.swift": ["let x: Int", "if false { save() }"],
  "a.rs": ["let x;", "let mut x: u8;", '"login";', "1;", "if false { save(); }"],
  "a.scala": ["if (false) { save() }"],
  "a.rb": ["if false\n  save\nend"],
  "a.php": ["'login';", "42;", "$x;", "if (false) { save(); }", "if ([]) { save(); }"],
  "a.sh": ["local x", "if false; then save; fi", "if [ 1 -eq 2 ]; then save; fi", "test a = b && save"]
}

const real: Readonly<Record<string, ReadonlyArray<string>>> = {
  "a.js": [
    "var x = f();",
    "if ([]) { save() }",
    "switch (true) { case u: save() }",
    "switch (false) { case u: case true: save() }",
    "switch (true) { default: case false: save() }",
    "u++;",
    "if (u) { save() }",
    "if (false) {} else { save() }",
    "`" + "$" + "{save()}`;",
    "save`x`;",
    "a.b.c;"
  ],
  "a.ts": ["let u: string = f();"],
  "a.py": ["x: int = f()", "x()", "x.y"],
  "a.go": ["var x = f()", "_ = f()"],
  "A.java": ["int x = f();"],
  "a.c": ["int x = f();", "save();", "x++;"],
  "a.cpp": ["int x = f();", "std::lock_guard<M> l(m);"],
  "A.cs": ["int x = F();", "using var x = F();"],
  "a.kt": ["val x = f()", "val x: Int by lazy { f() }"],
  "a.swift": ["let x = f()", "let x: Int = f()"],
  "a.rs": ["let x = f();", "let v: Vec<u8> = f();"],
  "a.scala": ["val x = f()"],
  "a.rb": ["save", "x = save"],
  "a.php": ["$x = save();", '"{$this->save()}";'],
  "a.sh": ["local x=$(save)", "save", 'if [ "$1" = b ]; then save; fi', "[ 1 -eq 1 ] && save", "[[ a = a* ]] && save"]
}

const nameOf = (verdict: Readonly<Record<string, string | null>>): string | null =>
  Object.entries(verdict).find(([name]) => /login$/i.test(name))?.[1] ?? null

describe("given a function that holds nothing but a statement that does nothing", () => {
  for (const [path, statements] of Object.entries(idle)) {
    for (const statement of statements) {
      it(`when ${path} holds ${statement}, then it is empty, and the statement shows nothing`, async () => {
        const text = inFunction[path]?.(statement) ?? ""
        assert.isNotNull(nameOf(await verdicts(path, text)))
        const first = text.split("\n").findIndex((line) => line.includes(statement.split("\n")[0] ?? "")) + 1
        const range = [first, first + statement.split("\n").length - 1] as const
        assert.isNotNull((await judged(path, text, range)).empty)
      })
    }
  }
})

describe("given a function that does something", () => {
  for (const [path, statements] of Object.entries(real)) {
    for (const statement of statements) {
      it(`when ${path} holds ${statement}, then it is not empty`, async () => {
        const text = inFunction[path]?.(statement) ?? ""
        assert.isNull(nameOf(await verdicts(path, text)))
        const row = text.split("\n").findIndex((line) => line.includes(statement)) + 1
        assert.isNull((await judged(path, text, row)).empty)
      })
    }
  }
})

/** Names declared without a value in a function that uses them. */
const used: ReadonlyArray<readonly [path: string, declaration: string, use: string]> = [
  ["a.js", "let u;", "u = save(u);"],
  ["a.ts", "let u: string;", "u = save();"],
  ["a.go", "var x int", "x = save()"],
  ["A.java", "int x;", "x = save();"],
  ["a.c", "double v, w;", "save(&w);"],
  ["a.c", "char name[20];", "save(name);"],
  ["a.cpp", "double v;", "save(v);"],
  ["A.cs", "byte x;", "Save(&x);"],
  ["a.kt", "val x: Int", "x = save()"],
  ["a.swift", "let x: Int", "x = save()"],
  ["a.rs", "let y;", "y = save(x);"],
  ["a.sh", "local x", "x=$(save)"]
]

describe("given a name that is declared without a value", () => {
  it.each(used)("when %s uses it, then %s is a part of what is done", async (path, declaration, use) => {
    const text = inFunction[path]?.(`${declaration}\n${use}`) ?? ""
    const row = text.split("\n").findIndex((line) => line.includes(declaration)) + 1
    assert.isNull((await judged(path, text, row)).empty)
    const other = inFunction[path]?.(`${declaration}\nsave()`) ?? ""
    assert.isNotNull((await judged(path, other, row)).empty)
  })
})

/** Bodies in which the line with `save` stands behind the end of its block. */
const dead: ReadonlyArray<readonly [path: string, body: string]> = [
  ["a.js", "return u + 1\nconst v = () => {\n  save(u)\n}"],
  ["a.js", "if (u) {\n  return u\n  save(u)\n}\nreturn 1"],
  ["a.ts", "throw new Refused(u)\nsave(u)"],
  ["a.py", "return x + 1\n    save(x)"],
  ["a.go", "return\nsave(x)"],
  ["A.java", "return;\nsave(x);"],
  ["a.c", "return;\nsave(x);"],
  ["a.cpp", "throw x;\nsave(x);"],
  ["A.cs", "return;\nsave(x);"],
  ["a.kt", "return\nsave(x)"],
  ["a.swift", "return\nsave(x)"],
  ["a.rs", "return;\nsave(x);"],
  ["a.scala", "return\nsave(x)"],
  ["a.rb", "return x + 1\nsave x"],
  ["a.php", "return 1 + $x;\nsave($x);"]
]

const alive: ReadonlyArray<readonly [path: string, body: string]> = [
  ["a.js", "return save(u)\nfunction saveAll(b) {\n  return b + 1\n}"],
  ["a.js", "switch (u) {\ncase 1:\n  return 2\ndefault:\n  save(u)\n}"],
  ["a.js", "if (u) return 1\nsave(u)"],
  ["a.py", "return\n    yield save(x)"],
  ["a.c", "if (x) goto out;\nreturn;\nout:\nsave(x);"],
  ["a.c", "#ifdef A\nreturn;\n#endif\nsave(x);"],
  ["a.rb", "return x if x\nsave x"],
  ["a.kt", "val b = a ?: return\nsave(b)"]
]

describe("given a statement behind the end of its block", () => {
  const lastOf = (text: string) => text.split("\n").findLastIndex((line) => line.includes("save")) + 1

  it.each(dead)("when nothing reaches it in %s: %s, then it is nothing", async (path, body) => {
    const text = inFunction[path]?.(body) ?? ""
    assert.include((await judged(path, text, lastOf(text))).empty ?? "", "do nothing")
  })

  it.each(alive)("when something does in %s: %s, then it is work", async (path, body) => {
    const text = inFunction[path]?.(body) ?? ""
    assert.isNull((await judged(path, text, lastOf(text))).empty)
  })
})
