import { assert, describe } from "@effect/vitest"
import { rejectConflict } from "@proofline/kernel"
import { aTask } from "@proofline/kernel/testing"
import { Api } from "@proofline/plugins/frontends/http/api"
import { operations } from "@proofline/plugins/operations"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import { live } from "../../effects.ts"
import { asking, staged } from "./stage.ts"

// biome-ignore lint/suspicious/noExplicitAny: a document is looked into
type Any = any

const endpoints = Object.values(Api.groups).flatMap((group) => Object.values(group.endpoints))

/** Judges values by the schemas of the document. */
const judgeOf = (document: Any) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema({ $id: "doc:", components: document.components })
  return (schema: Any, value: unknown, where: string) => {
    const own = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"doc:#/components'))
    const isValid = ajv.compile(own)
    assert.isTrue(isValid(value), `${where}: ${JSON.stringify(isValid.errors)?.slice(0, 600)}`)
  }
}

const pathOf = (path: string): string => path.replace(/:(\w+)/g, "{$1}")

describe("the document of the API", () => {
  live(
    "given the API, when its document is read, then it is OpenAPI 3.1 and says everything of every endpoint",
    function* () {
      const { send } = yield* staged()
      const { headers, json: document } = yield* send("/openapi.json", { headers: { authorization: undefined } })
      assert.include(String(headers["content-type"]), "application/json")
      assert.match(document.openapi, /^3\.1\.\d+$/)
      assert.deepInclude(document.info, { title: "Proofline" })
      const [scheme] = Object.values<Any>(document.components.securitySchemes)
      assert.strictEqual(scheme.type, "http")
      assert.match(scheme.scheme, /^bearer$/i)
      assert.strictEqual(
        endpoints.length + operations.length,
        Object.values(document.paths as Any).flatMap((one) => Object.keys(one as Any)).length
      )
      const ids = new Set<string>()
      for (const { method, path } of endpoints) {
        const where = `${method} ${path}`
        const operation = document.paths[pathOf(path)]?.[method.toLowerCase()]
        assert.isDefined(operation, where)
        assert.match(operation.summary, /\S/, where)
        assert.match(operation.description, /\S/, where)
        assert.isNotEmpty(operation.security, where)
        ids.add(operation.operationId)
        const named = (operation.parameters ?? []).filter(({ in: place }: Any) => place === "path")
        assert.sameMembers(
          named.map(({ name }: Any) => name),
          [...path.matchAll(/:(\w+)/g)].map(([, name]) => name),
          where
        )
        const statuses = Object.keys(operation.responses)
        assert.includeMembers(statuses, ["400", "401", "403", "429", "500", "503"], where)
        if (path.includes(":run")) assert.include(statuses, "404", where)
        for (const [status, response] of Object.entries<Any>(operation.responses)) {
          const types = Object.keys(response.content ?? {})
          if (Number(status) >= 400) assert.deepStrictEqual(types, ["application/problem+json"], `${where} ${status}`)
          else assert.isNotEmpty(types, where)
        }
      }
      for (const { description, name, title } of operations) {
        const { post } = document.paths[`/api/v1/operations/${name}`]
        assert.deepInclude(post, { summary: title, description, parameters: [] })
        assert.deepStrictEqual(post.security, document.paths["/api/v1/operations/{name}"].post.security)
        const { properties } = post.requestBody.content["application/json"].schema
        for (const [field, { description }] of Object.entries<Any>(properties)) {
          assert.match(String(description), /\S/, `${name} ${field}`)
        }
        assert.isNotEmpty(post.responses["200"].content["application/json"].schema.required, name)
        ids.add(post.operationId)
      }
      assert.strictEqual(ids.size, endpoints.length + operations.length)
      // every reference leads somewhere
      for (const [, name] of JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
        assert.property(document.components.schemas, decodeURIComponent(name ?? ""))
      }
    }
  )

  live("given the API, when its document is read, then values have types, and those types names", function* () {
    const { send } = yield* staged()
    const { json: document } = yield* send("/openapi.json")
    const { paths } = document
    const { schemas } = document.components
    const parametersOf = (path: string): Any =>
      Object.fromEntries(paths[`/api/v1${path}`].get.parameters.map(({ name, schema }: Any) => [name, schema]))
    assert.deepStrictEqual(parametersOf("/runs").limit, { type: "integer", minimum: 1, maximum: 1_000 })
    assert.deepStrictEqual(parametersOf("/runs/{run}/tasks/{task}/attempts/{attempt}").attempt, { type: "integer" })
    assert.deepInclude(parametersOf("/runs/{run}/events").visibility, { enum: ["summary", "full"] })
    assert.strictEqual(schemas.Spent.properties.cost_usd.type, "number")
    assert.include(schemas.RunStatus.enum, "stopped")
    for (const [where, name] of [
      ["/runs/{run}", "Run"],
      ["/runs/{run}/tasks/{task}", "Task"],
      ["/runs/{run}/tasks/{task}/attempts/{attempt}", "Attempt"],
      ["/runs/{run}/report", "Report"]
    ] as const) {
      const { schema } = paths[`/api/v1${where}`].get.responses["200"].content["application/json"]
      assert.deepStrictEqual(schema, { $ref: `#/components/schemas/${name}` }, where)
      assert.match(schemas[name].description, /\S/)
    }
    const stream = paths["/api/v1/events/stream"].get.responses["200"].content["text/event-stream"].schema
    assert.deepStrictEqual(stream.properties.data.contentSchema, { $ref: "#/components/schemas/Event" })
    assert.include(stream.properties.event.examples, "TASK_COMPLETED")
    assert.hasAnyKeys(schemas["Event.TASK_COMPLETED"].properties, ["task_id"])
  })

  live("given answers of the server, when they are judged by the document, then they are as it says", function* () {
    const { drive, engine, post, send } = yield* staged()
    yield* drive("run_1", [aTask("a", { checklist: [{ item: "it works" }] })])
    yield* engine.execute("run_2", asking("run_2"))
    const { json: document } = yield* send("/openapi.json")
    const judge = judgeOf(document)
    const asked: ReadonlyArray<readonly [path: string, address: string]> = [
      ["/about", "/about"],
      ["/inputs", "/inputs"],
      ["/approvals", "/approvals"],
      ["/workers", "/workers"],
      ["/runs", "/runs"],
      ["/runs", "/runs?limit=x"],
      ["/runs/{run}", "/runs/run_1"],
      ["/runs/{run}", "/runs/run_2"],
      ["/runs/{run}", "/runs/run_9"],
      ["/runs/{run}/receipts", "/runs/run_1/receipts"],
      ["/runs/{run}/events", "/runs/run_1/events"],
      ["/runs/{run}/events", "/runs/run_2/events?limit=1"],
      ["/runs/{run}/tasks", "/runs/run_1/tasks"],
      ["/runs/{run}/tasks/{task}", "/runs/run_1/tasks/a"],
      ["/runs/{run}/tasks/{task}/attempts", "/runs/run_1/tasks/a/attempts"],
      ["/runs/{run}/tasks/{task}/attempts/{attempt}", "/runs/run_1/tasks/a/attempts/1"],
      ["/runs/{run}/tasks/{task}/attempts/{attempt}/output", "/runs/run_1/tasks/a/attempts/1/output"],
      ["/runs/{run}/tasks/{task}/attempts/{attempt}/prompt", "/runs/run_1/tasks/a/attempts/1/prompt"],
      ["/runs/{run}/tasks/{task}/checklist", "/runs/run_1/tasks/a/checklist"],
      ["/runs/{run}/tasks/{task}/checklist/{index}/evidence", "/runs/run_1/tasks/a/checklist/0/evidence"],
      ["/runs/{run}/report", "/runs/run_1/report"]
    ]
    const judged = (method: string, path: string, { headers, json, status }: Any) => {
      const { responses } = document.paths[`/api/v1${path}`][method]
      const type = String(headers["content-type"]).split(";")[0] ?? ""
      const schema = responses[status]?.content[type]?.schema
      assert.isDefined(schema, `${method} ${path} ${status} ${type}`)
      judge(schema, json, `${method} ${path}`)
    }
    for (const [path, address] of asked) judged("get", path, yield* send(`/api/v1${address}`))
    judged("get", "/about", yield* send("/api/v1/about", { headers: { authorization: undefined } }))
    judged("get", "/about", yield* send("/api/v1/about", { headers: { authorization: "Bearer good" } }))
    judged("post", "/runs", yield* post("/api/v1/runs", { file: "tasks.yaml" }))
    judged("post", "/operations/{name}", yield* post("/api/v1/operations/open_doors"))
    judged("post", "/operations/{name}", yield* post("/api/v1/operations/get_run", []))
    judged("post", "/operations/get_my_task", yield* post("/api/v1/operations/get_my_task"))
    judged("post", "/runs/{run}/resume", yield* post("/api/v1/runs/run_1/resume"))
    judged("post", "/runs/{run}/verify", yield* post("/api/v1/runs/run_1/verify"))
    judged("post", "/runs/{run}/approve", yield* post("/api/v1/runs/run_2/approve"))
    judged("post", "/runs/{run}/cancel", yield* post("/api/v1/runs/run_2/cancel"))
  })

  live(
    "given a run of which a part is gone, when its receipts are asked for, then that is a conflict it names",
    function* () {
      const changed = rejectConflict("log_changed", "The log of its task run run_2 is gone.", "Restore it.")
      const { begin, client, send } = yield* staged({ project: { receipts: () => Effect.fail(changed) } })
      yield* begin("run_1")
      const { json, status } = yield* send("/api/v1/runs/run_1/receipts")
      const { json: document } = yield* send("/openapi.json")
      const { responses } = document.paths["/api/v1/runs/{run}/receipts"].get
      judgeOf(document)(responses[status].content["application/problem+json"].schema, json, "receipts")
      const refused = yield* Effect.flip(client.runs.receipts({ params: { run: "run_1" } }))
      assert.deepInclude(refused, { _tag: "Conflicting", code: "log_changed" })
    }
  )
})
