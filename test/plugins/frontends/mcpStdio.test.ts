import { assert, describe, it } from "@effect/vitest"
import { layerStdio } from "@proofline/plugins/frontends/mcp"
import { type Answer, operations, operationsAt } from "@proofline/plugins/operations"
import { type Cause, Deferred, Effect, Exit, Fiber, Layer, Queue, Sink, Stdio, Stream } from "effect"
import { effect } from "../../effects.ts"
import { type Scripted, scripted } from "./scriptedSessions.ts"

const work: Answer = { ok: true, body: { success: true, phase: "EXPLORATION" } }

/** A server on pipes that the test holds in its hands. */
const serve = Effect.fnUntraced(function* (sessions: Scripted) {
  const stdin = yield* Queue.unbounded<Uint8Array, Cause.Done>()
  const written: Array<string> = []
  const answered = yield* Queue.unbounded<string>()
  const write = (chunk: string | Uint8Array) => {
    const text = typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk)
    written.push(text)
    const lines = text.split("\n").filter((line) => line !== "")
    return Queue.offerAll(answered, lines)
  }
  const stdio = Stdio.layerTest({ stdin: Stream.fromQueue(stdin), stdout: () => Sink.forEach(write) })
  const server = yield* layerStdio({
    name: "proofline",
    version: "1.2.3",
    token: null,
    agent: null,
    ttlMs: 1_000,
    isPerson: false,
    shown: operationsAt("core")
  }).pipe(Layer.provide([sessions.layer, stdio]), Layer.launch, Effect.forkChild)
  const encoder = new TextEncoder()
  return {
    server,
    written,
    sendBytes: (bytes: Uint8Array) => Queue.offer(stdin, bytes),
    send: (text: string) => Queue.offer(stdin, encoder.encode(text)),
    end: Queue.end(stdin),
    // biome-ignore lint/suspicious/noExplicitAny: what a client sees is looked into
    next: Effect.map(Queue.take(answered), (line): any => JSON.parse(line))
  }
})

const message = (method: string, params: object, id?: number): string =>
  `${JSON.stringify({ jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method, params })}\n`

