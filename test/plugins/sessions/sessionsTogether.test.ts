import { assert, describe } from "@effect/vitest"
import { type RunHead, RunHeads } from "@proofline/kernel"
import { type Answer, operations } from "@proofline/plugins/operations"
import { Deferred, Effect, Fiber } from "effect"
import { Tool } from "effect/ai"
import { TestClock } from "effect/testing"
import { effect } from "../../effects.ts"
import { withActivities } from "../../kernel/support/activities.ts"
import { judge } from "../../kernel/support/judge.ts"
import { letOthersGoOn } from "../../kernel/support/letOthersGoOn.ts"
import { check } from "../../kernel/support/words.ts"
import { all } from "../../kernel/support/world.ts"
import { assignmentIn, explored } from "./rules/playing.ts"
import { aClient, alone, anIdentity, clientOf, inTime, newProject, newServer, readAll, type Server } from "./servers.ts"

const good = { summary: "There.", checklist: [{ item: "one", status: "done", evidence: "src/ledger.ts:1-3" }] }

const assigneeOf = (server: Server, id: string) =>
  Effect.map(server.load("run_one1"), (state) => assignmentIn(state, id).assignee)

/** A policy whose evidence is looked at for ever, as by a process that hangs. */
const never = withActivities(judge, (activity) => ({ ...activity, run: () => Effect.never }))

// biome-ignore lint/suspicious/noExplicitAny: of any fields
const schemaOf = (args: any): unknown => Tool.getJsonSchemaFromSchema(args)

/** While others go on, and the clock stands still. */
const answeredAtOnce = Effect.fnUntraced(function* <E>(call: Effect.Effect<Answer, E>) {
  const fiber = yield* Effect.forkChild(call)
  for (let turn = 0; turn < 50 && fiber.pollUnsafe() === undefined; turn++) yield* letOthersGoOn
  assert.isDefined(fiber.pollUnsafe())
  return yield* Fiber.join(fiber)
})

const isOk = ({ body, ok }: Answer): void => assert.isTrue(ok, JSON.stringify(body))

describe("two processes on one project", () => {
  effect("serve the same run, and see at once what the other has done", function* () {
    const { alice, project } = yield* alone()
    const bob = yield* aClient(yield* newServer(project, "two"), "bob")
    assert.strictEqual(bob.opened.run, alice.opened.run)
    assert.notStrictEqual(bob.opened.session_id, alice.opened.session_id)
    yield* alice.works("a", "b")
    const seen = yield* bob.call("get_next_action")
    assert.deepInclude(seen.body, { action: "wait", phase: "READY_IMPL" })
    assert.lengthOf(all(yield* readAll(project.log), "RUN_STARTED"), 1)
  })

  effect("begin one run, also when they open at the same moment", function* () {
    const project = yield* newProject()
    const servers = [
      yield* newServer(project, "one"),
      yield* newServer(project, "two"),
      yield* newServer(project, "three")
    ]
    const opened = yield* inTime(
      Effect.forEach(servers, ({ sessions }, i) => sessions.open(anIdentity(`agent${i}`)), {
        concurrency: "unbounded"
      })
    )
    assert.strictEqual(new Set(opened.map(({ run }) => run)).size, 1)
    assert.lengthOf(all(yield* readAll(project.log), "RUN_STARTED"), 1)
  })

  effect("report at the same moment without losing anything", function* () {
    const { alice, project, server: one } = yield* alone()
    const bob = yield* aClient(yield* newServer(project, "two"), "bob")
    yield* alice.works("a")
    isOk(yield* alice.call("create_tasks", { tasks: [{ title: "x", checklist: ["one"], assignee: "bob" }] }))
    const answers = yield* Effect.all(
      [
        alice.call("complete_task", { task_id: "a", data: good }),
        bob.call("complete_task", { task_id: "tsk_2", data: good })
      ],
      { concurrency: "unbounded" }
    )
    for (const { body } of answers) assert.isTrue(body["success"], JSON.stringify(body))
    // they cite the same lines: the one that is judged first has them
    assert.sameMembers(
      answers.map(({ body }) => body["verdict"]),
      ["proven", "weak"]
    )
    assert.strictEqual((yield* one.load(alice.opened.run)).sessions.phases?.phase, "READY_COMPLETE")
  })
})

