import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { languageOf } from "../../../packages/plugins/src/text/languages.ts"
import { hidden } from "../../../packages/plugins/src/text/parts.ts"
import { partsOf, scan } from "../../../packages/plugins/src/text/scan.ts"

/** What is left of a text: comments as blanks, what strings say as dots. */
const left = (path: string, source: string): string =>
  scan(source, languageOf(path, source.split("\n")))
    .code.replaceAll(hidden, ".")
    .replace(/ +$/gm, "")

describe("given a text of a language, when it is scanned, then comments and strings are where the language has them", () => {
  it.each([
    ["a.dart", "f(/* a /* b */ c */ x)", "f(                  x)"],
    ["a.c", "f(/* a /* b */ x)", "f(             x)"],
    ["a.hs", "x = 1 {- a {- b -} c -} + 2", "x = 1                   + 2"],
    ["a.jl", 'x = "#" # y', 'x = "."'],
    ["a.lua", "x = [==[ -- ]] ]==] --[[ a\nb ]] y", "x = [.............]\n     y"],
    ["a.sql", "select 'it''s -- no' -- yes", "select '..''.......'"],
    ["a.sql", "do $x$ -- ' $x$; -- y", "do $..........$;"],
    ["a.ps1", "$a = 'c:\\' # b <# c #>", "$a = '...'"],
    ["a.pl", "print <<EOT; # a\n# b\nEOT\ny # c", "print <<EOT;\n...\n...\ny"],
    ["a.rb", "x = <<~SQL\n  # no\n  SQL\ny # yes", "x = <<~SQL\n......\n.....\ny"],
    ["a.rb", "class A\n  x <<EOT\nend # never closed", "class A\n  x <<EOT\nend"],
    ["a.rs", 'x = r#"a"b"#; // c', 'x = r#"....#;'],
    ["a.cs", 'x = @"c:\\"; // c', 'x = @"...";'],
    ["a.go", "x = `a\\` + b // c", "x = `..` + b"],
    ["a.js", `x = \`a \${\`b // \${c}\`}\` // d`, "x = `................`"],
    ["a.js", "x = a / b // c / d", "x = a / b"],
    ["a.js", "x = /[/]\"'/ // c", "x = /...../"],
    ["a.php", "#[Attr]\nf(); # c", "#[Attr]\nf();"],
    ["a.scss", "a { b: url(http://x) } // c", "a { b: url(http://x) }"],
    ["a.yml", "a: b#c # d", "a: b#c"],
    ["a.md", "it's <!-- a\nb --> c", "it's\n      c"],
    ["a.html", "a {# b #} c {% comment %} d {% endcomment %} e", "a         c                                  e"],
    ["a.hbs", "a {{!-- b --}} c {{! d }} {{e}}", "a              c          {{e}}"],
    ["a.html.erb", "a <%# b %> c <%= d %>", "a          c <%= d %>"],
    ["app.js.erb", "f(<%= a %>) // b", "f(<%= a %>)"],
    ["a.blade.php", "a {{-- b --}} {{ $c }}", "a             {{ $c }}"],
    ["a.yaml", "a: 1 # b\n{{- /* c */ -}}\nd: {{ .e }}", "a: 1\n\nd: {{ .e }}"],
    ["a.yaml", "a: {{/* b */ c", "a: {{/* b */ c"],
    ["go.mod", "go 1.22 // b", "go 1.22"],
    ["a.vim", '" a\nlet b = "c"', '\nlet b = "."'],
    ["a.clj", '(f #_(g "a)" [b]) c) #_d e', "(f                c)     e"],
    ["a.rkt", "(f #;(g) h)", "(f       h)"],
    ["a.cmake", "#[[ a\nb ]] c() # d", "\n     c()"],
    ["a.mdx", "a {/* b */} c", "a           c"],
    ["a.unknown", "a // b\n  # c", "a // b\n"],
    ["x", "#!/usr/bin/env python3\nx = '#' # y", "\nx = '.'"]
  ])("%s: %j", (path, source, expected) => {
    assert.strictEqual(left(path, source), expected)
  })

  const texts = Schema.Array(
    Schema.Literals([
      "/*",
      "*/",
      "//",
      "#",
      '"',
      "'",
      "`",
      "${",
      "}",
      "\\",
      "\n",
      " ",
      "<<A",
      "A",
      "[[",
      "]]",
      "--",
      "{-",
      "-}",
      '"""'
    ])
  )
  it.prop("whatever it holds, parts are in order and nothing moves", [texts], ([pieces]) => {
    const source = pieces.join("")
    for (const path of ["a.js", "a.py", "a.rs", "a.lua", "a.hs", "a.rb", "a.sql", "a.vue", "a"]) {
      const language = languageOf(path, source.split("\n"))
      const { code, text } = scan(source, language)
      const breaks = (of: string) => [...of].map((char) => char === "\n")
      assert.deepStrictEqual([breaks(code), breaks(text)], [breaks(source), breaks(source)])
      let done = 0
      for (const { from, to } of partsOf(source, language)) {
        assert.isTrue(from >= done && to > from && to <= source.length)
        done = to
      }
    }
  })
})
