import type { LanguageRules } from "@proofline/kernel"

/** Calls that give a function back, made of the one they are given; methods of other things mostly use it up. */
const wrapping = String.raw`^(?:(?:React|Effect|_|functions|cache|t)\\.\\w+(?:\\([^()]*\\))?|(?!create(?:Context|Store)\\b|set(?:Timeout|Interval)\\b|watch|effect\\b|require\\b|describe\\b|it\\b|test\\b|vi\\b|jest\\b)[A-Za-z_$][\\w$]*(?:\\([^()]*\\))?)(?:<[^()]*>)?$`

/** What JavaScript and TypeScript have in common. */
/** A value that is written out, also one that is seen as another type. */
const written = String.raw`^(?:[\\[{][^()]*[\\]}](?:\\s+as\\s[^()]*)?|[\\d\"'\\x60][^()]*|true|false)$`

const shared = String.raw`
(comment) @comment
(hash_bang_line) @comment
[(string) (template_string) (regex)] @string
(import_statement) @import
([(lexical_declaration . (variable_declarator value: (call_expression function: (identifier) @_r)) .)
  (variable_declaration . (variable_declarator value: (call_expression function: (identifier) @_r)) .)
  (expression_statement . (call_expression function: (identifier) @_r))] @import (#eq? @_r "require"))
((expression_statement . (string)) @import (#match? @import "^[\"']use [a-z]+[\"'];?$"))

(function_declaration name: (identifier) @name body: (statement_block) @body) @function
(generator_function_declaration name: (identifier) @name body: (statement_block) @body) @function
(method_definition name: (_) @name body: (statement_block) @body) @function
(class_declaration name: (_) @name body: (class_body) @body) @type
(variable_declarator name: (identifier) @name value: (class body: (class_body) @body) @type) @wrapper
(variable_declarator name: (identifier) @name value: [
  (arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)] @function) @wrapper
(variable_declarator name: (identifier) @name value: (call_expression function: (_) @_w arguments: (arguments [
  (arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)] @function .) @wrapper) @wrapper
  (#match? @_w "{{wrapping}}")) @wrapper
(variable_declarator name: (identifier) @name value: (call_expression function: (_) @_w arguments: (arguments . [
  (arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)] @function
  . [(array) (object) (identifier) (number) (string) (null)] .) @wrapper) @wrapper
  (#match? @_w "{{wrapping}}")) @wrapper
(assignment_expression left: [(identifier) (member_expression)] @name right: [
  (arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)] @function) @wrapper
(pair key: (_) @name value: [
  (arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)] @function) @wrapper
(export_statement "default" value: [
  (arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)] @function) @wrapper
[(lexical_declaration) (variable_declaration)] @wrapper
(export_statement declaration: (_)) @wrapper
(expression_statement . (assignment_expression)) @wrapper

; what takes the place of what stands before it
[(function_declaration) (generator_function_declaration)] @replaceable
[(function_declaration) (generator_function_declaration)] @hoisted
(class_body (method_definition) @replaceable)
(class_body (method_definition) @hoisted)
(object (method_definition) @replaceable)
(object (method_definition) @hoisted)
(object (pair value: [(arrow_function) (function_expression) (generator_function)] @replaceable))
(object (pair value: [(arrow_function) (function_expression) (generator_function)] @hoisted))
(expression_statement . (assignment_expression left: [(identifier) (member_expression)] @name) .) @rebinding
(variable_declaration (variable_declarator name: (identifier) @name value: (_)) .) @rebinding
(object (pair key: (property_identifier) @name) @rebinding)
(export_specifier name: (_) alias: (identifier) @name) @exported
((expression_statement . (assignment_expression left: (member_expression object: (_) @_o property: (property_identifier) @name)) .) @exported
  (#any-of? @_o "exports" "module.exports"))
((expression_statement . (assignment_expression left: (_) @_o right: (object (pair key: (property_identifier) @name) @exported))) (#eq? @_o "module.exports"))
((program (expression_statement . (assignment_expression left: (_) @name right: (_) @_v) .) @exported.whole)
  (#eq? @name "module.exports") (#not-match? @_v "\\bexports\\b"))

; what a framework calls: tests, routes, handlers
(expression_statement . (call_expression function: (_) @scope
  arguments: (arguments . [(string) (template_string)]? @name [(arrow_function body: (_) @body) (function_expression body: (_) @body)] @function .) @wrapper) @wrapper
  (#match? @scope "^(?:[\\w$.]+\\.)?(?:it|test|specify|describe|context|suite|before|after|beforeEach|afterEach|beforeAll|afterAll|get|post|put|patch|delete|use|on|once|all|route|command|action|addEventListener|handle|task|scenario|step|useEffect|bench)(?:\\.(?:only|skip|concurrent|serial|each|todo|fails))*$")) @wrapper
(expression_statement . (await_expression (call_expression)) @wrapper)
(program (expression_statement . (call_expression
  arguments: (arguments [(arrow_function body: (_) @body) (function_expression body: (_) @body)] @function .) @wrapper) @wrapper) @wrapper)

[(statement_block) (class_body) (try_statement) (catch_clause) (finally_clause) (else_clause) (if_statement)] @transparent
(if_statement condition: (_) @nothing)
(catch_clause parameter: (_) @nothing)
(empty_statement) @nothing
((return_statement) @nothing
  (#match? @nothing "^return\\b[\\s(]*(?:(?:null|undefined|void 0|nil|Promise\\.resolve\\(\\s*(?:null|undefined|void 0)?\\s*\\))(?:\\s+as\\s+[^;{}]+|!)?[\\s)]*)?;?$"))
(arrow_function body: [(null) (undefined)] @nothing)
((arrow_function body: (_) @nothing) (#match? @nothing "^[\\s(]*(?:null|undefined|void 0|Promise\\.resolve\\(\\s*(?:null|undefined|void 0)?\\s*\\))(?:\\s+as\\s+[^;{}]+|!)?[\\s)]*$"))
((expression_statement) @nothing (#match? @nothing "^(?:(?:await\\s+)?Promise\\.resolve\\(\\s*(?:null|undefined)?\\s*\\)|void 0|void [\\w$]+|[\\w$]+|null|undefined|debugger);?$"))
(debugger_statement) @nothing
; statements that do nothing
((lexical_declaration (variable_declarator !value)) @idle (#match? @idle "^let\\s+[\\w$]+(?:\\s*,\\s*[\\w$]+)*\\s*;?$"))
((lexical_declaration . (variable_declarator !value) .) @idle (#match? @idle "^let\\b"))
((variable_declaration (variable_declarator !value)) @idle (#match? @idle "^var\\s+[\\w$]+(?:\\s*,\\s*[\\w$]+)*\\s*;?$"))
(variable_declaration . (variable_declarator !value) .) @idle
(expression_statement . [(identifier) (number) (string) (regex) (true) (false) (null) (undefined)] .) @idle
((expression_statement . (template_string) .) @idle (#not-match? @idle "\\$\\{"))
((expression_statement) @idle (#match? @idle "^void\\s+[\\w$.]+;?$"))
(if_statement condition: (parenthesized_expression [(false) (null) (undefined)]) !alternative) @idle
((if_statement condition: (parenthesized_expression (number) @_c) !alternative) @idle (#eq? @_c "0"))
(while_statement condition: (parenthesized_expression (false))) @idle
((return_statement) @nothing (#match? @nothing "^return[\\s(]*<(\\w*)>\\s*(?:\\{/\\*[^*]*\\*/\\}|(?:TODO|Coming soon|Not implemented)[^<]*)?\\s*</\\1>[\\s)]*;?$"))
((return_statement) @nothing (#match? @nothing "^return[\\s(]*<[a-z]\\w*\\s*/>[\\s)]*;?$"))
((arrow_function body: (_) @nothing) (#match? @nothing "^[\\s(]*<(\\w*)>\\s*(?:\\{/\\*[^*]*\\*/\\}|(?:TODO|Coming soon|Not implemented)[^<]*)?\\s*</\\1>[\\s)]*$"))
((expression_statement) @nothing
  (#match? @nothing "^(?:expect\\(\\s*(?:true|1)\\s*\\)\\.(?:toBe|toEqual|toStrictEqual)\\(\\s*(?:true|1)\\s*\\)|expect\\(\\s*true\\s*\\)\\.(?:toBeTruthy\\(\\)|to\\.be\\.true)|assert(?:\\.ok|\\.isTrue)?\\(\\s*true\\s*\\));?$"))
(expression_statement . (call_expression function: (member_expression object: (identifier) @_o property: (property_identifier) @_p)
  arguments: (arguments . [(string) (template_string)] .)) (#eq? @_p "todo") (#match? @_o "^(?:it|test|describe|suite|specify|t)$")) @stub
(throw_statement (string) @_m (#unfinished? @_m)) @stub
(throw_statement (template_string) @_m (#unfinished? @_m)) @stub
(throw_statement (new_expression constructor: (_) @_c (#match? @_c "(?:NotImplemented|Unimplemented|NotYetImplemented)\\w*$"))) @stub
(throw_statement (new_expression arguments: (arguments . [(string) (template_string) (binary_expression)] @_m)) (#unfinished? @_m)) @stub
(throw_statement (call_expression arguments: (arguments . [(string) (template_string)] @_m)) (#unfinished? @_m)) @stub
(throw_statement (call_expression function: (_) @_c (#match? @_c "(?:[nN]otImplemented|[uU]nimplemented)\\w*$"))) @stub
(expression_statement . (call_expression arguments: (arguments . [(string) (template_string)] @_m)) @_c (#unfinished? @_m) (#match? @_c "^(?:console\\.\\w+|log|logger\\.\\w+|this\\.log\\w*\\.\\w+|alert|print|notImplemented|unimplemented|fail|assert\\.fail|expect\\.fail|invariant)\\(")) @stub
(expression_statement . (call_expression function: (_) @_c (#match? @_c "(?:^|\\.)(?:notImplemented|unimplemented|notYetImplemented|TODO)$"))) @stub
(return_statement . (call_expression arguments: (arguments . (new_expression arguments: (arguments . [(string) (template_string)] @_m))) @_c (#unfinished? @_m))) @stub
(return_statement . (call_expression function: (_) @_c (#match? @_c "(?:^|\\.)(?:notImplemented|unimplemented|notYetImplemented|TODO)$"))) @stub
(return_statement . [(string) (template_string)] @_m . (#unfinished? @_m)) @stub
(arrow_function body: (call_expression arguments: (arguments . (new_expression arguments: (arguments . [(string) (template_string)] @_m)))) @stub (#unfinished? @_m))
(arrow_function body: [(string) (template_string)] @stub (#unfinished? @stub))
(arrow_function body: (call_expression function: (_) @_c arguments: (arguments . [(string) (template_string)] @_m)) @stub (#unfinished? @_m) (#match? @_c "^(?:console\\.\\w+|notImplemented|todo|unimplemented)$"))
(throw_statement) @failure
((return_statement . [(number) (unary_expression argument: (number)) (string) (true) (false) (array) (object) (template_string) (new_expression)] @_v) @constant
  (#match? @_v "^(?:[\\[{][^()]*[\\]}]|new (?:Map|Set|Array)\\(\\)|[^\\[{n][\\s\\S]*)$"))
((return_statement . (call_expression function: (_) @_c arguments: (arguments . (_) @_v .))) @constant
  (#eq? @_c "Promise.resolve") (#match? @_v "${written}"))
((arrow_function body: [(number) (unary_expression argument: (number)) (string) (true) (false) (array) (parenthesized_expression (object))] @constant) (#match? @constant "^(?:[\\[(]\\s*[{]?\\s*[}]?\\s*[\\])]|[^\\[({][\\s\\S]*)$"))

(class_declaration (class_heritage)) @exempt
((method_definition name: (property_identifier) @_n parameters: (formal_parameters) @_p body: (statement_block) @_b) @exempt
  (#eq? @_n "constructor") (#match? @_p "^\\(\\s*\\)$") (#not-unfinished? @_b) (#not-match? @_b "\\b(?:TODO|FIXME|XXX|throw)\\b"))
([(function_declaration name: (_) @_n body: (_) @_b) (method_definition name: (_) @_n body: (_) @_b)] @exempt
  (#match? @_n "^_?(?:no-?op|noop|NOOP|doNothing|nothing)$") (#not-unfinished? @_b))
((variable_declarator name: (identifier) @_n value: (_) @_b) @exempt
  (#match? @_n "^_?(?:noop|noOp|NOOP|doNothing|nothing)$") (#not-unfinished? @_b))
; a null object: what is asked of it is nothing
((variable_declarator name: (identifier) @_n value: (object (method_definition body: (_) @_b) @exempt))
  (#match? @_n "^_?(?:no_?[oO]p|NO_?OP|null|NULL|silent|SILENT)[A-Z_]") (#not-unfinished? @_b) (#not-match? @_b "\\b(?:TODO|FIXME|XXX|throw)\\b"))
((variable_declarator name: (identifier) @_n value: (object (pair value: [(arrow_function body: (_) @_b) (function_expression body: (_) @_b)]) @exempt))
  (#match? @_n "^_?(?:no_?[oO]p|NO_?OP|null|NULL|silent|SILENT)[A-Z_]") (#not-unfinished? @_b) (#not-match? @_b "\\b(?:TODO|FIXME|XXX|throw)\\b"))
((pair key: (_) @_n value: (_) @_b) @exempt (#match? @_n "^_?(?:noop|noOp|NOOP|doNothing)$") (#not-unfinished? @_b))
`.replaceAll("{{wrapping}}", wrapping)