describe("given sessions of a process", () => {
  effect("then it is present for those that are open, and for none that was reported, closed or refused", function* () {
    const project = yield* newProject()
    let isGone = false
    const server = yield* newServer(project, "one", { isLogGone: () => isGone })
    const [reports, leaves, stays] = [
      yield* aClient(server, "reports"),
      yield* aClient(server, "leaves"),
      yield* aClient(server, "stays")
    ]
    assert.strictEqual(project.holds.presences.size, 3)
    isOk(yield* reports.call("report_completed", { result: "failed", summary: "No." }))
    yield* server.sessions.close(leaves.opened, "left")
    isGone = true
    assert.strictEqual((yield* Effect.flip(server.sessions.open(anIdentity("late"))))._tag, "LogUnavailable")
    isGone = false
    const present = [...project.holds.presences.keys()]
    assert.deepStrictEqual(present, [JSON.stringify(["session", stays.opened.session_id])])
    yield* server.stop
    assert.strictEqual(project.holds.presences.size, 0)
    const closed = all(yield* readAll(project.log), "SESSION_CLOSED")
    assert.deepStrictEqual(
      closed.map(({ reason, session_id }) => [session_id, reason]),
      [
        [reports.opened.session_id, "reported"],
        [leaves.opened.session_id, "left"],
        [stays.opened.session_id, "closed"]
      ]
    )
  })
})

describe("the evidence of a report", () => {
  effect("that hangs is answered for after a while, and judged when another process has taken it over", function* () {
    const { alice, project, server: one } = yield* alone({}, { plugins: [never] })
    yield* alice.works("a")
    const hanging = yield* alice.call("complete_task", { task_id: "a", data: good })
    isOk(hanging)
    assert.deepInclude(hanging.body, {
      success: true,
      checking: true,
      instruction: "The evidence is being checked. Call get_next_action in a moment."
    })
    assert.deepInclude(hanging.body["task"], { id: "a", new_status: "in_progress" })
    yield* one.kill
    const again = yield* aClient(yield* newServer(project, "two"), "alice")
    const next = yield* again.call("get_next_action")
    assert.deepInclude(next.body, { phase: "READY_COMPLETE", action: "submit_phase" })
  })

  effect(
    "is judged after all, given a worker that ended because the log could not be written for a while",
    function* () {
      let writes: number | null = null
      // the report itself is written, and what was seen of its evidence is not
      const isLogGone = () => writes !== null && ++writes === 2
      const { alice } = yield* alone({}, { isLogGone })
      yield* alice.works("a")
      writes = 0
      const pending = yield* alice.call("complete_task", { task_id: "a", data: good })
      assert.deepInclude(pending.body, { success: true, checking: true })
      assert.isAtLeast(writes, 2)
      const next = yield* alice.call("get_next_action")
      assert.deepInclude(next.body, { phase: "READY_COMPLETE", action: "submit_phase" })
    }
  )

  effect("is waited for also when a worker of another process looks at it", function* () {
    const { alice, project } = yield* alone()
    yield* alice.works("a")
    const other = yield* aClient(yield* newServer(project, "two", { works: false }), "alice")
    const answer = yield* other.call("complete_task", { task_id: "a", data: good })
    assert.deepInclude(answer.body, { success: true, verdict: "proven", phase: "READY_COMPLETE" })
  })

  effect("is not judged twice when the client sends the report again", function* () {
    const { alice, project } = yield* alone()
    yield* alice.works("a", "b")
    const first = yield* alice.call("complete_task", { task_id: "a", data: good })
    const again = yield* alice.call("complete_task", { task_id: "a", data: good })
    assert.deepStrictEqual(again.body["verdict"], first.body["verdict"])
    assert.lengthOf(all(yield* readAll(project.log), "CHECKLIST_REPORTED"), 1)
  })
})

describe("the commands of a phase", () => {
  effect("that take longer than a call waits are answered for, and found by get_next_action", function* () {
    const project = yield* newProject()
    const gate = yield* Deferred.make<void>()
    const server = yield* newServer(project, "one", { verify: () => Effect.as(Deferred.await(gate), check(1)) })
    const alice = yield* aClient(server, "alice")
    yield* alice.works("a")
    yield* alice.call("complete_task", { task_id: "a", data: good })
    yield* alice.call("submit_phase", { data: { summary: "Done." } })
    const running = yield* alice.call("submit_phase", { data: {} })
    isOk(running)
    assert.strictEqual(running.body["phase"], "POST_IMPL_VERIFY")
    assert.match(String(running.body["instruction"]), /running.*get_next_action/)
    const more = yield* alice.call("submit_phase", { data: {} })
    assert.deepInclude(more.body, { success: false, error: "verification_running" })
    const waiting = yield* alice.call("get_next_action")
    assert.deepInclude(waiting.body, { action: "wait", phase: "POST_IMPL_VERIFY" })
    yield* Deferred.succeed(gate, undefined)
    const found = yield* alice.call("get_next_action")
    assert.deepInclude(found.body, { action: "work", phase: "READY_IMPL" })
    assert.property(found.body, "verification")
  })

  effect("go on with another process when theirs is killed", function* () {
    const { alice, project, server: one } = yield* alone({}, { verify: () => Effect.never })
    yield* alice.works("a")
    yield* alice.call("complete_task", { task_id: "a", data: good })
    yield* alice.call("submit_phase", { data: { summary: "Done." } })
    yield* Effect.forkChild(alice.call("submit_phase", { data: {} }))
    yield* letOthersGoOn
    yield* one.kill
    const again = yield* aClient(yield* newServer(project, "two"), "alice")
    const next = yield* again.call("get_next_action")
    assert.deepInclude(next.body, { action: "report_completion", phase: "DONE" })
  })
})

