import { assert, describe, it } from "@effect/vitest"
import { composePlugins } from "@proofline/kernel"
import { type Answer, operations } from "@proofline/plugins/operations"
import { Effect } from "effect"
import { sessionOperations } from "../../../packages/plugins/src/policies/sessions/contract.ts"
import { sessionsRules } from "../../../packages/plugins/src/policies/sessions/rules/plugin.ts"
import { effect } from "../../effects.ts"
import { rules } from "../../kernel/golden/scenarios.ts"
import { replayOf } from "../../kernel/support/recorded.ts"
import { check } from "../../kernel/support/words.ts"
import { fitsDeclared } from "../operations/fitsDeclared.ts"
import { aContract, aPhase, aPlan, explored, phases, to } from "./rules/playing.ts"
import { aClient, alone, newProject, newServer, readAll } from "./servers.ts"

const report = (evidence: string) => ({
  summary: "add is there.",
  checklist: [{ item: "add adds", status: "done", evidence }]
})
const good = report("src/ledger.ts:1-3")
const bad = report("src/nowhere.ts:1")
const plan = { id: "ledger", checklist: ["add adds"] }

const standsAlone = ({ body }: Answer, about: string): void => {
  for (const key of ["phase", "instruction", "expected_payload", "progress"]) assert.property(body, key, about)
  assert.isString(body["instruction"], about)
  assert.isNotEmpty(body["instruction"], `${about}: an instruction`)
}

const refusedWith = ({ body, ok }: Answer, error: string, about = error): void => {
  assert.isFalse(ok, about)
  assert.include(body, { success: false, error }, about)
  assert.match(String(body["message"]), /\S/, about)
  assert.match(String(body["next_step"]), /\S/, about)
  assert.property(body, "needs_person", about)
}

const isOk = ({ body, ok }: Answer): void => assert.isTrue(ok, JSON.stringify(body))

const isStanding = (answer: Answer, phase: string): void => assert.strictEqual(answer.body["phase"], phase)

describe("a whole session", () => {
  effect(
    "goes from exploration to the end, through a report that is refused and a verification that fails",
    function* () {
      const { alice, project } = yield* alone({}, { verify: (n) => Effect.succeed(check(n === 1 ? 1 : 0)) })
      const { call } = alice
      const first = yield* call("get_next_action")
      assert.deepInclude(first.body, { action: "submit_phase", phase: "EXPLORATION" })
      const planned = yield* alice.works(plan)
      assert.deepInclude(planned.body, { success: true, tasks_registered: 1, phase: "READY_IMPL" })
      const work = yield* call("get_next_action")
      assert.deepInclude(work.body, { action: "work", call: "complete_task" })
      const refused = yield* call("complete_task", { task_id: "ledger", data: bad })
      refusedWith(refused, "payload_mismatch")
      assert.deepStrictEqual(
        (refused.body["failures"] as ReadonlyArray<{ key: string; item: string }>).map(({ item, key }) => [key, item]),
        [["checklist_evidence_file_not_found", "add adds"]]
      )
      const done = yield* call("complete_task", { task_id: "ledger", data: good })
      assert.deepInclude(done.body, { success: true, verdict: "proven", phase: "READY_COMPLETE" })
      yield* call("submit_phase", { data: { summary: "Done." } })
      const failed = yield* call("submit_phase", { data: {} })
      refusedWith(failed, "verification_failed")
      isStanding(failed, "READY_IMPL")
      assert.property(failed.body, "verification")
      const still = yield* call("report_completed", { result: "success" })
      refusedWith(still, "tasks_open")
      assert.deepStrictEqual(still.body["open"], ["ledger"])
      yield* call("complete_task", { task_id: "ledger", data: good })
      yield* call("submit_phase", { data: { summary: "Done." } })
      const passed = yield* call("submit_phase", { data: {} })
      assert.deepInclude(passed.body, { success: true, phase: "DONE" })
      assert.deepInclude((yield* call("get_next_action")).body, { action: "report_completion" })
      const over = yield* call("report_completed", { result: "success", summary: "All done." })
      assert.deepInclude(over.body, { success: true, action: "exit", run_status: "completed" })
      const composition = composePlugins([sessionsRules, ...(yield* rules(project.log, () => Effect.die("")))])
      assert.isNull(replayOf(composition, yield* readAll(project.log)).divergence)
    }
  )

  effect("is decided again as it was, whatever order the keys of a payload came in", function* () {
    const { call, project } = yield* alone()
    yield* call("submit_phase", { data: { zeal: 1, alpha: 2, mood: { y: 1, b: 2 } } })
    yield* call("submit_phase", {
      data: JSON.stringify({ zeal: 1, findings: ["x"], alpha: 2, explored_files: ["y"] })
    })
    yield* call("submit_phase", { data: { ...aPlan(plan), z: 1, a: 2 } })
    yield* call("submit_phase", { data: { task_id: "ledger" } })
    yield* call("submit_phase", { data: { zeal: 1 } })
    yield* call("complete_task", { task_id: "ledger", data: { ...good, zeal: 1, alpha: 2 } })
    const composition = composePlugins([sessionsRules, ...(yield* rules(project.log, () => Effect.die("")))])
    const { divergence } = replayOf(composition, yield* readAll(project.log))
    assert.isNull(divergence, JSON.stringify(divergence))
  })
})

