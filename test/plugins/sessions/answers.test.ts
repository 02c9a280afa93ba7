import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { effect } from "../../effects.ts"
import { check } from "../../kernel/support/words.ts"
import { aPlan, because, explored } from "./rules/playing.ts"
import { aClient, alone } from "./servers.ts"

interface Node {
  readonly id: string
  readonly subtasks?: ReadonlyArray<Node>
}

const idsIn = (nodes: ReadonlyArray<Node>): ReadonlyArray<string> =>
  nodes.flatMap(({ id, subtasks = [] }) => [id, ...idsIn(subtasks)])

describe("the planning guide", () => {
  effect("comes once in a session, with the first answer that asks for a plan", function* () {
    const { alice, server } = yield* alone({ planning_guide: "# Planning" })
    const bob = yield* aClient(server, "bob")
    const isGuided = (body: object) => "planning_guide" in body
    assert.isFalse(isGuided((yield* alice.call("get_next_action")).body))
    assert.isFalse(isGuided((yield* bob.call("get_next_action")).body))
    assert.isTrue(isGuided((yield* alice.call("submit_phase", { data: explored })).body))
    for (const tool of ["get_next_action", "get_my_task"])
      assert.isFalse(isGuided((yield* alice.call(tool)).body), tool)
    assert.isTrue(isGuided((yield* bob.call("get_next_action")).body))
    assert.isFalse(isGuided((yield* bob.call("get_next_action")).body))
    assert.isFalse(isGuided((yield* alice.call("submit_phase", { data: { tasks: [] } })).body))
    assert.isFalse(isGuided((yield* alice.call("submit_phase", { data: aPlan("a") })).body))
  })
})

describe("a refusal", () => {
  effect("is told again to the session that was refused, and to no other", function* () {
    const { alice, server } = yield* alone()
    const bob = yield* aClient(server, "bob")
    yield* alice.call("submit_phase", { data: {} })
    assert.property((yield* alice.call("get_next_action")).body, "last_refusal")
    assert.notProperty((yield* bob.call("get_next_action")).body, "last_refusal")
  })
})

describe("what may be cited beside lines", () => {
  effect("is told by get_my_task with the first task that has a checklist, and with no other", function* () {
    const { call, works } = yield* alone()
    yield* works("a", "b", { id: "c", checklist: null })
    const kindsToldBy = (body: Readonly<Record<string, unknown>>) =>
      (body["task"] as { readonly evidence_kinds?: ReadonlyArray<string> }).evidence_kinds
    for (const _ of ["once", "and again"]) {
      const kinds = kindsToldBy((yield* call("get_my_task")).body)
      assert.deepStrictEqual(
        kinds?.map((kind) => kind.split(",")[0]),
        ["`file:<path>`", "`absent:<path>`"]
      )
    }
    for (const task_id of ["a", "b"]) {
      const checklist = [{ item: "one", status: "done", evidence: "src/ledger.ts:1-3" }]
      const { body, ok } = yield* call("complete_task", { task_id, data: { summary: "Done.", checklist } })
      assert.isTrue(ok, JSON.stringify(body))
      assert.isUndefined(kindsToldBy(body["next"] as Readonly<Record<string, unknown>>))
      assert.isUndefined(kindsToldBy((yield* call("get_my_task")).body))
    }
  })
})

describe("the progress of one's tasks", () => {
  effect("comes in pages, from which every task can be had", function* () {
    const { call } = yield* alone()
    yield* call("submit_phase", { data: explored })
    const ids = Array.from({ length: 300 }, (_, i) => `task_${i}`)
    yield* call("submit_phase", { data: aPlan(...ids) })
    const parts = ["x", "y"].map((title) => ({ title, parent_task_id: "task_299" }))
    yield* call("create_tasks", { tasks: parts })
    const seen = new Set<string>()
    let pages = 0
    for (let offset: number | undefined; ; pages++) {
      const { body, ok } = yield* call("get_my_task_progress", offset === undefined ? {} : { offset })
      assert.isTrue(ok)
      assert.isAtMost(Buffer.byteLength(JSON.stringify(body)), 8 * 1024)
      const { more, next_offset, tasks } = body as unknown as {
        readonly tasks: ReadonlyArray<Node>
        readonly more?: number
        readonly next_offset?: number
      }
      for (const id of idsIn(tasks)) seen.add(id)
      if (next_offset === undefined) break
      assert.strictEqual(next_offset + Number(more), 302)
      offset = next_offset
    }
    assert.isAbove(pages, 1)
    assert.deepStrictEqual(seen, new Set([...ids, "tsk_301", "tsk_302"]))
    assert.deepInclude((yield* call("get_my_task_progress", { offset: 10_000 })).body, { tasks: [] })
    assert.isFalse((yield* call("get_my_task_progress", { offset: -1 })).ok)
  })
})

