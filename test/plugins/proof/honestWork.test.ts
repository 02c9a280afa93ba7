import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { daily } from "../../often.ts"
import { judged, type Told, type Work } from "./works.ts"

const py = (imports: string, setUp: string) =>
  `'''\nUnit tests of times.\n'''\n\n${imports}import doctest\n\nclass TestTimes(Case):\n    '''\n    Of times.\n    '''\n\n${setUp}    def test_mins(self):\n        self.check('32min', 32)\n`
const future = "from __future__ import absolute_import\n"
const setUp = "    def setUp(self):\n        '''Setup function.'''\n        pass\n\n"

const removals: ReadonlyArray<Work> = [
  {
    name: "an import below a blank line",
    before: { "t.py": py(future, "") },
    after: { "t.py": py("", "") },
    told: [
      ["Remove the __future__ import", "t.py:4-5"],
      ["Remove the __future__ import", "t.py:3-5"],
      ["Remove the __future__ import", "t.py:2-6"],
      ["Remove the __future__ import", "t.py:3-4"],
      ["Remove the __future__ import", "t.py:5", /None of these.*only imports.*cite [^ ]*t\.py:3-5\..*Empty/],
      ["Remove the __future__ import", "t.py:6-7", /cite [^ ]*t\.py:3-5\./],
      ["Remove the unused import of doctest", "t.py:4-5", /doctest be gone/],
      ["Remove the doctest import", "t.py:4-5", /doctest be gone/],
      ["Add a test of hours", "t.py:4-5", /checklist_evidence_empty_impl|Empty impl/]
    ]
  },
  {
    name: "an empty method behind the documentation of its class",
    before: { "t.py": py("", setUp) },
    after: { "t.py": py("", "") },
    told: [
      ...["10-12", "10-11", "11-12", "11-13", "9-12", "7"].map(
        (lines): Told => ["Remove the empty setUp() from t.py", `t.py:${lines}`]
      ),
      ["Remove the empty setUp() from t.py", "t.py:12-13", /cite [^ ]*t\.py:10-12\./],
      ["Remove the empty setUp() from t.py", "t.py:10", /cite [^ ]*t\.py:10-12\./],
      ["Fix the check of minutes", "t.py:11-13", /None of these|Nothing|Only/]
    ]
  },
  {
    name: "only a comment",
    before: { "a.js": "import x from 'x'\n\n// the old way\n\nexport const f = () => x(1)\n" },
    after: { "a.js": "import x from 'x'\n\nexport const f = () => x(1)\n" },
    told: [["Remove the old way", "a.js:1-3", /Nothing but blanks and comments was taken out/]]
  },
  {
    name: "nothing in that file",
    before: { "a.go": 'package a\n\nimport "os"\n\nfunc F() string { return os.Args[0] }\n', "b.txt": "b\n" },
    after: { "b.txt": "c\n" },
    told: [["Remove the unused import", "a.go:2-3", /Nothing but blanks and comments was taken out/]]
  },
  {
    name: "a function beside a comment that was changed",
    before: {
      "a.go":
        "package a\n\n// Old is old.\nfunc Old() int { return g(1) }\n\n// F is new.\nfunc F() int { return g(2) }\n"
    },
    after: { "a.go": "package a\n\n// F is the only one.\nfunc F() int { return g(2) }\n" },
    told: [
      ["Remove Old()", "a.go:2-3"],
      ["Fix the result of F()", "a.go:3-4", /Only blanks/]
    ]
  }
]

const count =
  "package a\n\n// WordCount counts words.\nfunc WordCount(s string) int { return g(s, 1) }\n\n// Runes counts runes.\nfunc Runes(s string) int { return g(s, 2) }\n"
const slow = count.replace("counts words.", "counts words. It does not allocate memory.")

