import { composePlugins, foldEvent } from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { describe, expect, it } from "vitest"
import { type State, stateOf } from "../../packages/cli/src/project/state.ts"
import { styleFor } from "../../packages/cli/src/render/style.ts"
import { runTree } from "../../packages/cli/src/render/tree.ts"
import { analysed, chunking, parts } from "../kernel/support/chunks.ts"
import { start } from "../kernel/support/words.ts"

const style = styleFor(false)
const longest = "review_retries_exhausted_".repeat(4)

/** A split task whose subtask 2 has failed for a reason with a long name, and of which some are at work. */
const split = (count: number, ...atWork: ReadonlyArray<string>): State => {
  const config = chunking({ max_subtasks: 1_000 })
  const plan = parts(count).map((part) => ({ ...part, title: `\u001b[2J${part.title} ${"y".repeat(200)}` }))
  const task = aTask("p", { chunk: "asked", title: "z".repeat(200) })
  const snapshot = given()
    .after(aRun([task], config))
    .after(analysed(plan), ...atWork.map((id) => start(id))).snapshot
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

describe("the tree of a split task", () => {
  it("is never wider than the terminal, where it is redrawn and where it is printed", () => {
    for (const width of [60, 80, 100]) {
      const retries = new Map([["p-sub-2", [`retry 1 after ${longest}, waited 1 ms`]]])
      const drawn = runTree(split(12), style, width, 40, retries)
      expect(drawn.filter((line) => [...line].length > width)).toEqual([])
      // what is cut is the title, not how it stands
      expect(drawn.some((line) => line.includes("Subtask 2: Failed (review_retries_exhausted"))).toBe(true)
      expect(drawn.some((line) => line.includes(" [RUNNING - Chunked 0/12]"))).toBe(true)
    }
  })

  it("is never taller than what can be redrawn: what is at work or has failed is shown, the rest is counted", () => {
    const lines = runTree(split(100, "p-sub-50", "p-sub-98"), style, 80, 10)
    expect(lines.length).toBeLessThanOrEqual(10)
    for (const shown of ["Subtask 2: Failed", "Subtask 50: Running", "Subtask 98: Running"])
      expect(lines.join("\n")).toContain(shown)
    expect(lines.join("\n")).not.toContain("Subtask 51:")
    expect(lines.at(-1)).toMatch(/^└── and \d+ more lines$/)
    expect(runTree(split(100), style, 80, 3).length).toBe(3)
    expect(runTree(split(3), style, 80, 10).at(-1)).not.toContain("more")
  })

  it("cannot be steered by names", () => {
    expect(runTree(split(3), style, 80).join("\n")).not.toContain("\u001b")
  })
})
