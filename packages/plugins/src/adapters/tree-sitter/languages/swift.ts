import type { LanguageRules } from "@proofline/kernel"

/** Calls that merely tell somebody something, or end everything with a word about why. */
const tells = String.raw`^(?:[\\w.]+\\.)?(?:fatalError|preconditionFailure|assertionFailure|precondition|assert|print|debugPrint|NSLog|os_log|XCTFail|fail|log|debug|info|notice|warn|warning|error|fault|critical|trace|exit|abort)$`

/** A plain word such as "todo" is a value; capitals, blanks and "not …" make it a remark. */
const value = String.raw`^\"+(?!not|un)[a-z0-9_/.:<>-]*\"+$`

const missing = String.raw`\\b(?:TODO|FIXME|XXX)\\b`

/** Comments and blanks alone between braces. */
const bare = String.raw`\\{(?:\\s|//[^\\n]*\\n|/\\*(?:[^*]|\\*(?!/))*\\*/)*\\}$`

const nothing = String.raw`(?:nil|Void\\(\\)|\\(\\s*\\)|\\(\\s*nil(?:\\s*,\\s*nil)*\\s*\\)|\\.none|Optional\\.none|\\.success\\(\\s*\\(\\)\\s*\\))`

/**
 * What the grammar does not know, and all that begins with `#`: its scanner reads that one way or another, depending on
 * what was in its memory before. Branches of the compiler are all read, one behind the other.
 */
const patches = [
  { pattern: String.raw`(?=#)(?<=^[ \t]*)#[ie](?=f\b|lse\b|lseif\b|ndif\b)`, as: "//" },
  { pattern: String.raw`#+"(?:[^"\n]|"(?!#)){0,200}"#+`, as: '""' },
  { pattern: '#+(?=""")|(?<=""")#+', as: "" },
  { pattern: String.raw`#(?:un)?available\s*\([^()\n]*\)`, as: "true" },
  { pattern: String.raw`#(?:selector|keyPath)\s*\([^()\n]*(?:\([^()\n]*\)[^()\n]*)?\)`, as: "0" },
  { pattern: "#(?=[A-Za-z])", as: "_" },
  {
    // before an import the grammar knows it
    pattern: String.raw`@_(?!\w+(?:\([^()\n]*\))?\s+(?:(?:public|package|internal|fileprivate|private)\s+)?import\b)\w+(?:\([^()\n]*\))?`,
    as: ""
  },
  { pattern: String.raw`\bnonisolated\((?:unsafe|nonsending)\)`, as: "" },
  { pattern: String.raw`\bthrows\s*\([\w.]+\)`, as: "throws" },
  {
    pattern: String.raw`\b(?=sending|consuming|borrowing|isolated|copy|consume)(?<=(?:[:,(=]|->)\s*)(?:sending|consuming|borrowing|isolated|copy|consume)[ \t]+(?=[@\w[(])`,
    as: ""
  },
  { pattern: String.raw`(?=~)(?<=[[,(]\s*)~(?=[\w(])`, as: "" },
  { pattern: "(?=[^\\w`\\n][^`\\n]{0,100}`)(?<=\\bfunc `[^`\\n]{0,100})[^`]", as: "_" }
]

const condition =
  "[(simple_identifier) (value_binding_pattern) (type_annotation) (navigation_expression) (call_expression) (comparison_expression) (equality_expression) (conjunction_expression) (disjunction_expression) (prefix_expression) (nil_coalescing_expression) (check_expression) (as_expression) (try_expression) (tuple_expression) (boolean_literal) (availability_condition)] @nothing"

