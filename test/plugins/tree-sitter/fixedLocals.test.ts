import { assert, describe, it } from "@effect/vitest"
import { judged } from "./support.ts"

const cases: ReadonlyArray<readonly [path: string, text: string, isNothing: boolean]> = [
  ["a.ts", "function f(a) {\n  const result = 0\n  return result\n}\n", true],
  ["a.ts", "function f(a: A): B[] {\n  const rows: B[] = [];\n  return rows;\n}\n", true],
  ["a.py", "def f(a):\n    result = {}\n    return result\n", true],
  ["a.py", "def f(a):\n    lang = 'en'\n    return lang\n", true],
  ["a.go", "package a\nfunc f(a int) (bool, error) {\n\tok := false\n\treturn ok, nil\n}\n", true],
  ["a.go", "package a\nfunc f(a int) ([]Row, error) {\n\tvar rows []Row\n\treturn rows, nil\n}\n", true],
  ["a.rs", "fn f(a: u8) -> u32 {\n    let sum = 0u32;\n    sum\n}\n", true],
  ["a.rs", "fn f(a: u8) -> Result<u32, E> {\n    let mut sum = 0u32;\n    Ok(sum)\n}\n", true],
  ["A.cs", "class A { double F(Order p) {\n  var d = 0.0;\n  return d;\n} }\n", true],
  ["A.java", "class A { int f(Path p) {\n  int count = 0;\n  return count;\n} }\n", true],
  ["A.java", "class A { List<String> f(Path p) {\n  List<String> a = new ArrayList<>();\n  return a;\n} }\n", true],
  ["a.kt", "fun f(a: Int): Int {\n    val n = 0\n    return n\n}\n", true],
  ["a.php", "<?php\nfunction f($a) {\n    $r = [];\n    return $r;\n}\n", true],
  ["a.rb", "def f(a)\n  r = []\n  r\nend\n", true],
  ["a.swift", "func f(a: Int) -> Int {\n    let n = 0\n    return n\n}\n", true],
  ["a.scala", "object A { def f(a: Int): Int = {\n  val n = 0\n  n\n} }\n", true],
  ["a.cpp", "int f(int a) {\n  int n = 0;\n  return n;\n}\n", true],
  ["a.c", "int f(int a) {\n  int n = 0;\n  return n;\n}\n", true],
  ["a.ts", "function f() {\n  const result = 0\n  return result\n}\n", false],
  ["a.ts", "function f(a) {\n  let n = 0\n  for (const b of a) n += b\n  return n\n}\n", false],
  ["a.ts", "function f(a) {\n  const n = a.length\n  return n\n}\n", false],
  ["a.py", "def f(a):\n    n = 0\n    n += a\n    return n\n", false],
  ["a.py", "def f(a):\n    n = len(a)\n    return n\n", false],
  ["a.go", "package a\nfunc f(a int) int {\n\tvar n int\n\tn = a\n\treturn n\n}\n", false],
  ["a.rs", "fn f(a: u8) -> u8 {\n    let b = a;\n    b\n}\n", false],
  ["a.ts", "function f(a) {\n  const b = make(a)\n  return b\n}\n", false],
  ["a.py", "def f(a):\n    b = make(a.b)\n    return b\n", false],
  ["a.go", "package a\nfunc f(a int) map[string]int {\n\tm := make(map[string]int)\n\treturn m\n}\n", true],
  ["a.ts", "@Module({ controllers: [A] })\nexport class B {}\n", false],
  ["a.ts", '@Component({ selector: "a" })\nclass B {}\n', false],
  ["a.ts", "export class B {}\n", true],
  ["a.ts", "@Module({})\nexport class B {}\n", true]
]

describe("given code that keeps fixed values and gives one of them back, or is led by a decorator alone", () => {
  it.each(cases)("when it is in %s (%j), then it is nothing: %s", async (path, text, isNothing) => {
    assert.strictEqual((await judged(path, text, /\.(?:go|php)$/.test(path) ? 2 : 1)).empty !== null, isNothing)
  })
})
