import { assert, describe } from "@effect/vitest"
import type { CheckRun } from "@proofline/kernel"
import type { Answer } from "@proofline/plugins/operations"
import { Effect } from "effect"
import type { PhaseContract, Transition } from "../../../packages/plugins/src/policies/sessions/contract.ts"
import { effect } from "../../effects.ts"
import { withActivities } from "../../kernel/support/activities.ts"
import { judge } from "../../kernel/support/judge.ts"
import { check } from "../../kernel/support/words.ts"
import { aContract, aPhase, aPlan, explored, phases, to } from "./rules/playing.ts"
import { alone, type Client } from "./servers.ts"

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every kind
const bodyOf = ({ body }: Answer): any => body

const good = { summary: "There.", checklist: [{ item: "one", status: "done", evidence: "src/ledger.ts:1-3" }] }

const reports = ({ call }: Pick<Client, "call">, task_id: string) =>
  Effect.map(call("complete_task", { task_id, data: good }), bodyOf)

const hands = ({ call }: Pick<Client, "call">, data: unknown) => Effect.map(call("submit_phase", { data }), bodyOf)

describe("a phase that is taken", () => {
  effect("is answered with what it led to, and a plan with its first task", function* () {
    const { alice } = yield* alone()
    const first = yield* hands(alice, { ...explored, mood: "good" })
    assert.deepInclude(first, { success: true, submitted: "EXPLORATION", phase: "READY_PLAN" })
    assert.deepStrictEqual(
      first.warnings.map(({ code }: { readonly code: string }) => code),
      ["field_unexpected"]
    )
    assert.notProperty(first, "tasks_registered")
    const planned = yield* hands(alice, aPlan("a", "b"))
    assert.deepInclude(planned, { submitted: "READY_PLAN", tasks_registered: 2 })
    assert.deepInclude(planned.next.task, { task_id: "a" })
    assert.notProperty(planned, "warnings")
  })

  effect("is answered without a task where something else comes first", function* () {
    const READY_PLAN = { ...phases.READY_PLAN, transitions: [to("READY_COMPLETE")] }
    const { alice } = yield* alone({ contract: aContract({ phases: { ...phases, READY_PLAN } }) })
    const planned = yield* alice.works("a")
    assert.deepInclude(planned.body, { tasks_registered: 1, phase: "READY_COMPLETE" })
    assert.notProperty(planned.body, "next")
  })

  effect("is answered the same when it is sent again", function* () {
    const { alice } = yield* alone()
    yield* hands(alice, explored)
    assert.deepInclude(yield* hands(alice, explored), { success: true, submitted: "EXPLORATION", phase: "READY_PLAN" })
  })

  effect("is answered also where it spoke of a task that nobody knows", function* () {
    const EXPLORATION = aPhase({ expected_payload: { task_id: "str" }, transitions: [to("READY_PLAN")] })
    const { alice } = yield* alone({ contract: aContract({ phases: { ...phases, EXPLORATION } }) })
    assert.deepInclude(yield* hands(alice, { task_id: "x" }), { success: true, submitted: "EXPLORATION" })
    assert.deepInclude(yield* hands(alice, { task_id: "x" }), { success: true, phase: "READY_PLAN" })
  })
})

