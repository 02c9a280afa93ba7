import type { LanguageRules } from "@proofline/kernel"

/** Calls that merely tell somebody something, or end everything with a word about why. */
const tells = String.raw`^(?:[\\w.]+\\.)?(?:print|println|printf|log|debug|info|warn|warning|error|trace|fail|cancel|assert|assume|require)$`

/** What carries a failure in place of a result. */
const failed = String.raw`^(?:[\\w.]+\\.)?(?:failed|raiseError|fail|die|failure|Left|Failure)(?:\\[[\\w\\[\\], .]*\\])?$`

/** A plain word such as "todo" is a value; capitals, blanks and "not …" make it a remark. */
const value = String.raw`^\"+(?!not|un)[a-z0-9_/.:<>-]*\"+$`

const missing = String.raw`\\b(?:TODO|FIXME|XXX)\\b`

/** What effects and results say when they hold nothing. */
const nothing = String.raw`^(?:return\\s+)?(?:None|null|\\(\\)|(?:IO|ZIO|UIO|Task|Future)\\.unit|(?:Future\\.successful|Right|Success|IO\\.pure)(?:\\[[\\w\\[\\], .]*\\])?\\(\\s*(?:\\(\\)|None|null)\\s*\\)|Option\\.empty(?:\\[[\\w\\[\\], .]*\\])?|Optional\\.empty(?:\\(\\))?)$`

const empty = String.raw`^(?:return\\s+)?(?:Nil|(?:\\w+\\.)*(?:List|Seq|Vector|Map|Set|Array|Iterator|Iterable|IndexedSeq|Stream|LazyList|String|Some|Future\\.successful|Right)(?:\\.empty)?(?:\\[[\\w\\[\\], .]*\\])?(?:\\(\\s*(?:true|false|-?\\d+|\"[^\"]*\")?\\s*\\))?|-\\s*[\\d.]+\\w?|-?\\d[\\w.]*|true|false|\"[^\"]*\")$`

/** Arrows in one character, and the type of a lone parameter of a function literal. */
const patches = [
  { pattern: " ⇒|⇒ ", as: "=>" },
  { pattern: " ←|← ", as: "<-" },
  {
    pattern: String.raw`(?=:)(?<=\{\s*(?!this\b|self\b)\w{1,60}\s?):[ \t]*[\w.]+(?:\[[^\]\n]{0,100}\])?(?=[ \t]*=>)`,
    as: ""
  }
]

const literals =
  "(integer_literal) (floating_point_literal) (boolean_literal) (string) (character_literal) (prefix_expression) (identifier) (call_expression) (field_expression) (generic_function)"

