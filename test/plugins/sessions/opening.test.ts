import { assert, describe } from "@effect/vitest"
import { definePlugin, plugin } from "@proofline/kernel"
import type { Answer } from "@proofline/plugins/operations"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { effect } from "../../effects.ts"
import { aContract, aPhase, phases, to } from "./rules/playing.ts"
import {
  aClient,
  alone,
  type Client,
  clientOf,
  newProject,
  newServer,
  type Project,
  runsOf,
  type Server
} from "./servers.ts"

const shortWay = aContract({ phases: { ...phases, EXPLORATION: aPhase({ transitions: [to("DONE")] }) } })

interface Ended {
  readonly project: Project
  readonly server: Server
  readonly alice: Client
}

/** A run in which alice and bob have sessions; alice has brought it to its end, and nobody has reported. */
const ended = Effect.gen(function* () {
  const project = yield* newProject({ contract: shortWay })
  const server = yield* newServer(project, "one")
  const alice = yield* aClient(server, "alice")
  yield* aClient(server, "bob")
  assert.deepInclude((yield* alice.call("submit_phase", { data: {} })).body, { phase: "DONE" })
  return { project, server, alice }
})

/** So long after the end of the run, ms. */
const later = (ms: number) =>
  Effect.fnUntraced(function* ({ project }: Ended) {
    const [run] = yield* runsOf(project.log)
    yield* TestClock.setTime(Date.parse(run?.ended_at ?? "") + ms)
  })

const reported = ({ alice }: Ended) => alice.call("report_completed", { result: "success" })
const nothing = () => Effect.void
const hour = 60 * 60_000

describe("given a run that has come to its end, a session that is opened then", () => {
  const rows: ReadonlyArray<
    [what: string, before: (ended: Ended) => Effect.Effect<unknown>, agent: string, isLeaving: boolean, isOfIt: boolean]
  > = [
    ["is of it where its agent comes back and nobody has reported", nothing, "alice", false, true],
    ["is of it an hour later", later(hour), "alice", false, true],
    ["is of another one after more than an hour", later(hour + 1), "alice", false, false],
    ["is of another one where the agent had no part in it", nothing, "carol", false, false],
    ["is of another one where somebody has reported", reported, "bob", false, false],
    ["is of it where somebody has reported, and another who was there leaves", reported, "bob", true, true],
    ["is of another one where somebody leaves who had no part in it", reported, "carol", true, false]
  ]
  for (const [what, before, agent, isLeaving, isOfIt] of rows) {
    effect(what, function* () {
      const run = yield* ended
      yield* before(run)
      const { opened } = yield* aClient(run.server, agent, { isLeaving })
      assert.strictEqual(opened.run === run.alice.opened.run, isOfIt)
    })
  }

  effect("is of another one where a person has ended it, also for its agent", function* () {
    const { alice, server } = yield* alone()
    yield* server.cancel(alice.opened.run)
    assert.notStrictEqual((yield* aClient(server, "alice")).opened.run, alice.opened.run)
  })
})

describe("what is asked of a session that is over", () => {
  const left = Effect.fnUntraced(function* (ofProcess: boolean) {
    const { alice, server } = yield* alone({}, {}, { ofProcess })
    yield* alice.call("report_completed", { result: "failed" })
    return [server, alice] as const
  })
  const revoked = Effect.gen(function* () {
    const { alice, server } = yield* alone()
    yield* Effect.orDie(server.sessions.close(alice.opened, "revoked"))
    return [server, alice] as const
  })
  const killed = Effect.gen(function* () {
    const { alice, project, server } = yield* alone()
    yield* server.kill
    const two = yield* newServer(project, "two")
    yield* aClient(two, "bob")
    return [two, alice] as const
  })
  const told = ({ body }: Answer) => [
    body["error"],
    body["reopen"] ?? false,
    /^Stop here/.test(String(body["next_step"]))
  ]

  for (const [what, over, reopens, stops] of [
    ["that has reported begins a new one by handing something in", left(true), [true, true, false], true],
    ["with a token that has reported begins none", left(false), [false, false, false], false],
    ["that was revoked begins none", revoked, [false, false, false], false],
    ["whose process was killed goes on in a new one", killed, [true, true, true], false]
  ] as const) {
    effect(what, function* () {
      const [server, { opened }] = yield* over
      const call = clientOf(server, opened)
      for (const [i, operation] of ["submit_phase", "create_tasks", "get_my_task"].entries()) {
        assert.deepStrictEqual(told(yield* call(operation)), ["session_closed", reopens[i], stops], operation)
      }
    })
  }

  effect("is answered where it is the goodbye again, or what to do after it", function* () {
    const [, { call }] = yield* left(true)
    for (const [operation, args] of [
      ["get_next_action", {}],
      ["report_completed", { result: "failed" }]
    ] as const) {
      assert.deepInclude((yield* call(operation, args)).body, { action: "exit" })
    }
  })
})