describe("a report that is taken", () => {
  effect("is answered with the task, what it shows, and the next step in place of the instruction", function* () {
    const { alice } = yield* alone()
    yield* alice.works("a", "b")
    const first = yield* reports(alice, "a")
    assert.deepStrictEqual(first.task, { id: "a", title: "Do a.", new_status: "done" })
    assert.deepInclude(first, { success: true, verdict: "proven", phase: "READY_IMPL" })
    assert.notProperty(first, "checking")
    assert.notProperty(first, "warnings")
    assert.strictEqual(first.next.code, "tasks_left")
    assert.deepInclude(first.next.task, { task_id: "b" })
    assert.match(first.instruction, /b: Do b\..*Ask check_write_target before a write/s)
  })

  effect("that leaves the phase is answered with the instruction of the next one, and that all is done", function* () {
    const { alice } = yield* alone()
    yield* alice.works("a")
    const last = yield* reports(alice, "a")
    assert.deepInclude(last, { phase: "READY_COMPLETE", instruction: "Go on." })
    assert.strictEqual(last.next.code, "all_done")
    assert.notProperty(last.next, "task")
  })

  effect("is answered the same when it is sent again, and warns where it is done by word", function* () {
    const { alice } = yield* alone()
    yield* alice.works({ id: "a", checklist: null }, "b")
    const report = { summary: "Done." }
    const first = bodyOf(yield* alice.call("complete_task", { task_id: "a", data: report }))
    assert.deepStrictEqual(
      first.warnings.map(({ code }: { readonly code: string }) => code),
      ["checklist_missing"]
    )
    assert.deepInclude(first, { verdict: "unproven" })
    const again = bodyOf(yield* alice.call("complete_task", { task_id: "a", data: report }))
    assert.deepInclude(again, { success: true, task: first.task, verdict: "unproven" })
    assert.strictEqual(again.next.code, "tasks_left")
  })

  effect("whose evidence could not be looked at is refused, and may be sent again", function* () {
    const broken = withActivities(judge, (activity) => ({ ...activity, run: () => Effect.die("The disk is gone.") }))
    const { alice } = yield* alone({}, { plugins: [broken] })
    yield* alice.works("a")
    const refused = yield* reports(alice, "a")
    assert.deepInclude(refused, { success: false, error: "report_not_judged", next_step: "Send it again." })
    assert.isNotEmpty(refused.message)
  })
})

describe("the commands of a phase that fail", () => {
  const says = Effect.fnUntraced(function* (run: Partial<CheckRun>, over: Partial<PhaseContract> = {}) {
    const { alice } = yield* alone({ contract: aContract(over) }, { verify: () => Effect.succeed(check(1, run)) })
    yield* alice.works("a", "b")
    yield* reports(alice, "a")
    yield* reports(alice, "b")
    yield* hands(alice, { summary: "All is done." })
    const failed = yield* hands(alice, {})
    assert.deepInclude(failed, { success: false, error: "verification_failed" })
    return { alice, failed }
  })
  const leading = (...transitions: ReadonlyArray<Transition>): Partial<PhaseContract> => ({
    phases: { ...phases, POST_IMPL_VERIFY: { ...phases.POST_IMPL_VERIFY, transitions } }
  })
  const failure = "The commands that verify POST_IMPL_VERIFY failed"

  effect("are told with where the work goes on, and that all of it is to be reported again", function* () {
    const { alice, failed } = yield* says({})
    assert.strictEqual(
      failed.message,
      `${failure}; the work goes on in READY_IMPL, and all tasks are to be reported again: nothing tells which of them it concerns.`
    )
    assert.match(failed.next_step, /^Read the output in `verification`/)
    assert.deepInclude(yield* hands(alice, aPlan("a", "b", "c")), { success: true, submitted: "READY_PLAN" })
  })

  effect("are told with the tasks that their output concerns", function* () {
    const { failed } = yield* says({ output_tail: "src/ledger.ts:2: it is wrong" })
    assert.include(
      failed.message,
      "and of the tasks only these are to be reported again: a (the output names src/ledger.ts); b (the output names src/ledger.ts)."
    )
  })

  effect("are told to be mended where the phase is not left", function* () {
    const { failed } = yield* says({}, leading(to("DONE", { when: { outcome: "passed" } })))
    assert.strictEqual(failed.message, `${failure}; it is handed in again when that is mended.`)
    assert.deepInclude(failed, { phase: "POST_IMPL_VERIFY" })
  })

  effect("are told to be the end where they lead to it", function* () {
    const { failed } = yield* says({}, leading(to("STOPPED")))
    assert.strictEqual(failed.message, `${failure}; the run is at its end.`)
    assert.strictEqual(failed.next_step, "Do what the instruction says.")
  })

  effect("are not told again with what is handed in after them", function* () {
    const first = { ...phases.POST_IMPL_VERIFY, transitions: [to("NOTE")] }
    const NOTE = aPhase({ expected_payload: { note: "str" }, transitions: [to("DONE")] })
    const { alice } = yield* says({}, { phases: { ...phases, POST_IMPL_VERIFY: first, NOTE } })
    assert.deepInclude(yield* hands(alice, { note: "It failed." }), { success: true, submitted: "NOTE" })
  })
})
