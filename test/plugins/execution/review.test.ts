import { assert, describe, it } from "@effect/vitest"
import type { ActivityFailure, AnyCommand, RunConfig } from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { Effect, Result } from "effect"
import { judge } from "../../kernel/support/judge.ts"
import { done, end, endReporting, evidence, start } from "../../kernel/support/words.ts"
import { inMemory, type Memory } from "./memory.ts"

const limits = { max_attempts: null, max_calls: null, max_duration_ms: null, max_tokens: null, max_cost_usd: null }

const reviewed = (
  answers: NonNullable<Memory["answers"]>,
  config: Partial<RunConfig> = {},
  more: Partial<Memory> = {},
  before: ReadonlyArray<AnyCommand> = []
) => {
  const world = inMemory({ answers, ...more })
  const run = aRun([aTask("task_1", { validation: ["It adds"], checks: [] })], {
    reviewer: "critic",
    reviewer_named: true,
    ...config
  })
  const { snapshot } = given([], [world.plugin]).after(run, start("task_1"), end("task_1"), ...before)
  const result: Result.Result<AnyCommand | null, unknown> = Effect.runSync(
    Effect.result(world.does("review", snapshot))
  )
  return {
    ...world,
    command: Result.isSuccess(result) ? result.success : undefined,
    failure: Result.isFailure(result) ? (result.failure as ActivityFailure) : undefined,
    /** The answers before the last that were none. */
    again: world.said.filter(({ _tag }) => _tag === "RecordActivity")
  }
}

const pass = JSON.stringify({ judgment: "PASS", checks: [{ criterion: "It adds", passed: true }] })
const quota = { code: "quota", message: "No quota is left.", terminal: true }

describe("a reviewer that is asked", () => {
  it("given a judgement, then it is recorded with what was printed", () => {
    const { again, blobs, command, requests } = reviewed([{ answer: pass, stdout: "I looked.\n" }])
    assert.deepInclude(command, {
      _tag: "RecordJudgment",
      task_id: "task_1",
      attempt: 1,
      reviewer: "critic",
      judgment: "PASS",
      checks: [{ criterion: "It adds", passed: true }],
      modification_prompt: null,
      output: { sha256: "1".padStart(64, "0"), bytes: 10 }
    })
    assert.deepStrictEqual([blobs, again], [["I looked.\n"], []])
    assert.lengthOf(requests, 1)
    assert.deepInclude(requests[0], { agent: "critic", role: "review", directory: null, task_id: "task_1" })
    assert.include(requests[0]?.prompt ?? "", "The project is in /project")
  })

  it("given nothing printed, then there is no output", () => {
    assert.deepInclude(reviewed([{ answer: pass }]).command, { judgment: "PASS", output: null })
  })

  it("given no reviewer, then nobody is asked", () => {
    const { command, requests } = reviewed([{ answer: pass }], { reviewer: null })
    assert.deepStrictEqual([command, requests], [null, []])
  })

  it("given one that nobody knows, then that is why nothing is judged", () => {
    assert.strictEqual(reviewed([]).failure?.code, "reviewer_unknown")
  })
})

/** Workspaces in which each review in turn changes these files. */
const changing = (...changed: ReadonlyArray<ReadonlyArray<string>>): Pick<Memory, "workspace"> => {
  let at = 0
  return {
    workspace: {
      watched: (work) => Effect.map(work, (value) => [value, { modified: changed[at++] ?? [], undecided: ["b.ts"] }])
    }
  }
}

describe("a reviewer that changes files", () => {
  /** Its only item is shown by lines of src/a.ts. */
  const reviewedCode = (...changed: ReadonlyArray<ReadonlyArray<string>>) => {
    const world = inMemory({ answers: [{ answer: pass }], ...changing(...changed) })
    const spec = { validation: ["It adds"], checks: [], checklist: [{ item: "add adds" }] }
    const { snapshot } = given([], [judge, world.plugin]).after(
      aRun([aTask("task_1", spec)], { reviewer: "critic", reviewer_named: true }),
      start("task_1"),
      endReporting("task_1", 1, [done("add adds")]),
      evidence("task_1", 1, 0)
    )
    return { ...world, result: Effect.runSync(Effect.result(world.does("review", snapshot))) }
  }

  it("given some that show nothing, then the judgement counts, and they are recorded with it", () => {
    const { command } = reviewed([{ answer: pass }], {}, changing(["report.xml", "coverage.txt"]))
    assert.deepInclude(command, { judgment: "PASS", changed_files: ["coverage.txt", "report.xml"] })
    assert.notProperty(reviewed([{ answer: pass }], {}, changing()).command, "changed_files")
  })

  it("given one that shows an item, then the judgement does not count, and it is asked again with the reason", () => {
    const { requests, result, said } = reviewedCode(["src/a.ts", "notes.md"])
    assert.deepInclude(Result.getOrThrow(result), { judgment: "PASS", changed_files: ["notes.md", "src/a.ts"] })
    assert.lengthOf(requests, 2)
    assert.include(
      requests[1]?.prompt,
      "## Your former judgement does not count\n\nWhile it judged, src/a.ts was changed."
    )
    assert.include(JSON.stringify(said), '"judgment":"RETRY"')
  })

  it("given that it does so each time, then nobody has judged it", () => {
    const files = ["src/a.ts"]
    const { requests, result } = reviewedCode(files, files, files)
    assert.lengthOf(requests, 3)
    assert.strictEqual(Result.isFailure(result) ? (result.failure as ActivityFailure).code : "", "review_changed")
  })
})

