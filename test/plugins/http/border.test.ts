import { mkdirSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from "node:zlib"
import { assert, describe } from "@effect/vitest"
import { LogUnavailable } from "@proofline/kernel"
import { aTask } from "@proofline/kernel/testing"
import { Deferred, Effect, Fiber } from "effect"
import { live } from "../../effects.ts"
import { directory, operatorToken, staged, type Wanted } from "./stage.ts"

/** What every answer says to a browser. */
const assertSecured = (headers: Readonly<Record<string, unknown>>, where: string) => {
  assert.include(String(headers["content-security-policy"]), "default-src 'none'; script-src 'self'", where)
  assert.deepInclude(
    headers,
    {
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin"
    },
    where
  )
  assert.notProperty(headers, "access-control-allow-origin", where)
  assert.notProperty(headers, "set-cookie", where)
}

/** A built page. */
const builtPage = Effect.map(directory, (path) => {
  mkdirSync(join(path, "assets"))
  writeFileSync(join(path, "index.html"), "<!doctype html><title>page</title>")
  writeFileSync(join(path, "assets", "index-Bx_1-a.js"), `console.log(${"1+".repeat(2_000)}1)`)
  writeFileSync(join(path, "assets", "packed-Cy_2.js.br"), brotliCompressSync(`console.log(${"2+".repeat(2_000)}2)`))
  writeFileSync(join(path, "assets", "secret"), "no file of a page")
  writeFileSync(join(path, "..", "outside.txt"), "outside")
  return path
})

/** Bytes as they are, as no client would send them. */
const raw = (port: number, bytes: string) =>
  Effect.callback<string>((resume) => {
    const socket = connect(port, "127.0.0.1")
    let text = ""
    socket.on("data", (chunk) => (text += String(chunk)))
    socket.on("close", () => resume(Effect.succeed(text)))
    socket.on("error", () => resume(Effect.succeed(text)))
    socket.write(bytes)
    return Effect.sync(() => socket.destroy())
  })

describe("who is let in", () => {
  live(
    "given a foreign host, origin or token, when the API is asked, then it is refused as a problem that says nothing of the project",
    function* () {
      const { port, root, send } = yield* staged()
      const cases: ReadonlyArray<readonly [headers: NonNullable<Wanted["headers"]>, status: number, code: string]> = [
        [{ host: "evil.example" }, 403, "host_not_allowed"],
        [{ host: `evil.example:${port}` }, 403, "host_not_allowed"],
        [{ origin: "http://evil.example" }, 403, "origin_not_allowed"],
        [{ origin: "null" }, 403, "origin_not_allowed"],
        [{ authorization: undefined }, 401, "token_missing"],
        [{ authorization: "Basic abc" }, 401, "token_missing"],
        [{ authorization: "Bearer wrong" }, 401, "token_unknown"],
        [{ authorization: "Bearer good" }, 403, "operator_only"],
        [{ authorization: "Bearer att_good" }, 403, "operator_only"],
        [{ authorization: undefined, cookie: `token=${operatorToken}` }, 401, "token_missing"]
      ]
      for (const path of ["/api/v1/about", "/api/v1/runs", "/api/v1/events/stream", "/api/v1/runs/run_1"]) {
        for (const [given, status, code] of cases) {
          const answer = yield* send(path, { headers: given })
          const where = `${path} ${JSON.stringify(given)}`
          assert.deepStrictEqual([answer.status, answer.json?.code], [status, code], where)
          assert.strictEqual(answer.headers["content-type"], "application/problem+json")
          assert.strictEqual(answer.headers["www-authenticate"] !== undefined, status === 401)
          assert.notInclude(answer.text, root)
          assertSecured(answer.headers, where)
        }
      }
      for (const headers of [{}, { origin: `http://127.0.0.1:${port}` }, { host: `localhost:${port}` }]) {
        const answer = yield* send("/api/v1/about", { headers })
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.headers["cache-control"], "no-store")
        assertSecured(answer.headers, "about")
      }
    }
  )

  live(
    "given a log that cannot be read, when a token is shown, then nothing of the log is told to who shows it",
    function* () {
      const gone = new LogUnavailable({
        code: "log_failed",
        message: "The log /home/somebody/log cannot be used.",
        hint: "Look at /home/somebody."
      })
      const { send } = yield* staged({ authenticate: () => Effect.fail(gone) })
      const { json, status, text } = yield* send("/api/v1/about", { headers: { authorization: "Bearer some" } })
      assert.deepStrictEqual([status, json.code], [503, "log_failed"])
      assert.notInclude(text, "somebody")
    }
  )

  live("given no token, when the page or its description is read, then it is given, and nothing else is", function* () {
    const page = yield* builtPage
    const { send } = yield* staged({ page })
    const none = { authorization: undefined }
    for (const path of ["/", "/index.html", "/assets/index-Bx_1-a.js", "/openapi.json", "/?a=b"]) {
      for (const method of ["GET", "HEAD"]) {
        const { headers, status } = yield* send(path, { headers: none, method })
        assert.strictEqual(status, 200, `${method} ${path}`)
        assertSecured(headers, path)
      }
      assert.strictEqual((yield* send(path, { headers: none, method: "POST" })).status, 401)
      const foreign = yield* send(path, { headers: { ...none, host: "evil.example" } })
      assert.deepStrictEqual([foreign.status, foreign.json.code], [403, "host_not_allowed"])
      const other = yield* send(path, { headers: { ...none, origin: "http://evil.example" } })
      assert.strictEqual(other.status, 403)
    }
    for (const path of [
      "/mcp",
      "/api/v1/about",
      "/api",
      "/assets",
      "/assets/",
      "/nothing",
      "//api/v1/about",
      "/API/v1/about"
    ]) {
      assert.strictEqual((yield* send(path, { headers: none })).status, 401, path)
    }
  })

  live("given paths that lead out of the page, when they are read, then nothing of the disk is", function* () {
    const page = yield* builtPage
    const { port, send } = yield* staged({ page })
    const paths = [
      "/../outside.txt",
      "/assets/../../outside.txt",
      "/..%2foutside.txt",
      "/%2e%2e/outside.txt",
      "/assets/..%5c..%5coutside.txt",
      "/assets/%00",
      "/assets/secret",
      "/assets/index-Bx_1-a.js/..",
      "/assets//index-Bx_1-a.js",
      "/%61ssets/index-Bx_1-a.js%00",
      "/etc/passwd",
      "//etc/passwd"
    ]
    for (const path of paths) {
      for (const authorization of [undefined, `Bearer ${operatorToken}`]) {
        const { status, text } = yield* send(path, { headers: { authorization } })
        assert.include([200, 400, 401, 404], status, path)
        assert.notInclude(text, "outside", path)
        assert.notInclude(text, "no file of a page", path)
        assert.notInclude(text, "root:", path)
        if (status === 200) assert.match(text, /^console/)
      }
    }
    const requests = [
      `GET http://evil.example/api/v1/about HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`,
      `TRACE /api/v1/about HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`,
      `PROPFIND / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`,
      `OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`,
      `GET /\\..\\outside.txt HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`,
      `GET /%zz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`,
      `GET /api/v1/runs/%zz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`
    ]
    for (const request of requests) {
      const answer = yield* raw(port, `${request}Authorization: Bearer ${operatorToken}\r\nConnection: close\r\n\r\n`)
      assert.match(answer, /^HTTP\/1\.1 (?:4\d\d|501) /, request)
      assert.notMatch(answer, /outside\.txt|node_modules|at .*\.ts:/, request)
    }
  })

  live("given no page, when it is read, then that is said", function* () {
    const { send } = yield* staged()
    const { headers, status, text } = yield* send("/", { headers: { authorization: undefined } })
    assert.strictEqual(status, 404)
    assert.include(String(headers["content-type"]), "text/html")
    assert.include(text, "The page was not built")
  })
})

