import { assert, describe, it } from "@effect/vitest"
import { neverShown } from "../../../packages/plugins/src/text/branches.ts"
import { languageOf } from "../../../packages/plugins/src/text/languages.ts"
import { scan } from "../../../packages/plugins/src/text/scan.ts"

/** What of a template is never shown. */
const off = (path: string, source: string): ReadonlyArray<string> => {
  const language = languageOf(path, [])
  const { text } = scan(source, language)
  return neverShown(text, language.branches ?? []).map(({ from, to }) => source.slice(from, to))
}

describe("what a template never shows", () => {
  it.each([
    ["a.html", "a{% if false %}b{% else %}c{% endif %}d", ["{% if false %}b"]],
    ["a.j2", "{% if true %}a{% elif x %}b{% else %}c{% endif %}", ["{% elif x %}b", "{% else %}c{% endif %}"]],
    ["a.j2", "{% if x %}a{% if 1 == 2 %}b{% endif %}{% endif %}", ["{% if 1 == 2 %}b{% endif %}"]],
    ["a.hbs", "{{#if false}}a{{/if}}b", ["{{#if false}}a{{/if}}"]],
    [
      "a.yaml",
      "{{- if and false .x }}\na: 1\n{{- with .y }}\nb: 1\n{{- end }}\n{{- end }}\nc: 1",
      ["{{- if and false .x }}\na: 1\n{{- with .y }}\nb: 1\n{{- end }}\n{{- end }}"]
    ],
    [
      "a.html.erb",
      "<% if false %><% a.each do |b| %>c<% end %><% end %>d",
      ["<% if false %><% a.each do |b| %>c<% end %><% end %>"]
    ],
    ["a.ejs", "<% if (false) { %>a<% } else { %>b<% } %>c", ["<% if (false) { %>a"]],
    ["a.blade.php", "@if (false)\na\n@else\nb\n@endif", ["@if (false)\na\n"]],
    ["a.cmake", "if(OFF)\na()\nelseif(B)\nb()\nendif()", ["if(OFF)\na()\n"]],
    [
      "a.html",
      '<p v-if="false"><p>a</p>b</p>c<i x-show="0" />d',
      ['<p v-if="false"><p>a</p>b</p>', '<i x-show="0" />']
    ],
    ["a.html", '<img alt="a > b" v-if="false">c', ['<img alt="a > b" v-if="false">']]
  ])("when %s is read, then it is found: %s", (path, source, expected) => {
    assert.deepStrictEqual(off(path, source), expected)
  })

  it.each([
    ["a.html", "{% if flag %}a{% endif %}"],
    ["a.html", "{# {% if false %} #}a{% endif %}"],
    ["a.yaml", "{{- if .Values.on }}\na: false\n{{- end }}"],
    ["a.html", '<p v-if="shown">a</p>'],
    ["a.cmake", "if(WIN32)\na()\nendif()"],
    ["a.html", "if (false) is never true"]
  ])("when %s depends on something, then nothing is found: %s", (path, source) => {
    assert.deepStrictEqual(off(path, source), [])
  })

  it("when a text is made to be slow, then it is not", () => {
    for (const part of ["{% if ", "<% ", "{{ if ", '<a v-if="false" ', "{false &&", "{{#if {{", "<p v-if='0'><p>"])
      off("a.html.erb", part.repeat(20_000))
  })
})
