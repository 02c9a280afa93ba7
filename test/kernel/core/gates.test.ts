import { assert, describe, it } from "@effect/vitest"
import {
  completed,
  conditions,
  definePlugin,
  gates,
  type Json,
  open,
  type Plugin,
  passed,
  plugin,
  Run,
  SettleAttempt,
  Tasks
} from "@proofline/kernel"
import { aRun, aTask, given } from "@proofline/kernel/testing"
import { Schema } from "effect"
import { analysed, aPart, aSplit } from "../support/chunks.ts"
import { judge } from "../support/judge.ts"
import { activityFailed, contentOf, end, start, stateOf, task, typesOf, verified } from "../support/words.ts"

const nobody: Readonly<Record<string, ReadonlyArray<string>>> = {}
const Approvals = plugin("approvals", { state: nobody, after: [Run, Tasks] })
const Approval = Schema.Struct({ task_id: Schema.String, by: Schema.String })
const Approved = Approvals.event("APPROVED", {
  schema: Approval,
  visibility: "summary",
  evolve: (own, { by, task_id }) => ({ ...own, [task_id]: [...new Set([...(own[task_id] ?? []), by])] }),
  sentence: ({ by, task_id }) => `${by} approved ${task_id}.`
})
const Approve = Approvals.command("approvals.Approve", {
  schema: Approval,
  decide: (args) => [Approved(args)],
  recall: { from: [Approved], args: (batch) => batch.first(Approved) }
})
const ByTask = Schema.Struct({ task_id: Schema.String })
const Waved = Approvals.event("WAVED_THROUGH", {
  schema: ByTask,
  visibility: "summary",
  changes: ({ task_id }) => [completed({ task_id, verdict: "proven" })],
  sentence: ({ task_id }) => `${task_id} was waved through.`
})
const Wave = Approvals.command("approvals.Wave", {
  schema: ByTask,
  decide: (args) => [Waved(args)],
  recall: { from: [Waved], args: (batch) => batch.first(Waved) }
})

/** Two people have to approve a task before it is done. */
const approvals: Plugin = definePlugin(Approvals, {
  version: "1",
  events: [Approved, Waved],
  commands: [Approve, Wave],
  parts: [
    Approvals.offer(gates, "last", {
      name: "approvals",
      verdict: (state, { spec }) => ((state.approvals[spec.id] ?? []).length < 2 ? open : passed),
      wants: () => null,
      ordered: () => [],
      survives: () => false
    }),
    Approvals.react([Approved], ({ task_id }) => [SettleAttempt({ task_id })])
  ]
})
const approve = (task_id: string, by: string) => ({ _tag: "approvals.Approve", task_id, by })
const wave = (task_id: string) => ({ _tag: "approvals.Wave", task_id })

describe("a gate", () => {
  const proven = given([], [approvals]).after(aRun([aTask("a")]), start("a"), end("a"), verified("a"))

  it("at the end of the chain holds a task back that has proven everything else, until it has passed", () => {
    assert.strictEqual(task(proven.snapshot.state, "a").status, "in_progress")
    const first = proven.when(approve("a", "alice"))
    assert.deepStrictEqual(typesOf(first.events), ["APPROVED"])
    const again = proven.after(approve("a", "alice")).when(approve("a", "alice"))
    assert.deepStrictEqual(typesOf(again.events), ["APPROVED"])
    const second = proven.after(approve("a", "alice")).when(approve("a", "bob"))
    assert.deepStrictEqual(typesOf(second.events), ["APPROVED", "TASK_COMPLETED", "RUN_COMPLETED"])
  })

  it("does not let a task pass before everything else is shown, however many approve", () => {
    const run = given([], [approvals]).after(aRun([aTask("a")]), start("a"), end("a"))
    const early = run.after(approve("a", "alice")).when(approve("a", "bob"))
    assert.deepStrictEqual(typesOf(early.events), ["APPROVED"])
    const { events } = run.after(approve("a", "alice"), approve("a", "bob")).when(verified("a", 1))
    assert.include(typesOf(events), "TASK_COMPLETED")
  })

  it("that is open refuses whatever event of another plugin would complete the task", () => {
    const { rejected } = proven.when(wave("a"))
    assert.strictEqual(rejected?.code, "task_not_proven")
    assert.deepStrictEqual([...(rejected?.open ?? [])], ["approvals"])
    const unproven = given([], [approvals]).after(aRun([aTask("a")]), start("a"), end("a"))
    const both = unproven.after(approve("a", "alice"), approve("a", "bob")).when(wave("a"))
    assert.deepStrictEqual([both.rejected?.code, ...(both.rejected?.open ?? [])], ["task_not_proven", "checks"])
    assert.strictEqual(proven.when(wave("nobody")).rejected?.code, "task_unknown")
  })
})

