import type { LanguageRules } from "@proofline/kernel"

export const go: LanguageRules = {
  name: "go",
  extensions: [".go"],
  grammar: "tree-sitter-go.wasm",
  fail: 'panic("neutralised");',
  query: String.raw`
(comment) @comment
[(interpreted_string_literal) (raw_string_literal) (rune_literal)] @string
[(package_clause) (import_declaration)] @import

(function_declaration name: (identifier) @name body: (block)? @body) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @scope (generic_type type: (_) @scope)
    (pointer_type [(type_identifier) @scope (generic_type type: (_) @scope)])
    (parenthesized_type)]))
  name: (field_identifier) @name body: (block)? @body) @function
(type_declaration . [(type_spec) (type_alias)] .) @wrapper
[(type_spec name: (_) @name type: (_) @body) (type_alias name: (_) @name)] @type
(method_elem name: (_) @name) @function

; functions with a name of their own
(var_spec . name: (identifier) @name value: (expression_list . (func_literal body: (block) @body) @function .) @wrapper) @wrapper
(var_declaration . (var_spec) .) @wrapper
(short_var_declaration left: (expression_list . (identifier) @name .)
  right: (expression_list . (func_literal body: (block) @body) @function .) @wrapper) @wrapper
(assignment_statement left: (expression_list . [(identifier) (selector_expression)] @name .)
  right: (expression_list . (func_literal body: (block) @body) @function .) @wrapper) @wrapper
(keyed_element key: (literal_element (identifier) @name) value: (literal_element (func_literal body: (block) @body) @function) @wrapper) @wrapper
; a field of a table that has nothing to do; commands and handlers have
((keyed_element key: (_) @_k value: (literal_element (func_literal body: (block) @_b))) @exempt
  (#not-match? @_k "^(?:\\w*Run\\w*|\\w*[hH]andle\\w*|Action|Exec\\w*|Resolve\\w*|Do)$") (#match? @_b "^\\{\\s*\\}$"))

; parts of tests
((expression_statement (call_expression function: [(selector_expression) (identifier)] @_f
  arguments: (argument_list . (_) @name (func_literal body: (block) @body) @function .) @wrapper) @wrapper) @wrapper
  (#match? @_f "^(?:(?:t|b|s|suite|m)\\.Run|(?:ginkgo\\.)?[FPX]?(?:Describe|Context|When|It|Specify|Measure)|Convey)$"))
((expression_list . (call_expression function: [(selector_expression) (identifier)] @_f
  arguments: (argument_list . (_) @name (func_literal body: (block) @body) @function .) @wrapper) @wrapper .) @wrapper
  (#match? @_f "^(?:ginkgo\\.)?[FPX]?(?:Describe|Context|When)$"))
(var_spec . name: (identifier) @_n value: (expression_list (call_expression)) (#eq? @_n "_")) @wrapper

[(block) (statement_list) (if_statement)] @transparent
(if_statement condition: (_) @nothing)
(empty_statement) @nothing
((return_statement) @nothing
  (#match? @nothing "^return(?:\\s+(?:nil|zero|\\*new\\([\\w.]+\\))(?:\\s*,\\s*(?:nil|zero|\\*new\\([\\w.]+\\)))*)?\\s*;?$"))
((assignment_statement) @nothing (#match? @nothing "^_(?:\\s*,\\s*_)*\\s*=[\\w\\s.,&*\"]*$"))
(block (statement_list (var_declaration (var_spec . name: (_) @_n value: (expression_list [(identifier) (selector_expression)])) (#eq? @_n "_")) @nothing))
(block (statement_list (var_declaration (var_spec !value)) @nothing))
((block (statement_list (var_declaration (var_spec !value)) @idle)) (#match? @idle "^var\\s+\\w[^=\\n]*$"))
(block (statement_list (var_declaration (var_spec . name: (_) @_n value: (expression_list [(identifier) (selector_expression)])) (#eq? @_n "_")) @idle))
((block (statement_list (assignment_statement) @idle)) (#match? @idle "^_(?:\\s*,\\s*_)*\\s*=[\\w\\s.,&*\"]*$"))
(if_statement condition: (false) !alternative) @idle
((expression_statement (call_expression function: (selector_expression) @_f)) @nothing
  (#match? @_f "^(?:t|b|tb)\\.(?:Parallel|SkipNow)$"))
((expression_statement (call_expression)) @nothing (#match? @nothing "^(?:t|b|tb)\\.Skip\\(\\)$"))

; what says that it is not implemented
(expression_statement (call_expression function: (identifier) @_f arguments: (argument_list) @_m)
  (#eq? @_f "panic") (#unfinished? @_m)) @stub
((expression_statement (call_expression function: (identifier) @_f arguments: (argument_list) @_m)) @stub
  (#eq? @_f "panic") (#match? @_m "^\\([&*\\w.]*(?:[nN]ot(?:Yet)?Impl|[uU]nimpl)"))
((expression_statement (call_expression function: [(identifier) (selector_expression)] @_f arguments: (argument_list) @_m)) @stub
  (#match? @_f "(?:^|\\.)(?:[pP]rint(?:ln|f)?|Fprint(?:ln|f)?|Fatal(?:ln|f|w)?|Panic(?:ln|f|w)?|Log(?:f|ln)?|Skipf?|Error[fw]?|Warn(?:ing)?[fw]?|Info[fw]?|Debug[fw]?|Trace[fw]?|Msg|WriteHeader|WriteString|Fail|FailNow|Exit|JSON|String|AbortWithStatus\\w*)$")
  (#unfinished? @_m) (#not-match? @_m "\\w\\([^)]*\\w"))
((expression_statement (call_expression function: [(identifier) (selector_expression)] @_f arguments: (argument_list) @_m)) @stub
  (#match? @_f "(?:^|\\.)(?:WriteHeader|Error|JSON|String|Status|AbortWithStatus\\w*)$") (#match? @_m "StatusNotImplemented\\b"))
((expression_statement (call_expression function: (_) @_f)) @stub
  (#match? @_f "(?:^|\\.)(?:[nN]ot_?(?:Yet)?Implemented|[uU]nimplemented|TODO|todo)$"))
(return_statement (expression_list (call_expression function: [(identifier) (selector_expression)] @_f arguments: (argument_list) @_m) .)
  (#match? @_f "(?:^|\\.)(?:New\\w*|Errorf?|Wrapf?|\\w*Err(?:or)?f?|E|JSON|String|SendString|SendStatus|NoContent)$") (#unfinished? @_m)) @stub
((return_statement (expression_list (call_expression function: [(identifier) (selector_expression)] @_f arguments: (argument_list) @_m) .)) @stub
  (#match? @_f "(?:^|\\.)(?:New\\w*|Errorf?|\\w*Err(?:or)?f?|JSON|String|SendStatus|NoContent|Wrapf?)$")
  (#match? @_m "\\b(?:Status|Err|err)\\w*(?:[nN]ot(?:Yet)?Impl|[uU]nimpl)"))
((return_statement (expression_list (call_expression function: [(identifier) (selector_expression)] @_f) .)) @stub
  (#match? @_f "(?:^|\\.)(?:\\w*[nN]ot_?(?:Yet)?Implemented\\w*|\\w*[uU]nimplemented\\w*|TODO|todo)$"))
((return_statement (expression_list [(identifier) (selector_expression)] @_e .)) @stub
  (#match? @_e "(?:^|\\.)[eE]rr\\w*(?:Not(?:Yet)?Impl|Unimpl)\\w*$"))
((return_statement (expression_list [(composite_literal type: (_) @_c) (unary_expression (composite_literal type: (_) @_c))] .)) @stub
  (#match? @_c "(?:Not(?:Yet)?Impl|Unimpl)\\w*$"))
((return_statement (expression_list . [(interpreted_string_literal) (raw_string_literal)] @_m [(nil) (true) (false)]? .)) @stub
  (#unfinished? @_m) (#not-match? @_m "^\\W*[a-z]+\\W*$"))

((expression_statement (call_expression function: (_) @_f)) @failure (#match? @_f "^(?:panic|log\\.(?:Fatal|Panic)\\w*|os\\.Exit)$"))

; a plain value
((return_statement) @constant
  (#match? @constant "^return\\s+(?:[-\\d][\\w.]*|\"[^\"]*\"|true|false|nil|[&*]?(?:map)?[\\w.\\[\\]*]*\\{(?:\\s*(?:\"[^\"]*\"|-?\\d[\\w.]*|true|false|nil)\\s*[:,]?)*\\s*\\})(?:\\s*,\\s*(?:[-\\d][\\w.]*|\"[^\"]*\"|true|false|nil|[&*]?(?:map)?[\\w.\\[\\]*]*\\{(?:\\s*(?:\"[^\"]*\"|-?\\d[\\w.]*|true|false|nil)\\s*[:,]?)*\\s*\\}))*\\s*$"))

; nothing needs to be done in it
([(function_declaration name: (_) @_n body: (block) @_b) (method_declaration name: (_) @_n body: (block) @_b)] @exempt
  (#match? @_n "^_?(?:[nN]o-?[oO]p|NOOP|[nN]op|[dD]oNothing)$") (#not-unfinished? @_b))
((method_declaration receiver: (_) @_r body: (block) @_b) @exempt
  (#match? @_r "(?:[nN]o[oO]p|[nN]op[A-Z]|[nN]oCopy|[dD]iscard|[nN]ull[A-Z])\\w*(?:\\[[^\\]]*\\])?\\s*\\)$") (#not-unfinished? @_b))
; marks of a type for an interface: isExpr() {}
((method_declaration name: (_) @_n parameters: (parameter_list) @_p body: (block) @_b !result) @exempt
  (#match? @_n "^(?:is[A-Z_]\\w*|\\w+(?:Node|Marker|Tag|Type|Decl|Stmt|Expr)|ProtoMessage|x?xx_\\w*|XXX_\\w+|implements\\w*|private|sealed|mustEmbed\\w*)$")
  (#eq? @_p "()") (#match? @_b "^\\{\\s*\\}$"))
`
}
