import type { LanguageRules } from "@proofline/kernel"

/** Calls that merely tell somebody something, or end everything with a word about why. */
const tells = String.raw`^(?:[\\w.]+\\.)?(?:print|println|log|debug|info|warn|warning|error|severe|trace|fail|[diwev]|wtf|assert|check|require)$`

/** A plain word such as "todo" is a value; capitals, blanks and "not …" make it a remark. */
const value = String.raw`^\"+(?!not|un)[a-z0-9_/.:<>-]*\"+$`

const missing = String.raw`\\b(?:TODO|FIXME|XXX)\\b`

/** Comments and blanks alone between braces. */
const bare = String.raw`^\\{(?:\\s|//[^\\n]*\\n|/\\*(?:[^*]|\\*(?!/))*\\*/)*\\}$`

export const kotlin: LanguageRules = {
  name: "kotlin",
  extensions: [".kt", ".kts"],
  grammar: "tree-sitter-kotlin.wasm",
  fail: 'if (true) throw RuntimeException("neutralised");',
  failExpression: 'throw RuntimeException("neutralised")',
  query: String.raw`
[(line_comment) (block_comment)] @comment
(shebang) @comment
[(string_literal) (multiline_string_literal) (character_literal)] @string
[(package_header) (import) (file_annotation)] @import

(function_declaration name: (_) @name (function_body [(block) (expression)] @body)?) @function
(function_declaration [(user_type) (nullable_type) (parenthesized_type)] @scope "." name: (_) @name) @function
(secondary_constructor "constructor" @name (block)? @body) @function
(anonymous_initializer "init" @name (block) @body) @function
(getter "get" @name (function_body [(block) (expression)] @body)) @function
(setter "set" @name (function_body [(block) (expression)] @body)) @function
(property_declaration (variable_declaration . (identifier) @name) [(getter) (setter)]) @group
(property_declaration (variable_declaration (identifier) @name) [
  (lambda_literal) @body (anonymous_function (function_body [(block) (expression)] @body))]) @function
; what a build only names has nothing to do: val jvmTest by getting {}
((property_declaration (variable_declaration (identifier) @name)
  (property_delegate (call_expression . (_) @_by (annotated_lambda (lambda_literal) @body)))) @function
  (#not-match? @_by "^(?:getting|creating|registering|existing)\\b"))
((property_declaration (variable_declaration (identifier) @name) (call_expression . (identifier) @_t) @body) @function (#eq? @_t "TODO"))
(class_declaration name: (_) @name [(class_body) (enum_class_body)]? @body) @type
(object_declaration name: (_) @name (class_body)? @body) @type
(companion_object name: (_)? @name (class_body)? @body) @type
(type_alias type: (_) @name) @type
; what a framework calls: tests, routes, tasks
((call_expression (call_expression . (_) @scope (value_arguments . (value_argument (string_literal) @name))) (annotated_lambda (lambda_literal) @body)) @function
  (#match? @scope "^(?:[\\w.]+\\.)?(?:it|test|describe|context|given|Given|When|Then|should|scenario|feature|get|post|put|patch|delete|route|register|task)$"))
(source_file (call_expression . (identifier) @name (annotated_lambda (lambda_literal) @body)) @function)

[(block) (class_body) (enum_class_body) (lambda_literal) (try_expression) (catch_block) (finally_block) (if_expression) (when_expression) (when_entry) (as_expression)] @transparent
((if_expression condition: (_) @nothing) (#not-match? @nothing "\\w\\s*\\(\\s*[^\\s)]"))
[(when_subject) (lambda_parameters)] @nothing
(when_entry condition: (_) @nothing)
(as_expression right: (_) @nothing)
(catch_block [(identifier) (user_type)] @nothing)
(catch_block (block (call_expression) @nothing) (#match? @nothing "^\\w+\\.printStackTrace\\(\\)$"))
([(block (identifier) @nothing) (function_body (identifier) @nothing) (lambda_literal (identifier) @nothing) (if_expression (identifier) @nothing)
  (when_entry (identifier) @nothing) (as_expression left: (identifier) @nothing)] (#match? @nothing "^(?:null|Unit)$"))
((return_expression) @nothing
  (#match? @nothing "^return(?:@\\w+)?(?:\\s+\\(?(?:null(?:\\s+as\\s+[\\w.<>?]+)?|Unit|(?:\\w+\\.)*Optional\\.empty(?:<[\\w.<>?]+>)?\\(\\)|Result\\.success\\((?:Unit|null)\\)|CompletableFuture\\.completedFuture\\(null\\))\\)?)?$"))
([(block (call_expression) @nothing) (function_body (call_expression) @nothing)] (#match? @nothing "^(?:Optional\\.empty(?:<[\\w.<>?]+>)?\\(\\)|Result\\.success\\((?:Unit|null)\\)|CompletableFuture\\.completedFuture\\(null\\))$"))
((property_declaration) @nothing (#match? @nothing "^val\\s+_\\s*=\\s*[\\w.]+$"))
; a value that nobody takes: something stands behind it
((block [(string_literal) (number_literal) (float_literal) (character_literal) (identifier)] @idle . (_))
  (#match? @idle "^(?:\"[^$]*\"|'.*'|\\d[\\w.]*|Unit|null|true|false)$"))
((block (property_declaration) @idle) (#match? @idle "^va[lr]\\s+\\w+\\s*:[^={]*$"))
((if_expression condition: (_) @_c) @idle (#eq? @_c "false") (#not-match? @idle "\\belse\\b"))

; what says that it is not implemented
((call_expression . [(identifier) (navigation_expression)] @_f) @stub (#match? @_f "^(?:kotlin\\.)?TODO$"))
((call_expression . (identifier) @_f) @nothing (#match? @_f "^(?:todo|notImplemented|unimplemented)$"))
(throw_expression) @failure
((call_expression . (identifier) @_f) @failure (#match? @_f "^(?:error|fail)$"))
((throw_expression (call_expression . [(identifier) (navigation_expression)] @_e)) @stub
  (#match? @_e "(?:^|\\.)(?:\\w*(?:NotImplemented|NotYetImplemented|Unimplemented)\\w*|TODO|notImplemented)$"))
((throw_expression (call_expression . [(identifier) (navigation_expression)] @_e (value_arguments) @_a)) @stub
  (#match? @_e "(?:^|\\.)UnsupportedOperationException$") (#match? @_a "^\\(\\s*\\)$"))
((throw_expression (call_expression (value_arguments (value_argument (_) @_m)))) @stub (#unfinished? @_m))
((return_expression (call_expression . (identifier) @_f)) @stub (#match? @_f "^(?:TODO|todo|notImplemented|unimplemented)$"))
((return_expression (throw_expression (call_expression . (_) @_e))) @stub (#match? @_e "NotImplemented|^TODO$"))
((call_expression . [(identifier) (navigation_expression)] @_f (value_arguments (value_argument [(string_literal) (multiline_string_literal) (binary_expression)] @_m))) @stub
  (#match? @_f "${tells}") (#unfinished? @_m))
([(block (call_expression . (_) @_f (value_arguments . (value_argument (call_expression) @_m))) @stub)
  (function_body (call_expression . (_) @_f (value_arguments . (value_argument (call_expression) @_m))) @stub)
  (return_expression (call_expression . (_) @_f (value_arguments . (value_argument (call_expression) @_m)))) @stub]
  (#match? @_f "(?:^|\\.)(?:failure|error|failedFuture|Left|Failure|Error)$") (#unfinished? @_m))
((return_expression [(string_literal) (multiline_string_literal)] @_m) @stub (#unfinished? @_m) (#not-match? @_m "${value}"))
((function_body (string_literal) @stub) (#unfinished? @stub) (#not-match? @stub "${value}"))

; a plain value
(return_expression [(number_literal) (float_literal) (string_literal) (character_literal)]) @constant
([(return_expression) (function_body (call_expression) @constant)] @constant
  (#match? @constant "^(?:return\\s+)?(?:-\\s*[\\d.]+\\w?|true|false|(?:\\w+\\.)*(?:empty\\w+|listOf|mapOf|setOf|arrayOf|mutable\\w+Of|sequenceOf|flowOf|emptyFlow|ArrayList|HashMap|HashSet)(?:<[\\w.<>?, ]+>)?\\(\\s*\\))$"))
(function_body [(number_literal) (float_literal) (string_literal) (character_literal)] @constant)
((function_body (identifier) @constant) (#match? @constant "^(?:true|false)$"))

; nothing needs to be done in it
[(object_declaration) (companion_object)] @exempt
(class_declaration "interface") @exempt
(class_declaration [(delegation_specifiers) (enum_class_body) (primary_constructor (class_parameters (class_parameter)))]) @exempt
(class_declaration (modifiers [(annotation) (class_modifier)])) @exempt
((class_declaration (modifiers (inheritance_modifier) @_m)) @exempt (#eq? @_m "abstract"))
((class_declaration "interface" (class_body (function_declaration (function_body) @_b) @exempt)) (#not-unfinished? @_b) (#not-match? @_b "${missing}"))
((secondary_constructor (constructor_delegation_call) (block) @_b) @exempt (#not-unfinished? @_b) (#not-match? @_b "${missing}|\\bthrow\\b"))
((secondary_constructor (function_value_parameters) @_p (block) @_b) @exempt
  (#match? @_p "^\\(\\s*\\)$") (#not-unfinished? @_b) (#not-match? @_b "${missing}|\\bthrow\\b"))
((function_declaration name: (_) @_n (function_body) @_b) @exempt (#match? @_n "^_?(?:no_?[oO]p|NOOP|nop|doNothing|contextLoads)$") (#not-unfinished? @_b))
((function_declaration name: (_) @_n (user_type) @_r) @exempt (#match? @_n "^_?(?:notImplemented|unimplemented|todo|TODO)$") (#eq? @_r "Nothing"))
; chosen by whoever has to override it
((function_declaration (modifiers [(member_modifier) (inheritance_modifier)] @_m) (function_body (identifier) @_b)) @exempt
  (#match? @_m "^(?:override|open)$") (#eq? @_b "Unit"))
((property_declaration (lambda_literal) @_b) @exempt (#match? @_b "^\\{(?:[\\w\\s,:]*->)?\\s*\\}$"))
((property_declaration (anonymous_function (function_body (block) @_b))) @exempt (#match? @_b "^\\{\\s*\\}$"))
([(class_declaration name: (_) @_n (class_body (function_declaration (function_body (block) @_b)) @exempt))
  (object_declaration name: (_) @_n (class_body (function_declaration (function_body (block) @_b)) @exempt))]
  (#match? @_n "^(?:No_?[oO]p|DoNothing)|(?:NoOp|Noop)$") (#match? @_b "${bare}") (#not-unfinished? @_b) (#not-match? @_b "${missing}"))
`
}
