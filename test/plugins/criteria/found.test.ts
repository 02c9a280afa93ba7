import { assert, describe, it } from "@effect/vitest"
import { commentsOf, remarksOf } from "../../../packages/plugins/src/policies/criteria/comments.ts"
import { at } from "../../../packages/plugins/src/policies/criteria/file.ts"
import { omissionsIn } from "../../../packages/plugins/src/policies/criteria/omission.ts"
import { todosIn } from "../../../packages/plugins/src/policies/criteria/todo.ts"
import { outlined } from "../tree-sitter/support.ts"
import { fileOf, linesWith } from "./files.ts"

describe("a comment by itself", () => {
  it.each([
    "...",
    "....",
    "…",
    "……",
    "[...]",
    "( ... )",
    "{…}",
    "<...>",
    "[ ... ] ",
    "... rest of the code",
    "[... rest of the document ...]",
    "... remaining code",
    "…existing methods here",
    "... other functions",
    "... same as before",
    "... unchanged",
    "... no changes",
    "... omitted",
    "... snip",
    "... truncated.",
    "... etc.",
    "... and so on",
    "... the rest is unchanged",
    "... unchanged for brevity",
    "... rest",
    "rest of the code ...",
    "remaining code…",
    "existing code goes here",
    "rest of the file remains unchanged",
    "The rest of your class stays the same",
    "omitted for brevity",
    "error handling left out for clarity",
    "以下省略",
    "(...",
    "此处省略",
    "(省略)",
    "【中略】",
    "[ 省略 ]",
    "中略",
    "後略。",
    "残りのコードは省略",
    "残りの処理そのまま",
    "既存の処理はそのまま",
    "既存コードが続く",
    "...省略",
    "… 残りはそのまま",
    "其余代码不变",
    "剩余的部分保持不变",
    "rest of the file",
    "the existing implementation",
    "implementation omitted",
    "code not shown here",
    "your code here",
    "put your logic here",
    "省略",
    "ここに処理を書く",
    "ここに実装を書く"
  ])("given %j, then it stands for something left out", (said) => {
    assert.deepStrictEqual(linesWith(omissionsIn(fileOf("a.ts", `a()\n// ${said}\nb()\n`))), [2])
  })

  it.each([
    "..",
    "...a",
    "a...",
    "以下略です",
    "It waits for the rest...",
    "the rest of the arguments is passed on",
    "existing users keep their settings",
    "the rest of the code is tested elsewhere",
    "引数は省略可能",
    "以下省略可",
    "此处省略時",
    "残りのコードを数える",
    "既存の処理を呼ぶ",
    "省略しない",
    "remaining requests",
    "... then it goes on",
    "(see below)",
    "it was left out",
    "お願い",
    "其余代码",
    "前の中略",
    "ここに置く",
    "ここに",
    "...とする"
  ])("given %j, then it says something", (said) => {
    assert.deepStrictEqual(linesWith(omissionsIn(fileOf("a.ts", `a()\n// ${said}\nb()\n`))), [])
  })
})

