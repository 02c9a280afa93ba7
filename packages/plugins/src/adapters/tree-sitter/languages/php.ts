import type { LanguageRules } from "@proofline/kernel"

const closure = "[(anonymous_function body: (_) @body) (arrow_function body: (_) @body)] @function"

/** Words as an argument. */
const words = `(arguments (argument [(string) @_m (encapsed_string) @_m (binary_expression [(string) (encapsed_string)] @_m)
  (function_call_expression arguments: (arguments (argument [(string) (encapsed_string)] @_m)))]))`

/** Functions that give up, or merely tell somebody something. */
const tells = String.raw`^\\\\?(?:error_log|trigger_error|user_error|die|exit|print_?r?|printf|var_dump|dump|dd|abort|syslog|wp_die|fail|todo|log|logger|info|report|_doing_it_wrong|skip)$`

/** The same of an object. */
const tellsOf =
  "^(?:log|debug|info|notice|warn|warning|error|critical|alert|emergency|write|writeln|writeLine|line|comment|text|note|caution|fail|addFlash|markTestSkipped|skip)$"

/** A plain word such as "todo" is a value; capitals, blanks and "not …" make it a remark. */
const value = String.raw`^[\"'](?:<\\w|(?!not|un)[a-z0-9_/.:<>-]*[\"']$)`

const todoMarkers = String.raw`\\b(?:TODO|FIXME|XXX)\\b`

/** What a framework calls: tests, routes, handlers. */
const called = (call: string, name: string): string =>
  `(${call} ${name}: (name) @scope arguments: (arguments . (argument . [(string) (encapsed_string)] .)? @name (argument . ${closure} .) @wrapper) @wrapper) @wrapper`

