import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { type AgentRequest, type AgentResult, Agents, TimedStep } from "@proofline/kernel"
import { layer, type ModelSpec, makeModel } from "@proofline/plugins/adapters/language-models"
import { Effect, Fiber, Layer, Redacted, Schema } from "effect"
import { makeRedact } from "../../../packages/plugins/src/adapters/language-models/redact.ts"
import { events, json, type ModelServer, modelServer, type Play, stream, streams, wholes } from "./server.ts"

const key = "sk-test-0123456789abcdefghij"
const apis = ["openai", "anthropic"] as const

const serving = (play: Play) =>
  Effect.acquireRelease(
    Effect.promise(() => modelServer(play)),
    (server) => Effect.promise(server.close)
  )

const request = (more: Partial<AgentRequest> = {}): AgentRequest => ({
  run_id: "run",
  task_id: "task",
  attempt: 1,
  role: "review",
  prompt: "Is it good?",
  directory: null,
  timeout_ms: 200_000,
  idle_timeout_ms: null,
  ...more
})

const nobody = Layer.succeed(Agents, { names: ["other"], run: () => Effect.die("another was asked") })
const back = { asked: () => Effect.never } as unknown as Parameters<Agents["Service"]["run"]>[2]

const ask = (
  server: Pick<ModelServer, "url">,
  more: Partial<ModelSpec> = {},
  asked: Partial<AgentRequest> = {},
  place = { root: tmpdir(), env: { THE_KEY: key } as Record<string, string> }
): Effect.Effect<AgentResult> =>
  Effect.flatMap(Agents, (agents) => agents.run("m", request(asked), back)).pipe(
    Effect.orDie,
    Effect.provide(
      Layer.provide(
        layer({
          ...place,
          models: { m: { api: "openai", model: "tiny", base_url: `${server.url}/v1`, key_env: "THE_KEY", ...more } }
        }),
        nobody
      )
    )
  )

/** Everything of a result as one text. */
const all = ({ answer, error, stderr, stdout, steps }: AgentResult): string =>
  [answer, JSON.stringify(error), ...[stderr, stdout, steps].map((bytes) => new TextDecoder().decode(bytes))].join("\n")

describe("a model", () => {
  it.live.each(apis)("of %s answers from a stream, in pieces, with what it used", (api) =>
    Effect.gen(function* () {
      const said = 'It is good.\n\n```json\n{"judgment": "PASS"}\n```\n'
      const server = yield* serving(stream(streams[api](said)))
      const result = yield* ask(server, { api, base_url: `${server.url}/base/` })
      assert.deepInclude(result, {
        outcome: "COMPLETE",
        answer: '{"judgment": "PASS"}',
        error: null,
        usage: { input_tokens: 12, output_tokens: 5, cost_usd: null }
      })
      assert.strictEqual(new TextDecoder().decode(result.stdout), said)
      const { step } = Schema.decodeUnknownSync(TimedStep)(new TextDecoder().decode(result.steps).trim())
      assert.deepEqual(step, { type: "text", text: said })
      const [{ body, headers, path } = assert.fail("nobody was asked")] = server.asked
      assert.strictEqual(path, api === "openai" ? "/base/chat/completions" : "/base/v1/messages")
      assert.strictEqual(
        api === "openai" ? headers.authorization : headers["x-api-key"],
        api === "openai" ? `Bearer ${key}` : key
      )
      assert.deepInclude(body, { model: "tiny", stream: true, messages: [{ role: "user", content: "Is it good?" }] })
      assert.strictEqual(body.max_tokens, api === "openai" ? undefined : 8192)
    })
  )

  it.live.each(apis)("of %s may answer as a whole, and without a fence", (api) =>
    Effect.gen(function* () {
      const server = yield* serving(json(200, wholes[api]('{"judgment": "PASS"}')))
      const result = yield* ask(server, { api })
      assert.deepInclude(result, { outcome: "COMPLETE", answer: '{"judgment": "PASS"}' })
      assert.deepEqual(result.usage, { input_tokens: 12, output_tokens: 5, cost_usd: null })
    })
  )

  it.live("is what Effect calls a language model", () =>
    Effect.gen(function* () {
      const server = yield* serving(stream(streams.openai("Yes.")))
      const model = yield* makeModel({ spec: { api: "openai", model: "tiny", base_url: server.url }, key: null })
      const { finishReason, text } = yield* model.generateText({
        prompt: [
          { role: "system", content: "Be short." },
          { role: "user", content: [{ type: "text", text: "Well?" }] }
        ]
      })
      assert.deepEqual([text, finishReason], ["Yes.", "stop"])
      assert.deepEqual(server.asked[0]?.body.messages, [
        { role: "system", content: "Be short." },
        { role: "user", content: "Well?" }
      ])
      assert.isUndefined(server.asked[0]?.headers.authorization)
    })
  )

  it.live("is asked again without what its server does not know", () =>
    Effect.gen(function* () {
      const server = yield* serving((response, asked) => {
        const { max_tokens, stream_options } = asked.body
        if (max_tokens !== undefined)
          return json(400, { error: { message: "Use 'max_completion_tokens' instead." } })(response, asked)
        if (stream_options !== undefined)
          return json(422, { detail: "stream_options: extra_forbidden" })(response, asked)
        stream(streams.openai("Yes."))(response, asked)
      })
      assert.strictEqual((yield* ask(server, { max_tokens: 99 })).answer, "Yes.")
      assert.deepEqual(
        server.asked.map(({ body }) => [body.max_tokens, body.max_completion_tokens]),
        [
          [99, undefined],
          [undefined, 99],
          [undefined, 99]
        ]
      )
    })
  )

  it.live("passes on who is no model", () =>
    Effect.gen(function* () {
      const agents = yield* Agents
      assert.deepEqual(agents.names, ["other", "m"])
      const died = yield* Effect.exit(agents.run("other", request(), back))
      assert.strictEqual(died._tag, "Failure")
    }).pipe(
      Effect.provide(
        Layer.provide(layer({ root: tmpdir(), env: {}, models: { m: { api: "openai", model: "tiny" } } }), nobody)
      )
    )
  )

  it.live("cannot work, and is not asked to", () =>
    Effect.gen(function* () {
      const server = yield* serving(stream(streams.openai("Yes.")))
      const { error, outcome } = yield* ask(server, {}, { role: "work" })
      assert.deepEqual([outcome, error?.code, error?.terminal], ["ERROR", "agent_invalid", true])
      assert.lengthOf(server.asked, 0)
    })
  )
})

