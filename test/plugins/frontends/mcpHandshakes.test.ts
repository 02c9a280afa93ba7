import { assert, describe, it } from "@effect/vitest"
import type { Answer } from "@proofline/plugins/operations"
import { Deferred, Effect, Fiber } from "effect"
import { live } from "../../effects.ts"
import { hello, operatorToken, rpc, served } from "./httpStage.ts"
import { scripted } from "./scriptedSessions.ts"

const work: Answer = { ok: true, body: { success: true, phase: "EXPLORATION" } }
const ok = () => scripted(() => Effect.succeed(work))

const operator = `Bearer ${operatorToken}`
const theirs = "Bearer good"

type Send = Effect.Success<ReturnType<typeof served>>["send"]

const shaken = (send: Send, authorization: string) =>
  Effect.map(send({ headers: { authorization }, body: hello() }), ({ headers }) => String(headers["mcp-session-id"]))

const calling = (send: Send, id: string, authorization: string) =>
  send({ headers: { "mcp-session-id": id, authorization }, body: rpc("tools/call", { name: "get_my_task" }) })

const asking = (send: Send, id: string, authorization: string, method = "ping") =>
  send({ headers: { "mcp-session-id": id, authorization }, body: rpc(method) })

const many = (send: Send, count: number, authorization: string) =>
  Effect.forEach(Array.from({ length: count }), () => shaken(send, authorization), { concurrency: 8 })

/** As many that ask for something too. */
const manyUsed = (send: Send, count: number, authorization: string) =>
  Effect.forEach(
    Array.from({ length: count }),
    () => Effect.flatMap(shaken(send, authorization), (id) => asking(send, id, authorization)),
    { concurrency: 8 }
  )

