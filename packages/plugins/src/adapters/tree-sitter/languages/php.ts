import type { LanguageRules } from "@proofline/kernel"

export const php: LanguageRules = {
  name: "php",
  extensions: [".php", ".phtml", ".inc"],
  interpreters: ["php"],
  grammar: "tree-sitter-php.wasm",
  isFreeForm: true,
  query: String.raw`
`
}
