import { readFileSync } from "node:fs"
import { Ajv } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, it } from "vitest"
import { type Agent, connect } from "./mcpClient.ts"
import { documentOf, type Finished, project, proofline, withSources } from "./proofline.ts"
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
    operation("odd_throws", Schema.Struct({}), () => { throw new Error("no licence") })
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

interface Stage {
  readonly dir: string
  readonly server: Serving
  /** Of a session that has handed in a plan. */
  readonly token: string
  /** The agent of that session, over HTTP. */
  readonly agent: Agent
}

/** A project with plugins of its own, which is served and has a plan. */
const stage = async (...args: ReadonlyArray<string>): Promise<Stage> => {
  const dir = project(files)
  const server = await serving(dir, args)
  const { token } = documentOf(await proofline(["session", "open", "--agent", "ci", "--json"], dir)).data
  const agent = await connectHttp(server, token)
  for (const data of handedIn) {
    const { body, ok } = await agent.call("submit_phase", { data })
    expect(ok, JSON.stringify(body)).toBe(true)
  }
  return { dir, server, token, agent }
}

/** POST to an operation, with a token in place of the operator's. */
const post = ({ url }: Serving, token: string, operation: string, args: object = {}): Promise<Answered> =>
  ask({ url, token }, `/operations/${operation}`, args)

const call = (dir: string, token: string, operation: string, args: object = {}): Promise<Finished> =>
  proofline(["call", operation, JSON.stringify(args)], dir, { PROOFLINE_TOKEN: token })

/** The answer, wherever it was asked for: over stdio, over /mcp, over the API and with `proofline call`. */
const everywhere = async ({ agent, dir, server, token }: Stage, operation: string, args: object) => {
  const local = await connect(dir)
  const stdio = await local.call(operation, { ...args })
  await local.close()
  const mcp = await agent.call(operation, { ...args })
  const { answer: called, ok } = documentOf(await call(dir, token, operation, args)).data
  const http = await post(server, token, operation, args)
  return { stdio, mcp, called: { ok, body: called }, http }
}

describe("given an operation of a plugin outside of Proofline", { timeout: 120_000 }, () => {
  it("when it is asked for over stdio, /mcp, the API and `proofline call`, then the answer is the same", async () => {
    const at = await stage()
    const { called, http, mcp, stdio } = await everywhere(at, "open_items", { limit: 2 })
    expect(stdio).toEqual({ ok: true, body: open(2) })
    expect(mcp).toEqual(stdio)
    expect(called).toEqual(stdio)
    expect(http).toEqual({ status: 200, body: open(2) })
    // the operator names the session whose run it is
    const { server, token } = at
    const named = await post(server, server.token, "open_items", { limit: 3, session_token: token })
    expect(named).toEqual({ status: 200, body: open(3) })
  })

  it("when an argument is wrong or missing, then each refuses it with the same code and its place", async () => {
    const at = await stage()
    for (const [args, key] of [
      [{ limit: "many" }, "field_invalid"],
      [{}, "field_missing"]
    ] as const) {
      const { called, http, mcp, stdio } = await everywhere(at, "open_items", args)
      const failures = [{ key, item: null, fields: { field: "limit" }, message: expect.stringContaining("limit") }]
      for (const said of [stdio, mcp, called]) {
        expect(said).toMatchObject({ ok: false, body: { success: false, error: "payload_mismatch", failures } })
      }
      expect(http).toMatchObject({
        status: 422,
        body: { code: "payload_mismatch", problems: [{ code: key, field: "limit", hint: expect.stringMatching(/\S/) }] }
      })
      expect(http.body.answer).toEqual(mcp.body)
      expect(called.body).toEqual(mcp.body)
    }
    const body = await ask(at.server, "/operations/open_items", [])
    expect(body).toMatchObject({ status: 400, body: { code: "request_invalid" } })
  })

  it("when it is listed, then with its arguments described and an answer that fits what is said of it", async () => {
    const { agent, server, token } = await stage("--tools", "standard")
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
    const answer = (await post(server, token, "open_items", { limit: 2 })).body
    const written = new Ajv2020({ strict: false }).compile(endpoint.responses["200"].content["application/json"].schema)
    expect([written(answer), written({ items: [1] })]).toEqual([true, false])
    // older clients of MCP read a schema by draft-07, and hold refusals against it too
    for (const judge of [new Ajv2020({ strict: false }), new Ajv({ strict: false })]) {
      const fits = judge.compile(Object(listed?.outputSchema))
      const refused = await agent.call("open_items", { limit: "many" })
      expect(refused.ok).toBe(false)
      expect([fits(answer), fits(refused.body), fits({ items: [1] }), fits({})]).toEqual([true, true, false, false])
    }
  })

  it("when it breaks its word, then that is a refusal that names it, and an answer that is no object becomes one", async () => {
    const { agent, server, token } = await stage("--tools", "standard")
    // from here on the client holds answers against what was listed
    await agent.client.listTools()
    for (const [name, code, says] of [
      ["odd_liar", "operation_broken", "its answer is not as it declares it"],
      ["odd_throws", "operation_broken", "no licence"],
      ["odd_large", "answer_too_large", "8 KiB"]
    ] as const) {
      const http = await post(server, token, name)
      expect(http).toMatchObject({ status: 422, body: { code, detail: expect.stringContaining(says) } })
      expect(await agent.call(name)).toEqual({ ok: false, body: http.body.answer })
    }
    const list = { success: true, answer: ["string"] }
    expect(await post(server, token, "odd_list")).toEqual({ status: 200, body: list })
    expect(await agent.call("odd_list")).toEqual({ ok: true, body: list })
  })
})

