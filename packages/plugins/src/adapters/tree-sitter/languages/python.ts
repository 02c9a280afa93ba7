import type { LanguageRules } from "@proofline/kernel"

/** Calls that merely tell somebody something. */
const tells = String.raw`^(?:[\\w.()]+\\.)?_?(?:print|pprint|echo|secho|log|debug|info|warn|warning|error|critical|exception|exit|abort|fail|skip|skipTest|xfail|todo|not_?[iI]mplemented|unimplemented)$|^(?:sys\\.)?std(?:err|out)\\.write$`

/** A plain word such as "todo" is a value; capitals, blanks and "not …" make it a remark. */
const value = String.raw`^\\w*[\"']+(?:<\\w|(?!not|un)[a-z0-9_/.:<>-]*[\"']+$)`

export const python: LanguageRules = {
  name: "python",
  extensions: [".py", ".pyw"],
  filenames: ["SConstruct", "SConscript", "wscript"],
  interpreters: ["python", "pypy"],
  grammar: "tree-sitter-python.wasm",
  isIndented: true,
  fail: 'raise RuntimeError("neutralised");',
  failExpression: '(_ for _ in ()).throw(RuntimeError("neutralised"))',
  query: String.raw`
(comment) @comment
(expression_statement . (string) .) @comment
(expression_statement . (concatenated_string) .) @comment
(string) @string
[(import_statement) (import_from_statement) (future_import_statement)] @import
((if_statement condition: (_) @_c consequence: (block) @_b !alternative) @import (#match? @_c "^(?:\\w+\\.)?TYPE_CHECKING$")
  (#match? @_b "^(?:from|import)\\b[^\\n]*(?:\\n(?:[ \\t]*(?:from|import)\\b[^\\n]*|[ \\t]*\\)[^\\n]*|(?![ \\t]*(?:from|import)\\b)[\\w, \\t]*(?:#[^\\n]*|\\r)?))*$"))

(function_definition name: (identifier) @name body: (block) @body) @function
(class_definition name: (identifier) @name body: (block) @body) @type
(assignment left: (identifier) @name right: (lambda body: (_) @body) @function)
(assignment right: (lambda)) @wrapper
(expression_statement . (assignment right: (lambda)) .) @wrapper
(decorated_definition) @wrapper

[(function_definition) (class_definition)] @replaceable
(expression_statement . (assignment left: (identifier) @name right: (_)) .) @rebinding
[(import_statement name: (aliased_import alias: (identifier) @name)) (import_from_statement name: (aliased_import alias: (identifier) @name))
  (import_from_statement name: (dotted_name) @name)] @rebinding
; registered somewhere, or one of several
((decorated_definition (decorator) @_d) @kept
  (#not-match? @_d "^@(?:(?:\\w+\\.)*(?:staticmethod|classmethod|property|abstractmethod|abc|cache|lru_cache|cached_property|override|final|wraps|contextmanager|asynccontextmanager|dataclass|unittest|skip|mark|parametrize|deprecated)\\b)"))

[(block) (try_statement) (except_clause) (finally_clause) (else_clause) (elif_clause) (if_statement) (match_statement) (case_clause)] @transparent
[(if_statement condition: (_) @nothing) (elif_clause condition: (_) @nothing) (match_statement subject: (_) @nothing) (case_clause [(case_pattern) (if_clause)] @nothing)]
(except_clause value: (_) @nothing)
[(pass_statement) (ellipsis)] @stub
(expression_statement . (ellipsis) .) @stub
((return_statement) @nothing (#match? @nothing "^return\\b[\\s(;]*(?:(?:None|\\.\\.\\.)(?:\\s*,\\s*None)*[\\s,);]*)?$"))
(lambda body: [(none) (ellipsis)] @nothing)
(return_statement . (identifier) @_i (#eq? @_i "NotImplemented")) @nothing
(expression_statement . [(identifier) (integer) (none) (true) (false)] .) @nothing
[(global_statement) (nonlocal_statement)] @nothing
(expression_statement . [(identifier) (integer) (float) (none) (true) (false)] .) @idle
(function_definition body: (block (expression_statement . (assignment type: (_) !right) .) @idle))
[(if_statement condition: [(false) (none)] !alternative) (while_statement condition: (false))] @idle
((if_statement condition: (integer) @_c !alternative) @idle (#eq? @_c "0"))

; raised: by its name, by its words, by its status
(raise_statement . [(identifier) (attribute)] @_e (#match? @_e "(?:^|\\.)(?:NotImplemented|NotYetImplemented|Unimplemented)\\w*$")) @stub
(raise_statement . (call function: (_) @_e) (#match? @_e "(?:^|\\.)(?:NotImplemented|NotYetImplemented|Unimplemented)\\w*$")) @stub
(raise_statement . (call arguments: (argument_list [
  (string) @_m (concatenated_string) @_m (binary_operator (string) @_m) (keyword_argument value: (string) @_m)
  (call function: (attribute object: (string) @_m))])) (#unfinished? @_m)) @stub
([(raise_statement . (call arguments: (argument_list [(integer) @_s (attribute) @_s (keyword_argument value: [(integer) (attribute)] @_s)])))
  (return_statement . (call arguments: (argument_list [(integer) @_s (attribute) @_s (keyword_argument value: [(integer) (attribute)] @_s)])))
  (return_statement . (expression_list [(integer) (attribute)] @_s .))
  (expression_statement . (call function: (identifier) @_f arguments: (argument_list . (integer) @_s)) (#eq? @_f "abort"))] @stub
  (#match? @_s "^(?:501|(?:\\w+\\.)*(?:HTTP_501_)?NOT_IMPLEMENTED)$"))
((block [(raise_statement) (return_statement)] . (expression_statement . (yield) .) @nothing) (#match? @nothing "^yield(?: None)?$"))

; asserted, told, returned
(assert_statement . (false) .) @nothing
(assert_statement . [(false) (integer)] . (_) @_m (#unfinished? @_m)) @stub
(assert_statement . (not_operator argument: (string) @_m) (#unfinished? @_m)) @stub
(expression_statement . (call function: (_) @_f arguments: (argument_list [
  (string) @_m (concatenated_string) @_m (binary_operator (string) @_m) (call function: (attribute object: (string) @_m))])) .
  (#unfinished? @_m) (#match? @_f "${tells}")) @stub
(expression_statement . (call function: (_) @_f) . (#match? @_f "^(?:\\w+\\.)*_?(?:todo|TODO|not_?[iI]mplemented|unimplemented|NotImplemented(?:Error)?)$")) @stub
(print_statement . argument: (string) @_m (#unfinished? @_m)) @stub
(return_statement . [(string) (concatenated_string)] @_m . (#unfinished? @_m) (#not-match? @_m "${value}")) @stub
(return_statement . (call arguments: (argument_list . [(string) (concatenated_string)] @_m)) (#unfinished? @_m) (#not-match? @_m "${value}")) @stub
(return_statement . (call function: (_) @_f (#match? @_f "(?:^|\\.)_?(?:NotImplemented(?:Error)?|not_?[iI]mplemented|unimplemented|todo|TODO)$"))) @stub
(return_statement [
  (dictionary (pair key: (string) @_k value: (string) @_m))
  (call arguments: (argument_list (dictionary (pair key: (string) @_k value: (string) @_m))))
  (expression_list . (dictionary (pair key: (string) @_k value: (string) @_m)))]
  (#match? @_k "^.(?:error|message|msg|detail|details|reason|status|result)s?.$") (#unfinished? @_m) (#not-match? @_m "${value}")) @stub

; names kept from being unused
((delete_statement) @nothing (#match? @nothing "^del\\b[\\w\\s,(]+\\)?$"))
(expression_statement . (assignment left: (identifier) @_u right: [
  (identifier) (none) (expression_list (identifier)) (tuple (identifier))] @_v) . (#match? @_u "^_+$") (#match? @_v "^[\\w\\s,()]+$")) @nothing

(raise_statement . (_)) @failure
(assert_statement . (false)) @failure

; values in place of the real one
(return_statement . [(integer) (float) (string) (true) (false) (unary_operator)] .) @constant
(return_statement . [(list) (dictionary) (tuple) (call)] @_v . (#match? @_v "^(?:[\\[({][^()]*[\\])}]|(?:list|dict|set|tuple|str|frozenset)\\(\\))$")) @constant
(expression_statement . (yield) @_y . (#match? @_y "^yield(?: None)?$")) @constant
(expression_statement . (await) @_y . (#match? @_y "^await (?:asyncio|anyio|trio)\\.sleep\\([\\d.]*\\)$")) @constant

; declared, not written: nothing is missing
(decorated_definition (decorator [(identifier) (attribute) (call)] @_d) (#match? @_d "(?:abstractmethod|abstractproperty|abstractclassmethod|abstractstaticmethod|overload)$")) @exempt
(decorated_definition (decorator [(identifier) (attribute) (call)] @_d) definition: (function_definition)
  (#match? @_d "^(?:\\w+\\.)*(?:singledispatch|singledispatchmethod|group|hookspec|callback\\(\\)$)(?:\\(|$|\\b)")) @exempt
(decorated_definition (decorator [(identifier) (attribute) (call)] @_d) definition: (class_definition)
  (#match? @_d "^(?:dataclasses\\.|attrs?\\.)?(?:dataclass|define|frozen|mutable|attrs|s)(?:\\(|$)")) @exempt
(class_definition superclasses: (argument_list [(identifier) (attribute) (subscript)] @_s) (#match? @_s "^(?:[A-Za-z_.]*\\.)?(?:Protocol|Interface)(?:\\[|$)")) @exempt.members
(class_definition superclasses: (argument_list (identifier) @_s) body: (block (function_definition parameters: (parameters) @_p) @exempt)
  (#match? @_s "^I[A-Z][a-z]") (#not-match? @_p "^\\(\\s*(?:self|cls)\\b"))
(class_definition superclasses: (argument_list . (_))) @exempt
((function_definition name: (identifier) @_n parameters: (parameters) @_p body: (block) @_b) @exempt (#match? @_n "^__(?:init|del)__$") (#match? @_p "^\\(\\s*\\w+\\s*(?:,\\s*)?\\)$")
  (#not-match? @exempt "\\b(?:TODO|FIXME|XXX)\\b") (#not-unfinished? @exempt)
  (#match? @_b "^(?:(?:pass\\b|\\.\\.\\.|#[^\\n]*|[rRuU]?\"\"\"(?:(?!\"\"\")[\\s\\S])*\"\"\"|[rRuU]?'''(?:(?!''')[\\s\\S])*'''|[rRuU]?\"(?!\"\")[^\"\\n]*\"|[rRuU]?'(?!'')[^'\\n]*')[\\s;]*)*$"))
((function_definition name: (identifier) @_n) @exempt (#match? @_n "^_*(?:noop|no_op|NOOP|nop|do_nothing|donothing|nothing)$"))
((assignment left: (identifier) @_n right: (lambda)) @exempt (#match? @_n "^_*(?:noop|no_op|NOOP|nop|do_nothing|donothing|nothing)$"))
`
}

/** Type stubs: what they leave out is elsewhere. */
export const pythonStubs: LanguageRules = {
  ...python,
  name: "python-stubs",
  extensions: [".pyi"],
  filenames: [],
  interpreters: [],
  query: `${python.query}
[(function_definition) (class_definition)] @exempt
`
}