const comments: ReadonlyArray<Work> = [
  {
    name: "the comment of a function",
    before: { "count.go": count },
    after: { "count.go": slow },
    told: [
      ["Extend the comment of WordCount", "count.go:3"],
      ["Extend the comment of WordCount", "count.go:3-4"],
      ["Document in the comment of WordCount that it does not allocate", "count.go:3"],
      ["Extend the documentation of WordCount in count.go", "count.go:3"],
      ["WordCountのコメントを拡張する", "count.go:3"],
      ["Extend the comment of Runes()", "count.go:3", /only comments/],
      ["Extend the comment of RuneCount", "count.go:3", /only comments/],
      ["Extend the comment of WordCount", "count.go:6", /None of these/],
      ["Implement WordCount and document it", "count.go:3", /only comments/],
      ["Make WordCount allocate nothing", "count.go:3", /only comments/],
      ["Extend the comment of WordCount and skip blanks", "count.go:3", /only comments/]
    ]
  },
  {
    name: "comments that say nothing",
    before: { "count.rb": "# Counts words.\ndef word_count(s)\n  g(s, 1)\nend\n" },
    after: {
      "count.rb": "# word_count.\n# TODO: say more of it\n# Counts words.\ndef word_count(s)\n  g(s, 1)\nend\n"
    },
    told: [["Extend the comment of word_count", "count.rb:1-3", /only comments/]]
  }
]

const goComment = "package a\n\n// F is.\n//     a => b\nfunc F(s string) int { return g(s, 1) }\n"
const jsCode = "function f(a) {\n  return g(a, 1)\n}\nexport const h = 2\n"

const layouts: ReadonlyArray<Work> = [
  {
    name: "a comment that a formatter has laid out",
    before: { "format.go": goComment, "b.go": goComment },
    after: { "format.go": goComment.replace("//     a", "//\n//\ta"), "b.go": goComment.replace("//     a", "//\ta") },
    told: [
      ["Format format.go with gofmt", "format.go:3-5"],
      ["Run gofmt over all files", "format.go:4-5"],
      ["format.goを整形する", "format.go:4-5"],
      ["Format format.go with gofmt", "file:format.go"],
      ["Format format.go with gofmt", "file:b.go", /Only blanks|another file/],
      ["Fix F() in format.go", "file:format.go", /Only blanks/],
      ["Format format.go with gofmt", "b.go:3-4", /only comments/],
      ["Format format.go with gofmt", "format.go:1-2", /None of these|only blank/],
      ["Format the result of F() in format.go", "format.go:4-5", /only comments/],
      ["Format format.go with gofmt and fix F()", "format.go:4-5", /only comments/]
    ]
  },
  {
    name: "code that is laid out otherwise, and blank lines between",
    before: { "a.js": jsCode },
    after: { "a.js": jsCode.replace("  return", "    return").replace("}\n", "}\n\n") },
    told: [
      ["Reformat a.js using prettier", "a.js:1-3"],
      ["Reformat a.js using prettier", "a.js:4"],
      ["Fix the indentation of a.js", "a.js:1-4"],
      ["Format dates in a.js", "a.js:1-4", /Only blanks|None of these/]
    ]
  },
  {
    name: "a new comment, and blanks at the end of a line",
    before: { "a.js": jsCode, "b.js": jsCode },
    after: { "a.js": `// Formatted with prettier.\n${jsCode}`, "b.js": jsCode.replace("2\n", "2 \n") },
    told: [
      ["Format a.js with prettier", "a.js:1", /only comments/],
      ["Format b.js with prettier", "b.js:4", /Only blanks/],
      ["Format a.js with prettier", "file:a.js", /Only blanks/],
      ["Format b.js with prettier", "file:b.js", /Only blanks/]
    ]
  }
]

const jsAdd = (above: string, behind: string): string =>
  `import { g } from "./g.js"\n\n${above}export const add = (a, b) => {\n  const sum = a + b${behind}\n  return g(sum)\n}\n`
const oldNote = "// old: adds two numbers, see #12\n"