describe("given operations over the API", { timeout: 120_000 }, () => {
  it("when there is none of a name, then it is refused with those there are, as by `proofline call`", async () => {
    const { dir, server, token } = await stage()
    const http = await post(server, token, "open_doors")
    expect(http).toMatchObject({ status: 404, body: { code: "operation_unknown" } })
    expect(http.body.hint).toMatch(/get_next_action.*open_items/)
    const called = await call(dir, token, "open_doors")
    expect(called.code).toBe(2)
    expect(documentOf(called).data.problems).toMatchObject([{ message: 'There is no operation "open_doors".' }])
    expect(called.stderr).toBe("")
    expect(http.body.detail).toBe('There is no operation "open_doors".')
  })

  it("when no good token is shown, then they are refused as every endpoint is", async () => {
    const { server } = await stage()
    const asked = async (path: string, authorization: string | null, args?: object): Promise<Answered> => {
      const response = await fetch(`${server.url}/api/v1${path}`, {
        method: args === undefined ? "GET" : "POST",
        headers: {
          "content-type": "application/json",
          ...(authorization === null ? {} : { authorization })
        },
        ...(args === undefined ? {} : { body: JSON.stringify(args) })
      })
      return { status: response.status, body: await response.json() }
    }
    for (const authorization of [null, "Bearer made-up-made-up-made-up-made-up"]) {
      const about = await asked("/about", authorization)
      expect(about.status).toBe(401)
      for (const name of ["open_items", "get_run", "open_doors"]) {
        expect(await asked(`/operations/${name}`, authorization, {})).toEqual(about)
      }
    }
  })

  it("when it is for somebody else, then it is refused to the others as over MCP", async () => {
    const { agent, server, token } = await stage()
    const ofProject = await post(server, token, "list_runs")
    expect(ofProject).toMatchObject({ status: 403, body: { code: "operator_only" } })
    expect(ofProject.body.answer).toEqual((await agent.call("list_runs")).body)
    const ofAttempt = await post(server, token, "submit_review", { data: {} })
    expect(ofAttempt).toMatchObject({ status: 403, body: { code: "attempt_only" } })
    // a session that ends with the request would have nothing to go on with
    const ofSession = await post(server, server.token, "get_next_action")
    expect(ofSession).toMatchObject({ status: 403, body: { code: "token_missing" } })
    const another = { session_token: "made-up" }
    expect(await post(server, token, "get_my_task", another)).toMatchObject({
      status: 403,
      body: { code: "token_mismatch" }
    })
    expect(await post(server, server.token, "get_my_task", another)).toMatchObject({
      status: 403,
      body: { code: "session_unknown" }
    })
    expect(await post(server, server.token, "answer_approval", { answer: "yes" })).toMatchObject({
      status: 403,
      body: { code: "person_only" }
    })
    expect(await ask({ url: server.url, token }, "/about")).toMatchObject({ status: 403 })
  })

  it("when each of Proofline's own is asked for, then it is answered as over MCP", async () => {
    const { agent, server, token } = await stage("--tools", "all")
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
        const { status, body } = await post(server, shown, name, args)
        // over MCP the operator has a session of its own
        if (body.code === "token_missing") continue
        const said = await client.call(name, args)
        expect({ name, ok: status === 200, body: status === 200 ? body : body.answer }).toEqual({ name, ...said })
      }
    }
    const handed = await post(server, token, "update_task_status", { task_id: "auth", status: "in_progress" })
    expect(handed).toMatchObject({ status: 200, body: { success: true, task: { new_status: "in_progress" } } })
  })
})