const openaiError = (message: string, code: string) => ({ error: { message, type: code, code } })
const anthropicError = (type: string, message = "No.") => ({ type: "error", error: { type, message } })

describe("a model that does not answer", () => {
  it.live.each<[string, Play, string, Partial<ModelSpec>?]>([
    ["401", json(401, openaiError("Incorrect API key provided", "invalid_api_key")), "agent_credentials!"],
    ["403", json(403, anthropicError("permission_error")), "agent_credentials!", { api: "anthropic" }],
    ["402", json(402, {}), "agent_quota!"],
    [
      "429 of a spent quota",
      json(429, openaiError("You exceeded your current quota", "insufficient_quota")),
      "agent_quota!"
    ],
    [
      "400 of a spent credit",
      json(400, anthropicError("invalid_request_error", "Your credit balance is too low")),
      "agent_quota!"
    ],
    [
      "429",
      json(429, openaiError("Slow down", "rate_limit_exceeded"), { "retry-after": "7" }),
      "agent_overloaded 7000"
    ],
    ["429 in ms", json(429, {}, { "retry-after-ms": "250", "retry-after": "7" }), "agent_overloaded 250"],
    ["429 that says it itself", json(429, { error: { details: [{ retryDelay: "34s" }] } }), "agent_overloaded 34000"],
    ["429 of a long wait", json(429, {}, { "retry-after": "3600" }), "agent_overloaded! 3600000"],
    ["503", json(503, {}), "agent_overloaded"],
    ["529", json(529, anthropicError("overloaded_error")), "agent_overloaded"],
    ["500", json(500, { error: { message: "x" } }), "agent_network"],
    ["502 of a proxy", (response) => void response.writeHead(502).end("<html>"), "agent_network"],
    ["404", json(404, openaiError("The model `tiny` does not exist", "model_not_found")), "agent_refused!"],
    ["400", json(400, openaiError("Too many tokens", "context_length_exceeded")), "agent_refused"],
    [
      "200 with an overload inside",
      json(200, anthropicError("overloaded_error")),
      "agent_overloaded",
      { api: "anthropic" }
    ],
    [
      "an overload inside of a stream",
      stream(events(anthropicError("overloaded_error"))),
      "agent_overloaded",
      { api: "anthropic" }
    ],
    ["200 with a status inside", json(200, { error: { code: 429, message: "x" } }), "agent_overloaded"],
    ["200 with an error that says nothing", json(200, { error: { message: "odd" } }), "agent_protocol"],
    ["no JSON", (response) => void response.end("<html>hello</html>"), "agent_protocol"],
    ["nothing at all", (response) => void response.end(), "agent_protocol"],
    ["blanks", json(200, wholes.openai(" \n")), "agent_protocol"],
    ["an event that is no JSON", stream(`${events("{no")}${streams.openai("Yes.")}`), "agent_protocol"],
    ["a stream that ends early", stream(events({ choices: [{ delta: { content: "Ye" } }] })), "agent_network"],
    [
      "a connection that is cut",
      (response) => void response.write("data: {", () => response.destroy()),
      "agent_network"
    ],
    [
      "an answer that is cut off",
      json(200, { choices: [{ message: { content: "Ye" }, finish_reason: "length" }] }),
      "agent_protocol"
    ],
    [
      "an answer that is held back",
      json(200, { choices: [{ message: {}, finish_reason: "content_filter" }] }),
      "agent_protocol"
    ],
    [
      "a redirect",
      (response) => void response.writeHead(307, { location: "http://elsewhere.test/v1" }).end(),
      "agent_protocol"
    ]
  ])("because of %s says so", ([, play, expected, more]) =>
    Effect.gen(function* () {
      const server = yield* serving(play)
      const result = yield* ask(server, more)
      const { code, message, retry_after_ms, terminal, transient } = result.error ?? assert.fail("it has answered")
      assert.strictEqual(
        `${code}${terminal ? "!" : ""}${retry_after_ms === undefined ? "" : ` ${retry_after_ms}`}`,
        expected
      )
      assert.strictEqual(transient === true, /overloaded|network/.test(code))
      assert.deepEqual([result.outcome, result.answer], ["ERROR", null])
      assert.include(message, '"m"')
    })
  )

  it.live("waits until the date that is named", () =>
    Effect.gen(function* () {
      const at = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 120_000).toUTCString()
      const server = yield* serving(json(429, {}, { "retry-after": at }))
      const { error } = yield* ask(server)
      assert.isAbove(error?.retry_after_ms ?? 0, 60_000)
      assert.isBelow(error?.retry_after_ms ?? 0, 121_001)
    })
  )

  it.live("because nobody listens says so", () =>
    Effect.gen(function* () {
      const { close, url } = yield* Effect.promise(() => modelServer(() => undefined))
      yield* Effect.promise(close)
      const { error, stderr } = yield* ask({ url })
      assert.deepInclude(error, { code: "agent_network", terminal: false, transient: true })
      assert.include(new TextDecoder().decode(stderr), "ECONNREFUSED")
    })
  )

  it.live("because its address is none says so", () =>
    Effect.gen(function* () {
      const { error } = yield* ask({ url: "http://[" })
      assert.strictEqual(error?.code, "agent_network")
    })
  )

  it.live("but sends and sends is not listened to for ever", () =>
    Effect.gen(function* () {
      const server = yield* serving((response) => {
        const chunk = Buffer.alloc(1_048_576, 32)
        const more = (): void => void response.write(chunk, () => response.destroyed || more())
        more()
      })
      const { error } = yield* ask(server)
      assert.strictEqual(error?.code, "agent_protocol")
      assert.include(error?.message, "too large")
      yield* Effect.promise(() => server.gone)
    })
  )

  it.live.each<[string, Partial<AgentRequest>, string]>([
    ["its time is over", { timeout_ms: 50 }, "agent_timeout"],
    ["it is silent", { idle_timeout_ms: 50 }, "agent_idle"]
  ])("is let go when %s", ([, asked, code]) =>
    Effect.gen(function* () {
      const server = yield* serving((response) => void response.write(": thinking\n\n"))
      const { error, outcome } = yield* ask(server, {}, asked)
      assert.deepEqual([outcome, error?.code], ["TIMEOUT", code])
      yield* Effect.promise(() => server.gone)
    })
  )

  it.live("is let go when nobody waits any more", () =>
    Effect.gen(function* () {
      const server = yield* serving(() => undefined)
      const asked = Effect.promise(server.next)
      const waiting = yield* Effect.forkChild(ask(server))
      yield* asked
      yield* Fiber.interrupt(waiting)
      yield* Effect.promise(() => server.gone)
    })
  )
})