export const swift: LanguageRules = {
  name: "swift",
  extensions: [".swift"],
  interpreters: ["swift"],
  grammar: "tree-sitter-swift.wasm",
  fail: 'fatalError("neutralised");',
  failExpression: 'fatalError("neutralised")',
  patches,
  query: String.raw`
[(comment) (multiline_comment) (shebang_line)] @comment
[(line_string_literal) (multi_line_string_literal) (raw_string_literal) (regex_literal)] @string
[(import_declaration) (directive)] @import

(function_declaration "func" . name: _ @name body: (function_body)? @body) @function
(protocol_function_declaration name: (simple_identifier) @name) @function
(init_declaration "init" @name body: (function_body)? @body) @function
(deinit_declaration "deinit" @name body: (function_body) @body) @function
(subscript_declaration "subscript" @name (computed_property (statements)) @body) @function
((subscript_declaration "subscript" @name (computed_property) @body) @function (#match? @body "^${bare}"))
(subscript_declaration "subscript" @name (computed_property [(computed_getter) (computed_setter)]) @body) @group
(property_declaration name: (pattern bound_identifier: (_) @name) computed_value: (computed_property (statements)) @body) @function
((property_declaration name: (pattern bound_identifier: (_) @name) computed_value: (computed_property) @body) @function (#match? @body "^${bare}"))
(property_declaration name: (pattern bound_identifier: (_) @name) computed_value: (computed_property [(computed_getter) (computed_setter) (computed_modify)]) @body) @group
(property_declaration name: (pattern bound_identifier: (_) @name) (willset_didset_block) @body) @group
(property_declaration name: (pattern bound_identifier: (_) @name) value: [(lambda_literal) @body (call_expression . (lambda_literal) @body)]) @function
(computed_getter (getter_specifier "get" @name) (statements) @body) @function
(computed_setter (setter_specifier "set" @name) (statements) @body) @function
(computed_modify (modify_specifier) @name (statements) @body) @function
((computed_getter (getter_specifier "get" @name) @body) @function (#match? @function "^[^{}]*${bare}"))
((computed_setter (setter_specifier "set" @name) @body) @function (#match? @function "^[^{}]*${bare}"))
(willset_clause "willSet" @name (statements) @body) @function
(didset_clause "didSet" @name (statements) @body) @function
(class_declaration name: (_) @name body: (_) @body) @type
(protocol_declaration name: (_) @name body: (_) @body) @type
(typealias_declaration name: (type_identifier) @name) @type
; what a framework calls: tests, routes
((call_expression . (_) @scope (call_suffix (value_arguments . (value_argument value: (line_string_literal) @name)) (lambda_literal) @body)) @function
  (#match? @scope "^(?:\\w+\\.)?(?:it|test|describe|context|fit|xit|get|post|put|patch|delete|on)$"))

[(function_body) (statements) (computed_property) (class_body) (enum_class_body) (lambda_literal) (if_statement) (guard_statement) (do_statement) (catch_block) (getter_specifier) (setter_specifier)] @transparent
[(getter_specifier (_) @transparent) (setter_specifier (_) @transparent)]
; a field of repeated conditions names the first one only
([(if_statement ${condition}) (guard_statement ${condition})] (#not-match? @nothing "\\w\\s*\\(\\s*[^\\s)]"))
[(else) (catch_keyword) (lambda_function_type) (capture_list)] @nothing
(catch_block error: (_) @nothing)
((control_transfer_statement) @nothing (#match? @nothing "^return(?:\\s*${nothing})?\\s*;?$"))
((statements (_) @nothing) (#match? @nothing "^${nothing}$"))
((assignment) @nothing (#match? @nothing "^_\\s*=\\s*(?:[\\w.]+|\\([\\w., ]+\\))$"))
((property_declaration) @nothing (#match? @nothing "^let\\s+_\\s*=\\s*[\\w.]+$"))
((function_body (statements (assignment) @idle)) (#match? @idle "^_\\s*=\\s*[a-z]\\w*$"))
((function_body (statements (property_declaration) @idle)) (#match? @idle "^(?:let|var)\\s+\\w+\\s*:[^={]*$"))
((if_statement) @idle (#match? @idle "^if\\s+false\\s*\\{") (#not-match? @idle "\\belse\\b"))

; what says that it is not implemented
((call_expression . (simple_identifier) @_f (call_suffix (value_arguments) @_a)) @stub
  (#match? @_f "^(?:fatalError|preconditionFailure|assertionFailure)$") (#match? @_a "^\\(\\s*\\)$"))
((call_expression . (_) @_f (call_suffix (value_arguments (value_argument value: (_) @_m)))) @stub (#match? @_f "${tells}") (#unfinished? @_m))
((call_expression . (simple_identifier) @_f) @stub (#match? @_f "^(?:TODO|XCTUnimplemented)$"))
((call_expression . (simple_identifier) @_f) @nothing (#match? @_f "^(?:todo|notImplemented|unimplemented)$"))
((control_transfer_statement result: (call_expression . (simple_identifier) @_f (call_suffix (value_arguments) @_a))) @stub
  (#match? @_f "^(?:fatalError|preconditionFailure)$") (#match? @_a "^\\(\\s*\\)$"))
((control_transfer_statement result: (call_expression . (_) @_f (call_suffix (value_arguments) @_a))) @stub
  (#match? @_f "^(?:fatalError|preconditionFailure|todo|TODO|notImplemented|unimplemented|[\\w.]*\\.failure|Fail|[\\w.]*\\.reject)$") (#unfinished? @stub))
((statements (call_expression . (_) @_f (call_suffix (value_arguments) @_a)) @stub) (#match? @_f "^[\\w.]*\\.(?:failure|reject)$") (#unfinished? @_a))
(control_transfer_statement (throw_keyword) (_)) @failure
((call_expression . (_) @_f) @failure (#match? @_f "^(?:fatalError|preconditionFailure|assertionFailure)$"))
((control_transfer_statement (throw_keyword) (_) @_e) @stub (#unfinished? @_e))
((control_transfer_statement result: (line_string_literal) @_m) @stub (#unfinished? @_m) (#not-match? @_m "${value}"))
((statements (line_string_literal) @stub) (#unfinished? @stub) (#not-match? @stub "${value}"))

; a plain value
((control_transfer_statement) @constant
  (#match? @constant "^return\\s+(?:-?[\\d.]+|true|false|\"[^\"]*\"|\\[\\s*:?\\s*\\]|\\.zero|\\.empty|[A-Z][\\w.]*(?:<[\\w<>, ]+>)?\\(\\s*\\)|\\[[\\w<>, .:]+\\]\\(\\s*\\))$"))
((statements (_) @constant) (#match? @constant "^(?:-?[\\d.]+|true|false|\"[^\"]*\"|\\[\\s*:?\\s*\\]|\\.zero|\\.empty)$"))

; nothing needs to be done in it
(protocol_declaration) @exempt
(class_declaration declaration_kind: ["struct" "enum"]) @exempt
(class_declaration [(inheritance_specifier) (modifiers (attribute))]) @exempt
((init_declaration body: (_) @_b) @exempt (#match? @exempt "^[^{]*\\binit[?!]?\\s*\\(\\s*\\)") (#not-unfinished? @_b) (#not-match? @_b "${missing}|\\bthrow\\b|\\bfatalError\\b|\\breturn nil\\b"))
((init_declaration (modifiers) @_m) @exempt (#match? @_m "\\brequired\\b") (#match? @exempt "^[^{]*\\binit[?!]?\\s*\\(\\s*coder\\b"))
((init_declaration (modifiers) @_m body: (_) @_b) @exempt
  (#match? @_m "\\brequired\\b") (#match? @_b "^\\{\\s*fatalError\\(\"init\\([^\"]*\\) has not been implemented\"\\)\\s*\\}$"))
((deinit_declaration body: (_) @_b) @exempt (#not-unfinished? @_b) (#not-match? @_b "${missing}"))
((function_declaration name: (simple_identifier) @_n body: (_) @_b) @exempt (#match? @_n "^_?(?:no_?[oO]p|NOOP|nop|doNothing)$") (#not-unfinished? @_b))
((function_declaration name: (simple_identifier) @_n) @exempt
  (#match? @_n "^_?(?:notImplemented|unimplemented|todo|TODO)$") (#match? @exempt "-> Never\\b|\\{\\s*(?:return\\s+)?(?:self\\.)?(?:notImplemented|unimplemented|todo|TODO)\\("))
((property_declaration value: (lambda_literal) @_b) @exempt (#match? @_b "^\\{(?:[\\w\\s,:()_]*\\bin\\b)?\\s*\\}$"))
((class_declaration name: (_) @_n body: (_ (function_declaration body: (_) @_b) @exempt))
  (#match? @_n "^(?:No_?[oO]p|DoNothing)|(?:NoOp|Noop)$") (#match? @_b "^\\{\\s*\\}$"))
`
}