const initialize = (protocolVersion: string): string =>
  message("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "By Hand", version: "0" } }, 0)

const call = (id: number, name: string): string => message("tools/call", { name, arguments: {} }, id)

describe("the server on standard input and output", () => {
  effect("given a cancelled call whose end is awaited when input ends, answers the others alone", function* () {
    const begun = yield* Deferred.make<void>()
    const gate = yield* Deferred.make<void>()
    const slow = scripted(() =>
      Effect.uninterruptible(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(gate))).pipe(
        Effect.as(work)
      )
    )
    const { end, next, send, server, written } = yield* serve(slow)
    yield* send(initialize("2025-11-25"))
    yield* next
    yield* send(`${message("notifications/initialized", {})}${call(1, "get_next_action")}`)
    yield* Deferred.await(begun)
    yield* send(`${message("notifications/cancelled", { requestId: 1 })}${message("ping", {}, 2)}`)
    assert.deepStrictEqual((yield* next).id, 2)
    yield* end
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.await(server)
    assert.notInclude(written.join(""), '"id":1')
  })

  it.effect.each([
    { method: "tools/call", params: {}, says: "name is missing: it is a text in tools/call" },
    { method: "tools/call", params: { name: "a", arguments: [1] }, says: "arguments does not fit: it is an object" },
    { method: "ping", params: { _meta: 5 }, says: "_meta does not fit: it is an object" },
    { method: "ping", params: [1], says: "params is an object" },
    { method: "resources/read", params: {}, says: "uri is missing" },
    {
      method: "initialize",
      params: { protocolVersion: "1", capabilities: {}, clientInfo: {} },
      says: "clientInfo.name"
    }
  ])("given parameters of $method that do not fit, names the one: $says", ({ method, params, says }) =>
    Effect.gen(function* () {
      const { next, send } = yield* serve(scripted(() => Effect.succeed(work)))
      yield* send(message(method, params, 1))
      const { error } = yield* next
      assert.strictEqual(error.code, -32602)
      assert.include(error.message, says)
    })
  )

  it.effect.each([
    { asked: "2025-11-25", spoken: "2025-11-25" },
    { asked: "2025-06-18", spoken: "2025-06-18" },
    { asked: "2024-11-05", spoken: "2024-11-05" },
    { asked: "2031-01-01", spoken: "2025-11-25" }
  ])("introduces itself to a client of $asked in $spoken, with instructions that fit", ({ asked, spoken }) =>
    Effect.gen(function* () {
      const { next, send } = yield* serve(scripted(() => Effect.succeed(work)))
      yield* send(initialize(asked))
      const { result } = yield* next
      assert.strictEqual(result.protocolVersion, spoken)
      assert.deepInclude(result.serverInfo, { name: "proofline", version: "1.2.3" })
      assert.isAtMost(result.instructions.length, 500)
      assert.include(result.instructions, "get_next_action")
      // every tool it speaks of is there
      const named: ReadonlyArray<string> = result.instructions.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? []
      const known = [...operations.map(({ name }) => name), "expected_payload", "next_step"]
      assert.deepStrictEqual(
        named.filter((name) => !known.includes(name)),
        []
      )
    })
  )

  effect("answers a client without a handshake", function* () {
    const sessions = scripted(() => Effect.succeed(work))
    const { next, send } = yield* serve(sessions)
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "New One", version: "0" }
    }
    yield* send(message("tools/call", { name: "get_next_action", arguments: {}, _meta }, 1))
    const { result } = yield* next
    assert.deepStrictEqual(result.structuredContent, work.body)
    assert.strictEqual(sessions.opened[0]?.agent, "new-one")
  })

  effect("given a request before any handshake, then it says that one comes first, and how", function* () {
    const { next, send } = yield* serve(scripted(() => Effect.succeed(work)))
    yield* send(message("tools/list", {}, 1))
    const { error, id } = yield* next
    assert.deepStrictEqual([id, error.code], [1, -32602])
    assert.match(error.message, /Send initialize and notifications\/initialized first/)
    yield* send(initialize("2025-11-25"))
    assert.strictEqual((yield* next).id, 0)
  })

  effect("ends when standard input ends, and answers first what is under way", function* () {
    const gate = yield* Deferred.make<void>()
    const begun = yield* Deferred.make<void>()
    const sessions = scripted(() =>
      Deferred.succeed(begun, undefined).pipe(Effect.andThen(Deferred.await(gate)), Effect.as(work))
    )
    const { end, next, send, server } = yield* serve(sessions)
    yield* send(initialize("2025-11-25"))
    yield* next
    yield* send(call(1, "get_next_action"))
    yield* Deferred.await(begun)
    yield* end
    yield* Deferred.succeed(gate, undefined)
    assert.deepStrictEqual((yield* next).result.structuredContent, work.body)
    assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(server)))
  })

  effect("ends when standard input ends although nobody ever asked", function* () {
    const { end, server, written } = yield* serve(scripted(() => Effect.succeed(work)))
    yield* end
    assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(server)))
    assert.deepStrictEqual(written, [])
  })

  effect("answers what is no JSON, and reads what comes behind it in the same piece", function* () {
    const { next, send } = yield* serve(scripted(() => Effect.succeed(work)))
    yield* send(initialize("2025-11-25"))
    yield* next
    yield* send(`\n{"jsonrpc"\n\r\n${call(1, "get_next_action")}`)
    const refused = yield* next
    assert.deepInclude(refused, { jsonrpc: "2.0", id: null })
    assert.strictEqual(refused.error.code, -32700)
    assert.deepStrictEqual((yield* next).result.structuredContent, work.body)
  })

  effect("answers what is JSON and no message under its id", function* () {
    const { next, send } = yield* serve(scripted(() => Effect.succeed(work)))
    yield* send(initialize("2025-11-25"))
    yield* next
    for (const [sent, id] of [
      ["{}", null],
      ["null", null],
      ['{"id":5}', 5],
      ['"tools/call"', null],
      ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null],
      ['{"jsonrpc":"1.0","id":5,"method":"ping"}', 5],
      ['{"id":"a","method":"ping"}', "a"],
      ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null],
      ['{"jsonrpc":"2.0","id":[1],"method":"ping"}', null],
      ['{"jsonrpc":"2.0","id":true,"method":"ping"}', null],
      ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 1.5],
      ['{"jsonrpc":"2.0","id":5,"method":7}', 5],
      ['{"jsonrpc":"2.0","result":{}}', null],
      ['[{"jsonrpc":"2.0","id":5,"method":"ping"},{"jsonrpc":"1.0","id":6,"method":"ping"}]', null],
      ["[[]]", null]
    ] as const) {
      yield* send(`${sent}\n`)
      const refused = yield* next
      assert.deepInclude(refused, { jsonrpc: "2.0", id }, sent)
      assert.strictEqual(refused.error.code, -32600, sent)
    }
    yield* send(call(6, "get_next_action"))
    assert.deepStrictEqual((yield* next).result.structuredContent, work.body)
  })

  effect("refuses a cursor, which no list has given", function* () {
    const { next, send } = yield* serve(scripted(() => Effect.succeed(work)))
    yield* send(initialize("2025-11-25"))
    yield* next
    for (const method of ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]) {
      yield* send(message(method, { cursor: "zzz" }, 1))
      assert.deepInclude((yield* next).error, { code: -32602 }, method)
      yield* send(message(method, {}, 1))
      assert.property(yield* next, "result", method)
    }
  })

  effect("answers the second use of an id that is in flight alone, and everything else", function* () {
    const gate = yield* Deferred.make<void>()
    const { next, send } = yield* serve(scripted(() => Effect.as(Deferred.await(gate), work)))
    yield* send(initialize("2025-03-26"))
    yield* next
    const ping = (id: number) => message("ping", {}, id)
    yield* send(`${call(6, "get_next_action")}${ping(6)}${message("ping", { x: "x".repeat(200_000) }, 20)}${ping(21)}`)
    const refused = yield* next
    assert.deepInclude(refused, { jsonrpc: "2.0", id: 6 })
    assert.strictEqual(refused.error.code, -32600)
    for (const id of [20, 21]) assert.deepStrictEqual(yield* next, { jsonrpc: "2.0", id, result: {} })
    // of a batch the same one alone is refused
    yield* send(`[${ping(6).trim()},${ping(22).trim()}]\n`)
    assert.deepInclude((yield* next).error, { code: -32600 })
    assert.deepStrictEqual(yield* next, [{ jsonrpc: "2.0", id: 22, result: {} }])
    yield* Deferred.succeed(gate, undefined)
    const answered = yield* next
    assert.strictEqual(answered.id, 6)
    assert.deepStrictEqual(JSON.parse(answered.result.content[0].text), work.body)
    // once it is answered the id may be used again
    yield* send(ping(6))
    assert.deepStrictEqual(yield* next, { jsonrpc: "2.0", id: 6, result: {} })
  })

  const endless = "x".repeat(1024 * 1024)
  it.effect.each([
    { where: "first", line: `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":"${endless}"}}`, id: 7 },
    { where: "last", line: `{"method":"ping","params":{"x":"${endless}","id":8},"jsonrpc":"2.0","id":"7"}`, id: "7" },
    { where: "in between", line: `{"params":{"x":"${endless}"},"id":7,"method":"${endless}"}`, id: null },
    { where: "nowhere", line: `{"x":"${endless}","y":[{"id":8}]}`, id: null },
    { where: "nowhere, as it is no JSON", line: endless.repeat(3), id: null }
  ])("answers a line that is too long under the id it has $where, and reads what comes behind it", ({ id, line }) =>
    Effect.gen(function* () {
      const { next, send } = yield* serve(scripted(() => Effect.succeed(work)))
      yield* send(initialize("2025-11-25"))
      yield* next
      // as a pipe brings it
      for (let at = 0; at < line.length; at += 65_536) yield* send(line.slice(at, at + 65_536))
      yield* send(`\n${call(9, "get_next_action")}`)
      const refused = yield* next
      assert.deepInclude(refused, { jsonrpc: "2.0", id })
      assert.strictEqual(refused.error.code, -32600)
      assert.include(refused.error.message, "1024 KiB")
      assert.deepStrictEqual((yield* next).result.structuredContent, work.body)
    })
  )

  effect("takes a line as long as may be, and one that nothing ends", function* () {
    const { end, next, send } = yield* serve(scripted(() => Effect.succeed(work)))
    yield* send(initialize("2025-11-25"))
    yield* next
    const bare = message("ping", { x: "" }, 1).length - 1
    yield* send(message("ping", { x: "x".repeat(1024 * 1024 - bare) }, 1))
    assert.deepStrictEqual(yield* next, { jsonrpc: "2.0", id: 1, result: {} })
    yield* send(call(2, "get_next_action").trimEnd())
    yield* end
    assert.deepStrictEqual((yield* next).result.structuredContent, work.body)
  })

  it.effect.each([
    { given: '{"file_path":"a.py"}', read: { file_path: "a.py" } },
    { given: null, read: {} }
  ])("takes $given for the arguments it stands for", ({ given, read }) =>
    Effect.gen(function* () {
      const sessions = scripted(() => Effect.succeed(work))
      const { next, send } = yield* serve(sessions)
      yield* send(initialize("2025-11-25"))
      yield* next
      yield* send(message("tools/call", { name: "check_write_target", arguments: given }, 1))
      assert.deepStrictEqual((yield* next).result.structuredContent, work.body)
      assert.deepStrictEqual(sessions.asked[0]?.args, read)
    })
  )

  effect("reads a message that comes in pieces, in the middle of a letter", function* () {
    const sessions = scripted(() => Effect.succeed(work))
    const { next, sendBytes, send } = yield* serve(sessions)
    yield* send(initialize("2025-11-25"))
    yield* next
    const line = message("tools/call", { name: "submit_phase", arguments: { data: { text: "é😀" } } }, 1)
    for (const byte of new TextEncoder().encode(line)) yield* sendBytes(Uint8Array.of(byte))
    yield* next
    assert.deepStrictEqual(sessions.asked[0]?.args, { data: { text: "é😀" } })
  })

  effect("tells the client what it sent wrong, and goes on", function* () {
    const { next, send, written } = yield* serve(scripted(() => Effect.succeed(work)))
    yield* send(initialize("2025-11-25"))
    yield* next
    yield* send(call(1, "no_such_tool"))
    assert.include((yield* next).error.message, "no_such_tool")
    yield* send(call(2, "get_next_action"))
    assert.deepStrictEqual((yield* next).result.structuredContent, work.body)
    for (const line of written.join("").trimEnd().split("\n")) assert.strictEqual(JSON.parse(line).jsonrpc, "2.0")
  })

  it.effect.each([{ id: 7 }, { id: "seven" }])(
    "answers a message that is nested too deep under its id $id, and reads what comes behind it",
    ({ id }) =>
      Effect.gen(function* () {
        const sessions = scripted(() => Effect.succeed(work))
        const { next, send } = yield* serve(sessions)
        yield* send(initialize("2025-11-25"))
        yield* next
        const deep = `${"[".repeat(8_000)}${"]".repeat(8_000)}`
        const params = `{"name":"submit_phase","arguments":{"data":{"deep":${deep}}}}`
        const line = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":${params}}\n`
        yield* send(`${line}${call(8, "get_next_action")}`)
        const refused = yield* next
        assert.deepInclude(refused, { jsonrpc: "2.0", id })
        assert.deepInclude(refused.error, { code: -32600, data: { error: "request_too_deep" } })
        const answered = yield* next
        assert.strictEqual(answered.id, 8)
        assert.deepStrictEqual(answered.result.structuredContent, work.body)
        assert.deepStrictEqual(
          sessions.asked.map(({ operation }) => operation),
          ["get_next_action"]
        )
      })
  )
})
