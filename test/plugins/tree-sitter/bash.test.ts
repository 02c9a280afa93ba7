import { assert, describe, it } from "@effect/vitest"
import { judged, outlined, verdicts } from "./support.ts"

/** Bodies that do nothing, in every way people leave them behind. */
const stubs: ReadonlyArray<ReadonlyArray<string>> = [
  [":"],
  ["true"],
  ["return"],
  ["return 0"],
  ["return 0 # fine"],
  ["# TODO"],
  ["# Checks the password."],
  ["# TODO: implement", ":"],
  ["# FIXME", "return"],
  [': "$1"'],
  ['echo "TODO"'],
  ["echo TODO"],
  ["echo not implemented yet"],
  ["printf '%s\\n' 'TODO'"],
  ['echo "not implemented" >&2'],
  ['>&2 echo "f: not implemented"'],
  ['echo "not implemented" >&2', "return 1"],
  ['echo "not implemented" >/dev/stderr', "exit 1"],
  ['echo "TODO" && return 1'],
  ['die "not implemented"'],
  ['log_error "f is not implemented yet"', "return 1"],
  ["not_implemented"],
  ["cat <<EOF", "not implemented", "EOF"],
  ['local a="$1"', ":"],
  ["local a", "shift", "# TODO", "return 1"],
  ['if [ -n "$1" ]; then', "  :", "else", "  return", "fi"],
  ["case $1 in", "  a) ;;", "  *) : ;;", "esac"],
  ["( : )"],
  ["true || :"],
  ["false # TODO"]
]

/** Bodies that do something, however little. */
const real: ReadonlyArray<ReadonlyArray<string>> = [
  ['echo "$1"'],
  ["echo"],
  ["return 1"],
  ["false"],
  ['return "$status"'],
  ['a="$1"'],
  ["export A=1"],
  ['local a="$(date)"', 'echo "$a"'],
  [`: \${A:=1}`],
  [': "$(touch a)"'],
  [': "`touch a`"'],
  ["local a=`touch a`"],
  ['[[ -n "$1" ]]'],
  ['[ -f "$1" ] && return 0', "return 1"],
  ['source "$1"'],
  ['echo "# TODO" > README.md'],
  ["grep -rn TODO src"],
  ["# TODO: faster", 'sort "$1"'],
  ["while read -r line; do :; done"],
  ["cat <<EOF", "usage: f", "not implemented: -x", "EOF"],
  ['if grep -q a "$1"; then', "  return 0", "fi"],
  ['g "$@"']
]

const indented = (lines: ReadonlyArray<string>): string => {
  let isText = false
  return lines
    .map((line) => {
      const made = isText ? line : `  ${line}`
      isText = isText ? line !== "EOF" : line.includes("<<EOF")
      return `${made}\n`
    })
    .join("")
}

/** Where a body may stand. */
const places: Readonly<Record<string, (body: ReadonlyArray<string>) => string>> = {
  "a function": (body) => `f() {\n${indented(body)}}\n`,
  "a function with its keyword": (body) => `function f {\n${indented(body)}}\n`,
  "a function with both": (body) => `function f()\n{\n${indented(body)}}\n`,
  "a function with its output elsewhere": (body) => `f() {\n${indented(body)}} 2>/dev/null\n`,
  // a subshell of comments alone is none
  "a function in a subshell": (body) => `f() (\n  local b\n${indented(body)})\n`,
  "a function among others": (body) => `g() { g2; }\n\nf() {\n${indented(body)}}\n\nf "$@"\n`,
  "a function that is defined in a condition": (body) => `if ! type f; then\nf() {\n${indented(body)}}\nfi\n`
}

const lineOf = (text: string): number => text.split("\n").findIndex((line) => /^(?:function )?f\b/.test(line)) + 1