describe("every answer stands alone", () => {
  /** An argument that is taken where the work is ready, and one that is not, by operation. */
  const samples: Readonly<Record<string, { readonly good: unknown; readonly wrong: ReadonlyArray<unknown> }>> = {
    get_next_action: { good: {}, wrong: [] },
    get_my_task: { good: {}, wrong: [] },
    submit_phase: {
      good: { data: aPlan({ id: "more", checklist: null }) },
      wrong: [{}, { data: 3 }, { data: { tasks: [] } }]
    },
    check_write_target: { good: { file_path: "src/ledger.ts" }, wrong: [{}, { file_path: 3 }] },
    complete_task: {
      good: { task_id: "ledger", data: good },
      wrong: [{}, { task_id: "ledger" }, { task_id: "nothing", data: good }, { task_id: "ledger", data: bad }]
    },
    update_task_status: {
      good: { task_id: "second", status: "in_progress" },
      wrong: [
        {},
        { task_id: "second", status: "finished" },
        { task_id: "second", status: "done" },
        { task_id: "nothing", status: "todo" }
      ]
    },
    report_completed: { good: { result: "failed" }, wrong: [{}, { result: "success" }, { result: "perfect" }] },
    create_tasks: {
      good: { tasks: [{ title: "one more" }] },
      wrong: [{}, { tasks: [] }, { tasks: [{ title: " " }] }, { tasks: [{ title: "x", dependencies: ["nothing"] }] }]
    }
  }

  const ready = Effect.gen(function* () {
    const { alice: client } = yield* alone()
    yield* client.works({ id: "ledger", checklist: ["add adds"] }, { id: "second", checklist: null })
    return client
  })

  it("of every operation that is offered", () => {
    assert.deepStrictEqual(
      operations
        .filter(({ subject }) => subject === "session")
        .map(({ name }) => name)
        .toSorted(),
      [...Object.keys(samples), "get_my_task_progress"].toSorted()
    )
  })

  for (const [name, { good, wrong }] of Object.entries(samples)) {
    effect(`${name}, when it is carried out`, function* () {
      const { call } = yield* ready
      const answer = yield* call(name, good)
      assert.isTrue(answer.ok, JSON.stringify(answer.body))
      standsAlone(answer, name)
    })
    effect(`${name}, when it is refused`, function* () {
      const { call, opened } = yield* ready
      for (const args of wrong) {
        const answer = yield* call(name, args)
        const about = `${name} ${JSON.stringify(args)}`
        assert.isFalse(answer.ok, about)
        standsAlone(answer, about)
        assert.match(String(answer.body["error"]), /^[a-z_]+$/, about)
        assert.isNotEmpty(answer.body["next_step"], about)
      }
      assert.strictEqual(opened.agent, "alice")
    })
    effect(`${name}, in a session that is over`, function* () {
      const project = yield* newProject()
      const server = yield* newServer(project, "one")
      const { call, opened } = yield* aClient(server, "alice")
      yield* Effect.orDie(server.sessions.close(opened, "revoked"))
      const answer = yield* call(name, good)
      refusedWith(answer, "session_closed")
      standsAlone(answer, name)
      assert.match(String(answer.body["instruction"]), /over/)
    })
    effect(`${name}, after the end of the run`, function* () {
      const contract = aContract({ phases: { ...phases, EXPLORATION: aPhase({ transitions: [to("DONE")] }) } })
      const { call } = yield* alone({ contract })
      yield* call("submit_phase", { data: {} })
      const answer = yield* call(name, good)
      standsAlone(answer, name)
      isStanding(answer, "DONE")
    })
  }

  effect("also of an operation that there is not", function* () {
    const { call } = yield* ready
    const answer = yield* call("finish_everything")
    refusedWith(answer, "operation_unknown")
    standsAlone(answer, "unknown")
  })

  effect("but get_my_task_progress, which gives the tasks and nothing else", function* () {
    const { call } = yield* ready
    const { body } = yield* call("get_my_task_progress")
    assert.deepStrictEqual(body, {
      tasks: [
        { id: "ledger", title: "Do ledger.", status: "todo", subtasks: [] },
        { id: "second", title: "Do second.", status: "todo", subtasks: [] }
      ]
    })
  })

  effect("says that a person is needed, and asks for nothing else then", function* () {
    const contract = aContract({ start: [to("VERIFY_INTERVENTION")] })
    const { call } = yield* alone({ contract })
    const next = yield* call("get_next_action")
    assert.deepInclude(next.body, { action: "ask_user", needs_person: true, expected_payload: {} })
    const refused = yield* call("submit_phase", { data: { answer: "continue" } })
    refusedWith(refused, "person_required")
    assert.isTrue(refused.body["needs_person"])
  })
})

