import { assert, describe, it } from "@effect/vitest"
import { judged, verdicts } from "./support.ts"

/** A function that fails, or gives one value back, whatever it is given; each is cited by the line of `f`. */
const stubs: ReadonlyArray<readonly [what: string, path: string, text: string]> = [
  ["fails in words of its own", "a.ts", "function f(a: unknown) { throw new Error('Remove this line') }\n"],
  ["fails in words of its own", "a.js", "const f = (a) => {\n  throw new Error('Write me');\n};\n"],
  ["fails in words of its own", "a.go", 'package a\nfunc f(a int) int {\n\tpanic("Please write the f function")\n}\n'],
  ["fails in words of its own", "a.rs", 'fn f(a: u8) -> u8 {\n    panic!("your turn")\n}\n'],
  ["fails in words of its own", "a.cpp", 'int f(int a) { throw std::logic_error("your turn"); }\n'],
  ["fails in words of its own", "a.kt", 'fun f(a: Int): Int = error("your turn")\n'],
  ["fails in words of its own", "a.swift", 'func f(a: Int) -> Int { fatalError("your turn") }\n'],
  ["fails in words of its own", "a.scala", 'object A { def f(a: Int): Int = sys.error("your turn") }\n'],
  ["fails in words of its own", "a.rb", "def f(a)\n  raise 'your turn'\nend\n"],
  ["fails in words of its own", "a.php", "<?php\nfunction f($a) { throw new LogicException('your turn'); }\n"],
  ["fails in words of its own", "A.cs", 'class A { int F(int a) => throw new E("your turn"); }\n'],
  ["fails with its own name", "a.php", "<?php\nfunction f($a) { throw new E(sprintf('Write %s', __FUNCTION__)); }\n"],
  ["fails with a constant", "A.java", "class A { int f(int a) { throw new E(Messages.MISSING); } }\n"],
  ["is a plain value", "a.ts", "export const f = (a: string): boolean => true\n"],
  ...[
    "return {} as Ast",
    "return [] as User[]",
    "return { ok: true } as Result<A>",
    "return {} as unknown as Ast;",
    "return [] satisfies Array<User | null>",
    "return Promise.resolve([])",
    "return Promise.resolve({ ok: true } as Result)"
  ].flatMap((body) =>
    ["a.ts", "a.tsx"].map((path) => ["is a plain value", path, `function f(a: string) {\n  ${body}\n}\n`] as const)
  ),
  ["is a plain value", "a.ts", "function f(a: string) {\n  return <User[]>[]\n}\n"],
  ["is a plain value", "a.ts", "const f = (a: string) => [] as User[]\n"],
  ["is a plain value", "a.ts", "const f = (a: string) => ({} as User)\n"],
  ["is a plain value below zero", "a.js", "function f(a, b) {\n  return -1;\n}\n"],
  [
    "is called where something is asked",
    "a.ts",
    "function f(a) { return true }\nfunction g(a) { if (f(a)) { b() } }\n"
  ],
  ["is given away", "a.ts", "function f(a) { return true }\nexport { f }\n"],
  [
    "is called, and what it gives is used",
    "a.py",
    "def f(a):\n    raise E('x')\n\ndef g(a):\n    if a:\n        b(a)\n    return f(a)\n"
  ],
  [
    "is all alone in a type that builds on another",
    "a.ts",
    "class A extends B {\n  f(a) { throw new Error('x') }\n  g(a) { throw new Error('x') }\n}\n"
  ]
]

