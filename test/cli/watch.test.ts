import { writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { achieved, asked } from "./asked.ts"
import { bigTask, chunk, logOf, ofType, part, pass, planned, stage, writes } from "./chunkStage.ts"
import { documentOf, finish, project, proofline, start, until } from "./proofline.ts"
import { valid } from "./schemas.ts"

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "")

/** One subtask after the other; the second is refused once, and then waits until the stage has `go`. */
const moves = {
  "analyze:task-001": planned(part("first"), part("second"), part("third")),
  "task-001-sub-2": [{ exit: 3 }, writes("b.js", "1\n"), { ...writes("b.js", "2\n"), until: "go" }],
  "*": [writes("%task.js")],
  "review:task-001-sub-2": [{ report: { judgment: "REJECT", modification_prompt: "Two." } }, pass],
  "review:*": [pass]
}

/** A process that prints for as long as it runs. */
const printing = (args: ReadonlyArray<string>, dir: string) => {
  const child = start(args, dir)
  let seen = ""
  child.stdout?.on("data", (chunk) => (seen += chunk))
  return { child, seen: () => seen, ended: finish(child) }
}

const expectRetriedOnce = (data: unknown): void =>
  expect(data).toMatchObject({
    status: "running",
    completed: 1,
    total: 3,
    chunked_tasks: [
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
    ],
    // the queue of task chunking §8: the parent runs until the end and points at its chunked task
    queue: [
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
    ]
  })

describe("status of a run, and watch, which show --follow is", () => {
  it("show the tree of task chunking §9 as text and as data, until it has ended, also across Ctrl-C, a crash and a resume", async () => {
    const on = stage(moves)
    const chunking = ["chunk", bigTask, "--analyzer", "agent", "--execution-mode", "sequential", "--json"]
    const running = printing([...chunking, ...on.withAgent], on.dir)
    await until(() => on.calls("work").length > 0)
    const watching = printing(["watch", "--json"], on.dir)
    const isInSecondIteration = () =>
      on.calls("work").some(({ attempt, task }) => task === "task-001-sub-2" && attempt === 3) &&
      ofType(logOf(on.dir), "ATTEMPT_STARTED").length === 4
    await until(isInSecondIteration)

    // it goes on: nothing is proven so far
    const overview = await asked(["status"], on.dir)
    expect(overview.code).toBe(1)
    const [run] = overview.data.runs
    expect(run).toMatchObject({ subtasks_total: 3, subtasks_completed: 1, completed: 1, total: 3 })
    const tree = [
      "Do the big thing running 1/3",
      "Task: task-001 [RUNNING - Chunked 1/3]",
      "  ├── Subtask 1: Complete  first",
      "  ├── Subtask 2: Running (iteration 2)  second",
      "  │     retry 1 after agent_exit, waited 0 ms",
      "  └── Subtask 3: Pending  third"
    ]
    expect(linesOf((await proofline(["status", run.run_id], on.dir)).stdout)).toEqual(tree)
    // without naming the run, people see the same tree below its line
    expect(linesOf((await proofline(["status"], on.dir)).stdout)[2]).toBe(tree[1])
    expectRetriedOnce((await asked(["status", run.run_id], on.dir)).data)

    const following = printing(["show", "--follow"], on.dir)
    await until(() => following.seen().includes("Running (iteration 2)"))
    following.child.kill("SIGINT")
    expect((await following.ended).code).toBe(130)
    expect(running.child.exitCode).toBeNull()

    const documents = () => linesOf(watching.seen().replace(/[^\n]*$/, "")).map((line) => JSON.parse(line))
    await until(() => documents().at(-1)?.data.chunked_tasks[0]?.total_retries === 1)
    running.child.kill("SIGKILL")
    await running.ended
    writeFileSync(Path.join(on.room, "go"), "")
    expect(watching.child.exitCode).toBeNull()
    await achieved(["resume"], on.dir)
    expect((await watching.ended).code).toBe(0)
    for (const document of documents()) expect(valid("status.output", document)).toEqual([])
    // never backwards, and every step of it
    const completed = documents().map(({ data }) => data.completed)
    expect(completed).toEqual(completed.toSorted((a, b) => a - b))

    const done = await asked(["status", run.run_id], on.dir)
    expect(documents().at(-1)).toEqual(documentOf(done))
    expect(done.data).toMatchObject({ status: "completed", completed: 3, total: 3 })
    expect(done.data.queue[0].status).toBe("COMPLETE")
    expect(done.data.chunked_tasks[0]).toMatchObject({ status: "COMPLETE", ended_at: expect.any(String) })
    const after = await proofline(["status", run.run_id], on.dir)
    expect(linesOf(after.stdout).slice(0, 3)).toEqual([
      "Do the big thing completed 3/3",
      "Task: task-001 [COMPLETE - Chunked 3/3]",
      "  ├── Subtask 1: Complete  first"
    ])
    // one that is over is shown once
    expect(await proofline(["watch"], on.dir)).toMatchObject({ code: 0, stdout: after.stdout })
  })

  it("name how a subtask failed and what became of the whole, and refuse a run that there is not", async () => {
    const on = stage({
      ...moves,
      "analyze:task-001": planned(part("first"), part("second"), part("third", [2])),
      "task-001-sub-2": [{ exit: 3 }]
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
    for (const [args, dir] of [
      [["watch"], project({})],
      [["status", "run_x"], on.dir]
    ] as const) {
      expect(await asked(args, dir)).toMatchObject({ code: 2, refused: ["run_unknown"] })
    }
  })
})
