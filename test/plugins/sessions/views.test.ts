import { assert, describe, it } from "@effect/vitest"
import type { Answer, View } from "@proofline/plugins/operations"
import type { SessionRef } from "@proofline/plugins/policies/sessions"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { effect } from "../../effects.ts"
import { letOthersGoOn } from "../../kernel/support/letOthersGoOn.ts"
import { because } from "./rules/playing.ts"
import { aClient, alone, anIdentity, newProject, newServer, readAll, type Server } from "./servers.ts"

const good = { summary: "yes", checklist: [{ item: "add adds", status: "done", evidence: "src/ledger.ts:1-3" }] }

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every kind
const bodyOf = ({ body, ok }: Answer): any => {
  assert.isTrue(ok, JSON.stringify(body))
  return body
}

const see = ({ sessions }: Server, session: SessionRef | null, view: View) =>
  Effect.map(Effect.orDie(sessions.view(session, view)), bodyOf)

/** Alice works on a plan of hers; bob was given a task of it, and has one of his own. */
const both = Effect.gen(function* () {
  const { alice, project, server } = yield* alone()
  const bob = yield* aClient(server, "bob")
  yield* alice.works({ id: "ledger", checklist: ["add adds"] }, { id: "second", checklist: null })
  yield* bob.call("create_tasks", { tasks: [{ title: "the secret of bob", local_id: "b", checklist: ["b"] }] })
  return { project, server, alice, bob }
})

describe("given no run, every view", () => {
  it.effect.each([
    ["task", { has_task: false }],
    ["progress", { tasks: [] }],
    ["log", { events: [] }]
  ] as const)("says so, and what to do (%s)", ([view, nothing]) =>
    Effect.gen(function* () {
      const project = yield* newProject()
      const { instruction, ...body } = yield* see(yield* newServer(project, "one"), null, view)
      assert.deepStrictEqual(body, { success: true, has_run: false, ...nothing })
      assert.include(instruction, "get_next_action")
      assert.lengthOf(yield* readAll(project.log), 0)
    })
  )
})

describe("given a session, its views", () => {
  effect("are of its own work, and leave no trace", function* () {
    const { alice, project, server } = yield* both
    const before = (yield* readAll(project.log)).length
    const task = yield* see(server, alice.opened, "task")
    assert.deepInclude(task, { has_task: true, run_id: alice.opened.run, phase: "READY_IMPL" })
    assert.deepInclude(task.task, { task_id: "ledger", title: "Do ledger." })
    const progress = yield* see(server, alice.opened, "progress")
    assert.deepInclude(progress, { phase: "READY_IMPL", open: 2 })
    assert.deepInclude(progress.progress, { total: 3, completed: 0 })
    assert.deepStrictEqual(
      progress.tasks.map(({ id }: { readonly id: string }) => id),
      ["ledger", "second"]
    )
    yield* see(server, alice.opened, "log")
    assert.lengthOf(yield* readAll(project.log), before)
  })

  effect("show what get_my_task shows", function* () {
    const { alice, server } = yield* both
    const { body } = yield* alice.call("get_my_task")
    assert.deepInclude(yield* see(server, alice.opened, "task"), body)
  })

  effect("never hold another agent's task or session", function* () {
    const { alice, bob, server } = yield* both
    yield* bob.call("get_next_action")
    yield* bob.call("check_write_target", { file_path: "src/secret.ts" })
    yield* bob.call("submit_phase", { data: { nonsense: "of bob" } })
    for (const view of ["task", "progress", "log"] as const) {
      const text = JSON.stringify(yield* see(server, alice.opened, view))
      assert.notInclude(text, "secret", view)
      assert.notInclude(text, "bob", view)
      assert.notInclude(text, bob.opened.session_id, view)
    }
    const text = JSON.stringify(yield* see(server, bob.opened, "log"))
    assert.include(text, "src/secret.ts")
    assert.notInclude(text, "alice")
    assert.notInclude(text, "ledger")
  })

  effect("tell the newest event first, one line each", function* () {
    const { alice, server } = yield* both
    yield* alice.call("complete_task", { task_id: "ledger", data: good })
    yield* alice.call("update_task_status", { task_id: "second", status: "in_progress" })
    const moved = yield* alice.call("update_task_status", {
      task_id: "second",
      status: "blocked",
      reason: "two\nlines\u001b[31m of why"
    })
    bodyOf(moved)
    const { events, version } = yield* see(server, alice.opened, "log")
    const versions = events.map((event: { readonly version: number }) => event.version)
    assert.deepStrictEqual(
      versions,
      versions.toSorted((a: number, b: number) => b - a)
    )
    assert.isAtMost(versions[0], version)
    for (const { at, text, type } of events) {
      assert.match(at, /^\d{4}-.*Z$/)
      assert.match(type, /^[A-Z_]+$/)
      assert.match(text, /^[^\p{Cc}]+$/u)
    }
    const texts: ReadonlyArray<string> = events.map(({ text }: { readonly text: string }) => text)
    assert.isTrue(texts.some((text) => text.includes("two lines")))
    assert.isTrue(texts.some((text) => text.includes("by src/ledger.ts:1-3")))
  })

  effect("tell in the log what happened to the whole run, and nothing else that is nobody's", function* () {
    const { alice, server } = yield* both
    const { events } = yield* see(server, alice.opened, "log")
    const types = new Set(events.map(({ type }: { readonly type: string }) => type))
    for (const type of ["RUN_STARTED", "PHASE_ENTERED", "PHASE_SUBMITTED", "TASK_ASSIGNED"]) {
      assert.isTrue(types.has(type), type)
    }
    assert.isFalse(types.has("PHASE_CONTRACT_ADOPTED"))
  })

  effect("refuse a session that nobody opened", function* () {
    const { alice, server } = yield* both
    const nobody = { ...alice.opened, session_id: "ses_nobody" }
    const { body, ok } = yield* Effect.orDie(server.sessions.view(nobody, "task"))
    assert.isFalse(ok)
    assert.include(body, { error: "session_unknown" })
  })
})

