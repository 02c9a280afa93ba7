// Teaches Proofline to read Dart. In your project:
//
//   npm install --save-dev @repomix/tree-sitter-wasms
//   cp node_modules/proofline/examples/dart-language/dart.mjs proofline-dart.mjs
//
// and in proofline.yaml: `plugins: [./proofline-dart.mjs]`. Every capture is explained in docs/languages.md.
import { createRequire } from "node:module"
import { definePlugin, plugin } from "@proofline/kernel"

const grammar = createRequire(import.meta.url).resolve("@repomix/tree-sitter-wasms/out/tree-sitter-dart.wasm")

const query = String.raw`
[(comment) (documentation_comment)] @comment
(import_or_export) @import
(string_literal) @string

; the head of a function stands beside its body, not around it
(class_definition name: (identifier) @name body: (class_body) @body) @type
((method_signature (_ name: (identifier) @name)) @lead . (function_body (_) @body) @function)
((function_signature name: (identifier) @name) @lead . (function_body (_) @body) @function)

[(block) (class_body)] @transparent
((return_statement) @nothing (#match? @nothing "^return(?:\\s+null)?\\s*;$"))
(function_body (null_literal) @nothing)
((expression_statement (throw_expression)) @stub (#match? @stub "^throw\\s+(?:new\\s+)?UnimplementedError\\b"))
((expression_statement (throw_expression)) @stub (#unfinished? @stub))
((function_body (throw_expression) @stub) (#match? @stub "^throw\\s+(?:new\\s+)?UnimplementedError\\b"))
((return_statement [(decimal_integer_literal) (true) (false) (string_literal)]) @constant)

; a class with a base, and a constructor, may be complete by their heads
(class_definition superclass: (_)) @exempt
`

export default definePlugin(plugin("dart-language", { state: null }), {
  version: "1",
  languages: [{ name: "dart", extensions: [".dart"], grammar, query, fail: "throw StateError('neutralised');" }]
})
