import { assert, describe } from "@effect/vitest"
import type { Answer } from "@proofline/plugins/operations"
import { Effect } from "effect"
import { effect } from "../../effects.ts"
import { check } from "../../kernel/support/words.ts"
import { contractOf, template } from "../project-files/contracts.ts"
import { aPlan, explored } from "./rules/playing.ts"
import { alone, type Client } from "./servers.ts"

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every kind
const bodyOf = ({ body }: Answer): any => body

const japanese = /[぀-ヿ]/

const inJapanese = () => alone({ contract: contractOf(template("ja/phase_contract")), verifiers: ["true"] })

const asks = ({ call }: Pick<Client, "call">, name: string, args: object = {}) => Effect.map(call(name, args), bodyOf)

const report = (status: string, more: object) => ({ summary: "s", checklist: [{ item: "one", status, ...more }] })
const shown = report("done", { evidence: "src/ledger.ts:1-3" })

describe("given a contract in Japanese", () => {
  effect(
    "when a session goes from its first question to its end, then it is told in Japanese what to do",
    function* () {
      const { alice } = yield* inJapanese()
      const told: Array<string> = []
      // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every kind
      const says = (body: any) => {
        // a phase may say nothing more than its own instruction
        for (const text of [body.instruction, body.next_step, body.next?.instruction, body.repair]) {
          if (typeof text === "string" && text !== "") told.push(text)
        }
        return body
      }
      says(yield* asks(alice, "get_next_action"))
      says(yield* asks(alice, "get_my_task"))
      says(yield* asks(alice, "submit_phase", { data: {} }))
      says(yield* asks(alice, "submit_phase", { data: explored }))
      says(yield* asks(alice, "submit_phase", { data: aPlan("a", "b", "c") }))
      says(yield* asks(alice, "get_next_action"))
      says(yield* asks(alice, "check_write_target", { file_path: "src/ledger.ts" }))
      for (const file_path of ["other/new.ts", "/etc/passwd", "src"]) {
        says(yield* asks(alice, "check_write_target", { file_path }))
      }
      says(yield* asks(alice, "complete_task", { task_id: "a", data: report("done", {}) }))
      says(yield* asks(alice, "complete_task", { task_id: "a", data: shown }))
      says(
        yield* asks(alice, "complete_task", { task_id: "b", data: report("cannot", { reason: "It contradicts c." }) })
      )
      says(yield* asks(alice, "get_next_action"))
      says(yield* asks(alice, "complete_task", { task_id: "c", data: shown }))
      says(yield* asks(alice, "get_next_action"))
      says(yield* asks(alice, "complete_task", { task_id: "b", data: shown }))
      says(yield* asks(alice, "submit_phase", { data: { summary: "s" } }))
      says(yield* asks(alice, "submit_phase", { data: {} }))
      says(yield* asks(alice, "get_next_action"))
      says(yield* asks(alice, "report_completed", { result: "success", summary: "s" }))
      assert.isAbove(told.length, 15)
      for (const text of told) assert.match(text, japanese)
      assert.includeMembers(told, ["指摘されたものをすべて直してから、もう一度送る。"])
    }
  )

  effect("when the commands fail, then it is told in Japanese what failed and what to do", function* () {
    const { alice } = yield* alone(
      { contract: contractOf(template("ja/phase_contract")), verifiers: ["true"] },
      { verify: () => Effect.succeed(check(1)) }
    )
    yield* asks(alice, "submit_phase", { data: explored })
    yield* asks(alice, "submit_phase", { data: aPlan("a") })
    yield* asks(alice, "complete_task", { task_id: "a", data: shown })
    yield* asks(alice, "submit_phase", { data: { summary: "s" } })
    const failed = yield* asks(alice, "submit_phase", { data: {} })
    assert.strictEqual(failed.error, "verification_failed")
    for (const text of [failed.message, failed.next_step, failed.instruction]) assert.match(text, japanese)
  })
})