describe("an answer that is no judgement", () => {
  it("given one that cannot be read, then it is asked again with the reason, and the answer is kept", () => {
    const { again, blobs, command, requests } = reviewed([{ answer: "Fine." }, { answer: pass }])
    assert.deepInclude(command, { judgment: "PASS" })
    assert.deepStrictEqual(blobs, ["Fine."])
    assert.lengthOf(again, 1)
    assert.deepInclude(again[0], {
      name: "review",
      key: "review/task_1/1/1",
      input: { task_id: "task_1", attempt: 1 },
      result: {
        reviewer: "critic",
        judgment: "RETRY",
        outcome: "COMPLETE",
        message: (again[0] as { readonly result?: { readonly message?: string } }).result?.message,
        output: { sha256: "1".padStart(64, "0"), bytes: 5 }
      }
    })
    const [first = "", second = ""] = requests.map(({ prompt }) => prompt)
    assert.notInclude(first, "could not be read")
    assert.isTrue(second.startsWith(`${first}\n## Your former answer could not be read\n\nThe report is not JSON`))
  })

  it("given three of them, then nobody has judged it", () => {
    const { again, failure, requests } = reviewed([{ answer: "Fine." }])
    assert.strictEqual(failure?.code, "review_unread")
    assert.include(failure?.message ?? "", "the reviewer critic gave no judgement that can be read, asked 3 times")
    assert.notProperty(failure, "terminalAgent")
    assert.lengthOf(requests, 3)
    assert.deepStrictEqual(
      again.map((one) => (one as { readonly key?: string }).key),
      ["review/task_1/1/1", "review/task_1/1/2"]
    )
    // the reason is said once, however often it is asked
    assert.lengthOf(requests[2]?.prompt.split("## Your former answer") ?? [], 2)
  })

  it("given nothing at all, then there is nothing to keep", () => {
    const { again, blobs, failure } = reviewed([{}])
    assert.strictEqual(failure?.code, "review_unread")
    assert.deepStrictEqual(
      [blobs, (again[0] as { readonly result?: unknown }).result],
      [
        [],
        {
          reviewer: "critic",
          judgment: "RETRY",
          outcome: "COMPLETE",
          message: "It gave no answer: no report file and no fenced block in the output.",
          output: null
        }
      ]
    )
  })

  it("given one of an agent that nobody named as a reviewer, then it is none, and is asked once", () => {
    const { failure, requests } = reviewed([{ answer: "I added it." }], { reviewer_named: false })
    assert.deepStrictEqual([failure?.code, requests.length], ["no_reviewer", 1])
    assert.include(failure?.message ?? "", "critic, asked in the role review, gave no judgement")
    assert.notProperty(failure, "terminalAgent")
    assert.deepInclude(reviewed([{ answer: pass }], { reviewer_named: false }).command, { judgment: "PASS" })
  })

  it.each([
    ["fails", { outcome: "ERROR", error: { code: "x", message: "It broke.", terminal: false } }, 3, "It broke."],
    ["runs out of time", { outcome: "TIMEOUT", answer: pass }, 3, "It did not end well."],
    ["cannot work any more", { outcome: "ERROR", error: quota }, 1, "No quota is left."]
  ] as const)(
    "given a reviewer that %s, then it is asked the same again where that may help",
    (_, ends, times, why) => {
      const { failure, requests } = reviewed([ends])
      assert.strictEqual(failure?.code, "review_failed")
      assert.include(failure?.message ?? "", `the reviewer critic failed. ${why}`)
      assert.strictEqual(new Set(requests.map(({ prompt }) => prompt)).size, 1)
      assert.lengthOf(requests, times)
      assert.strictEqual(failure?.terminalAgent, times === 1 ? "critic" : undefined)
    }
  )
})

describe("a reviewer with a budget", () => {
  it.each([
    ["one call is left", { max_calls: 1 }, 1],
    ["two calls are left", { max_calls: 2 }, 2]
  ] as const)("given that %s, then it is asked so often and no oftener", (_, budget, times) => {
    const { failure, requests } = reviewed([{ answer: "Fine." }], { budget: { ...limits, ...budget } })
    assert.deepStrictEqual([failure?.code, requests.length], ["budget_used_up", times])
  })

  it("given that no call is left, then it is not asked", () => {
    const usage = { input_tokens: 70, output_tokens: 30, cost_usd: 0.1 }
    const call = { agent: "command", role: "work", task_id: "task_1", attempt: 1, usage } as const
    const { failure, requests } = reviewed([{ answer: pass }], { budget: { ...limits, max_tokens: 100 } }, {}, [
      { _tag: "RecordUsage", ...call }
    ])
    assert.deepStrictEqual([failure?.code, requests.length], ["budget_used_up", 0])
  })

  it("given that only attempts are used up, then it is asked all the same", () => {
    const { command, failure, requests } = reviewed([{ answer: "Fine." }], { budget: { ...limits, max_attempts: 1 } })
    assert.deepStrictEqual([command, failure?.code, requests.length], [undefined, "review_unread", 3])
  })
})
