import { it } from "@effect/vitest"
import { parseGeneratedTasks, tasksText } from "@proofline/plugins/adapters/project-files"
import { Schema } from "effect"
import { assert, describe, expect } from "vitest"
import { often } from "../../often.ts"
import { PlanParts, planOf } from "./plans.ts"

const plan = `tasks:
  - id: a
    name: A
    instruction: |
      Write it, like this:

      \`\`\`js
      a()
      \`\`\`

      and test it.
    checks: ["npm test"]
    covers: [r.1]
  - id: b
    name: B
    depends_on: [a]
    instruction: I
    checklist: [{item: x, covers: [r.2]}]
`
const ids = (output: string, completedElsewhere: ReadonlyArray<string> = []) => {
  const { problems, tasks } = parseGeneratedTasks(output, { completedElsewhere })
  assert.deepStrictEqual(problems, [])
  return tasks.map(({ id }) => id)
}
const told = (output: string, completedElsewhere: ReadonlyArray<string> = []): string => {
  const { problems, tasks } = parseGeneratedTasks(output, { completedElsewhere })
  assert.deepStrictEqual(tasks, [])
  return problems.join("\n")
}
const task = (id: string) => `tasks: [{id: ${id}, name: N, instruction: I, checks: [x]}]`

describe("a plan in an answer", () => {
  it("given the text of a tasks file, then becomes its tasks with what they cover", () => {
    const { problems, tasks } = parseGeneratedTasks(plan)
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual(
      tasks.map(({ checklist, covers, id }) => ({ id, covers, checklist })),
      [
        { id: "a", covers: ["r.1"], checklist: [] },
        { id: "b", covers: [], checklist: [{ item: "x", covers: ["r.2"] }] }
      ]
    )
    assert.include(tasks[0]?.instruction, "```js\na()\n```")
  })

  it.each([
    ["a block", `Here it is:\n\n\`\`\`yaml\n${plan}\`\`\`\n\nThat is all: two tasks.\n`],
    ["a block of tildes without a name", `Plan\n~~~\n${plan}~~~\n`],
    ["a longer fence", `\`\`\`\`yml\n${plan}\`\`\`\`\n`],
    ["a block with CRLF", `Here:\r\n\`\`\`yaml\r\n${plan.replaceAll("\n", "\r\n")}\`\`\`\r\n`],
    ["an indented block of a list", `- The plan:\n\n  \`\`\`yaml\n${plan.replaceAll(/^(?=.)/gm, "  ")}  \`\`\`\n`],
    ["prose and nothing else around it", `Here is the plan: it has two tasks.\n\n${plan}\nThat is all.\n\n- really\n`],
    ["a title that is a key to YAML", `Plan:\n\n${plan}`],
    ["a document of YAML", `---\n${plan}---\n`],
    ["front matter", `---\n${plan}---\n\n# The plan\n\nIt has two tasks.\n`],
    ["the end of a fence", `${plan}\`\`\`\n`],
    ["a byte order mark", `\uFEFF${plan}`]
  ])("given %s, then is found", (_, output) => {
    assert.deepStrictEqual(ids(output), ["a", "b"])
    assert.include(parseGeneratedTasks(output).tasks[0]?.instruction, "a()\n```\n\nand test it.\n")
  })

  it.each([
    ["JSON", JSON.stringify({ tasks: [{ id: "a", name: "A", instruction: "I\n\t😀", checks: ["x"] }] }, null, "\t")],
    [
      "JSON in a block",
      'So:\n```json\n{"tasks": [{"id": "a", "name": "A", "instruction": "I", "checks": "x"}]}\n```\n'
    ],
    ["JSON among prose", 'So:\n\n{"tasks": [{"id": "a", "name": "A", "instruction": "I", "checks": "x"}]}\n\nDone.\n']
  ])("given %s, then is found too", (_, output) => {
    assert.deepStrictEqual(ids(output), ["a"])
  })

  it("given several blocks, then is the last that is one", () => {
    const block = (text: string, name = "yaml") => `\`\`\`${name}\n${text}\n\`\`\`\n`
    const example = "tasks: [{id: example"
    assert.deepStrictEqual(ids(`${block(task("one"))}\nbetter:\n${block(task("two"))}`), ["two"])
    assert.deepStrictEqual(ids(`${block(task("one"))}Run:\n${block("npm test", "sh")}`), ["one"])
    assert.deepStrictEqual(ids(`${block(task("one"))}In code:\n${block("x = {\n  tasks: [],", "ts")}`), ["one"])
    assert.deepStrictEqual(ids(`${block(task("one"))}State:\n${block("other:\n  id: 3")}`), ["one"])
    // the last one means to be the plan: an earlier one is not taken in its place
    assert.match(told(`${block(task("one"))}${block(example)}`), /^Line 5: /)
  })

  it("given common checks and validation, then has them in every task, also below prose", () => {
    const { tasks } = parseGeneratedTasks(
      "It is this.\n\ncommon_checks: npm test\ntasks:\n  - {id: a, name: A, instruction: I}\n"
    )
    assert.deepStrictEqual(tasks[0]?.checks, ["npm test"])
  })

  it("given tasks that wait for one completed earlier, then is taken", () => {
    const output = "tasks: [{id: c, name: C, instruction: I, checks: [x], depends_on: [a]}]"
    assert.deepStrictEqual(ids(output, ["a"]), ["c"])
    assert.match(told(output), /depends on "a", but no task has that id/)
  })
})

