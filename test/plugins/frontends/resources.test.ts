import { assert, describe, it } from "@effect/vitest"
import { LogUnavailable } from "@proofline/kernel"
import { type Answer, makeCaller } from "@proofline/plugins/operations"
import { Effect, Fiber, Layer, Logger, Queue, Stream } from "effect"
import { McpProtocol, McpTest } from "effect/ai"
import { TestClock } from "effect/testing"
import { resources, resourceUris, updatedUris } from "../../../packages/plugins/src/frontends/mcp/resources.ts"
import { effect } from "../../effects.ts"
import { letOthersGoOn } from "../../kernel/support/letOthersGoOn.ts"
import { type Scripted, scripted } from "./scriptedSessions.ts"

const protocols = [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25, McpProtocol.v2025_06_18] as const
type Version = (typeof protocols)[number]["protocolVersion"]

const connect = (sessions: Scripted, protocolVersion: Version = "2025-11-25", token: string | null = null) =>
  McpTest.makeClient(
    Layer.unwrap(
      Effect.map(makeCaller({ token, agent: null, ttlMs: 1_000, isPerson: false }), (caller) =>
        resources(Effect.succeed(caller))
      )
    ).pipe(Layer.provide(sessions.layer)),
    { protocols, protocolVersion }
  )

const body = { success: true, has_task: true, task: { title: "ÄÖ \u0001 `" } }
const showing = () => scripted(() => Effect.succeed({ ok: true, body }))

const textOf = ({ contents }: { readonly contents: ReadonlyArray<object> }): string => {
  const [first] = contents
  return first !== undefined && "text" in first ? String(first.text) : ""
}

describe("the resources", () => {
  it.effect.each(protocols.map(({ protocolVersion }) => protocolVersion))(
    "are three of JSON, with constant names and descriptions (%s)",
    (version) =>
      Effect.gen(function* () {
        const client = yield* connect(showing(), version)
        const { resources: listed } = yield* client.listResources()
        assert.deepStrictEqual(
          listed.map(({ mimeType, name, uri }) => [uri, name, mimeType]),
          [
            ["proofline://task/current", "current-task", "application/json"],
            ["proofline://progress", "progress", "application/json"],
            ["proofline://run/log", "run-log", "application/json"]
          ]
        )
        assert.deepStrictEqual(
          listed.map(({ uri }) => uri),
          [...resourceUris]
        )
        for (const { description, title } of listed) {
          assert.match(title ?? "", /\S/)
          assert.include(description, "Reading changes nothing.")
        }
      })
  )

  effect("show the views of whoever asks, and open no session for it", function* () {
    const sessions = showing()
    const client = yield* connect(sessions)
    for (const uri of resourceUris) {
      const read = yield* client.readResource({ uri })
      assert.deepInclude(read.contents[0], { uri, mimeType: "application/json" })
      assert.deepStrictEqual(JSON.parse(textOf(read)), body)
    }
    assert.deepStrictEqual(
      sessions.asked.map(({ operation, session }) => [session, operation]),
      [
        ["nobody", "task"],
        ["nobody", "progress"],
        ["nobody", "log"]
      ]
    )
    assert.deepStrictEqual(sessions.opened, [])
  })

  effect("are those of the token that is shown, of an agent's session and of an attempt", function* () {
    const sessions = showing()
    for (const token of ["good", "att_good"]) {
      const client = yield* connect(sessions, "2025-11-25", token)
      yield* client.readResource({ uri: "proofline://progress" })
    }
    assert.deepStrictEqual(
      sessions.asked.map(({ session }) => session),
      ["theirs", "attempt"]
    )
  })

  effect("say of a token that is none what is wrong, as data", function* () {
    const sessions = showing()
    const client = yield* connect(sessions, "2025-11-25", "nonsense")
    const said = JSON.parse(textOf(yield* client.readResource({ uri: "proofline://task/current" })))
    assert.deepInclude(said, { success: false, error: "session_unknown" })
    assert.deepStrictEqual(sessions.asked, [])
  })

  it.effect("say what of the storage a person must mend, and nothing of the insides when something breaks", () =>
    Effect.gen(function* () {
      const full = new LogUnavailable({ code: "log_disk_full", message: "No space.", hint: "Free some." })
      const unavailable = yield* connect(scripted(() => Effect.fail(full)))
      const said = JSON.parse(textOf(yield* unavailable.readResource({ uri: "proofline://progress" })))
      assert.deepInclude(said, { error: "log_disk_full", needs_person: true })

      const broken = yield* connect(scripted(() => Effect.die(new Error("/home/secret"))))
      const failed = yield* Effect.flip(broken.readResource({ uri: "proofline://progress" }))
      assert.notInclude(JSON.stringify(failed), "secret")
      assert.include(JSON.stringify(failed), "could not be read")
    }).pipe(Effect.provide(Logger.layer([])))
  )
})

