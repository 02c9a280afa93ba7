import { assert, describe, it } from "@effect/vitest"
import {
  arrowBody,
  isImport,
  isQuiet,
  type Kind,
  kindOfStatement,
  roleOf
} from "../../../packages/plugins/src/policies/evidence/code/statements.ts"
import { languageOf } from "../../../packages/plugins/src/text/languages.ts"
import { scan } from "../../../packages/plugins/src/text/scan.ts"

const kindOf = (path: string, source: string): Kind => {
  const language = languageOf(path, [source])
  const { code, text } = scan(source, language)
  return kindOfStatement(code, text, language)
}

const kinds: ReadonlyArray<readonly [kind: Kind, path: string, ...sources: ReadonlyArray<string>]> = [
  ["stub", "a.js", "...", "…", "undefined", "  undefined ;;", "TODO", "FIXME later", "return todo(1)"],
  ["stub", "a.js", "throw  notImplemented()", "throw new  NotImplementedError (a)", "raise  not_yet_implemented"],
  ["stub", "a.js", "a.b.todo ()", "aa::unimplemented!(1)", "todo!(1)", "Not_Implemented  {", "unimplementedYet ["],
  ["stub", "a.js", "return  notYetImplemented", "throw new Error('not implemented')", "console.log('TODO')"],
  ["stub", "a.unknownlang", "todo", "pass", "discard", "???"],
  [
    "real",
    "a.js",
    "todo",
    "a.unimplementedness.b()",
    "passed",
    "xpass",
    "a TODO",
    "TODOS",
    "x = todo(1)",
    "undefined()"
  ],
  ["real", "a.js", "returntodo(1)", "save(notImplemented)", "use('not implemented')", "throw e.cause"],
  ["failure", "a.js", "throw  new  Error('no')", "throw 'no'", "fail()", "raise", "throw Error ( 'no' )"],
  ["failure", "a.js", "throw new Error('costs $ 5')"],
  ["real", "a.js", `throw new Error(\`no \${a}\`)`, "throw new Error('no #{a}')", "throw new Error('no $a')"],
  ["real", "a.swift", 'fatalError("no \\(a)")'],
  ["nothing", "a.js", "} ;", ") ;", "end", "fi;", "done )", "else :", "</a-b>", "</>", "@a.b", "@a (1)", "_ = aa"],
  ["nothing", "a.js", "'said'", "let a;", "if (false) {}", "5;", "'a' ;"],
  ["nothing", "a.pl", "my ($a, $b) = @_;", "our @EXPORT = qw(a);", "1;"],
  ["nothing", "a.ps1", "[CmdletBinding()]"],
  ["declared", "a.ps1", "param ($a)", "[CmdletBinding()] param([Parameter(Mandatory)][string]$a)"],
  ["real", "a.ps1", "param([string]$a) $a.Trim()", "[int]($a)"],
  ["stub", "a.ps1", "throw [System.NotImplementedException]::new()"],
  ["nothing", "a.hs", "f :: Int -> Int"],
  ["real", "a.js", "ending", "my end", "a</a>", "</a>b", "b@a", "__ = a(1)", "1;2"],
  ["real", "a.c", '"said"'],
  ["null", "a.js", "return", "return;", "null", "return  None", "return (nil), undefined", ":ok", "return ()", "()  ;"],
  [
    "constant",
    "a.js",
    "return true",
    "0",
    "return -1.5",
    "5",
    "return ''",
    "{ } ;",
    "return []",
    "return &[ ]",
    "return nil, false"
  ],
  ["constant", "a.js", "return { }", "[ ]", "return (0), (false)"],
  [
    "real",
    "a.js",
    "return a",
    "return 1, a",
    "return null, a",
    "return []a",
    "return f(0)",
    "return (0)(1)",
    "return 1.5.6"
  ],
  ["null", "a.rb", "return if a", "nil  unless  b", "return nil if a && b"],
  ["stub", "a.rb", "raise NotImplementedError if a"],
  ["real", "a.rb", "0 if a", "save if a", "iffy = 0"],
  ["null", "a.go", "if (a) return nil", "unless(a(b)) return", "else  if  (a) return nil", "when (a) return nil"],
  ["real", "a.go", "if (a) save(b)", "if (a) return 0", "if (a)", "if a", "x; if (a) return nil"]
]

describe("given a statement", () => {
  it.each(kinds.flatMap(([kind, path, ...sources]) => sources.map((source) => [path, source, kind] as const)))(
    "when it is in %s and says %s, then it is %s",
    (path, source, kind) => {
      assert.strictEqual(kindOf(path, source), kind)
    }
  )

  it("when nobody writes so long a one by hand, then it counts as work", () => {
    const said = (length: number) => `${" ".repeat(length - 4)}pass`
    assert.deepStrictEqual(
      [4_000, 4_001].map((length) => kindOf("a.unknownlang", said(length))),
      ["stub", "real"]
    )
  })
})