describe("a bad answer", () => {
  it.each([
    ["nothing", ""],
    ["blanks", " \n\t\n"],
    ["a sentence that says all is well", "All tasks are generated and approved."],
    ["a word that is a key", "tasks"],
    ["a block of something else", "```yaml\nname: x\n```"],
    ["no task", "tasks: []"],
    ["no task, in a block", "```yaml\ntasks:\n```"],
    ["requirements", "requirements: [{id: a}]"],
    ["an answer that is too large", `tasks:\n#${"x".repeat(5 * 1024 * 1024)}`]
  ])("given %s, then has a problem and no task", (_, output) => {
    assert.isNotEmpty(told(output))
  })

  it("given all that is wrong with a plan, then tells it with the lines of the answer", () => {
    expect(
      told(
        `Here is the plan.

\`\`\`yaml
tasks:
  - id: a
    name: A
    instruction: I
    depends_on: [b, nowhere]
    checks: [x]
  - id: b
    name: B
    instruction: I
    depends_on: [a]
  - id: a
    title: A
    checks: [x]
  - id: done
    name: D
    instruction: I
    checks: x
\`\`\`
`,
        ["done"]
      )
    ).toMatchInlineSnapshot(`
      "Line 8: Tasks wait for each other in a circle: a → b → a. Remove one of these dependencies.
      Line 8: Task "a" depends on "nowhere", but no task has that id. Add the task, remove the id from \`depends_on\`, or, where it was completed before, name it under \`completed\`.
      Line 10: Nothing could prove that task "b" is done. Give it a \`checklist\`, \`checks\` or \`validation\`.
      Line 14: Task "a" has no \`name\`. Add \`name:\` with a short title.
      Line 14: Task "a" has no \`instruction\`. Add \`instruction:\` with what the agent shall do.
      Line 14: The id "a" is already taken by the task on line 5. Give every task an id of its own.
      Line 15: The key "title" is not known in task "a". Did you mean \`name\`?
      Line 17: The id "done" belongs to a task that is completed already. Give the new task an id of its own; what is completed is never run again. [id_taken]"
    `)
  })

  it("given a task that nothing could prove, then has a problem", () => {
    expect(told("tasks: [{id: a, name: A, instruction: I}]")).toMatchInlineSnapshot(
      `"Line 1: Nothing could prove that task "a" is done. Give it a \`checklist\`, \`checks\` or \`validation\`."`
    )
  })

  it("given a task that is to be split and says nothing itself, then has another problem: its parts could be proven", () => {
    expect(told("tasks: [{id: a, name: A, instruction: I, chunk: true}]")).toMatchInlineSnapshot(
      `"Line 1: Nothing could prove that task "a" is done where it cannot be split: its parts must show what the split says of them, and it says nothing itself. Give it a \`checklist\`, \`checks\` or \`validation\`."`
    )
  })

  it("given a block that is never closed, then may be cut off", () => {
    expect(told(`Plan:\n\`\`\`yaml\n${task("a")}\n`)).toMatchInlineSnapshot(
      `"Line 2: The fenced block that begins here is never closed, so the plan may be cut off. Hand in the whole of it."`
    )
  })

  it("given an instruction with a fence at the start of a line, then is not cut there unseen", () => {
    const cut = plan.replaceAll("      ```", "```")
    expect(told(`\`\`\`yaml\n${cut}\`\`\`\n`)).toMatchInlineSnapshot(`
      "Line 10: The plan ends here, but line 13 seems to belong to it. Indent every line of an instruction, and put more backticks around the plan than stand in it.
      Line 3: Nothing could prove that task "a" is done. Give it a \`checklist\`, \`checks\` or \`validation\`.
      Line 8: The text that begins here runs on into the next line, where YAML expects a key on one line. Check the indentation of the next line, and whether a colon or a quote is missing in this one."
    `)
    assert.isNotEmpty(told(cut))
  })

  it("given a line of an instruction at the start of a line, then is not cut there unseen", () => {
    const cut = plan.replace("      and test it.", "and test it.")
    expect(told(`The plan is this.\n\n${cut}`)).toMatchInlineSnapshot(`
      "Line 12: The plan ends here, but line 14 seems to belong to it. Indent every line of an instruction, and put more backticks around the plan than stand in it.
      Line 4: Nothing could prove that task "a" is done. Give it a \`checklist\`, \`checks\` or \`validation\`."
    `)
    assert.isNotEmpty(told(`\`\`\`yaml\n${cut}\`\`\`\n`))
    assert.isNotEmpty(told(`The plan is this.\n\n${plan}and more\n`))
  })

  it("given very many problems, then tells the first fifty", () => {
    const { problems } = parseGeneratedTasks(`tasks:\n${"  - {}\n".repeat(60)}`)
    assert.strictEqual(problems.length, 51)
    assert.strictEqual(problems.at(-1), "There are 130 more problems.")
  })

  it("given very many fences, then is answered", () => {
    assert.isNotEmpty(told("```\n".repeat(often(100_000))))
    assert.isNotEmpty(told("```yaml\ntasks:\n```\n".repeat(often(5_000))))
    assert.isNotEmpty(told("tasks:\n".repeat(often(5_000))))
  })
})

