import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseTasks } from "@proofline/plugins/adapters/project-files"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { beadsDrafts } from "../../packages/cli/src/imported/beads.ts"
import { markdownDrafts } from "../../packages/cli/src/imported/markdown.ts"
import { taskmasterDrafts } from "../../packages/cli/src/imported/taskmaster.ts"
import { tasksFileOf } from "../../packages/cli/src/imported/tasksFile.ts"
import { project, proofline } from "./proofline.ts"

const taskmaster = (tasks: ReadonlyArray<unknown>, tag = "master") => JSON.stringify({ [tag]: { tasks, metadata: {} } })
const beads = (...issues: ReadonlyArray<unknown>) => issues.map((issue) => `${JSON.stringify(issue)}\n`).join("")

describe("a list of Task Master", () => {
  it("given tasks of every status, has the open ones, with open subtasks as their items", () => {
    const drafts = taskmasterDrafts(
      taskmaster([
        { id: 1, title: "Done", status: "done" },
        {
          id: 2,
          title: "Store",
          description: "D",
          details: "E",
          testStrategy: "T",
          status: "pending",
          dependencies: [1]
        },
        {
          id: 3,
          title: "Search",
          status: "in-progress",
          dependencies: [2, "2"],
          subtasks: [
            { id: 1, title: "Was done", status: "done" },
            { id: 2, title: "Find  words", details: "Of titles.", status: "pending" }
          ]
        },
        { id: 4, title: "Not now", status: "deferred" },
        { id: 5, title: "Never", status: "cancelled" }
      ])
    )
    expect(drafts).toEqual([
      {
        id: "task-2",
        name: "Store",
        instruction: "D\n\nE\n\nHow it is tested: T",
        depends_on: [],
        checklist: ["Store"]
      },
      {
        id: "task-3",
        name: "Search",
        instruction: "Find  words:\nOf titles.",
        depends_on: ["task-2"],
        checklist: ["Find words"]
      }
    ])
  })

  it("given no tag, or another one alone, is read too; anything else is none", () => {
    const task = { id: 1, title: "A", status: "pending" }
    expect(taskmasterDrafts(JSON.stringify({ tasks: [task] }))).toHaveLength(1)
    expect(taskmasterDrafts(taskmaster([task], "feature"))).toHaveLength(1)
    for (const text of ["", "[]", "{}", '{"master": 1}', "{"]) expect(taskmasterDrafts(text), text).toBeNull()
  })
})

describe("an export of Beads", () => {
  it("given issues, has the open ones without epics, with what blocks them and their criteria", () => {
    const drafts = beadsDrafts(
      beads(
        { id: "bd-1", title: "Epic", issue_type: "epic", status: "open" },
        {
          id: "bd-1.1",
          title: "Store",
          description: "D",
          acceptance_criteria: "- [ ] one\n* two\n\n3. three",
          issue_type: "task",
          status: "in_progress",
          dependencies: [{ depends_on_id: "bd-1", type: "parent-child" }]
        },
        {
          id: "bd-1.2",
          title: "Search",
          status: "open",
          dependencies: [
            { depends_on_id: "bd-1.1", type: "blocks" },
            { depends_on_id: "bd-9", type: "blocks" }
          ]
        },
        { id: "bd-9", title: "Closed", status: "closed" },
        { id: "mem-1", type: "memory" }
      )
    )
    expect(drafts).toEqual([
      { id: "bd-1.1", name: "Store", instruction: "D", depends_on: [], checklist: ["one", "two", "three"] },
      { id: "bd-1.2", name: "Search", instruction: "Search", depends_on: ["bd-1.1"], checklist: ["Search"] }
    ])
  })

  it("given a line that is no issue, is none", () => {
    expect(beadsDrafts('{"id":"a","title":"A","status":"open"}\nx\n')).toBeNull()
  })
})

describe("a list of boxes", () => {
  const waits = (text: string) => markdownDrafts(text).map(({ depends_on, id }) => [id, depends_on])

  it("given [P], lets neighbours work beside each other, and everything else wait for what stands before it", () => {
    const text = `
- [x] T001 Done
- [ ] T002 [P] A
- [ ] T003 [P] [US1] B
- [ ] T004 [US1] C
- [ ] T005 D
- [ ] T006 [P] E
`
    expect(waits(text)).toEqual([
      ["T002", []],
      ["T003", []],
      ["T004", ["T002", "T003"]],
      ["T005", ["T004"]],
      ["T006", ["T005"]]
    ])
    expect(markdownDrafts(text).map(({ name }) => name)).toEqual(["A", "B", "C", "D", "E"])
  })

  it("given other numbers, none, or the same one twice, has an id for each", () => {
    expect(waits("- [ ] 1. A\n- [ ] 1.1 B\n- [ ] C\n- [ ] T1 D\n- [ ] T1 E\n").map(([id]) => id)).toEqual([
      "1",
      "1.1",
      "line-3",
      "T1",
      "T1-2"
    ])
  })
})

describe("the file that is made", () => {
  const texts = [
    'a "quoted" text: with # and \\',
    "- one\n- two",
    "first\n  indented\n\n\nlast ",
    " begins with a blank\nand goes on",
    "tab\there\nand\u0000there\u2028end",
    "日本語\n😀: {}",
    "~",
    "| and >\n---\n..."
  ]

  it("given any text, is a tasks file that says it", () => {
    const file = tasksFileOf(
      texts.map((text, i) => ({ id: `t${i}`, name: text, instruction: text, depends_on: [], checklist: [text] })),
      "a\nlist"
    )
    const flat = (text: string) =>
      text
        .split("\n")
        .map((line) => line.trimEnd())
        .join("\n")
        .trimEnd()
    for (const [i, task] of parse(file).tasks.entries()) {
      expect([task.name, task.checklist]).toEqual([texts[i], [texts[i]]])
      expect(flat(task.instruction)).toBe(flat(texts[i] ?? ""))
    }
    const harmless = texts.filter((text) => !text.includes("\0"))
    const whole = tasksFileOf(
      harmless.map((text, i) => ({ id: `t${i}`, name: text, instruction: text, depends_on: [], checklist: [text] })),
      "x"
    )
    expect(parseTasks(whole, "tasks.yaml").problems).toEqual([])
  })
})

describe("init --from", () => {
  const list = { ".taskmaster/tasks/tasks.json": taskmaster([{ id: 7, title: "Store", status: "pending" }]) }

  it("writes a tasks.yaml that is valid, and never over one that is there", async () => {
    const dir = project(list)
    const from = ["init", "--from", ".taskmaster/tasks/tasks.json"]
    expect((await proofline(from, dir)).code).toBe(0)
    expect(parse(readFileSync(join(dir, "tasks.yaml"), "utf8")).tasks[0]).toMatchObject({ id: "task-7", name: "Store" })
    expect((await proofline(["validate", "tasks.yaml"], dir)).stdout).toContain("1 task")
    const again = await proofline(from, dir)
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("[tasks_exist]")])
  })

  it("given no list, or one in which nothing is open, is refused, and nothing is written", async () => {
    const dir = project({ "done.md": "- [x] A\n", "other.json": "[]" })
    for (const [from, code] of [
      ["gone.md", "list_missing"],
      ["other.json", "list_unknown"],
      ["done.md", "list_nothing_open"]
    ] as const) {
      const finished = await proofline(["init", "--from", from], dir)
      expect([finished.code, finished.stderr], from).toEqual([2, expect.stringContaining(`[${code}]`)])
    }
    expect(existsSync(join(dir, "proofline.yaml"))).toBe(false)
  })
})