describe("looking at the progress", () => {
  effect("appends nothing, however often and whenever", function* () {
    const { alice: client, project } = yield* alone()
    const look = Effect.fnUntraced(function* () {
      const before = yield* readAll(project.log)
      for (let i = 0; i < 3; i++) assert.isTrue((yield* client.call("get_my_task_progress")).ok)
      yield* client.call("get_my_task_progress", { session_token: "x", more: 1 })
      assert.deepStrictEqual(yield* readAll(project.log), before)
    })
    yield* look()
    yield* client.works(plan)
    yield* look()
    yield* client.call("complete_task", { task_id: "ledger", data: bad })
    yield* look()
    yield* client.call("complete_task", { task_id: "ledger", data: good })
    yield* look()
  })

  effect("without a session appends nothing either: everybody's work is shown, or what to do", function* () {
    const project = yield* newProject()
    const server = yield* newServer(project, "one")
    const reading = sessionOperations.filter(({ readOnly }) => readOnly).map(({ name }) => name)
    assert.include(reading, "get_my_task_progress")
    const read = (name: string, args = {}) =>
      Effect.orDie(server.sessions.read(name, args)).pipe(Effect.tap(fitsDeclared(name)))
    for (const name of reading) {
      const refused = yield* read(name)
      refusedWith(refused, "session_run_missing")
      assert.include(refused.body["next_step"], "get_next_action")
    }
    assert.deepStrictEqual(yield* readAll(project.log), [])

    const alice = yield* aClient(server, "alice")
    yield* alice.works("a")
    const before = yield* readAll(project.log)
    for (const name of reading) assert.isTrue((yield* read(name)).ok, name)
    assert.deepStrictEqual((yield* read("get_my_task_progress")).body, {
      tasks: [{ id: "a", title: "Do a.", status: "todo", assignee: "alice" }]
    })
    assert.isFalse((yield* read("get_my_task_progress", { offset: -1 })).ok)
    refusedWith(yield* read("get_next_action"), "operation_unknown")
    assert.deepStrictEqual(yield* readAll(project.log), before)
  })

  effect("shows the whole tree above and below what is mine, others' marked", function* () {
    const { alice, server } = yield* alone()
    const bob = yield* aClient(server, "bob")
    yield* alice.works("a", "z")
    yield* alice.call("create_tasks", {
      tasks: [
        { local_id: "x", title: "x", parent_task_id: "a", assignee: "bob" },
        { local_id: "y", title: "y", parent_task_id: "x", assignee: "carol" },
        { local_id: "w", title: "w", parent_task_id: "a" }
      ]
    })
    assert.deepStrictEqual((yield* bob.call("get_my_task_progress")).body, {
      tasks: [
        {
          id: "a",
          title: "Do a.",
          status: "todo",
          assignee: "alice",
          subtasks: [
            {
              id: "tsk_3",
              title: "x",
              status: "todo",
              subtasks: [{ id: "tsk_4", title: "y", status: "todo", assignee: "carol" }]
            },
            { id: "tsk_5", title: "w", status: "todo", assignee: "alice" }
          ]
        }
      ]
    })
  })
})