const failing = {
  fail: 'throw new Error("neutralised");',
  failExpression: '(() => { throw new Error("neutralised") })()'
}

export const javascript: LanguageRules = {
  name: "javascript",
  extensions: [".js", ".mjs", ".cjs", ".jsx"],
  filenames: ["Jakefile"],
  interpreters: ["node", "deno", "bun"],
  grammar: "tree-sitter-javascript.wasm",
  ...failing,
  query: `${shared}
(method_definition (decorator)) @kept
(field_definition property: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)] @function) @wrapper
`
}

const typed = String.raw`${shared}
((return_statement . [(as_expression . (_) @_v) (satisfies_expression . (_) @_v)]) @constant
  (#match? @_v "${written}"))
((arrow_function body: [
    (as_expression . (_) @_v) (satisfies_expression . (_) @_v)
    (parenthesized_expression [(as_expression . (_) @_v) (satisfies_expression . (_) @_v)])
  ] @constant) (#match? @_v "^(?:[\\[{]\\s*[\\]}](?:\\s+as\\s[^()]*)?|[\\d\"'\\x60][^()]*|true|false)$"))
(public_field_definition name: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)] @function) @wrapper
(class_body (decorator) @lead)
(class_body (decorator) . (method_definition) @kept)
((class_declaration (decorator (call_expression arguments: (arguments (object (_)))))) @exempt)
((export_statement decorator: (decorator (call_expression arguments: (arguments (object (_))))) declaration: (class_declaration)) @exempt)
(abstract_class_declaration name: (_) @name body: (class_body) @body) @type
(interface_declaration name: (_) @name) @type
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @type
(internal_module name: (_) @name body: (_) @body) @group
(module name: (_) @name body: (_) @body) @group
(expression_statement . (internal_module)) @wrapper
(ambient_declaration) @wrapper
(function_signature name: (_) @name) @function
(method_signature name: (_) @name) @function
(abstract_method_signature name: (_) @name) @function
(import_alias) @import
(abstract_class_declaration (class_heritage)) @exempt
((method_definition name: (property_identifier) @_n parameters: (formal_parameters [(required_parameter (accessibility_modifier)) (required_parameter "readonly") (optional_parameter (accessibility_modifier))]) body: (statement_block) @_b) @exempt
  (#eq? @_n "constructor") (#not-unfinished? @_b) (#not-match? @_b "\\b(?:TODO|FIXME|XXX|throw)\\b"))
((method_definition (accessibility_modifier) @_a name: (property_identifier) @_n body: (statement_block) @_b) @exempt
  (#eq? @_n "constructor") (#match? @_a "^(?:private|protected)$") (#not-unfinished? @_b) (#not-match? @_b "\\b(?:TODO|FIXME|XXX|throw)\\b"))
`

