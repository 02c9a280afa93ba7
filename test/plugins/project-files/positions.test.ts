import { parseTasks } from "@proofline/plugins/adapters/project-files"
import { assert, describe, it } from "vitest"

/** Where the marked place `»` is: line and column, both from 1, the column in characters. */
const marked = (text: string): { readonly text: string; readonly place: string } => {
  const before = text.slice(0, text.indexOf("»"))
  const lines = before.split(/\r\n|\r|\n/)
  const column = Array.from((lines.at(-1) ?? "").replace("\uFEFF", "")).length + 1
  return { text: text.replace("»", ""), place: `${lines.length}:${column}` }
}

const places = (text: string, code: string): ReadonlyArray<string> =>
  parseTasks(text, "tasks.yaml")
    .problems.filter((problem) => problem.code === code)
    .map(({ column, line }) => `${line}:${column}`)

const cases: ReadonlyArray<readonly [name: string, code: string, text: string]> = [
  ["a value in block style", "wrong_type", "tasks:\n  - id: a\n    name: »3\n    instruction: x\n"],
  ["a value in flow style", "wrong_type", "tasks: [{id: a, name: »3, instruction: x}]\n"],
  [
    "flow in block in flow",
    "wrong_type",
    "tasks: [{id: a, name: A, instruction: I,\n  checks: [ok,\n   »{a: 1, b: 2}]}]\n"
  ],
  [
    "block in block",
    "blank_value",
    "tasks:\n- id: a\n  name: A\n  instruction: I\n  checklist:\n  - item: x\n    check: »''\n"
  ],
  [
    "a list without indentation",
    "wrong_type",
    "tasks:\n- id: a\n  name: A\n  instruction: I\n  checks:\n  - ok\n  - »7\n"
  ],
  ["an unknown key", "unknown_key", "tasks:\n  - id: a\n    name: A\n    instruction: I\n    »colour: red\n"],
  ["a mapping without a key it needs", "missing_key", "tasks:\n  - »id: a\n    name: A\n"],
  ["a mapping in flow style without a key it needs", "missing_key", "tasks: [ »{id: a, name: A}]\n"],
  ["a value left out", "blank_value", "tasks:\n  - id: a\n    »name:\n    instruction: I\n"],
  ["a value left out before a comment", "blank_value", "tasks:\n  - id: a\n    »name: # soon\n\n    instruction: I\n"],
  [
    "an item left out",
    "blank_value",
    "tasks:\n  - id: a\n    name: A\n    instruction: I\n    checks:\n      - x\n      »-\n      - y\n"
  ],
  ["a block text", "blank_value", "tasks:\n  - id: a\n    name: A\n    instruction: »|\n\n"],
  [
    "a value behind an anchor and a tag",
    "wrong_type",
    "tasks:\n  - id: a\n    name: &x !!int »3\n    instruction: I\n"
  ],
  ["a value behind an explicit key", "wrong_type", "tasks:\n  - id: a\n    ? name\n    : »3\n    instruction: I\n"],
  [
    "an alias of a wrong type",
    "wrong_type",
    "defaults: {workers: &n 3}\ntasks:\n  - id: a\n    name: »*n\n    instruction: I\n"
  ],
  ["after characters of two bytes", "wrong_type", "tasks: [{id: grün, name: »3, instruction: ä}]\n"],
  ["after characters of four bytes", "wrong_type", "tasks: [{id: a, instruction: '👩‍🚀🎉 日本', name: »3}]\n"],
  ["with Windows line ends", "wrong_type", "tasks:\r\n  - id: a\r\n    name: »3\r\n    instruction: I\r\n"],
  ["with old Macintosh line ends", "wrong_type", "tasks:\r  - id: a\r    name: »3\r    instruction: I\r"],
  ["with mixed line ends", "wrong_type", "# c\r\ntasks:\n  - id: a\r    name: »3\r\n    instruction: I\n"],
  ["behind a byte order mark", "unknown_key", "\uFEFF»tsks: []\n"],
  ["behind a document start", "unknown_key", "--- # start\n»tsks: []\n"],
  [
    "an id that is taken",
    "id_duplicate",
    "tasks:\n- {id: a, name: A, instruction: I}\n- {name: B, instruction: I, id: »a}\n"
  ],
  [
    "a dependency in a list",
    "dependency_unknown",
    "tasks:\n- id: a\n  name: A\n  instruction: I\n  depends_on:\n    - »'b'\n"
  ],
  ["a dependency as one text", "dependency_unknown", "tasks:\n- {id: a, name: A, instruction: I, depends_on: »b}\n"],
  [
    "a circle: where its first task begins it",
    "dependency_cycle",
    "tasks:\n- {id: a, name: A, instruction: I, depends_on: [»b]}\n- {id: b, name: B, instruction: I, depends_on: [a]}\n"
  ],
  ["a key given twice", "yaml_duplicate_key", "tasks:\n- id: a\n  name: A\n  »id: b\n  instruction: I\n"],
  ["an unclosed quote: where it was opened", "yaml_syntax", 'tasks:\n- id: a\n  name: »"A\n  instruction: I\n'],
  ["a tab", "yaml_tab", "tasks:\n- id: a\n»\tname: A\n"]
]

describe("the place of a problem", () => {
  it.each(cases)("%s", (_name, code, template) => {
    const { place, text } = marked(template)
    assert.deepStrictEqual(places(text, code), [place])
  })

  it("is found quickly on one huge line", () => {
    const tasks = Array.from({ length: 1_000 }, (_, n) => `{id: t${n}, name: 3, instruction: ${"ü".repeat(500)}}`)
    const { problems } = parseTasks(`tasks: [${tasks.join(", ")}]`, "tasks.yaml")
    assert.strictEqual(problems.length, 1_000)
    const [first, second] = problems
    assert.deepStrictEqual([first?.column, second?.column], [24, 24 + (tasks[0]?.length ?? 0) + 2])
  })
})