const uncommenting: ReadonlyArray<Work> = [
  {
    name: "a comment above a function",
    before: { "a.js": jsAdd(oldNote, "") },
    after: { "a.js": jsAdd("", "") },
    told: [
      ["Remove the old comment above add()", "a.js:1-3"],
      ["Remove the old comment above add()", "a.js:3-6"],
      ["Delete the outdated comment in a.js", "a.js:2-3"],
      ["a.jsの古いコメントを削除する", "a.js:1-3"],
      ["Remove the old comment above add()", "a.js:4-5", /None of these.*cite [^ ]*a\.js:1-3/],
      ["Remove the fallback from a.js", "a.js:1-3", /Nothing but blanks/],
      ["Remove the comments route from a.js", "a.js:1-3", /Nothing but blanks/],
      ["Remove the unused import and the old comment from a.js", "a.js:1-3", /Nothing but blanks/],
      ["Remove the comments of a post in a.js", "a.js:1-3", /Nothing but blanks/],
      ["Remove the TODO in add()", "a.js:1-3", /Nothing but blanks/],
      ["Remove the comment above sub()", "a.js:1-3", /Nothing but blanks/],
      ["コメント機能を削除する", "a.js:1-3", /Nothing but blanks/],
      ["Add a limit to add()", "a.js:1-3", /Only blanks|None of these/]
    ]
  },
  {
    name: "a comment behind code, and code that was a comment",
    before: { "a.js": jsAdd("// const old = 1\n// add(old)\n", " // TODO: check") },
    after: { "a.js": jsAdd("", "") },
    told: [
      ["Remove the TODO in add()", "a.js:4"],
      ["Remove the commented-out code from a.js", "a.js:1-3"],
      ["Remove the TODO in add()", "a.js:5-6", /None of these|Nothing but/]
    ]
  },
  {
    name: "a docstring of Python, and a comment of a shell",
    before: {
      "a.py": 'def f(x):\n    """Old: returns x."""\n    return g(x)\n',
      "a.toml": "# old settings\n[a]\nb = 1\n"
    },
    after: { "a.py": "def f(x):\n    return g(x)\n", "a.toml": "[a]\nb = 1\n" },
    told: [
      ["Remove the docstring of f()", "a.py:1-2"],
      ["Remove the comment from a.toml", "a.toml:1"]
    ]
  },
  {
    name: "comments that were moved, written anew, or of which nothing was taken out",
    before: { "a.js": `// b\n${jsAdd(oldNote, "")}`, "b.js": jsAdd(oldNote, ""), "c.js": `\n\n${jsAdd(oldNote, "")}` },
    after: {
      "a.js": jsAdd("", "") + oldNote,
      "b.js": jsAdd("// new: adds them\n", ""),
      "c.js": jsAdd(oldNote, "")
    },
    told: [
      ["Remove the old comment above add()", "a.js:1-3", /Nothing but blanks|Only blanks/],
      ["Remove the old comment in a.js", "a.js:2-4", /None of these.*cite [^ ]*a\.js:1\./],
      ["Remove the old comment above add()", "b.js:3-4"],
      ["Remove the old comment in c.js", "c.js:1-3", /Nothing but blanks|Only blanks|None of these/]
    ]
  }
]

const pattern = "SIGN = r'[+-]'\nWEEKS = r'[0-9]+w'\n"
const use = "\ndef parse(text):\n    return match(SIGN + WEEKS, text)\n"
const parts = "from .patterns import (\n    SIGN, WEEKS)\n"

