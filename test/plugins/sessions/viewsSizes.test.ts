import { assert, describe } from "@effect/vitest"
import type { Answer } from "@proofline/plugins/operations"
import { Effect } from "effect"
import { effect } from "../../effects.ts"
import { check } from "../../kernel/support/words.ts"
import { aContract, aPhase, aPlan, explored, phases, to } from "./rules/playing.ts"
import { aClient, type Client, newProject, newServer, type Server } from "./servers.ts"

const most = 8 * 1024
/** Every character takes six bytes of JSON. */
const costly = (length: number): string => "\u0001".repeat(length)
const long = (text: string, length: number): string => `${text} ${"wörd ".repeat(length)}`.slice(0, length)

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every kind
const small = ({ body }: Answer, about: string): any => {
  assert.isAtMost(Buffer.byteLength(JSON.stringify(body)), most, about)
  return body
}

/** A contract whose sentences are long, and a planning guide as long as it may be. */
const wordy = {
  contract: aContract({
    phases: {
      ...phases,
      READY_IMPL: aPhase({ ...phases["READY_IMPL"], instruction: long("Work.", 3_000) }),
      READY_PLAN: aPhase({
        ...phases["READY_PLAN"],
        instruction: long("Plan.", 3_000),
        transitions: [to("READY_IMPL")]
      })
    }
  }),
  planning_guide: costly(2_000)
}

const items = (count: number, length: number) => Array.from({ length: count }, (_, i) => long(`Item ${i}`, length))

const begun = Effect.fnUntraced(function* (plan: unknown, setup: Parameters<typeof newProject>[0] = wordy) {
  const server = yield* newServer(yield* newProject(setup), "one", {
    verify: () => Effect.succeed(check(1, { output_tail: costly(2_000), command: costly(1_000) }))
  })
  const client = yield* aClient(server, "alice")
  const explore = small(yield* client.call("submit_phase", { data: explored }), "explored")
  assert.strictEqual(explore.phase, "READY_PLAN", JSON.stringify(explore))
  const planned = small(yield* client.call("submit_phase", { data: plan }), "planned")
  assert.isTrue(planned.success, JSON.stringify(planned))
  return { server, ...client }
})

const everyAnswer = Effect.fnUntraced(function* ({ call, opened, server }: Client & { readonly server: Server }) {
  for (const operation of ["get_next_action", "get_my_task", "get_my_task_progress"]) {
    small(yield* call(operation), operation)
  }
  for (const session of [opened, null]) {
    for (const view of ["task", "progress", "log"] as const) {
      small(yield* Effect.orDie(server.sessions.view(session, view)), `${view} of ${session?.agent}`)
    }
  }
})

