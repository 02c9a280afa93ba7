/** Grammars for what lowlight's common ones leave out. */
import type { LanguageFn } from "lowlight"

export const dockerfile: LanguageFn = (hljs) => ({
  name: "Dockerfile",
  case_insensitive: true,
  keywords:
    "from as maintainer expose env arg user onbuild stopsignal run cmd entrypoint volume add copy workdir label healthcheck shell",
  contains: [
    hljs.HASH_COMMENT_MODE,
    hljs.APOS_STRING_MODE,
    hljs.QUOTE_STRING_MODE,
    hljs.NUMBER_MODE,
    { scope: "variable", begin: /\$(?:\{[^}\n]*\}|\w+)/ }
  ]
})

export const scala: LanguageFn = (hljs) => {
  const inserted = { scope: "subst", variants: [{ begin: /\$\w+/ }, { begin: /\$\{/, end: /\}/ }] }
  return {
    name: "Scala",
    keywords: {
      keyword:
        "abstract case catch class def derives do else end enum export extends extension final finally for given if implicit import infix inline lazy match new object open opaque override package private protected return sealed super then this throw trait transparent try type using val var while with yield",
      literal: "true false null"
    },
    contains: [
      hljs.C_LINE_COMMENT_MODE,
      hljs.COMMENT(/\/\*/, /\*\//, { contains: ["self"] }),
      { scope: "string", begin: /[a-z]+"""/, end: /"""/, contains: [inserted] },
      { scope: "string", begin: /"""/, end: /"""/ },
      { scope: "string", begin: /[a-z]+"/, end: /"/, illegal: /\n/, contains: [hljs.BACKSLASH_ESCAPE, inserted] },
      hljs.QUOTE_STRING_MODE,
      { scope: "string", begin: /'(?:\\.|[^\\'\n])'/ },
      { match: [/\b(?:class|trait|object|enum|type)/, /\s+/, /\w+/], scope: { 1: "keyword", 3: "title.class" } },
      { match: [/\bdef/, /\s+/, /[^\s([:=]+/], scope: { 1: "keyword", 3: "title.function" } },
      { scope: "meta", begin: /@\w+/ },
      { scope: "type", begin: /\b[A-Z]\w*/ },
      hljs.C_NUMBER_MODE
    ]
  }
}
