import { assert, describe, it } from "@effect/vitest"
import { findingOf } from "../../../packages/plugins/src/policies/evidence/code/range.ts"
import { substantial } from "../../../packages/plugins/src/policies/evidence/code/substance.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"
import { outlined } from "../tree-sitter/support.ts"

/** The lines of a text that hold something of their own, as text. */
const kept = async (path: string, text: string): Promise<ReadonlyArray<string>> => {
  const lines = splitLines(text)
  const outline = await outlined(path, text).catch(() => null)
  return substantial(path, lines, outline, [...lines.keys()]).map((row) => lines[row]?.trim() ?? "")
}

const files: ReadonlyArray<readonly [path: string, text: string, kept: ReadonlyArray<string>]> = [
  [
    "a.js",
    "'use strict'\nimport { b } from './b.js'\n\n// says hello\nfunction f(a) {\n  let u;\n  'f';\n  if (a) {\n    b()\n  }\n  else {\n    c() // c\n  }\n  void 0;\n  ;\n}\n",
    ["function f(a) {", "if (a) {", "b()", "c() // c"]
  ],
  ["a.js", "if (false) {\n  save()\n}\nrun()\n", ["run()"]],
  [
    "a.py",
    'import os\n\ndef f(a):\n    """Says it.\n\n    Twice."""\n    if a:\n        pass\n    else:\n        return 1\n',
    ["def f(a):", "if a:", "return 1"]
  ],
  ["a.ts", "const s = `a\n\n  b\n}`\n", ["const s = `a", "", "b", "}`"]],
  ["a.rb", "def f\n  begin\n    g\n  ensure\n    h\n  end\nend\n", ["def f", "g", "h"]],
  ["a.sh", "if a; then\n  b\nelse\n  c\nfi\n", ["if a; then", "b", "c"]],
  [
    "a.md",
    "# Title\n\nSome text.\n\n- [x] Done\n- [ ] Open\n---\n```js\n# no heading\n```\n",
    ["Some text.", "- [ ] Open", "# no heading"]
  ],
  ["a.md", "---\ntitle: a\n\n---\nText\n...\n", ["title: a", "Text"]],
  ["a.md", "a\n---\ntitle: a\n---\n", ["title: a"]],
  ["a.md", "--- \n# a\n\n... \n# b\nText\n", ["# a", "Text"]],
  ["a.md", "---\n# a ---\n# b\n---\n", ["# a ---", "# b"]],
  ["a.md", "---\n--- a\n# b\n---\n", ["--- a", "# b"]],
  ["a.md", "a\n---\n# b\n---\n", []],
  ["a.md", "\n10. a\n---\n\na - b\n---\n", ["10. a"]],
  ["a.md", "Title\n===\nText\n\n  More  \n   --\nb\n", ["Text", "b"]],
  ["a.md", "Text\nTitle\n---\n\n- item\n---\n\n| a |\n--\n", ["Text", "Title", "- item", "| a |"]],
  ["a.md", "Title\n    ===\n\nTitle\n== b\n\nTitle\n-\n", ["Title", "Title", "== b", "Title"]],
  ["a.md", "````\n```\n# a\n\n````js\n````\n# b\n", ["```", "# a", "````js"]],
  ["a.md", "~~~ js\n```\n~~~~\nb\n~~\n", ["```", "b"]],
  ["a.md", "> ## a\n> b\n1. [x] c\n#d\n#\n👍\n", ["> b", "#d", "👍"]],
  ["a.mdown", "# a\nb\n", ["b"]],
  ["a.md.txt", "# a\nb\n", ["# a", "b"]],
  ["a.json", '{\n  "a": 1\n}\n', ['"a": 1']],
  ["a.yml", "# a\na: 1\n", ["a: 1"]],
  ["a.txt", "one\n\n---\n2\n", ["one", "2"]],
  ["a.html", "<ul>\n<li>a</li>\n</ul>\n", ["<ul>", "<li>a</li>"]],
  ["a.lua", "-- a\nlocal a = 1\nif a then\nb()\nelse\nc()\nend\n", ["local a = 1", "if a then", "b()", "c()"]]
]

