import { existsSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { done } from "./agent.ts"
import { chunk, logOf, ofType, part, pass, planned, type Stage, stage, writes } from "./chunkStage.ts"
import { documentOf, finish, isGone, proofline, start, until } from "./proofline.ts"
import { valid } from "./schemas.ts"

const statusesOf = (data: { tasks: ReadonlyArray<{ subtasks: ReadonlyArray<{ status: string; reason: string }> }> }) =>
  data.tasks[0]?.subtasks.map(({ reason, status }) => [status, reason])

const change = (on: Stage, moves: object) => writeFileSync(Path.join(on.room, "moves.json"), JSON.stringify(moves))

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

  it("fails the task where none is completed", async () => {
    const on = stage({ "analyze:task-001": planned(part("first"), part("second", [1])), "*": [{ exit: 1 }] })
    const finished = await chunk(on, "--max-retries", "0")
    expect(finished.code).toBe(1)
    const { data } = documentOf(finished)
    expect(data).toMatchObject({
      status: "failed",
      tasks: [{ status: "failed", reason: "subtasks_failed", chunked: { outcome: "ERROR" } }]
    })
    expect(ofType(logOf(on.dir), "CHUNKING_AGGREGATION")).toEqual([])
    const { queue } = documentOf(await proofline(["status", data.run_id, "--json"], on.dir)).data
    expect(queue[0]).toMatchObject({ status: "ERROR", reason: "failed" })
  })

  it("stops everything with --fail-fast: who runs is ended, who waits never begins", async () => {
    const on = stage({
      "analyze:task-001": planned(part("first"), part("second"), part("third", [1]), part("fourth")),
      "task-001-sub-1": [{ hang: "deaf" }],
      "task-001-sub-2": [{ until: "hanging", exit: 3 }],
      "*": [writes("%task.js")],
      "review:*": [pass]
    })
    const finished = await chunk(on, "--fail-fast", "--max-retries", "0", "--workers", "2")
    expect(finished.code).toBe(1)
    const { data } = documentOf(finished)
    expect(valid("run.output", documentOf(finished))).toEqual([])
    expect(data).toMatchObject({
      status: "failed",
      tasks: [{ status: "failed", reason: "fail_fast", chunked: { outcome: "FAILED", completed_subtasks: 0 } }]
    })
    expect(statusesOf(data)?.map(([status]) => status)).toEqual(["skipped", "failed", "skipped", "skipped"])
    // the process is gone, although it does not listen
    const [running] = on.calls("work").filter(({ task }) => task === "task-001-sub-1")
    expect(isGone(running?.pid ?? 0)).toBe(true)
    expect(
      on
        .calls("work")
        .map(({ task }) => task)
        .toSorted()
    ).toEqual(["task-001-sub-1", "task-001-sub-2"])
    const events = logOf(on.dir)
    expect(ofType(events, "ATTEMPT_CANCELLED").map(({ content }) => content.task_id)).toEqual(["task-001-sub-1"])
    expect(
      ofType(events, "SUBTASK_FAILED")
        .map(({ content }) => [content.subtask_id, content.failure_reason])
        .toSorted()
    ).toEqual([
      ["task-001-sub-1", "fail_fast"],
      ["task-001-sub-2", expect.anything()],
      ["task-001-sub-3", "fail_fast"],
      ["task-001-sub-4", "fail_fast"]
    ])
  })

  it("is ended when it takes too long, and retried as TIMEOUT only where that is configured", async () => {
    const on = stage(
      {
        "analyze:task-001": planned(part("first"), part("second")),
        "task-001-sub-1": [{ hang: true }, writes("a.js")],
        "task-001-sub-2": [writes("b.js")],
        "review:*": [pass]
      },
      { "proofline.yaml": "chunking: { timeout_ms: 3000 }\n" }
    )
    const finished = await chunk(on)
    expect(finished.code, finished.stdout).toBe(0)
    const events = logOf(on.dir)
    expect(ofType(events, "SUBTASK_RETRY").map(({ content }) => content)).toMatchObject([
      { subtask_id: "task-001-sub-1", reason: "TIMEOUT", retry_count: 1 }
    ])
    expect(isGone(on.calls("work").find(({ task }) => task === "task-001-sub-1")?.pid ?? 0)).toBe(true)

    const once = stage(
      {
        "analyze:task-001": planned(part("first"), part("second")),
        "task-001-sub-1": [{ exit: 3 }],
        "task-001-sub-2": [writes("b.js")],
        "review:*": [pass]
      },
      { "proofline.yaml": "chunking: { retry: { retry_on: [TIMEOUT] } }\n" }
    )
    expect((await chunk(once)).code).toBe(1)
    expect(ofType(logOf(once.dir), "SUBTASK_RETRY")).toEqual([])
  })

  it("that cannot be started at all opens the breaker; a resume goes on with what is left", async () => {
    const on = stage({
      "analyze:task-001": planned(part("first"), part("second", [1])),
      "*": [writes("%task.js")],
      "task-001-sub-1": [{ ...writes("%task.js"), run: "rm %stage/start.sh" }],
      "review:*": [pass]
    })
    writeFileSync(Path.join(on.room, "start.sh"), `#!/bin/sh\nexec node ${on.room}/agent.mjs\n`, { mode: 0o755 })
    const agent = [
      "--agent",
      "command",
      "--agent-command",
      `${on.room}/start.sh`,
      "--reviewer",
      "command",
      "--retry-delay-ms",
      "0"
    ]
    const finished = await proofline(["chunk", "Do it", ...agent, "--analyzer", "agent", "--json"], on.dir)
    expect(finished.code, finished.stdout).toBe(4)
    const resumed = await proofline(["resume", "--agent-command", `node ${on.room}/agent.mjs`, "--json"], on.dir)
    expect(resumed.code, resumed.stdout).toBe(0)
    expect(on.calls("work").map(({ task }) => task)).toEqual(["task-001-sub-1", "task-001-sub-2"])
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

  it("shows its checklist through its parts, also when the lines have moved", async () => {
    const body = (name: string) => `export const ${name} = () => {\n  return "${name}"\n}\n`
    const items = ["login returns its name", "logout returns its name"]
    const on = stage({
      "analyze:task-001": planned(
        part("Write login", [], { checklist: [1] }),
        part("Write logout in front of it", [1], { checklist: [2] })
      ),
      "task-001-sub-1": [
        {
          files: { "auth.js": body("login") },
          report: done({ [items[0] ?? ""]: "auth.js:2", "Write login: done": "auth.js:1" })
        }
      ],
      "task-001-sub-2": [
        {
          files: { "auth.js": `// both\n${body("logout")}\n${body("login")}` },
          report: done({ [items[1] ?? ""]: "auth.js:3", "Write logout in front of it: done": "auth.js:2" })
        }
      ]
    })
    const finished = await chunk(on, ...items.flatMap((item) => ["--item", item]))
    expect(finished.code, finished.stdout).toBe(0)
    const [task] = documentOf(finished).data.tasks
    expect(task.checklist).toMatchObject([
      { item: items[0], verdict: "proven", evidence: "auth.js:7", receipt: { start: 7, end: 7 } },
      { item: items[1], verdict: "proven", evidence: "auth.js:3" }
    ])
    expect(task.subtasks[0].checklist[0]).toMatchObject({ item: items[0], evidence: "auth.js:2" })
    expect(on.calls("work").length).toBe(2)
    // whoever holds the receipts can check them
    expect((await proofline(["verify"], on.dir)).code).toBe(0)
  })

  it("has an item open again when a sibling wrote over its lines", async () => {
    const item = "login checks the password"
    const ofSibling = "task-001-sub-2: Change it: done"
    const good = `export const login = (password) => {\n  return password === "secret"\n}\n`
    const moves = {
      "analyze:task-001": planned(
        part("Write login", [], { checklist: [1], acceptance_criteria: [item] }),
        part("Change it", [1])
      ),
      "task-001-sub-1": [{ files: { "auth.js": good }, report: done({ [item]: "auth.js:1-3" }) }],
      "task-001-sub-2": [
        {
          files: { "auth.js": "export const login = () => {\n  return true\n}\n" },
          report: done({ "Change it: done": "auth.js:1-3" })
        }
      ]
    }
    const on = stage({
      ...moves,
      "task-001": [
        { files: { "auth.js": good }, report: done({ [item]: "auth.js:1-3" }) },
        {
          files: { "change.js": "export const changed = true\n" },
          report: done({ [item]: "auth.js:1-3", [ofSibling]: "change.js:1" })
        }
      ]
    })
    const finished = await chunk(on, "--item", item)
    expect(finished.code, finished.stdout).toBe(0)
    const whole = on.calls("work").filter(({ task }) => task === "task-001")
    expect(whole.length).toBe(2)
    expect(whole[0]?.prompt).toContain(item)
    // what the sibling wrote is gone now
    expect(whole[1]?.prompt).toContain(ofSibling)
    expect(documentOf(finished).data.tasks[0].checklist).toMatchObject([
      { verdict: "proven", evidence: "auth.js:1-3" },
      { verdict: "proven", evidence: "change.js:1" }
    ])
    // and without anybody to put it right
    const never = stage({ ...moves, "task-001": [{ report: { summary: "All is well." } }] })
    const failed = await chunk(never, "--item", item, "--max-retries", "0")
    expect(failed.code).toBe(1)
    expect(documentOf(failed).data.tasks[0].checklist[0].verdict).not.toBe("proven")
  })

  it("keeps a reason for what is left out", async () => {
    const on = stage({
      "analyze:task-001": planned(
        part("Write a.js", [], { checklist: [1] }),
        part("Write b.js", [], { checklist: [2] })
      ),
      "task-001-sub-1": [
        {
          ...writes("a.js", "export const a = 1\nexport const one = a\n"),
          report: done({ one: "a.js:2", "Write a.js: done": "a.js:1" })
        }
      ],
      "task-001-sub-2": [
        {
          ...writes("b.js"),
          report: {
            summary: "",
            checklist: [
              { item: "two", status: "skipped", reason: "nobody needs it any more" },
              { item: "Write b.js: done", status: "done", evidence: "b.js:1" }
            ]
          }
        }
      ]
    })
    const finished = await chunk(on, "--item", "one", "--item", "two")
    expect(finished.code, finished.stdout).toBe(0)
    expect(documentOf(finished).data.tasks[0].checklist).toMatchObject([
      { item: "one", verdict: "proven" },
      { item: "two", verdict: "waived", reason: "nobody needs it any more" }
    ])
  })
})

describe("two subtasks that changed the same file at the same time", () => {
  const moves = {
    "analyze:task-001": planned(part("first"), part("second")),
    "task-001-sub-1": [{ ...writes("shared.js", "export const one = 1\n"), meet: 2, run: "touch %stage/first-done" }],
    // both are at work, and the second writes last
    "task-001-sub-2": [{ ...writes("shared.js", "export const two = 2\n"), meet: 2, until: "first-done" }],
    "review:*": [pass]
  }

  it("are a conflict that fails, is overwritten, or needs a person", async () => {
    const strict = stage(moves)
    const failed = await chunk(strict)
    expect(failed.code).toBe(1)
    expect(documentOf(failed).data.tasks[0]).toMatchObject({ status: "failed", reason: "conflict" })
    expect(documentOf(failed).data.tasks[0].message).toContain("shared.js (task-001-sub-1, task-001-sub-2)")

    const loose = stage(moves)
    const over = await chunk(loose, "--conflict-resolution", "overwrite")
    expect(over.code, over.stdout).toBe(0)
    expect(ofType(logOf(loose.dir), "CHUNKING_AGGREGATION")[0]?.content).toMatchObject({
      conflict_resolution: "overwrite",
      aggregation_result: {
        conflicts_detected: true,
        conflicts: [{ file: "shared.js", sources: ["task-001-sub-1", "task-001-sub-2"] }]
      }
    })

    const asking = stage(moves)
    const waits = await chunk(asking, "--conflict-resolution", "manual")
    expect(waits.code).toBe(3)
    const [task] = documentOf(waits).data.tasks
    expect(task).toMatchObject({ status: "failed", reason: "needs_person" })
    expect(task.message).toContain(`proofline resume ${documentOf(waits).data.run_id}`)
    writeFileSync(Path.join(asking.dir, "shared.js"), "export const one = 1\nexport const two = 2\n")
    const resumed = await proofline(["resume", documentOf(waits).data.run_id, "--json"], asking.dir)
    expect(resumed.code, resumed.stdout).toBe(0)
    expect(asking.calls("work").length).toBe(2)
    expect(existsSync(Path.join(asking.dir, "shared.js"))).toBe(true)
  })
})
