import { assert, describe } from "@effect/vitest"
import { acceptsWeak } from "@proofline/kernel/testing"
import { Effect } from "effect"
import { effect } from "../../effects.ts"
import { all } from "../../kernel/support/world.ts"
import { aContract, explored, type PlannedTask } from "./rules/playing.ts"
import { aClient, alone, newProject, newServer, readAll, type ServerOptions } from "./servers.ts"

type Body = Readonly<Record<string, unknown>>

describe("creating tasks", () => {
  effect("tells what became of each, by the names of the batch, and which of them nothing will show", function* () {
    const { call, works } = yield* alone()
    yield* works("a")
    const { body } = yield* call("create_tasks", {
      tasks: [
        { title: " x ", id: "x", checklist: [" one ", { item: "two" }] },
        { title: "y", local_id: " y ", depends_on: [" x "], description: " Do it. ", assignee: " " },
        { title: "z", parent_task_id: " y " }
      ]
    })
    assert.deepInclude(body, {
      existing: false,
      created: [
        { id: "tsk_2", title: "x", local_id: "x" },
        { id: "tsk_3", title: "y", local_id: "y" },
        { id: "tsk_4", title: "z", local_id: null }
      ],
      local_id_to_real_id: { x: "tsk_2", y: "tsk_3" },
      warnings: [
        { code: "checklist_missing", message: "One task has no checklist: nothing will show that they are done." }
      ]
    })
    assert.notProperty(body, "created_left_out")
  })

  effect("warns of none where every one has a checklist, and counts those that have none", function* () {
    const { call, works } = yield* alone()
    yield* works("a")
    assert.notProperty((yield* call("create_tasks", { tasks: [{ title: "x", checklist: ["one"] }] })).body, "warnings")
    const { body } = yield* call("create_tasks", { tasks: [{ title: "y" }, { title: "z" }] })
    assert.include(JSON.stringify(body["warnings"]), "2 tasks have no checklist")
  })

  effect("names the first tasks of many, and says how many it leaves out", function* () {
    const { call, works } = yield* alone()
    yield* works("a")
    const tasks = (count: number, name: string) =>
      Array.from({ length: count }, (_, i) => ({ title: `${name}${i}`, checklist: ["one"] }))
    assert.notProperty((yield* call("create_tasks", { tasks: tasks(50, "x") })).body, "created_left_out")
    const { body } = yield* call("create_tasks", { tasks: tasks(51, "y") })
    assert.lengthOf(body["created"] as ReadonlyArray<unknown>, 50)
    assert.strictEqual(body["created_left_out"], 1)
  })

  effect("refuses blank titles and items, each by its place", function* () {
    const { call, project } = yield* alone()
    const { body, ok } = yield* call("create_tasks", {
      tasks: [
        { title: "x", checklist: ["one", " "] },
        { title: " ", checklist: ["one"] }
      ]
    })
    assert.isFalse(ok)
    assert.deepStrictEqual(
      (body["failures"] as ReadonlyArray<{ fields: Body; key: string }>).map(({ fields, key }) => [
        key,
        fields["field"]
      ]),
      [
        ["field_empty", "tasks[0].checklist[1]"],
        ["field_empty", "tasks[1].title"]
      ]
    )
    assert.lengthOf(all(yield* readAll(project.log), "TASKS_CREATED"), 0)
  })
})

