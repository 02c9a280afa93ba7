import { assert, describe, it } from "@effect/vitest"
import {
  type CommandOf,
  defaultChunkingConfig,
  type EndAttempt,
  type Plugin,
  type RunConfig,
  type TaskSpec
} from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { type Workspace, type WorkspaceChanges, WorkspaceRefused } from "@proofline/plugins/ports"
import { Effect, Result } from "effect"
import { end, endTerminal, start } from "../../kernel/support/words.ts"
import { analysed, part, plan } from "../aggregation/support.ts"
import { inMemory, type Memory } from "./memory.ts"

const items = [{ item: "add adds" }]

const begun = (plugin: Plugin, config: Partial<RunConfig> = {}, checklist: TaskSpec["checklist"] = items) =>
  given([], [plugin]).after(aRun([aTask("task_1", { checklist })], config))

/** A subtask with a directory of its own. */
const split = (plugin: Plugin) => {
  const chunking = { ...defaultChunkingConfig, workspace: "worktree" as const }
  const base = { commit: "c".repeat(40), snapshot: { sha256: "0".repeat(64), bytes: 0 } }
  const run = { ...aRun([aTask("t", { checks: [], chunk: "asked" })], { chunking }), base }
  return given([], [plugin]).after(run, analysed(plan(part("A"), part("B"))))
}

type Ending = CommandOf<typeof EndAttempt>

const attempted = (memory: Memory, checklist?: TaskSpec["checklist"]) => {
  const world = inMemory(memory)
  const command = Effect.runSync(world.does("attempt", begun(world.plugin, {}, checklist).snapshot))
  return { ...world, ended: command as Ending }
}

const report = JSON.stringify({
  summary: "It adds.",
  checklist: [{ item: "add adds", status: "done", evidence: "src/a.ts:1" }]
})

/** A place that says this of the work in it. */
const seeing = (changes: WorkspaceChanges): Partial<Workspace> => ({
  watched: (work) => Effect.map(work, (value) => [value, changes] as const)
})
const lost = new WorkspaceRefused({ code: "workplace_lost", message: "It is gone." })

describe("given an attempt", () => {
  it("when the agent ends well, then what it was asked, printed and reported is kept", () => {
    const { blobs, ended, requests, said } = attempted({
      answers: [{ answer: report, stdout: "one\r\ntwo\n", stderr: "warned\n", duration_ms: 9 }]
    })
    const [prompt = "", stdout, stderr] = blobs
    assert.include(prompt, "# Task task_1: task_1")
    assert.deepStrictEqual([stdout, stderr], ["one\r\ntwo\n", "warned\n"])
    assert.deepInclude(said[0], {
      _tag: "StartAttempt",
      task_id: "task_1",
      attempt: 1,
      agent: "command",
      worker_id: "w",
      item_id: "i",
      lease: 1
    })
    assert.lengthOf(said, 1)
    assert.lengthOf(requests, 1)
    assert.deepInclude(requests[0], { agent: "command", role: "work", prompt, directory: null, run_id: "run_1" })
    assert.deepInclude(ended, {
      _tag: "EndAttempt",
      outcome: "COMPLETE",
      exit_code: 0,
      duration_ms: 9,
      error: null,
      files_modified: null
    })
    assert.deepStrictEqual(ended.report, { ...JSON.parse(report), problems: [] })
    assert.deepInclude(ended.output, { output_tail: "one\ntwo\n" })
    assert.deepStrictEqual([ended.output?.stdout?.bytes, ended.output?.stderr?.bytes], [9, 7])
    assert.notProperty(ended, "files_undecided")
  })

  it("when the agent has ended, then it is handed in from then on: before what it has used and printed is kept", () => {
    const seen: Array<readonly [said: number, blobs: number]> = []
    const world = inMemory({
      answers: [{ stdout: "one\n", usage: { input_tokens: 1, output_tokens: 1, cost_usd: null } }],
      handsIn: () => seen.push([world.said.length, world.blobs.length])
    })
    Effect.runSync(world.does("attempt", begun(world.plugin).snapshot))
    assert.deepStrictEqual([seen, world.said.length, world.blobs.length], [[[1, 1]], 2, 2])
  })

  it("when it prints only errors, or nothing, then the end of that is told, and nothing empty is kept", () => {
    const failed = attempted({ answers: [{ outcome: "ERROR", exit_code: 1, stderr: `${"x".repeat(3_000)}broken\n` }] })
    assert.strictEqual(failed.ended.output?.output_tail.length, 2_000)
    assert.isTrue(failed.ended.output?.output_tail.endsWith("broken\n"))
    assert.isNull(failed.ended.output?.stdout ?? null)
    assert.deepInclude(failed.ended, { outcome: "ERROR", exit_code: 1 })
    const silent = attempted({ answers: [{}] })
    assert.deepStrictEqual(silent.ended.output, { output_tail: "", stdout: null, stderr: null })
    assert.lengthOf(silent.blobs, 1)
    // a report was asked for where there are items
    assert.lengthOf(silent.ended.report?.problems ?? [], 1)
    assert.isEmpty(attempted({ answers: [{}] }, []).ended.report?.problems)
  })

  it("when nobody knows the agent, then it never ran, and no other attempt would", () => {
    const { ended } = attempted({ answers: [] })
    assert.deepInclude(ended, { outcome: "ERROR", exit_code: null, duration_ms: 0 })
    assert.deepInclude(ended.error, { code: "agent_unknown", terminal: true })
    assert.include(ended.error?.message ?? "", "Known: other")
  })

  it("when it was handed out before and has not ended, then it is lost, and nobody is asked again", () => {
    const world = inMemory({ answers: [{ answer: report }] })
    const lostOne = world.does("attempt", begun(world.plugin).after(start("task_1")).snapshot)
    assert.deepInclude(Effect.runSync(lostOne), { _tag: "EndAttempt", outcome: "LOST", report: null, output: null })
    assert.lengthOf(world.requests, 0)
  })

  it("when the one before has ended, then the agent is asked, as the next attempt", () => {
    const world = inMemory({ answers: [{ answer: report }] })
    const after = begun(world.plugin, { retry_delay_ms: 0 }).after(start("task_1"), end("task_1", 1, "ERROR")).snapshot
    const next = Effect.runSync(world.does("attempt", after, "task_1", 2))
    assert.deepInclude(next, { outcome: "COMPLETE", attempt: 2 })
    // an old order of an attempt that is over is not lost either: the rules refuse what comes of it
    assert.deepInclude(Effect.runSync(world.does("attempt", after, "task_1", 1)), { outcome: "COMPLETE", attempt: 1 })
    assert.deepStrictEqual(
      world.requests.map(({ attempt }) => attempt),
      [2, 1]
    )
  })

  it.each(["attempt", "checks", "review"])("when there is no such task, then its %s comes to nothing", (activity) => {
    const world = inMemory({ answers: [{ answer: report }] })
    const { snapshot } = begun(world.plugin, { reviewer: "critic" })
    assert.isNull(Effect.runSync(world.does(activity, snapshot, "task_9")))
    assert.deepStrictEqual([world.requests, world.commands, world.opened], [[], [], []])
  })
})