/** The same with a reason in what is around it. */
const real: ReadonlyArray<readonly [what: string, path: string, text: string]> = [
  ["what it says depends on what it is given", "a.ts", 'function f(a) { throw new Error("no " + a) }\n'],
  ["what it says depends on its object", "a.rb", 'def f(a)\n  raise E, "no #{@name}"\nend\n'],
  ["it is made of what it is given", "a.ts", "function f(a: string) { return { a } as User }\n"],
  ["it is made of what it is given", "a.ts", "function f(a: string) { return [a] as unknown as User[] | B }\n"],
  ["it is made of what it is given", "a.ts", "const f = (a: string) => [a] as User[]\n"],
  ["it is made of what it is given", "a.ts", "function f(a: string) { return Promise.resolve({ a, b: 1 }) }\n"],
  ["it is made of what is around it", "a.ts", "function f(a: string) { return { b } as Ast }\n"],
  ["it passes on an error", "a.ts", "function f(a) { throw a }\n"],
  ["its name says so", "a.ts", "function failWithAdvice(a: string): never { throw new Error('no advice') }\n"],
  ["it overrides", "A.java", 'class A { @Override public int f(int a) { throw new E("read-only"); } }\n'],
  [
    "its type builds on another and does the rest",
    "a.ts",
    "class A extends Map {\n  get(a) { return look(a) }\n  f(a) { throw new Error('read-only') }\n}\n"
  ],
  [
    "its type is what another builds on",
    "a.py",
    "class A:\n    def g(self, a):\n        return a.b\n    def f(self, a):\n        raise TypeError('no list')\nclass B(A):\n    x = 1\n"
  ],
  [
    "its type is there to fail",
    "a.py",
    "class BrokenSetupFailure:\n    x = 1\n    def f(self, a):\n        raise E('x')\n"
  ],
  ["its file is for one platform", "a.go", "//go:build !linux\n\npackage a\n\nfunc f(a int) bool { return false }\n"],
  ["what it is given has no name", "a.go", "package a\nfunc f(*T, int) bool { return false }\n"],
  ["it is passed on", "a.c", "static int f(int a) { return -1; }\nstruct t x = { .g = f };\n"],
  ["its type is a null object", "a.php", "<?php\nclass NullA implements A { function f($a) { return 0; } }\n"],
  ["it fails in some cases only", "a.ts", "function f(a) {\n  if (a) throw new Error('x')\n}\n"],
  ["it forbids to make such objects", "a.py", "class A(B):\n    def __init__(self):\n        raise TypeError('no')\n"],
  [
    "it names what it is given as unused",
    "a.rs",
    "impl D for S {\n    fn f(&self, _a: &A) -> R { unreachable!() }\n}\n"
  ],
  [
    "it is what is done when something is wrong",
    "a.py",
    "def f():\n    raise E('x')\n\ndef g(a):\n    if a is None:\n        f()\n    return a\n"
  ],
  [
    "another of its name does it",
    "A.java",
    'class A { int f(int a) { return g(a); }\n String f(String a) { return "text"; } }\n'
  ],
  ["it is given nothing", "a.ts", "export const f = (): boolean => true\n"],
  ["it is given its own object alone", "a.py", "class A:\n    x = 1\n    def f(self):\n        return 3\n"],
  ["what it is given has no name", "a.cpp", "int f(std::false_type) { return 0; }\n"],
  ["its object has no name", "a.go", "package a\nfunc (*T) f(p []byte) (int, error) { return 0, nil }\n"],
  ["the value is put together", "a.ts", "function f(a) { return [a, 1] }\n"],
  ["a comment far above it says something", "a.ts", "// TODO: docs\n\nconst f = (): number => 1\n"]
]

