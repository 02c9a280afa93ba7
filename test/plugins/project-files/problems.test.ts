import { parseTasks } from "@proofline/plugins/adapters/project-files"
import { assert, describe, expect, it } from "vitest"
import { tasksProblems } from "./told.ts"

describe("a file as a whole", () => {
  it("may have at most 5 MiB", () => {
    expect(tasksProblems(`tasks: []\n#${"x".repeat(5 * 1024 * 1024)}\n`)).toMatchInlineSnapshot(`
      "1:1 file_too_large
        The file is larger than 5 MiB.
        Split it into several files."
    `)
  })
})

describe("YAML itself", () => {
  it("too many levels by indentation", () => {
    expect(
      tasksProblems(`tasks:\n${Array.from({ length: 80 }, (_, level) => `${" ".repeat(level)} k:\n`).join("")}`)
    ).toMatchInlineSnapshot(`
      "2:2 wrong_type
        \`tasks\` must be a list, not a mapping.
        Write a list of tasks, each on a line that begins with \`- \`.
      65:65 yaml_too_deep
        Lists and mappings are nested too deeply here to be read.
        The file is not of the expected shape; start again from the template."
    `)
  })

  it("more tokens than any real file", () => {
    expect(tasksProblems(`tasks:\n${"- a\n".repeat(400_000)}`)).toMatchInlineSnapshot(`
      "200001:1 file_too_complex
        The file holds more than 1000000 tokens of YAML.
        Split it into several files."
    `)
  })
})

describe("ids and dependencies", () => {
  it("a near miss of a task completed elsewhere", () => {
    expect(
      tasksProblems("tasks:\n  - {id: b, name: B, instruction: I, depends_on: [task_2, tsk_1]}\n", {
        completedElsewhere: ["task_1", "task_2"]
      })
    ).toMatchInlineSnapshot(`
      "2:59 dependency_unknown
        Task "b" depends on "tsk_1", but no task has that id.
        Did you mean \`task_1\`?"
    `)
  })

  it("the id of a task completed elsewhere, taken again", () => {
    expect(
      tasksProblems("tasks:\n  - {id: task_1, name: B, instruction: I}\n", { completedElsewhere: ["task_1"] })
    ).toMatchInlineSnapshot(`
      "2:10 id_taken
        The id "task_1" belongs to a task that is completed already.
        Give the new task an id of its own; what is completed is never run again."
    `)
  })

  it("a long circle, shortened", () => {
    expect(
      tasksProblems(
        `tasks:\n${Array.from({ length: 30 }, (_, n) => `  - {id: t${n}, name: A, instruction: I, depends_on: t${(n + 1) % 30}}\n`).join("")}`
      )
    ).toMatchInlineSnapshot(`
      "2:51 dependency_cycle
        Tasks wait for each other in a circle: t0 → t1 → t2 → t3 → t4 → t5 → t6 → t7 → t8 → t9 → … (30 tasks) … → t21 → t22 → t23 → t24 → t25 → t26 → t27 → t28 → t29 → t0.
        Remove one of these dependencies."
    `)
  })
})

describe("bounds", () => {
  it("lists 1,000 problems and counts the others", () => {
    const { problems } = parseTasks(`tasks:\n${"  - 3\n".repeat(3_000)}`, "tasks.yaml")
    assert.strictEqual(problems.length, 1_001)
    assert.strictEqual(problems.at(-1)?.code, "too_many_problems")
    assert.strictEqual(problems.at(-1)?.message, "There are 2000 more problems, which are not listed.")
  })

  it("does not write out aliases without end", () => {
    const list = `[${"x,".repeat(20_000)}]`
    const tasks = Array.from({ length: 200 }, (_, n) => `  - {id: t${n}, name: A, instruction: I, checks: *c}\n`)
    const { problems, tasks: document } = parseTasks(
      `common_checks: &c ${list}\ntasks:\n${tasks.join("")}`,
      "tasks.yaml"
    )
    assert.deepStrictEqual(
      problems.map(({ code }) => code),
      ["yaml_alias_limit"]
    )
    assert.isNull(document)
  })

  it("refuses a nested alias bomb in no time", () => {
    const levels = Array.from({ length: 30 }, (_, n) => `k${n + 1}: &k${n + 1} [${`*k${n}, `.repeat(10)}]\n`)
    const { problems } = parseTasks(`k0: &k0 [x]\n${levels.join("")}tasks: *k30\n`, "tasks.yaml")
    assert.deepStrictEqual(
      problems.map(({ code }) => code),
      ["yaml_alias_limit"]
    )
  })
})
