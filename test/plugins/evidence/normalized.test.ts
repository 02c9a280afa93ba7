import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { normalized } from "../../../packages/plugins/src/policies/evidence/code/normalized.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"
import { often } from "../../often.ts"
import { outlined } from "../tree-sitter/support.ts"

/** The lines that hold something, in a language with a grammar. */
const told = async (path: string, text: string): Promise<ReadonlyArray<string>> =>
  normalized(path, splitLines(text), await outlined(path, text)).filter((line) => line !== "")

const plain = (path: string, text: string): ReadonlyArray<string> =>
  normalized(path, splitLines(text), null).filter((line) => line !== "")

/** Pairs that differ in blanks, line ends and comments alone. */
const same: ReadonlyArray<readonly [path: string, text: string, other: string]> = [
  ["a.js", "const a=b+1\n", "const  a = b + 1 // one more\r\n"],
  ["a.js", "f(a,b)\n", "/* call it\n   twice */\n\n\tf( a, b )\n"],
  ["a.js", "x=-1\n", "x = -1\n"],
  ["a.js", "f(a)\n", "\u200bf(\u200da)\u2060\n"],
  ["a.js", "const s = '// no comment'\n", "const s   = '// no comment' /* but this */\n"],
  ["a.ts", "const s = `a // b\n  /* c */`\n", "const s=`a // b\n  /* c */` // d\n"],
  ["a.js", "const r = /\\/\\/ x/\n", "const r=/\\/\\/ x/ // y\n"],
  ["a.py", 'def f(a):\n    """Says it."""\n    return a + 1\n', "def f( a ):\n  # says it\n\n  return a+1\n"],
  ["a.py", "if a:\n    if b:\n        c()\n    d()\n", "if a:\n\tif b:\n\t\tc()\n\td()\n"],
  ["a.py", "f(a,\n  b)\n", "f(a,\n         b)  # both\n"],
  ["a.py", "s = '''\n  # kept\n'''\n", "s='''\n  # kept\n''' # gone\n"],
  ["a.go", 'func f() string { return "//" }\n', 'func f() string {return "//"} // s\n'],
  ["a.rb", "def f\n  'a # b'\nend\n", "def f # c\n    'a # b'\nend\n"],
  ["a.sh", 'echo "# a"\n', 'echo   "# a" # b\n'],
  ["a.rs", "/* a /* b */ c */ fn f() {}\n", "fn f(){}\n"],
  ["a.php", "<?php\n$a = '# x';\n", "<?php\n$a='# x'; # y\n"]
]

const different: ReadonlyArray<readonly [path: string, text: string, other: string]> = [
  ["a.js", "const s = 'a b'\n", "const s = 'a  b'\n"],
  ["a.js", "f(a)\n", "f(b)\n"],
  ["a.js", "const s = 'a'\n", "const s = '\u200ba'\n"],
  ["a.ts", "const s = `a\n  b`\n", "const s = `a\n    b`\n"],
  ["a.ts", "const s = `a\n\nb`\n", "const s = `a\nb`\n"],
  ["a.py", "if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n"],
  ["a.js", "s = '// a'\n", "s = '// b'\n"]
]