describe("a handshake", () => {
  live("is its token's, and its messages are looked at, however the address is spelled", function* () {
    const sessions = ok()
    const { send } = yield* served(sessions)
    const id = yield* shaken(send, operator)
    for (const path of ["/mcp", "/mcp/", "//mcp", "/MCP", "/m%63p", "/mcp;a", "/mcp?a=b", "/mcp#a"]) {
      const stolen = { "mcp-session-id": id, authorization: theirs }
      const body = rpc("tools/call", { name: "get_my_task" })
      assert.strictEqual((yield* send({ path, headers: stolen, body })).status, 404, path)
      assert.strictEqual((yield* send({ path, headers: stolen, method: "GET" })).status, 404, path)
      assert.strictEqual((yield* send({ path, headers: stolen, method: "DELETE" })).status, 404, path)
      const deep = `{"id":1,"params":${"[".repeat(5_000)}${"]".repeat(5_000)}}`
      assert.deepInclude((yield* send({ path, body: deep })).json.error, { code: -32600 }, path)
    }
    assert.strictEqual((yield* calling(send, id, operator)).status, 200)
    assert.strictEqual(sessions.asked.length, 1)
  })

  live("is looked at whatever else its type of content names", function* () {
    const { send } = yield* served(ok())
    const types = ["application/json, text/plain", "text/plain;q=0, application/json", "Application/JSON;a=b"]
    for (const type of types) {
      const headers = { "content-type": type }
      const deep = `{"id":1,"params":${"[".repeat(5_000)}${"]".repeat(5_000)}}`
      const refused = yield* send({ headers, body: deep })
      if (refused.status !== 415) assert.deepInclude(refused.json.error, { code: -32600 }, type)
      const greeted = yield* send({ headers, body: hello() })
      if (greeted.status === 415) continue
      const id = String(greeted.headers["mcp-session-id"])
      assert.strictEqual((yield* calling(send, id, operator)).status, 200, type)
    }
  })

  it.live(
    "is not forgotten for those of another token, however many they are",
    () =>
      Effect.gen(function* () {
        const sessions = ok()
        const { send } = yield* served(sessions)
        const id = yield* shaken(send, operator)
        yield* calling(send, id, operator)
        yield* many(send, 1_100, theirs)
        assert.strictEqual((yield* calling(send, id, operator)).status, 200)
        assert.deepStrictEqual(sessions.closed, [])
      }).pipe(Effect.scoped),
    60_000
  )

  it.live(
    "is not forgotten for those of its token after which nothing is asked, which are",
    () =>
      Effect.gen(function* () {
        const sessions = ok()
        const { send } = yield* served(sessions)
        const used = yield* shaken(send, operator)
        yield* calling(send, used, operator)
        const [first = "", second = ""] = yield* many(send, 2, operator)
        // what belongs to the handshake itself is no use of it
        yield* send({ headers: { "mcp-session-id": second }, body: rpc("notifications/initialized", {}, null) })
        yield* many(send, 600, operator)
        assert.strictEqual((yield* calling(send, used, operator)).status, 200)
        assert.deepStrictEqual(sessions.closed, [])
        for (const id of [first, second]) {
          const { json, status } = yield* calling(send, id, operator)
          assert.deepStrictEqual([status, json.error], [404, "connection_unknown"])
        }
      }).pipe(Effect.scoped),
    60_000
  )

  live("is in nobody's way who has made theirs, however many there are in a moment", function* () {
    // however slow the machine is, nobody asks so rarely
    const { send } = yield* served(ok(), 60_000, { rate: { perSecond: 0.001, burst: 100 } })
    const used = yield* shaken(send, operator)
    yield* asking(send, used, operator)
    const asked = yield* Effect.forEach(Array.from({ length: 200 }), () => send({ body: hello() }), {
      concurrency: 64
    })
    assert.include(
      asked.map(({ status }) => status),
      429
    )
    assert.strictEqual((yield* asking(send, used, operator)).status, 200)
  })

  it.live(
    "is forgotten before those of its token that were heard of since",
    () =>
      Effect.gen(function* () {
        const sessions = ok()
        const { send } = yield* served(sessions)
        const [used, silent] = [yield* shaken(send, operator), yield* shaken(send, operator)]
        yield* calling(send, silent, operator)
        yield* calling(send, used, operator)
        yield* manyUsed(send, 255, operator)
        assert.strictEqual((yield* calling(send, used, operator)).status, 200)
        assert.strictEqual((yield* calling(send, silent, operator)).status, 404)
        assert.deepStrictEqual(sessions.closed, [{ session: "s1", reason: "expired" }])
      }).pipe(Effect.scoped),
    60_000
  )

  it.live(
    "is forgotten by the server beneath too, with what it still has under way",
    () =>
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const ended = yield* Deferred.make<void>()
        const sessions = scripted(() =>
          Effect.andThen(Deferred.succeed(begun, undefined), Effect.never).pipe(
            Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
          )
        )
        const { send } = yield* served(sessions)
        const id = yield* shaken(send, theirs)
        const call = yield* Effect.forkChild(calling(send, id, theirs))
        yield* Deferred.await(begun)
        yield* manyUsed(send, 256, theirs)
        yield* Deferred.await(ended)
        const { json, status } = yield* Fiber.join(call)
        assert.deepStrictEqual([status, json.error], [404, "connection_unknown"])
      }).pipe(Effect.scoped),
    60_000
  )

  live("says who shakes hands, and is no place to leave things at", function* () {
    const { send } = yield* served(ok())
    const greeting = (length: number) =>
      rpc("initialize", {
        protocolVersion: "2025-11-25",
        capabilities: { experimental: { x: { text: "x".repeat(length) } } },
        clientInfo: { name: "By Hand", version: "0" }
      })
    assert.strictEqual((yield* send({ body: greeting(10_000) })).status, 200)
    const refused = yield* send({ body: greeting(100_000) })
    assert.strictEqual(refused.status, 413)
    assert.strictEqual(refused.json.error, "handshake_too_large")
  })
})
