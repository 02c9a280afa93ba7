import { assert, describe, it } from "@effect/vitest"
import { LogUnavailable, Rejection } from "@proofline/kernel"
import { type Answer, type Level, makeCaller, operations, operationsAt } from "@proofline/plugins/operations"
import { Deferred, Effect, Fiber, Layer, Logger, Queue } from "effect"
import { McpProtocol, McpTest } from "effect/ai"
import { TestClock } from "effect/testing"
import { tools } from "../../../packages/plugins/src/frontends/mcp/tools.ts"
import { effect } from "../../effects.ts"
import { type Scripted, scripted } from "./scriptedSessions.ts"

const protocols = [
  McpProtocol.v2026_07_28,
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05
] as const

const connect = (
  sessions: Scripted,
  options: {
    readonly agent?: string | null
    readonly token?: string
    readonly isPerson?: boolean
    readonly level?: Level
    readonly client?: string
    readonly protocolVersion?: (typeof protocols)[number]["protocolVersion"]
  } = {}
) =>
  McpTest.makeClient(
    Layer.unwrap(
      Effect.map(
        makeCaller({
          token: options.token ?? null,
          agent: options.agent ?? null,
          ttlMs: 1_000,
          isPerson: options.isPerson ?? false
        }),
        (caller) => tools(Effect.succeed(caller), operationsAt(options.level ?? "all"), operations)
      )
    ).pipe(Layer.provide(sessions.layer)),
    {
      protocols,
      protocolVersion: options.protocolVersion ?? "2025-11-25",
      clientInfo: { name: options.client ?? "Some Client", version: "1" }
    }
  )

const work: Answer = {
  ok: true,
  body: { success: true, phase: "READY_IMPL", instruction: "Go on.", expected_payload: {}, progress: { open: ["a"] } }
}
const refused: Answer = {
  ok: false,
  body: { success: false, error: "payload_mismatch", message: "No.", next_step: "Repair it.", failures: [{ key: "k" }] }
}
const closed = (reopen: boolean): Answer => ({
  ok: false,
  body: { success: false, error: "session_closed", message: "It is over.", next_step: "Stop.", reopen }
})
const ok = scripted.bind(null, () => Effect.succeed(work))

const textOf = ({ content }: { readonly content: ReadonlyArray<object> }): unknown => {
  const [block] = content
  return block !== undefined && "text" in block ? JSON.parse(String(block.text)) : undefined
}

describe("the tools", () => {
  effect("are the operations, in their order, each with everything a client wants to know", function* () {
    const client = yield* connect(ok())
    const { tools } = yield* client.listTools()
    assert.deepStrictEqual(
      tools.map(({ name }) => name),
      operations.map(({ name }) => name)
    )
    for (const [i, tool] of tools.entries()) {
      const operation = operations[i]
      assert.strictEqual(tool.title, operation?.title)
      assert.strictEqual(tool.description, operation?.description)
      assert.deepStrictEqual(
        { ...tool.annotations },
        {
          title: operation?.title,
          readOnlyHint: operation?.readOnly,
          destructiveHint: false,
          idempotentHint: operation?.idempotent,
          openWorldHint: false
        }
      )
      assert.deepStrictEqual(
        tool._meta,
        operation?.level === "core" || operation?.subject === "attempt" ? { "anthropic/alwaysLoad": true } : undefined
      )
      assert.match(tool.name, /^[a-z_]{1,40}$/)
    }
  })

  effect("declare their arguments, each with its type", function* () {
    const client = yield* connect(ok())
    const { tools } = yield* client.listTools()
    const schemas = Object.fromEntries(tools.map(({ inputSchema, name }) => [name, inputSchema]))
    assert.deepStrictEqual(schemas["complete_task"]?.required, ["task_id", "data"])
    assert.deepStrictEqual(schemas["get_next_action"]?.required ?? [], [])
    assert.include(JSON.stringify(schemas["complete_task"]?.properties?.["data"]), "checklist")
    assert.include(JSON.stringify(schemas["create_tasks"]?.properties?.["tasks"]), "local_id")
    for (const { inputSchema } of tools) assert.property(inputSchema.properties, "session_token")
  })
})