describe("given somebody who looks at what an attempt changes", () => {
  it("when files were changed by it, then they are told, and those of which nobody can tell only if there are some", () => {
    const answers = [{ answer: report }]
    const sure = attempted({ answers, workspace: seeing({ modified: ["a.ts"], undecided: [] }) })
    assert.deepStrictEqual(sure.ended.files_modified, ["a.ts"])
    assert.notProperty(sure.ended, "files_undecided")
    // in the project itself the agent is asked as without anybody who looks
    assert.strictEqual(sure.requests[0]?.directory, null)
    assert.deepInclude(sure.opened[0], { workspace: "shared", task_id: "task_1", parent_task_id: "task_1", after: [] })
    const unsure = attempted({ answers, workspace: seeing({ modified: [], undecided: ["b.ts"] }) })
    assert.deepInclude(unsure.ended, { files_modified: [], files_undecided: ["b.ts"] })
  })

  it.each([
    ["before the work", () => Effect.fail(lost)],
    ["behind the work", (work: Effect.Effect<unknown, unknown, unknown>) => Effect.andThen(work, Effect.fail(lost))]
  ] as const)("when that fails %s in the project, then the work is done once, and nobody knows", (_, watched) => {
    const { ended, requests, said } = attempted({
      answers: [{ answer: report }],
      workspace: { watched: watched as never }
    })
    assert.deepInclude(ended, { outcome: "COMPLETE", files_modified: null })
    assert.deepStrictEqual([requests.length, said.length], [1, 1])
  })

  it("when a subtask has a directory of its own, then it works there, and is named in the prompt", () => {
    const world = inMemory({
      answers: [{ answer: report }],
      workspace: seeing({ modified: ["a.ts"], undecided: [] })
    })
    const ended = Effect.runSync(world.does("attempt", split(world.plugin).snapshot, "t-sub-1"))
    assert.deepInclude(ended, { files_modified: ["a.ts"] })
    assert.strictEqual(world.requests[0]?.directory, "/elsewhere")
    assert.include(world.requests[0]?.prompt ?? "", "You work in /elsewhere")
    assert.deepInclude(world.opened[0], { workspace: "worktree", parent_task_id: "t", task_id: "t-sub-1" })
  })

  it.each([
    ["cannot be had", {}, "workplace_no_repository"],
    ["is gone", { workspace: { watched: () => Effect.fail(lost) } }, "workplace_lost"]
  ] as const)("when the directory of a subtask %s, then its work cannot be judged", (_, memory, code) => {
    const world = inMemory({ answers: [{ answer: report }], ...memory })
    const result = Effect.runSync(
      Effect.result(world.does("attempt", split(world.plugin).snapshot, "t-sub-1") as Effect.Effect<unknown, unknown>)
    )
    assert.deepInclude(Result.isFailure(result) ? result.failure : result, { _tag: "ActivityFailure", code })
    assert.lengthOf(world.requests, 0)
  })
})

describe("given an agent whose breaker opens while an attempt with it is prepared", () => {
  const prepared = (fallback: ReadonlyArray<string>) => {
    const world = inMemory({ answers: [{ answer: report }] })
    const run = given([], [world.plugin]).after(
      aRun([aTask("other"), aTask("task_1", { checklist: items })], { fallback })
    )
    const now = run.after(start("other"), endTerminal("other"))
    const ended = Effect.result(world.does("attempt", run.snapshot, "task_1", 1, now))
    return { ...world, ended: Effect.runSync(ended) }
  }
  const agents = (many: ReadonlyArray<object>) => many.map((one) => (one as { readonly agent?: string }).agent)

  it("when the attempt is begun, then it is begun with the next agent, and that one works", () => {
    const { ended, requests, said } = prepared(["critic"])
    assert.deepStrictEqual([agents(said), agents(requests)], [["critic"], ["critic"]])
    assert.deepInclude(Result.getOrThrow(ended), { _tag: "EndAttempt", outcome: "COMPLETE" })
  })

  it("when nobody else is named, then it is not wanted any more, and nobody is asked", () => {
    const { ended, requests, said } = prepared([])
    assert.deepStrictEqual([said, requests], [[], []])
    assert.deepInclude(Result.isFailure(ended) ? ended.failure : ended, { _tag: "Rejection", code: "task_not_ready" })
  })
})
