import type { LanguageRules } from "@proofline/kernel"

/** Calls that merely tell somebody something. */
const tells = "^(?:print|println|printf|log|debug|info|warn|warning|error|severe|fine|trace|fail|makeText|[diwev]|wtf)$"

/** A plain word such as "todo" is a value; capitals, blanks and "not …" make it a remark. */
const value = String.raw`^\"(?!not|un)[a-z0-9_/.:<>-]*\"$`

/** A comment or a bare `throw` that says that something is missing. */
const missing = String.raw`\\b(?:TODO|FIXME|XXX)\\b`

/** What others call to say that they are not implemented. */
const helper = "^(?:throw)?_?(?:[nN]otImplemented(?:Yet)?|[uU]nimplemented|todo|TODO)(?:Exception|Error)?$"

export const java: LanguageRules = {
  name: "java",
  extensions: [".java"],
  grammar: "tree-sitter-java.wasm",
  fail: 'if (true) throw new RuntimeException("neutralised");',
  failExpression: '{ throw new RuntimeException("neutralised"); }',
  isFreeForm: true,
  query: String.raw`
[(line_comment) (block_comment)] @comment
[(string_literal) (character_literal)] @string
[(package_declaration) (import_declaration)] @import

(method_declaration name: (_) @name body: (block)? @body) @function
(constructor_declaration name: (_) @name body: (constructor_body) @body) @function
(compact_constructor_declaration name: (_) @name body: (block) @body) @function
(static_initializer "static" @name (block) @body) @function
[(class_declaration name: (_) @name body: (class_body) @body) (record_declaration name: (_) @name body: (class_body) @body)
 (interface_declaration name: (_) @name body: (interface_body) @body) (enum_declaration name: (_) @name body: (enum_body) @body)
 (annotation_type_declaration name: (_) @name body: (annotation_type_body) @body)] @type
(variable_declarator name: (identifier) @name value: (lambda_expression body: (_) @body) @function) @wrapper
[(field_declaration) (local_variable_declaration)] @wrapper

[(block) (constructor_body) (class_body) (try_statement) (catch_clause) (finally_clause) (if_statement)
 (synchronized_statement) (labeled_statement)] @transparent
((if_statement condition: (_) @nothing) (#not-match? @nothing "\\w\\s*\\(\\s*[^\\s)]"))
(synchronized_statement (parenthesized_expression) @nothing)
(labeled_statement (identifier) @nothing)
(catch_formal_parameter) @nothing
(catch_clause body: (block (expression_statement) @nothing) (#match? @nothing "^\\w+\\s*\\.\\s*printStackTrace\\(\\s*\\)\\s*;$"))
((constructor_body (explicit_constructor_invocation) @nothing) (#match? @nothing "^super\\s*\\(\\s*\\)\\s*;$"))
(return_statement (null_literal)) @nothing
((return_statement) @nothing
  (#match? @nothing "^return\\b[\\s(]*(?:(?:\\([\\w.<>\\[\\], ?]+\\)\\s*)?null|(?:\\w+\\.)*Optional(?:Int|Long|Double)?\\.(?:<[^()]*>)?(?:empty|absent)\\(\\s*\\)|CompletableFuture\\.(?:<[^()]*>)?completedFuture\\(\\s*null\\s*\\))?[\\s)]*;$"))
(lambda_expression body: (null_literal) @nothing)
((expression_statement (identifier)) @nothing)
(block ";" @nothing)
((local_variable_declaration) @idle (#match? @idle "^[^=]*$"))
((if_statement condition: (parenthesized_expression (false)) !alternative) @idle)

; thrown: by its name, by its words
(throw_statement (object_creation_expression type: (_) @_e) (#match? @_e "(?:^|\\.)\\w*(?:NotImplemented|NotYetImplemented|Unimplemented)\\w*$")) @stub
((throw_statement (object_creation_expression type: (_) @_e arguments: (argument_list) @_a)) @stub
  (#match? @_e "(?:^|\\.)UnsupportedOperationException$") (#match? @_a "^\\(\\s*\\)$"))
(throw_statement (object_creation_expression arguments: (argument_list (_) @_m)) (#unfinished? @_m)) @stub
(throw_statement (method_invocation name: (_) @_e) (#match? @_e "[nN]otImplemented|[uU]nimplemented")) @stub
(assert_statement . (false) . (_) @_m (#unfinished? @_m)) @stub

; told, returned
(expression_statement (method_invocation name: (_) @_f arguments: (argument_list (_) @_m)) (#match? @_f "${tells}") (#unfinished? @_m)) @stub
(expression_statement (method_invocation object: (method_invocation name: (_) @_f arguments: (argument_list (_) @_m)) name: (_) @_s)
  (#eq? @_f "makeText") (#eq? @_s "show") (#unfinished? @_m)) @stub
(expression_statement (method_invocation name: (_) @_f) (#match? @_f "${helper}")) @nothing
(return_statement (string_literal) @_m (#unfinished? @_m) (#not-match? @_m "${value}")) @stub
(return_statement (method_invocation name: (_) @_f arguments: (argument_list . (object_creation_expression type: (_) @_e))) 
  (#match? @_f "^(?:error|failed|fail|failure|failedFuture|immediateFailedFuture|exceptionally|raiseError|left)$") (#match? @_e "NotImplemented|Unimplemented")) @stub
(return_statement (method_invocation name: (_) @_f arguments: (argument_list . (object_creation_expression arguments: (argument_list (_) @_m)))) 
  (#match? @_f "^(?:error|failed|fail|failure|failedFuture|immediateFailedFuture|exceptionally|raiseError|left)$") (#unfinished? @_m)) @stub
((return_statement (method_invocation)) @stub (#match? @stub "^return\\s+[\\w.]*\\bstatus\\(\\s*(?:501|[\\w.]*NOT_IMPLEMENTED)\\s*\\)(?:\\s*\\.\\s*build\\(\\))?;$"))

(throw_statement) @failure

; a plain value
(return_statement [(decimal_integer_literal) (hex_integer_literal) (decimal_floating_point_literal) (true) (false) (string_literal) (character_literal)]) @constant
((return_statement [(unary_expression) (method_invocation) (object_creation_expression) (array_creation_expression)]) @constant
  (#match? @constant "^return\\s+(?:-\\s*[\\d.]+\\w?|(?:\\w+\\.)*(?:empty\\w*|of|asList|just|new\\w+|ok|build)\\(\\s*\\)|new\\s+[\\w.]+(?:<[\\w<>, ?]*>)?(?:\\(\\s*\\)|\\[0?\\]|\\[\\]\\s*\\{\\s*\\})|(?:\\w+\\.)*(?:completedFuture|ok|just|of)\\(\\s*(?:true|false|-?\\d+|\"[^\"]*\")(?:\\s*,\\s*(?:true|false|-?\\d+|\"[^\"]*\"))*\\s*\\));$"))

; nothing needs to be done in it
[(record_declaration) (interface_declaration) (enum_declaration) (annotation_type_declaration)] @exempt
(class_declaration [(superclass) (super_interfaces)]) @exempt
(class_declaration (modifiers [(annotation) (marker_annotation) "abstract"])) @exempt
((interface_body (method_declaration body: (block) @_b) @exempt) (#not-unfinished? @_b) (#not-match? @_b "${missing}"))
((constructor_declaration parameters: (formal_parameters) @_p body: (_) @_b) @exempt
  (#match? @_p "^\\(\\s*\\)$") (#not-unfinished? @_b) (#not-match? @_b "${missing}|\\bthrow\\b"))
((constructor_declaration (modifiers) @_m parameters: (formal_parameters) @_p body: (_) @_b) @exempt
  (#match? @_m "\\bprivate\\b") (#match? @_p "^\\(\\s*\\)$") (#not-unfinished? @_b) (#not-match? @_b "${missing}"))
((compact_constructor_declaration body: (_) @_b) @exempt (#not-unfinished? @_b) (#not-match? @_b "${missing}|\\bthrow\\b"))
((method_declaration type: (void_type) name: (_) @_n body: (_) @_b) @exempt (#match? @_n "^_?(?:no_?[oO]p|NOOP|nop|doNothing|contextLoads)$") (#not-unfinished? @_b))
((method_declaration name: (_) @_n body: (_) @_b) @exempt
  (#match? @_n "${helper}") (#match? @_b "^\\{\\s*(?:return\\s+)?(?:this\\.)?(?:notImplemented|unimplemented|todo)\\("))
((variable_declarator value: (lambda_expression body: (block) @_b)) @exempt (#match? @_b "^\\{\\s*\\}$"))
((method_declaration (modifiers [(annotation name: (_) @_a) (marker_annotation name: (_) @_a)]) body: (_) @_b) @exempt
  (#match? @_a "^(?:Pointcut|DoNotCall)$") (#not-unfinished? @_b))
((class_declaration name: (_) @_n body: (class_body (method_declaration body: (_) @_b) @exempt))
  (#match? @_n "^(?:No_?[oO]p|NOP|Noop|DoNothing)|(?:NoOp|Noop)$") (#match? @_b "^\\{\\s*\\}$"))
`
}