describe("asking what to do", () => {
  effect("writes nothing when it is told the same again", function* () {
    const { call, project } = yield* alone()
    const first = yield* call("get_next_action")
    const before = yield* readAll(project.log)
    assert.deepStrictEqual(yield* call("get_next_action"), first)
    assert.deepStrictEqual(yield* readAll(project.log), before)
  })

  effect("names the task, what it is part of, and what came of the work before it", function* () {
    const { alice: client } = yield* alone()
    yield* client.works(
      { id: "ledger", checklist: ["add adds"] },
      { id: "next", checklist: null, depends_on: ["ledger"] }
    )
    yield* client.call("complete_task", { task_id: "ledger", data: good })
    const { body } = yield* client.call("get_next_action")
    assert.deepInclude(body["task"], { task_id: "next", handoff: "ledger: add is there." })
  })

  effect(
    "hands what came of the work on to who was given the task, and not to who planned it for itself",
    function* () {
      const { alice, server } = yield* alone()
      yield* alice.works(plan)
      yield* alice.call("complete_task", { task_id: "ledger", data: good })
      const after = { title: "after", dependencies: ["ledger"] }
      const bob = yield* aClient(server, "bob")
      isOk(yield* bob.call("create_tasks", { tasks: [after] }))
      const taken = (yield* bob.call("get_my_task")).body
      assert.deepInclude(taken["task"], { title: "after" })
      assert.notInclude(JSON.stringify(taken), "add is there.")
      isOk(yield* alice.call("create_tasks", { tasks: [{ ...after, title: "then", assignee: "carol" }] }))
      const carol = yield* aClient(server, "carol")
      const { body } = yield* carol.call("get_my_task")
      assert.deepInclude(body["task"], { title: "then", handoff: "ledger: add is there." })
    }
  )

  effect("says after the goodbye that there is nothing left to do, though the run goes on", function* () {
    const { alice: client } = yield* alone()
    yield* client.works(plan)
    yield* client.call("report_completed", { result: "failed", summary: "I give up." })
    const next = yield* client.call("get_next_action")
    assert.isTrue(next.ok, JSON.stringify(next.body))
    assert.deepInclude(next.body, { action: "exit" })
    const again = yield* client.call("report_completed", { result: "failed" })
    assert.deepInclude(again.body, { success: true, action: "exit", result: "failed" })
    refusedWith(yield* client.call("complete_task", { task_id: "ledger", data: good }), "session_closed")
  })
})

describe("arguments", () => {
  effect("are read as clients write them", function* () {
    const { alice: client } = yield* alone()
    const { call } = client
    yield* call("submit_phase", { data: JSON.stringify(explored) })
    yield* call("submit_phase", { data: JSON.stringify(aPlan(plan)) })
    const asText = yield* call("complete_task", { task_id: "ledger", data: JSON.stringify(bad) })
    refusedWith(asText, "payload_mismatch")
    assert.isTrue((yield* call("check_write_target", { file_path: "src/ledger.ts", allow_new_files: "false" })).ok)
    const created = yield* call("create_tasks", { tasks: JSON.stringify([{ title: "x" }]) })
    assert.isTrue(created.ok)
  })

  effect("name the same task with and without blanks around it, and are answered for it", function* () {
    const { call, works } = yield* alone()
    yield* works(plan)
    refusedWith(yield* call("complete_task", { task_id: " ledger ", data: bad }), "payload_mismatch")
    const done = yield* call("complete_task", { task_id: "\tledger", data: good })
    assert.deepInclude(done.body, { success: true, verdict: "proven" })
  })

  effect("are taken by submit_phase as by complete_task", function* () {
    const { call, works } = yield* alone()
    yield* works(plan)
    refusedWith(yield* call("submit_phase", { data: { task_id: "ledger", ...bad } }), "payload_mismatch")
    refusedWith(
      yield* call("submit_phase", { data: JSON.stringify({ task_id: "ledger", ...bad }) }),
      "payload_mismatch"
    )
    const done = yield* call("submit_phase", { data: JSON.stringify({ task_id: "ledger", ...good }) })
    assert.deepInclude(done.body, { success: true, verdict: "proven" })
  })

  effect("that are too much are refused, and nothing is written", function* () {
    const { call, project } = yield* alone()
    const before = yield* readAll(project.log)
    const answer = yield* call("submit_phase", { data: { ...explored, findings: ["x".repeat(300_000)] } })
    refusedWith(answer, "payload_mismatch")
    assert.deepStrictEqual(yield* readAll(project.log), before)
  })
})

describe("creating tasks", () => {
  effect("gives back the same ids for the same batch, also after a restart", function* () {
    const project = yield* newProject()
    const first = yield* newServer(project, "one")
    const alice = yield* aClient(first, "alice")
    yield* alice.works(plan)
    const batch = {
      tasks: [
        { title: "y", local_id: "y", dependencies: ["x"] },
        { local_id: "x", title: "x" }
      ]
    }
    const created = yield* alice.call("create_tasks", batch)
    assert.deepInclude(created.body, { existing: false, local_id_to_real_id: { x: "tsk_3", y: "tsk_2" } })
    const again = yield* alice.call("create_tasks", batch)
    assert.deepInclude(again.body, { existing: true, local_id_to_real_id: { x: "tsk_3", y: "tsk_2" } })
    yield* first.stop
    const later = yield* aClient(yield* newServer(project, "two"), "alice")
    const third = yield* later.call("create_tasks", batch)
    assert.deepInclude(third.body, { existing: true, local_id_to_real_id: { x: "tsk_3", y: "tsk_2" } })
  })
})