const moves: ReadonlyArray<Work> = [
  {
    name: "constants of Python",
    before: { "times.py": pattern + use },
    after: { "patterns.py": pattern, "times.py": parts + use },
    told: [
      ["Use them in times.py", "times.py:1-2"],
      ["Use them in times.py", "times.py:2"],
      ["Use the patterns in times.py", "times.py:1-2"],
      ["Use SIGN and WEEKS from patterns.py in times.py", "times.py:1-2"],
      ["Change times.py to import the patterns from patterns.py", "times.py:1-2"],
      ["times.pyでそれらを使う", "times.py:1-2"],
      ["Use DAYS from patterns.py in times.py", "times.py:1-2", /only imports/],
      ["Use the cache in times.py", "times.py:1-2", /only imports/],
      ["Use the patterns and the cache in times.py", "times.py:1-2", /only imports/],
      ["Use them in times.py and cache the result", "times.py:1-2", /only imports/],
      ["Use a new parser in times.py", "times.py:1-2", /only imports/],
      ["Handle weeks in times.py", "times.py:1-2", /only imports/]
    ]
  },
  {
    name: "functions of TypeScript",
    before: {
      "a.ts": "export function slug(a: string) {\n  return g(a, 1)\n}\n\nexport const f = (a: string) => slug(a) + 1\n"
    },
    after: {
      "slugs.ts": "export function slug(a: string) {\n  return g(a, 1)\n}\n",
      "a.ts": 'import { slug } from "./slugs.ts"\n\nexport const f = (a: string) => slug(a) + 1\n'
    },
    told: [
      ["Use it in a.ts", "a.ts:1"],
      ["Use slug() from slugs.ts in a.ts", "a.ts:1"],
      ["Use slug from slugs.ts in a.ts", "a.ts:1"],
      ["Use lower() from slugs.ts in a.ts", "a.ts:1", /only imports/],
      ["Use lower from slugs.ts in a.ts", "a.ts:1", /only imports/],
      ["Use slug() and lower() in a.ts", "a.ts:1", /only imports/],
      ["Use slug() from names.ts in a.ts", "a.ts:1", /only imports/]
    ]
  },
  {
    name: "constants of Rust and C",
    before: {
      "a.rs": "pub const LIMIT: u32 = 5;\n\nfn f(a: u32) -> u32 {\n    g(a, LIMIT)\n}\n",
      "a.c": "#define LIMIT 5\n\nint f(int a) {\n  return g(a, LIMIT);\n}\n"
    },
    after: {
      "limits.rs": "pub const LIMIT: u32 = 5;\n",
      "a.rs": "use crate::limits::LIMIT;\n\nfn f(a: u32) -> u32 {\n    g(a, LIMIT)\n}\n",
      "limits.h": "#define LIMIT 5\n",
      "a.c": '#include "limits.h"\n\nint f(int a) {\n  return g(a, LIMIT);\n}\n'
    },
    told: [
      ["Use the limits in a.rs", "a.rs:1"],
      ["Use LIMIT from limits.h in a.c", "a.c:1"]
    ]
  },
  {
    name: "a module that only bears the name",
    before: { "times.py": pattern + use },
    after: { "cache.py": pattern, "times.py": parts.replace("patterns", "cache") + use },
    told: [["Use the cache in times.py", "times.py:1-2", /only imports/]]
  },
  {
    name: "imports that give nothing, or of what is still there, or of what nobody used",
    before: { "a.py": pattern + use, "b.py": pattern + use, "c.py": use },
    after: { "a.py": `import os\n${pattern}${use}`, "b.py": parts + pattern + use, "c.py": parts + use },
    told: [
      ["Use them in a.py", "a.py:1", /only imports/],
      ["Use them in b.py", "b.py:1-2", /only imports/],
      ["Use them in c.py", "c.py:1-2", /only imports/]
    ]
  }
]

const chart = "export function Chart() {\n  return draw(1)\n}\n"
const flaky = "def test_upload():\n    assert upload(1) == 2\n"