describe("how much is let in", () => {
  live(
    "given a body of more than a MiB, said or not, when it is sent, then it is refused and the server goes on",
    function* () {
      const { send } = yield* staged()
      const piece = "x".repeat(64 * 1024)
      const body = ['{"file":"', ...Array.from({ length: 17 }, () => piece), '"}']
      const length = String(body.join("").length)
      for (const headers of [{ "content-length": length }, { "transfer-encoding": "chunked" }]) {
        const exit = yield* Effect.exit(
          send("/api/v1/runs", { method: "POST", headers: { ...headers, "content-type": "application/json" }, body })
        )
        // the server may hang up before all of it was sent
        if (exit._tag === "Success") {
          assert.deepStrictEqual([exit.value.status, exit.value.json.code], [413, "body_too_large"])
        }
      }
      assert.strictEqual((yield* send("/api/v1/about")).status, 200)
    }
  )

  live(
    "given more requests than the rate of a token, when they come, then the rest is told when to come again",
    function* () {
      const { send } = yield* staged({ rate: { perSecond: 0.01, burst: 3 } })
      const statuses = yield* Effect.forEach([1, 2, 3, 4], () =>
        Effect.map(send("/api/v1/about"), ({ status }) => status)
      )
      assert.deepStrictEqual(statuses, [200, 200, 200, 429])
      const { headers, json } = yield* send("/api/v1/about")
      assert.strictEqual(json.code, "rate_limited")
      assert.isAtLeast(Number(headers["retry-after"]), 90)
      // others have a rate of their own, and the page too
      assert.strictEqual((yield* send("/api/v1/about", { headers: { authorization: "Bearer good" } })).status, 403)
      assert.strictEqual((yield* send("/openapi.json", { headers: { authorization: undefined } })).status, 200)
    }
  )

  live("given 256 requests under way, when one more comes, then it is refused, and let in afterwards", function* () {
    const gate = yield* Deferred.make<void>()
    const full = yield* Deferred.make<void>()
    let count = 0
    const inputs = Effect.gen(function* () {
      if (++count === 256) yield* Deferred.succeed(full, undefined)
      yield* Deferred.await(gate)
      return []
    })
    const { send } = yield* staged({ project: { inputs } })
    const many = yield* Effect.forkChild(
      Effect.forEach(Array.from({ length: 256 }), () => send("/api/v1/inputs"), { concurrency: 256 })
    )
    yield* Deferred.await(full)
    const refused = yield* send("/api/v1/about")
    assert.deepStrictEqual([refused.status, refused.json.code], [429, "too_many_requests"])
    assert.strictEqual(refused.headers["retry-after"], "1")
    yield* Deferred.succeed(gate, undefined)
    for (const { status } of yield* Fiber.join(many)) assert.strictEqual(status, 200)
    assert.strictEqual((yield* send("/api/v1/about")).status, 200)
  })
})