describe("the work of a process that was killed", () => {
  effect("is taken over by the next agent that comes, with the rules in force", function* () {
    const { alice, project, server: one } = yield* alone()
    yield* alice.works("a", "b")
    yield* alice.call("complete_task", { task_id: "a", data: good })
    yield* alice.call("update_task_status", { task_id: "b", status: "in_progress" })
    yield* one.kill
    const two = yield* newServer(project, "two")
    const bob = yield* aClient(two, "bob")
    assert.strictEqual(bob.opened.run, "run_one1")
    assert.strictEqual(yield* assigneeOf(two, "b"), "bob")
    assert.strictEqual(yield* assigneeOf(two, "a"), "alice")
    assert.deepInclude((yield* bob.call("get_next_action")).body, { action: "get_task" })
    const byWord = yield* bob.call("update_task_status", { task_id: "b", status: "done" })
    assert.deepInclude(byWord.body, { success: false, error: "checklist_item_pending", open: ["one"] })
    const gaveUp = yield* bob.call("report_completed", { result: "success" })
    assert.deepInclude(gaveUp.body, { success: false, error: "tasks_open", open: ["b"] })
    isOk(yield* bob.call("complete_task", { task_id: "b", data: good }))
  })

  effect("is the same agent's when that comes back", function* () {
    const { alice, project, server: one } = yield* alone()
    yield* alice.works("a", "b")
    yield* one.kill
    const again = yield* aClient(yield* newServer(project, "two"), "alice")
    assert.deepInclude((yield* again.call("get_next_action")).body, { action: "work" })
    assert.deepInclude(all(yield* readAll(project.log), "SESSION_CLOSED")[0], { reason: "process_ended" })
  })

  effect("goes to an agent that is there and has nothing else to do", function* () {
    const project = yield* newProject()
    const one = yield* newServer(project, "one")
    const two = yield* newServer(project, "two")
    const alice = yield* aClient(one, "alice")
    const bob = yield* aClient(two, "bob")
    yield* alice.works("a", "b")
    assert.deepInclude((yield* bob.call("get_next_action")).body, { action: "wait" })
    yield* one.kill
    const next = yield* bob.call("get_next_action")
    assert.deepInclude(next.body, { action: "get_task" })
    assert.strictEqual(yield* assigneeOf(two, "a"), "bob")
  })

  effect("never blocks the next start", function* () {
    const project = yield* newProject()
    for (let i = 1; i <= 4; i++) {
      const server = yield* newServer(project, `p${i}_`)
      const alice = yield* aClient(server, "alice")
      isOk(yield* alice.call("get_next_action"))
      yield* server.kill
    }
    assert.lengthOf(all(yield* readAll(project.log), "RUN_STARTED"), 1)
  })
})

describe("a process that ends in good order", () => {
  effect("closes its sessions, and the work waits for whoever comes", function* () {
    const project = yield* newProject()
    const one = yield* newServer(project, "one")
    yield* (yield* aClient(one, "alice")).works("a", "b")
    yield* one.stop
    assert.deepInclude(all(yield* readAll(project.log), "SESSION_CLOSED")[0], { reason: "closed" })
    const two = yield* newServer(project, "two")
    yield* aClient(two, "bob")
    assert.strictEqual(yield* assigneeOf(two, "a"), "bob")
  })
})