const lines: ReadonlyArray<Work> = [
  {
    name: "lines for tools",
    before: {
      "src/Chart.tsx": chart,
      "app/Money.php": "<?php\n\nclass Money\n{\n    public int $a = 1;\n}\n",
      "src/lib.rs": "pub fn f() -> u8 {\n    g()\n}\n",
      "include/ring.h": "int ring(int a);\n",
      "epoll.go": "package a\n\nfunc F() int {\n\treturn g()\n}\n",
      "src/main.tsx": 'import { App } from "./App"\n\nrender(<App />)\n',
      "db.go": 'package a\n\nimport (\n\t"os"\n)\n\nfunc F() { os.Exit(2) }\n',
      "src/lic.c": "int f(void) { return g(); }\n",
      "scripts/seed": "echo $1\n"
    },
    after: {
      "src/Chart.tsx": `"use client";\n\n${chart}`,
      "app/Money.php": "<?php\ndeclare(strict_types=1);\n\nclass Money\n{\n    public int $a = 1;\n}\n",
      "src/lib.rs": "#![forbid(unsafe_code)]\n\npub fn f() -> u8 {\n    g()\n}\n",
      "include/ring.h": "#pragma once\n\nint ring(int a);\n",
      "epoll.go": "//go:build linux\n\npackage a\n\nfunc F() int {\n\treturn g()\n}\n",
      "src/main.tsx": 'import { App } from "./App"\nimport "./styles/global.css"\n\nrender(<App />)\n',
      "db.go": 'package a\n\nimport (\n\t"os"\n\n\t_ "github.com/lib/pq"\n)\n\nfunc F() { os.Exit(2) }\n',
      "src/lic.c": "/* SPDX-License-Identifier: MIT */\nint f(void) { return g(); }\n",
      "scripts/seed": "#!/usr/bin/env bash\necho $1\n"
    },
    told: [
      ["Make src/Chart.tsx a client component", "src/Chart.tsx:1"],
      ["Draw the axes in src/Chart.tsx", "src/Chart.tsx:1", /only imports/],
      ["Add a client component that draws the axes", "src/Chart.tsx:1", /only imports/],
      ["Turn on strict types in app/Money.php", "app/Money.php:2"],
      ["Forbid unsafe code in the crate", "src/lib.rs:1"],
      ["Protect include/ring.h against double inclusion", "include/ring.h:1"],
      ["Add the build tag linux to epoll.go", "epoll.go:1"],
      ["Add the build tag windows to epoll.go", "src/lib.rs:1", /only imports/],
      ["Load the global stylesheet in src/main.tsx", "src/main.tsx:2"],
      ["Load the cart in src/main.tsx", "src/main.tsx:2", /only imports/],
      ["Register the Postgres driver in db.go", "db.go:6"],
      ["Add an SPDX license header to src/lic.c", "src/lic.c:1"],
      ["Add caching to f() in src/lic.c", "src/lic.c:1", /only comments/],
      ["Run scripts/seed with bash", "scripts/seed:1"]
    ]
  },
  {
    name: "tests that are to be left out",
    before: { "tests/test_a.py": flaky, "a.test.js": "it('adds', () => expect(add(1)).toBe(2))\n" },
    after: {
      "tests/test_a.py": `import pytest\n\n@pytest.mark.skip(reason="#412")\n${flaky}`,
      "a.test.js": "it('adds', () => expect(add(1)).toBe(2))\ntest.todo('reads CSV')\n"
    },
    told: [
      ["Mark the flaky upload test as skipped until #412 is fixed", "tests/test_a.py:3-5"],
      ["Skip the upload test", "tests/test_a.py:3"],
      ["Test the upload", "tests/test_a.py:3-5", /is skipped/],
      ["List the planned tests of the importer as todo", "a.test.js:2"],
      ["Test that CSV is read", "a.test.js:2", /Empty impl|nothing/]
    ]
  },
  {
    name: "code that is to do nothing",
    before: {
      "s.py": "class S(Base):\n    def run(self):\n        go(self)\n",
      "m.js": "exports.up = (q) => q.add(1)\n"
    },
    after: {
      "s.py":
        "class S(Base):\n    def run(self):\n        go(self)\n\n    def log_message(self, *args):\n        pass\n",
      "m.js": "exports.up = (q) => q.add(1)\nexports.down = () => Promise.resolve()\n",
      "cache.py": "class NoCache:\n    def get(self, key):\n        return None\n"
    },
    told: [
      ["Override log_message() with an empty body so that the test server is quiet", "s.py:5-6"],
      ["Fix log_message(), which does nothing when a message is long", "s.py:5-6", /Empty impl/],
      ["Log messages to a file", "s.py:5-6", /Empty impl/],
      ["Add the down migration that does nothing", "m.js:2"],
      ["Add a cache whose get() always returns None", "cache.py:1-3"],
      ["Add a cache of at most 10 values", "cache.py:1-3", /Empty impl/]
    ]
  }
]

const fill = "/**\n * Fills.\n */\nexport function fill(a) {\n  return put(a, 1)\n}\n"
const parse = "package a\n\nfunc Fill(a int) int {\n\treturn put(a, 1)\n}\n"
const two = "export function one(a) {\n  return put(a, 1)\n}\nexport function two(b) {\n  return put(b, 2)\n}\n"
const [first = "", second = ""] = two.split(/(?<=}\n)/)