describe("given a contract in Japanese and calls that do not fit", () => {
  effect(
    "when they are refused in any phase, then the code is that of every language, and the words are Japanese",
    function* () {
      const { alice } = yield* inJapanese()
      const task = (title: string, more: object = {}) => ({ title, ...more })
      const refused = (name: string, args: object) =>
        Effect.map(asks(alice, name, args), (body): string => {
          for (const text of [body.message, body.next_step, body.instruction])
            assert.match(text, japanese, `${name} ${body.error}`)
          return body.error
        })
      assert.deepStrictEqual(
        [
          yield* refused("complete_task", { task_id: "a", data: shown }),
          yield* refused("submit_phase", { data: { tasks: [] } }),
          yield* refused("submit_phase", { data: { explored_files: 3, findings: "x" } }),
          yield* refused("update_task_status", { task_id: "a", status: "done" }),
          yield* refused("report_completed", { result: "success" })
        ],
        ["phase_mismatch", "payload_mismatch", "payload_mismatch", "unknown_task", "phase_open"]
      )
      yield* asks(alice, "submit_phase", { data: explored })
      yield* asks(alice, "submit_phase", { data: aPlan("a", "b") })
      yield* asks(alice, "update_task_status", { task_id: "a", status: "in_progress" })
      assert.deepStrictEqual(
        [
          yield* refused("update_task_status", { task_id: "a", status: "done" }),
          yield* refused("update_task_status", { task_id: "a", status: "backlog" }),
          yield* refused("update_task_status", { task_id: "a", status: "blocked" }),
          yield* refused("update_task_status", { task_id: "b", status: "cancelled" }),
          yield* refused("report_completed", { result: "success" }),
          yield* refused("report_completed", { result: "blocked" }),
          yield* refused("create_tasks", { tasks: [] }),
          yield* refused("create_tasks", { tasks: [task("x", { local_id: "x" }), task("y", { local_id: "x" })] }),
          yield* refused("create_tasks", { tasks: [task("x", { checklist: ["i", "i"] })] }),
          yield* refused("create_tasks", { tasks: [task("x", { dependencies: ["no"] })] }),
          yield* refused("create_tasks", { tasks: [task("x", { parent_task_id: "no" })] }),
          yield* refused("create_tasks", { tasks: [task("x", { local_id: "x", dependencies: ["x"] })] }),
          yield* refused("update_task_status", { task_id: "a" }),
          yield* refused("update_task_status", { task_id: "a", status: "finished" }),
          yield* refused("create_tasks", { tasks: [task(" ")] }),
          yield* refused("check_write_target", {}),
          yield* refused("complete_task", { task_id: "no", data: shown }),
          yield* refused("submit_phase", { data: { summary: "too early" } })
        ],
        [
          "checklist_item_pending",
          "invalid_transition",
          "reason_required",
          "reason_required",
          "tasks_open",
          "tasks_open",
          "empty_tasks",
          "duplicate_task_ids",
          "checklist_item_duplicate",
          "task_dependency_unknown",
          "parent_unknown",
          "task_dependency_cycle",
          "payload_mismatch",
          "payload_mismatch",
          "payload_mismatch",
          "payload_mismatch",
          "payload_mismatch",
          "payload_mismatch"
        ]
      )
    }
  )
})

describe("given a contract that words one instruction", () => {
  effect("when it is told, then it is told so, and the others as they are built in", function* () {
    const contract = contractOf(template("phase_contract"))
    const own = { ...contract, instructions: { work: "DO {task} {finish}" } }
    const { alice } = yield* alone({ contract: own })
    yield* asks(alice, "submit_phase", { data: explored })
    yield* asks(alice, "submit_phase", { data: aPlan("a") })
    const { instruction } = yield* asks(alice, "get_next_action")
    assert.match(instruction, /^DO a: Do a\. When it is done, call complete_task\(task_id: "a"/)
  })
})