describe("given a statement that ends with its sign and does nothing", () => {
  const quiet: ReadonlyArray<readonly [path: string, ...statements: ReadonlyArray<string>]> = [
    ["a.js", "let  a;", "var aa", "let a,bb;", "let a  ,  b ;", "let $a , b$", "void  a.b;", "void a$", "void aa  ;"],
    ["a.rs", "let  aa;", "let a: Vec<u8>;", "let a  :  [u8]  ;", "let a:u8;"],
    ["a.py", "if (false)", "while  (  0  )  {  }  ;", "if(0){};", "5;", "0x1.5 ;", "'';", "'\u0001\u0001' ;"]
  ]
  const loud: ReadonlyArray<readonly [path: string, ...statements: ReadonlyArray<string>]> = [
    [
      "a.js",
      "xlet a;",
      "let a; b()",
      "let a = 1;",
      "let a b",
      "letter;",
      "avoid a;",
      "void a; b()",
      "void f()",
      "voided;"
    ],
    ["a.rs", "let a", "xlet a;", "let a: u8; b();", "let a: A = b;", "letter;", "void a;", "let a, b;"],
    [
      "a.py",
      "let a;",
      "void a;",
      "if (false) b()",
      "xif (0)",
      "if (00)",
      "if (0) {} b()",
      "a;",
      "'a';",
      "5;6",
      "'\u0001\";"
    ]
  ]

  it.each(quiet.flatMap(([path, ...all]) => all.map((one) => [path, one] as const)))(
    "when it is in %s and says %s, then it is known",
    (path, statement) => {
      assert.isTrue(isQuiet(statement, languageOf(path, [])))
    }
  )

  it.each(loud.flatMap(([path, ...all]) => all.map((one) => [path, one] as const)))(
    "when one in %s says %s, then it is none",
    (path, statement) => {
      assert.isFalse(isQuiet(statement, languageOf(path, [])))
    }
  )
})

describe("given a statement that brings something in", () => {
  const imports = [
    ["import a", "import (\n", "from a.b import c", "#  include <a>", "# define A", "package a.b", "global using a.b"],
    [
      "use a",
      "extern crate a",
      "namespace A\\B",
      "require 'a'",
      'include_once ( "a")',
      "include Comparable",
      "source a"
    ],
    [
      ". a",
      "alias A.B",
      "module A.B where",
      "module A",
      "open A.B",
      "part of 'a'",
      "library a",
      "declare( strict_types"
    ],
    ["<?php", "?>", "use strict", "@spec f()", "const  a = require('b')", "let {a, b: c}=require  (  'b'  )"],
    [
      "local a$ = require 'b'",
      'var a = @import("b")',
      "const a = @  import('b')".replace("@  ", "@"),
      "import a = require('b')"
    ]
  ].flat()
  const others = [
    [
      "important()",
      "import(a)",
      "fromage",
      "xconst a = require('b')",
      "const a = require('b').c",
      "const a = require(b)"
    ],
    [
      "# define A 1",
      "package(a)",
      "used",
      "sourced",
      "modules A",
      "opened",
      "const a-b = require('c')",
      "const = require('b')"
    ]
  ].flat()

  it("when it says so, then it is known", () => {
    assert.deepStrictEqual(
      [...imports, ...others].filter((one) => isImport(one, one, languageOf("a.js", []))),
      imports
    )
  })
})

describe("given what stands before a block", () => {
  const roles: ReadonlyArray<
    readonly [role: ReturnType<typeof roleOf>, path: string, ...heads: ReadonlyArray<string>]
  > = [
    ["class", "a.js", "class A", "  export default  class A", "object A", "module  M", "Class A", "pub (crate) role R"],
    ["type", "a.ts", "interface A", "export type A", "struct  A", "enum A", "data A"],
    ["control", "a.js", "if (a)", "} else", "for x in y", "", "} catch (e)", "do"],
    [
      "function",
      "a.js",
      "function f()",
      "export async function f()",
      "def f",
      "sub f",
      "f: function (a)",
      "f: function  ()"
    ],
    ["function", "a.js", "f(a)", "get  f ( a )", "A<B> f(a, b) throws E", "f(a): Promise", "f(a) => b", "f(a) :"],
    ["other", "a.js", "a = ", "f(a)(b)", "f(a) + 1", "a.b = {", "functional", "f(function (a)) + 1", "xif"],
    ["other", "a.js", "class = ", "object.a", "object .a", "static", "const guard", "type = ", "data: ", "enum  ,"],
    ["other", "a.go", "f(a)", "A struct", "my class A"],
    ["function", "a.go", "func f()", "f <- function (a)", "x.y = function"]
  ]

  it.each(roles.flatMap(([role, path, ...heads]) => heads.map((head) => [path, head, role] as const)))(
    "when it is in %s and says %s, then it is of a %s",
    (path, head, role) => {
      assert.strictEqual(roleOf(head, languageOf(path, [])), role)
    }
  )
})

describe("given a function on one line", () => {
  const arrows: ReadonlyArray<readonly [code: string, body: string | null]> = [
    ["(a) => b", "b"],
    ["f(a, b): Promise  =>  c(d)", "c(d)"],
    ["const f = (a) => b", null],
    ["int f(int a) => a + 1", "a + 1"],
    ["fun f() = 1", "1"],
    ["@a private  fun f(a)  =  g(a)", "g(a)"],
    ["def f=1", "1"],
    ["func f == 1", null],
    ["def f => 1", null],
    ["a-b fun f = 1", null],
    ["refund = 1", null],
    ["(a)(b) => c", "c"],
    ["a => b", null]
  ]

  it.each(arrows)("when it is %s, then its body is %s", (code, body) => {
    const found = arrowBody(code, code.toUpperCase())
    assert.strictEqual(found?.code ?? null, body)
    assert.strictEqual(found?.text ?? null, body?.toUpperCase() ?? null)
    if (found !== null) assert.strictEqual(found.head + found.code, code)
  })
})
