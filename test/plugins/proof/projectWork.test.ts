import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { daily } from "../../often.ts"
import { judged, type Work } from "./works.ts"

const doc = "/** The sum of two numbers, without a carry. */\nexport const add = (a, b) => a + b\n"

/** Named as commits of real projects are. */
const works: ReadonlyArray<Work> = [
  {
    name: "documentation of code",
    before: { "add.js": "export const add = (a, b) => a + b\n" },
    after: { "add.js": doc },
    told: [
      ["Docs for add", "add.js:1"],
      ["maths: add docs for add()", "add.js:1"],
      ["Tweaked the doc", "add.js:1"],
      ["add maths docs", "add.js:1"],
      ["Some more jsdoc work", "add.js:1"],
      ["Document how the sum is made", "add.js:1"],
      ["Clarify comment about the carry", "add.js:1"],
      ["Add docs page", "add.js:1", /only comments/],
      ["Document upload", "add.js:1", /only comments/],
      ["Add documentation endpoint", "add.js:1", /only comments/],
      ["Clarify documentation that add() takes two numbers", "add.js:1"],
      ["Improve comments", "add.js:1", /only comments/],
      ["Docs on the page can be searched", "add.js:1", /only comments/],
      ["docs: implement a page that lists add()", "add.js:1", /only comments/],
      ["Improve comments of articles", "add.js:1", /only comments/],
      ["maths: add a carry to add()", "add.js:1", /only comments/]
    ]
  },
  {
    name: "a mark that another comment of the file has",
    before: {
      "s.ts": "export interface S {\n  /** @internal */\n  a: number\n  /**\n   * All of them.\n   */\n  b: number\n}\n"
    },
    after: {
      "s.ts":
        "export interface S {\n  /** @internal */\n  a: number\n  /**\n   * All of them.\n   * @internal\n   */\n  b: number\n  /** @internal */\n}\n"
    },
    told: [
      ["Mark b as internal", "s.ts:6"],
      ["Mark b as internal", "s.ts:2", /None of these/]
    ]
  },
  {
    name: "a condition of the compiler",
    before: {
      "f.py": "def load(path):\n    return open(path).read()\n",
      "g.cs": "class G { int f() { return 1; } }\n",
      "c.swift": "#if os(macOS)\nlet poll = 1\n#endif\n",
      "d.swift": "let a = 1\n",
      "e.cs": "#if WINDOWS\nclass E { int a = 1; }\n#endif\n"
    },
    after: {
      "f.py": "def load(path):\n    # if the path is missing this fails\n    return open(path).read()\n",
      "g.cs": "#if true\nclass G { int f() { return 1; } }\n#endif\n",
      "c.swift": "#if os(macOS) || os(FreeBSD)\nlet poll = 1\n#endif\n",
      "d.swift": "let a = 1\n#if os(FreeBSD)\n\n#endif\n",
      "e.cs": "#if WINDOWS || FREEBSD\nclass E { int a = 1; }\n#endif\n"
    },
    told: [
      ["Add FreeBSD compilation support", "c.swift:1"],
      ["Enable E on FreeBSD", "e.cs:1"],
      ["Validate the path in load()", "f.py:2", /only comments/],
      ["Make G fast", "g.cs:1", /./],
      ["Add FreeBSD compilation support", "d.swift:2", /Empty implementation/],
      ["Fix compatibility with other platforms", "c.swift:1"]
    ]
  },
  {
    name: "where a file belongs",
    before: {
      "A.cs": "namespace Shop.Core.Cart;\n\nclass A { int a = 1; }\n",
      "I.php": "<?php\nnamespace Shop\n\ninterface I {}\n",
      "N.cs": "class N { int a = 1; }\n"
    },
    after: {
      "A.cs": "namespace Shop.Settings;\n\nclass A { int a = 1; }\n",
      "I.php": "<?php\nnamespace Shop;\n\ninterface I {}\n",
      "N.cs": "namespace Shop;\nclass N { int a = 1; }\n"
    },
    told: [
      ["Fix the namespace of A", "A.cs:1"],
      ["Add missing semicolon to namespace declaration", "I.php:2"],
      ["Add a discount to A", "A.cs:1", /only imports/],
      ["Move N to the namespace Shop and implement it there", "N.cs:1", /only imports/]
    ]
  },
  {
    name: "what is named by its kind too",
    before: {},
    after: {
      "FlashInterface.php":
        "<?php\nnamespace Shop;\n\ninterface FlashInterface\n{\n    public function next(string $key, $value): void;\n}\n",
      "mail.ts": "export class Mail {\n  send() {\n    return queue(this)\n  }\n}\n"
    },
    told: [
      ["Add Flash interface", "FlashInterface.php:4-7"],
      ["Add Letter class", "mail.ts:1-5", /asks for Letter/],
      ["Add Flash class", "mail.ts:1-5", /asks for Flash/]
    ]
  },
  {
    name: "declarations in another order",
    before: {
      "R.php":
        "<?php\nclass R\n{\n    public function b()\n    {\n        return 2;\n    }\n\n    public function a()\n    {\n        return 1;\n    }\n}\n"
    },
    after: {
      "R.php":
        "<?php\nclass R\n{\n    public function a()\n    {\n        return 1;\n    }\n\n    public function b()\n    {\n        return 2;\n    }\n}\n"
    },
    told: [
      ["Rearrange methods in R", "R.php:4-12"],
      ["Move a() next to b()", "R.php:4-12"],
      ["Add a() to R", "R.php:4-7", /shows too little/]
    ]
  },
  {
    name: "what a build only names",
    before: {
      "build.gradle.kts":
        "kotlin {\n  sourceSets {\n    val iosMain by getting {}\n    for (it in listOf(iosMain)) {\n      it.dependsOn(common)\n    }\n  }\n}\n"
    },
    after: {
      "build.gradle.kts":
        "kotlin {\n  sourceSets {\n    val iosMain by getting {}\n    val tvosMain by getting {}\n    for (it in listOf(iosMain, tvosMain)) {\n      it.dependsOn(common)\n    }\n  }\n}\n"
    },
    told: [["Compile for tvOS", "build.gradle.kts:4-7"]]
  },
  {
    name: "a type that is named as a function is",
    before: {
      "boot.py":
        "class Boot:\n    def read(self):\n        return open_stream(self)\n\n\ndef group_digits(n):\n    return GroupView(n)\n\n\nclass group_digits_view:\n    def put(self, n):\n        return str(n)\n\n\ndef other():\n    return 1\n"
    },
    after: {
      "boot.py":
        "class Boot:\n    def read(self):\n        return StringReader(self)\n\n\ndef group_digits(n):\n    return GroupView(n)\n\n\nclass group_digits_view:\n    def put(self, n):\n        return '-' + str(n) if n < 0 else str(n)\n\n\ndef other():\n    return 2\n"
    },
    told: [
      ["Fix group_digits for negative integers", "boot.py:12"],
      ["Fix group_digits for negative integers", "boot.py:16", /nothing to do with it/]
    ]
  },
  {
    name: "a method of an object that is made in a function",
    before: { "Walk.scala": "object Walk {\n  def all(p: Path): Gen = Gen(p)\n}\n" },
    after: {
      "Walk.scala":
        "object Walk {\n  def all(p: Path): Gen = {\n    new Gen {\n      def generate(f: Path => Unit) = {\n        visit(p, f)\n      }\n    }\n  }\n  def two(p: Path): Gen = {\n    def unused(f: Path) = {\n      visit(f, f)\n    }\n    Gen(p)\n  }\n}\n"
    },
    told: [
      ["Make the walk lazy", "Walk.scala:4-6"],
      ["Make the walk lazy", "Walk.scala:10-12", /Nothing calls the new function/]
    ]
  },
  {
    name: "constructors behind a macro",
    before: { "v.hpp": "class value {\n public:\n  int int_value;\n};\n" },
    after: {
      "v.hpp":
        "class value {\n public:\n  int int_value;\n  constexpr VAL_INLINE value(int v) : int_value(v) {}\n  VAL_INLINE value(long v) : int_value(static_cast<int>(v)) {}\n  constexpr VAL_INLINE value(char) {}\n};\n"
    },
    told: [
      ["Restrict inlining to the constructors", "v.hpp:4-5"],
      ["Restrict inlining to the constructors", "v.hpp:6", /Empty implementation/]
    ]
  },
  {
    name: "layout in few words",
    before: { "id.rb": "def id\n      1\nend\n\n\n\ndef b\n  2\nend\n" },
    after: { "id.rb": "def id\n  1\nend\n\ndef b\n  2\nend\n" },
    told: [
      ["Fix messed up indentation", "id.rb:2"],
      ["Remove extra newline", "id.rb:3-5"],
      ["style: Correct indentation in session setup", "id.rb:2"],
      ["style: add a dark theme", "id.rb:2", /shows too little/],
      ["style: make the button red", "id.rb:2", /shows too little/],
      ["Fix the number formatting", "id.rb:2", /shows too little/],
      ["Fix line breaks in e-mails", "id.rb:2", /shows too little/],
      ["Fix function formatting", "id.rb:2"],
      ["Fix indentation in the user model", "id.rb:2", /shows too little/],
      ["Fix the id", "id.rb:2", /shows too little/]
    ]
  },
  {
    name: "annotations and types in comments",
    before: {
      "Pool.php":
        "<?php\nclass Pool\n{\n    /**\n     * @return Promise\n     */\n    public function promise()\n    {\n        return $this->p;\n    }\n}\n",
      "PoolTest.php": "<?php\n/**\n * @covers Pol\n */\nclass PoolTest extends TestCase\n{\n}\n"
    },
    after: {
      "Pool.php":
        "<?php\nclass Pool\n{\n    /**\n     * @return PromiseInterface\n     */\n    public function promise()\n    {\n        return $this->p;\n    }\n}\n",
      "PoolTest.php": "<?php\n/**\n * @covers Pool\n */\nclass PoolTest extends TestCase\n{\n}\n"
    },
    told: [
      ["Fix return type for Pool::promise()", "Pool.php:5"],
      ["Fix covers annotations", "PoolTest.php:3"],
      ["Fix promise() of the pool", "Pool.php:5", /only comments/]
    ]
  },
  {
    name: "tests that cover a file",
    before: { "lib/request.rb": "def ssl?\n  true\nend\n", "spec_request.rb": "describe Request do\nend\n" },
    after: {
      "spec_request.rb":
        "describe Request do\n  it 'is secure' do\n    _(Request.new.ssl?).must_equal true\n  end\nend\n"
    },
    told: [["Add 100% line/branch coverage to lib/request.rb", "spec_request.rb:2-4"]]
  },
  {
    name: "titles of a document",
    before: { "docs/comparison.md": "# Comparison\n\n## State Model\n\nBoth are alike.\n" },
    after: { "docs/comparison.md": "# Comparison\n\n## State Model (vs Redux)\n\nBoth are alike.\n" },
    told: [
      ["docs: change titles to avoid the same link twice", "docs/comparison.md:3"],
      ["docs: compare the performance too", "docs/comparison.md:3", /shows too little|only headings/]
    ]
  },
  {
    name: "functions of a method of C#, behind its return",
    before: { "N.cs": "class N\n{\n    int W(int a)\n    {\n        return a;\n    }\n}\n" },
    after: {
      "N.cs":
        "class N\n{\n    int W(int a)\n    {\n        return Twice(a);\n        static int Twice(int b)\n        {\n            return b * 2;\n        }\n    }\n    int D(int a)\n    {\n        return a;\n        Save(a);\n    }\n}\n"
    },
    told: [
      ["Double what W gives", "N.cs:6-9"],
      ["Save what D gets", "N.cs:14", /do nothing/]
    ]
  },
  {
    name: "imports that mend what is not known",
    before: {
      "reactor.rb": "module Puma\n  class Reactor\n    E = IOError\n  end\nend\n",
      "H.php":
        "<?php\nnamespace App;\n\nclass H\n{\n    public function f(Logger $l)\n    {\n        return $l->level();\n    }\n}\n",
      "a.ts": 'import { EventEmitter } from "node:eventz"\nexport const e = () => new EventEmitter()\n'
    },
    after: {
      "reactor.rb": "require 'puma/io_error'\nmodule Puma\n  class Reactor\n    E = IOError\n  end\nend\n",
      "H.php":
        "<?php\nnamespace App;\n\nuse Monolog\\Logger;\n\nclass H\n{\n    public function f(Logger $l)\n    {\n        return $l->level();\n    }\n}\n",
      "a.ts": 'import { EventEmitter } from "node:events"\nexport const e = () => new EventEmitter()\n'
    },
    told: [
      ["Fix uninitialized constant error", "reactor.rb:1"],
      ["added missing use statement", "H.php:4"],
      ["fix(client): bad import", "a.ts:1"],
      ["Refactor the import of EventEmitter", "a.ts:1"],
      ["Refactor e() to use node:events", "a.ts:1", /only imports/],
      ["fix(client): restart after an error", "a.ts:1", /only imports/],
      ["Fix the reactor", "reactor.rb:1", /only imports/]
    ]
  },
  {
    name: "sorted by a picture",
    before: { "m.hpp": "int f() {\n      return 1;\n}\n" },
    after: { "m.hpp": "int f() {\n  return 1;\n}\n" },
    told: [
      [":art: fixed indentation", "m.hpp:2"],
      ["Cleanup tabs and end of line whitespace", "m.hpp:2"],
      [":sparkles: return more", "m.hpp:2", /shows too little/]
    ]
  },
  {
    name: "the language of an example",
    before: { "README.md": "# Log\n\n```\n$log = new Logger();\n```\n" },
    after: { "README.md": "# Log\n\n```php\n$log = new Logger();\n```\n" },
    told: [
      ["Add PHP syntax highlighting to example", "README.md:3"],
      ["Add an example of a handler", "README.md:3", /shows too little|only/]
    ]
  },
  {
    name: "an import of Go that shares a word with the item",
    before: { "log.go": "package log\n\nfunc F() int {\n\treturn 1\n}\n" },
    after: { "log.go": 'package log\n\nimport "bytes"\n\nfunc F() int {\n\treturn 1\n}\n' },
    told: [["Use a single line per request, with the count of bytes written", "log.go:3", /only imports/]]
  },
  {
    name: "code that is to be made a comment",
    before: { "App.java": "class App {\n  void run() {\n    start();\n    mirror(this.log);\n  }\n}\n" },
    after: {
      "App.java":
        "class App {\n  void run() {\n    start();\n    // mirror(this.log);\n    // it is slow on some machines\n  }\n}\n"
    },
    told: [
      ["Comment out the mirror", "App.java:4"],
      ["Temporarily disable the mirror", "App.java:4"],
      ["Temporarily disable the mirror", "App.java:5", /only comments/],
      ["Disable the mirror", "App.java:4"],
      ["ミラーを無効にする", "App.java:4"],
      ["Disable registration for new users", "App.java:4", /only comments/],
      ["Remove the mirror", "App.java:4", /only comments|as a comment/],
      ["Start the mirror", "App.java:4", /only comments/]
    ]
  },
  {
    name: "links and tests of files that are named",
    before: {
      "src/f.php": "<?php\nfunction f() { return 1; }\n",
      "docs/a.md": "# A\n\nSee [B](b).\n",
      "docs/b.md": "# B\n"
    },
    after: {
      "fTest.php":
        "<?php\nclass FTest extends TestCase\n{\n    public function testF()\n    {\n        $this->assertSame(1, f());\n    }\n}\n",
      "docs/a.md": "# A\n\nSee [B](./b.md).\n"
    },
    told: [
      ["Add f.php tests", "fTest.php:4-7"],
      ["Fix `b.md` link on `a.md`", "docs/a.md:3"],
      ["Update f.php", "fTest.php:4-7", /this is another file|are not there/]
    ]
  },
  {
    name: "a template that people fill in",
    before: { ".github/ISSUE_TEMPLATE/bug.md": "<!-- Search first. -->\n\n**Version**\n" },
    after: {
      ".github/ISSUE_TEMPLATE/bug.md": "<!-- Search first. These are known: colours on Windows. -->\n\n**Version**\n"
    },
    told: [["Mention some bugs that are known in the bug report", ".github/ISSUE_TEMPLATE/bug.md:1"]]
  },
  {
    name: "code under a condition that never holds, where no grammar is known",
    before: {
      "m.lua": "local M = {}\nfunction M.f(x)\n  return x + 1\nend\nreturn M\n",
      "m.dart": "int f(S s) {\n  return s.go();\n}\n",
      "M.pm": "sub f {\n  return g();\n}\n1;\n",
      "m.jl": "f(x) = x + 1\n"
    },
    after: {
      "m.lua":
        "local M = {}\nfunction M.f(x)\n  if false then\n    x = x:gsub('a', 'b')\n  end\n  if x == nil then\n    return M.none(x)\n  end\n  return x + 1\nend\nif 0 then\n  M.g = M.f(2)\nend\nreturn M\n",
      "m.dart":
        "int f(S s) {\n  if (1 > 2) {\n    s.close();\n  }\n  if (s.isClosed) {\n    s.open();\n  }\n  return s.go();\n}\n",
      "M.pm":
        "sub f {\n  unless (1) {\n    limit($depth);\n  }\n  limit($depth) if 0;\n  limit($depth) if $depth > 9;\n  return g();\n}\n1;\n",
      "m.jl": "f(x) = x + 1\nif false\n    g(x) = f(x) * 2\nend\n"
    },
    told: [
      ["Split long lines", "m.lua:4", /Empty implementation/],
      ["Split long lines", "m.lua:3-5", /Empty implementation/],
      ["Split long lines", "m.lua:6-8"],
      ["Split long lines", "m.lua:12"],
      ["Close what is left open", "m.dart:3", /Empty implementation/],
      ["Close what is left open", "m.dart:5-7"],
      ["Limit the depth", "M.pm:3", /Empty implementation/],
      ["Limit the depth", "M.pm:5", /Empty implementation/],
      ["Limit the depth", "M.pm:6"],
      ["Double it", "m.jl:2-4", /Empty implementation/]
    ]
  },
  {
    name: "translations of gettext",
    before: {
      "po/ja.po":
        'msgid ""\nmsgstr ""\n"PO-Revision-Date: 2026-01-01\\n"\n\nmsgid ""\n"Hold the key "\n"to see it"\nmsgstr ""\n'
    },
    after: {
      "po/ja.po":
        'msgid ""\nmsgstr ""\n"PO-Revision-Date: 2026-02-02\\n"\n\nmsgid ""\n"Hold the key "\n"to see it"\nmsgstr ""\n"キーを押すと"\n"見えます"\n'
    },
    told: [
      ["Translate it into Japanese", "po/ja.po:9-10"],
      ["Translate it into Japanese", "po/ja.po:3", /only/]
    ]
  },
  {
    name: "what only words are asked for",
    before: {
      "A.kt": "/**\n * Waits.\n * expectComplete()\n */\nfun testIn(): Int {\n  return go()\n}\n",
      "c.yml": "steps:\n  - uses: x/y@e3cd8e9a # v0.60.0\n",
      "G.md": "# A\n\n## Furter reading\n\nText.\n",
      "CHANGELOG.md": "# Changes\n\n## Unreleased\n\nText.\n",
      "a.ex": 'defmodule A do\n  @moduledoc """\n  All of it.\n  """\n  def f(x), do: x + 1\nend\n',
      "links.pm": "sub f {\n  return g();\n}\n1;\n"
    },
    after: {
      "A.kt": "/**\n * Waits.\n * awaitComplete() suspends\n */\nfun testIn(): Int {\n  return go()\n}\n",
      "c.yml": "steps:\n  - uses: x/y@e3cd8e9a # 0.60.0\n",
      "G.md": "# A\n\n## Further reading\n\nText.\n",
      "CHANGELOG.md": "# Changes\n\n## v1.17.0\n\nText.\n",
      "a.ex":
        'defmodule A do\n  @moduledoc """\n  All of it.\n\n  ## Timezones\n\n  Data is in UTC whatever the database says.\n  """\n  require Bitwise\n  def f(x), do: x + 1\nend\n',
      "links.pm": "sub f {\n  # no longer follow symbolic links to directories\n  return g();\n}\n1;\n"
    },
    told: [
      ["Replace expectComplete with awaitComplete in KDoc", "A.kt:3"],
      ["Update comments to match new API shape", "A.kt:3"],
      ["Update comment that referred to a formula", "A.kt:3"],
      ["Update outdated comment regarding completion", "A.kt:3"],
      ["Fix docs after timeout removal", "A.kt:3"],
      ["Remove expectComplete from KDoc", "A.kt:3"],
      ["Refer to it by name only in comments", "A.kt:3"],
      ["Comment", "A.kt:3"],
      ["Remove spam from comments", "A.kt:3", /only comments/],
      ["Replace expectComplete with awaitComplete", "A.kt:3", /only comments/],
      ["Update comments of posts to match the API", "A.kt:3", /only comments/],
      ["Update the comment endpoint", "A.kt:3", /only comments/],
      ["Fix tag comment", "c.yml:2"],
      ["Fix the tag", "c.yml:2", /shows too little/],
      ["Typo", "G.md:3"],
      ["Fix typo", "G.md:3"],
      ["Add a chapter on reading", "G.md:3", /only headings/],
      ["Fix version in CHANGELOG", "CHANGELOG.md:3"],
      ["Add the retry to the changelog", "CHANGELOG.md:3", /only headings/],
      ["Document timezone pitfalls", "a.ex:5-7"],
      ["Handle timezone pitfalls", "a.ex:5-7", /Empty implementation/],
      ["Handle timezone pitfalls", "a.ex:9", /Empty implementation/],
      ["Fix list_tree to no longer follow symbolic links to directories", "links.pm:2", /only/]
    ]
  },
  {
    name: "layout by the names of formatters",
    before: {
      "a.pl": "sub f {\n  if ($s == 0) { g() }\n  else { h() }\n}\n",
      "a.rb": "def f\n  { foo: 1 }\nend\n",
      ".gitignore": "a\nmanpages/"
    },
    after: {
      "a.pl": "sub f {\n  if   ($s == 0) { g() }\n  else           { h() }\n}\n",
      "a.rb": "def f\n  {foo: 1}\nend\n",
      ".gitignore": "a\nmanpages/\n"
    },
    told: [
      ["Make perltidy happy", "a.pl:2"],
      ["Use the latest perltidy", "a.pl:2"],
      ["Make the user happy", "a.pl:2", /shows too little/],
      ["fmt", "a.rb:2"],
      ["Style fixes", "a.rb:2"],
      ["Tidy-up formatting", "a.rb:2"],
      ["Break long lines in the code", "a.rb:2"],
      ["Fix the style of buttons", "a.rb:2", /shows too little/],
      ["chore: add missing line end to `.gitignore`", ".gitignore:2"]
    ]
  },
  {
    name: "what a branch of a condition has nothing to do for",
    before: { "x.rb": "x = 1\n" },
    after: {
      "p.rb":
        "class Pool\n  if Process.respond_to?(:fork)\n    def self.after_fork\n      ALL.each(&:close)\n    end\n  else\n    def self.after_fork\n      # JRuby has none\n    end\n  end\n  def size\n    @all.size\n  end\nend\n",
      "q.rb":
        "class Pool\n  def self.after_fork\n    ALL.each(&:close)\n  end\n  def self.after_fork\n  end\n  def size\n    @all.size\n  end\nend\n",
      "e.rb": "class Pool\n  class Error < RuntimeError; end\n  class Pool::DownError < Pool::Error; end\nend\n",
      "f.rb": "class Pool\n  class Error; end\n  class DownError; end\nend\n"
    },
    told: [
      ["Close connections after a fork", "p.rb:1-14"],
      ["Close connections after a fork", "p.rb:7-9", /Empty implementation/],
      ["Close connections after a fork", "q.rb:1-10", /Empty implementation/],
      ["Rejigger the errors", "e.rb:1-4"],
      ["Rejigger the errors", "f.rb:1-4", /Empty implementation/]
    ]
  },
  {
    name: "longer names, examples and marks of projects",
    before: {
      "v.tf": "locals {\n  a = 1\n}\n",
      "a.R": "#' @examples\n#' list_modify(1)\nlist_modify <- function(x) {\n  g(x)\n}\n",
      "test_base.py": "def f(m):\n    if not m.get('a', False):\n        return 1\n    return g(m)\n",
      "a.spec.ts": "describe('a', () => {\n})\n"
    },
    after: {
      "v.tf":
        'variable "flow_log_skip_destroy" {\n  description = "Keeps it"\n  type        = bool\n}\nlocals {\n  a = 1\n}\n',
      "a.R":
        "#' @examples\n#' # Replace with list_modify(), leaving the others\n#' str(list_modify(x, z = list(a = 1:5)))\nlist_modify <- function(x) {\n  g(x)\n}\n",
      "test_base.py":
        "def f(m):\n    if not m.get('a', False):  # pragma: no branch\n        return 1\n    return g(m)\n",
      "a.spec.ts": "describe('a', () => {\n  it.todo('keeps it')\n  it.todo('says it')\n})\n"
    },
    told: [
      ["feat: Add `skip_destroy` to the log group", "v.tf:1-4"],
      ["feat: Add `keep_destroy` to the log group", "v.tf:1-4", /asks for keep_destroy/],
      ["Improve `list_modify()` examples", "a.R:2-3"],
      ["Improve `list_modify()`", "a.R:2-3", /only/],
      ["tests: adding `# pragma: no branch` in `test_base`", "test_base.py:2"],
      ["test: pending tests", "a.spec.ts:2-3"],
      ["test: keep what is pending", "a.spec.ts:2-3", /do nothing/]
    ]
  },
  {
    name: "what does nothing by itself",
    before: {
      "a.ts": "export const f = (a: number) => a + 1\n",
      "b.ts": "export const g = 1\n"
    },
    after: {
      "a.ts":
        "export const f = (a: number) => a + 1\nexport const keepScroll = () => true\nexport const keepsPlace = () => true\n// the place is kept\nconst kept = 'Keep the scroll place when tabs close'\n",
      "b.ts": 'import { keepsPlace } from "./a"\nexport const g = keepsPlace() ? 1 : 2\n'
    },
    told: [
      ["Keep the scroll place when tabs close", "a.ts:2", /Nothing in the project uses keepScroll/],
      ["Keep the scroll place when tabs close", "a.ts:5", /Nothing reads kept/],
      ["Keep the scroll place when tabs close", "a.ts:3"],
      ["Keep the scroll place when tabs close", "b.ts:2"],
      ["Add keepScroll() that tells whether the place is kept", "a.ts:2"],
      ["Let keepScroll always return true", "a.ts:2"]
    ]
  },
  {
    name: "tests that did not run before, and files of words alone",
    before: {
      "a.test.ts":
        "it.skip('uploads', async () => {\n  await wait(1)\n  expect(await up()).toBe(1)\n})\nit('loads', async () => {\n  await wait(1)\n  expect(await load()).toBe(1)\n})\n",
      "README.md": "# Pars\n\nText.\n",
      "P.swift": "protocol Painter {\n  func begin()\n}\n",
      "a.go": "package a\n\nfunc G() int { return g() }\n"
    },
    after: {
      "a.test.ts":
        "it.skip('uploads', async () => {\n  await sleep(1)\n  expect(await up()).toBe(1)\n})\nit.skip('loads', async () => {\n  await sleep(1)\n  expect(await load()).toBe(1)\n})\n",
      "README.md": "# Parser\n\nText.\n",
      "P.swift": "protocol Painter {\n  func begin()\n}\nextension Painter {\n  func begin() {}\n}\n",
      "doc.go": "// Package a keeps the places of tabs.\n//\n// Use F to begin.\npackage a\n"
    },
    told: [
      ["Rename wait in tests", "a.test.ts:2"],
      ["Rename wait in tests", "a.test.ts:6", /is skipped/],
      ["Check that uploads wait", "a.test.ts:2", /is skipped/],
      ["Update README.md", "README.md:1"],
      ["Add the retry to README.md", "README.md:1", /only headings/],
      ["Make the methods of Painter optional", "P.swift:4-6"],
      ["Begin a frame in Painter", "P.swift:4-6", /Empty implementation/],
      ["add doc.go", "doc.go:1-3"],
      ["Add F to the package", "doc.go:1-3", /only comments/]
    ]
  },
  {
    name: "a test that fails when it takes too long",
    before: { "spec_a.rb": "describe A do\nend\n" },
    after: {
      "spec_a.rb":
        "describe A do\n  it 'parses a long one' do\n    Timeout.timeout(10) { A.parse('-' * 9) }\n  end\n  it 'parses one' do\n    A.parse('-')\n  end\nend\n"
    },
    told: [
      ["Add a test of long texts", "spec_a.rb:2-4"],
      ["Add a test of long texts", "spec_a.rb:5-7", /asserts nothing/]
    ]
  }
]

describe("work as real projects have it", () => {
  it.live.each(daily(works, 3))("when it is judged, then what shows it is accepted, and nothing else: $name", (work) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* judged([work]), [])
    })
  )
})
