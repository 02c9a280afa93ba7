import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it } from "vitest"
import { daily } from "../often.ts"
import { scriptedAgent, withAgent } from "./agent.ts"
import { afterwards, eventsOf, type Finished, finish, repository, start } from "./proofline.ts"

const add = { "add.js": "export const add = (a, b) => {\n  return a + b\n}\n" }
const report = (evidence: string) => ({
  summary: "",
  checklist: [{ item: "Add add()", status: "done", evidence }]
})

/** Its first report cites a line that is not there. */
const staged = () =>
  repository({
    "tasks.yaml":
      "tasks:\n  - { id: add, name: Add, instruction: The secret word is xyzzy., checklist: [Add add()], checks: [grep -q add add.js] }\n",
    ...scriptedAgent({ add: [{ files: add, report: report("add.js:9") }, { report: report("add.js:1-3") }] })
  })

interface Sent {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A collector on this machine, and all that it was sent. */
const collector = async () => {
  const sent: Array<Sent> = []
  const server = createServer((request, response) => {
    const parts: Array<Buffer> = []
    request.on("data", (part) => parts.push(part))
    request.on("end", () => {
      sent.push({ url: request.url ?? "", headers: request.headers, body: Buffer.concat(parts) })
      response.end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  afterwards(() => new Promise((resolve) => server.close(resolve)))
  return { sent, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const run = (dir: string, env: Readonly<Record<string, string>>): Promise<Finished> =>
  finish(start(["run", "tasks.yaml", ...withAgent], dir, env))

type Attributes = Readonly<Record<string, unknown>>
interface Span {
  readonly name: string
  readonly traceId: string
  readonly parentSpanId?: string
  readonly attributes: Attributes
}

// biome-ignore lint/suspicious/noExplicitAny: documents of a protocol
const attributesOf = (all: ReadonlyArray<any>): Attributes =>
  Object.fromEntries(all.map(({ key, value }) => [key, Object.values(value)[0]]))

const spansOf = (sent: ReadonlyArray<Sent>): ReadonlyArray<Span> =>
  sent
    .filter(({ url }) => url === "/v1/traces")
    .flatMap(({ body }) => JSON.parse(body.toString()).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map((span) => ({ ...span, attributes: attributesOf(span.attributes) }))

/** The last figures of a metric. */
const pointsOf = (sent: ReadonlyArray<Sent>, name: string): ReadonlyArray<Attributes> => {
  const last = sent.findLast(({ url }) => url === "/v1/metrics")
  if (last === undefined) return []
  // biome-ignore lint/suspicious/noExplicitAny: documents of a protocol
  const { resourceMetrics }: any = JSON.parse(last.body.toString())
  return resourceMetrics
    .flatMap(({ scopeMetrics }: typeof resourceMetrics) => scopeMetrics)
    .flatMap(({ metrics }: typeof resourceMetrics) => metrics)
    .filter((metric: typeof resourceMetrics) => metric.name === name)
    .flatMap(({ histogram, sum }: typeof resourceMetrics) => (sum ?? histogram).dataPoints)
    .map(({ asDouble, asInt, attributes, count }: typeof resourceMetrics) => ({
      ...attributesOf(attributes),
      value: Number(asDouble ?? asInt ?? count)
    }))
}

describe("given a collector that the environment names", () => {
  it("a run is one trace whose spans say where in the log they stand, and what is counted is what the log says", async () => {
    const { sent, url } = await collector()
    const dir = staged()
    const traceId = "0af7651916cd43dd8448eb211c80319c"
    const ended = await run(dir, {
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20abc",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test",
      TRACEPARENT: `00-${traceId}-b7ad6b7169203331-01`
    })
    expect(ended.code, ended.stderr).toBe(0)
    const events = await eventsOf("last", dir)

    const spans = spansOf(sent)
    expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]))
    const [root] = spans.filter(({ name }) => name === "proofline run")
    expect(root).toMatchObject({ parentSpanId: "b7ad6b7169203331", attributes: { command: "run" } })
    // every event was written by a command whose span names its first position and how many there were
    const written = spans.filter(({ attributes, name }) => name === "Engine.execute" && "position" in attributes)
    const positions = written.flatMap(({ attributes }) =>
      Array.from({ length: Number(attributes["events"]) }, (_, i) => Number(attributes["position"]) + i)
    )
    expect(positions.toSorted((one, other) => one - other)).toEqual(events.map(({ position }) => position))
    const calls = spans.filter(({ name }) => name === "invoke_agent command")
    expect(calls.map(({ attributes }) => attributes["attempt"])).toEqual([1, 2])

    const counted = pointsOf(sent, "proofline.events")
    for (const type of new Set(events.map(({ event_type }) => event_type)))
      expect(counted).toContainEqual({ type, value: events.filter(({ event_type }) => event_type === type).length })
    expect(pointsOf(sent, "proofline.items")).toEqual(
      expect.arrayContaining([
        { verdict: "proven", value: 1 },
        { verdict: "refused", reason: "checklist_evidence_line_out_of_range", value: 1 }
      ])
    )
    expect(pointsOf(sent, "proofline.attempt.duration")).toEqual([
      expect.objectContaining({ agent: "command", outcome: "COMPLETE", value: 2 })
    ])

    // what was asked of the agent, and what it said, is in the log and nowhere else
    for (const { body, headers } of sent) {
      expect(headers.authorization).toBe("Basic abc")
      expect(body.toString()).toContain("deployment.environment")
      expect(body.toString()).not.toContain("xyzzy")
    }
  })

  it("and no protocol, it is sent as protobuf; a signal that is not wanted is not sent", async () => {
    const { sent, url } = await collector()
    const ended = await run(staged(), { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_METRICS_EXPORTER: "none" })
    expect(ended.code, ended.stderr).toBe(0)
    expect(new Set(sent.map((one) => one.url))).toEqual(new Set(["/v1/traces"]))
    expect(new Set(sent.map(({ headers }) => headers["content-type"]))).toEqual(new Set(["application/x-protobuf"]))
  })

  it("and OTEL_SDK_DISABLED, nothing is sent", async () => {
    const { sent, url } = await collector()
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SDK_DISABLED: "true" }
    expect((await run(staged(), env)).code).toBe(0)
    expect(sent).toEqual([])
  })
})

describe("given telemetry that cannot be sent", () => {
  it.each(
    daily(
      [
        { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" },
        { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
        { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_BSP_SCHEDULE_DELAY: "soon" }
      ],
      3
    )
  )("with $OTEL_EXPORTER_OTLP_ENDPOINT, that is said, and the run ends as without", async (env) => {
    const ended = await run(staged(), env as Readonly<Record<string, string>>)
    expect(ended.code).toBe(0)
    expect(ended.stderr).toMatch(/^warning: No telemetry is sent: .*\[telemetry_off\]/)
  })

  it("as nobody listens there, the run ends as without", async () => {
    // port 9 of this machine takes nothing
    const ended = await run(staged(), { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" })
    expect(ended.code, ended.stderr).toBe(0)
    expect(ended.stderr).not.toContain("telemetry")
  })
})
