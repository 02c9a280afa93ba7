import type { LanguageRules } from "@proofline/kernel"

/** Methods that give up, or merely tell somebody something. */
const tells =
  "^(?:raise|fail|puts|p|pp|print|printf|warn|abort|exit|say|log|debug|info|error|fatal|unknown|pending|skip|flunk|todo|alert|notice|message)!?$"

const text = "[(string) (chained_string)]"

/** A plain word such as "todo" is a value; capitals, blanks and "not …" make it a remark. */
const value = String.raw`^[\"'](?:<\\w|(?!not|un)[a-z0-9_/.:<>-]*[\"']$)`

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
(program (call) @import (#match? @import "^(?:require|require_relative|load|using)\\b"))

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
((call method: (identifier) @_m arguments: (argument_list . [(simple_symbol) (string (string_content))] @name) block: (_) @body) @function
  (#any-of? @_m "define_method" "define_singleton_method"))
(assignment left: (constant) @name right: (call block: (_) @body) @type (#match? @type "^(?:Struct|Class|Module|Data)\\.(?:new|define)\\b")) @wrapper
(assignment left: [(identifier) (constant) (instance_variable)] @name right: (lambda body: (_) @body) @function) @wrapper
(assignment left: [(identifier) (constant) (instance_variable)] @name right: (call block: (_) @body) @function (#match? @function "^(?:lambda|proc|Proc\\.new)\\s*(?:\\{|do\\b)")) @wrapper

[(method) (singleton_method)] @replaceable
[(class) (module)] @reopened

; what belongs to a method: visibility and the like before it, its signature above it
(call !receiver arguments: (argument_list . [(method) (singleton_method) (call arguments: (argument_list . [(method) (singleton_method)]))] .) @wrapper) @wrapper
((call) @lead (#match? @lead "^sig\\s*(?:\\(:final\\)\\s*)?(?:\\{|do\\b)"))

; what a framework calls: tests, routes, tasks
((call method: (identifier) @scope arguments: (argument_list . [(string) (simple_symbol) (constant) (scope_resolution) (pair)]? @name) block: (_) @body) @function
  (#match? @function "^(?:RSpec\\.)?[fx]?(?:it|specify|example|scenario|test|should|describe|context|feature|shared_examples(?:_for)?|shared_context|get|post|put|patch|delete|options|head|task|namespace|desc|command|rake_task|rule|Given|When|Then|And|But)\\b"))
((call !receiver method: (identifier) @name block: (_) @body) @function
  (#match? @function "^(?:(?:before|after|around|setup|teardown|before_all|after_all|before_action|after_action|around_action|rescue_from|not_found|configure)\\b|(?:it|specify|example)\\s*(?:\\{|do\\b))"))

[(body_statement) (block_body) (then) (else) (elsif) (ensure) (rescue) (begin) (if) (unless) (case) (when) (case_match) (in_clause)
  (parenthesized_statements) (if_modifier) (unless_modifier) (block) (do_block) (empty_statement) (block_parameters) "end"] @transparent
(block_parameters [(_) @transparent (_ (_) @transparent)])
[(if condition: (_) @nothing) (unless condition: (_) @nothing) (elsif condition: (_) @nothing) (if_modifier condition: (_) @nothing) (unless_modifier condition: (_) @nothing)
  (case value: (_) @nothing) (when pattern: (_) @nothing) (case_match value: (_) @nothing) (in_clause pattern: (_) @nothing) (in_clause guard: (_) @nothing)]
[(exceptions) (exception_variable) (heredoc_body) (nil)] @nothing
((return) @nothing (#match? @nothing "^return(?:[\\s(]*nil(?:\\s*,\\s*nil)*[\\s)]*|\\s*\\(\\s*\\))?$"))

((if condition: (false) !alternative) @idle)
; a value that nobody takes: something stands behind it
([(body_statement [(string) (integer) (float) (nil) (true) (false) (simple_symbol)] @idle . (_) @_n)
  (block_body [(string) (integer) (float) (nil) (true) (false) (simple_symbol)] @idle . (_) @_n)
  (then [(string) (integer) (float) (nil) (true) (false) (simple_symbol)] @idle . (_) @_n)]
  (#not-match? @_n "^(?:rescue|ensure|else)\\b") (#not-match? @idle "#\\{"))

((call method: (identifier) @_f) @failure (#match? @_f "^(?:raise|fail|abort)$"))
; raised, told, answered, left pending
((call) @stub (#match? @stub "^(?:raise|fail)[\\s(]+(?:::)?(?:\\w+::)*(?:NotImplemented|NotYetImplemented|Unimplemented)\\w*"))
((call method: (identifier) @_m arguments: (argument_list [
  (string) @_t (chained_string) @_t (pair value: (string) @_t) (call arguments: (argument_list [(string) @_t (chained_string) @_t]))])) @stub
  (#match? @_m "${tells}") (#unfinished? @_t) (#not-match? @_t "<\\w+[ >]"))
(body_statement (call) @stub . (heredoc_body) @_t (#match? @stub "^(?:raise|fail|puts|warn|abort)\\b[^\\n]*<<") (#unfinished? @_t))
((call) @stub (#match? @stub "^(?:head[\\s(]+(?::not_implemented|501)|render\\b[^\\n]*\\bstatus: (?::not_implemented|501)|(?:it|specify|example|scenario)[\\s(]+(?:\"[^\"\\n]*\"|'[^'\\n]*'))\\s*\\)?$"))
((call) @stub (#match? @stub "^(?:not_implemented|unimplemented|todo|abstract_method)!?(?:[\\s(]|$)"))
(body_statement . (identifier) @nothing . (#any-of? @nothing "pending" "skip" "not_implemented" "todo"))
((body_statement . ${text} @stub .) (#unfinished? @stub) (#not-match? @stub "${value}"))
((method body: ${text} @stub) (#unfinished? @stub) (#not-match? @stub "${value}"))
((return (argument_list . ${text} @_t .)) @stub (#unfinished? @_t) (#not-match? @_t "${value}"))
(body_statement . (simple_symbol) @stub . (#any-of? @stub ":not_implemented" ":unimplemented"))

; names kept from being unused
((assignment left: (identifier) @_u right: [(identifier) (array) (nil)] @_v) @nothing (#match? @_u "^_") (#match? @_v "^[\\w\\s,\\[\\]]+$"))

; values in place of the real one
[(true) (false) (integer) (float) (string) (simple_symbol)] @constant
([(array) (hash)] @constant (#match? @constant "^[\\[{][^()]*[\\]}]$"))
((return (argument_list . [(true) (false) (integer) (float) (string) (simple_symbol) (array) (hash)] @_v .)) @constant (#match? @_v "^(?:[\\[{][^()]*[\\]}]|[^\\[{][\\s\\S]*)$"))

; declared, not written: nothing is missing
(class superclass: (_)) @exempt
((call) @_b . (method) @exempt (#match? @_b "^sig\\b[\\s\\S]*\\babstract\\b"))
((assignment left: (constant)) @exempt (#match? @exempt "^[A-Z]\\w*\\s*=\\s*(?:Struct|Class|Data)\\b"))
((method name: (identifier) @_n !parameters !body) @exempt (#eq? @_n "initialize") (#not-match? @exempt "\\b(?:TODO|FIXME|XXX)\\b") (#not-unfinished? @exempt))
((method name: (identifier) @_n parameters: (method_parameters) @_p !body) @exempt (#eq? @_n "initialize") (#match? @_p "^\\(\\s*(?:(?:\\*{1,2}|\\.\\.\\.)\\s*)?\\)$")
  (#not-match? @exempt "\\b(?:TODO|FIXME|XXX)\\b") (#not-unfinished? @exempt))
([(method name: (identifier) @_n) (singleton_method name: (identifier) @_n)] @exempt (#match? @_n "^_*(?:noop|no_op|nop|do_nothing|nothing)[!?]?$"))
((assignment left: [(identifier) (constant)] @_n) @exempt (#match? @_n "^_*(?:noop|no_op|nop|do_nothing|nothing|NOOP|NO_OP|NOTHING)$"))
`
}
