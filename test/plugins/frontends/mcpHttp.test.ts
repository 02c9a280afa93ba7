import { get } from "node:http"
import { assert, describe } from "@effect/vitest"
import { Rejection } from "@proofline/kernel"
import type { Answer } from "@proofline/plugins/operations"
import { Deferred, Effect, Fiber } from "effect"
import { live } from "../../effects.ts"
import { hello, modern, operatorToken, rpc, served, type Wanted } from "./httpStage.ts"
import { scripted } from "./scriptedSessions.ts"

const work: Answer = { ok: true, body: { success: true, phase: "EXPLORATION" } }
const ok = () => scripted(() => Effect.succeed(work))

/** One call of the newest revision, and how it comes. */
const calling = (name: string, args: object = {}) => {
  const { _meta, headers } = modern("tools/call", name)
  return { headers, body: rpc("tools/call", { name, arguments: args, _meta }) }
}

describe("the guard", () => {
  live("lets a program in that shows a good token, and nothing else", function* () {
    const sessions = ok()
    const { port, send } = yield* served(sessions)
    const asked = calling("get_next_action")
    const attempt = (headers: Readonly<Record<string, string | undefined>>) =>
      Effect.map(send({ ...asked, headers: { ...asked.headers, ...headers } }), ({ headers, json, status }) => ({
        status,
        error: json?.error,
        challenge: headers["www-authenticate"] !== undefined
      }))
    const fine = { status: 200, error: undefined, challenge: false }
    const refused = (status: number, error: string) => ({ status, error, challenge: status === 401 })

    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      assert.deepStrictEqual(yield* attempt({ host }), fine, host)
    }
    for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1", `127.0.0.1.evil.example:${port}`]) {
      assert.deepStrictEqual(yield* attempt({ host }), refused(403, "host_not_allowed"), host)
    }
    assert.deepStrictEqual(yield* attempt({ origin: `http://127.0.0.1:${port}` }), fine)
    for (const origin of ["null", "http://evil.example", `https://127.0.0.1:${port}`, "http://127.0.0.1:1"]) {
      assert.deepStrictEqual(yield* attempt({ origin }), refused(403, "origin_not_allowed"), origin)
    }
    assert.deepStrictEqual(yield* attempt({ authorization: undefined }), refused(401, "token_missing"))
    assert.deepStrictEqual(yield* attempt({ authorization: `Basic ${operatorToken}` }), refused(401, "token_missing"))
    for (const token of ["wrong", `${operatorToken}x`, operatorToken.slice(1), "att_forged"]) {
      assert.deepStrictEqual(
        yield* attempt({ authorization: `Bearer ${token}` }),
        refused(401, "session_unknown"),
        token
      )
    }
    assert.deepStrictEqual(yield* attempt({ authorization: "Bearer revoked" }), refused(401, "session_closed"))
    assert.strictEqual(sessions.asked.length, 3)
    assert.deepStrictEqual(yield* attempt({ authorization: "Bearer good" }), fine)
    assert.strictEqual(sessions.asked.at(-1)?.session, "theirs")
  })

  live("stands before every path and method, also where there is nothing", function* () {
    const { send } = yield* served(ok())
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"]) {
      for (const path of ["/mcp", "/mcp?token=x", "/", "/nothing", "/../mcp", "//mcp"]) {
        const { headers, status } = yield* send({ method, path, headers: { authorization: undefined } })
        assert.strictEqual(status, 401, `${method} ${path}`)
        assert.notProperty(headers, "access-control-allow-origin")
      }
    }
  })

  live("reads no more than a MiB, said or not", function* () {
    const sessions = ok()
    const { send } = yield* served(sessions)
    const large = calling("submit_phase", { data: "x".repeat(1_048_577) })
    const said = yield* send({ ...large, headers: { ...large.headers, "content-length": String(large.body.length) } })
    assert.deepInclude(said.json, { error: "body_too_large" })
    assert.strictEqual(said.status, 413)
    const unsaid = yield* Effect.exit(send({ ...large, headers: { ...large.headers, "transfer-encoding": "chunked" } }))
    // the server may hang up before all of it was sent
    if (unsaid._tag === "Success") assert.strictEqual(unsaid.value.status, 413)
    assert.deepStrictEqual(sessions.asked, [])
    assert.strictEqual((yield* send(calling("get_next_action"))).status, 200)
  })

  live("answers no more than 256 requests of one token at once, and others meanwhile", function* () {
    const gate = yield* Deferred.make<void>()
    const waiting = yield* Deferred.make<void>()
    let count = 0
    const sessions = scripted(({ session }) =>
      session === "theirs"
        ? Effect.succeed(work)
        : Effect.gen(function* () {
            if (++count === 256) yield* Deferred.succeed(waiting, undefined)
            yield* Deferred.await(gate)
            return work
          })
    )
    const { send } = yield* served(sessions)
    const many = yield* Effect.forkChild(
      Effect.forEach(Array.from({ length: 256 }), () => send(calling("get_my_task")), { concurrency: 256 })
    )
    yield* Deferred.await(waiting)
    const refused = yield* send(calling("get_my_task"))
    assert.strictEqual(refused.status, 429)
    assert.strictEqual(refused.headers["retry-after"], "1")
    const other = calling("get_my_task")
    const good = yield* send({ ...other, headers: { ...other.headers, authorization: "Bearer good" } })
    assert.strictEqual(good.status, 200)
    yield* Deferred.succeed(gate, undefined)
    const all = yield* Fiber.join(many)
    assert.deepStrictEqual(new Set(all.map(({ status }) => status)), new Set([200]))
    assert.strictEqual((yield* send(calling("get_my_task"))).status, 200)
  })
})