describe("the key of a model", () => {
  const inFile = (text: string | Buffer | null) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const root = mkdtempSync(Path.join(tmpdir(), "proofline-key-"))
        if (text !== null) writeFileSync(Path.join(root, "key"), text)
        return root
      }),
      (root) => Effect.sync(() => rmSync(root, { recursive: true }))
    )

  it.live("comes from a file, read anew each time, without its line end", () =>
    Effect.gen(function* () {
      const server = yield* serving(stream(streams.openai("Yes.")))
      const { key_env: _, ...spec } = { key_file: "key", key_env: undefined }
      const root = yield* inFile(`${key}\r\n`)
      const asked = ask(server, spec, {}, { root, env: {} })
      yield* asked
      writeFileSync(Path.join(root, "key"), "sk-another-0123456789")
      yield* asked
      assert.deepEqual(
        server.asked.map(({ headers }) => headers.authorization),
        [`Bearer ${key}`, "Bearer sk-another-0123456789"]
      )
    })
  )

  it.live.each<[string, string | Buffer | null, string]>([
    ["is not there", null, "agent_key_file_missing"],
    ["is empty", " \n", "agent_key_file_empty"],
    ["is too large", Buffer.alloc(4_097, 97), "agent_key_file_too_large"],
    ["has lines", "one-key-of-two\nand-another", "agent_key_invalid"]
  ])("is refused when its file %s", ([, text, code]) =>
    Effect.gen(function* () {
      const server = yield* serving(stream(streams.openai("Yes.")))
      const root = yield* inFile(text)
      const result = yield* ask(server, { key_file: "key" }, {}, { root, env: {} })
      assert.deepInclude(result.error, { code, terminal: true })
      assert.notInclude(all(result), "one-key-of-two")
      assert.lengthOf(server.asked, 0)
    })
  )

  it.live("is refused when its variable is not set", () =>
    Effect.gen(function* () {
      const server = yield* serving(stream(streams.openai("Yes.")))
      const { error } = yield* ask(server, {}, {}, { root: tmpdir(), env: { THE_KEY: " " } })
      assert.strictEqual(error?.code, "agent_key_unset")
      assert.include(error?.message, "THE_KEY")
    })
  )

  it.live("is taken to no other address", () =>
    Effect.gen(function* () {
      const other = yield* serving(stream(streams.openai("Yes.")))
      const server = yield* serving(
        (response) => void response.writeHead(308, { location: `${other.url}/${key}` }).end()
      )
      const result = yield* ask(server)
      assert.include(result.error?.message, other.url)
      assert.notInclude(all(result), key)
      assert.lengthOf(other.asked, 0)
    })
  )

  const echoed = `Wrong key ${key}, as JSON ${JSON.stringify({ key })}.`
  it.live.each<[string, Play]>([
    ...[400, 401, 404, 429, 500].map((status): [string, Play] => [`${status}`, json(status, openaiError(echoed, key))]),
    ["an error that is no JSON", (response) => void response.writeHead(400).end(echoed)],
    [
      "an escaped error",
      (response) => void response.writeHead(404).end(`{"error":{"message":"\\u0073${key.slice(1)}"}}`)
    ],
    ["an error of 200", json(200, { error: { message: echoed } })],
    ["an answer", json(200, wholes.openai(echoed))],
    ["a stream, across its pieces", stream(streams.openai(echoed))]
  ])("is in nothing that is handed on after %s", ([, play]) =>
    Effect.gen(function* () {
      const result = yield* ask(yield* serving(play))
      assert.notInclude(all(result), key)
      assert.notInclude(all(result), key.slice(1))
    })
  )

  it.live("is in no error of the model itself", () =>
    Effect.gen(function* () {
      const server = yield* serving(json(401, openaiError(echoed, key)))
      const spec = { api: "openai", model: "tiny", base_url: server.url } as const
      const model = yield* makeModel({ spec, key: Redacted.make(key) })
      const error = yield* Effect.flip(model.generateText({ prompt: "Well?" }))
      assert.notInclude(`${JSON.stringify(error)}${error.stack}${String(error)}`, key)
    })
  )

  const Key = Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{8,40}$/))
  it.prop(
    "is found wherever it stands, and nothing else is changed",
    { secret: Key, before: Schema.String, after: Schema.String },
    ({ after, before, secret }) => {
      const redact = makeRedact(Redacted.make(secret))
      for (const text of [
        `${before}${secret}${after}`,
        JSON.stringify({ [before]: secret, after: `${secret}${after}` })
      ])
        if (!"[key]".includes(secret)) assert.isFalse(redact(text).includes(secret))
      const without = `${before}${after}`
      if (
        !without.includes(secret) &&
        !without.includes(JSON.stringify(secret).slice(1, -1)) &&
        redact(without) !== without
      )
        assert.isTrue(
          [encodeURIComponent(secret), Buffer.from(secret).toString("base64").replace(/=+$/, "")].some((form) =>
            without.includes(form)
          )
        )
    }
  )
})
