import { assert, describe } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { effect } from "../../effects.ts"
import { letOthersGoOn } from "../../kernel/support/letOthersGoOn.ts"
import { all } from "../../kernel/support/world.ts"
import { aPlan, explored } from "./rules/playing.ts"
import { aClient, alone, type Client, newServer, readAll } from "./servers.ts"

/** Carries something out the first time only. */
const once = (effect: () => Effect.Effect<unknown>): Effect.Effect<unknown> => {
  let isDone = false
  return Effect.suspend(() => {
    if (isDone) return Effect.void
    isDone = true
    return effect()
  })
}

/** A process whose call to submit the exploration is followed by the plan of another one, before it has answered. */
const overtaken = Effect.gen(function* () {
  const { alice, project } = yield* alone()
  let isDue = false
  const plan = once(() => Effect.orDie(alice.call("submit_phase", { data: aPlan("a") })))
  const appended = Effect.suspend(() => (isDue ? plan : Effect.void))
  const other = yield* aClient(yield* newServer(project, "two", { appended }), "alice")
  isDue = true
  return { alice, other }
})

/** Two processes; what the first does happens while the second looks at the files of its first call. */
const racing = Effect.fnUntraced(function* (meanwhile: (alice: Client) => Effect.Effect<unknown>) {
  const { alice, project } = yield* alone()
  const server = yield* newServer(project, "two", { meanwhile: once(() => meanwhile(alice)) })
  return { project, alice, other: yield* aClient(server, "alice") }
})

describe("given another process that changes the run while a call is under way, the answer", () => {
  effect("whether a file may be written is the one that the log has", function* () {
    const { alice, other, project } = yield* racing(({ call }) => call("submit_phase", { data: aPlan("a") }))
    yield* alice.call("submit_phase", { data: explored })
    const { body } = yield* other.call("check_write_target", { file_path: "src/a.ts" })
    const [checked] = all(yield* readAll(project.log), "WRITE_TARGET_CHECKED")
    assert.deepInclude(checked, { allowed: true, code: "allowed" })
    assert.deepInclude(body, { allowed: true, code: "allowed", phase: "READY_IMPL" })
    assert.notProperty(body, "next_step")
  })

  effect("to a phase says what follows that phase, not what followed the one of the other", function* () {
    const { alice, other } = yield* overtaken
    const { body } = yield* other.call("submit_phase", { data: explored })
    assert.deepInclude(body, { success: true, submitted: "EXPLORATION", phase: "READY_PLAN" })
    assert.deepInclude((yield* alice.call("get_next_action")).body, { phase: "READY_IMPL" })
  })

  effect("names the status from which a task really went", function* () {
    const { alice, other } = yield* racing(({ call }) =>
      call("update_task_status", { task_id: "a", status: "in_progress" })
    )
    yield* alice.works("a")
    const { body, ok } = yield* other.call("update_task_status", {
      task_id: "a",
      status: "blocked",
      reason: "No key"
    })
    assert.isTrue(ok, JSON.stringify(body))
    assert.deepInclude(body["task"], { previous_status: "in_progress", new_status: "blocked" })
  })
})

describe("given evidence that another process looks at", () => {
  effect("the report is answered as soon as that is recorded: no time has to pass", function* () {
    const { alice, project } = yield* alone()
    const server = yield* newServer(project, "two", { works: false })
    const other = yield* aClient(server, "alice")
    yield* alice.works("a")
    const data = { summary: "There.", checklist: [{ item: "one", status: "done", evidence: "src/ledger.ts:1-3" }] }
    const report = server.sessions.call(other.opened, "complete_task", { task_id: "a", data })
    const fiber = yield* Effect.forkChild(report)
    for (let turn = 0; turn < 50 && fiber.pollUnsafe() === undefined; turn++) yield* letOthersGoOn
    assert.isDefined(fiber.pollUnsafe())
    const { body } = yield* Fiber.join(fiber)
    assert.deepInclude(body, { success: true, verdict: "proven", phase: "READY_COMPLETE" })
  })
})
