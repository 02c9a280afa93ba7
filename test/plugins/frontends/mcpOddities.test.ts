import { get } from "node:http"
import { assert, describe } from "@effect/vitest"
import type { Answer } from "@proofline/plugins/operations"
import { Effect } from "effect"
import { live } from "../../effects.ts"
import { hello, operatorToken, rpc, served } from "./httpStage.ts"
import { scripted } from "./scriptedSessions.ts"

const work: Answer = { ok: true, body: { success: true, phase: "EXPLORATION" } }
const ok = () => scripted(() => Effect.succeed(work))

describe("what clients send that nobody expects", () => {
  live("is a name of any length: an agent's has 100 characters at most", function* () {
    const sessions = ok()
    const { send } = yield* served(sessions)
    const body = hello().replace("By Hand", `${"a".repeat(99)}-${"b".repeat(50_000)}`)
    const id = String((yield* send({ body })).headers["mcp-session-id"])
    yield* send({ headers: { "mcp-session-id": id }, body: rpc("tools/call", { name: "get_my_task" }) })
    assert.deepStrictEqual(
      sessions.opened.map(({ agent }) => agent),
      ["a".repeat(99)]
    )
  })

  live("is a session_token that is no text, and is refused like any other that is not known", function* () {
    const sessions = ok()
    const { send } = yield* served(sessions)
    for (const authorization of [`Bearer ${operatorToken}`, "Bearer good"]) {
      const shaken = yield* send({ headers: { authorization }, body: hello() })
      const id = String(shaken.headers["mcp-session-id"])
      for (const session_token of [{ toString: 1 }, { a: 1 }, ["good"], [], 5, true]) {
        const { json } = yield* send({
          headers: { "mcp-session-id": id, authorization },
          body: rpc("tools/call", { name: "get_my_task", arguments: { session_token } })
        })
        assert.include(["session_unknown", "token_mismatch"], json.result.structuredContent.error)
      }
    }
    assert.deepStrictEqual(sessions.asked, [])
  })

  live("is a resource with a long name, which is not said back whole", function* () {
    const { send } = yield* served(ok())
    const id = String((yield* send({ body: hello() })).headers["mcp-session-id"])
    const body = rpc("resources/subscribe", { uri: "x".repeat(100_000) })
    const refused = yield* send({ headers: { "mcp-session-id": id }, body })
    assert.deepInclude(refused.json.error, { code: -32002 })
    assert.isBelow(refused.text.length, 8 * 1024)
  })

  live("is a wrong token, and what helps is said of the header", function* () {
    const { send } = yield* served(ok())
    const { json, status } = yield* send({ headers: { authorization: "Bearer wrong" }, body: hello() })
    assert.strictEqual(status, 401)
    assert.include(json.next_step, "Authorization")
  })
})

describe("a stream of news", () => {
  live("ends whole when its session is ended, or another takes its place", function* () {
    const { port, send } = yield* served(ok())
    const id = String((yield* send({ body: hello() })).headers["mcp-session-id"])
    const headers = {
      authorization: `Bearer ${operatorToken}`,
      accept: "text/event-stream",
      "mcp-session-id": id
    }
    /** Comes back when it has begun; then, when it is over, whether it came to its end. */
    const listening = Effect.callback<Promise<boolean>>((resume) => {
      get({ host: "127.0.0.1", port, path: "/mcp", headers }, (response) => {
        const over = new Promise<boolean>((resolve) => response.on("close", () => resolve(response.complete)))
        response.on("error", () => {})
        response.once("data", () => resume(Effect.succeed(over)))
      })
    })
    const first = yield* listening
    const second = yield* listening
    assert.isTrue(yield* Effect.promise(() => first))
    assert.strictEqual((yield* send({ method: "DELETE", headers: { "mcp-session-id": id } })).status, 204)
    assert.isTrue(yield* Effect.promise(() => second))
  })
})