export const scala: LanguageRules = {
  name: "scala",
  extensions: [".scala", ".sc", ".sbt"],
  interpreters: ["scala"],
  grammar: "tree-sitter-scala.wasm",
  fail: 'throw new RuntimeException("neutralised");',
  failExpression: 'throw new RuntimeException("neutralised")',
  patches,
  query: String.raw`
[(comment) (block_comment) (using_directive)] @comment
[(string) (interpolated_string_expression) (character_literal)] @string
(import_declaration) @import
(package_clause !body) @import

(function_definition name: (_) @name body: (_) @body) @function
(function_declaration name: (_) @name) @function
((val_definition pattern: (identifier) @name value: (operator_identifier) @body) @function (#eq? @body "???"))
(val_definition pattern: (identifier) @name value: (lambda_expression parameters: (_) . (_) @body)) @function
(val_definition pattern: (identifier) @name value: (block . (lambda_expression parameters: (_) . (_) @body) .)) @function
(class_definition name: (_) @name body: (template_body)? @body) @type
(object_definition name: (_) @name body: (template_body)? @body) @type
(trait_definition name: (_) @name body: (template_body)? @body) @type
(enum_definition name: (_) @name body: (enum_body)? @body) @type
(type_definition name: (_) @name) @type
(package_object name: (_) @name body: (template_body)? @body) @group
(package_clause name: (_) @name body: (template_body) @body) @group
(extension_definition parameters: (parameters . (parameter type: (_) @name)) body: (_) @body) @group
(given_definition name: (_) @name body: (with_template_body) @body) @group
(given_definition !name return_type: (_) @name body: (with_template_body) @body) @group
(given_definition name: (_) @name body: (expression) @body) @function
(given_definition !name return_type: (_) @name body: (expression) @body) @function
; what a framework calls: tests
((call_expression function: (call_expression function: (identifier) @scope arguments: (arguments . (string) @name)) arguments: [(block) (colon_argument (indented_block) @body)] @body) @function
  (#match? @scope "^(?:it|test|describe|they|scenario|Scenario|feature|Feature|property|ignore)$"))
((infix_expression left: (_) @name operator: (_) @_o right: (block) @body) @function (#match? @_o "^(?:in|ignore)$") (#match? @name "^(?:\"|(?:it|they|behavior|should|must)\\b)"))

[(block) (indented_block) (template_body) (with_template_body) (try_expression) (catch_clause) (finally_clause) (if_expression)
 (match_expression) (case_block) (indented_cases) (case_clause)] @transparent
((if_expression condition: (_) @nothing) (#not-match? @nothing "\\w\\s*\\(\\s*[^\\s)]"))
(match_expression value: (_) @nothing)
(case_clause pattern: (_) @nothing)
(case_clause (guard) @nothing)
(catch_clause pattern: (_) @nothing)
[(inline_modifier) (unit) (null_literal)] @nothing
((identifier) @nothing (#eq? @nothing "None"))
([(call_expression) (field_expression) (generic_function) (return_expression)] @nothing (#match? @nothing "${nothing}"))
((return_expression) @nothing (#match? @nothing "^return$"))
((val_definition) @nothing (#match? @nothing "^val\\s+_\\s*=\\s*[\\w.]+$"))

; a value that nobody takes: something stands behind it
(block [(string) (integer_literal) (floating_point_literal) (boolean_literal) (character_literal) (null_literal) (unit)] @idle . (_))
((if_expression) @idle (#match? @idle "^if\\s*\\(\\s*false\\s*\\)") (#not-match? @idle "\\belse\\b"))

(throw_expression) @failure
((call_expression function: (_) @_f) @failure (#match? @_f "^(?:sys\\.)?error$"))

; what says that it is not implemented
((operator_identifier) @stub (#eq? @stub "???"))
((return_expression (operator_identifier) @_o) @stub (#eq? @_o "???"))
((throw_expression [(instance_expression . [(type_identifier) (stable_type_identifier)] @_e) (call_expression function: (_) @_e)]) @stub
  (#match? @_e "(?:^|\\.)\\w*(?:NotImplemented|NotYetImplemented|Unimplemented)\\w*$"))
((throw_expression [(instance_expression . [(type_identifier) (stable_type_identifier)] @_e) (call_expression function: (_) @_e)]) @stub
  (#match? @_e "(?:^|\\.)UnsupportedOperationException$") (#match? @stub "UnsupportedOperationException(?:\\(\\s*\\))?$"))
((throw_expression [(instance_expression arguments: (arguments (_) @_m)) (call_expression arguments: (arguments (_) @_m))]) @stub (#unfinished? @_m))
((call_expression function: (_) @_f arguments: (arguments [(string) (interpolated_string_expression) (infix_expression)] @_m)) @stub (#match? @_f "${tells}") (#unfinished? @_m))
((call_expression function: (_) @_f arguments: (arguments . (_) @_m)) @stub (#match? @_f "${failed}") (#unfinished? @_m))
((return_expression (call_expression function: (_) @_f arguments: (arguments . (_) @_m))) @stub (#match? @_f "${failed}|^sys\\.error$") (#unfinished? @_m))
((call_expression function: (_) @_f) @stub (#match? @_f "^(?:\\w+\\.)*(?:todo|TODO|notImplemented|unimplemented)$"))
([(block (string) @stub) (indented_block (string) @stub) (function_definition body: (string) @stub)] (#unfinished? @stub) (#not-match? @stub "${value}"))

; a plain value
([(block [${literals} (return_expression)] @constant) (indented_block [${literals} (return_expression)] @constant)] (#match? @constant "${empty}"))
((function_definition body: [${literals}] @constant) (#match? @constant "${empty}"))
((function_definition [(comment) (block_comment)] @_c body: [(indented_block . [${literals}] @nothing .) [${literals}] @nothing])
  (#match? @nothing "${empty}") (#match? @_c "${missing}|[nN]ot (?:yet )?implemented|[pP]laceholder|[sS]tub"))

; nothing needs to be done in it
[(object_definition) (trait_definition) (enum_definition)] @exempt
(class_definition [(extends_clause) (class_parameters) (annotation)]) @exempt
(class_definition "case") @exempt
((class_definition (modifiers) @_m) @exempt (#match? @_m "\\b(?:abstract|sealed)\\b"))
((trait_definition body: (template_body (function_definition body: (_) @_b) @exempt)) (#not-unfinished? @_b) (#not-match? @_b "${missing}|\\?\\?\\?"))
((function_definition name: (_) @_n body: (_) @_b) @exempt (#match? @_n "^_?(?:no_?[oO]p|NOOP|nop|doNothing)$") (#not-unfinished? @_b) (#not-match? @_b "\\?\\?\\?"))
((function_definition name: (_) @_n return_type: (_) @_r) @exempt (#match? @_n "^_?(?:notImplemented|unimplemented|todo|TODO)$") (#eq? @_r "Nothing"))
((val_definition value: [(lambda_expression) (block . (lambda_expression) .)] @_b) @exempt (#not-unfinished? @_b) (#not-match? @_b "${missing}|\\?\\?\\?"))
((object_definition name: (_) @_n body: (template_body (function_definition body: (_) @_b) @exempt))
  (#match? @_n "^(?:No_?[oO]p|DoNothing)|(?:NoOp|Noop)$") (#match? @_b "^(?:\\{\\s*\\}|\\(\\))$"))
`
}
