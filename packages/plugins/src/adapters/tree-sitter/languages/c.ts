import type { LanguageRules, Patch } from "@proofline/kernel"

/** What C and C++ have in common. */
export const shared = String.raw`
(comment) @comment
[(string_literal) (char_literal)] @string
(preproc_include) @import
((preproc_call directive: (preproc_directive) @_d) @import (#match? @_d "^#\\s*pragma$"))
["#endif" "#else"] @import

(function_definition declarator: (_) @_d body: (_) @body (#match? @_d "[()]")) @function
(function_definition declarator: (function_declarator declarator: (_) @name)) @function
(function_definition declarator: (_ declarator: (function_declarator declarator: (_) @name))) @function
(function_definition declarator: (_ declarator: (_ declarator: (function_declarator declarator: (_) @name)))) @function
(function_definition type: (_) @scope declarator: (parenthesized_declarator (_) @name) (#not-eq? @name "__")) @function
(function_definition type: (_) @name declarator: (parenthesized_declarator (_) @_n) (#eq? @_n "__")) @function
(preproc_function_def name: (identifier) @name) @function
[(struct_specifier name: (_) @name body: (_) @body) (union_specifier name: (_) @name body: (_) @body) (enum_specifier name: (_) @name body: (_) @body)] @type
(type_definition declarator: (type_identifier) @name) @type
(type_definition type: (_ body: (_) @body)) @type
(translation_unit (declaration declarator: (function_declarator declarator: (identifier) @name)) @function)
(translation_unit (declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @function)
(declaration_list (declaration declarator: (function_declarator declarator: (identifier) @name)) @function)
(declaration_list (declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @function)
[(compound_statement) (if_statement) (else_clause)] @transparent
[(preproc_if) (preproc_ifdef) (preproc_else) (preproc_elif)] @transparent
[(preproc_if condition: (_) @nothing) (preproc_elif condition: (_) @nothing) (preproc_ifdef name: (_) @nothing)]
(preproc_call) @nothing
(compound_statement (attributed_statement) @transparent)
((expression_statement) @nothing (#eq? @nothing ";"))
((expression_statement . [(number_literal) (string_literal) (char_literal) (true) (false)] .) @idle)
((expression_statement . (identifier) @_i .) @idle (#match? @_i "^[a-z]\\w*$"))
(expression_statement (cast_expression type: (type_descriptor type: (_) @_t) value: [(identifier) (field_expression) (parenthesized_expression (identifier))]) (#eq? @_t "void")) @idle
((if_statement condition: (_) @_c !alternative) @idle (#match? @_c "^\\(\\s*(?:0|false|FALSE)\\s*\\)$"))
((compound_statement (declaration) @idle) (#match? @idle "^(?:const\\s+|unsigned\\s+|signed\\s+|long\\s+|short\\s+|struct\\s+\\w+\\s*\\*\\s*)*(?:\\b(?:int|char|bool|_Bool|float|double|long|short|unsigned|auto|void\\s*\\*|\\w+_t|std::string)\\b)?[\\s*&]*\\w+(?:\\[\\w*\\])?(?:\\s*,\\s*\\**\\w+(?:\\[\\w*\\])?)*\\s*;$"))
((return_statement) @nothing
  (#match? @nothing "^return\\b[\\s(]*(?:(?:NULL|nullptr|nil|\\(\\s*(?:const\\s+)?\\w+\\s*\\*+\\s*\\)\\s*(?:0|NULL)|(?:std::|absl::|boost::)?nullopt|boost::none)[\\s)]*)?;$"))
(expression_statement (cast_expression type: (type_descriptor type: (_) @_t) value: [(identifier) (field_expression) (parenthesized_expression (identifier))]) (#eq? @_t "void")) @nothing
((expression_statement (call_expression function: (identifier) @_f)) @nothing
  (#match? @_f "^(?:\\w*_)?(?:UNUSED|unused|NOT_?USED|Unused|IGNORE_UNUSED|UNREFERENCED)\\w*$"))
((expression_statement) @nothing (#eq? @nothing "Py_RETURN_NONE;"))
((expression_statement [(call_expression) (identifier)]) @nothing
  (#match? @nothing "^(?:(?:std::|::)?abort|__builtin_trap|__builtin_unreachable|__debugbreak|std::terminate)\\s*\\(\\s*\\);$"))
((expression_statement (call_expression)) @nothing (#match? @nothing "^(?:\\w*assert|\\w*ASSERT)\\s*\\(\\s*(?:0|false|FALSE)\\s*\\);$"))
((declaration) @nothing (#match? @nothing "^(?:const\\s+|unsigned\\s+|struct\\s+)*[a-zA-Z_]\\w*[\\s*]+\\w+(?:\\s*=\\s*(?:-?\\d\\w*|NULL|nullptr|false|true|\\{\\s*0?\\s*\\}))?;$"))

; what says that it is not implemented
((expression_statement (call_expression function: [(identifier) (field_expression)] @_f arguments: (argument_list) @_m)) @stub
  (#match? @_f "(?:print|puts|assert|log|err(?:or)?|warn(?:ing)?|die|fatal|panic|fail|abort|info|debug|trace|unreachable|message|exit|skip|PRINT|ASSERT|LOG|ERR(?:OR)?|WARN(?:ING)?|DIE|FATAL|PANIC|FAIL|ABORT|INFO|DEBUG|TRACE|MSG|SKIP)\\w*$")
  (#unfinished? @_m) (#not-match? @_m "\\w\\([^)]*\\w"))
((expression_statement (call_expression function: (_) @_f)) @stub
  (#match? @_f "^(?:\\w+::)*(?:\\w*_)?(?:NOT_?(?:YET_?)?IMPLEMENTED|UNIMPLEMENTED|not_?(?:yet_?)?implemented|unimplemented|notImplemented|NotImplemented|Unimplemented|TODO|todo)(?:_\\w+)?$"))
((return_statement) @stub (#match? @stub "^return\\b[\\s(]*-?\\w*(?:\\bENOSYS|\\bE_NOTIMPL|NOT_?(?:YET_?)?IMPL(?:EMENTED)?|UNIMPLEMENTED)[\\s)]*;$"))
((expression_statement) @stub (#match? @stub "^(?:errno\\s*=\\s*ENOSYS|SetLastError\\(\\s*ERROR_CALL_NOT_IMPLEMENTED\\s*\\));$"))
(return_statement (string_literal) @_m (#unfinished? @_m) (#not-match? @_m "^\\W*[a-z]+\\W*$")) @stub
; said, and then returned from with a plain value
((compound_statement (expression_statement (call_expression arguments: (argument_list) @_m)) . (return_statement) @nothing)
  (#unfinished? @_m) (#match? @nothing "^return\\b[\\s(]*(?:-?\\d\\w*|true|false|TRUE|FALSE|EXIT_FAILURE|\"[^\"]*\"|\\{\\s*\\})[\\s)]*;$"))
((compound_statement (expression_statement) @_s . (return_statement) @nothing)
  (#match? @_s "^(?:errno\\s*=\\s*ENOSYS|SetLastError\\(\\s*ERROR_CALL_NOT_IMPLEMENTED\\s*\\)|(?:\\w*assert|\\w*ASSERT)\\s*\\(\\s*(?:0|false|FALSE)\\s*\\)|abort\\(\\));$")
  (#match? @nothing "^return\\b[\\s(]*(?:-?\\d\\w*|true|false|TRUE|FALSE)[\\s)]*;$"))

; a plain value
((return_statement) @constant
  (#match? @constant "^return\\b[\\s(]*(?:-?[\\d.][\\w.]*|true|false|TRUE|FALSE|'[^']*'|L?\"[^\"]*\"|[\\w:]*(?:<[\\w:,\\s]*>)?\\s*\\{\\s*\\}|(?:std::)?(?:string|vector<[\\w:]+>|map<[\\w:,\\s]+>)\\(\\s*\\))[\\s)]*;$"))

((function_definition declarator: (_) @_d body: (compound_statement) @_b) @exempt
  (#match? @_d "^[*\\s]*(?:\\w+::)*_?(?:\\w+_)?(?:no_?op|noOp|NoOp|nop|do_?nothing|doNothing|DoNothing)\\s*\\(") (#not-unfinished? @_b))
`

