import { writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import type { Move } from "./agent.ts"
import { chunk, logOf, ofType, part, pass, planned, stage, writes } from "./chunkStage.ts"
import { proofline } from "./proofline.ts"

const two = planned(part("first"), part("second"))
const reject = (modification_prompt: string): Move => ({ report: { judgment: "REJECT", modification_prompt } })
const subtasksOf = (finished: { stdout: string }) => JSON.parse(finished.stdout).data.tasks[0].subtasks

describe("a reviewer", () => {
  it("may be a command that judges by its exit code; what it prints is what must be changed", async () => {
    const on = stage({
      "analyze:task-001": two,
      "*": [writes("%task.js", "1\n"), writes("%task.js", "2\n")],
      "review:*": [reject("Never asked.")]
    })
    const judge = `if grep -q 1 $PROOFLINE_TASK_ID.js; then echo "$PROOFLINE_TASK_ID is odd"; exit 1; fi`
    writeFileSync(Path.join(on.dir, "proofline.yaml"), `agents:\n  tests: { judge: ${JSON.stringify(judge)} }\n`)
    const finished = await chunk(on, "--reviewer", "tests")
    expect(finished.code, finished.stdout).toBe(0)
    expect(on.calls("review")).toEqual([])
    const second = on.calls("work").find(({ attempt, task }) => attempt === 2 && task === "task-001-sub-2")
    expect(second?.prompt).toContain("task-001-sub-2 is odd")
    expect(subtasksOf(finished).map(({ attempts }: { attempts: number }) => attempts)).toEqual([2, 2])
  })

  it("that is named and cannot be read is asked again, and costs no attempt", async () => {
    const moves = { "analyze:task-001": two, "*": [writes("%task.js")], "review:*": [{ report: "Looks good to me!" }] }
    const named = stage(moves)
    const unread = await chunk(named, "--reviewer", "command")
    expect(unread.code).toBe(1)
    expect(subtasksOf(unread)).toMatchObject([
      { status: "failed", verdict: "unproven", reason: "review_unread", attempts: 1, retry_count: 0 },
      { status: "failed", verdict: "unproven", reason: "review_unread", attempts: 1, retry_count: 0 }
    ])
    const asked = named.calls("review").filter(({ task }) => task === "task-001-sub-1")
    expect(asked.map(({ prompt }) => prompt.includes("could not be read"))).toEqual([false, true, true])
    const tries = ofType(logOf(named.dir), "ACTIVITY_RESULT").filter(({ content }) => content.name === "review")
    expect(tries.map(({ content }) => content.result.judgment)).toEqual(["RETRY", "RETRY", "RETRY", "RETRY"])
    expect(tries[0]?.content.result.output).toMatchObject({ bytes: expect.any(Number) })
    expect(
      ofType(logOf(named.dir), "QUALITY_JUDGMENT").filter(({ content }) => content.reviewer === "command")
    ).toEqual([])
    // an answer that can be read is enough, whichever it is
    writeFileSync(
      Path.join(named.room, "script.json"),
      JSON.stringify({ ...moves, "review:*": [{ report: "Looks good to me!" }, pass] })
    )
    const read = await proofline(["resume", "--json"], named.dir)
    expect(read.code, read.stdout).toBe(0)
    expect(named.calls("work").length).toBe(2)
  })

  it("that fails itself is asked again, at most twice, and then the work is unproven", async () => {
    const on = stage({
      "analyze:task-001": two,
      "*": [writes("%task.js")],
      "review:task-001-sub-1": [{ exit: 3 }, { exit: 3 }, pass],
      "review:task-001-sub-2": [{ exit: 3 }]
    })
    const finished = await chunk(on, "--reviewer", "command")
    expect(finished.code).toBe(1)
    expect(subtasksOf(finished)).toMatchObject([
      { status: "completed", attempts: 1 },
      { status: "failed", verdict: "unproven", attempts: 1, retry_count: 0 }
    ])
    expect(on.calls("review").filter(({ task }) => task === "task-001-sub-2").length).toBe(3)
  })
})