describe("given the longest texts there are, an answer stays below 8 KB", () => {
  effect("with a phase, a guide and a task of many items", function* () {
    const client = yield* begun(
      aPlan({ id: "a", description: costly(20_000), checklist: items(100, 400) }, { id: "b", depends_on: ["a"] })
    )
    yield* everyAnswer(client)
    const { body } = yield* client.call("get_my_task")
    const task = body["task"] as Record<string, unknown>
    assert.strictEqual((task["checklist"] as []).length + Number(task["checklist_left_out"]), 100)
    // what to do stays whole
    assert.include(String(body["instruction"]), "complete_task")
  })

  effect("with 200 tasks, of which the ones that are done are left out first", function* () {
    const client = yield* begun(
      aPlan(
        ...Array.from({ length: 200 }, (_, n) => ({
          id: `t${n}`,
          description: long(`Do ${n}.`, 300),
          checklist: null
        }))
      )
    )
    for (let n = 0; n < 60; n++) {
      yield* client.call("update_task_status", { task_id: `t${n}`, status: "in_progress" })
      if (n > 0) yield* client.call("update_task_status", { task_id: `t${n}`, status: "done" })
    }
    yield* everyAnswer(client)
    const { left_out, tasks } = (yield* client.call("get_my_task_progress")).body as {
      readonly left_out: Readonly<Record<string, number>>
      readonly tasks: ReadonlyArray<{ readonly id: string; readonly status: string }>
    }
    assert.strictEqual(left_out["done"], 59)
    assert.strictEqual(tasks.length + Object.values(left_out).reduce((sum, count) => sum + count, 0), 200)
    assert.deepInclude(tasks[0], { id: "t0", status: "in_progress" })
    assert.isAbove(tasks.length, 20)
  })

  effect("with a tree of tasks whose open leaf is shown with all it is part of", function* () {
    const client = yield* begun(aPlan({ id: "root", checklist: null }), {})
    const many = (parent: string, name: string) =>
      client.call("create_tasks", {
        tasks: Array.from({ length: 45 }, (_, n) => ({
          title: long(`${name} ${n}`, 150),
          local_id: `${name}${n}`,
          parent_task_id: parent
        }))
      })
    const first = small(yield* many("root", "x"), "created")
    const last = first.local_id_to_real_id["x44"]
    const below = small(yield* many(last, "y"), "created").local_id_to_real_id["y44"]
    yield* client.call("update_task_status", { task_id: below, status: "in_progress" })
    yield* everyAnswer(client)
    const { body } = yield* client.call("get_my_task_progress")
    assert.property(body, "left_out")
    const text = JSON.stringify(body["tasks"])
    for (const id of ["root", last, below]) assert.include(text, `"id":"${id}"`)
  })

  effect("with 50 failures of a report, and of a batch of 200 tasks", function* () {
    const client = yield* begun(aPlan({ id: "a", checklist: items(60, 500) }))
    const checklist = items(60, 500).map((item) => ({ item, status: "done", evidence: long("src/nowhere.ts", 900) }))
    const refused = small(
      yield* client.call("complete_task", { task_id: "a", data: { summary: "x", checklist } }),
      "refused"
    )
    assert.strictEqual(refused.error, "payload_mismatch")
    assert.strictEqual(refused.failures.length + refused.failures_left_out, 60)
    assert.match(refused.next_step, /\S/)
    yield* everyAnswer(client)
    const tasks = Array.from({ length: 200 }, (_, n) => ({
      title: costly(300),
      local_id: `local-${n}`,
      checklist: [long("x", 99)]
    }))
    small(yield* client.call("create_tasks", { tasks }), "create_tasks")
    small(yield* client.call("create_tasks", { tasks: tasks.map(() => ({ title: 5 })) }), "faults")
  })

  effect("with the output of commands that failed", function* () {
    const client = yield* begun(aPlan({ id: "a", checklist: ["add adds"] }))
    const data = {
      summary: costly(3_000),
      checklist: [{ item: "add adds", status: "done", evidence: "src/ledger.ts:1-3" }]
    }
    small(yield* client.call("complete_task", { task_id: "a", data }), "done")
    small(yield* client.call("submit_phase", { data: { summary: costly(5_000) } }), "complete")
    const failed = small(yield* client.call("submit_phase", { data: {} }), "verified")
    assert.strictEqual(failed.error, "verification_failed")
    assert.match(failed.verification.commands[0].output, /^…/)
    yield* everyAnswer(client)
  })

  effect("with names that nobody asked for", function* () {
    const client = yield* begun(aPlan({ id: "a", checklist: ["x"] }))
    const extra = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [long(`field${n}`, 400), 1]))
    const answer = small(yield* client.call("check_write_target", { file_path: costly(2_000), ...extra }), "extra")
    assert.property(answer, "allowed")
  })
})

describe("given little, progress", () => {
  effect("is the trees and nothing else", function* () {
    const { call } = yield* begun(aPlan({ id: "a", checklist: ["x"] }))
    assert.deepStrictEqual((yield* call("get_my_task_progress")).body, {
      tasks: [{ id: "a", title: "Do a.", status: "todo", subtasks: [] }]
    })
  })
})
