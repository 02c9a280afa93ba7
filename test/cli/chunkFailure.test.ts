import { existsSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { chunk, logOf, ofType, part, pass, planned, type Stage, stage, writes } from "./chunkStage.ts"
import { documentOf, finish, isGone, proofline, start, until } from "./proofline.ts"
import { valid } from "./schemas.ts"

const statusesOf = (data: { tasks: ReadonlyArray<{ subtasks: ReadonlyArray<{ status: string; reason: string }> }> }) =>
  data.tasks[0]?.subtasks.map(({ reason, status }) => [status, reason])

const change = (on: Stage, moves: object) => writeFileSync(Path.join(on.room, "script.json"), JSON.stringify(moves))

describe("a subtask that fails", () => {
  it("takes those that need it with it and nobody else; what is done is kept, and a resume does only the rest", async () => {
    const moves = {
      "analyze:task-001": planned(part("first"), part("second"), part("third", [2]), part("fourth", [3, 1])),
      "*": [writes("%task.js")],
      "task-001-sub-2": [{ exit: 3, stderr: "boom" }],
      "review:*": [pass]
    }
    const on = stage(moves)
    const finished = await chunk(on, "--max-retries", "1")
    expect(finished.code).toBe(1)
    const { data } = documentOf(finished)
    expect(valid("run.output", documentOf(finished))).toEqual([])
    expect(data).toMatchObject({
      status: "incomplete",
      tasks: [{ status: "failed", reason: "subtasks_incomplete", chunked: { status: "FAILED", outcome: "INCOMPLETE" } }]
    })
    expect(statusesOf(data)).toEqual([
      ["completed", ""],
      ["failed", expect.stringMatching(/\S/)],
      ["skipped", "dependency_failed"],
      ["skipped", "dependency_failed"]
    ])
    const events = logOf(on.dir)
    // every end has its event
    const failed = ofType(events, "SUBTASK_FAILED").map(({ content }) => content)
    expect(failed.map(({ subtask_id }) => subtask_id)).toEqual(["task-001-sub-2", "task-001-sub-3", "task-001-sub-4"])
    expect(failed[0]).toMatchObject({ retry_count: 1, attempts: 2, subtask_result: { status: "ERROR" } })
    expect(failed[1]).toMatchObject({ failure_reason: "dependency_failed", attempts: 0 })
    expect(ofType(events, "CHUNKING_COMPLETE", "TASK_COMPLETED")).toEqual([])
    expect(on.read("task-001-sub-1.js")).not.toBeNull()

    const progress = documentOf(await proofline(["status", data.run_id, "--json"], on.dir))
    expect(valid("status.output", progress)).toEqual([])
    expect(progress.data).toMatchObject({ status: "incomplete", completed: 1, total: 4 })
    expect(progress.data.queue[0]).toMatchObject({
      task_id: "task-001",
      status: "ERROR",
      reason: "incomplete",
      is_subtask: false,
      chunked_task_ref: "task-001"
    })

    const { "task-001-sub-2": _, ...good } = moves
    change(on, good)
    const resumed = await proofline(["resume", "--json"], on.dir)
    expect(resumed.code, resumed.stdout).toBe(0)
    expect(documentOf(resumed).data.tasks[0].chunked).toMatchObject({ status: "COMPLETE", completed_subtasks: 4 })
    const begun = on.calls("work").map(({ task }) => task.slice(-1))
    expect(begun.slice(0, 3).toSorted()).toEqual(["1", "2", "2"])
    expect(begun.slice(3)).toEqual(["2", "3", "4"])
    expect(on.calls("analyze").length).toBe(1)
    expect((await proofline(["replay"], on.dir)).code).toBe(0)
  })
})

describe("the whole", () => {
  const parts = planned(part("Write a.js"), part("Write b.js"))

  it("is given to an agent once more when its checks do not hold, with what failed", async () => {
    const on = stage({
      "analyze:task-001": parts,
      "task-001-sub-1": [writes("a.js")],
      "task-001-sub-2": [writes("b.js")],
      "task-001": [writes("c.js")],
      "review:*": [pass]
    })
    const finished = await chunk(on, "--check", "test -s c.js || { echo c.js is missing; false; }")
    expect(finished.code, finished.stdout).toBe(0)
    const [whole, ...more] = on.calls("work").filter(({ task }) => task === "task-001")
    expect(more).toEqual([])
    expect(whole?.prompt).toContain("c.js is missing")
    expect(whole?.prompt).toContain("Its parts are completed")
    expect(whole?.prompt).toContain("a.js is written")
    expect(ofType(logOf(on.dir), "SUBTASK_START").length).toBe(2)
    const never = stage({ "analyze:task-001": parts, "*": [writes("%task.js")], "review:*": [pass] })
    const failed = await chunk(never, "--check", "false", "--max-retries", "1")
    expect(failed.code).toBe(1)
    expect(documentOf(failed).data.tasks[0]).toMatchObject({ status: "failed", reason: "checks_failed" })
    expect(ofType(logOf(never.dir), "CHUNKING_COMPLETE", "TASK_COMPLETED")).toEqual([])
  })
})

describe("a run in parts that is interrupted", () => {
  it("ends its agents, says how to go on, and goes on with what is not completed", async () => {
    const on = stage({
      "analyze:task-001": planned(part("first"), part("second"), part("third")),
      "task-001-sub-1": [writes("a.js")],
      "task-001-sub-2": [{ hang: true }, writes("b.js")],
      "task-001-sub-3": [{ hang: true }, writes("c.js")],
      "review:*": [pass]
    })
    const child = start(["chunk", "Do it", ...on.withAgent, "--analyzer", "agent", "--json"], on.dir)
    const ended = finish(child)
    await until(() => existsSync(Path.join(on.dir, ".proofline")) && on.calls("review").length === 1)
    await until(() => ofType(logOf(on.dir), "SUBTASK_COMPLETE").length === 1 && on.calls("work").length === 3)
    child.kill("SIGINT")
    const { code, stderr, stdout } = await ended
    expect(code).toBe(130)
    expect(valid("run.output", JSON.parse(stdout))).toEqual([])
    expect(JSON.parse(stdout).data.status).toBe("cancelled")
    expect(on.calls().every(({ pid }) => isGone(pid))).toBe(true)
    expect(stderr).toContain(`proofline resume ${JSON.parse(stdout).data.run_id}`)
    const resumed = await proofline(["resume", "--json"], on.dir)
    expect(resumed.code, resumed.stdout).toBe(0)
    expect(on.calls("analyze").length).toBe(1)
    expect(on.calls("work").filter(({ task }) => task === "task-001-sub-1").length).toBe(1)
    expect(on.calls("work").length).toBe(5)
  })
})
