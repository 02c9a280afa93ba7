import type { LanguageRules } from "@proofline/kernel"

/** Calls that merely tell somebody something. */
const tells = String.raw`^(?:Write|WriteLine|WriteLineAsync|Print|Log\\w*|Debug|Trace|Info|Information|Warn|Warning|Error|Fatal|Fail|Assert|Ignore|Inconclusive|Skip|Show)$`

/** A plain word such as "todo" is a value; capitals, blanks and "not …" make it a remark. */
const value = String.raw`^[$@]*\"(?!not|un)[a-z0-9_/.:<>-]*\"$`

const missing = String.raw`\\b(?:TODO|FIXME|XXX)\\b`

/** `null`, `default`, and what asynchronous methods give back in their place. */
const nothing = String.raw`(?:\\([\\w.<>\\[\\], ?]+\\)\\s*)?(?:null|default(?:\\([\\w.<>\\[\\], ?]+\\))?|(?:\\w+\\.)*(?:Value)?Task\\.(?:CompletedTask|FromResult(?:<[\\w.<>\\[\\], ?]+>)?\\(\\s*(?:\\([\\w.<>\\[\\], ?]+\\)\\s*)?(?:null|default(?:\\([\\w.<>\\[\\], ?]+\\))?)!?\\s*\\))|new ValueTask\\(\\s*\\))!?`

const empty = String.raw`(?:-\\s*[\\d.]+\\w?|(?:\\w+\\.)*(?:[sS]tring|Guid|TimeSpan|IntPtr|EventArgs)\\.(?:Empty|Zero)|(?:\\w+\\.)*(?:Array|Enumerable|ImmutableArray|ImmutableList)\\.Empty(?:<[\\w.<>\\[\\], ?]+>)?(?:\\(\\s*\\))?|new(?:\\s+[\\w.]+(?:<[\\w.<>\\[\\], ?]+>)?)?(?:\\(\\s*\\)|\\[0?\\](?:\\s*\\{\\s*\\})?)|\\[\\s*\\]|(?:Value)?Task\\.FromResult(?:<[\\w.<>\\[\\], ?]+>)?\\(\\s*(?:true|false|-?\\d+|\"[^\"]*\")\\s*\\))`

/**
 * Branches of the compiler are all read, one behind the other: they seldom are whole statements. Casts to pointers are
 * read as casts to what they point at, and what is behind a pointer as the pointer.
 */
const patches = [
  { pattern: String.raw`(?=#)(?<=^[ \t]*)#[ \t]*[ie](?=f\b|lif\b|lse\b|ndif\b)`, as: "//" },
  { pattern: String.raw`(?=\*)(?<=\([ \t]*[\w.]+[ \t]*)\*+(?=[ \t]*\)[ \t]*[\w(&])`, as: "" },
  { pattern: String.raw`(?=\*[\w(])(?<=(?:[=({,;!?:&|]|\breturn)[ \t]*)\*`, as: "" },
  { pattern: String.raw`(?=\*)(?<=^[ \t]*)\*(?=(?:\w[\w.+]*|\([^()\n]*\))[ \t]*=)`, as: "" },
  { pattern: String.raw`(?=&)(?<=\([ \t]*[\w.]+[ \t]+\)[ \t]*)&(?=[\w(])`, as: "" }
]

