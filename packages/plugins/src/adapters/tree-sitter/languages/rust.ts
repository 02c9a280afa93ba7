import type { LanguageRules } from "@proofline/kernel"

/** Items that a macro around them hardly changes: `cfg_unix! { pub fn … }` is read as a module without a name. */
const itemMacros = {
  pattern: String.raw`(?<=^[ \t]*)\b[a-z]\w{4,}!\s*\{[ \t]*$(?=(?:\s*(?://[^\n]*$|#\[[^\n]*\][ \t]*$))*\s*(?:pub(?:\([^()\n]*\))?\s+|unsafe\s+|async\s+|const\s+(?=fn)|extern\s+"C"\s+)*(?:fn|impl|mod|use|struct|enum|trait|type|extern crate)\b[^=\n]*\S)`,
  as: "mod __{"
}

export const rust: LanguageRules = {
  name: "rust",
  extensions: [".rs"],
  interpreters: ["rust-script"],
  grammar: "tree-sitter-rust.wasm",
  fail: 'panic!("neutralised");',
  failExpression: 'panic!("neutralised")',
  patches: [itemMacros],
  isFreeForm: true,
  query: String.raw`
[(line_comment) (block_comment)] @comment
(shebang) @comment
[(string_literal) (raw_string_literal) (char_literal)] @string
[(use_declaration . "use") (extern_crate_declaration) (inner_attribute_item)] @import
(attribute_item) @lead

(function_item name: (_) @name body: (block) @body) @function
(function_signature_item name: (_) @name) @function
(macro_definition name: (_) @name) @function
[(struct_item name: (_) @name body: (_)? @body) (enum_item name: (_) @name body: (_) @body) (union_item name: (_) @name body: (_) @body)
 (trait_item name: (_) @name body: (_) @body) (type_item name: (_) @name)] @type
(impl_item type: [(type_identifier) @name (scoped_type_identifier) @name (primitive_type) @name (generic_type type: (_) @name)
  (reference_type) @name (tuple_type) @name (array_type) @name (pointer_type) @name (dynamic_type) @name (function_type) @name (unit_type) @name]) @type
(impl_item body: (declaration_list) @body) @type
[(trait_item) (impl_item trait: (_))] @exempt
(mod_item name: (_) @name body: (declaration_list) @body (#not-eq? @name "__")) @group
(mod_item name: (_) @name !body) @group
(let_declaration pattern: (identifier) @name value: (closure_expression body: (_) @body) @function) @wrapper
[(const_item name: (identifier) @name value: (closure_expression body: (_) @body) @function)
 (static_item name: (identifier) @name value: (closure_expression body: (_) @body) @function)] @wrapper
; what a macro holds is not read as code
((macro_invocation (token_tree) @fault) (#match? @fault "\\bfn\\s+\\w"))

[(block) (declaration_list) (expression_statement) (unsafe_block) (async_block) (if_expression) (else_clause)] @transparent
(match_expression value: (_) @nothing body: (match_block (match_arm)) @transparent) @transparent
(match_arm pattern: (_) @nothing) @transparent
(if_expression condition: (_) @nothing (#not-match? @nothing "\\w\\s*\\(\\s*[^\\s)]"))
((let_declaration) @idle (#match? @idle "^let\\s+_\\w*\\s*(?::[^=]*)?=\\s*(?:-?\\d[\\w.]*|\"[^\"]*\"|true|false|\\(\\)|None)\\s*;$"))
((let_declaration !value) @idle (#match? @idle "^let\\s+(?:mut\\s+)?\\w+\\b"))
((expression_statement [(string_literal) (integer_literal) (float_literal) (boolean_literal) (identifier)]) @idle (#match? @idle ";$"))
(expression_statement (if_expression condition: (boolean_literal) @_c !alternative) (#eq? @_c "false")) @idle
(empty_statement) @nothing
[(unit_expression) (attribute_item)] @nothing
((identifier) @nothing (#eq? @nothing "None"))
((return_expression) @nothing (#match? @nothing "^return\\s*(?:None|\\(\\)|Ok\\(\\(\\)\\)|Ok\\(None\\)|\\(None(?:,\\s*None)*,?\\)|std::ptr::null(?:_mut)?\\(\\)|ptr::null(?:_mut)?\\(\\))?$"))
([(call_expression) (tuple_expression)] @nothing (#match? @nothing "^(?:Ok\\(\\(\\)\\)|Ok\\(None\\)|\\(None(?:,\\s*None)*,?\\)|(?:(?:std|core)::)?ptr::null(?:_mut)?\\(\\))$"))
((let_declaration) @nothing (#match? @nothing "^let\\s+(?:_\\w*|\\([_,\\s]*\\))\\s*=\\s*\\(?[&\\s\\w.,]*\\)?;$"))
((assignment_expression left: (_) @_l right: [(identifier) (field_expression) (tuple_expression) (reference_expression)]) @nothing (#eq? @_l "_"))
((macro_invocation macro: (_) @_n (token_tree) @_t) @nothing (#match? @_n "^(?:debug_)?assert$") (#eq? @_t "(true)"))

; what says that it is not implemented
((macro_invocation macro: (_) @_n) @stub (#match? @_n "(?:^|::)(?:todo|unimplemented)$"))
(macro_invocation macro: (_) @_n (token_tree) @_t
  (#match? @_n "(?:^|::)(?:panic|unreachable|bail|compile_error|e?print(?:ln)?|dbg|info|warn|error|debug|trace|log)$") (#unfinished? @_t)) @stub
(macro_invocation macro: (_) @_n (token_tree . (boolean_literal) @_f) @_t
  (#match? @_n "^(?:debug_)?assert$") (#eq? @_f "false") (#unfinished? @_t)) @stub
(call_expression function: (identifier) @_n arguments: (arguments) @_a (#eq? @_n "Err") (#unfinished? @_a)) @stub
((call_expression function: (identifier) @_n arguments: (arguments) @_a) @stub
  (#eq? @_n "Err") (#match? @_a "(?:[nN]ot_?(?:[yY]et_?)?[iI]mpl|[uU]nimplemented|\\btodo!\\()"))
(return_expression (call_expression function: (identifier) @_n arguments: (arguments) @_a) (#eq? @_n "Err") (#unfinished? @_a)) @stub
((return_expression (call_expression function: (identifier) @_n arguments: (arguments) @_a)) @stub
  (#eq? @_n "Err") (#match? @_a "(?:[nN]ot_?(?:[yY]et_?)?[iI]mpl|[uU]nimplemented)"))
(return_expression (macro_invocation macro: (_) @_n) (#match? @_n "(?:^|::)(?:todo|unimplemented)$")) @stub
((expression_statement (try_expression (call_expression function: (identifier) @_n arguments: (arguments) @_a))) @stub
  (#eq? @_n "Err") (#match? @_a "(?:[nN]ot_?(?:[yY]et_?)?[iI]mpl|[uU]nimplemented|not implemented)"))
(call_expression function: (_) @_n arguments: (arguments . (string_literal) @_m .) (#match? @_n "(?:^|::)(?:panic|todo|unimplemented|not_implemented)$") (#unfinished? @_m)) @stub
(block [(string_literal) (raw_string_literal)] @stub (#unfinished? @stub) (#not-match? @stub "^\\W*[a-z]+\\W*$"))
((block (call_expression function: [(field_expression value: (string_literal) @_m) (scoped_identifier)] arguments: (arguments) @_a) @stub)
  (#unfinished? @_m) (#eq? @_a "()") (#not-match? @_m "^\\W*[a-z]+\\W*$"))

((macro_invocation macro: (_) @_n) @failure (#match? @_n "(?:^|::)(?:panic|unreachable|bail)$"))
((call_expression function: (_) @_f) @failure (#match? @_f "(?:^|::)process::(?:exit|abort)$"))

; a plain value
(block [(integer_literal) (float_literal) (boolean_literal) (string_literal) (char_literal)] @constant)
((block [(call_expression) (macro_invocation) (array_expression) (struct_expression) (reference_expression) (scoped_identifier) (tuple_expression) (unary_expression)] @constant)
  (#match? @constant "^(?:(?:Ok|Some|Err)\\()?(?:[\\w:<>]*(?:\\bnew|\\bdefault|\\bempty)\\(\\)|vec!\\[\\]|&?\\[\\]|-?\\d[\\w.]*|true|false|\"[^\"]*\"(?:\\.\\w+\\(\\))?|String::from\\(\"[^\"]*\"\\)|\\([\\d,\\s]*\\)|(?:Self|\\w+)\\s*\\{\\s*\\})\\)?$"))
((return_expression) @constant
  (#match? @constant "^return\\s+(?:(?:Ok|Some|Err)\\()?(?:[\\w:<>]*(?:\\bnew|\\bdefault|\\bempty)\\(\\)|vec!\\[\\]|&?\\[\\]|-?\\d[\\w.]*|true|false|\"[^\"]*\"(?:\\.\\w+\\(\\))?|String::from\\(\"[^\"]*\"\\))\\)?$"))

; nothing needs to be done in it
(trait_item body: (declaration_list (function_item body: (block) @_b) @exempt)
  (#match? @_b "^\\{(?:\\s*(?://[^\\n]*\\n|(?:let )?_\\w* = \\(?[\\w\\s,]*\\)?;))*\\s*(?:None|\\(\\)|Ok\\(\\(\\)\\)|Ok\\(None\\))?\\s*\\}$") (#not-unfinished? @_b))
(impl_item trait: (_) body: (declaration_list (function_item body: (block) @_b) @exempt)
  (#match? @_b "^\\{(?:\\s*//[^\\n]*\\n)*\\s*Ok\\((?:\\(\\)|None)\\)\\s*\\}$") (#not-unfinished? @_b) (#not-match? @_b "\\b(?:TODO|FIXME|XXX)\\b"))
((function_item name: (_) @_n body: (block) @_b) @exempt (#match? @_n "^_?(?:no_?op|nop|do_nothing)$") (#not-unfinished? @_b))
(impl_item trait: (_) @_t body: (declaration_list (function_item name: (_) @_n body: (block) @_b) @exempt)
  (#match? @_t "(?:^|::)Drop$") (#eq? @_n "drop") (#not-unfinished? @_b) (#not-match? @_b "\\breturn\\b"))
; what only asks the compiler a question: fn assert_send<T: Send>() {}
((function_item name: (_) @_n type_parameters: (type_parameters) parameters: (parameters) @_p !return_type body: (block) @_b) @exempt
  (#match? @_n "^_?(?:assert|is|requires?|check|needs?|takes?)_\\w+$") (#match? @_p "^\\([^,]*\\)$") (#match? @_b "^\\{\\s*\\}$"))
`
}