describe("a condition", () => {
  const Audit = plugin("audit", { state: null, after: [Run] })
  const audited = (why: string | null) =>
    definePlugin(Audit, {
      version: "1",
      parts: [Audit.offer(conditions, "condition", { name: "audited", unmet: () => why })]
    })
  const ending = (why: string | null) =>
    given([], [audited(why)])
      .after(aRun([aTask("a")]), start("a"), end("a"))
      .when(verified("a"))

  it("that is not met turns the completion of a run into an incomplete end, in its words", () => {
    const { events, step } = ending("Nobody has audited it.")
    assert.deepStrictEqual(typesOf(events).slice(-2), ["TASK_COMPLETED", "RUN_INCOMPLETE"])
    const { completed, reason, total } = contentOf(events, "RUN_INCOMPLETE")
    assert.deepStrictEqual([completed, total, reason], [1, 1, "Nobody has audited it."])
    assert.strictEqual(stateOf(step?.after).run.status, "incomplete")
  })

  it("that is met changes nothing", () => {
    assert.include(typesOf(ending(null).events), "RUN_COMPLETED")
  })
})

describe("work of a plugin beside a task that could not be carried out", () => {
  /** What a plugin does for an attempt under a key of its own; its failure is recorded as any other. */
  const beside = (task_id: string, input: Json = { task_id, attempt: 1 }) => ({
    ...activityFailed(task_id, 1, "coverage", `coverage/${task_id}/1`),
    input
  })
  const failureOf = (then: ReturnType<ReturnType<typeof given>["when"]>) => contentOf(then.events, "ACTIVITY_FAILED")

  it("does not end the task, block it or take back its work: nothing waits for it", () => {
    const waiting = given().after(aRun([aTask("a")]))
    const running = waiting.after(start("a"))
    const checking = running.after(end("a"))
    for (const run of [waiting, running, checking]) {
      const then = run.when(beside("a"))
      assert.deepStrictEqual(typesOf(then.events), ["ACTIVITY_FAILED"])
      assert.isNull(failureOf(then).awaited_by)
      assert.isNull(task(then.step?.after.state, "a").blocked)
      assert.deepStrictEqual([then.step?.cancels, then.step?.starts], [[], []])
    }
    const done = checking.after(beside("a")).when(verified("a"))
    assert.include(typesOf(done.events), "RUN_COMPLETED")
  })

  it("does not end the analysis of a task that is being split", () => {
    const analysing = given([], [judge]).after(aSplit())
    const then = analysing.when(beside("p", { task_id: "p" }))
    assert.deepStrictEqual(typesOf(then.events), ["ACTIVITY_FAILED"])
    const split = analysing.after(beside("p", { task_id: "p" })).when(analysed([aPart("a"), aPart("b")]))
    assert.deepStrictEqual(typesOf(split.events), ["CHUNKING_ANALYSIS", "SUBTASK_CREATED", "SUBTASK_CREATED"])
  })

  it("does not fail a task whose parts are being put together", () => {
    const run = given([], [judge]).after(aSplit(), analysed([aPart("a"), aPart("b")]))
    assert.deepStrictEqual(typesOf(run.when(beside("p")).events), ["ACTIVITY_FAILED"])
  })

  it("is told from the work that is awaited, which ends what waits for it", () => {
    const checking = given().after(aRun([aTask("a")]), start("a"), end("a"))
    const then = checking.when(activityFailed("a", 1, "checks"))
    assert.deepStrictEqual(failureOf(then).awaited_by, { plugin: "tasks", task_id: "a", consequence: "blocked" })
    assert.deepStrictEqual(typesOf(then.events), ["ACTIVITY_FAILED", "TASK_FAILED", "RUN_FAILED"])
    const analysis = given([], [judge])
      .after(aSplit())
      .when(activityFailed("p", 0, "analyzer-heuristic", "analyzer-heuristic/p/0"))
    assert.deepInclude(failureOf(analysis).awaited_by, { plugin: "chunking", consequence: "survived" })
    assert.include(typesOf(analysis.events), "CHUNKING_SKIPPED")
  })
})