describe("what does not fit", () => {
  live("given parameters and bodies that are wrong, when they are sent, then each is named", function* () {
    const { begin, post, send } = yield* staged()
    yield* begin("run_1")
    const cases: ReadonlyArray<readonly [path: string, named: string]> = [
      ["/runs?limit=0", "query.limit"],
      ["/runs?limit=1001", "query.limit"],
      ["/runs?limit=x", "query.limit"],
      ["/runs?status=done", "running, completed"],
      ["/runs?status=running,", "running, completed"],
      ["/runs?kind=task", "tasks, requirements"],
      ["/runs/run_1/events?visibility=all", "query.visibility"],
      ["/runs/run_1/events?types=A%20B", "types"],
      ["/runs/run_1/tasks/a/attempts/one", "path.attempt"],
      ["/runs/run_1/tasks/a/checklist/0.5/evidence", "path.index"],
      ["/events/stream?after=-1", "query.after"],
      ["/events/stream?after=99", "position 99"]
    ]
    for (const [path, named] of cases) {
      const { json, status } = yield* send(`/api/v1${path}`)
      assert.strictEqual(status, 400, path)
      assert.include(JSON.stringify(json), named, path)
      assert.match(json.hint, /\S/)
    }
    for (const cursor of ["x", "%00", btoa("[]"), btoa('["tasks","a"]'), btoa('["runs",1,2]')]) {
      const { json, status } = yield* send(`/api/v1/runs?cursor=${encodeURIComponent(cursor)}`)
      assert.deepStrictEqual([status, json.code], [400, "cursor_invalid"], cursor)
    }
    const gone = btoa('["tasks","gone"]').replaceAll("=", "")
    assert.strictEqual((yield* send(`/api/v1/runs/run_1/tasks?cursor=${gone}`)).json.code, "cursor_invalid")
    for (const id of ["x", "-1", "1.5", "1e3", "9".repeat(20)]) {
      const { json, status } = yield* send("/api/v1/events/stream", { headers: { "last-event-id": id } })
      assert.deepStrictEqual([status, json.code], [400, "position_invalid"], id)
    }
    const body = yield* post("/api/v1/runs", { file: 1, workers: "many", nonsense: true })
    assert.strictEqual(body.status, 400)
    const named = body.json.problems.map(({ message }: { readonly message: string }) => message).join("\n")
    assert.include(named, "body.file")
    const misspelt = yield* post("/api/v1/runs", { flie: "tasks.yaml" })
    assert.include(misspelt.json.detail, "body.flie: There is no such key here. Did you mean file?")
    const list = yield* post("/api/v1/runs", [])
    assert.strictEqual(list.json.detail, "body: Expected what /openapi.json calls StartRequest")
    const limit = yield* send("/api/v1/runs?limit=x")
    assert.strictEqual(limit.json.detail, "query.limit: Expected a number")
    for (const text of ["{", "", "[]", "null", "[".repeat(100_000)]) {
      const answer = yield* send("/api/v1/runs", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: text
      })
      assert.deepStrictEqual([answer.status, answer.json.code], [400, "request_invalid"], text.slice(0, 10))
    }
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
      const answer = yield* send("/api/v1/runs", {
        method: "POST",
        headers: { "content-type": type },
        body: "file=a"
      })
      assert.deepStrictEqual([answer.status, answer.json.code], [415, "content_type_unsupported"], type)
    }
  })

  live("given a wrong method, when it is used, then the right ones are named", function* () {
    const { send } = yield* staged()
    const cases: ReadonlyArray<readonly [method: string, path: string, allow: string]> = [
      ["DELETE", "/runs", "GET, HEAD, POST"],
      ["PUT", "/runs/run_1", "GET, HEAD"],
      ["GET", "/runs/run_1/cancel", "POST"],
      ["OPTIONS", "/about", "GET, HEAD"],
      ["PATCH", "/runs/run_1/tasks/a%2Fb", "GET, HEAD"]
    ]
    for (const [method, path, allow] of cases) {
      const { headers, json, status } = yield* send(`/api/v1${path}`, { method })
      assert.deepStrictEqual(
        [status, json.code, headers["allow"]],
        [405, "method_not_allowed", allow],
        `${method} ${path}`
      )
    }
  })

  live("given a method that no address takes, when it is used, then it is refused as that, wherever", function* () {
    const { send } = yield* staged()
    for (const path of ["/api/v1/runs", "/openapi.json", "/nothing"]) {
      const { json, status } = yield* send(path, { method: "TRACE" })
      assert.deepStrictEqual([status, json.code], [501, "method_not_implemented"], path)
    }
    const { headers, json, status } = yield* send("/openapi.json", { method: "PUT" })
    assert.deepStrictEqual([status, json.code, headers["allow"]], [405, "method_not_allowed", "GET, HEAD"])
  })

  live(
    "given HEAD, when an address takes GET, then it is answered like that without a body, and no stream is opened",
    function* () {
      const { begin, events, send } = yield* staged()
      yield* begin("run_1")
      const paths = [
        "/about",
        "/runs",
        "/runs/run_1",
        "/runs/run_1/tasks/a",
        "/runs/run_9",
        "/nothing",
        "/runs?limit=x"
      ]
      for (const path of paths) {
        const [head, get] = [yield* send(`/api/v1${path}`, { method: "HEAD" }), yield* send(`/api/v1${path}`)]
        for (const name of ["content-type", "content-length", "etag"]) {
          assert.deepStrictEqual([head.status, head.headers[name]], [get.status, get.headers[name]], `${path} ${name}`)
        }
        assert.strictEqual(head.text, "")
      }
      for (const path of ["/events/stream", "/runs/run_1/events/stream"]) {
        const { headers, status } = yield* send(`/api/v1${path}`, { method: "HEAD" })
        assert.strictEqual(status, 200, path)
        assert.include(String(headers["content-type"]), "text/event-stream")
      }
      assert.strictEqual(yield* events.open, 0)
      assert.strictEqual((yield* send("/api/v1/runs/run_1/cancel", { method: "HEAD" })).status, 405)
    }
  )

  live("given an id longer than any, when it is asked for, then there is no such thing", function* () {
    const { send } = yield* staged()
    for (const length of [4_096, 4_097, 8_000]) {
      assert.strictEqual((yield* send(`/api/v1/runs/${"a".repeat(length)}`)).status, 404, String(length))
    }
  })

  live(
    "given values that no process can be handed, when a run is to start with them, then each is named",
    function* () {
      const { post } = yield* staged()
      for (const [path, whole] of [
        ["/runs", { file: "tasks.yaml" }],
        ["/runs/run_1/resume", {}]
      ] as const) {
        for (const name of ["agent", "agent_command", "reviewer"]) {
          for (const value of ["a\0b", "a".repeat(20_001)]) {
            const { json, status } = yield* post(`/api/v1${path}`, { ...whole, [name]: value })
            assert.deepStrictEqual([status, json.code], [400, "request_invalid"], `${path} ${name}`)
            assert.include(json.detail, `body.${name}`)
          }
        }
      }
    }
  )

  live("given a mistake of the server, when it shows, then who asked is told nothing of it", function* () {
    const { send } = yield* staged({ project: { inputs: Effect.die(new Error("secret of /home/somebody")) } })
    const { json, status, text } = yield* send("/api/v1/inputs")
    assert.deepStrictEqual([status, json.code], [500, "internal"])
    assert.notInclude(text, "secret")
  })
})