describe("given Bash", () => {
  for (const [place, put] of Object.entries(places)) {
    it(`when ${place} does nothing, then it is empty, by its first line`, async () => {
      const passed: Array<string> = []
      for (const body of stubs) {
        const text = put(body)
        const { declaration, empty } = await judged("a.sh", text, lineOf(text))
        if (empty === null || declaration?.name !== "f") passed.push(text)
      }
      assert.deepStrictEqual(passed, [])
    })

    it(`when ${place} does something, then it is none`, async () => {
      const refused: Array<string> = []
      for (const body of real) {
        const text = put(body)
        const { empty } = await judged("a.sh", text, lineOf(text))
        if (empty !== null) refused.push(`${text}: ${empty}`)
      }
      assert.deepStrictEqual(refused, [])
    })
  }

  it("when a function is on one line, then it is judged all the same", async () => {
    for (const text of ["f() { :; }", "f() { }", "function f { true; }", "f() { return; }", "f() if true; then :; fi"])
      assert.isNotNull((await judged("a.sh", `${text}\n`, 1)).empty, text)
    for (const text of ["f() { g; }", "f() [[ -n $1 ]]", "f() { g || true; }"])
      assert.isNull((await judged("a.sh", `${text}\n`, 1)).empty, text)
  })

  it("when success is what a function is named for, or it does nothing on purpose, then it is none", async () => {
    const found = await verdicts(
      "a.sh",
      "is_enabled() { return 0; }\nsetup() {\n  return 0\n}\nbefore_install() { local stub=1; }\nnoop() { :; }\nsetup_all() { :; }\nlogin() { return 0; }\n"
    )
    assert.deepStrictEqual(
      Object.entries(found).flatMap(([name, empty]) => (empty === null ? [] : [name])),
      ["setup_all", "login"]
    )
  })

  it("when a script has no functions, then its commands count", async () => {
    const text = '#!/bin/sh\n# Builds.\nset -e\n. ./lib.sh\nmake all\necho "not implemented"\nexit 1\n'
    assert.include((await judged("build", text, [1, 2])).empty, "comments")
    assert.include((await judged("build", text, 4)).empty, "imports")
    assert.isNull((await judged("build", text, 3)).empty)
    assert.isNull((await judged("build", text, 5)).empty)
    assert.isNull((await judged("build", text, [1, 7])).empty)
    assert.isNotNull((await judged("build", text, [6, 7])).empty)
  })

  it("when a file has no extension, then its first line says what it is", async () => {
    for (const program of ["/bin/bash", "/bin/sh", "/usr/bin/env bash", "/usr/bin/env -S bash -eu", "/usr/bin/dash"])
      assert.strictEqual((await outlined("bin/tool", `#!${program}\nf() { :; }\n`)).language, "bash", program)
  })

  it("when a heredoc holds what looks like code, then it is text", async () => {
    const text = "f() {\n  cat <<'EOF'\ng() { :; }\n# TODO `\nEOF\n}\nh() { :; }\n"
    assert.deepStrictEqual(Object.keys(await verdicts("a.sh", text)), ["f", "h"])
    assert.isNull((await judged("a.sh", text, 1)).empty)
    assert.isNull((await judged("a.sh", text, 4)).empty)
  })

  it("when tests are written for bats, then each is judged by its name", async () => {
    const text = `load helper
@test "adds two (of them)" {
  :
}
@test 'removes' {
  run remove "a b"
  [ "$status" -eq 0 ]
}
`
    const found = await verdicts("a.bats", text)
    assert.deepStrictEqual(Object.keys(found), ["adds_two__of_them_", "removes"])
    assert.isNotNull((await judged("a.bats", text, 2)).empty)
    assert.isNull((await judged("a.bats", text, 5)).empty)
  })

  it("when the grammar lags behind, then it is read without a fault", async () => {
    // € for a dollar sign and ´ for a backtick, which mean something else here
    const text = String.raw`f() {
  while read -r a; do g "€a"; done <<<"€(<"€b")"
  cat > "€c" <<<"x"
  exec 4<> "€log"
  if eval "(( \€{#a[@]} > 0 ))"; then g; fi
  h=€{h/)*}
  [ "€(v)" "€@" ]
  if [[ €a =~ ^€b([^0-9]*)([1-9][0-9]+|[0-9])\.x€ && €a == *.@(jar|[.~])* ]]; then g; fi
  if [ "€a" = b -a \( "€c" = d -o "€c" = e \) ]; then g; fi
  case "€a" in ?*' '?*) g ;; esac
  [[ €a =~ (New|Reused)", (x|y), "[A-Z]+ ]] && g €((0x€a-0x1)) "\"x€\""
  a="´b "c" | head -1´"
  d="´e´"
  for i do
    g "€i"
  done
  echo "€{a:+ (€b)}" €{1:~0} €((16#€a))
  cat <<\END
it's text
END
}
g() { g2; }
`
      .replaceAll("€", "$")
      .replaceAll("´", "`")
    const outline = await outlined("a.sh", text)
    assert.deepStrictEqual(outline.faults, [])
    assert.deepStrictEqual(
      outline.declarations.map(({ empty, name }) => [name, empty]),
      [
        ["f", null],
        ["g", null]
      ]
    )
  })

  it("when lines are made to fail, then the failing command comes first in the function", async () => {
    const outline = await outlined("a.sh", "f() {\n  # Does it.\n  g\n}\n")
    assert.strictEqual(
      outline.neutralised({ start: 1, end: 1 }),
      'f() {\n  # Does it.\n  echo "neutralised" >&2; exit 97;\n  g\n}\n'
    )
  })
})
