import { assert, describe } from "@effect/vitest"
import { LogUnavailable, type RejectionKind } from "@proofline/kernel"
import { makeClient } from "@proofline/plugins/frontends/http/client"
import { Effect } from "effect"
import { live } from "../../effects.ts"
import type { Asked } from "../frontends/scriptedSessions.ts"
import { staged } from "./stage.ts"

const refusal = (error: string) => ({
  ok: false,
  body: { success: false, error, message: "It does not go.", next_step: "Wait.", phase: "READY_IMPL" }
})

/** POST to an operation with the token of a session. */
const asSession = (body: unknown = {}) => ({
  method: "POST",
  headers: { "content-type": "application/json", authorization: "Bearer good" },
  body: JSON.stringify(body)
})

describe("an operation over HTTP", () => {
  live(
    "given refusals of every kind, when it is asked for, then the status says the kind and nothing is left out",
    function* () {
      let kind: RejectionKind = "invalid"
      const { send } = yield* staged({ answering: () => Effect.succeed({ ...refusal(kind), kind }) })
      for (const [error, status] of [
        ["invalid", 422],
        ["unknown", 422],
        ["conflict", 409],
        ["forbidden", 403]
      ] as const) {
        kind = error
        const said = yield* send("/api/v1/operations/get_next_action", asSession())
        assert.strictEqual(said.status, status, error)
        assert.match(String(said.headers["content-type"]), /^application\/problem\+json/)
        assert.deepInclude(said.json, {
          status,
          code: error,
          detail: "It does not go.",
          hint: "Wait.",
          answer: refusal(error).body
        })
      }
    }
  )

  live(
    "given a log that cannot be used, when it is asked for, then that is 503 with the code of the log",
    function* () {
      const gone = new LogUnavailable({ code: "log_disk_full", message: "The disk is full.", hint: "Make room." })
      const { send } = yield* staged({ answering: () => Effect.fail(gone) })
      const { headers, json, status } = yield* send("/api/v1/operations/get_next_action", asSession())
      assert.strictEqual(status, 503)
      assert.property(headers, "retry-after")
      assert.deepInclude(json, { code: "log_disk_full", detail: "The disk is full.", hint: "Make room." })
      assert.deepInclude(json.answer, { error: "log_disk_full", needs_person: true })
    }
  )

  live(
    "given an operation that breaks, when it is asked for, then that is 500 and nothing of its insides",
    function* () {
      const { send } = yield* staged({ answering: () => Effect.die(new Error("a secret")) })
      const { json, status, text } = yield* send("/api/v1/operations/get_next_action", asSession())
      assert.deepStrictEqual([status, json.code], [500, "internal"])
      assert.notInclude(text, "secret")
    }
  )

  live(
    "given a server with or without a person, when an answer comes, then it is known whether it is one",
    function* () {
      for (const isPerson of [false, true]) {
        const asked: Array<Asked> = []
        const { post } = yield* staged({
          isPerson,
          answering: (one) => Effect.sync(() => ({ ok: asked.push(one) > 0, body: { success: true } }))
        })
        const { status } = yield* post("/api/v1/operations/answer_approval", { answer: "yes" })
        assert.strictEqual(status, 200)
        const session = isPerson ? "person" : "oversight"
        assert.deepStrictEqual(asked, [{ session, operation: "answer_approval", args: { answer: "yes" } }])
      }
    }
  )

  live("given a session that is over, when its token asks, then it is told so, and of no other token", function* () {
    const { send } = yield* staged()
    for (const path of ["/api/v1/operations/get_next_action", "/api/v1/runs"]) {
      const headers = { ...asSession().headers, authorization: "Bearer revoked" }
      const said = yield* send(path, { ...asSession(), headers })
      assert.deepInclude(
        said.json,
        { status: 401, code: "session_closed", detail: "This session was revoked.", hint: "Open a new session." },
        path
      )
    }
  })

  live("given the client with types, when it asks, then it has the answer, or the refusal as a class", function* () {
    const { client, url } = yield* staged({
      answering: ({ args, session }) =>
        Effect.succeed(session === "oversight" ? { ok: true, body: { args } } : refusal("phase_open"))
    })
    const answer = yield* client.operations.call({ params: { name: "list_runs" }, payload: { limit: 2 } })
    assert.deepStrictEqual(answer, { args: { limit: 2 } })
    const agent = yield* makeClient({ url, token: () => "good" })
    const refused = yield* Effect.flip(agent.operations.call({ params: { name: "get_my_task" }, payload: {} }))
    assert.deepInclude(refused, { _tag: "Refused", code: "phase_open", answer: refusal("phase_open").body })
    const other = yield* Effect.flip(agent.about())
    assert.deepInclude(other, { _tag: "Forbidden", code: "operator_only" })
  })
})
