import { readFileSync } from "node:fs"
import { Ajv } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import { beforeAll, describe, expect, it } from "vitest"
import { type Agent, connect, type Said } from "./mcpClient.ts"
import { documentOf, finish, project, proofline, start, withSources } from "./proofline.ts"
import { type Answered, ask, connectHttp, type Serving, serving } from "./serveClient.ts"

/** As it stands, for a project in which nothing is installed. */
const installed = (plugin: string): string =>
  withSources(plugin).replaceAll('from "effect"', `from ${JSON.stringify(import.meta.resolve("effect"))}`)

const example = readFileSync(new URL("../../examples/plugins/open-items.ts", import.meta.url), "utf8")

/** Operations whose answers are no objects, are not as they declare, are too large, or do not come at all. */
const odd = `import { definePlugin, plugin, Run } from "@proofline/kernel/plugin"
import { Effect, Schema } from "effect"
const Odd = plugin("odd", { state: null, after: [Run] })
const operation = (name, answer, run) =>
  Odd.operation(name, { title: name, description: "It is odd.", args: Schema.Struct({}), answer, readOnly: true, run })
const Many = Schema.Array(Schema.Int).check(Schema.isMinLength(5000))
export default definePlugin(Odd, {
  version: "1",
  parts: [
    operation("odd_list", Schema.Array(Schema.String), (_, { run }) => Effect.succeed([typeof run])),
    operation("odd_liar", Schema.Struct({ count: Schema.Int }), () => Effect.succeed({ count: "three" })),
    operation("odd_large", Schema.Struct({ many: Many }), () => Effect.succeed({ many: Array(5000).fill(7) })),
    operation("odd_throws", Schema.Struct({}), () => { throw new Error("no licence") }),
    operation("odd_fails", Schema.Struct({}), () => Effect.fail("no ink")),
    operation("odd_tagged", Schema.Struct({}), () => Effect.fail({ _tag: "ActivityFailure", code: "dry" })),
    operation("odd_rejects", Schema.Struct({}), () => Effect.tryPromise(() => Promise.reject(new Error("no net")))),
    operation("odd_ends", Schema.Struct({}), () => Effect.interrupt),
    operation("odd_never", Schema.Struct({}), () => Effect.never)
  ]
})
`

const files = {
  "proofline.yaml": "plugins: [./open-items.ts, ./odd.mjs]\n",
  "open-items.ts": installed(example),
  "odd.mjs": installed(odd),
  "src/auth.py": "SALT = 'x'\n"
}

const plan = ["login", "logout", "rename"].map((item) => ({ item: `Add ${item}()`, status: "pending" }))
const handedIn = [
  { explored_files: ["src/auth.py"], findings: ["src/auth.py: there is no login"] },
  { tasks: [{ id: "auth", description: "Let people in", status: "pending", checklist: plan }] }
]
const open = (limit: number) => ({
  success: true,
  items: plan.slice(0, limit).map(({ item }) => ({ task_id: "auth", item }))
})

/** A project with plugins of its own that is served, and a session in it that has handed in a plan. */
let dir: string
let server: Serving
let token: string
/** The agent of that session over HTTP, and one with a server of its own in the same run. */
let agent: Agent
let local: Agent

beforeAll(async () => {
  dir = project(files)
  server = await serving(dir, ["--tools", "all"])
  token = documentOf(await proofline(["session", "open", "--agent", "ci", "--json"], dir)).data.token
  agent = await connectHttp(server, token)
  for (const data of handedIn) {
    const { body, ok } = await agent.call("submit_phase", { data })
    expect(ok, JSON.stringify(body)).toBe(true)
  }
  local = await connect(dir)
})

/** POST to an operation, with a token in place of the operator's. */
const post = (shown: string, operation: string, args: object = {}): Promise<Answered> =>
  ask({ url: server.url, token: shown }, `/operations/${operation}`, args)

const call = (operation: string, args: object = {}) =>
  proofline(["call", operation, JSON.stringify(args)], dir, { PROOFLINE_TOKEN: token })

/** The answer of everything but the API: over /mcp, with `proofline call`, and over stdio, of a session of its own. */
const everywhere = async (operation: string, args: object): Promise<ReadonlyArray<Said>> => {
  const { answer: body, ok } = documentOf(await call(operation, args)).data
  return [await agent.call(operation, { ...args }), { ok, body }, await local.call(operation, { ...args })]
}

/** A refusal of the API holds the answer that others get. */
const asSaid = ({ body, status }: Answered) => ({ ok: status === 200, body: status === 200 ? body : body.answer })

