import { assert, describe } from "@effect/vitest"
import { effect } from "../../effects.ts"
import { alone } from "./servers.ts"

const report = {
  summary: "One is done.",
  checklist: [
    { item: "one", status: "done", evidence: "src/ledger.ts:1-3" },
    { item: "two", status: "cannot", reason: "there is no key for the service" }
  ]
}

describe("complete_task with an item that cannot be done", () => {
  effect("is taken, says that a person is asked, and what to go on with", function* () {
    const { call, works } = yield* alone()
    yield* works({ id: "a", checklist: ["one", "two"] }, "b")
    const { body, ok } = yield* call("complete_task", { task_id: "a", data: report })
    assert.isTrue(ok, JSON.stringify(body))
    assert.deepInclude(body, {
      success: true,
      task: { id: "a", title: "Do a.", new_status: "blocked" },
      asked: [{ item: "two", reason: "there is no key for the service" }],
      needs_person: false
    })
    assert.match(String(body["instruction"]), /'two' cannot be done.*A person is asked, and you go on with other work/)
    assert.deepInclude(body["next"], { code: "tasks_left" })
    const action = yield* call("get_next_action")
    assert.deepInclude(action.body, { action: "work", needs_person: false })
  })

  effect("given nothing else to do, then the user is asked, and the agent may leave", function* () {
    const { call, works } = yield* alone()
    yield* works({ id: "a", checklist: ["one", "two"] })
    yield* call("complete_task", { task_id: "a", data: report })
    const { body } = yield* call("get_next_action")
    assert.deepInclude(body, { action: "ask_user", needs_person: true })
    assert.match(String(body["instruction"]), /proofline answer/)
    assert.deepInclude((yield* call("report_completed", { result: "success" })).body, { error: "tasks_open" })
    assert.isTrue((yield* call("report_completed", { result: "blocked", summary: "There is no key." })).ok)
  })

  effect("given that a person says how, then the next fetch of the task tells it", function* () {
    const { call, opened, server, works } = yield* alone()
    yield* works({ id: "a", checklist: ["one", "two"] })
    yield* call("complete_task", { task_id: "a", data: report })
    yield* server.answer(opened.run, "a", "continue", "use the test key")
    const { body } = yield* call("get_my_task")
    const task = body["task"] as { readonly checklist: ReadonlyArray<unknown> }
    assert.deepStrictEqual(task.checklist[1], { item: "two", status: "pending", person_said: ["use the test key"] })
  })
})