describe("what stands for something left out", () => {
  it.each<readonly [string, string, string, ReadonlyArray<number>]>([
    ["behind code, in unmistakable words", "a.ts", "const a = 1 // ... rest of the code\n", [1]],
    ["behind code, in words that may mean it", "a.ts", "const a = 1 // rest of the file\n", []],
    ["behind code, dots", "a.ts", "const a = 1 // ...\n", []],
    ["between brackets, dots", "a.ts", "function f() { /* ... */ }\n", [1]],
    ["between other brackets, dots", "a.ts", "f(x /* ... */)\n", []],
    ["beside nothing but brackets", "a.tsx", "  {/* ... */}\n", [1]],
    ["dots in a run of comments", "a.ts", "// a\n// ...\nb()\n", []],
    ["dots in front of a comment", "a.ts", "// ...\n// a\nb()\n", []],
    ["dots behind a comment that stands beside code", "a.ts", "a() // a\n// ...\nb()\n", [2]],
    ["words in a run of comments", "a.ts", "// a\n// ... rest of the code\nb()\n", [2]],
    ["words in a comment of several lines", "a.ts", "/*\n * ... rest of the code\n * b\n */\n", []],
    ["words alone in one", "a.ts", "/*\n * ... rest of the code\n */\n", [2]],
    ["words alone in documentation", "a.ts", "/**\n * ... rest of the code\n */\n", [2]],
    ["words in documentation", "a.rs", "/// ... rest of the code\nfn a() {}\n", [1]],
    ["words in documentation of several lines", "a.rs", "/// a\n/// ... rest of the code\nfn a() {}\n", []],
    ["dots alone, where nothing says otherwise", "a.css", "a {\n...\n}\n", [2]],
    ["dots alone, in a language of which nobody knows", "a.vue", "...\n", []],
    ["dots and words outside of comments", "a.css", "... rest of the styles\n", [1]],
    ["an ellipsis and words", "a.css", "…rest of the styles\n", [1]],
    ["words in brackets", "a.css", "[rest of the code]\n", [1]],
    ["words in brackets that are code", "a.css", "[rest of the code];\n", []],
    ["an assignment", "a.css", "... rest = of the code\n", []],
    ["Japanese alone", "a.css", "（以下省略）\n", [1]],
    ["Japanese with dots", "a.css", "中略...\n", [1]],
    ["Japanese in a text", "a.css", "中略する\n", []],
    ["words without dots or brackets", "a.css", "rest of the code\n", []],
    ["words in prose", "a.md", "a\n[rest of file]\n... rest of the code\n", [2, 3]],
    ["words in prose in a comment", "a.md", "<!-- rest of the page unchanged -->\n<!-- a page -->\n", [1]],
    ["words in a fence", "a.md", "```js\n[rest of file]\n```\n[rest of file]\n", [4]],
    ["words in a longer fence", "a.md", "~~~~\n~~~\n[rest of file]\n~~~~~\n[rest of file]\n", [5]],
    ["words in a fence that another sign does not close", "a.md", "```\n~~~\n```js\n[rest of file]\n", []],
    ["words in a table", "a.md", "`x` [rest of file]\n", []]
  ])("given it %s", (_, path, text, lines) => {
    assert.deepStrictEqual(linesWith(omissionsIn(fileOf(path, text))), lines)
  })

  it("given lines that were not changed, then they are nobody's, and others are told in their order, shortened", () => {
    const text = "// ... rest of the code\na()\n// ... unchanged\n"
    assert.deepStrictEqual(linesWith(omissionsIn(fileOf("a.ts", text, [2]))), [3])
    assert.deepStrictEqual(omissionsIn(fileOf("a.ts", text)), [
      { path: "a.ts", line: 1, text: "// ... rest of the code" },
      { path: "a.ts", line: 3, text: "// ... unchanged" }
    ])
    assert.deepStrictEqual(at("a.ts", 4, `\t a \t b ${"c".repeat(200)} `), {
      path: "a.ts",
      line: 5,
      text: `a b ${"c".repeat(115)}…`
    })
    assert.strictEqual(at("a.ts", 0, "x".repeat(120)).text, "x".repeat(120))
  })

  it.each<readonly [string, string, ReadonlyArray<number>]>([
    ["a.py", "def f():\n    ...\n", []],
    ["a.py", "x = (\n...\n…\n", [3]],
    ["a.ts", "a()\n...\nb()\n", [2]],
    ["a.ts", "a()\n…\nb()\n", [2]],
    ["a.tsx", "const a = <b>\n…\n</b>\n", []],
    ["a.ts", "const a = `\n...\n`\nconst b = `x\n... rest of the code\n`\n", []],
    ["a.sh", "a\n...\n", [2]]
  ])("given the grammar of %s in %j", async (path, text, lines) => {
    assert.deepStrictEqual(linesWith(omissionsIn(fileOf(path, text, null, await outlined(path, text)))), lines)
  })
})

describe("a mark of what is left to do", () => {
  it.each([
    "TODO",
    "TODO: x",
    "TODO!",
    "TODO(ann) x",
    "TODO - x",
    "TODO... x",
    "- [ ] TODO x",
    "FIXME x",
    "XXX",
    "TBD",
    "HACK: x",
    "Works for one. TODO x",
    "works for one (TODO)",
    "Empty; FIXME(ann): x",
    "empty - TODO x",
    "see TODO: x",
    "@todo x",
    "@FIXME x",
    "* @todo x",
    "todo: implement x",
    "fixme(ann): handle x",
    "to-do: write x",
    "Todo : add",
    "未実装",
    "未実装です",
    "これは未実装。",
    "(未実装)",
    "後で実装",
    "あとで書く",
    "のちほど対応する",
    "要実装",
    "実装予定です",
    "It's done. TODO it's not",
    "“a” TODO: x"
  ])("given %j in a comment, then it is one", (said) => {
    assert.deepStrictEqual(linesWith(todosIn(fileOf("a.ts", `a()\n// ${said}\n`))), [2])
  })

  it.each([
    "`TODO: x`",
    '"TODO: x"',
    "“TODO: x”",
    "「TODO: x」",
    "'TODO: x'",
    "TODO items are kept",
    "TODOs",
    "TODO's",
    "a TODO list",
    "TODO, FIXME",
    "TODO/FIXME",
    "TODO_LIST",
    "TODO-1",
    "the TODO",
    "XXX-XXX",
    "todo: The item",
    "todos: add",
    "todo add",
    "a todo: add",
    "@todos",
    "x@todo y",
    "@todolist",
    "未実装の場合",
    "未実装を探す",
    "後で読む",
    "機能の要実装",
    "a TODO: and FIXME",
    "TODOX: x"
  ])("given %j in a comment, then it is spoken of", (said) => {
    assert.deepStrictEqual(linesWith(todosIn(fileOf("a.ts", `a()\n// ${said}\n`))), [])
  })

  it.each([
    ["a.md", "<!-- TODO: x -->\n", []],
    ["a.HTML", "<!-- TODO: x -->\n", []],
    ["a.markdown", "<!-- TODO: x -->\n", []],
    ["a.xhtml", "<!-- TODO: x -->\n", []],
    ["a.vue", "<!-- TODO: x -->\n", [1]],
    ["a.ts", "/* todo: implement x */\n", []],
    ["a.json", "// TODO: x\n", []],
    ["a.ts", "TODO: x\n", []]
  ])("given %s with %j", (path, text, lines) => {
    assert.deepStrictEqual(linesWith(todosIn(fileOf(path, text))), lines)
    assert.deepStrictEqual(todosIn(fileOf(path, text, [])), [])
  })
})