/** As people write what they ask for in commits: what is looked for is known by few of these words. */
const plainly: ReadonlyArray<Work> = [
  {
    name: "tags in comments that tools read",
    before: { "a.js": fill, "a.go": parse },
    after: {
      "a.js": fill.replace("Fills.", "Fills.\n * @deprecated use refill()"),
      "a.go": parse.replace("func", "// Deprecated: use Refill.\nfunc")
    },
    told: [
      ["Deprecate fill()", "a.js:3"],
      ["Mark fill() as deprecated", "a.js:1-6"],
      ["Add a `@deprecated` tag to fill()", "a.js:3"],
      ["fix: Deprecate Fill()", "a.go:3"],
      ["Mark fill() as internal", "a.js:3", /Empty impl/],
      ["Add retry to fill()", "a.js:3", /Empty impl/]
    ]
  },
  {
    name: "lines for tools",
    before: {
      Dockerfile: "FROM node\nRUN make\n",
      "a.py": "def f(a):\n    if a:\n        return g(a)\n    return h(a)\n"
    },
    after: {
      Dockerfile: "# syntax=docker/dockerfile:1\nFROM node\nRUN make\n",
      "a.py": "def f(a):\n    if a:  # pragma: no branch\n        return g(a)\n    return h(a)\n"
    },
    told: [
      ["Add the `syntax` directive to Dockerfile", "Dockerfile:1"],
      ["Install curl in the Dockerfile", "Dockerfile:1", /Empty impl/],
      ["Add `pragma: no branch` in a.py", "a.py:2"],
      ["Exclude the branch from coverage with a pragma", "a.py:2"],
      ["Handle None in f()", "a.py:2", /shows too little/]
    ]
  },
  {
    name: "a heading",
    before: { "README.md": "# The Shp\n\nSells things.\n" },
    after: { "README.md": "# The Shop\n\nSells things.\n" },
    told: [
      ["Fix the typo in the title of README.md", "README.md:1"],
      ["Rename the heading to The Shop", "README.md:1"],
      ["Document how to install it in README.md", "README.md:1", /Empty impl/],
      ["Add a section on installation", "README.md:1", /Empty impl/]
    ]
  },
  {
    name: "an import that was missing",
    before: { "a.c": "int f(int a) {\n  return read(a);\n}\n", "b.py": "def f(a):\n    return re.sub(a)\n" },
    after: {
      "a.c": "#include <unistd.h>\nint f(int a) {\n  return read(a);\n}\n",
      "b.py": "import re\n\ndef f(a):\n    return re.sub(a)\n"
    },
    told: [
      ["Add the missing include of unistd.h", "a.c:1"],
      ["Include `unistd.h` in a.c", "a.c:1"],
      ["Add missing include stdio.h", "a.c:1", /Empty impl/],
      ["Fix missing imports", "b.py:1"],
      ["Add missing import of `re`", "b.py:1"],
      ["Add import of users to b.py", "b.py:1", /Empty impl/],
      ["Add imports from CSV files", "b.py:1", /Empty impl/]
    ]
  },
  {
    name: "the head of a class with a method that was empty before",
    before: {
      "A.java": "class Old {\n    void close() {\n    }\n    int read() {\n        return source.next();\n    }\n}\n",
      "a.py":
        "class Old:\n    def read(self):\n        return self.source.next()\n\n    def close(self):\n        pass\n"
    },
    after: {
      "A.java":
        "class Cache implements AutoCloseable {\n    void close() {\n    }\n    int read() {\n        return source.next();\n    }\n}\n",
      "a.py":
        "class Cache(Base):\n    def read(self):\n        return self.source.next()\n\n    def close(self):\n        pass\n"
    },
    told: [
      ["Rename Old to Cache", "A.java:1"],
      ["Rename Old to Cache", "a.py:1"],
      ["Derive the cache from Base", "a.py:1"],
      ["Implement the cache", "a.py:1", /Empty impl/],
      ["Change close() so that it closes the source", "a.py:1", /Empty impl/],
      ["Derive the cache from Base", "a.py:1-6", /Empty impl/]
    ]
  },
  {
    name: "documentation in ordinary words",
    before: {
      "a.py": 'def slug(text):\n    """Make a slug."""\n    return re.sub(" ", "-", text)\n',
      "a.go": "package a\n\n// Slug makes a slug.\nfunc Slug(text string) string {\n\treturn clean(text)\n}\n"
    },
    after: {
      "a.py":
        'def slug(text):\n    """Make a slug.\n\n    Blanks become hyphens in the text that is returned.\n    """\n    return re.sub(" ", "-", text)\n',
      "a.go":
        "package a\n\n// Slug makes a slug.\n// Blanks become hyphens in the text that is returned.\nfunc Slug(text string) string {\n\treturn clean(text)\n}\n"
    },
    told: [
      ["Document the return value of slug()", "a.py:4"],
      ["Improved the docs of slug", "a.py:4"],
      ["Correct the slug docs", "a.py:4"],
      ["Properly document Slug() for callers", "a.go:4"],
      ["Describe what Slug() returns", "a.go:4"],
      ["Write API docs for Slug()", "a.go:4"],
      ["Document the public API", "a.go:4"],
      ["Add an example to the documentation of Slug()", "a.go:4"],
      ["Document Slug() and handle empty text", "a.go:4", /Empty impl/],
      ["Describe the error in the response of Slug()", "a.go:4", /Empty impl/],
      ["Add a search of the documentation", "a.go:4", /Empty impl/]
    ]
  },
  {
    name: "a pattern of signs",
    before: { ".gitignore": "dist\n" },
    after: { ".gitignore": "dist\n*~\n\n# editors\n" },
    told: [
      ["Ignore backup files of editors", ".gitignore:2"],
      ["Ignore backup files", ".gitignore:4", /Empty impl/]
    ]
  },
  {
    name: "documentation in attributes",
    before: {
      "lib/a.ex": 'defmodule A do\n  @doc """\n  Makes a slug.\n  """\n  def slug(text), do: clean(text)\nend\n'
    },
    after: {
      "lib/a.ex":
        'defmodule A do\n  @moduledoc "Names that can stand in an address."\n\n  @doc """\n  Makes a slug.\n\n  Blanks become hyphens in what is returned.\n  """\n  def slug(text), do: clean(text)\nend\n'
    },
    told: [
      ["Improve the docs of slug", "lib/a.ex:7"],
      ["Add a module documentation to A", "lib/a.ex:2"],
      ["Fix typo in the documentation of slug", "lib/a.ex:7"],
      ["Replace blanks by hyphens in slug/1", "lib/a.ex:7", /Empty impl/]
    ]
  },
  {
    name: "the lines around what was removed, in other words",
    before: { "a.py": 'import os\n\n\nBASE = "0123"\nEPOCH = os.times()\n' },
    after: { "a.py": "import os\n\n\nEPOCH = os.times()\n" },
    told: [
      ["Removed the unused constant BASE", "a.py:3-4"],
      ["Prune BASE", "a.py:3-4"],
      ["Add BASE to a.py", "a.py:3-4", /shows too little/]
    ]
  },
  {
    name: "another order",
    before: { "a.js": two },
    after: { "a.js": second + first },
    told: [
      ["Move two() above one()", "a.js:1-3"],
      ["Sort the functions by name", "a.js:1-3"],
      ["Sort users by name", "a.js:1-3", /shows too little/],
      ["Add three()", "a.js:1-3", /shows too little/]
    ]
  },
  {
    name: "a test that is known to fail",
    before: { "a.test.js": "test('opens', () => {\n  expect(open(1)).toBe(2)\n})\n" },
    after: { "a.test.js": "test.failing('opens', () => {\n  expect(open(1)).toBe(2)\n})\n" },
    told: [
      ["Mark the test of open() as failing", "a.test.js:1"],
      ["Mark the failing Windows test as known failing", "a.test.js:1-3"],
      ["Fix the failing test", "a.test.js:1-3", /passes when it fails/]
    ]
  },
  {
    name: "a line that was taken out between brackets",
    before: { "a.sh": "f() {\n  if g; then\n    h\n  fi\n  echo done\n}\n" },
    after: { "a.sh": "f() {\n  if g; then\n    h\n  fi\n}\n" },
    told: [
      ["Reduce noise in f()", "a.sh:4-5"],
      ["Add a retry to f()", "a.sh:4-5", /Empty impl/]
    ]
  },
  {
    name: "a name of a file as a value",
    before: { "package.json": "{}\n", "action.yml": "inputs:\n  file:\n    description: 'Examples: .nvmrc'\n" },
    after: { "action.yml": "inputs:\n  file:\n    description: 'Examples: .nvmrc, package.json'\n" },
    told: [["Add `package.json` to the `file` list of examples", "action.yml:3"]]
  }
]

describe("honest work that was refused, and what looks like it", () => {
  it.live.each(
    daily(
      [
        { when: "it is asked for in few words", works: plainly },
        { when: "lines for tools, tests that are left out or code that does nothing are asked for", works: lines },
        { when: "something is taken out", works: removals },
        { when: "a comment is asked for", works: comments },
        { when: "a comment is to be taken out", works: uncommenting },
        { when: "files are to be formatted", works: layouts },
        { when: "what was moved is to be used", works: moves }
      ],
      3
    )
  )("when $when, then what shows it is accepted, and nothing else", ({ works }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* judged(works), [])
    })
  )
})