describe("whether all is complete", () => {
  effect("is no where nothing was completed, be it that all was cancelled", function* () {
    const { call, works } = yield* alone()
    const isComplete = ({ body }: { readonly body: object }) =>
      (body as { readonly progress: { readonly all_complete: boolean } }).progress.all_complete
    assert.isFalse(isComplete(yield* call("get_next_action")))
    yield* works("a", { id: "b", checklist: null })
    yield* call("update_task_status", { task_id: "a", status: "cancelled", reason: because })
    assert.isFalse(isComplete(yield* call("get_next_action")))
    yield* call("update_task_status", { task_id: "b", status: "in_progress" })
    assert.isTrue(isComplete(yield* call("update_task_status", { task_id: "b", status: "done" })))
  })
})

describe("a verification that has failed too often", () => {
  effect("is answered with the step of the phase it leads to, and with no other", function* () {
    const { call, works } = yield* alone({}, { verify: () => Effect.succeed(check(1)) })
    yield* works({ id: "a", checklist: null })
    const fail = Effect.gen(function* () {
      yield* call("update_task_status", { task_id: "a", status: "in_progress" })
      yield* call("update_task_status", { task_id: "a", status: "done" })
      yield* call("submit_phase", { data: { summary: "All is done." } })
      return (yield* call("submit_phase", { data: {} })).body
    })
    const first = yield* fail
    assert.deepInclude(first, { error: "verification_failed", phase: "READY_IMPL", needs_person: false })
    assert.include(String(first["next_step"]), "repair")
    const last = yield* fail
    assert.deepInclude(last, { error: "verification_failed", phase: "VERIFY_INTERVENTION", needs_person: true })
    assert.notInclude(String(last["next_step"]), "repair")
    assert.include(String(last["next_step"]), "proofline answer")
  })
})

describe("a verification that fails while every task is withdrawn", () => {
  effect("is answered, as everything after it, with the call that plans what is still to be done", function* () {
    const { call, works } = yield* alone({}, { verify: () => Effect.succeed(check(1)) })
    yield* works("a")
    yield* call("update_task_status", { task_id: "a", status: "cancelled", reason: because })
    yield* call("submit_phase", { data: { summary: "All is done." } })
    const failed = (yield* call("submit_phase", { data: {} })).body
    assert.deepInclude(failed, { error: "verification_failed", phase: "READY_IMPL", call: "create_tasks" })
    const next = (yield* call("get_next_action")).body
    assert.deepInclude(next, { action: "create_tasks", call: "create_tasks" })
    assert.hasAllKeys(next["expected_payload"], ["tasks"])
    assert.notInclude(String(next["instruction"]), "Go on.")
    const refused = (yield* call("submit_phase", { data: {} })).body
    assert.match(String(refused["message"]), /^One thing is wrong: No task is open/)
    const reported = (yield* call("report_completed", { result: "success" })).body
    for (const said of [failed["next_step"], next["instruction"], refused["message"], reported["next_step"]]) {
      assert.include(String(said), "create_tasks")
    }
    const created = (yield* call("create_tasks", { tasks: [{ title: "b", checklist: ["one"] }] })).body
    assert.deepInclude(created, { call: "complete_task", instruction: "Go on." })
  })
})

describe("a report", () => {
  effect("is taken with its fields beside the task, and answered with the task to go on with", function* () {
    const { call, works } = yield* alone()
    yield* works("a", "b")
    const checklist = [{ item: "one", status: "skipped", reason: because }]
    const { body } = yield* call("complete_task", { task_id: "a", summary: "Nothing was needed.", checklist })
    const { next, task } = body as unknown as { readonly [name: string]: { readonly [field: string]: unknown } }
    assert.deepInclude(task, { id: "a", new_status: "done" })
    assert.deepInclude(next?.["task"], {
      task_id: "b",
      status: "todo",
      checklist: [{ item: "one", status: "pending" }]
    })
    assert.notInclude(JSON.stringify(body["warnings"] ?? ""), "field_unexpected")
    const silent = yield* call("complete_task", { task_id: "b", data: { summary: "Done." } })
    assert.include(JSON.stringify(silent.body), "checklist_items_mismatch")
  })
})