describe("what is loaded again", () => {
  live("given an answer that the client has, when it asks with its tag, then it is not sent again", function* () {
    const page = yield* builtPage
    const { begin, send } = yield* staged({ page })
    yield* begin("run_1")
    for (const path of [
      "/api/v1/runs/run_1",
      "/api/v1/runs/run_1/tasks",
      "/openapi.json",
      "/",
      "/assets/index-Bx_1-a.js"
    ]) {
      const first = yield* send(path)
      const tag = String(first.headers["etag"])
      assert.match(tag, /^"[0-9a-f]{32}"$/, path)
      for (const known of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
        const again = yield* send(path, { headers: { "if-none-match": known } })
        assert.deepStrictEqual([again.status, again.bytes.length, again.headers["etag"]], [304, 0, tag], path)
      }
      assert.strictEqual((yield* send(path, { headers: { "if-none-match": '"other"' } })).status, 200)
    }
    const before = yield* send("/api/v1/runs")
    yield* begin("run_2")
    const after = yield* send("/api/v1/runs", { headers: { "if-none-match": String(before.headers["etag"]) } })
    assert.strictEqual(after.status, 200)
    const assets = yield* send("/assets/index-Bx_1-a.js")
    assert.strictEqual(assets.headers["cache-control"], "public, max-age=31536000, immutable")
    assert.strictEqual((yield* send("/")).headers["cache-control"], "no-cache")
  })

  live(
    "given a client that reads gzip or br, when an answer is long, then it is compressed, and the tag still names it",
    function* () {
      const page = yield* builtPage
      const { begin, send } = yield* staged({ page })
      yield* begin(
        "run_1",
        Array.from({ length: 50 }, (_, i) => aTask(`task-${i}`))
      )
      for (const path of [
        "/api/v1/runs/run_1/tasks",
        "/openapi.json",
        "/assets/index-Bx_1-a.js",
        "/assets/packed-Cy_2.js"
      ]) {
        const plain = yield* send(path)
        assert.notProperty(plain.headers, "content-encoding")
        for (const [encoding, unpack] of [
          ["gzip", gunzipSync],
          ["br", brotliDecompressSync]
        ] as const) {
          const packed = yield* send(path, { headers: { "accept-encoding": encoding } })
          assert.strictEqual(packed.headers["content-encoding"], encoding, path)
          assert.include(String(packed.headers["vary"]).toLowerCase(), "accept-encoding")
          assert.isBelow(packed.bytes.length, plain.bytes.length)
          assert.deepStrictEqual(unpack(packed.bytes), plain.bytes)
          const tag = String(packed.headers["etag"])
          const again = yield* send(path, { headers: { "accept-encoding": encoding, "if-none-match": tag } })
          assert.strictEqual(again.status, 304)
        }
      }
    }
  )
})