export const csharp: LanguageRules = {
  name: "csharp",
  extensions: [".cs", ".csx"],
  grammar: "tree-sitter-c-sharp.wasm",
  fail: 'if (true) throw new System.Exception("neutralised");',
  failExpression: 'throw new System.Exception("neutralised")',
  isFreeForm: true,
  patches,
  query: String.raw`
(comment) @comment
[(string_literal) (verbatim_string_literal) (raw_string_literal) (interpolated_string_expression) (character_literal)] @string
[(using_directive) (extern_alias_directive) (file_scoped_namespace_declaration) (preproc_region) (preproc_endregion)
 (preproc_pragma) (preproc_nullable) (shebang_directive)] @import

(method_declaration (explicit_interface_specifier (_) @scope)? name: (_) @name body: [(block) @body (arrow_expression_clause (_) @body)]?) @function
(local_function_statement name: (_) @name body: [(block) @body (arrow_expression_clause (_) @body)]?) @function
(constructor_declaration name: (_) @name body: [(block) @body (arrow_expression_clause (_) @body)]?) @function
(destructor_declaration "~" @name body: [(block) @body (arrow_expression_clause (_) @body)]?) @function
(operator_declaration operator: _ @name body: [(block) @body (arrow_expression_clause (_) @body)]?) @function
(conversion_operator_declaration "operator" @scope type: (_) @name body: [(block) @body (arrow_expression_clause (_) @body)]?) @function
(property_declaration (explicit_interface_specifier (_) @scope)? name: (_) @name accessors: (accessor_list) @body) @group
(property_declaration (explicit_interface_specifier (_) @scope)? name: (_) @name value: (arrow_expression_clause (_) @body)) @function
(indexer_declaration (explicit_interface_specifier (_) @scope)? "this" @name accessors: (accessor_list) @body) @group
(indexer_declaration (explicit_interface_specifier (_) @scope)? "this" @name value: (arrow_expression_clause (_) @body)) @function
(event_declaration (explicit_interface_specifier (_) @scope)? name: (_) @name accessors: (accessor_list) @body) @group
(accessor_declaration name: _ @name body: [(block) @body (arrow_expression_clause (_) @body)]) @function
[(class_declaration name: (_) @name body: (declaration_list)? @body) (struct_declaration name: (_) @name body: (declaration_list)? @body)
 (record_declaration name: (_) @name body: (declaration_list)? @body) (interface_declaration name: (_) @name body: (declaration_list)? @body)
 (enum_declaration name: (_) @name body: (enum_member_declaration_list)? @body)] @type
(delegate_declaration name: (_) @name) @type
(namespace_declaration name: (_) @name body: (declaration_list) @body) @group
(variable_declarator name: (identifier) @name [(lambda_expression body: (_) @body) (anonymous_method_expression (block) @body)] @function) @wrapper
[(variable_declaration) (field_declaration) (event_field_declaration) (local_declaration_statement)] @wrapper
(global_statement) @wrapper
(global_statement (expression_statement (invocation_expression function: (_) @scope
  arguments: (argument_list (argument (string_literal) @name)? (argument [(lambda_expression body: (_) @body) (anonymous_method_expression (block) @body)] @function) @wrapper .) @wrapper) @wrapper) @wrapper)

[(block) (declaration_list) (accessor_list) (try_statement) (catch_clause) (finally_clause) (if_statement) (lock_statement)
 (checked_statement) (unsafe_statement) (preproc_if) (preproc_else) (preproc_elif)] @transparent
((if_statement condition: (_) @nothing) (#not-match? @nothing "\\w\\s*(?:\\(\\s*[^\\s)]|\\[)"))
(preproc_if condition: (_) @nothing)
(preproc_elif condition: (_) @nothing)
(lock_statement [(identifier) (member_access_expression) (typeof_expression)] @nothing)
[(catch_declaration) (catch_filter_clause) (empty_statement)] @nothing
(return_statement (null_literal)) @nothing
((return_statement) @nothing (#match? @nothing "^return\\b[\\s(]*(?:${nothing}(?:\\s*,\\s*${nothing})*)?[\\s)]*;$"))
((arrow_expression_clause (_) @nothing) (#match? @nothing "^[\\s(]*${nothing}(?:\\s*,\\s*${nothing})*[\\s)]*$"))
((lambda_expression body: (_) @nothing) (#match? @nothing "^[\\s(]*${nothing}[\\s)]*$"))
((yield_statement) @nothing (#match? @nothing "^yield\\s+break\\s*;$"))
((expression_statement) @nothing (#match? @nothing "^(?:await\\s+(?:\\w+\\.)*(?:Value)?Task\\.CompletedTask|_\\s*=\\s*[\\w.]+|_\\s*=\\s*\\([\\w., ]+\\)|\\w+)\\s*;$"))
((throw_statement) @nothing (#match? @nothing "^throw\\s+null!?\\s*;$"))
((local_declaration_statement) @idle (#match? @idle "^[^=]*;$"))
((if_statement condition: (boolean_literal) @_c !alternative) @idle (#eq? @_c "false"))
((throw_expression) @nothing (#match? @nothing "^throw\\s+null!?$"))

[(throw_statement (_)) (throw_expression)] @failure
; thrown: by its name, by its words
([(throw_statement [(object_creation_expression type: (_) @_e) (invocation_expression function: [(identifier) @_e (member_access_expression name: (_) @_e)])])
  (throw_expression [(object_creation_expression type: (_) @_e) (invocation_expression function: [(identifier) @_e (member_access_expression name: (_) @_e)])])] @stub
  (#match? @_e "(?:^|\\.)\\w*(?:NotImplemented|NotYetImplemented|Unimplemented)\\w*$"))
([(throw_statement [(object_creation_expression arguments: (argument_list (argument (_) @_m))) (implicit_object_creation_expression (argument_list (argument (_) @_m)))])
  (throw_expression [(object_creation_expression arguments: (argument_list (argument (_) @_m))) (implicit_object_creation_expression (argument_list (argument (_) @_m)))])] @stub
  (#unfinished? @_m))

; told, returned
((expression_statement (invocation_expression function: [(identifier) @_f (member_access_expression name: (_) @_f)] arguments: (argument_list (argument (_) @_m)))) @stub (#match? @_f "${tells}") (#unfinished? @_m))
((arrow_expression_clause (invocation_expression function: [(identifier) @_f (member_access_expression name: (_) @_f)] arguments: (argument_list (argument (_) @_m))) @stub) (#match? @_f "${tells}") (#unfinished? @_m))
((expression_statement (invocation_expression function: [(identifier) @_f (member_access_expression name: (_) @_f)])) @stub (#match? @_f "^(?:Throw)?(?:TODO|Todo|NotImplemented|NotYetImplemented|Unimplemented)(?:Exception)?$"))
(return_statement [(string_literal) (verbatim_string_literal) (interpolated_string_expression)] @_m (#unfinished? @_m) (#not-match? @_m "${value}")) @stub
((arrow_expression_clause [(string_literal) (verbatim_string_literal) (interpolated_string_expression)] @stub) (#unfinished? @stub) (#not-match? @stub "${value}"))
((return_statement (invocation_expression function: (member_access_expression name: (_) @_f) arguments: (argument_list . (argument (object_creation_expression type: (_) @_e))))) @stub
  (#match? @_f "^(?:FromException|Failure|Fail|Error)(?:<|$)") (#match? @_e "NotImplemented"))
((arrow_expression_clause (invocation_expression function: (member_access_expression name: (_) @_f) arguments: (argument_list . (argument (object_creation_expression type: (_) @_e)))) @stub)
  (#match? @_f "^(?:FromException|Failure|Fail|Error)(?:<|$)") (#match? @_e "NotImplemented"))
([(return_statement (invocation_expression)) (arrow_expression_clause (invocation_expression))] @stub
  (#match? @stub "^(?:return|=>)\\s+(?:\\w+\\.)?StatusCode\\(\\s*(?:501|[\\w.]*Status501NotImplemented|[\\w.()]*HttpStatusCode\\.NotImplemented)\\s*\\)\\s*;?$"))

; a plain value
(return_statement [(integer_literal) (real_literal) (boolean_literal) (string_literal) (character_literal)]) @constant
((return_statement) @constant (#match? @constant "^return\\s+${empty}\\s*;$"))
(arrow_expression_clause [(integer_literal) (real_literal) (boolean_literal) (string_literal) (character_literal)] @constant)
((arrow_expression_clause (_) @constant) (#match? @constant "^${empty}$"))
((expression_statement (await_expression)) @constant (#match? @constant "^await\\s+Task\\.(?:Yield|Delay)\\([\\w.]*\\)\\s*;$"))

; nothing needs to be done in it
[(struct_declaration) (record_declaration) (interface_declaration) (enum_declaration)] @exempt
(class_declaration [(base_list) (attribute_list) (parameter_list)]) @exempt
((class_declaration (modifier) @_m) @exempt (#match? @_m "^(?:partial|abstract)$"))
((interface_declaration body: (declaration_list [(method_declaration body: (_) @_b) @exempt (property_declaration accessors: (accessor_list (accessor_declaration body: (_) @_b) @exempt))])) (#not-unfinished? @_b) (#not-match? @_b "${missing}"))
((constructor_declaration parameters: (parameter_list) @_p body: (_) @_b) @exempt
  (#match? @_p "^\\(\\s*\\)$") (#not-unfinished? @_b) (#not-match? @_b "${missing}|\\bthrow\\b"))
((constructor_declaration (constructor_initializer) body: (_) @_b) @exempt (#not-unfinished? @_b) (#not-match? @_b "${missing}|\\bthrow\\b"))
((destructor_declaration body: (_) @_b) @exempt (#not-unfinished? @_b) (#not-match? @_b "${missing}"))
([(method_declaration name: (_) @_n body: (_) @_b) (local_function_statement name: (_) @_n body: (_) @_b)] @exempt
  (#match? @_n "^_?(?:[nN]o_?[oO]p|NOOP|Nop|[dD]oNothing)$") (#not-unfinished? @_b))
((variable_declarator [(lambda_expression body: (block) @_b) (anonymous_method_expression (block) @_b)]) @exempt (#match? @_b "^\\{\\s*\\}$"))
((class_declaration name: (_) @_n body: (declaration_list (method_declaration body: (_) @_b) @exempt))
  (#match? @_n "^(?:No_?[oO]p|DoNothing)|(?:NoOp|Noop)$") (#match? @_b "^\\{\\s*\\}$"))
`
}