describe("asking whether a file may be written", () => {
  const required = { existing: "any", fresh: "explored", required: true } as const

  const asked = Effect.fnUntraced(function* (differs: NonNullable<ServerOptions["differs"]>, isRequired = true) {
    const contract = aContract({ write_targets: { ...required, required: isRequired } })
    const { call, project, works } = yield* alone({ contract }, { differs })
    yield* works("a")
    const { body } = yield* call("check_write_target", { file_path: "src/ledger.ts" })
    const [checked] = all(yield* readAll(project.log), "WRITE_TARGET_CHECKED")
    return [body["code"], (checked as { changed: unknown }).changed]
  })

  effect("is too late for one that was changed before, where files have to be asked for first", function* () {
    assert.deepStrictEqual(yield* asked(() => true), ["write_target_late", true])
    assert.deepStrictEqual(yield* asked(() => false), ["allowed", false])
  })

  effect("is not too late where nobody knows, the file cannot be read, or nothing has to be asked for", function* () {
    assert.deepStrictEqual(yield* asked(() => null), ["allowed", null])
    assert.deepStrictEqual(yield* asked(() => undefined), ["allowed", null])
    assert.deepStrictEqual(yield* asked(() => true, false), ["allowed", null])
  })

  effect("is answered shortly with yes, and with no says why and what to do", function* () {
    const { call, works } = yield* alone()
    yield* works("a")
    assert.deepStrictEqual((yield* call("check_write_target", { file_path: "src/a.ts" })).body, {
      allowed: true,
      file_path: "src/a.ts",
      code: "allowed",
      phase: "READY_IMPL",
      instruction: "Write it, then report the task with complete_task."
    })
    const { body, ok } = yield* call("check_write_target", { file_path: "src/ledger.ts" })
    assert.isTrue(ok)
    assert.deepInclude(body, { allowed: false, file_path: "src/ledger.ts", code: "not_explored" })
    assert.deepInclude(body, { explored_files: ["src/a.ts"], phase: "READY_IMPL" })
    assert.include(String(body["error"]), "src/ledger.ts exists")
    assert.include(String(body["next_step"]), "Name it in a task")
    const fresh = yield* call("check_write_target", { file_path: "src/new.ts", allow_new_files: false })
    assert.deepInclude(fresh.body, { allowed: false, code: "new_file_not_allowed" })
    assert.notProperty(fresh.body, "explored_files")
    const outside = yield* call("check_write_target", { file_path: "../x.ts" })
    assert.deepInclude(outside.body, { allowed: false, code: "outside_root", file_path: "../x.ts" })
  })

  effect("cuts a path that is too long", function* () {
    const { call, works } = yield* alone()
    yield* works("a")
    const file_path = `src/a.${"x".repeat(400)}`
    const no = yield* call("check_write_target", { file_path })
    assert.strictEqual(no.body["file_path"], file_path.slice(0, 300))
    const yes = yield* call("check_write_target", { file_path: `src/${"x".repeat(400)}` })
    assert.isTrue(yes.body["allowed"])
    assert.isAtMost(JSON.stringify(yes.body).length, 300)
  })

  effect("is no, also where nothing can be asked", function* () {
    const { call } = yield* alone()
    assert.deepInclude((yield* call("check_write_target", {})).body, { allowed: false, error: "payload_mismatch" })
    yield* call("report_completed", { result: "failed" })
    assert.deepInclude((yield* call("check_write_target", { file_path: "src/a.ts" })).body, { allowed: false })
  })
})

describe("reporting success at the end of all phases", () => {
  const byWord = (...ids: ReadonlyArray<string>): ReadonlyArray<PlannedTask> =>
    ids.map((id) => ({ id, checklist: null }))

  /** Alice has called these tasks done by word, and handed in everything. */
  const atEnd = Effect.fnUntraced(function* (...ids: ReadonlyArray<string>) {
    const project = yield* newProject({ verifiers: [] }, { proof: acceptsWeak })
    const alice = yield* aClient(yield* newServer(project, "one"), "alice")
    yield* alice.works(...byWord(...ids))
    for (const task_id of ids) {
      for (const status of ["in_progress", "done"]) {
        assert.isTrue((yield* alice.call("update_task_status", { task_id, status })).ok)
      }
    }
    yield* alice.call("submit_phase", { data: { summary: "All is done." } })
    const { body } = yield* alice.call("submit_phase", { data: {} })
    assert.deepInclude(body, { phase: "DONE" })
    return alice
  })

  effect("is refused once with what is not shown, and ends the run as incomplete then", function* () {
    const { call } = yield* atEnd("a")
    const { body, ok } = yield* call("report_completed", { result: "success", summary: "Done." })
    assert.isFalse(ok)
    assert.deepInclude(body, {
      error: "not_proven",
      message: "One thing is not shown. a: It has no checklist, and is done by word alone.",
      open: ["a"]
    })
    assert.include(String(body["next_step"]), "Plan what is left of it as a task with a checklist")
    assert.lengthOf(body["missing"] as ReadonlyArray<unknown>, 1)
    assert.deepInclude((yield* call("get_next_action")).body, { action: "report_completion" })
    const again = yield* call("report_completed", { result: "success" })
    assert.deepInclude(again.body, { success: true, action: "exit", result: "success", run_status: "incomplete" })
    assert.deepInclude((yield* call("get_next_action")).body, { action: "exit" })
  })

  effect("names three of many, and counts all", function* () {
    const word = "It has no checklist, and is done by word alone."
    const three = yield* (yield* atEnd("a", "b", "c")).call("report_completed", { result: "success" })
    assert.strictEqual(three.body["message"], `3 things are not shown. a: ${word} b: ${word} c: ${word}`)
    const four = yield* (yield* atEnd("a", "b", "c", "d")).call("report_completed", { result: "success" })
    assert.strictEqual(four.body["message"], `4 things are not shown. a: ${word} b: ${word} c: ${word} …`)
    assert.deepStrictEqual(four.body["open"], ["a", "b", "c", "d"])
  })

  effect("is taken as it is where it is a failure", function* () {
    const { call } = yield* alone()
    yield* call("submit_phase", { data: explored })
    const { body } = yield* call("report_completed", { result: "blocked", next_steps: "Ask." })
    assert.deepInclude(body, { success: true, action: "exit", result: "blocked" })
  })
})