describe("a session with a token", () => {
  const minute = 60_000
  const withToken = { ofProcess: false, ttl_ms: 10 * minute }

  effect("is known by its token in any process, and the token is in no event", function* () {
    const { alice, project } = yield* alone({}, {}, withToken)
    const two = yield* newServer(project, "two")
    const ref = yield* two.sessions.authenticate(alice.opened.token)
    assert.strictEqual(ref.session_id, alice.opened.session_id)
    isOk(yield* clientOf(two, ref)("get_next_action"))
    const text = JSON.stringify(yield* readAll(project.log))
    assert.notInclude(text, alice.opened.token)
    const unknown = yield* Effect.flip(two.sessions.authenticate("guess"))
    assert.strictEqual((unknown as { code: string }).code, "session_unknown")
  })

  effect("reaches no task of another session, by no operation that takes one and no view", function* () {
    const { alice, project, server } = yield* alone({}, {}, withToken)
    yield* alice.works("a")
    const { token } = (yield* aClient(server, "bob", withToken)).opened
    const bob = yield* server.sessions.authenticate(token)
    const call = clientOf(server, bob)
    /** What is asked of a task of alice's, by operation. */
    const asked: Readonly<Record<string, object>> = {
      complete_task: { task_id: "a", data: good },
      submit_phase: { data: { task_id: "a", ...good } },
      update_task_status: { task_id: "a", status: "in_progress" },
      create_tasks: { tasks: [{ title: "A part of it", parent_task_id: "a" }] }
    }
    const ofSessions = operations.filter(({ subject }) => subject === "session")
    const taking = ofSessions.filter(({ args }) => /"(task_id|tasks|data)"/.test(JSON.stringify(schemaOf(args))))
    assert.sameMembers(
      taking.map(({ name }) => name),
      Object.keys(asked)
    )
    const before = yield* readAll(project.log)
    for (const [name, args] of Object.entries(asked)) {
      const { body, ok } = yield* call(name, args)
      assert.isFalse(ok, name)
      assert.include(JSON.stringify([body["error"], body["failures"]]), "task_not_yours", name)
      assert.notInclude(JSON.stringify(body), "Do a.", name)
    }
    // that it was refused is told to bob again, and of the task nothing is said
    const after = (yield* readAll(project.log)).slice(before.length)
    assert.deepStrictEqual([...new Set(after.map(({ event_type }) => event_type))], ["PHASE_REJECTED"])
    assert.strictEqual(yield* assigneeOf(server, "a"), "alice")
    for (const view of ["task", "progress", "log"] as const) {
      const { body } = yield* Effect.orDie(server.sessions.view(bob, view))
      assert.notInclude(JSON.stringify(body), "Do a.", view)
    }
  })

  effect("ends by silence, and says so", function* () {
    const { alice, project, server: one } = yield* alone({}, {}, withToken)
    yield* TestClock.adjust(10 * minute + 1)
    const answer = yield* alice.call("get_next_action")
    assert.deepInclude(answer.body, { success: false, error: "session_closed" })
    assert.include(String(answer.body["message"]), "expired")
    const known = yield* Effect.flip(one.sessions.authenticate(alice.opened.token))
    assert.strictEqual((known as { code: string }).code, "session_closed")
    assert.deepInclude(all(yield* readAll(project.log), "SESSION_CLOSED")[0], { reason: "expired" })
  })

  effect("stays alive by every call, also by those that leave no trace", function* () {
    const project = yield* newProject()
    const alice = yield* aClient(yield* newServer(project, "one"), "alice", withToken)
    for (const operation of [
      "get_my_task_progress",
      "get_next_action",
      "get_my_task_progress",
      "get_my_task_progress"
    ]) {
      yield* TestClock.adjust(9 * minute)
      isOk(yield* alice.call(operation))
    }
    yield* TestClock.adjust(10 * minute + 1)
    assert.isFalse((yield* alice.call("get_my_task_progress")).ok)
  })

  effect("is alive to the last moment of its time", function* () {
    const alice = yield* aClient(yield* newServer(yield* newProject(), "one"), "alice", withToken)
    yield* TestClock.adjust(9 * minute)
    isOk(yield* alice.call("get_my_task_progress"))
  })

  effect("is revoked at once, for every process", function* () {
    const project = yield* newProject()
    const one = yield* newServer(project, "one")
    const two = yield* newServer(project, "two")
    const alice = yield* aClient(one, "alice", withToken)
    yield* Effect.orDie(two.sessions.close(alice.opened, "revoked"))
    for (const operation of ["get_next_action", "get_my_task_progress"]) {
      const answer = yield* alice.call(operation)
      assert.deepInclude(answer.body, { success: false, error: "session_closed" }, operation)
      assert.include(String(answer.body["message"]), "revoked")
    }
    const refused = yield* Effect.flip(two.sessions.authenticate(alice.opened.token))
    assert.strictEqual((refused as { code: string }).code, "session_closed")
  })

  effect("outlives the process that opened it", function* () {
    const { alice, project, server: one } = yield* alone({}, {}, withToken)
    yield* one.kill
    const two = yield* newServer(project, "two")
    yield* aClient(two, "bob")
    const ref = yield* two.sessions.authenticate(alice.opened.token)
    isOk(yield* clientOf(two, ref)("get_next_action"))
  })
})