describe("given the lines of a file", () => {
  it.each(files)(
    "when %s is looked through, then the lines with something of their own are kept: %s",
    async (path, text, expected) => {
      assert.deepStrictEqual(await kept(path, text), expected)
    }
  )

  it("when rows are asked for, then only those are told, in their order, and none beyond the end", async () => {
    const text = "a()\nb()\nc()\n"
    const outline = await outlined("a.js", text)
    assert.deepStrictEqual(substantial("a.js", splitLines(text), outline, [2, 0, 7, -1]), [2, 0])
  })
})

/** Files that consist of imports and exports, with the lines that count. */
const aggregates: ReadonlyArray<readonly [path: string, text: string]> = [
  ["src/index.ts", "export * from './a.ts'\nexport { b } from './b.ts'\n"],
  ["src/index.ts", "import { a } from './a.ts'\nimport b from './b.ts'\nexport { a, b }\n"],
  ["src/index.js", "import './a.js'\nimport './b.css'\n"],
  ["src/index.js", "const a = require('./a')\nconst b = require('./b')\nmodule.exports = { a, b }\n"],
  ["a/__init__.py", "from .a import f\nfrom .b import g\n"],
  ["a/__init__.py", 'from .a import f\n\n__all__ = ["f"]\n'],
  ["a/__init__.py", "import a.b\n"],
  ["a/compat.py", "from a.b import f\n"],
  ["src/mod.rs", "pub mod a;\npub use a::f;\n"],
  ["src/lib.rs", "mod a;\npub use crate::a::f;\n"],
  ["all.h", '#pragma once\n#include "a.h"\n#include "b.h"\n'],
  ["all.h", '#ifndef ALL_H\n#define ALL_H\n#include "a.h"\n#endif\n'],
  ["all.c", '#include "a.c"\n#include "b.c"\n'],
  ["bootstrap.php", "<?php\nrequire_once 'a.php';\nrequire 'b.php';\n"],
  ["tools.go", 'package tools\n\nimport (\n\t_ "a/b"\n)\n'],
  ["a.rb", "require 'a/b'\nrequire_relative 'c'\n"],
  ["all.sh", "source ./a.sh\n. ./b.sh\n"],
  ["GlobalUsings.cs", "global using System;\n"],
  ["A.swift", "@_exported import B\n"]
]

/** Imports that are nobody's work. */
const plain: ReadonlyArray<readonly [path: string, text: string]> = [
  ["src/a.ts", "import { b } from './b.ts'\n"],
  ["a.py", "import os\n"],
  ["A.java", "package a;\n\nimport java.util.List;\n"],
  ["a.go", 'package a\n\nimport "fmt"\n'],
  ["a.c", '#include "a.h"\n'],
  ["a.cpp", "#include <vector>\n"],
  ["src/a.rs", "use std::fs;\n"],
  ["a.php", "<?php\nuse A\\B;\n"]
]

describe("given a file that consists of imports and exports", () => {
  it.each(aggregates)("when its imports in %s are cited, then they are its implementation: %s", async (path, text) => {
    const lines = splitLines(text)
    const outline = await outlined(path, text)
    assert.isNull(findingOf(path, lines, outline, { start: 1, end: lines.length }).empty)
    const rows = lines.flatMap((line, row) =>
      /import|require|include|use|mod|source|using|^\.|export/.test(line) ? [row] : []
    )
    assert.isNotEmpty(substantial(path, lines, outline, rows))
  })

  it.each(plain)("when %s passes nothing on, then imports show nothing: %s", async (path, text) => {
    const lines = splitLines(text)
    const outline = await outlined(path, text)
    assert.isNotNull(findingOf(path, lines, outline, { start: 1, end: lines.length }).empty)
    assert.isEmpty(substantial(path, lines, outline, [...lines.keys()]))
  })

  it("when there is more in it, then an import shows nothing by itself", async () => {
    const text = "import { a } from './a.ts'\nexport const b = () => a()\n"
    const outline = await outlined("src/index.ts", text)
    assert.isNotNull(findingOf("src/index.ts", splitLines(text), outline, { start: 1, end: 1 }).empty)
    assert.deepStrictEqual(await kept("src/index.ts", text), ["export const b = () => a()"])
  })
})