describe("news of the resources", () => {
  const busy = (sessions: Scripted, times: number) =>
    Effect.forEach(Array.from({ length: times }), () => Effect.andThen(sessions.changed, letOthersGoOn), {
      discard: true
    })

  effect("come to a client that subscribed, of what it subscribed to alone", function* () {
    const sessions = scripted((): Effect.Effect<Answer> => Effect.succeed({ ok: true, body }))
    const client = yield* connect(sessions)
    yield* client.subscribe({ uri: "proofline://progress" })
    const heard = yield* Effect.forkChild(
      Queue.take(client.notifications).pipe(
        Effect.repeat({ until: ({ method }) => method === "notifications/resources/updated" })
      ),
      { startImmediately: true }
    )
    yield* letOthersGoOn
    yield* busy(sessions, 1)
    yield* TestClock.adjust("249 millis")
    yield* letOthersGoOn
    assert.isUndefined(heard.pollUnsafe())
    yield* TestClock.adjust("1 millis")
    assert.deepInclude(yield* Fiber.join(heard), { payload: { uri: "proofline://progress" } })
    yield* letOthersGoOn
    assert.strictEqual(yield* Queue.size(client.notifications), 0)
  })

  effect("come at most four times a second however much happens, and once more for what was last", function* () {
    const sessions = showing()
    const seen: Array<string> = []
    const changes = yield* Queue.unbounded<string>()
    yield* Effect.forkChild(
      Stream.runForEach(updatedUris(Stream.fromQueue(changes)), (uri) => Effect.sync(() => seen.push(uri))),
      { startImmediately: true }
    )
    assert.deepStrictEqual(sessions.asked, [])
    for (let n = 0; n < 1_000; n++) yield* Queue.offer(changes, "run_x")
    yield* letOthersGoOn
    assert.deepStrictEqual(seen, [])
    yield* TestClock.adjust("10 seconds")
    yield* letOthersGoOn
    // what was taken up, what waited meanwhile, and what came last
    assert.isAtMost(seen.length, 3 * resourceUris.length)
    assert.deepStrictEqual(seen.slice(0, 3), [...resourceUris])
    const before = seen.length
    yield* Queue.offer(changes, "run_x")
    yield* letOthersGoOn
    yield* TestClock.adjust("250 millis")
    yield* letOthersGoOn
    assert.deepStrictEqual(seen.slice(before), [...resourceUris])
  })

  effect("go on after the log could not be read for a while", function* () {
    const gone = new LogUnavailable({ code: "log_failed", message: "Gone.", hint: "Wait." })
    let tries = 0
    const changes = Stream.suspend(() => (++tries < 3 ? Stream.fail(gone) : Stream.make("run_x")))
    const first = yield* Effect.forkChild(Stream.runHead(updatedUris(changes)), { startImmediately: true })
    yield* TestClock.adjust("5 seconds")
    const { _tag } = yield* Fiber.join(first)
    assert.deepStrictEqual([tries, _tag], [3, "Some"])
  })
})