describe("what is asked over HTTP", () => {
  live("must be JSON, for a client that takes both forms of answer, and not too deep", function* () {
    const sessions = ok()
    const { send } = yield* served(sessions)
    const asked = calling("get_next_action")
    const status = (headers: Readonly<Record<string, string>>) =>
      Effect.map(send({ ...asked, headers: { ...asked.headers, ...headers } }), (response) => response.status)
    assert.strictEqual(yield* status({ "content-type": "text/plain" }), 415)
    assert.strictEqual(yield* status({ "content-type": "application/x-www-form-urlencoded" }), 415)
    assert.strictEqual(yield* status({ accept: "text/html" }), 406)
    const broken = yield* send({ body: "{" })
    assert.strictEqual(broken.status, 400)
    assert.deepInclude(broken.json.error, { code: -32700 })
    const deep = yield* send({ body: `{"id":1,"params":${"[".repeat(5_000)}${"]".repeat(5_000)}}` })
    assert.deepInclude(deep.json.error, { code: -32600 })
    assert.deepStrictEqual(sessions.asked, [])
  })

  live("may bring its arguments as a text of JSON, or as null", function* () {
    const sessions = ok()
    const { send } = yield* served(sessions)
    for (const given of ['{"file_path":"a.py"}', null]) {
      const { _meta, headers } = modern("tools/call", "check_write_target")
      const body = rpc("tools/call", { name: "check_write_target", arguments: given, _meta })
      assert.isNotTrue((yield* send({ headers, body })).json.result.isError)
    }
    assert.deepStrictEqual(
      sessions.asked.map(({ args }) => args),
      [{ file_path: "a.py" }, {}]
    )
  })

  live("is of the same session for a client's name where the revision knows no sessions", function* () {
    const sessions = ok()
    const { send } = yield* served(sessions)
    yield* send(calling("get_next_action"))
    yield* send(calling("get_my_task"))
    assert.deepStrictEqual(
      sessions.opened.map(({ agent }) => agent),
      ["new-one"]
    )
    assert.deepStrictEqual(
      sessions.asked.map(({ session }) => session),
      ["s1", "s1"]
    )
  })

  live("is of the session of a handshake, which nobody else can use", function* () {
    const sessions = ok()
    const { send } = yield* served(sessions)
    const shaken = Effect.map(send({ body: hello() }), ({ headers }) => String(headers["mcp-session-id"]))
    const [first, second] = [yield* shaken, yield* shaken]
    const call = (id: string, authorization = `Bearer ${operatorToken}`) =>
      send({ headers: { "mcp-session-id": id, authorization }, body: rpc("tools/call", { name: "get_my_task" }) })
    yield* call(first)
    yield* call(second)
    yield* call(first)
    assert.deepStrictEqual(
      sessions.asked.map(({ session }) => session),
      ["s1", "s2", "s1"]
    )
    // a good token, but not the one that shook hands
    assert.strictEqual((yield* call(first, "Bearer good")).status, 404)
    assert.strictEqual((yield* call("00000000-0000-4000-8000-000000000000")).status, 404)
    const stolen = { "mcp-session-id": first, authorization: "Bearer good" }
    assert.strictEqual((yield* send({ method: "DELETE", headers: stolen })).status, 404)
    assert.strictEqual((yield* send({ method: "GET", headers: stolen })).status, 404)
    assert.strictEqual((yield* call(first)).status, 200)

    assert.strictEqual((yield* send({ method: "DELETE", headers: { "mcp-session-id": first } })).status, 204)
    assert.strictEqual((yield* call(first)).status, 404)
    assert.strictEqual((yield* call(second)).status, 200)
    assert.deepStrictEqual(sessions.closed, [{ session: "s1", reason: "closed" }])
  })

  live("is refused as a result, never as an error of the protocol", function* () {
    const sessions = scripted(
      () => Effect.succeed(work),
      () =>
        Effect.fail(
          new Rejection({ code: "run_is_driven", message: "Busy.", hint: "Wait.", open: [], kind: "conflict" })
        )
    )
    const { send } = yield* served(sessions)
    const { json, status } = yield* send(calling("get_next_action"))
    assert.strictEqual(status, 200)
    assert.isTrue(json.result.isError)
    assert.deepInclude(json.result.structuredContent, { error: "run_is_driven", next_step: "Wait." })
  })
})