describe("a session that nobody opened", () => {
  effect("is told so, with the state of the run", function* () {
    const { alice, server } = yield* alone()
    const { body } = yield* clientOf(server, { ...alice.opened, session_id: "ses_none" })("get_next_action")
    assert.deepInclude(body, { error: "session_unknown", phase: "EXPLORATION" })
  })
})

describe("an operation that a plugin has declared", () => {
  const Words = plugin("words", { state: null })
  const echo = Words.operation("echo", {
    title: "Echo",
    description: "Says it again.",
    args: Schema.Struct({ said: Schema.String }),
    answer: Schema.Struct({ said: Schema.String, run: Schema.String }),
    readOnly: true,
    run: ({ said }, { run }) => Effect.succeed({ said, run })
  })
  const other = Words.operation("other", {
    title: "Other",
    description: "Says nothing.",
    args: Schema.Struct({}),
    answer: Schema.Struct({}),
    readOnly: true,
    run: () => Effect.succeed({})
  })

  effect("is carried out for the run of the session, with its arguments read", function* () {
    const { call, opened } = yield* alone(
      {},
      { plugins: [definePlugin(Words, { version: "1", parts: [other, echo] })] }
    )
    assert.deepStrictEqual((yield* call("echo", { said: "hello" })).body, {
      success: true,
      said: "hello",
      run: opened.run
    })
    assert.deepInclude((yield* call("echo", { said: 3 })).body, { error: "payload_mismatch" })
    assert.deepInclude((yield* call("nothing")).body, { error: "operation_unknown" })
  })
})

describe("what update_task_status answers", () => {
  const work = Effect.gen(function* () {
    const { call, works } = yield* alone()
    yield* works({ id: "a", checklist: null }, "b")
    const set = (status: string, task_id = "a") =>
      Effect.map(call("update_task_status", { task_id, status }), ({ body }) => body)
    return { call, set }
  })

  effect("names from what to what the task went", function* () {
    const { set } = yield* work
    const began = yield* set("in_progress", " a ")
    assert.deepStrictEqual(began["task"], {
      id: "a",
      title: "Do a.",
      previous_status: "todo",
      new_status: "in_progress"
    })
    assert.notProperty(began, "code")
    assert.notProperty(began, "warnings")
  })

  effect("says of one that is done what follows, and that it is done by word alone", function* () {
    const { set } = yield* work
    yield* set("in_progress")
    const done = yield* set("done")
    assert.strictEqual(done["code"], "tasks_left")
    const next = done["next"] as { readonly code: string; readonly task: { readonly task_id: string } }
    assert.deepStrictEqual([next.code, next.task.task_id], ["tasks_left", "b"])
    assert.deepStrictEqual(done["warnings"], [
      { code: "done_by_word", message: "Task a has no checklist: it is done by word alone." }
    ])
  })

  effect("says what follows in words where no task is left", function* () {
    const { call, works } = yield* alone()
    yield* works({ id: "a", checklist: null })
    for (const status of ["in_progress", "done"]) {
      const { body } = yield* call("update_task_status", { task_id: "a", status })
      if (status === "done") assert.deepInclude(body["next"], { code: "all_done" })
      else assert.notProperty(body, "next")
    }
  })

  effect("says nothing of words where its parts have shown it", function* () {
    const { call, set } = yield* work
    yield* call("create_tasks", { tasks: [{ title: "part", parent_task_id: "a", checklist: ["one"] }] })
    const checklist = [{ item: "one", status: "done", evidence: "src/ledger.ts:1-3" }]
    assert.isTrue((yield* call("complete_task", { task_id: "tsk_3", data: { summary: "Done.", checklist } })).ok)
    yield* set("in_progress")
    const done = yield* set("done")
    assert.deepInclude(done["task"], { new_status: "done" })
    assert.notProperty(done, "warnings")
  })
})