describe("what is shown", () => {
  const core = [
    "get_next_action",
    "submit_phase",
    "check_write_target",
    "complete_task",
    "update_task_status",
    "get_my_task",
    "get_my_task_progress",
    "report_completed"
  ]

  effect("is the eight tools of an agent's own work by default, and more when it is asked for", function* () {
    const shown = (level: Level) =>
      Effect.flatMap(connect(ok(), { level }), (client) =>
        Effect.map(client.listTools(), ({ tools }) => tools.map(({ name }) => name))
      )
    assert.deepStrictEqual(yield* shown("core"), core)
    const standard = yield* shown("standard")
    assert.includeMembers(standard, [...core, "create_tasks", "get_run", "submit_review"])
    const all = yield* shown("all")
    assert.includeMembers(all, [...standard, "answer_approval"])
    assert.isAbove(all.length, standard.length)
  })

  effect("is not all that is answered: a sentence may name another", function* () {
    const sessions = ok()
    const client = yield* connect(sessions, { level: "core" })
    for (const { name } of operations) {
      const answer = yield* client.callTool({ name, arguments: {} })
      assert.property(textOf(answer), "success", name)
    }
    const unknown = yield* Effect.exit(client.callTool({ name: "no_such_tool", arguments: {} }))
    assert.strictEqual(unknown._tag, "Failure")
  })
})

describe("whose an operation is", () => {
  const one = (name: string) => ({ name, arguments: { data: {}, tasks: [], task_id: "t", answer: "yes" } })

  effect("says who carries it out, for whoever looks after the project", function* () {
    for (const isPerson of [false, true]) {
      const sessions = ok()
      const client = yield* connect(sessions, { isPerson })
      for (const { name } of operations) yield* client.callTool(one(name))
      const asked = (who: string) => sessions.asked.filter(({ session }) => session === who).map((a) => a.operation)
      const of = (subject: string) => operations.filter((o) => o.subject === subject).map(({ name }) => name)
      assert.deepStrictEqual(asked("s1"), of("session"))
      assert.deepStrictEqual(asked(isPerson ? "person" : "oversight"), of("project"))
      assert.strictEqual(sessions.asked.length, of("session").length + of("project").length)
    }
  })

  effect(
    "keeps a session's token and an attempt's token from the whole project, and each from the other's",
    function* () {
      for (const [token, who, mine] of [
        ["good", "theirs", ["session"]],
        ["att_good", "attempt", ["session", "attempt"]]
      ] as const) {
        const sessions = ok()
        const client = yield* connect(sessions, { token, isPerson: true })
        for (const { name, subject } of operations) {
          const answer = yield* client.callTool(one(name))
          const isMine = (mine as ReadonlyArray<string>).includes(subject)
          assert.strictEqual(answer.isError === true, !isMine, `${token} ${name}`)
          if (!isMine) {
            assert.include(["operator_only", "attempt_only"], (textOf(answer) as { readonly error: string }).error)
          }
        }
        assert.deepStrictEqual(new Set(sessions.asked.map(({ session }) => session)), new Set([who]))
        assert.deepStrictEqual(sessions.opened, [])
      }
    }
  )

  effect("does not change with a token among the arguments that the connection does not show", function* () {
    for (const token of ["good", "att_good"]) {
      const sessions = ok()
      const client = yield* connect(sessions, { token })
      const other = token === "good" ? "att_good" : "good"
      for (const { name } of operations) {
        const call = one(name)
        const answer = yield* client.callTool({ name, arguments: { ...call.arguments, session_token: other } })
        assert.deepInclude(textOf(answer), { error: "token_mismatch" })
      }
      assert.deepStrictEqual(sessions.asked, [])
    }
  })
})

