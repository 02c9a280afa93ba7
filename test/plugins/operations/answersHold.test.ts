import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { effect } from "../../effects.ts"
import { check } from "../../kernel/support/words.ts"
import { aWatcher } from "../oversight/watcher.ts"
import { aContract, aPhase, aPlan, explored, phases } from "../sessions/rules/playing.ts"
import { aClient, alone, newProject, newServer } from "../sessions/servers.ts"

const most = 8 * 1024
const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every kind
type Seen = any

/** An agent whose work was verified once, by a command that said this. */
const verified = Effect.fnUntraced(function* (output_tail: string, question: string, limit = 2) {
  const contract = aContract({
    limits: { task_failures: limit },
    phases: { ...phases, VERIFY_INTERVENTION: aPhase({ ...phases["VERIFY_INTERVENTION"], instruction: question }) }
  })
  const project = yield* newProject({ contract })
  const server = yield* newServer(project, "one", {
    verify: () => Effect.succeed(check(1, { output_tail }))
  })
  const { call, works } = yield* aClient(server, "alice")
  yield* works({ id: "a", checklist: null })
  yield* call("update_task_status", { task_id: "a", status: "in_progress" })
  yield* call("update_task_status", { task_id: "a", status: "done" })
  yield* call("submit_phase", { data: { summary: "All is done." } })
  const failed = yield* call("submit_phase", { data: { summary: "Look at it." } })
  return { call, failed, project }
})

describe("given a verification that has failed and a client that did not hear it", () => {
  effect("says again that it has failed", function* () {
    const { call, failed } = yield* verified("1 test failed", "Go on?")
    assert.strictEqual(failed.body["error"], "verification_failed")
    const again = yield* call("submit_phase", { data: { summary: "Look at it." } })
    assert.isFalse(again.ok, JSON.stringify(again.body))
    assert.strictEqual(again.body["error"], "verification_failed")
  })
})

describe("given a question that is larger than an answer", () => {
  effect("is shown as far as there is room for it", function* () {
    const { project } = yield* verified("\u001b[31mé".repeat(400), `Go on? ${"wörd ".repeat(1_200)}`, 1)
    const watcher = yield* aWatcher(project.log)
    const { body } = yield* watcher.ask("list_approvals")
    assert.isAtMost(jsonBytes(body), most)
    const [approval] = (body as Seen).approvals
    assert.include(approval?.question, "Go on?", JSON.stringify(body))
    assert.deepInclude(approval, { kind: "question", expected: { answer: "continue|stop", "comment?": "str" } })
  })
})

describe("given a task with a long checklist, its parts", () => {
  effect("are shown all the same", function* () {
    const { call, works, project } = yield* alone()
    const items = Array.from({ length: 30 }, (_, i) => `${i} ${"長い".repeat(150)}`)
    yield* works({ id: "a", checklist: items })
    yield* call("create_tasks", {
      tasks: Array.from({ length: 5 }, (_, i) => ({ title: `Part ${i}`, parent_task_id: "a", checklist: ["x"] }))
    })
    const watcher = yield* aWatcher(project.log)
    const { body } = yield* watcher.ask("get_subtasks", { task_id: "a" })
    assert.isAtMost(jsonBytes(body), most)
    assert.lengthOf((body as Seen).subtasks, 5, JSON.stringify(body).slice(0, 600))
  })
})

describe("given texts that are cut in the middle of a character", () => {
  effect("every answer is text that any client can read", function* () {
    const { call } = yield* alone()
    yield* call("submit_phase", { data: { ...explored, findings: [`${"😀".repeat(500)}`, `x${"😀".repeat(500)}`] } })
    for (const [id, description] of [
      ["a", "😀".repeat(2_500)],
      ["b", `x${"😀".repeat(2_500)}`]
    ] as const) {
      const next = yield* call("get_next_action")
      assert.isTrue(JSON.stringify(next.body).isWellFormed())
      assert.notMatch(JSON.stringify(next.body), /\\ud[89a-f]/, "last submission")
      yield* call("submit_phase", { data: aPlan({ id, description }) })
      const mine = yield* call("get_my_task")
      assert.notMatch(JSON.stringify(mine.body), /\\ud[89a-f]/)
    }
    const target = yield* call("check_write_target", { file_path: `src/${"😀".repeat(400)}` })
    assert.notMatch(JSON.stringify(target.body), /\\ud[89a-f]/)
    const named = yield* call("check_write_target", { file_path: "src/\ud83d" })
    assert.notMatch(JSON.stringify(named.body), /\\ud[89a-f]/)
  })
})

describe("given many tasks that wait for another agent's, the instruction", () => {
  effect("names the first of them, and still says what to do", function* () {
    const project = yield* newProject()
    const server = yield* newServer(project, "one")
    const [alice, bob] = [yield* aClient(server, "alice"), yield* aClient(server, "bob")]
    yield* alice.call("submit_phase", { data: explored })
    const id = (n: number): string => `task_${n}_${"z".repeat(60)}`
    const ids = Array.from({ length: 150 }, (_, n) => id(n))
    yield* alice.call("submit_phase", {
      data: aPlan({ id: "first" }, ...ids.map((one) => ({ id: one, depends_on: ["first"] })))
    })
    yield* alice.call("update_task_status", { task_id: "first", status: "in_progress" })
    const created = yield* bob.call("create_tasks", {
      tasks: Array.from({ length: 150 }, (_, n) => ({
        title: `Mine ${n} ${"z".repeat(60)}`,
        assignee: "bob",
        depends_on: ids.slice(0, 20),
        checklist: ["x"]
      }))
    })
    assert.isTrue(created.ok, JSON.stringify(created.body))
    const { body } = yield* bob.call("get_next_action")
    assert.strictEqual(body["action"], "wait", JSON.stringify(body).slice(0, 600))
    assert.match(String(body["instruction"]), /and \d+ more.*Call get_next_action again later\./s)
    assert.isAtMost(jsonBytes(body), most)
    assert.property(body, "expected_payload")
  })
})

describe("given a task with a title as long as a text, the instruction", () => {
  effect("still says what to do when it is done", function* () {
    const { call } = yield* alone()
    yield* call("submit_phase", { data: explored })
    yield* call("submit_phase", {
      data: {
        tasks: [
          {
            id: "a",
            title: "Long. ".repeat(3_000),
            description: "Do it.",
            status: "pending",
            checklist: [{ item: "one", status: "pending" }]
          }
        ]
      }
    })
    for (const operation of ["get_next_action", "get_my_task"]) {
      const { body } = yield* call(operation)
      assert.match(String(body["instruction"]), /complete_task\(task_id: "a"/, operation)
      assert.isAtMost(jsonBytes(body), most)
    }
  })
})