describe("the tasks that may be worked on", () => {
  const openTasks = ({ sessions }: Server, session: SessionRef | null) => Effect.orDie(sessions.openTasks(session))

  effect("are none without a run", function* () {
    assert.deepStrictEqual(yield* openTasks(yield* newServer(yield* newProject(), "one"), null), [])
  })

  effect(
    "are those of a session, what is under way first and what is over not at all; of all for the project",
    function* () {
      const { alice, bob, server } = yield* both
      const [b = ""] = yield* openTasks(server, bob.opened)
      assert.deepStrictEqual(yield* openTasks(server, alice.opened), ["ledger", "second"])
      assert.sameMembers([...(yield* openTasks(server, null))], ["ledger", "second", b])
      yield* alice.call("update_task_status", { task_id: "second", status: "in_progress" })
      assert.deepStrictEqual(yield* openTasks(server, alice.opened), ["second", "ledger"])
      bodyOf(yield* alice.call("complete_task", { task_id: "ledger", data: good }))
      assert.deepStrictEqual(yield* openTasks(server, alice.opened), ["second"])
      assert.deepStrictEqual(yield* openTasks(server, bob.opened), [b])
    }
  )
})

describe("given whoever looks after the project, the views", () => {
  effect("are of the session run that goes on, whoever works in it", function* () {
    const { alice, server } = yield* both
    yield* alice.call("update_task_status", { task_id: "second", status: "in_progress" })
    const task = yield* see(server, null, "task")
    assert.deepInclude(task.task, { task_id: "second", assignee: "alice" })
    const progress = yield* see(server, null, "progress")
    assert.lengthOf(progress.tasks, 3)
    const text = JSON.stringify(yield* see(server, null, "log"))
    for (const word of ["alice", "bob", "ledger", "second"]) assert.include(text, word)
  })

  effect("show the task that is next of all: one under way, then the first, and none where all are over", function* () {
    const { alice, server } = yield* alone()
    yield* alice.works({ id: "a", checklist: null }, { id: "b", checklist: null }, { id: "c", checklist: null })
    const set = (task_id: string, status: string, reason = because) =>
      Effect.map(alice.call("update_task_status", { task_id, status, reason }), bodyOf)
    const next = Effect.map(see(server, null, "task"), ({ has_task, success, task }) => [
      success,
      has_task,
      task?.task_id,
      task?.assignee
    ])
    assert.deepStrictEqual(yield* next, [true, true, "a", "alice"])
    yield* set("c", "in_progress")
    assert.deepStrictEqual(yield* next, [true, true, "c", "alice"])
    yield* set("c", "done")
    yield* set("a", "cancelled")
    assert.deepStrictEqual(yield* next, [true, true, "b", "alice"])
    yield* set("b", "cancelled")
    assert.deepStrictEqual(yield* next, [true, false, undefined, undefined])
  })
})

describe("given a run that many work on, what concerns one", () => {
  effect("is found behind hundreds of events of the others, and older ones are said to be there", function* () {
    const { alice, bob, server } = yield* both
    for (let n = 0; n < 300; n++) yield* bob.call("check_write_target", { file_path: `src/${n}.ts` })
    const mine = yield* see(server, alice.opened, "log")
    assert.isTrue(mine.events.some(({ text }: { readonly text: string }) => text.includes("ledger")))
    assert.notProperty(mine, "older")
    const his = yield* see(server, bob.opened, "log")
    assert.isTrue(his.older)
    assert.include(his.events[0].text, "src/299.ts")
  })
})

describe("the changes", () => {
  effect("name the session run when something is appended from then on, by other processes too", function* () {
    const { alice, project, server } = yield* both
    const other = yield* newServer(project, "two")
    const { changes } = server.sessions
    const fiber = yield* Effect.forkChild(Stream.runCollect(Stream.take(changes, 2)), { startImmediately: true })
    yield* letOthersGoOn
    yield* TestClock.adjust(1_000)
    assert.isUndefined(fiber.pollUnsafe())
    const carol = yield* aClient(other, "carol")
    yield* carol.call("get_next_action")
    yield* letOthersGoOn
    yield* TestClock.adjust(1_000)
    assert.deepStrictEqual([...(yield* Fiber.join(fiber))], [alice.opened.run, alice.opened.run])
  })

  effect("name a run that begins later", function* () {
    const server = yield* newServer(yield* newProject(), "one")
    const fiber = yield* Effect.forkChild(Stream.runHead(server.sessions.changes), { startImmediately: true })
    yield* letOthersGoOn
    const opened = yield* Effect.orDie(server.sessions.open(anIdentity("alice")))
    yield* letOthersGoOn
    const first = yield* Fiber.join(fiber)
    assert.deepStrictEqual(first._tag === "Some" ? first.value : null, opened.run)
  })
})