describe("given two versions of a file", () => {
  it.each(same)(
    "when %s differs in blanks, line ends and comments alone, then it is the same: %s",
    async (path, text, other) => {
      assert.deepStrictEqual(await told(path, text), await told(path, other))
    }
  )

  it.each(different)("when %s differs in more, then it is not: %s", async (path, text, other) => {
    assert.notDeepEqual(await told(path, text), await told(path, other))
  })

  it("when there is no grammar for it, then comments do not count where its name says how they are written", () => {
    assert.deepStrictEqual(plain("a.yml", "a: 1 # one\n"), plain("a.yml", "a: 1\n"))
    assert.deepStrictEqual(plain("a.sql", "select 1; -- one\n"), plain("a.sql", "select 1;\n"))
    assert.deepStrictEqual(plain("a.css", "a { color: red; } /* one */\n"), plain("a.css", "a { color: red; }\n"))
    assert.notDeepEqual(plain("a.yml", 'a: "#fff"\n'), plain("a.yml", 'a: "#000"\n'))
    assert.notDeepEqual(plain("a.css", "a { color: #fff }\n"), plain("a.css", "a { color: #000 }\n"))
    assert.notDeepEqual(plain("a.yml", "a: http://b#c\n"), plain("a.yml", "a: http://b#d\n"))
    assert.notDeepEqual(plain("a.json", '{"a": "//b"}\n'), plain("a.json", '{"a": "//c"}\n'))
  })

  it("when there is no grammar for it, then blanks are one, and comments of nobody knows which kind count", () => {
    assert.deepStrictEqual(plain("a.txt", "a  b\t c\r\n"), plain("a.txt", "  a b c\n\n"))
    assert.notDeepEqual(plain("a.txt", "a # b\n"), plain("a.txt", "a\n"))
  })

  it("when it is YAML, then the depth of a line counts in levels", () => {
    assert.deepStrictEqual(plain("a.yml", "a:\n  b:\n    c: 1\n"), plain("a.yml", "a:\n    b:\n        c:   1\n"))
    assert.notDeepEqual(plain("a.yml", "a:\n  b:\n  c: 1\n"), plain("a.yml", "a:\n  b:\n    c: 1\n"))
  })
})

/** Text in pieces between which blanks mean nothing. */
const programs: Readonly<
  Record<string, { readonly lines: ReadonlyArray<ReadonlyArray<string>>; readonly comment: string }>
> = {
  "a.ts": {
    lines: [
      ["export", "const", "f", "=", "(", "a", ":", "string", ")", "=>", "{"],
      ["const", "s", "=", "`x  // a`", ";"],
      ["if", "(", "a", "===", "'/* no */'", ")", "return", "-", "1", ";"],
      ["return", "s", ".", "length", "+", "1", ";"],
      ["}"]
    ],
    comment: "// 'said'"
  },
  "a.java": {
    lines: [
      ["class", "A", "{"],
      ["int", "f", "(", "int", "a", ")", "{", "return", "a", "+", "1", ";", "}"],
      ["String", "s", "=", '"// \\" /*"', ";"],
      ["}"]
    ],
    comment: '/* "said" */'
  },
  "a.go": {
    lines: [
      ["package", "a"],
      ["var", "s", "=", "`a  // b`"],
      ["func", "f", "(", ")", "{", "g", "(", "s", ")", "}"]
    ],
    comment: "// `said"
  }
}

const layouts = Arbitrary.schema(Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))))

describe("given a program that is laid out anew", () => {
  for (const [path, { comment, lines }] of Object.entries(programs)) {
    it.effect.prop(
      `when blanks, line ends and comments of ${path} are others, then it is the same`,
      [layouts],
      ([picks]) =>
        Effect.promise(async () => {
          let at = 0
          const pick = () => picks[at++ % Math.max(1, picks.length)] ?? 1
          const end = () => (pick() > 5 ? "\r\n" : "\n")
          const blank = () => [" ", "  ", "\t", " \t "][pick() % 4] ?? " "
          const laid = lines
            .map((line) => {
              const above = pick() > 7 ? `${comment}${end()}${end()}` : ""
              const behind = pick() > 6 ? ` ${comment}` : ""
              return `${above}${pick() > 4 ? blank() : ""}${line.join("").length > 0 ? line.map((piece, i) => (i === 0 ? piece : blank() + piece)).join("") : ""}${behind}${end()}`
            })
            .join("")
          assert.deepStrictEqual(
            await told(path, laid),
            await told(path, `${lines.map((line) => line.join(" ")).join("\n")}\n`)
          )
        }),
      { arbitrary: { runs: often(60) } }
    )
  }
})
