import { describe, expect, it } from "vitest"
import { logOf, part, pass, planned, type Stage, stage, writes } from "./chunkStage.ts"
import { documentOf, proofline } from "./proofline.ts"
import { valid } from "./schemas.ts"

const run = (on: Stage, ...more: ReadonlyArray<string>) =>
  proofline(["run", "tasks.yaml", ...on.withAgent, "--json", ...more], on.dir)
const two = planned(part("first"), part("second"))
const started = (on: Stage) =>
  on
    .order()
    .filter((line) => line.startsWith("+"))
    .map((line) => line.slice(2))

const tasks = `
tasks:
  - { id: before, name: Before, instruction: Prepare, checks: ["test -e before.js"] }
  - id: big
    name: Big
    instruction: Do the big thing
    depends_on: [before]
    chunk: true
    checks: ["test -e big-sub-1.js", "test -e big-sub-2.js"]
  - { id: after, name: After, instruction: Finish, depends_on: [big], checks: ["test -e after.js"] }
`
const asAgent = { "proofline.yaml": "chunking: { analyzer: agent, auto_detect: false }\n" }

describe("a task of a tasks file with chunk: true", () => {
  it("is split when its turn has come; what depends on it waits for all of it", async () => {
    const on = stage(
      { "analyze:big": two, "*": [writes("%task.js")], "review:*": [pass] },
      { "tasks.yaml": tasks, ...asAgent }
    )
    const finished = await run(on)
    expect(finished.code, finished.stdout).toBe(0)
    expect(valid("run.output", documentOf(finished))).toEqual([])
    const { data } = documentOf(finished)
    // whoever wrote the file sees its tasks
    expect(data.tasks.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
      ["before", "completed"],
      ["big", "completed"],
      ["after", "completed"]
    ])
    expect(data.tasks[0]).not.toHaveProperty("chunked")
    expect(data.tasks[0]).not.toHaveProperty("chunking_skipped")
    expect(data.tasks[1].subtasks.length).toBe(2)
    const order = started(on)
    expect(order.slice(0, 2)).toEqual(["before", "analyze:big"])
    expect(order.at(-1)).toBe("after")
    expect(order.indexOf("after")).toBe(order.length - 1)
    const after = on.calls("work").find(({ task }) => task === "after")
    expect(after?.prompt).toContain("big: Big")
    // who works on a part is told of the parts, not of the other tasks
    const first = on.calls("work").find(({ task }) => task === "big-sub-1")
    expect(first?.prompt).toMatch(/Not your part[\s\S]*big-sub-2/)
    const progress = documentOf(await proofline(["status", data.run_id, "--json"], on.dir)).data
    // subtasks count in place of their task
    expect(progress).toMatchObject({ completed: 4, total: 4 })
    expect(progress.queue.map(({ task_id }: { task_id: string }) => task_id)).toEqual([
      "before",
      "big",
      "big-sub-1",
      "big-sub-2",
      "after"
    ])
  })
})

describe("tasks that say nothing of splitting", () => {
  const list = "Create these modules:\n      - src/login.js\n      - src/logout.js\n"
  const file = (more: string) => `
tasks:
  - id: big
    name: Big
    ${more}
    instruction: |
      ${list}
`
  const moves = {
    "big-sub-1": [writes("src/login.js")],
    "big-sub-2": [writes("src/logout.js")],
    big: [{ files: { "src/login.js": "export const a = 1\n", "src/logout.js": "export const b = 1\n" } }],
    "review:*": [pass]
  }
  const tried = async (more: string, files: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
    const on = stage(moves, { "tasks.yaml": file(more), ...files })
    const finished = await run(on, ...args)
    return { on, finished, types: logOf(on.dir).map(({ event_type }) => event_type) }
  }

  it("are split with --chunk, or when the project has settings for it, and never otherwise", async () => {
    const check = 'checks: ["test -e src/login.js"]'
    const plain = await tried(check, {})
    expect(plain.finished.code, plain.finished.stdout).toBe(0)
    expect(plain.types).not.toContain("CHUNKING_START")
    const asked = await tried(check, {}, "--chunk")
    expect(asked.finished.code, asked.finished.stdout).toBe(0)
    expect(
      asked.on
        .calls("work")
        .map(({ task }) => task)
        .toSorted()
    ).toEqual(["big-sub-1", "big-sub-2"])
    const configured = await tried(check, { ".claude/task-chunking.json": "{}" })
    expect(configured.finished.code, configured.finished.stdout).toBe(0)
    expect(configured.types).toContain("CHUNKING_COMPLETE")
  })
})