const lineOf = (text: string): number =>
  text.split("\n").findIndex((line) => /(?<![\w$])(?:f|F|failWithAdvice|__init__)(?:\(| =)/.test(line)) + 1

describe("given a function that always does the same", () => {
  it.each(stubs)("when it %s (%s), then it is empty", async (_, path, text) => {
    assert.match((await judged(path, text, lineOf(text))).empty ?? "", /whatever it is given/)
  })

  it.each(real)("when %s (%s), then it is none", async (_, path, text) => {
    assert.isNull((await judged(path, text, lineOf(text))).empty)
  })
})

describe("given a plain value with open work beside it", () => {
  it.each([
    ["before it", "a.ts", "// TODO: count\nconst f = (): number => -1\n"],
    ["behind it", "a.tsx", "const f = () => { return 0 } // FIXME\n"],
    ["behind it", "a.js", "function f() { return null } // TODO\n"],
    ["behind it", "a.scala", "object A {\n  def f: Int = 0 // TODO\n}\n"]
  ])("when the mark stands %s (%s), then it is empty", async (_, path, text) => {
    assert.isNotNull((await judged(path, text, lineOf(text.replace("f:", "f =")))).empty)
  })

  it("when the mark stands behind the line before, then it is none", async () => {
    const text = "const g = (): number => 2 // TODO\nconst f = (): number => 1\n"
    assert.deepStrictEqual(
      Object.values(await verdicts("a.ts", text)).map((why) => why === null),
      [false, true]
    )
  })
})

describe("given a function that gives back what it is given", () => {
  const mark = "TODO: implement"
  const marked: ReadonlyArray<readonly [path: string, text: string]> = [
    ["a.js", `function f(cents) {\n  // ${mark}\n  return cents\n}\n`],
    ["a.ts", `// ${mark}\nexport const f = (cents: number) => cents as Money\n`],
    [
      "a.ts",
      `// ${mark}\n// with two digits\n@a()\nexport class B { @c() f(cents: A) { /* not implemented yet */ return cents } }\n`
    ],
    ["a.tsx", `const f = (a: A) => { return Promise.resolve(a) } // FIXME\n`],
    ["a.py", `def f(cents):\n    """${mark}"""\n    return cents\n`],
    ["a.py", `# not implemented yet\n@cache\ndef f(cents):\n    return (cents)\n`],
    ["a.rb", `def f(cents)\n  # ${mark}\n  cents\nend\n`],
    ["a.go", `package a\nfunc f(cents int) (int, error) {\n\t// ${mark}\n\treturn cents, nil\n}\n`],
    ["a.rs", `fn f(cents: &str) -> Result<String, E> {\n    // ${mark}\n    Ok(cents.to_string())\n}\n`],
    ["A.java", `class A {\n  int f(int cents) {\n    // ${mark}\n    return cents;\n  }\n}\n`],
    ["a.c", `int f(int cents) {\n  /* ${mark} */\n  return cents;\n}\n`],
    ["a.cpp", `int f(int cents) {\n  // ${mark}\n  return cents;\n}\n`],
    ["a.cs", `class A {\n  // ${mark}\n  int f(int cents) => cents;\n}\n`],
    ["a.php", `<?php\nfunction f($cents) {\n  // ${mark}\n  return $cents;\n}\n`],
    ["a.kt", `fun f(cents: Int) = cents // ${mark}\n`],
    ["a.swift", `func f(_ cents: Int) -> Int {\n  // ${mark}\n  cents\n}\n`],
    ["a.scala", `object A {\n  def f(cents: Int): Int = {\n    // ${mark}\n    cents\n  }\n}\n`],
    ["a.sh", `f() {\n  # ${mark}\n  printf '%s\\n' "$1"\n}\n`]
  ]

  it.each(marked)("when a comment says that it is not done (%s), then it is empty", async (path, text) => {
    assert.include((await judged(path, text, lineOf(text))).empty ?? "", "only gives back what it is given")
  })

  it.each([
    ["no comment says so", "a.js", "function f(cents) {\n  // as it is\n  return cents\n}\n"],
    ["it is given nothing that it uses", "a.rb", "class A\n  def f(_by)\n    self # dummy\n  end\nend\n"],
    ["it gives back something else", "a.js", "function f(cents) {\n  // TODO: cache\n  return rates\n}\n"],
    ["it does something with it", "a.py", "def f(cents):\n    # TODO: round\n    return cents * 2\n"],
    ["it does something before", "a.js", "function f(a) {\n  // TODO: cache\n  check(a)\n  return a\n}\n"],
    ["the comment is of what stands before", "a.js", "// TODO: move\nconst b = 1 // one\nconst f = (a) => a\n"]
  ])("when %s (%s), then it is none", async (_, path, text) => {
    assert.isNull((await judged(path, text, lineOf(text))).empty)
  })
})

describe("given a namespace", () => {
  it("when nothing is in it, then it is empty, and so is its file", async () => {
    const text = '#include "a.h"\n\nnamespace a {\n\n}  // namespace a\n'
    assert.include((await judged("a.cpp", text, [1, 5])).empty ?? "", "holds nothing")
    assert.include((await judged("a.ts", "export namespace a {\n  // later\n}\n", 1)).empty ?? "", "holds nothing")
  })

  it("when something is in it, then that stands for itself", async () => {
    assert.isNull((await judged("a.cpp", "namespace a {\nint f(int b) { return b; }\n}\n", [1, 3])).empty)
  })
})
