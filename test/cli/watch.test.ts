import { existsSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { bigTask, chunk, logOf, ofType, part, pass, planned, type Stage, stage, writes } from "./chunkStage.ts"
import { documentOf, finish, project, proofline, start, until } from "./proofline.ts"
import { valid } from "./schemas.ts"

const three = planned(part("first"), part("second"), part("third"))
const linesOf = (text: string) => text.split("\n").filter((line) => line !== "")
const documentsOf = (text: string) => linesOf(text).map((line) => JSON.parse(line))

/** One subtask after the other; the second is refused once, and then waits until the stage has `go`. */
const moves = {
  "analyze:task-001": three,
  "task-001-sub-2": [{ exit: 3 }, writes("b.js", "1\n"), { ...writes("b.js", "2\n"), until: "go" }],
  "*": [writes("%task.js")],
  "review:task-001-sub-2": [{ report: { judgment: "REJECT", modification_prompt: "Two." } }, pass],
  "review:*": [pass]
}
const begun = (on: Stage) =>
  start(["chunk", bigTask, ...on.withAgent, "--analyzer", "agent", "--execution-mode", "sequential", "--json"], on.dir)
const inSecondIteration = (on: Stage) => () =>
  on.calls("work").some(({ attempt, task }) => task === "task-001-sub-2" && attempt === 3) &&
  ofType(logOf(on.dir), "ATTEMPT_STARTED").length === 4

describe("status of a run", () => {
  it("is the tree of task chunking §9 with titles and retries, and the same as data", async () => {
    const on = stage(moves)
    const running = begun(on)
    const ended = finish(running)
    await until(inSecondIteration(on))
    const overview = await proofline(["status", "--json"], on.dir)
    // it goes on: nothing is proven so far
    expect(overview.code, overview.stderr).toBe(1)
    expect(valid("status.output", documentOf(overview))).toEqual([])
    const [run] = documentOf(overview).data.runs
    expect(run).toMatchObject({ subtasks_total: 3, subtasks_completed: 1, completed: 1, total: 3 })
    // without naming the run, people see the same tree below its line
    expect(linesOf((await proofline(["status"], on.dir)).stdout)[2]).toBe("Task: task-001 [RUNNING - Chunked 1/3]")
    const shown = await proofline(["status", run.run_id], on.dir)
    expect(shown.stdout).toBe(
      [
        "Do the big thing running 1/3",
        "Task: task-001 [RUNNING - Chunked 1/3]",
        "  ├── Subtask 1: Complete  first",
        "  ├── Subtask 2: Running (iteration 2)  second",
        "  │     retry 1 after agent_exit, waited 0 ms",
        "  └── Subtask 3: Pending  third",
        ""
      ].join("\n")
    )
    const document = documentOf(await proofline(["status", run.run_id, "--json"], on.dir))
    expect(valid("status.output", document)).toEqual([])
    const { data } = document
    expect(data).toMatchObject({ status: "running", completed: 1, total: 3 })
    expect(data.chunked_tasks).toMatchObject([
      {
        parent_task_id: "task-001",
        status: "EXECUTING",
        execution_mode: "sequential",
        aggregation_strategy: { type: "merge_all", conflict_resolution: "fail" },
        completed_subtasks: 1,
        total_retries: 1,
        subtasks: [
          { status: "COMPLETE", result: { status: "COMPLETE", files_modified: ["task-001-sub-1.js"] } },
          {
            status: "RUNNING",
            iteration: 2,
            retry_count: 1,
            retries: [{ retry_count: 1, reason: "ERROR", delay_ms: 0 }],
            worker_id: expect.any(String)
          },
          { status: "PENDING", retries: [] }
        ]
      }
    ])
    // the queue of task chunking §8: the parent runs until the end and points at its chunked task
    expect(data.queue).toMatchObject([
      { task_id: "task-001", status: "RUNNING", is_subtask: false, chunked_task_ref: "task-001" },
      {
        task_id: "task-001-sub-1",
        status: "COMPLETE",
        is_subtask: true,
        parent_task_id: "task-001",
        subtask_index: 1,
        total_subtasks: 3
      },
      { task_id: "task-001-sub-2", status: "RUNNING", subtask_index: 2 },
      { task_id: "task-001-sub-3", status: "QUEUED", subtask_index: 3 }
    ])
    writeFileSync(Path.join(on.room, "go"), "")
    const finished = await ended
    expect(finished.code, finished.stdout).toBe(0)
    const after = await proofline(["status", run.run_id], on.dir)
    expect(linesOf(after.stdout).slice(0, 3)).toEqual([
      "Do the big thing completed 3/3",
      "Task: task-001 [COMPLETE - Chunked 3/3]",
      "  ├── Subtask 1: Complete  first"
    ])
    const done = documentOf(await proofline(["status", run.run_id, "--json"], on.dir))
    expect(valid("status.output", done)).toEqual([])
    expect(done.data.queue[0].status).toBe("COMPLETE")
    expect(done.data.chunked_tasks[0]).toMatchObject({ status: "COMPLETE", ended_at: expect.any(String) })
  })

  it("names how a subtask failed and what became of the whole", async () => {
    const on = stage({
      "analyze:task-001": planned(part("first"), part("second"), part("third", [2])),
      "task-001-sub-2": [{ exit: 3 }],
      "*": [writes("%task.js")],
      "review:*": [pass]
    })
    const finished = await chunk(on, "--max-retries", "0")
    expect(finished.code).toBe(1)
    const shown = await proofline(["status", documentOf(finished).data.run_id], on.dir)
    expect(linesOf(shown.stdout)).toEqual([
      "Do the big thing incomplete 1/3",
      "Task: task-001 [INCOMPLETE - Chunked 1/3]",
      "  ├── Subtask 1: Complete  first",
      "  ├── Subtask 2: Failed (agent_exit)  second",
      "  └── Subtask 3: Failed (dependency_failed)  third",
      expect.stringMatching(/^incomplete · .+ unproven$/)
    ])
  })
})

describe("watch, which show --follow is", () => {
  it("shows a run until it has ended, also across a crash and a resume of it", { timeout: 120_000 }, async () => {
    const on = stage(moves)
    const running = begun(on)
    const killed = finish(running)
    await until(() => existsSync(Path.join(on.dir, ".proofline/state/proofline.db")) && on.calls("work").length > 0)
    const watcher = start(["watch", "--json"], on.dir)
    let seen = ""
    watcher.stdout?.on("data", (chunk) => (seen += chunk))
    const watched = finish(watcher)
    await until(inSecondIteration(on))
    await until(
      () => documentsOf(seen.slice(0, seen.lastIndexOf("\n") + 1)).at(-1)?.data.chunked_tasks[0]?.total_retries === 1
    )
    running.kill("SIGKILL")
    await killed
    writeFileSync(Path.join(on.room, "go"), "")
    expect(watcher.exitCode).toBeNull()
    const resumed = await proofline(["resume", "--json"], on.dir)
    expect(resumed.code, resumed.stdout).toBe(0)
    const { code, stdout } = await watched
    expect(code).toBe(0)
    const shown = documentsOf(stdout)
    for (const document of shown) expect(valid("status.output", document)).toEqual([])
    // never backwards, and every step of it
    const completed = shown.map(({ data }) => data.completed)
    expect(completed).toEqual(completed.toSorted((a, b) => a - b))
    expect(shown.at(-1)?.data).toMatchObject({ status: "completed", completed: 3, total: 3 })
    const status = await proofline(["status", documentOf(resumed).data.run_id, "--json"], on.dir)
    expect(shown.at(-1)).toEqual(documentOf(status))
  })

  it("shows a run that is over once, and refuses where nothing ever ran", async () => {
    const on = stage({ "analyze:task-001": three, "*": [writes("%task.js")], "review:*": [pass] })
    const finished = await chunk(on)
    const after = await proofline(["watch"], on.dir)
    expect(after.code).toBe(0)
    expect(after.stdout).toBe((await proofline(["status", documentOf(finished).data.run_id], on.dir)).stdout)
    const none = await proofline(["watch", "--json"], project({}))
    expect(none.code).toBe(2)
    expect(documentOf(none).data.problems[0].code).toBe("run_unknown")
    const unknown = await proofline(["status", "run_x", "--json"], on.dir)
    expect(unknown.code).toBe(2)
    expect(valid("status.output", documentOf(unknown))).toEqual([])
  })

  it("ends on Ctrl-C and leaves the run alone", async () => {
    const on = stage(moves)
    const ended = finish(begun(on))
    await until(inSecondIteration(on))
    const watcher = start(["show", "--follow"], on.dir)
    let seen = ""
    watcher.stdout?.on("data", (chunk) => (seen += chunk))
    const watched = finish(watcher)
    await until(() => seen.includes("Running (iteration 2)"))
    watcher.kill("SIGINT")
    expect((await watched).code).toBe(130)
    writeFileSync(Path.join(on.room, "go"), "")
    expect((await ended).code).toBe(0)
  })
})