/** Words before what a line at the margin declares; none of them is a type. */
const leading = String.raw`(?:(?:static|extern|inline|const|volatile|constexpr|virtual|explicit|friend|register|__inline|__inline__)[ \t]+)`
const keyword = String.raw`(?:static|extern|inline|const|volatile|constexpr|virtual|explicit|friend|register|TODO|FIXME|XXX|typedef|struct|union|enum|class|unsigned|signed|long|short|return|else|case|goto|do|if|while|for|switch|using|namespace|template|typename|public|private|protected|default|new|delete|throw|sizeof|operator|auto|void|int|char|bool|float|double)\b`

/** From a condition of the preprocessor to `{`, without a statement. */
const head = String.raw`\n[^;{}#]{1,400}\n[ \t]*`
const otherHead = String.raw`[ \t]*#[ \t]*else\b[^\n]*\n[^;{}#]{0,400}(?:#[ \t]*include[^\n]*\n[^;{}#]{0,400}){0,4}(?<=\n[ \t]*)#[ \t]*endif[^\n]*$(?=\s*\{)`

/** Same-length rewrites of what macros make of C, before it is parsed. */
export const patches: ReadonlyArray<Patch> = [
  // of the heads that the preprocessor chooses from, the first one stays
  { pattern: String.raw`^[ \t]*#[ \t]*if[^\n]*$(?=${head}${otherHead})`, as: "" },
  { pattern: `^${otherHead}`, as: "" },
  // SYSCALL_DEFINE2(open, const char *, name, int, flags) {
  {
    pattern: String.raw`(?<=^[A-Z][A-Z\d_]{3,60}[ \t]*)\((?=[^(){};]{0,400}\b(?:const|struct|unsigned|void|int|char|long)\b[^(){};]{0,400},)[^(){};]{1,800}\)(?=\s*\{)`,
    as: "(__)"
  },
  // API int name(
  {
    pattern: String.raw`(?<=^${leading}{0,4})(?!${keyword})[A-Za-z_]\w*(?=[ \t]+(?:${leading}|(?:void|int|char|bool|float|double|unsigned|signed|long|short|struct|union|enum)\b))`,
    as: ""
  },
  // int WINAPI name(
  {
    pattern: String.raw`(?<=^[ \t]*${leading}{0,4}(?!${leading})(?:(?:struct|union|enum|unsigned|signed|long)[ \t]+)*\w+(?:[ \t]*\*+[ \t]*|[ \t]+))(?!${keyword})(?:_{1,2}[a-z]+|[A-Z][A-Z\d_]{2,})(?=[ \t]+\*?[A-Za-z_]\w*[ \t]*\()`,
    as: ""
  },
  {
    pattern: String.raw`(?<=^[ \t]*${leading}{0,4})(?!${keyword})[A-Z][A-Z\d_]{2,}(?:\([^()\n]*\))?(?=[ \t]+(?!${keyword})[A-Za-z_]\w*(?:[ \t]*\*+[ \t]*|[ \t]+)[A-Za-z_]\w*[ \t]*\()`,
    as: ""
  },
  // zlib's name for static
  { pattern: String.raw`^local(?=[ \t]+\w+[\s*]+\w+[ \t]*[([])`, as: "" },
  // int (name) (
  { pattern: String.raw`(?<=^[A-Za-z_]\w*[\w \t*]*[ \t*])\((?=\w+\)[ \t]*\()`, as: "" },
  { pattern: String.raw`(?<=^[A-Za-z_]\w*[\w \t*]*  \w+)\)(?=[ \t]*\()`, as: "" },
  // the second argument is a type
  { pattern: String.raw`(?<=\bva_arg[ \t]*\([^,()\n]+,)[^()\n]+(?=\))`, as: "0" }
]

export const c: LanguageRules = {
  name: "c",
  extensions: [".c"],
  grammar: "tree-sitter-c.wasm",
  fail: "__builtin_trap();",
  patches,
  query: String.raw`${shared}
(if_statement condition: (parenthesized_expression) @nothing (#not-match? @nothing "\\w\\s*\\(|[^=!<>]=[^=]|\\+\\+|--"))
`
}
