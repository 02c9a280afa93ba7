import { assert, describe } from "@effect/vitest"
import { acceptsWeak } from "@proofline/kernel/testing"
import { Effect } from "effect"
import { effect } from "../../effects.ts"
import { rules } from "../../kernel/golden/scenarios.ts"
import { all } from "../../kernel/support/world.ts"
import { aClient, type Client, newProject, newServer, readAll } from "./servers.ts"

const ledger = "export const add = (a: number, b: number): number => {\n  return a + b\n}\n"
const audit = "export const audit = (rows: number[]): number => {\n  return rows.length\n}\n"

const report = (evidence: string) => ({
  summary: "There.",
  checklist: [{ item: "one", status: "done", evidence }]
})

/** Alice has shown two tasks in these files, and hands in the last phase next. */
const shown = Effect.gen(function* () {
  const files: Record<string, string> = { "src/ledger.ts": ledger, "src/audit.ts": audit }
  const project = yield* newProject({}, { proof: acceptsWeak })
  const plugins = yield* rules(project.log, () => Effect.die("Nobody is driven here."), files)
  const alice = yield* aClient(yield* newServer(project, "one", { plugins }), "alice")
  yield* alice.works("a", "b")
  yield* alice.call("complete_task", { task_id: "a", data: report("src/ledger.ts:1-3") })
  const { body } = yield* alice.call("complete_task", { task_id: "b", data: report("src/audit.ts:1-3") })
  assert.deepInclude(body, { success: true, phase: "READY_COMPLETE" })
  return { alice, files, project }
})

/** Hands in the last two phases; the commands of the second one pass. */
const finishes = Effect.fnUntraced(function* ({ call }: Client) {
  const { body } = yield* call("submit_phase", { data: { summary: "All is done." } })
  assert.deepInclude(body, { success: true, phase: "POST_IMPL_VERIFY" })
  return yield* call("submit_phase", { data: {} })
})

describe("given a session whose tasks are all shown", () => {
  effect("when all of it holds, then the last phase ends the run as ever", function* () {
    const { alice, project } = yield* shown
    const { body, ok } = yield* finishes(alice)
    assert.isTrue(ok, JSON.stringify(body))
    const ended = yield* alice.call("report_completed", { result: "success" })
    assert.deepInclude(ended.body, { success: true, run_status: "completed" })
    assert.lengthOf(all(yield* readAll(project.log), "EVIDENCE_REVISITED"), 1)
  })

  effect("when a file is gone by then, then the agent is told, and shows it again", function* () {
    const { alice, files } = yield* shown
    delete files["src/ledger.ts"]
    const refused = yield* finishes(alice)
    assert.isFalse(refused.ok)
    const text = JSON.stringify(refused.body)
    assert.include(text, "checklist_evidence_stale")
    assert.include(text, "src/ledger.ts is gone.")
    assert.deepInclude(refused.body, { phase: "READY_IMPL" })
    const next = yield* alice.call("get_next_action")
    assert.deepInclude(next.body, { action: "work", phase: "READY_IMPL" })
    assert.deepInclude(next.body["task"], { task_id: "a" })
    assert.include(JSON.stringify(next.body), "does not hold any more")
    const early = yield* alice.call("report_completed", { result: "success" })
    assert.include(JSON.stringify(early.body), "tasks_open")

    files["src/ledger.ts"] = ledger
    const again = yield* alice.call("complete_task", { task_id: "a", data: report("src/ledger.ts:1-3") })
    assert.deepInclude(again.body, { success: true, phase: "READY_COMPLETE" })
    assert.isTrue((yield* finishes(alice)).ok)
    const ended = yield* alice.call("report_completed", { result: "success" })
    assert.deepInclude(ended.body, { success: true, run_status: "completed" })
  })

  effect("when something else is not shown, then the report that ends the run says how it has ended", function* () {
    for (const result of ["success", "blocked"]) {
      const project = yield* newProject({ verifiers: [] }, { proof: acceptsWeak })
      const alice = yield* aClient(yield* newServer(project, "one"), "alice")
      yield* alice.works("a", { id: "b", checklist: null })
      yield* alice.call("complete_task", { task_id: "a", data: report("src/ledger.ts:1-3") })
      for (const status of ["in_progress", "done"]) {
        yield* alice.call("update_task_status", { task_id: "b", status })
      }
      assert.deepInclude((yield* finishes(alice)).body, { phase: "DONE" })
      if (result === "success") {
        assert.deepInclude((yield* alice.call("report_completed", { result })).body, { error: "not_proven" })
      }
      const ended = yield* alice.call("report_completed", { result })
      assert.deepInclude(ended.body, { success: true, action: "exit", result, run_status: "incomplete" })
      // what was accepted was judged again in between
      assert.lengthOf(all(yield* readAll(project.log), "EVIDENCE_REVISITED"), 1)
    }
  })
})
