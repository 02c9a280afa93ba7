import type { LanguageRules } from "@proofline/kernel"

/** The body of a block; its closing bracket when it is empty. */
const block =
  '[(block body: (_) @body) (do_block body: (_) @body) (block !body "}" @body) (do_block !body "end" @body)]'

/** Methods that merely tell somebody something, or give up. */
const tells =
  "^(?:puts|p|pp|print|printf|warn|abort|exit|say|log|debug|info|error|fatal|unknown|pending|skip|flunk|todo|alert|notice|message)!?$"

const text = "[(string) (chained_string) (binary (string))]"

/** A plain word such as "todo" is a value; capitals, blanks and "not …" make it a remark. */
const value = String.raw`^[\"'](?!not|un)[a-z0-9_/.:<>-]*[\"']$`

const undone = String.raw`(?:^|::)(?:NotImplemented|NotYetImplemented|Unimplemented)\\w*$`

export const ruby: LanguageRules = {
  name: "ruby",
  extensions: [".rb", ".rake", ".gemspec", ".ru", ".thor", ".podspec", ".jbuilder", ".rbw"],
  filenames: [
    "Rakefile",
    "Gemfile",
    "Guardfile",
    "Capfile",
    "Vagrantfile",
    "Podfile",
    "Fastfile",
    "Brewfile",
    "Dangerfile"
  ],
  interpreters: ["ruby", "jruby", "rake"],
  grammar: "tree-sitter-ruby.wasm",
  fail: 'raise "neutralised";',
  failExpression: '(raise "neutralised")',
  query: String.raw`
(comment) @comment
[(string) (heredoc_body) (regex) (string_array) (symbol_array) (subshell)] @string
(program (call !receiver method: (identifier) @_m arguments: (_)) @import (#any-of? @_m "require" "require_relative" "load" "using"))

(method name: (_) @name body: (_) @body) @function
(method name: (_) @name !body "end" @body) @function
(singleton_method object: (self) name: (_) @name body: (_) @body) @function
(singleton_method object: (self) name: (_) @name !body "end" @body) @function
(singleton_method object: [(constant) (identifier) (scope_resolution)] @scope name: (_) @name body: (_) @body) @function
(singleton_method object: [(constant) (identifier) (scope_resolution)] @scope name: (_) @name !body "end" @body) @function
(class name: (_) @name body: (_) @body) @type
(class name: (_) @name !body "end" @body) @type
(module name: (_) @name body: (_) @body) @type
(module name: (_) @name !body "end" @body) @type
(singleton_class body: (_) @body) @group
(assignment left: (constant) @name right: (call receiver: (constant) @_r method: (identifier) @_m block: ${block}) @type
  (#any-of? @_r "Struct" "Class" "Module" "Data") (#any-of? @_m "new" "define")) @wrapper
((call method: (identifier) @_m arguments: (argument_list . [(simple_symbol) (string (string_content))] @name) block: ${block}) @function
  (#any-of? @_m "define_method" "define_singleton_method"))
(assignment left: [(identifier) (constant) (instance_variable)] @name right: (lambda body: ${block}) @function) @wrapper
(assignment left: [(identifier) (constant) (instance_variable)] @name right: (call !receiver method: (identifier) @_m block: ${block}) @function (#any-of? @_m "lambda" "proc")) @wrapper
(assignment left: [(identifier) (constant) (instance_variable)] @name right: (call receiver: (constant) @_r method: (identifier) @_m block: ${block}) @function (#eq? @_r "Proc") (#eq? @_m "new")) @wrapper

; what belongs to a method: visibility and the like before it, its signature above it
(call !receiver arguments: (argument_list . [(method) (singleton_method) (call arguments: (argument_list . [(method) (singleton_method)]))] .) @wrapper) @wrapper
((call !receiver method: (identifier) @_m !arguments block: (_)) @lead (#eq? @_m "sig"))

; what a framework calls: tests, routes, tasks
((call !receiver method: (identifier) @scope arguments: (argument_list . [(string) (simple_symbol) (constant) (scope_resolution) (pair)]? @name) block: ${block}) @function
  (#match? @scope "^[fx]?(?:it|specify|example|scenario|test|should|describe|context|feature|shared_examples(?:_for)?|shared_context|get|post|put|patch|delete|options|head|task|namespace|desc|command|rake_task|rule|Given|When|Then|And|But)$"))
((call receiver: (constant) @_r method: (identifier) @scope arguments: (argument_list . (_) @name) block: ${block}) @function (#eq? @_r "RSpec"))
((call !receiver method: (identifier) @name block: ${block}) @function
  (#match? @name "^(?:before|after|around|setup|teardown|before_all|after_all|before_action|after_action|around_action|rescue_from|not_found|configure)$"))
((call !receiver method: (identifier) @name !arguments block: ${block}) @function (#match? @name "^(?:it|specify|example)$"))

[(body_statement) (block_body) (then) (else) (elsif) (ensure) (rescue) (begin) (if) (unless) (case) (when) (case_match) (in_clause)
  (parenthesized_statements) (if_modifier) (unless_modifier) (block) (do_block) (empty_statement) "end" "}"] @transparent
[(if condition: (_) @nothing) (unless condition: (_) @nothing) (elsif condition: (_) @nothing) (if_modifier condition: (_) @nothing) (unless_modifier condition: (_) @nothing)
  (case value: (_) @nothing) (when pattern: (_) @nothing) (case_match value: (_) @nothing) (in_clause pattern: (_) @nothing) (in_clause guard: (_) @nothing)]
[(exceptions) (exception_variable) (heredoc_body) (nil)] @nothing
((return) @nothing (#match? @nothing "^return(?:[\\s(]*nil(?:\\s*,\\s*nil)*[\\s)]*|\\s*\\(\\s*\\))?$"))

; raised
((call !receiver method: (identifier) @_m arguments: (argument_list . [(constant) (scope_resolution)] @_e)) @stub (#any-of? @_m "raise" "fail") (#match? @_e "${undone}"))
((call !receiver method: (identifier) @_m arguments: (argument_list . (call receiver: [(constant) (scope_resolution)] @_e))) @stub (#any-of? @_m "raise" "fail") (#match? @_e "${undone}"))
((call !receiver method: (identifier) @_m arguments: (argument_list [
  (string) @_t (chained_string) @_t (binary (string) @_t) (pair value: (string) @_t) (call arguments: (argument_list [(string) @_t (chained_string) @_t (binary (string) @_t)]))])) @stub
  (#any-of? @_m "raise" "fail") (#unfinished? @_t))
(body_statement (call !receiver method: (identifier) @_m arguments: (argument_list (heredoc_beginning))) @stub . (heredoc_body) @_t (#any-of? @_m "raise" "fail" "puts" "warn") (#unfinished? @_t))

; told, answered, left pending
((call method: (identifier) @_m arguments: (argument_list ${text} @_t)) @stub (#match? @_m "${tells}") (#unfinished? @_t))
((call !receiver method: (identifier) @_m arguments: (argument_list . [(simple_symbol) (integer)] @_t)) @stub (#eq? @_m "head") (#match? @_t "^(?::not_implemented|501)$"))
((call !receiver method: (identifier) @_m arguments: (argument_list (pair key: (_) @_k value: [(simple_symbol) (integer)] @_t))) @stub (#eq? @_m "render") (#eq? @_k "status") (#match? @_t "^(?::not_implemented|501)$"))
((call !receiver method: (identifier) @_m) @stub (#any-of? @_m "not_implemented" "not_implemented!" "unimplemented" "unimplemented!" "todo" "todo!" "abstract_method!"))
([(do_block (body_statement . (identifier) @nothing .)) (method (body_statement . (identifier) @nothing .))] (#any-of? @nothing "pending" "skip" "not_implemented" "todo"))
((call !receiver method: (identifier) @_m arguments: (argument_list . (string) .) !block) @stub (#any-of? @_m "it" "specify" "example" "scenario"))
((body_statement . ${text} @stub .) (#unfinished? @stub) (#not-match? @stub "${value}"))
((method body: ${text} @stub) (#unfinished? @stub) (#not-match? @stub "${value}"))
((return (argument_list . ${text} @_t .)) @stub (#unfinished? @_t) (#not-match? @_t "${value}"))
(body_statement . (simple_symbol) @stub . (#any-of? @stub ":not_implemented" ":unimplemented"))

; names kept from being unused
((assignment left: (identifier) @_u right: [(identifier) (array) (nil)] @_v) @nothing (#match? @_u "^_") (#match? @_v "^[\\w\\s,\\[\\]]+$"))

; values in place of the real one
[(true) (false) (integer) (float) (string) (simple_symbol)] @constant
([(array) (hash)] @constant (#match? @constant "^[\\[{]\\s*[\\]}]$"))
((return (argument_list . [(true) (false) (integer) (float) (string) (simple_symbol) (array) (hash)] @_v .)) @constant (#match? @_v "^(?:[\\[{]\\s*[\\]}]|[^\\[{][\\s\\S]*)$"))

; declared, not written: nothing is missing
(class superclass: (_)) @exempt
((call !receiver method: (identifier) @_m block: (_) @_b) . (method) @exempt (#eq? @_m "sig") (#match? @_b "\\babstract\\b"))
((assignment right: (call receiver: (constant) @_r)) @exempt (#any-of? @_r "Struct" "Class" "Data"))
((method name: (identifier) @_n !parameters !body) @exempt (#eq? @_n "initialize") (#not-match? @exempt "\\b(?:TODO|FIXME|XXX)\\b") (#not-unfinished? @exempt))
((method name: (identifier) @_n parameters: (method_parameters) @_p !body) @exempt (#eq? @_n "initialize") (#match? @_p "^\\(\\s*(?:\\*{0,2}|\\.\\.\\.)\\s*\\)$")
  (#not-match? @exempt "\\b(?:TODO|FIXME|XXX)\\b") (#not-unfinished? @exempt))
([(method name: (identifier) @_n) (singleton_method name: (identifier) @_n)] @exempt (#match? @_n "^_*(?:noop|no_op|nop|do_nothing|nothing)[!?]?$"))
((assignment left: [(identifier) (constant)] @_n) @exempt (#match? @_n "^_*(?:noop|no_op|nop|do_nothing|nothing|NOOP|NO_OP|NOTHING)$"))
`
}