describe("what comments say", () => {
  it.each<readonly [string, string, ReadonlyArray<string>]>([
    ["a.ts", "// a\n/// b\n//! c\n/* d */\n/*! e */\n/** f **/\n", ["a", "b", "c", "d", "e", "f"]],
    ["a.ts", "/*\n * a\n *\n ** b\n */\n", ["a", "b"]],
    ["a.sql", "-- a\n--- b\n/* c */\n", ["a", "b", "c"]],
    ["a.py", "# a\n## b\n#! c\n#| d\n", ["a", "b", "c", "d"]],
    ["a.html", "<!-- a -->\n<!--- b --->\n", ["a", "b"]],
    ["a.lua", "--[[ a ]]\n-- b\n", ["a", "b"]],
    ["a.hs", "{- a -}\n{-| b -}\n", ["a", "b"]],
    ["a.clj", "; a\n;; b\n", ["a", "b"]],
    ["a.tex", "% a\n%% b\n", ["a", "b"]]
  ])("given %s in %j", (path, text, said) => {
    assert.deepStrictEqual(
      remarksOf(fileOf(path, text))?.map((remark) => remark.text),
      said
    )
  })

  it("given files in which there are none, or of which nobody knows, then nothing is said", () => {
    for (const path of ["a.json", "a.JSONL", "a.ndjson", "a.txt"]) assert.isNull(commentsOf(fileOf(path, "// a\n")))
  })

  it("given where they stand, then that is known of each", () => {
    const text = "// a\n// b\n\nf() // c\n/* d\n e */\n{ /* g */ }\n"
    assert.deepStrictEqual(
      remarksOf(fileOf("a.ts", text))?.map((one) => [
        one.text,
        one.row,
        one.isAlone,
        one.isHeld,
        one.isWhole,
        one.isInRun,
        one.isLineComment
      ]),
      [
        ["a", 0, true, false, true, true, true],
        ["b", 1, true, false, true, true, true],
        ["c", 3, false, false, true, true, true],
        ["d", 4, true, false, false, true, false],
        ["e", 5, true, false, false, true, false],
        ["g", 6, true, true, true, true, false]
      ]
    )
  })

  it.each<readonly [string, string, ReadonlyArray<string>]>([
    [
      "a.ts",
      "/// a\n\n//// b\n\n//! c\n\n// d\n\nx() // d ///! e\n",
      ["a doc line", "b line", "c doc line", "d line", "d ///! e line"]
    ],
    ["a.ts", "/** a */\n/**\n * b\n */\n/*! c\n */\n/* d\n */\n/* // e */", ["a", "b doc", "c doc", "d", "// e"]],
    ["a.r", "#' a\n# b\n", ["' a doc line", "b line"]],
    ["a.lua", "--- a\n--[[ b ]]\n-- --[[ c\n", ["a doc line", "b", "--[[ c line"]],
    ["a.py", 'def f():\n    """a\n\n    b"""\n    # c\n', ["a doc", "b doc", "c line"]],
    ["a.py", "def f():\n    r'''a\n    b'''\n", ["a doc", "b doc"]],
    [
      "a.ts",
      "f({/* a */})\nif (x) { y() /* b */ }\nif (x) { /* c */ y() }\nf({ /* d */  }, {})\n",
      ["a held", "b", "c", "d held"]
    ]
  ])("given documentation and what is between brackets in %s, %j, then it is known", async (path, text, said) => {
    const outline = await outlined(path, text).catch(() => null)
    assert.deepStrictEqual(
      remarksOf(fileOf(path, text, null, outline))?.map((one) =>
        [one.text, one.isDocumentation && "doc", one.isLineComment && "line", one.isHeld && "held"]
          .filter((part) => part !== false)
          .join(" ")
      ),
      said
    )
  })
})