/** Variance of type parameters, and call signatures that begin with `<` on a line of their own. */
const patches = [
  {
    pattern: String.raw`(?=[a-z])(?<=[<,]\s*)(?:(?:in|out|const)\s+){1,2}(?=[A-Za-z_$][\w$]*\s*(?:extends\b|[=,>]))`,
    as: ""
  },
  // type parameters of a function type among type arguments
  {
    pattern: String.raw`(?=<)(?<=^\s*)(?<=[<,(=]\s*(?:/\*(?:[^*]|\*(?!/)){0,4000}\*/\s*)?)<(?:[^<>()\n]|<[^<>\n]*>)+>(?=\()`,
    as: ""
  },
  {
    pattern: String.raw`(?=[ \t]<\s*(?:[A-Za-z_$][\w$]*(?:\s*[,>=]|\s+extends\b)|$))(?<=(?:[\w\]})"']|[^=]>|\*/)[ \t]*\n(?:[ \t]*\n)*[ \t]*)[ \t]`,
    as: ";"
  },
  // a template literal type cannot hold an escaped backtick
  { pattern: "\\\\`", as: "''" }
]

export const typescript: LanguageRules = {
  name: "typescript",
  extensions: [".ts", ".mts", ".cts"],
  interpreters: ["ts-node", "tsx"],
  grammar: "tree-sitter-typescript.wasm",
  ...failing,
  patches,
  query: `${typed}
((return_statement . (type_assertion (type_arguments) (_) @_v)) @constant
  (#match? @_v "${written}"))
`
}

export const tsx: LanguageRules = {
  name: "tsx",
  extensions: [".tsx"],
  grammar: "tree-sitter-tsx.wasm",
  ...failing,
  patches: patches.slice(0, 1),
  query: typed
}