describe("an answer", () => {
  for (const protocol of protocols) {
    effect(`comes as text over ${protocol.protocolVersion}, and as structure where there is one`, function* () {
      const sessions = scripted(({ operation }) => Effect.succeed(operation === "complete_task" ? refused : work))
      const client = yield* connect(sessions, { protocolVersion: protocol.protocolVersion })
      const structured = protocol.protocolVersion >= "2025-06-18"

      const good = yield* client.callTool({ name: "get_next_action", arguments: {} })
      assert.isNotTrue(good.isError)
      assert.deepStrictEqual(textOf(good), work.body)
      assert.deepStrictEqual(good.structuredContent, structured ? work.body : undefined)

      const bad = yield* client.callTool({ name: "complete_task", arguments: { task_id: "a", data: {} } })
      assert.isTrue(bad.isError)
      assert.deepStrictEqual(textOf(bad), refused.body)
      assert.deepStrictEqual(bad.structuredContent, structured ? refused.body : undefined)
    })
  }

  effect("is passed on as it is: nothing is added to progress", function* () {
    const body = { tasks: [{ id: "a", title: "A", status: "todo", subtasks: [] }] }
    const client = yield* connect(scripted(() => Effect.succeed({ ok: true, body })))
    const result = yield* client.callTool({ name: "get_my_task_progress", arguments: {} })
    assert.deepStrictEqual(result.structuredContent, body)
    assert.deepStrictEqual(textOf(result), body)
  })
})

describe("the arguments", () => {
  effect("come to the service as they were sent, texts of JSON too", function* () {
    const sessions = ok()
    const client = yield* connect(sessions)
    const data = { summary: "s", checklist: [] }
    yield* client.callTool({ name: "submit_phase", arguments: { data } })
    yield* client.callTool({ name: "submit_phase", arguments: { data: JSON.stringify(data) } })
    yield* client.callTool({ name: "create_tasks", arguments: { tasks: "[" } })
    yield* client.callTool({ name: "get_next_action" })
    assert.deepStrictEqual(
      sessions.asked.map(({ args }) => args),
      [{ data }, { data: JSON.stringify(data) }, { tasks: "[" }, {}]
    )
  })

  effect("come to the service also when they do not fit: it knows where the work stands, and says so", function* () {
    const sessions = ok()
    const client = yield* connect(sessions)
    const args = { file_path: 3, allow_new_files: "perhaps" }
    yield* client.callTool({ name: "check_write_target", arguments: args })
    assert.deepStrictEqual(sessions.asked[0]?.args, args)
  })

  effect("never hold a token that is no text: it belongs to no session", function* () {
    const sessions = ok()
    const client = yield* connect(sessions)
    const result = yield* client.callTool({ name: "get_my_task", arguments: { session_token: 5 } })
    assert.isTrue(result.isError)
    assert.deepStrictEqual([sessions.opened, sessions.authenticated, sessions.asked], [[], ["5"], []])
  })
})

