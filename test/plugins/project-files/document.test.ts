import { parseTasks } from "@proofline/plugins/adapters/project-files"
import { assert, describe, it } from "vitest"

const documentOf = (text: string, completedElsewhere: ReadonlyArray<string> = []) => {
  const { problems, tasks } = parseTasks(text, "tasks.yaml", { completedElsewhere })
  assert.deepStrictEqual(problems, [])
  assert(tasks !== null)
  return tasks
}

const full = `# yaml-language-server: $schema=./schema.json
$schema: ./schema.json
schema_version: 1
name: Login
defaults:
  agent: claude
  reviewer: none
  workers: 2
  max_retries: 0
  retry_delay_ms: 0
  backoff_multiplier: 2.5
  retry_on: [TIMEOUT, ERROR, TIMEOUT]
  timeout_ms: 1
  check_timeout_ms: 2
  idle_timeout_ms: null
  fail_fast: true
common_validation: No secret is logged
common_checks: [npm test]
tasks:
  - id: schema
    name: |
      Make the schema
    instruction: |
      First line
      Second line
    covers: [req_1.1, req_1.2]
    validation:
      - It is normalised
      - {criterion: It has keys, covers: [req_1.2, req_2.1]}
    checks: "make schema"
    chunk: true
    checklist:
      - >
        Add the
        table
      - {item: Index, check: grep -q index schema.sql}
  - id: login
    name: Log in
    instruction: Do it
    depends_on: schema
`

describe("a sound file", () => {
  it("becomes the kernel's tasks, with what is common appended", () => {
    assert.deepStrictEqual(documentOf(full).tasks, [
      {
        id: "schema",
        title: "Make the schema",
        instruction: "First line\nSecond line\n",
        validation: ["It is normalised", "It has keys", "No secret is logged"],
        checks: ["make schema", "npm test"],
        depends_on: [],
        checklist: [{ item: "Add the table" }, { item: "Index", check: "grep -q index schema.sql" }],
        chunk: "asked"
      },
      {
        id: "login",
        title: "Log in",
        instruction: "Do it",
        validation: ["No secret is logged"],
        checks: ["npm test"],
        depends_on: ["schema"],
        checklist: [],
        chunk: "auto"
      }
    ])
  })

  it("carries its name, its settings and what the tasks cover", () => {
    const { covers, defaults, name } = documentOf(full)
    assert.strictEqual(name, "Login")
    assert.deepStrictEqual(defaults, {
      agent: "claude",
      reviewer: null,
      workers: 2,
      max_retries: 0,
      retry_delay_ms: 0,
      backoff_multiplier: 2.5,
      retry_on: ["TIMEOUT", "ERROR"],
      timeout_ms: 1,
      check_timeout_ms: 2,
      idle_timeout_ms: null,
      fail_fast: true
    })
    assert.deepStrictEqual(Array.from(covers), [
      ["schema", ["req_1.1", "req_1.2", "req_2.1"]],
      ["login", []]
    ])
  })

  it("says nothing about what it leaves open", () => {
    const { defaults, name } = documentOf("tasks: [{id: a, name: A, instruction: I}]")
    assert.isNull(name)
    assert.deepStrictEqual(defaults, {})
  })

  it("is the same with Windows line ends, a byte order mark and old Macintosh line ends", () => {
    const expected = documentOf(full).tasks
    assert.deepStrictEqual(documentOf(full.replaceAll("\n", "\r\n")).tasks, expected)
    assert.deepStrictEqual(documentOf(`\uFEFF${full}`).tasks, expected)
    assert.deepStrictEqual(documentOf(full.replaceAll("\n", "\r")).tasks, expected)
  })

  it("may use anchors and aliases", () => {
    const [, second] = documentOf(
      "tasks:\n  - {id: a, name: &n A, instruction: I, checks: &c [x, y]}\n  - {id: b, name: *n, instruction: I, checks: *c, chunk: false}\n"
    ).tasks
    assert.deepStrictEqual(second, {
      id: "b",
      title: "A",
      instruction: "I",
      validation: [],
      checks: ["x", "y"],
      depends_on: [],
      checklist: [],
      chunk: "no"
    })
  })

  it("may depend on tasks that were completed elsewhere", () => {
    const text = "tasks:\n  - {id: task_4, name: A, instruction: I, depends_on: [task_2]}\n"
    assert.deepStrictEqual(documentOf(text, ["task_1", "task_2"]).tasks[0]?.depends_on, ["task_2"])
  })

  it("may name its tasks like properties of every object", () => {
    const ids = ["constructor", "__proto__", "toString", "hasOwnProperty"]
    const tasks = ids.map((id, at) => `  - {id: ${id}, name: A, instruction: I, depends_on: [${ids[at - 1] ?? ""}]}\n`)
    const document = documentOf(`tasks:\n${tasks.join("")}`)
    assert.deepStrictEqual(
      document.tasks.map(({ id }) => id),
      ids
    )
    assert.deepStrictEqual(Array.from(document.covers.keys()), ids)
  })
})

describe("what items cover", () => {
  it("stands with the item, apart from what its task covers, each id once", () => {
    const document = documentOf(
      "tasks:\n  - id: a\n    name: A\n    instruction: I\n    covers: r.1\n    checklist: [{item: x, covers: [r.2, r.3, r.2]}, {item: y, covers: r.4}, {item: z, covers: []}, w]\n"
    )
    assert.deepStrictEqual(document.tasks[0]?.checklist, [
      { item: "x", covers: ["r.2", "r.3"] },
      { item: "y", covers: ["r.4"] },
      { item: "z", covers: [] },
      { item: "w" }
    ])
    assert.deepStrictEqual(document.covers.get("a"), ["r.1"])
  })
})
