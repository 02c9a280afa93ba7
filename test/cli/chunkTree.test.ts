import { composePlugins, foldEvent, type RunProgress, verdictCounts } from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { describe, expect, it } from "vitest"
import { progressTree } from "../../packages/cli/src/render/chunkTree.ts"
import { styleFor } from "../../packages/cli/src/render/style.ts"
import { runTree } from "../../packages/cli/src/render/tree.ts"
import { type State, stateOf } from "../../packages/cli/src/state.ts"
import { analysed, chunking, parts } from "../kernel/support/chunks.ts"

const style = styleFor(false)
const longest = "review_retries_exhausted_".repeat(4)

/** A split task whose subtask 2 has failed for a reason with a long name. */
const split = (count: number): State => {
  const config = chunking({ max_subtasks: 1_000 })
  const plan = parts(count).map((part) => ({ ...part, title: `${part.title} ${"y".repeat(200)}` }))
  const task = aTask("p", { chunk: "asked", title: "z".repeat(200) })
  const snapshot = given()
    .after(aRun([task], config))
    .when(analysed(plan)).step?.after
  if (snapshot === undefined) throw new Error("It was not split.")
  const failed = {
    type: "SUBTASK_FAILED",
    content: {
      parent_task_id: "p",
      subtask_id: "p-sub-2",
      failure_reason: longest,
      message: "",
      retry_count: 0,
      attempts: 1,
      verdict: "refuted",
      subtask_result: { status: "ERROR", output_summary: "", files_modified: [] }
    }
  }
  return stateOf(foldEvent(composePlugins([]), snapshot, failed))
}

const progress = (count: number): RunProgress => ({
  run_id: "run_1",
  name: "x".repeat(200),
  status: "running",
  verdict: "unproven",
  counts: verdictCounts([]),
  reviewers: [],
  weak: [],
  completed: 0,
  total: count,
  queue: [
    { task_id: "p".repeat(200), status: "RUNNING", prompt: "", is_subtask: false },
    { task_id: "\u001b[2Jq", status: "COMPLETE", prompt: "", is_subtask: false }
  ],
  chunked_tasks: [
    {
      parent_task_id: "p".repeat(200),
      title: "",
      status: "EXECUTING",
      execution_mode: "parallel",
      aggregation_strategy: { type: "merge_all", conflict_resolution: "fail" },
      completed_subtasks: 0,
      total_subtasks: count,
      total_retries: 1,
      started_at: "2026-01-01T00:00:00.000Z",
      subtasks: Array.from({ length: count }, (_, i) => ({
        subtask_id: `p-sub-${i + 1}`,
        parent_task_id: "p",
        title: "y".repeat(200),
        prompt: "",
        dependencies: [],
        status: i === count - 1 ? "RUNNING" : i === 1 ? "FAILED" : "PENDING",
        retry_count: 0,
        iteration: 2,
        attempts: 1,
        retries:
          i === 1
            ? [
                {
                  retry_count: 1,
                  reason: "ERROR",
                  failure_reason: longest,
                  delay_ms: 1,
                  at: "2026-01-01T00:00:00.000Z"
                }
              ]
            : [],
        ...(i === 1 ? { failure_reason: longest } : {})
      }))
    }
  ]
})

describe("the tree of a split task", () => {
  it("is never wider than the terminal, where it is redrawn and where it is printed", () => {
    for (const width of [60, 80, 100]) {
      const retries = new Map([["p-sub-2", [`retry 1 after ${longest}, waited 1 ms`]]])
      const drawn = [...runTree(split(12), style, width, 40, retries), ...progressTree(progress(12), style, width)]
      expect(drawn.filter((line) => [...line].length > width)).toEqual([])
      // what is cut is the title, not how it stands
      expect(drawn.some((line) => line.includes("Running (iteration 2)"))).toBe(true)
      expect(drawn.some((line) => line.includes(" [RUNNING - Chunked 0/12]"))).toBe(true)
    }
  })

  it("is never taller than what can be redrawn: who is at work is shown, the rest is counted", () => {
    const lines = progressTree(progress(100), style, 80, 10)
    expect(lines.length).toBeLessThanOrEqual(10)
    expect(lines.join("\n")).toContain("Subtask 100: Running")
    expect(lines.join("\n")).toContain("Subtask 2: Failed")
    expect(lines.at(-1)).toMatch(/^└── and \d+ more lines$/)
    expect(progressTree(progress(100), style, 80, 3).length).toBe(3)
    expect(progressTree(progress(3), style, 80, 10).at(-1)).not.toContain("more")
    expect(runTree(split(100), style, 80, 10).length).toBeLessThanOrEqual(10)
  })

  it("cannot be steered by names", () => {
    expect(progressTree(progress(3), style, 80).join("\n")).not.toContain("\u001b")
  })
})