describe("the session of a connection", () => {
  effect("is opened by the first call, once, also when many come at once", function* () {
    const gate = yield* Deferred.make<void>()
    const sessions = scripted(
      () => Effect.succeed(work),
      () => Deferred.await(gate)
    )
    const client = yield* connect(sessions)
    yield* client.listTools()
    assert.deepStrictEqual(sessions.opened, [])
    const calls = yield* Effect.forEach([1, 2, 3, 4, 5], () =>
      Effect.forkChild(client.callTool({ name: "get_next_action", arguments: {} }), { startImmediately: true })
    )
    // requests are read in their order: when these are answered, all calls have come
    yield* Effect.repeat(client.listTools(), { times: 5 })
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.joinAll(calls)
    assert.deepStrictEqual(sessions.opened, [
      { agent: "some-client", ofProcess: true, ttl_ms: 1_000, isLeaving: false }
    ])
    assert.deepStrictEqual(
      sessions.asked.map(({ session }) => session),
      ["s1", "s1", "s1", "s1", "s1"]
    )
  })

  it.effect.each([
    { client: "Claude Code", agent: null, expected: "claude-code" },
    { client: "codex_mcp-client 2", agent: null, expected: "codex_mcp-client-2" },
    { client: "--ÄÖ--", agent: null, expected: "agent" },
    { client: "", agent: null, expected: "agent" },
    { client: "Claude Code", agent: "Reviewer", expected: "Reviewer" }
  ])("belongs to $expected for the client '$client' and the agent $agent", ({ agent, client: name, expected }) =>
    Effect.gen(function* () {
      for (const protocolVersion of ["2025-06-18", "2026-07-28"] as const) {
        const sessions = ok()
        const client = yield* connect(sessions, { agent, client: name, protocolVersion })
        yield* client.callTool({ name: "get_next_action", arguments: {} })
        assert.strictEqual(sessions.opened[0]?.agent, expected)
      }
    })
  )

  effect(
    "is opened again when it is over and may go on: once for all that noticed, and only one time each",
    function* () {
      const both = yield* Deferred.make<void>()
      const sessions: Scripted = scripted(({ session }) =>
        session === "s1"
          ? (sessions.asked.length === 2 ? Deferred.succeed(both, undefined) : Effect.void).pipe(
              Effect.andThen(Deferred.await(both)),
              Effect.as(closed(true))
            )
          : Effect.succeed(work)
      )
      const client = yield* connect(sessions)
      const results = yield* Effect.forEach(
        ["get_next_action", "get_my_task"],
        (name) => client.callTool({ name, arguments: {} }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        results.map(({ structuredContent }) => structuredContent),
        [work.body, work.body]
      )
      assert.strictEqual(sessions.opened.length, 2)

      const always = scripted(() => Effect.succeed(closed(true)))
      const stubborn = yield* connect(always)
      const result = yield* stubborn.callTool({ name: "get_next_action", arguments: {} })
      assert.deepStrictEqual(result.structuredContent, closed(true).body)
      assert.strictEqual(always.asked.length, 2)
    }
  )

  effect("stays over when the answer does not allow another", function* () {
    const sessions = scripted(() => Effect.succeed(closed(false)))
    const client = yield* connect(sessions)
    const result = yield* client.callTool({ name: "report_completed", arguments: { result: "success" } })
    assert.isTrue(result.isError)
    assert.deepStrictEqual(result.structuredContent, closed(false).body)
    assert.strictEqual(sessions.opened.length, 1)
    assert.strictEqual(sessions.asked.length, 1)
  })

  effect("that cannot be opened is a refusal, and the next call tries again", function* () {
    let isOpen = false
    const sessions = scripted(
      () => Effect.succeed(work),
      () =>
        isOpen
          ? Effect.void
          : new Rejection({
              code: "contract_invalid",
              message: "Line 3.",
              hint: "Repair it.",
              open: ["a"],
              kind: "invalid"
            })
    )
    const client = yield* connect(sessions)
    const first = yield* client.callTool({ name: "get_next_action", arguments: {} })
    assert.isTrue(first.isError)
    assert.deepStrictEqual(first.structuredContent, {
      success: false,
      error: "contract_invalid",
      message: "Line 3.",
      next_step: "Repair it.",
      open: ["a"]
    })
    isOpen = true
    const second = yield* client.callTool({ name: "get_next_action", arguments: {} })
    assert.deepStrictEqual(second.structuredContent, work.body)
  })

  effect("is not opened for a call that brings a token; the token is used and not passed on", function* () {
    const sessions = scripted(() => Effect.succeed(closed(true)))
    const client = yield* connect(sessions)
    yield* client.callTool({ name: "submit_phase", arguments: { data: { a: 1 }, session_token: "good" } })
    assert.deepStrictEqual(sessions.opened, [])
    assert.deepStrictEqual(sessions.asked, [{ session: "theirs", operation: "submit_phase", args: { data: { a: 1 } } }])
  })

  effect("is not opened for a call that only reads, neither at first nor after one that has ended", function* () {
    const sessions = scripted(({ session }) => Effect.succeed(session === "nobody" ? work : closed(true)))
    const client = yield* connect(sessions)
    const read = Effect.suspend(() => client.callTool({ name: "get_my_task_progress", arguments: {} }))
    assert.deepStrictEqual((yield* read).structuredContent, work.body)
    assert.deepStrictEqual(sessions.opened, [])
    yield* client.callTool({ name: "get_next_action", arguments: {} })
    const opened = sessions.opened.length
    assert.deepStrictEqual((yield* read).structuredContent, work.body)
    assert.strictEqual(sessions.opened.length, opened)
    assert.deepStrictEqual(
      sessions.asked.map(({ session }) => session),
      ["nobody", "s1", "s2", "s2", "nobody"]
    )
  })

  effect("does not stand in for a bad token, which is refused without being repeated", function* () {
    const sessions = ok()
    const client = yield* connect(sessions)
    yield* client.callTool({ name: "get_next_action", arguments: {} })
    const result = yield* client.callTool({ name: "get_next_action", arguments: { session_token: "bad-secret" } })
    assert.isTrue(result.isError)
    assert.deepStrictEqual(result.structuredContent, {
      success: false,
      error: "session_unknown",
      message: "This token belongs to no open session.",
      next_step: "Leave session_token out."
    })
    assert.notInclude(JSON.stringify(result), "bad-secret")
    assert.strictEqual(sessions.asked.length, 1)
  })
})

describe("a call that goes wrong", () => {
  effect("for storage is told with its code and what to do", function* () {
    const full = new LogUnavailable({ code: "log_disk_full", message: "The disk is full.", hint: "Make room." })
    const client = yield* connect(scripted(() => Effect.fail(full)))
    const result = yield* client.callTool({ name: "get_next_action", arguments: {} })
    assert.isTrue(result.isError)
    assert.deepStrictEqual(result.structuredContent, {
      success: false,
      error: "log_disk_full",
      message: "The disk is full.",
      next_step: "Make room.",
      needs_person: true
    })
    assert.deepStrictEqual(textOf(result), result.structuredContent)
  })

  it.effect("for a fault of the program is told without its insides, which are logged", () => {
    const logged: Array<string> = []
    const log = Logger.make(({ cause, message }) => void logged.push(`${String(message)} ${String(cause)}`))
    return Effect.gen(function* () {
      const client = yield* connect(scripted(() => Effect.die(new Error("at secret.ts:1"))))
      const result = yield* client.callTool({ name: "get_my_task", arguments: {} })
      assert.isTrue(result.isError)
      assert.strictEqual((textOf(result) as Record<string, unknown>)["error"], "internal_error")
      assert.notInclude(JSON.stringify(result), "secret.ts")
      assert.include(logged.join("\n"), "secret.ts")
      // and the server goes on
      assert.strictEqual((yield* client.listTools()).tools.length, operations.length)
    }).pipe(Effect.provide(Logger.layer([log])))
  })
})

describe("a call that takes long", () => {
  const slow = (client: McpTest.Client, _meta: { readonly progressToken?: string | number }) =>
    Effect.forkChild(client.callTool({ name: "complete_task", arguments: { task_id: "a", data: {} }, _meta }))

  for (const protocolVersion of ["2025-11-25", "2026-07-28"] as const) {
    effect(`says every 10 s over ${protocolVersion} that it goes on, until it has ended`, function* () {
      const sessions = scripted(() => Effect.as(Effect.sleep("25 seconds"), work))
      const client = yield* connect(sessions, { protocolVersion })
      yield* Queue.clear(client.notifications)
      const call = yield* slow(client, { progressToken: "t" })
      yield* TestClock.adjust("9 seconds")
      assert.deepStrictEqual(progressIn(yield* Queue.clear(client.notifications)), [])
      yield* TestClock.adjust("11 seconds")
      assert.deepStrictEqual(progressIn(yield* Queue.clear(client.notifications)), [
        { progressToken: "t", progress: 1, message: "Still at work." },
        { progressToken: "t", progress: 2, message: "Still at work." }
      ])
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual((yield* Fiber.join(call)).structuredContent, work.body)
      yield* TestClock.adjust("1 minutes")
      assert.deepStrictEqual(progressIn(yield* Queue.clear(client.notifications)), [])
    })
  }

  effect("is silent when nobody asked for progress", function* () {
    const client = yield* connect(scripted(() => Effect.as(Effect.sleep("25 seconds"), work)))
    yield* Queue.clear(client.notifications)
    const call = yield* slow(client, {})
    yield* TestClock.adjust("25 seconds")
    yield* Fiber.join(call)
    assert.deepStrictEqual(progressIn(yield* Queue.clear(client.notifications)), [])
  })

  it.effect("is ended when the client gives it up, which is no fault", () => {
    const logged: Array<unknown> = []
    return Effect.gen(function* () {
      const ended = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const sessions = scripted(() =>
        Deferred.succeed(begun, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
        )
      )
      const client = yield* connect(sessions)
      const call = yield* slow(client, { progressToken: 1 })
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(call)
      yield* Deferred.await(ended)
      assert.strictEqual((yield* client.listTools()).tools.length, operations.length)
      assert.deepStrictEqual(logged, [])
    }).pipe(Effect.provide(Logger.layer([Logger.make(({ message }) => void logged.push(message))])))
  })
})

const progressIn = (notifications: ReadonlyArray<{ readonly method: string; readonly payload?: unknown }>) =>
  notifications.flatMap(({ method, payload }) => (method === "notifications/progress" ? [payload] : []))