const pieces = [
  "\n",
  "\n\n",
  "Here is the plan:\n",
  "tasks:\n",
  "  - id: a\n",
  "    name: A\n    instruction: |\n",
  "      Do it\n",
  "    checks: [x]\n",
  "```\n",
  "````\n",
  "```yaml\n",
  "   ```\n",
  "~~~\n",
  "      ```js\n",
  "{",
  "}\n",
  '{"tasks": [',
  "---\n",
  "- x\n",
  "  ",
  ": ",
  "\r\n",
  "name: y\n",
  "&a *a !b",
  "\u0000",
  "\uD800"
]
const Pieces = Schema.Array(Schema.Literals(pieces))

const assertSound = (output: string): void => {
  const { problems, tasks } = parseGeneratedTasks(output)
  assert.strictEqual(tasks.length === 0, problems.length > 0)
  for (const sentence of problems) assert.match(sentence, /^[^\n]*[.?]$/)
}

describe("any answer", () => {
  it.prop("made of any characters has tasks or problems, never both", [Schema.String], ([text]) => assertSound(text), {
    arbitrary: { runs: often(300) }
  })

  it.prop("made of pieces has tasks or problems, never both", [Pieces], ([chosen]) => assertSound(chosen.join("")), {
    arbitrary: { runs: often(1_500) }
  })

  it("cut off anywhere has tasks or problems, never both", () => {
    const output = `Plan:\n\n\`\`\`yaml\n${plan}\`\`\`\nDone.\n`
    const closing = output.lastIndexOf("\n```") + 4
    for (let end = 0; end <= output.length; end += 1) {
      assertSound(output.slice(0, end))
      assert.strictEqual(parseGeneratedTasks(output.slice(0, end)).tasks.length, end < closing ? 0 : 2)
    }
  })

  const prose = [
    "Here it is.",
    "",
    "",
    "1. First",
    "* two",
    "`tasks:` below",
    "> said",
    "Note: see below",
    "    x = 1",
    "| a | b |",
    "# Plan",
    "~~~\ncode\n~~~",
    "```sh\nnpm test\n```"
  ]
  const Prose = Schema.Array(Schema.Literals(prose))

  it.prop(
    "of a sound plan among prose is found, in a block and without",
    [PlanParts, Prose, Prose, Schema.Boolean],
    ([parts, before, after, fenced]) => {
      const { completedElsewhere, tasks } = planOf(parts)
      const text = tasksText({ name: "", header: [], tasks })
      const block = `\`\`\`\`\`yaml\n${text}\`\`\`\`\`\n`
      // what is indented below a bare plan, and a code block in it, could belong to it
      const below = fenced ? after : after.filter((line) => /^[A-Z1*|>]/.test(line) && !line.includes(": "))
      const output = [...before, "", fenced ? block : text, "", ...below, ""].join("\n")
      const { problems, tasks: found } = parseGeneratedTasks(output, { completedElsewhere })
      assert.deepStrictEqual(problems, [], output)
      assert.deepStrictEqual(found, tasks)
    },
    { arbitrary: { runs: often(300) } }
  )
})