describe("whoever is refused", () => {
  live("is told why in JSON, with a code and a sentence, whatever they ask", function* () {
    const { port, send } = yield* served(ok())
    const id = String((yield* send({ body: hello() })).headers["mcp-session-id"])
    const ping = rpc("ping")
    const gone = { "mcp-session-id": "nobody" }
    const told = (status: number, error: string | number, asked: Wanted) => ({ status, error, asked })
    for (const { asked, error, status } of [
      told(400, "connection_missing", { method: "DELETE" }),
      told(400, "request_invalid", { headers: { "mcp-session-id": id }, body: `[${ping}]` }),
      told(400, -32600, { body: ping }),
      told(400, -32600, { headers: { "mcp-session-id": id }, body: '{"jsonrpc":"2.0","id":null,"method":"ping"}' }),
      told(400, -32600, { headers: { "mcp-session-id": id }, body: '{"jsonrpc":"1.0","id":1,"method":"ping"}' }),
      told(400, -32600, { body: rpc("notifications/initialized", {}, null) }),
      told(200, -32602, { headers: { "mcp-session-id": id }, body: rpc("tools/list", { cursor: "zzz" }) }),
      told(400, -32022, { headers: { "mcp-session-id": id, "mcp-protocol-version": "2031-01-01" }, body: ping }),
      told(400, -32020, { headers: modern("tools/list").headers, body: rpc("ping", { _meta: modern("ping")._meta }) }),
      told(401, "token_missing", { headers: { authorization: undefined }, body: ping }),
      told(401, "session_unknown", { headers: { authorization: "Bearer wrong" }, body: ping }),
      told(403, "host_not_allowed", { headers: { host: "evil.example" }, body: ping }),
      told(403, "origin_not_allowed", { headers: { origin: "null" }, body: ping }),
      told(404, "connection_unknown", { headers: gone, body: ping }),
      told(404, "connection_unknown", { headers: gone, body: rpc("notifications/initialized", {}, null) }),
      told(404, "connection_unknown", { headers: gone, method: "GET" }),
      told(404, "connection_unknown", { headers: gone, method: "DELETE" }),
      told(404, "not_found", { path: "/mcp/elsewhere", body: ping }),
      ...["GET", "PUT", "PATCH", "OPTIONS"].map((method) => told(405, "method_not_allowed", { method })),
      ...["TRACE", "PROPFIND"].map((method) => told(501, "method_not_implemented", { method })),
      told(406, "not_acceptable", { headers: { accept: "text/html" }, body: ping }),
      told(406, "not_acceptable", { headers: { "mcp-session-id": id, accept: "text/html" }, method: "GET" }),
      ...["gzip", "br", "deflate", "wat", "gzip, identity"].map((encoding) =>
        told(415, "content_encoding_unsupported", { body: "{}", headers: { "content-encoding": encoding } })
      ),
      told(413, "body_too_large", { body: "x".repeat(1_048_577) }),
      told(415, "content_type_unsupported", { headers: { "content-type": "text/plain" }, body: ping }),
      told(415, "content_type_unsupported", { headers: { "content-type": undefined }, body: ping })
    ]) {
      const said = yield* send(asked)
      const which = `${JSON.stringify(asked).slice(0, 200)} at ${port}`
      assert.strictEqual(said.status, status, which)
      assert.match(said.headers["content-type"] ?? "", /^application\/json/, which)
      assert.notInclude(JSON.stringify(said.json), "_tag", which)
      const { code, message } = typeof error === "number" ? said.json.error : { ...said.json, code: said.json.error }
      assert.strictEqual(code, error, which)
      assert.match(message, /\w+ \w+/, which)
      if (status === 405) assert.strictEqual(said.headers.allow, "POST, DELETE", which)
    }
  })

  live(
    "and looks for OAuth is told that there is none, with or without a token, before and below the endpoint",
    function* () {
      const { send } = yield* served(ok())
      for (const path of [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server/mcp",
        "/.well-known/openid-configuration",
        "/.well-known/anything?a=b",
        "/.well-known",
        "/mcp/.well-known/openid-configuration"
      ]) {
        for (const method of ["GET", "POST", "OPTIONS"]) {
          for (const authorization of [undefined, "Bearer wrong", `Bearer ${operatorToken}`]) {
            const { headers, json, status } = yield* send({ path, method, headers: { authorization } })
            assert.strictEqual(status, 404, `${method} ${path}`)
            assert.match(headers["content-type"] ?? "", /\bjson\b/)
            assert.include([json.code, json.error], "not_found")
            assert.notProperty(headers, "www-authenticate")
          }
        }
      }
      // it is open to nobody else's pages all the same
      const foreign = yield* send({ path: "/.well-known/x", method: "GET", headers: { host: "evil.example" } })
      assert.strictEqual(foreign.status, 403)
    }
  )
})