export const php: LanguageRules = {
  name: "php",
  extensions: [".php", ".phtml", ".inc", ".phpt", ".php8", ".module", ".install"],
  interpreters: ["php"],
  grammar: "tree-sitter-php.wasm",
  fail: "throw new \\RuntimeException('neutralised');",
  failExpression: "throw new \\RuntimeException('neutralised')",
  query: String.raw`
(comment) @comment
[(string) (encapsed_string) (heredoc) (nowdoc) (shell_command_expression)] @string
[(namespace_use_declaration) (declare_statement) (namespace_definition !body)] @import
(program (expression_statement . [(require_expression) (require_once_expression) (include_expression) (include_once_expression)] .) @import)

(function_definition name: (name) @name body: (compound_statement) @body) @function
(method_declaration name: (name) @name) @function
(method_declaration name: (name) @name body: (compound_statement) @body) @function
(property_hook (name) @name body: (_) @body) @function
(class_declaration name: (name) @name body: (declaration_list) @body) @type
(trait_declaration name: (name) @name body: (declaration_list) @body) @type
[(interface_declaration name: (name) @name) (enum_declaration name: (name) @name)] @type
(namespace_definition name: (_) @name body: (compound_statement) @body) @group
(assignment_expression left: (_) @name right: ${closure}) @wrapper
(expression_statement . (assignment_expression right: [(anonymous_function) (arrow_function)]) .) @wrapper
(array_element_initializer . (string (string_content) @name) . ${closure}) @wrapper
([(expression_statement . [${called("function_call_expression", "function")} ${called("member_call_expression", "name")} ${called("scoped_call_expression", "name")}]) @wrapper
  (expression_statement . (member_call_expression object: [${called("function_call_expression", "function")} ${called("scoped_call_expression", "name")}]) @wrapper) @wrapper]
  (#match? @scope "^(?:x?it|test|todo|describe|beforeEach|afterEach|beforeAll|afterAll|get|post|put|patch|delete|options|any|map|group|middleware|fallback|command|add_action|add_filter|add_shortcode|register_\\w+|on|once|listen|error|before|after|bind|singleton|register|set|task|macro|extend|directive|job|schedule|call)$"))

[(compound_statement) (declaration_list) (colon_block) (expression_statement) (try_statement) (catch_clause) (finally_clause) (if_statement) (else_clause) (else_if_clause)
  (switch_statement) (switch_block) (case_statement) (default_statement) (text_interpolation) (php_tag) (php_end_tag)] @transparent
[(if_statement condition: (_) @nothing) (else_if_clause condition: (_) @nothing) (switch_statement condition: (_) @nothing) (case_statement value: (_) @nothing)]
[(catch_clause type: (_) @nothing) (catch_clause name: (_) @nothing)]
[(empty_statement) (break_statement)] @nothing
((text) @nothing (#match? @nothing "^\\s*$"))
(expression_statement . [(variable_name) (null) (integer) (float) (boolean) (string)] .) @idle
((expression_statement . (encapsed_string) .) @idle (#not-match? @idle "[$]"))
((if_statement condition: (parenthesized_expression (boolean) @_c) !alternative) @idle (#match? @_c "^[fF]"))
(expression_statement . [(variable_name) (null) (integer) (boolean)] @nothing .)
((return_statement) @nothing (#match? @nothing "^return\\b(?:[\\s(]*\\\\?[nN][uU][lL][lL][\\s)]*|\\s*);?$"))
(property_hook body: (null) @nothing)
((arrow_function body: (_) @nothing) (#match? @nothing "^[\\s(]*[nN][uU][lL][lL][\\s)]*$"))

(throw_expression) @failure
; thrown
(throw_expression (object_creation_expression [(name) (qualified_name)] @_c) (#match? @_c "(?:NotImplemented|NotYetImplemented|Unimplemented)\\w*$")) @stub
((throw_expression) @stub (#match? @stub "^throw\\s+\\\\?(?:\\w+\\\\)*(?:NotImplemented|NotYetImplemented|Unimplemented)\\w*::"))
(throw_expression [(object_creation_expression ${words}) (scoped_call_expression arguments: ${words})] (#unfinished? @_m)) @stub
(throw_expression (object_creation_expression (arguments . (argument . (integer) @_s .))) (#eq? @_s "501")) @stub

; told, answered
(echo_statement [(string) @_m (encapsed_string) @_m (binary_expression [(string) (encapsed_string)] @_m) (sequence_expression [(string) (encapsed_string)] @_m)]
  (#unfinished? @_m) (#not-match? @_m "<\\w+[ >]")) @stub
(exit_statement [(string) (encapsed_string)] @_m (#unfinished? @_m)) @stub
(compound_statement [(echo_statement) (expression_statement)] @_m [(exit_statement) @nothing (expression_statement (name) @_e) @nothing] (#unfinished? @_m) (#match? @nothing "^(?:exit|die)\\s*(?:\\(\\s*(?:\\d+\\s*)?\\)\\s*)?;$"))
(print_intrinsic [(string) @_m (encapsed_string) @_m (parenthesized_expression [(string) (encapsed_string)] @_m)] (#unfinished? @_m)) @stub
(function_call_expression function: (_) @_f arguments: ${words} (#match? @_f "${tells}") (#unfinished? @_m) (#not-match? @_m "<\\w+[ >]")) @stub
([(member_call_expression name: (name) @_f arguments: ${words}) (nullsafe_member_call_expression name: (name) @_f arguments: ${words}) (scoped_call_expression name: (name) @_f arguments: ${words})] @stub
  (#match? @_f "${tellsOf}") (#unfinished? @_m) (#not-match? @_m "<\\w+[ >]"))
([(member_call_expression) (scoped_call_expression)] @stub (#match? @stub "(?:->|::)(?:notImplemented\\(|unimplemented\\(|todo\\(|markTestIncomplete\\([\"')])[^\\n]*$"))
((function_call_expression function: (name) @_f) @stub (#match? @_f "^(?:not_?[iI]mplemented|unimplemented|todo|TODO)$"))
((function_call_expression) @stub (#match? @stub "^abort\\(\\s*501\\b"))
((function_call_expression) @nothing (#match? @nothing "^assert\\(\\s*false\\s*\\)$"))
(function_call_expression function: (name) @_f arguments: (arguments . (argument . (boolean) @_b .) . (argument (_) @_m)) (#eq? @_f "assert") (#eq? @_b "false") (#unfinished? @_m)) @stub
(return_statement [(string) (encapsed_string)] @_m (#unfinished? @_m) (#not-match? @_m "${value}")) @stub
(return_statement [(member_call_expression arguments: (arguments (argument . (integer) @_s .))) (scoped_call_expression arguments: (arguments (argument . (integer) @_s .)))
  (function_call_expression arguments: (arguments (argument . (integer) @_s .))) (object_creation_expression (arguments (argument . (integer) @_s .)))] (#eq? @_s "501")) @stub
(return_statement [(member_call_expression arguments: (arguments . (argument [(string) (encapsed_string)] @_m))) (function_call_expression arguments: (arguments . (argument [(string) (encapsed_string)] @_m)))
  (object_creation_expression (arguments . (argument [(string) (encapsed_string)] @_m)))] (#unfinished? @_m) (#not-match? @_m "${value}")) @stub
(return_statement [(array_creation_expression (array_element_initializer (string) @_k (string) @_m))
  (member_call_expression arguments: (arguments . (argument (array_creation_expression (array_element_initializer (string) @_k (string) @_m)))))
  (object_creation_expression (arguments . (argument (array_creation_expression (array_element_initializer (string) @_k (string) @_m)))))]
  (#match? @_k "^.(?:error|message|msg|detail|details|reason|status|result)s?.$") (#unfinished? @_m) (#not-match? @_m "${value}")) @stub
(arrow_function body: [(string) (encapsed_string)] @stub (#unfinished? @stub) (#not-match? @stub "${value}"))

; names kept from being unused
((unset_statement) @nothing (#match? @nothing "^unset\\s*\\([\\s$\\w,]*\\)\\s*;?$"))
((assignment_expression left: (variable_name) @_u right: (variable_name)) @nothing (#match? @_u "^\\$_+$"))

; values in place of the real one
(return_statement [(integer) (float) (string) (encapsed_string) (boolean) (unary_op_expression) (array_creation_expression)] @_v
  (#match? @_v "^(?:\\[\\s*\\]|array\\(\\s*\\)|[^\\[a][\\s\\S]*)$")) @constant

; declared, not written: nothing is missing
(class_declaration [(base_clause) (class_interface_clause) (abstract_modifier) (attribute_list)]) @exempt
((method_declaration name: (name) @_n parameters: (formal_parameters (property_promotion_parameter)) body: (_) @_b) @exempt
  (#eq? @_n "__construct") (#not-match? @_b "${todoMarkers}|\\bthrow\\b") (#not-unfinished? @_b))
((method_declaration name: (name) @_n parameters: (formal_parameters) @_p body: (_) @_b) @exempt
  (#match? @_n "^__(?:construct|destruct)$") (#match? @_p "^\\(\\s*\\)$") (#not-match? @_b "${todoMarkers}|\\bthrow\\b") (#not-unfinished? @_b))
((method_declaration (visibility_modifier) @_v name: (name) @_n body: (_) @_b) @exempt
  (#match? @_v "^(?:private|protected)$") (#match? @_n "^__(?:construct|clone|wakeup)$") (#not-match? @_b "${todoMarkers}|\\bthrow\\b") (#not-unfinished? @_b))
([(method_declaration name: (name) @_n) (function_definition name: (name) @_n)] @exempt (#match? @_n "^_*(?:noop|no_op|noOp|NOOP|doNothing|do_nothing|nothing)$"))
((assignment_expression left: (variable_name) @_n) @exempt (#match? @_n "^\\$_*(?:noop|no_op|noOp|doNothing|nothing)$"))
`
}
