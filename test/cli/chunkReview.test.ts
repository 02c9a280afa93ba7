import { writeFileSync } from "node:fs"
import * as Path from "node:path"
import { describe, expect, it } from "vitest"
import { done } from "./agent.ts"
import { bigTask, chunk, logOf, type Move, ofType, part, pass, planned, stage, writes } from "./chunkStage.ts"
import { documentOf, proofline } from "./proofline.ts"

const two = planned(part("first"), part("second"))
const reject = (modification_prompt: string): Move => ({ report: { judgment: "REJECT", modification_prompt } })
const again: Move = { report: { judgment: "RETRY" } }
const subtasksOf = (finished: { stdout: string }) => JSON.parse(finished.stdout).data.tasks[0].subtasks

/** Work with evidence for the only criterion of a part. */
const shown = (file: string, criterion: string): Move => ({
  files: { [file]: `export const made = "${file}"\n` },
  report: done({ [criterion]: `${file}:1` })
})

describe("the review loop of a subtask", () => {
  it("puts what the reviewer wants into the next prompt, and asks the same again on RETRY", async () => {
    const on = stage({
      "analyze:task-001": two,
      "*": [writes("%task.js", "1\n"), writes("%task.js", "2\n"), writes("%task.js", "3\n")],
      "review:task-001-sub-1": [reject("Use the number two."), pass],
      "review:task-001-sub-2": [again, pass]
    })
    const finished = await chunk(on, "--reviewer", "command")
    expect(finished.code, finished.stdout).toBe(0)
    const work = (task: string) => on.calls("work").filter((call) => call.task === task)
    const [first, second, ...more] = work("task-001-sub-1")
    expect(more).toEqual([])
    expect(second?.prompt).toContain("Attempt 1 was not accepted")
    expect(second?.prompt).toContain("Use the number two.")
    expect(first?.prompt).not.toContain("not accepted")
    // the same prompt, but for the number of the attempt
    const [before, after] = work("task-001-sub-2")
    expect(after?.prompt).toBe(before?.prompt.replace("This is attempt 1.", "This is attempt 2."))
    const events = logOf(on.dir)
    const ends = ofType(events, "REVIEW_LOOP_END").map(({ content }) => [content.task_id, content.total_iterations])
    expect(ends.toSorted()).toEqual([
      ["task-001-sub-1", 2],
      ["task-001-sub-2", 2]
    ])
    expect(ofType(events, "SUBTASK_RETRY")).toEqual([])
    const judged = ofType(events, "QUALITY_JUDGMENT").filter(({ content }) => content.reviewer === "command")
    expect(judged.map(({ content }) => content.judgment).toSorted()).toEqual(["PASS", "PASS", "REJECT", "RETRY"])
    expect(subtasksOf(finished).map(({ attempts }: { attempts: number }) => attempts)).toEqual([2, 2])
  })

  it("ends after max_iterations with a retry, which begins it anew; the waits grow", async () => {
    const on = stage(
      {
        "analyze:task-001": two,
        "*": [writes("%task.js", "1\n"), writes("%task.js", "2\n")],
        "review:task-001-sub-1": [pass],
        "review:task-001-sub-2": [reject("No.")]
      },
      { "proofline.yaml": "chunking:\n  max_iterations: 2\n  retry: { retry_delay_ms: 20, backoff_multiplier: 1.5 }\n" }
    )
    const args = ["--agent", "command", "--agent-command", `node ${on.room}/agent.mjs`, "--reviewer", "command"]
    const finished = await proofline(["chunk", bigTask, ...args, "--analyzer", "agent", "--json"], on.dir)
    expect(finished.code).toBe(1)
    const { data } = documentOf(finished)
    expect(data).toMatchObject({ status: "incomplete" })
    expect(data.tasks[0]).toMatchObject({
      status: "failed",
      reason: "subtasks_incomplete",
      chunked: { status: "FAILED", outcome: "INCOMPLETE", completed_subtasks: 1, total_retries: 2 }
    })
    expect(data.tasks[0].subtasks[1]).toMatchObject({ retry_count: 2, attempts: 6, reason: "review_rejected" })
    const events = logOf(on.dir)
    expect(ofType(events, "SUBTASK_RETRY").map(({ content }) => content)).toMatchObject([
      {
        subtask_id: "task-001-sub-2",
        reason: "INCOMPLETE",
        failure_reason: "review_rejected",
        retry_count: 1,
        delay_ms: 20
      },
      {
        subtask_id: "task-001-sub-2",
        reason: "INCOMPLETE",
        failure_reason: "review_rejected",
        retry_count: 2,
        delay_ms: 30
      }
    ])
    expect(
      ofType(events, "SUBTASK_START")
        .filter(({ content }) => content.subtask_id === "task-001-sub-2")
        .map(({ content }) => content.retry_count)
    ).toEqual([0, 1, 2])
    expect(ofType(events, "SUBTASK_FAILED").map(({ content }) => content)).toMatchObject([
      { failure_reason: "review_rejected", retry_count: 2, subtask_result: { status: "INCOMPLETE" } }
    ])
    expect(ofType(events, "CHUNKING_COMPLETE")).toEqual([])
  })

  it("ends for a reviewer that only ever wants the same again as for one that refuses", async () => {
    const on = stage(
      {
        "analyze:task-001": two,
        "*": [writes("%task.js", "1\n")],
        "review:task-001-sub-1": [pass],
        "review:task-001-sub-2": [again]
      },
      { "proofline.yaml": "chunking:\n  retry: { retry_delay_ms: 0 }\n" }
    )
    const args = ["--max-iterations", "2", "--max-retries", "1"]
    const finished = await chunk(on, ...args)
    expect(finished.code).toBe(1)
    expect(on.calls("work").filter(({ task }) => task === "task-001-sub-2").length).toBe(4)
    expect(subtasksOf(finished)[1]).toMatchObject({ status: "failed", retry_count: 1, attempts: 4 })
  })

  it("is left out on demand: then evidence is owed for every criterion", async () => {
    const on = stage(
      {
        "analyze:task-001": two,
        "task-001-sub-1": [shown("a.js", "first: done")],
        "task-001-sub-2": [writes("b.js"), shown("b.js", "second: done")],
        "review:*": [reject("Never asked.")]
      },
      { "proofline.yaml": "chunking: { review_loop_per_subtask: false }\n" }
    )
    const finished = await chunk(on)
    expect(finished.code, finished.stdout).toBe(0)
    expect(on.calls("review")).toEqual([])
    const events = logOf(on.dir)
    expect(ofType(events, "REVIEW_LOOP_START")).toEqual([])
    // no iterations: what is refused is tried again
    expect(ofType(events, "SUBTASK_RETRY").map(({ content }) => content.subtask_id)).toEqual(["task-001-sub-2"])
  })
})

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
      Path.join(named.room, "moves.json"),
      JSON.stringify({ ...moves, "review:*": [{ report: "Looks good to me!" }, pass] })
    )
    const read = await proofline(["resume", "--json"], named.dir)
    expect(read.code, read.stdout).toBe(0)
    expect(named.calls("work").length).toBe(2)
  })

  it("that nobody named is not asked: what the working agent says of its work proves nothing", async () => {
    const on = stage({ "analyze:task-001": two, "*": [writes("%task.js")], "review:*": [pass] })
    const args = [...on.agent, "--analyzer", "agent", "--max-iterations", "1", "--max-retries", "0", "--json"]
    const finished = await proofline(["chunk", bigTask, ...args], on.dir)
    expect(finished.code).toBe(1)
    expect(on.calls("review")).toEqual([])
    expect(subtasksOf(finished)).toMatchObject([
      { status: "failed", verdict: "refuted", checklist: [{ item: "first: done", verdict: "unproven" }] },
      { status: "failed", verdict: "refuted" }
    ])
    // evidence is owed, and the agent is told so
    const first = on.calls("work").find(({ task }) => task === "task-001-sub-1")
    expect(first?.prompt).toContain("## Checklist\n\n- first: done")
  })

  it("that nobody named is not needed where evidence is cited for every criterion", async () => {
    const on = stage({
      "analyze:task-001": planned(
        part("first", [], { acceptance_criteria: ["it is exported", "it is called made"] }),
        part("second")
      ),
      "task-001-sub-1": [
        // who cites evidence for one owes it for all
        { files: { "a.js": "const made = 1\nexport { made }\n" }, report: done({ "it is exported": "a.js:2" }) },
        { report: done({ "it is exported": "a.js:2", "it is called made": "a.js:1" }) }
      ],
      "task-001-sub-2": [shown("b.js", "second: done")],
      "review:*": [{ exit: 1 }]
    })
    const finished = await proofline(["chunk", bigTask, ...on.agent, "--analyzer", "agent", "--json"], on.dir)
    expect(finished.code, finished.stdout).toBe(0)
    expect(on.calls("review")).toEqual([])
    const [first] = subtasksOf(finished)
    expect(first.attempts).toBe(2)
    expect(first.checklist).toMatchObject([
      { item: "it is exported", verdict: "proven", receipt: { path: "a.js", start: 2 } },
      { item: "it is called made", verdict: "proven" }
    ])
  })

  it("`none` asks nobody: evidence is the only way", async () => {
    const on = stage({
      "analyze:task-001": two,
      "task-001-sub-1": [shown("a.js", "first: done")],
      "task-001-sub-2": [writes("b.js")],
      "review:*": [pass]
    })
    const finished = await chunk(on, "--reviewer", "none", "--max-iterations", "2", "--max-retries", "0")
    expect(finished.code).toBe(1)
    expect(on.calls("review")).toEqual([])
    expect(subtasksOf(finished)).toMatchObject([
      { status: "completed", verdict: "proven" },
      { status: "failed", attempts: 2 }
    ])
    expect(on.calls("work").at(-1)?.prompt).toContain("second: done")
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

describe("the built-in criteria", () => {
  const old = "export const first = 1\n// TODO: make it two\n"

  it("refuse a TODO that is left on changed lines, not one that was there", async () => {
    const on = stage(
      {
        "analyze:task-001": planned(part("Extend old.js"), part("Write new.js")),
        "task-001-sub-1": [writes("old.js", `${old}export const second = 2\n`)],
        "task-001-sub-2": [
          writes("new.js", "export const third = 3\n// TODO: make it four\n"),
          writes("new.js", "export const third = 4\n")
        ],
        "review:*": [pass]
      },
      { "old.js": old }
    )
    const finished = await chunk(on)
    expect(finished.code, finished.stdout).toBe(0)
    expect(subtasksOf(finished).map(({ attempts }: { attempts: number }) => attempts)).toEqual([1, 2])
    const second = on.calls("work").find(({ attempt }) => attempt === 2)
    expect(second?.prompt).toContain("new.js:2")
    expect(second?.prompt).toContain("no_todo_left")
    expect(on.read("old.js")).toContain("TODO: make it two")
    const refused = ofType(logOf(on.dir), "QUALITY_JUDGMENT").filter(({ content }) => content.judgment === "REJECT")
    expect(refused.map(({ content }) => content.reviewer)).toEqual(["proofline:criteria"])
  })

  it("refuse what is left out, what does not parse, named files that are not there, and work that changed nothing", async () => {
    const request = "Create src/a.js, src/b.js, src/c.js and src/d.js"
    const bad: Readonly<Record<string, Move>> = {
      "task-001-sub-1": writes("src/a.js", "export const a = 1\n// ... rest of the code\n"),
      "task-001-sub-2": writes("src/b.js", "export const b = (\n"),
      "task-001-sub-3": writes("src/other.js"),
      "task-001-sub-4": { report: { summary: "It is all there." } }
    }
    const on = stage({
      "analyze:task-001": planned(
        ...["a", "b", "c", "d"].map((name) => part(`Create src/${name}.js`, [], { paths: [`src/${name}.js`] }))
      ),
      ...Object.fromEntries(
        Object.entries(bad).map(([task, move], i) => [task, [move, writes(`src/${"abcd"[i]}.js`)]])
      ),
      "review:*": [pass]
    })
    // one after the other: nobody else can have written the file that nobody named
    const args = [...on.withAgent, "--analyzer", "agent", "--execution-mode", "sequential", "--json"]
    const finished = await proofline(["chunk", request, ...args], on.dir)
    expect(finished.code, finished.stdout).toBe(0)
    const refusedFor = (task: string) =>
      on.calls("work").find((call) => call.task === task && call.attempt === 2)?.prompt
    expect(refusedFor("task-001-sub-1")).toMatch(/no_omission_markers[\s\S]*src\/a\.js:2/)
    expect(refusedFor("task-001-sub-2")).toMatch(/syntax_parses[\s\S]*src\/b\.js/)
    expect(refusedFor("task-001-sub-3")).toMatch(/expected_files[\s\S]*src\/c\.js: it does not exist/)
    expect(refusedFor("task-001-sub-4")).toMatch(/evidence_present|expected_files/)
  })
})