describe("a session of a process", () => {
  effect("does not end by silence", function* () {
    const alice = yield* aClient(yield* newServer(yield* newProject(), "one"), "alice", { ttl_ms: 1_000 })
    yield* TestClock.adjust(24 * 60 * 60_000)
    isOk(yield* alice.call("get_next_action"))
  })
})

describe("a run that was ended by a person", () => {
  effect("keeps its head, and no run that goes on does", function* () {
    const project = yield* newProject()
    const kept: Array<RunHead> = []
    const heads = {
      keep: (head: RunHead) => Effect.sync(() => void kept.push(head)),
      of: () => Effect.succeed(null),
      all: Effect.succeed([])
    }
    const server = yield* newServer(project, "one").pipe(Effect.provideService(RunHeads, heads))
    const alice = yield* aClient(server, "alice")
    yield* alice.works("a", "b")
    assert.deepStrictEqual(kept, [])
    yield* server.cancel(alice.opened.run)
    const end = (yield* readAll(project.log)).findLast(({ stream }) => stream === alice.opened.run)
    assert.deepStrictEqual(kept, [{ run_id: alice.opened.run, version: end?.version ?? 0, hash: end?.hash ?? "" }])
  })

  effect("is told at once to whoever waits for what is judged, and afterwards too: no time has to pass", function* () {
    const project = yield* newProject()
    const server = yield* newServer(project, "one", { verify: () => Effect.never })
    const alice = yield* aClient(server, "alice")
    const atOnce = (operation: string, args: object = {}) =>
      answeredAtOnce(server.sessions.call(alice.opened, operation, args))
    yield* alice.works("a")
    yield* alice.call("complete_task", { task_id: "a", data: good })
    yield* alice.call("submit_phase", { data: { summary: "Done." } })
    const verified = yield* Effect.forkChild(server.sessions.call(alice.opened, "submit_phase", { data: {} }))
    for (let turn = 0; turn < 50; turn++) yield* letOthersGoOn
    assert.isUndefined(verified.pollUnsafe())
    yield* server.cancel(alice.opened.run)
    const { body } = yield* answeredAtOnce(Fiber.join(verified))
    assert.deepInclude(body, { success: false, error: "run_over" })
    assert.match(String(body["instruction"]), /ended by a person/)
    assert.deepInclude((yield* atOnce("get_next_action")).body, { action: "report_completion" })
    assert.deepInclude((yield* atOnce("submit_phase", { data: {} })).body, { success: false, error: "run_over" })
    isOk(yield* atOnce("report_completed", { result: "failed", summary: "It was ended." }))
  })

  effect("is told at once to whoever waits for evidence to be looked at", function* () {
    const server = yield* newServer(yield* newProject(), "one", { plugins: [never] })
    const alice = yield* aClient(server, "alice")
    yield* alice.works("a")
    const report = server.sessions.call(alice.opened, "complete_task", { task_id: "a", data: good })
    const reported = yield* Effect.forkChild(report)
    for (let turn = 0; turn < 50; turn++) yield* letOthersGoOn
    assert.isUndefined(reported.pollUnsafe())
    yield* server.cancel(alice.opened.run)
    assert.deepInclude((yield* answeredAtOnce(Fiber.join(reported))).body, { success: false, error: "run_over" })
  })

  effect("is told to whoever still works on it, and the next session begins another", function* () {
    const { alice, project, server: one } = yield* alone()
    yield* alice.works("a", "b")
    yield* one.cancel(alice.opened.run)
    const next = yield* alice.call("get_next_action")
    assert.deepInclude(next.body, { action: "report_completion" })
    for (const [operation, args] of [
      ["submit_phase", { data: explored }],
      ["complete_task", { task_id: "a", data: good }],
      ["update_task_status", { task_id: "a", status: "in_progress" }],
      ["create_tasks", { tasks: [{ title: "x" }] }]
    ] as const) {
      const refused = yield* alice.call(operation, args)
      assert.deepInclude(refused.body, { success: false, error: "run_over" }, operation)
    }
    const target = yield* alice.call("check_write_target", { file_path: "src/ledger.ts" })
    assert.deepInclude(target.body, { allowed: false })
    isOk(yield* alice.call("report_completed", { result: "blocked", summary: "It was ended." }))
    const bob = yield* aClient(yield* newServer(project, "two"), "bob")
    assert.notStrictEqual(bob.opened.run, alice.opened.run)
  })
})
