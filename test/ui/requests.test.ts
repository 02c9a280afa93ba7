import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import { onTestFinished } from "vitest"
import { failureOf } from "../../packages/ui/src/api/failure.ts"
import { type Asked, clientOf, streamOf } from "../../packages/ui/src/api/requests.ts"

/** A server that answers so; ended with the test. */
const answering = async (
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  signal?: AbortSignal
): Promise<Asked> => {
  const server = createServer(answer).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/projects/p`, token: "secret", signal }
}

const refusedWith = (call: Promise<unknown>) =>
  call.then(
    () => assert.fail("It was answered."),
    (error: unknown) => failureOf(error)
  )

describe("what the page asks", () => {
  it("given parameters that mean something in addresses, a query and a payload, then each is sent as it was meant", async () => {
    const seen: Array<unknown> = []
    const asked = await answering(async (request, response) => {
      const { authorization, "content-type": type } = request.headers
      seen.push([request.method, request.url, authorization, type, await text(request)])
      response.end("{}")
    })
    const client = clientOf(asked)
    await client.tasks.output({
      params: { run: "a/b?c", task: "50% #1", attempt: 2 },
      query: { stream: "stderr", from: -5 }
    })
    await client.runs.list({ query: { q: "x & y" } })
    await client.runs.cancel({ params: { run: "r" }, payload: { reason: "“no”" } })
    await client.runs.verify({ params: { run: "r" } })
    const path = "/projects/p/api/v1/runs"
    assert.deepStrictEqual(seen, [
      [
        "GET",
        `${path}/a%2Fb%3Fc/tasks/50%25%20%231/attempts/2/output?stream=stderr&from=-5`,
        "Bearer secret",
        undefined,
        ""
      ],
      ["GET", `${path}?q=x+%26+y`, "Bearer secret", undefined, ""],
      ["POST", `${path}/r/cancel`, "Bearer secret", "application/json", '{"reason":"“no”"}'],
      ["POST", `${path}/r/verify`, "Bearer secret", undefined, ""]
    ])
  })
  it("given a refusal, then its code, words and faults are kept", async () => {
    const problems = [{ code: "id_twice", message: "Twice.", file: "tasks.yaml", line: 3, hint: "Once." }]
    const asked = await answering((_, response) => {
      const body = {
        type: "urn:x",
        status: 422,
        title: "No.",
        code: "plan",
        detail: "Faults.",
        hint: "Mend.",
        problems
      }
      response.writeHead(422, { "content-type": "application/problem+json" }).end(JSON.stringify(body))
    })
    assert.deepStrictEqual(await refusedWith(clientOf(asked).about()), {
      ...{ status: 422, code: "plan", message: "Faults.", hint: "Mend." },
      problems
    })
  })
  it("given something else than an answer, with either status, then it says that it cannot be read", async () => {
    for (const status of [200, 502]) {
      const asked = await answering((_, response) => response.writeHead(status).end("<html>"))
      assert.deepInclude(await refusedWith(clientOf(asked).about()), { code: "answer_unreadable", status })
    }
  })
  it("given that nobody listens, or that the connection is cut within the answer, then it says that nobody answers", async () => {
    const cut = await answering((_, response) => {
      response.writeHead(200, { "content-length": 100 })
      response.write("{", () => response.destroy())
    })
    for (const asked of [cut, { ...cut, url: "http://127.0.0.1:1" }])
      assert.deepInclude(await refusedWith(clientOf(asked).about()), { code: "server_unreachable", status: 0 })
  })
  it("given that it is not wanted any more, then nothing is asked further", async () => {
    const controller = new AbortController()
    let closed: () => void = () => {}
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve
    })
    const asked = await answering((request) => {
      request.on("close", closed)
      controller.abort()
    }, controller.signal)
    await refusedWith(clientOf(asked).about())
    await isClosed
  })
  it("given a position, then the stream of events begins behind it", async () => {
    const asked = await answering((request, response) => response.end(`id: 8\ndata: ${request.url}\n\n`))
    const { done, value } = await (await streamOf(asked, 7)).read()
    assert.isFalse(done)
    assert.strictEqual(new TextDecoder().decode(value), "id: 8\ndata: /projects/p/api/v1/events/stream?after=7\n\n")
  })
})
