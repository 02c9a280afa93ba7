import { assert, describe, it } from "@effect/vitest"
import { truncated } from "../../../packages/plugins/src/operations/answers.ts"

const many = <A>(count: number, one: (i: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, i) => one(i))
const sentence = (i: number, length: number): string => `${i} ${"word ".repeat(length)}`.slice(0, length)

describe("given everything that can be said of an attempt, at length", () => {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every kind
  const shown = (text: (i: number) => string): any => {
    const last_attempt = {
      attempt: 1,
      error: { code: "agent_exit", message: text(0) },
      problems: many(9, text),
      failures: many(40, (i) => ({ key: "k", item: text(i), fields: { item: text(i) }, message: text(i) })),
      failed_checks: many(9, (i) => ({ command: text(i), exit_code: 1, timed_out: false, output: text(i) })),
      review: {
        judgment: "REJECT",
        modification_prompt: text(1),
        not_met: many(9, (i) => ({ criterion: text(i), passed: false, details: text(i) }))
      }
    }
    const task = {
      task_id: "t1",
      title: text(0),
      description: text(1),
      checklist: many(100, (i) => ({ item: text(i), status: "pending" })),
      last_attempt,
      criteria: many(20, text),
      checks: many(20, text),
      context: text(2)
    }
    const { body } = truncated({ ok: true, body: { action: "work", success: true, task, task_id: "t1", role: "work" } })
    assert.isAtMost(Buffer.byteLength(JSON.stringify(body)), 8 * 1024)
    return body
  }

  it("the answer has room for the id, what is to be done and something of what failed", () => {
    for (const text of [(i: number) => sentence(i, 2_000), (i: number) => `${i}${"\u0001".repeat(800)}`]) {
      const { action, task, task_id } = shown(text)
      assert.deepStrictEqual([action, task.task_id, task_id], ["work", "t1", "t1"])
      assert.isNotEmpty(task.last_attempt.failures)
      assert.isNotEmpty(task.checklist)
      // none of them is given up for the others
      assert.isAbove(Buffer.byteLength(JSON.stringify(task.description)), 100)
    }
  })
})

describe("given a long instruction and a longer checklist", () => {
  it("something of both is shown", () => {
    const task = { description: sentence(0, 40_000), checklist: many(200, (i) => ({ item: sentence(i, 100) })) }
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const body: any = truncated({ ok: true, body: { success: true, task } }).body
    assert.isAbove(body.task.description.length, 1_000)
    assert.isAbove(body.task.checklist.length, 10)
    assert.strictEqual(body.task.checklist.length + body.task.checklist_left_out, 200)
  })
})