describe("a revision", () => {
  live("is that of the handshake, whichever other that is spoken here a request names afterwards", function* () {
    const { send } = yield* served(ok())
    const versions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
    for (const agreed of versions) {
      const id = String((yield* send({ body: hello(agreed) })).headers["mcp-session-id"])
      for (const named of [...versions, "2026-07-28"]) {
        const headers = { "mcp-session-id": id, "mcp-protocol-version": named }
        const answered = yield* send({ headers, body: rpc("ping") })
        assert.deepStrictEqual(answered.json, { jsonrpc: "2.0", id: 1, result: {} }, `${named} on ${agreed}`)
        assert.strictEqual(answered.headers["mcp-protocol-version"], agreed)
      }
      const headers = { "mcp-session-id": id, "mcp-protocol-version": "2025-03-26" }
      assert.strictEqual((yield* send({ method: "DELETE", headers })).status, 204)
    }
  })
})

describe("subscriptions of the revision 2025-11-25", () => {
  live("are offered, taken and given back; of what is not there, refused", function* () {
    const { send } = yield* served(ok())
    const greeting = yield* send({ body: hello() })
    assert.deepStrictEqual(greeting.json.result.capabilities.resources, { listChanged: true, subscribe: true })
    const id = String(greeting.headers["mcp-session-id"])
    const ask = (method: string, params: object) =>
      Effect.map(
        send({
          headers: { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" },
          body: rpc(method, params, 7)
        }),
        ({ json }) => json
      )
    for (const method of ["resources/subscribe", "resources/unsubscribe"]) {
      assert.deepStrictEqual(yield* ask(method, { uri: "proofline://progress" }), {
        jsonrpc: "2.0",
        id: 7,
        result: {}
      })
      assert.deepInclude((yield* ask(method, { uri: "proofline://elsewhere" })).error, { code: -32002 })
      assert.property(yield* ask(method, {}), "error")
    }
  })

  live("are told over the stream of the session, and only what was asked for", function* () {
    const sessions = ok()
    const { port, send } = yield* served(sessions)
    const id = String((yield* send({ body: hello() })).headers["mcp-session-id"])
    const headers = { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" }
    yield* send({ headers, body: rpc("resources/subscribe", { uri: "proofline://progress" }) })
    const heard: Array<string> = []
    const first = yield* Deferred.make<void>()
    yield* Effect.acquireRelease(
      Effect.callback<ReturnType<typeof get>>((resume) => {
        const authorization = `Bearer ${operatorToken}`
        const request = get({
          host: "127.0.0.1",
          port,
          path: "/mcp",
          headers: { ...headers, authorization, accept: "text/event-stream" }
        })
        request.on("error", () => {})
        request.on("response", (response) => {
          assert.strictEqual(response.statusCode, 200)
          assert.include(response.headers["content-type"] ?? "", "text/event-stream")
          response.on("data", (chunk) => {
            const text = String(chunk)
            if (text.startsWith(":")) resume(Effect.succeed(request))
            for (const line of text.split("\n")) if (line.startsWith("data: ")) heard.push(line.slice(6))
            if (heard.length > 0) Deferred.doneUnsafe(first, Effect.void)
          })
        })
      }),
      (request) => Effect.sync(() => request.destroy())
    )
    yield* sessions.changed
    yield* Deferred.await(first)
    assert.deepStrictEqual(
      heard.map((line) => JSON.parse(line)),
      [{ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "proofline://progress" } }]
    )
  })

  live("need a session and a client that takes streams", function* () {
    const { send } = yield* served(ok())
    const id = String((yield* send({ body: hello() })).headers["mcp-session-id"])
    assert.strictEqual((yield* send({ method: "GET" })).status, 405)
    const headers = { "mcp-session-id": id, accept: "application/json" }
    assert.strictEqual((yield* send({ method: "GET", headers })).status, 406)
  })
})
