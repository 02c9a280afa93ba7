import { describe, expect, it } from "vitest"
import { bigTask, chunk, ofType, part, pass, planned, stage, writes } from "./chunkStage.ts"
import { documentOf, eventsOf, proofline } from "./proofline.ts"
import { valid } from "./schemas.ts"

const three = planned(part("first"), part("second"), part("third"))
const typesOf = (events: ReadonlyArray<{ event_type: string }>) => events.map(({ event_type }) => event_type)
const linesOf = (ndjson: string) =>
  ndjson
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

/** The nine of task chunking §6.1. */
const nine = {
  CHUNKING_START: "summary",
  CHUNKING_ANALYSIS: "full",
  SUBTASK_CREATED: "full",
  SUBTASK_START: "summary",
  SUBTASK_COMPLETE: "summary",
  SUBTASK_FAILED: "summary",
  SUBTASK_RETRY: "summary",
  CHUNKING_AGGREGATION: "full",
  CHUNKING_COMPLETE: "summary"
} as const

describe("a large task", () => {
  it("is run in parts at the same time, and is one task to whoever asked", async () => {
    const together = (file: string) => [{ ...writes(file), meet: 3 }]
    const on = stage({
      "analyze:task-001": three,
      "task-001-sub-1": together("a.js"),
      // ends badly once
      "task-001-sub-2": [{ meet: 3, exit: 3, stderr: "boom" }, writes("b.js")],
      "task-001-sub-3": together("c.js"),
      "review:*": [pass]
    })
    const finished = await chunk(on, "--check", "test -s a.js && test -s b.js && test -s c.js")
    expect(finished.code, finished.stdout).toBe(0)
    const document = documentOf(finished)
    expect(valid("run.output", document)).toEqual([])
    const { data } = document
    expect(data).toMatchObject({ status: "completed", kind: "prompt" })
    expect(data.tasks.length).toBe(1)
    expect(data.tasks[0]).toMatchObject({
      id: "task-001",
      status: "completed",
      chunked: {
        status: "COMPLETE",
        execution_mode: "parallel",
        completed_subtasks: 3,
        total_subtasks: 3,
        total_retries: 1
      },
      subtasks: [
        { subtask_id: "task-001-sub-1", subtask_status: "COMPLETE", retry_count: 0 },
        { subtask_id: "task-001-sub-2", subtask_status: "COMPLETE", retry_count: 1, attempts: 2 },
        { subtask_id: "task-001-sub-3", subtask_status: "COMPLETE", retry_count: 0 }
      ]
    })

    // the log, as task chunking §6.2 writes it
    const events = await eventsOf(data.run_id, on.dir)
    const chunking = events.filter(({ event_type }) => event_type in nine)
    for (const event of chunking) {
      expect(event.visibility, event.event_type).toBe(nine[event.event_type as keyof typeof nine])
      expect(Object.keys(event).slice(0, 4)).toEqual(["event_type", "timestamp", "visibility", "content"])
      expect(event.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(valid("event", event)).toEqual([])
      expect(event.content.parent_task_id).toBe("task-001")
    }
    const contentsOf = (type: string) => ofType(chunking, type).map(({ content }) => content)
    expect(contentsOf("CHUNKING_START")).toEqual([
      { parent_task_id: "task-001", original_prompt: bigTask, analysis_started: true, checklist: [] }
    ])
    expect(contentsOf("CHUNKING_ANALYSIS")).toMatchObject([
      {
        analyzer: "agent",
        is_decomposable: true,
        decomposition_reason: "several parts",
        subtask_count: 3,
        dependencies_detected: false,
        execution_mode: "parallel"
      }
    ])
    expect(contentsOf("SUBTASK_CREATED")).toMatchObject(
      ["first", "second", "third"].map((prompt, i) => ({
        subtask_id: `task-001-sub-${i + 1}`,
        prompt,
        dependencies: [],
        execution_order: i + 1
      }))
    )
    const started = contentsOf("SUBTASK_START")
    expect(started.length).toBe(4)
    expect(new Set(started.slice(0, 3).map(({ worker_id }) => worker_id)).size).toBe(3)
    expect(started[3]).toMatchObject({ subtask_id: "task-001-sub-2", prompt: "second", retry_count: 1 })
    expect(contentsOf("SUBTASK_RETRY")).toMatchObject([
      { subtask_id: "task-001-sub-2", retry_count: 1, reason: "ERROR", delay_ms: 0 }
    ])
    expect(contentsOf("SUBTASK_COMPLETE").length).toBe(3)
    expect(contentsOf("SUBTASK_COMPLETE").find(({ subtask_id }) => subtask_id === "task-001-sub-1")).toMatchObject({
      subtask_result: { status: "COMPLETE", output_summary: "a.js is written", review_loop_iterations: 1 }
    })
    expect(contentsOf("CHUNKING_AGGREGATION")).toMatchObject([
      {
        aggregation_strategy: "merge_all",
        conflict_resolution: "fail",
        aggregation_result: { total_files_modified: 3, conflicts_detected: false }
      }
    ])
    expect(contentsOf("CHUNKING_COMPLETE")).toEqual([
      {
        parent_task_id: "task-001",
        total_subtasks: 3,
        completed_subtasks: 3,
        failed_subtasks: 0,
        total_retries: 1,
        total_duration_ms: expect.any(Number)
      }
    ])
    // atomic: nothing after the end of the parts but the end of the whole
    expect(typesOf(events).slice(-3)).toEqual(["CHUNKING_COMPLETE", "TASK_COMPLETED", "RUN_COMPLETED"])
    expect(typesOf(events).lastIndexOf("SUBTASK_COMPLETE")).toBeLessThan(typesOf(events).indexOf("CHUNKING_COMPLETE"))

    const full = await proofline(["events", "--visibility", "full"], on.dir)
    expect(linesOf(full.stdout)).toEqual(events)
    const summary = await proofline(["events", "--visibility", "summary"], on.dir)
    expect(linesOf(summary.stdout)).toEqual(events.filter(({ visibility }) => visibility === "summary"))
    expect(typesOf(linesOf(summary.stdout))).toContain("SUBTASK_RETRY")
    expect(typesOf(linesOf(summary.stdout))).not.toContain("SUBTASK_CREATED")
  })

  it("runs what others build on first, tells them what came of it, and gives every part its context", async () => {
    const on = stage({
      "analyze:task-001": planned(
        part("Write the parser in src/parser.js", [], { title: "Parser", paths: ["src/parser.js"] }),
        part("Write the printer", []),
        part("Join both", [1, 2])
      ),
      "task-001-sub-1": [{ ...writes("src/parser.js"), report: { summary: "The parser has three rules." }, meet: 2 }],
      "task-001-sub-2": [{ ...writes("src/printer.js"), meet: 2 }],
      "task-001-sub-3": [writes("src/main.js")],
      "review:*": [pass]
    })
    const request = "Make a compiler:\n- src/parser.js\n- a printer\n- join both"
    const finished = await proofline(["chunk", request, ...on.withAgent, "--analyzer", "agent", "--json"], on.dir)
    expect(finished.code, finished.stdout).toBe(0)
    expect(documentOf(finished).data.tasks[0].chunked.execution_mode).toBe("hybrid")
    expect(on.order().slice(-4)).toEqual([
      "+ task-001-sub-3",
      "- task-001-sub-3",
      "+ review:task-001-sub-3",
      "- review:task-001-sub-3"
    ])
    const promptOf = (task: string) => on.calls("work").find((call) => call.task === task)?.prompt ?? ""
    const first = promptOf("task-001-sub-1")
    expect(first).toContain("> Make a compiler:\n> - src/parser.js")
    expect(first).toContain("Part 1 of 3")
    expect(first).toContain("## Files named for this part\n\n- src/parser.js")
    expect(first).toMatch(/Not your part[\s\S]*task-001-sub-2: Write the printer/)
    expect(promptOf("task-001-sub-3")).toContain("Reported: The parser has three rules. Files: src/parser.js")
  })
})
