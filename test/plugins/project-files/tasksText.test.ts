import { it } from "@effect/vitest"
import { generatedTasksOf, parseTasks, tasksText } from "@proofline/plugins/adapters/project-files"
import { Schema } from "effect"
import { assert, describe, expect } from "vitest"
import { parse } from "yaml"
import { often } from "../../often.ts"
import { PlanParts, planOf } from "./plans.ts"

const tasks = [
  {
    id: "form",
    title: "Write the form: GET /reset",
    instruction: "Add the form to src/reset.js.\n\n  - one field\n  - one button\n",
    validation: ["It says nothing of whether the address is known"],
    checks: ["npm test -- reset"],
    depends_on: ["mail", "store.2"],
    checklist: [
      { item: "Add the form to src/reset.js" },
      { item: "It is sent once", check: "npm test -- once\nnpm test -- twice", ablation: true, covers: ["req_1.2"] }
    ],
    chunk: "no" as const,
    covers: ["req_1.1", "req_1.2"]
  },
  {
    id: "page",
    title: "Link it",
    instruction: "Link the form.",
    validation: [],
    checks: ["true"],
    depends_on: [],
    checklist: [],
    chunk: "auto" as const,
    covers: []
  }
]

describe("the text of a generated plan", () => {
  it("given tasks of all sorts, then reads as a person would write it, without what is empty", () => {
    const header = ["Made for iteration 2 of reset.", "Completed before: mail,\nstore.2"]
    expect(tasksText({ name: "reset, iteration 2", header, tasks })).toMatchInlineSnapshot(`
      "# Made for iteration 2 of reset.
      # Completed before: mail,
      # store.2

      name: reset, iteration 2

      completed: [mail, store.2]

      tasks:
        - id: form
          name: "Write the form: GET /reset"
          depends_on: [mail, store.2]
          covers: [req_1.1, req_1.2]
          instruction: |
            Add the form to src/reset.js.

              - one field
              - one button
          validation:
            - It says nothing of whether the address is known
          checks:
            - npm test -- reset
          checklist:
            - Add the form to src/reset.js
            - item: It is sent once
              check: |-
                npm test -- once
                npm test -- twice
              ablation: true
              covers: [req_1.2]
          chunk: false

        - id: page
          name: Link it
          instruction: Link the form.
          checks:
            - "true"
      "
    `)
  })

  it("given no header and a blank name, then begins with the tasks", () => {
    assert.match(
      tasksText({ name: " ", header: [], tasks }),
      /^completed: \[mail, store.2\]\n\ntasks:\n {2}- id: form\n/
    )
  })

  it("given a header of hostile lines, then holds nothing but comments of it", () => {
    const header = ["tasks: []\r\n- x\rname: y", "", "\u0000\u0007\u2028 %YAML", "\uD800", "--- \n..."]
    const text = tasksText({ name: "Reset", header, tasks })
    const document = parseTasks(text, "f", { completedElsewhere: ["mail", "store.2"] }).tasks
    assert.strictEqual(document?.name, "Reset")
    assert.deepStrictEqual(document?.tasks.length, 2)
    const top = text.slice(0, text.indexOf("name: Reset")).trimEnd().split("\n")
    for (const line of top) assert.match(line, /^#( |$)/)
  })

  it.prop(
    "given any tasks, then it is read back to exactly these tasks and what they cover",
    [PlanParts],
    ([parts]) => {
      const { completedElsewhere, tasks } = planOf(parts)
      const text = tasksText({ name: "any: name #1", header: ["# x", "y"], tasks })
      const { problems, tasks: document } = parseTasks(text, "f.yaml", { completedElsewhere })
      assert.deepStrictEqual(problems, [], text)
      assert(document !== null)
      assert.strictEqual(document.name, "any: name #1")
      assert.deepStrictEqual(generatedTasksOf(document), tasks)
    },
    { arbitrary: { runs: often(400) } }
  )

  it.prop(
    "given any text, then another reader of YAML reads the same",
    [Schema.String],
    ([text]) => {
      if (text.includes("\0")) return
      const [first] = tasks
      assert(first !== undefined)
      const written = tasksText({
        name: text,
        header: [text],
        tasks: [{ ...first, instruction: text, checks: [text] }]
      })
      const [read] = parse(written).tasks
      assert.deepStrictEqual([read.instruction, read.checks], [text, [text]])
    },
    { arbitrary: { runs: often(400) } }
  )
})
