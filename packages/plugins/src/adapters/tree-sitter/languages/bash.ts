import type { LanguageRules } from "@proofline/kernel"

/** Commands and functions that merely tell somebody something, or give up. */
const tells = String.raw`^(?:echo|printf|print|say|log\\w*|warn\\w*|err|error\\w*|info\\w*|debug\\w*|notice|msg|message|die|fatal|fail|abort|skip|panic|todo|TODO|not_?[iI]mplemented|unimplemented|\\w+_(?:error|warn|warning|info|die|fail|echo|log))$`

/** The same with its output put where people read it, not into a file. */
const told = String.raw`>\\s*(?:&\\s*2|/dev/(?:stderr|stdout|tty|null))(?:\\s+2?>\\s*&\\s*[12])?\\s*$`

/** Read in place of what is but a word. */
const masked = "_".repeat(400)

/** Read in place of a command within a word, which is known by this character. */
const ran = "¤".repeat(401)

export const bash: LanguageRules = {
  name: "bash",
  extensions: [".sh", ".bash", ".bats", ".ksh", ".zsh"],
  filenames: [".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", "PKGBUILD", "APKBUILD"],
  interpreters: ["bash", "sh", "dash", "zsh", "ksh", "ash", "bats", "mksh"],
  grammar: "tree-sitter-bash.wasm",
  fail: 'echo "neutralised" >&2; exit 97;',
  patches: [
    // redirections
    { pattern: "<<<", as: "  <" },
    { pattern: String.raw`(?<=\d)<>`, as: "< " },
    { pattern: String.raw`<<\\(?=\w)`, as: "<< " },
    // patterns and regular expressions without quotes
    { pattern: String.raw`[@?*+!]\([^()\s"'$\x60]{0,160}\|[^()\s"'$\x60]{0,160}\)`, as: masked },
    {
      pattern: String.raw`(?<==~[ \t]{1,9}(?:\\\r?\n[ \t]{0,40})?)(?:\\.|"[^"\n$\x60\\]{0,200}"|'[^'\n]{0,200}'|[^\s"'\x60$\\]|\$(?![({])){1,400}(?=\s)`,
      as: masked
    },
    { pattern: String.raw`\\[()](?<=[ \t]\[[ \t](?:[^\n]|\\\r?\n){2,200})`, as: "" },
    { pattern: String.raw`(?<=\[ "[^"\n]{1,80}") (?="\$[@\w*]{1,40}" \])`, as: "=" },
    // brackets and quotes within expansions
    { pattern: String.raw`\$(?=\)|\\"|\{\$)`, as: "_" },
    { pattern: String.raw`0x(?=\$)`, as: "0+" },
    { pattern: String.raw`[()](?<=\$\{\w{1,40}[/%#]{1,2}[^}\s"'$(]{0,40}.)(?=[^}\s"'()]{0,40}\})`, as: "_" },
    { pattern: String.raw`[()](?<=\$\{\w{1,40}:?[+-](?:[^\n}"$]|\$(?!\()){0,40}.)(?<!\$.)`, as: "_" },
    { pattern: String.raw`'(?<="\$\{\w{1,40}/[^}"\n]{0,40}')`, as: "_" },
    { pattern: String.raw`#(?<=\(\([ \t]{0,3}\d{1,2}#)(?=\$)`, as: "+" },
    { pattern: String.raw`~(?<=\$\{\w{1,40}:~)`, as: " " },
    { pattern: String.raw`"\(\(`, as: '"__' },
    // commands in backticks: the grammar takes the closing one for another opening one
    { pattern: String.raw`(?<!\\)\x60(?:[^\x60\\\n]|\\.){0,399}\x60`, as: ran },
    { pattern: String.raw`(?<=\*)' '(?=\?)`, as: "___" },
    // a loop over the arguments
    { pattern: String.raw`[ \t](?=do[ \t\r]*$)(?<=^[ \t]{0,40}for[ \t]{1,9}\w{1,40}[ \t])`, as: ";" },
    // `@test "adds two" {` is read as `adds_two() {`
    {
      pattern: String.raw`[^\w\n](?<=^@test[ \t]{1,9}["'][^\n"]{1,99})(?<!["'](?=[ \t]+\{))(?=[^\n]{0,99}["'][ \t]{1,9}\{[ \t\r]*$)`,
      as: "_"
    },
    { pattern: String.raw`["'][ \t](?=[ \t]*\{[ \t\r]*$)(?<=^@test[ \t]{1,9}["']\w{1,120}["'][ \t])`, as: "()" },
    { pattern: String.raw`^@test[ \t]+["'](?=\w+\(\))`, as: "" }
  ],
  query: String.raw`
(comment) @comment
[(string) (raw_string) (ansi_c_string) (heredoc_body)] @string
(program (command name: (command_name) @_n) @import (#match? @_n "^(?:source|\\.)$"))

(function_definition name: (_) @name body: (_) @body) @function
(function_definition) @replaceable

[(compound_statement) (subshell) (list) (if_statement) (elif_clause) (else_clause) (case_statement) (case_item)] @transparent
[(if_statement condition: (test_command) @nothing) (elif_clause . (test_command) @nothing) (case_statement value: (_) @nothing) (case_item value: (_) @nothing)]
((command name: (command_name) @_n) @stub (#match? @_n "^:$") (#not-match? @stub ":?=|\\$\\{\\w+:?\\?|\\$\\(|[\x60¤]"))
((command) @stub (#match? @stub "^true$"))
((command) @nothing (#match? @nothing "^(?:return(?:\\s+0)?|shift(?:\\s+\\d+)?)$"))
((command) @constant (#match? @constant "^(?:return\\s+\\d+|false|echo(?:\\s+(?:\"[^\"]*\"|'[^']*'|[\\w.-]+))?)$"))
((declaration_command) @nothing (#match? @nothing "^(?:local|declare|typeset)\\b") (#not-match? @nothing "\\$\\(|[\x60¤]|<\\(|\\s-\\w*[gxp]"))
((declaration_command) @idle (#match? @idle "^(?:local|declare|typeset)(?:\\s+-[aAilru]+)*(?:\\s+[a-zA-Z_]\\w*)+$"))
((if_statement) @idle (#match? @idle "^if\\s+false\\s*(?:;|\\n)") (#not-match? @idle "\\bel(?:se|if)\\b"))
((variable_assignment value: [(simple_expansion) (word) (string . (simple_expansion) .)]) @nothing (#match? @nothing "^_="))

; told, and given up
((command name: (command_name) @_n argument: (_)) @stub (#match? @_n "${tells}") (#unfinished? @stub))
((command name: (command_name) @_n) @stub (#match? @_n "^(?:todo|TODO|not_?[iI]mplemented|unimplemented)$"))
((redirected_statement body: (command name: (command_name) @_n argument: (_))) @stub (#match? @_n "${tells}") (#unfinished? @stub) (#match? @stub "${told}"))
((redirected_statement body: (command name: (command_name) @_n) redirect: (heredoc_redirect (heredoc_body) @_b)) @stub (#eq? @_n "cat")
  (#unfinished? @_b) (#match? @_b "^[^\\n]*\\n?$") (#not-match? @stub "^[^\\n]*[^<0-9]>(?!&2|\\s*/dev/std)"))
([(program [(command) (redirected_statement)] @_t (command) @stub) (compound_statement [(command) (redirected_statement)] @_t (command) @stub)
  (list [(command) (redirected_statement)] @_t (command) @stub) (subshell [(command) (redirected_statement)] @_t (command) @stub)]
  (#match? @stub "^(?:return|exit)(?:\\s+\\d+)?$|^false$") (#match? @_t "^(?:[012]?>&?\\s*\\S+\\s+)?(?:\\w+_)?(?:echo|printf|print|log|warn|err|info|debug|msg|say)") (#unfinished? @_t))

((function_definition name: (_) @_n) @exempt (#match? @_n "^_*(?:noop|no_op|no-op|NOOP|nop|do_nothing|nothing)$"))
; answers and hooks: success is what they say
((function_definition name: (_) @_n body: (_) @_b) @exempt
  (#match? @_n "^_*(?:is|has|have|can|should|may|supports?|uses?|needs?|wants?|before|after|pre|post|on|set_?up|tear_?down)(?:[_-]|$)|[_-](?:hook|enabled|supported|allowed|ok)$")
  (#match? @_b "^[{(]\\s*(?:return\\s+0|local\\s+\\w+=\\w+)\\s*(?:;\\s*)?[})]$"))
`
}