describe("given an operation of a plugin outside of Proofline", () => {
  it("when it is asked for over stdio, /mcp, the API and `proofline call`, then the answer is the same", async () => {
    for (const said of await everywhere("open_items", { limit: 2 })) expect(said).toEqual({ ok: true, body: open(2) })
    expect(await post(token, "open_items", { limit: 2 })).toEqual({ status: 200, body: open(2) })
    // the operator names the session whose run it is
    const named = await post(server.token, "open_items", { limit: 3, session_token: token })
    expect(named).toEqual({ status: 200, body: open(3) })

    for (const [args, key] of [
      [{ limit: "many" }, "field_invalid"],
      [{}, "field_missing"]
    ] as const) {
      const failures = [{ key, item: null, fields: { field: "limit" }, message: expect.stringContaining("limit") }]
      const http = await post(token, "open_items", args)
      const all = await everywhere("open_items", args)
      for (const said of all) {
        expect(said).toMatchObject({ ok: false, body: { success: false, error: "payload_mismatch", failures } })
      }
      expect(all.slice(0, 2).map(({ body }) => body)).toEqual([http.body.answer, http.body.answer])
      const problems = [{ code: key, field: "limit", hint: expect.stringMatching(/\S/) }]
      expect(http).toMatchObject({ status: 422, body: { code: "payload_mismatch", problems } })
    }
    const body = await ask(server, "/operations/open_items", [])
    expect(body).toMatchObject({ status: 400, body: { code: "request_invalid" } })
  })

  it.each([201, 5_000, 100_000])(
    "when its arguments are nested %d levels deep, then it is refused under one code",
    async (levels) => {
      const list = `${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}`
      for (const args of [`{"limit":${list}}`, `{"limit":${JSON.stringify(`[${list}]`)}}`]) {
        const input = ["call", "open_items", "-"]
        const cli = await proofline(input, dir, { PROOFLINE_TOKEN: token }, args)
        expect(cli.code).toBe(2)
        expect(documentOf(cli).data).toMatchObject({ ok: false, answer: { error: "request_too_deep" } })
        const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
        const http = await fetch(`${server.url}/api/v1/operations/open_items`, { method: "POST", headers, body: args })
        expect([http.status, (await http.json()).code]).toEqual([422, "request_too_deep"])
        const message = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"open_items","arguments":${args}}}`
        const accept = "application/json, text/event-stream"
        const mcp = await fetch(`${server.url}/mcp`, { method: "POST", headers: { ...headers, accept }, body: message })
        expect(await mcp.json()).toMatchObject({ id: 7, error: { code: -32600, data: { error: "request_too_deep" } } })
      }
      // as deep as may be is looked at, and is no number
      const most = `{"limit":${"[".repeat(199)}${"]".repeat(199)}}`
      const { code, stdout } = await proofline(["call", "open_items", most], dir, { PROOFLINE_TOKEN: token })
      expect([code, JSON.parse(stdout).data.answer.error]).toEqual([2, "payload_mismatch"])
    }
  )

  it("when it is listed, then with its arguments described and an answer that fits what is said of it", async () => {
    const { tools } = await agent.client.listTools()
    const listed = tools.find(({ name }) => name === "open_items")
    expect(listed?.inputSchema).toMatchObject({
      properties: { limit: { type: "integer", description: "At most so many items." } },
      required: ["limit"]
    })
    const document = await (await fetch(`${server.url}/openapi.json`)).json()
    const { post: endpoint } = document.paths["/api/v1/operations/open_items"]
    expect(endpoint).toMatchObject({ summary: "Open items", operationId: "operations.call.open_items" })
    expect(endpoint.requestBody.content["application/json"].schema).toEqual(listed?.inputSchema)
    const answer = (await post(token, "open_items", { limit: 2 })).body
    const written = new Ajv2020({ strict: false }).compile(endpoint.responses["200"].content["application/json"].schema)
    expect([written(answer), written({ items: [1] })]).toEqual([true, false])
    // older clients of MCP read a schema by draft-07, and hold refusals against it too
    const refused = await agent.call("open_items", { limit: "many" })
    for (const judge of [new Ajv2020({ strict: false }), new Ajv({ strict: false })]) {
      const fits = judge.compile(Object(listed?.outputSchema))
      expect([answer, refused.body, { items: [1] }, {}].map((one) => fits(one))).toEqual([true, true, false, false])
    }
  })

  it("when it breaks its word, then that is a refusal that names it, and an answer that is no object becomes one", async () => {
    // from here on the client holds answers against what was listed
    await agent.client.listTools()
    for (const [name, code, says] of [
      ["odd_liar", "operation_broken", "its answer is not as it declares it"],
      ["odd_throws", "operation_broken", "no licence"],
      ["odd_fails", "operation_broken", "The operation odd_fails of plugin odd broke: "],
      ["odd_tagged", "operation_broken", '{"_tag":"ActivityFailure","code":"dry"}'],
      ["odd_rejects", "operation_broken", "no net"],
      ["odd_ends", "operation_broken", "It interrupted itself."],
      ["odd_large", "answer_too_large", "8 KiB"]
    ] as const) {
      const http = await post(token, name)
      expect(http).toMatchObject({ status: 422, body: { code, detail: expect.stringContaining(says) } })
      expect(await agent.call(name)).toEqual({ ok: false, body: http.body.answer })
    }
    const list = { success: true, answer: ["string"] }
    expect(await post(token, "odd_list")).toEqual({ status: 200, body: list })
    expect(await agent.call("odd_list")).toEqual({ ok: true, body: list })
  })
})

describe("given an operation that waits for what never comes", () => {
  it("when a process that has nothing else to do asks for it, then it says that it is not answered", async () => {
    const { code, stderr, stdout } = await finish(start(["call", "odd_never", "--run", "last"], dir))
    expect([code, stderr]).toEqual([1, ""])
    const message = expect.stringMatching(/^The operation odd_never of plugin odd broke: .*nothing left to do/)
    expect(JSON.parse(stdout).data.problems).toMatchObject([{ code: "operation_broken", message }])
  })
})

describe("given operations over the API", () => {
  it("when there is none of a name, then it is refused with those there are, as by `proofline call`", async () => {
    const detail = 'There is no operation "open_doors".'
    const http = await post(token, "open_doors")
    expect(http).toMatchObject({ status: 404, body: { code: "operation_unknown", detail } })
    expect(http.body.hint).toMatch(/get_next_action.*open_items/)
    const called = await call("open_doors")
    expect(called).toMatchObject({ code: 2, stderr: "" })
    expect(documentOf(called).data.problems).toMatchObject([{ message: detail }])
  })

  it("when it is for somebody else, or nobody is known by the token, then it is refused, as over MCP", async () => {
    const another = { session_token: "made-up" }
    for (const [shown, operation, args, code] of [
      [token, "list_runs", {}, "operator_only"],
      [token, "submit_review", { data: {} }, "attempt_only"],
      [token, "get_my_task", another, "token_mismatch"],
      // a session that ends with the request would have nothing to go on with
      [server.token, "get_next_action", {}, "token_missing"],
      [server.token, "get_my_task", another, "session_unknown"],
      [server.token, "answer_approval", { answer: "yes" }, "person_only"]
    ] as const) {
      expect(await post(shown, operation, args), operation).toMatchObject({ status: 403, body: { code } })
    }
    expect(asSaid(await post(token, "list_runs"))).toEqual(await agent.call("list_runs"))
    expect(await ask({ url: server.url, token }, "/about")).toMatchObject({ status: 403 })
    const asStranger = async (path: string, headers: Readonly<Record<string, string>>, body?: string) => {
      const method = body === undefined ? "GET" : "POST"
      const json = { "content-type": "application/json", ...headers }
      const response = await fetch(`${server.url}/api/v1${path}`, { method, headers: json, ...(body && { body }) })
      return { status: response.status, body: await response.json() }
    }
    for (const headers of [{}, { authorization: "Bearer made-up-made-up-made-up-made-up" }]) {
      const about = await asStranger("/about", headers)
      expect(about.status).toBe(401)
      for (const name of ["open_items", "get_run", "open_doors"]) {
        expect(await asStranger(`/operations/${name}`, headers, "{}")).toEqual(about)
      }
    }
  })

  it("when each of Proofline's own is asked for, then it is answered as over MCP", async () => {
    const operator = await connectHttp(server, server.token)
    const { tools } = await operator.client.listTools()
    await agent.client.listTools()
    expect(tools.length).toBeGreaterThan(18)
    const reading = tools
      .filter(({ annotations, name }) => annotations?.readOnlyHint === true && !name.startsWith("odd_"))
      .map(({ name }) => name)
    expect(reading).toEqual(expect.arrayContaining(["get_run", "get_my_task_progress", "list_runs", "open_items"]))
    const args = { task_id: "auth", limit: 1 }
    for (const name of reading) {
      for (const [client, shown] of [
        [agent, token],
        [operator, server.token]
      ] as const) {
        const answered = await post(shown, name, args)
        expect({ name, ...asSaid(answered) }).toEqual({ name, ...(await client.call(name, args)) })
      }
    }
    const handed = await post(token, "update_task_status", { task_id: "auth", status: "in_progress" })
    expect(handed).toMatchObject({ status: 200, body: { success: true, task: { new_status: "in_progress" } } })
  })
})
