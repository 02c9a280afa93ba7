import { assert, describe, it } from "@effect/vitest"
import { AnswerPermission, AskPermission, permissionsIn, WithdrawPermissions } from "@proofline/kernel"
import { aTask } from "@proofline/kernel/testing"
import { begun, type Played } from "../support/play.ts"
import { cancel, end, resume, start } from "../support/words.ts"

const ask = (key: string, over: { readonly role?: string; readonly attempt?: number } = {}) =>
  AskPermission({
    task_id: "a",
    attempt: 1,
    role: "work",
    agent: "open",
    key,
    title: "npm install",
    tool: "execute",
    detail: "npm install",
    files: [],
    ...over
  })
const answer = (permission: string, given: "allow" | "always" | "deny" = "allow") =>
  AnswerPermission({ permission, answer: given, text: " fine ", at: "2026-01-02T12:00:00.000Z" })

const working = (): Played => begun([aTask("a"), aTask("b")]).after(start("a"))
const open = (play: Played) => permissionsIn(play.state).map(({ permission }) => permission)

describe("what an agent asks leave for", () => {
  it("given two questions, then each has a name of its own, and an answer is to one of them, once", () => {
    const asked = working().after(ask("k/1"), ask("k/2"))
    assert.deepStrictEqual(open(asked), ["permission/1", "permission/2"])
    const answered = asked.after(answer("permission/1"))
    assert.deepInclude(answered.content("PERMISSION_ANSWERED"), {
      permission: "permission/1",
      key: "k/1",
      text: "fine"
    })
    assert.deepStrictEqual(open(answered), ["permission/2"])
    assert.strictEqual(answered.when(answer("permission/1")).code, "question_changed")
    assert.strictEqual(answered.when(answer("permission/3")).code, "question_changed")
  })

  it("given a question that is asked again, then it is asked once, also when it was answered", () => {
    const asked = working().after(ask("k/1"), ask("k/1"))
    assert.deepStrictEqual(open(asked), ["permission/1"])
    const answered = asked.after(answer("permission/1", "deny"), ask("k/1"))
    assert.deepStrictEqual(open(answered), [])
    assert.deepStrictEqual(open(answered.after(ask("k/2"))), ["permission/2"])
  })

  it("given an attempt that ends, then what it asked is asked no more, and what others ask is", () => {
    const ended = working().after(ask("k/1"), ask("k/2", { role: "review" }), end("a"))
    assert.deepStrictEqual(open(ended), ["permission/2"])
    assert.strictEqual(ended.when(answer("permission/1")).code, "question_changed")
  })

  it("given that who asked does not wait any more, then only that question is withdrawn", () => {
    const left = working().after(ask("k/1"), ask("k/2"), WithdrawPermissions({ keys: ["k/1", "other"] }))
    assert.deepStrictEqual(left.content("PERMISSION_WITHDRAWN"), { permission: "permission/1", task_id: "a" })
    assert.deepStrictEqual(open(left), ["permission/2"])
  })

  it("given a run that is over, then nothing waits, nothing is answered and nothing is asked; nor after a resume", () => {
    const over = working().after(ask("k/1"), cancel())
    assert.deepStrictEqual(open(over), [])
    assert.strictEqual(over.when(answer("permission/1")).code, "question_changed")
    assert.strictEqual(over.when(ask("k/2")).code, "run_not_running")
    assert.deepStrictEqual(open(over.after(resume())), [])
  })
})
