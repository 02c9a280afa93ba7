import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, assert, describe, it } from "@effect/vitest"
import type { Recorded } from "@proofline/kernel"
import { Schema } from "effect"
import { follow } from "../../packages/ui/src/fold/follow.ts"
import type { Connection } from "../../packages/ui/src/fold/protocol.ts"
import { type Message, makeReader, StreamBroken } from "../../packages/ui/src/fold/sse.ts"
import { makeStore } from "../../packages/ui/src/fold/store.ts"
import { randomFrom } from "../kernel/support/random.ts"
import { longLog, textsOf } from "./foldLogs.ts"

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const readAll = (bytes: Uint8Array, cuts: ReadonlyArray<number>): ReadonlyArray<Message> => {
  const read = makeReader()
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return at.slice(1).flatMap((to, i) => read(bytes.subarray(at[i], to)))
}

describe("a stream of server-sent events", () => {
  it.prop(
    "given any texts and any cuts, also within a character, then what was sent is what is read",
    [Schema.Array(Schema.String), Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000 })))],
    ([texts, cuts]) => {
      const lines = texts.map((text) => JSON.stringify(text.toWellFormed()))
      const stream = lines.map((line, i) => `id: ${i}\nevent: E\ndata: ${line}\n\n`).join(": caught-up\n\n")
      const events = readAll(bytesOf(stream), cuts).filter(({ type }) => type === "event")
      assert.deepStrictEqual(
        events,
        lines.map((data, i) => ({ type: "event", id: `${i}`, data }))
      )
    }
  )

  it.prop(
    "given any ends of lines, then the same is read",
    [
      Schema.Literals(["\n", "\r\n", "\r"]),
      Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 500 })))
    ],
    ([end, cuts]) => {
      const lines = [": hello", "data: ä 漢 😀", "", "id: 7", "data:two", "data: lines", "", ": caught-up", ""]
      const stream = lines.map((line) => line + end).join("")
      assert.deepStrictEqual(readAll(bytesOf(stream), cuts), [
        { type: "comment", text: "hello" },
        { type: "event", id: "", data: "ä 漢 😀" },
        { type: "event", id: "7", data: "two\nlines" },
        { type: "comment", text: "caught-up" }
      ])
    }
  )

  it("given a message that has no end, then it is not read for ever", () => {
    const read = makeReader()
    const much = bytesOf(`data: ${"x".repeat(8 * 1024 * 1024)}`)
    assert.throws(() => {
      for (let i = 0; i < 20; i++) read(much)
    }, StreamBroken)
  })
})

type Answer = (request: IncomingMessage, response: ServerResponse) => void

let servers: ReadonlyArray<Server> = []
afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  servers = []
})

const serve = async (answer: Answer): Promise<string> => {
  const server = createServer(answer)
  servers = [...servers, server]
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/stream`
}

const refuse = (response: ServerResponse, status: number, code: string): void => {
  response.writeHead(status, { "content-type": "application/problem+json" })
  response.end(JSON.stringify({ status, code, title: "No.", detail: `It is ${code}.`, hint: `Mend ${code}.` }))
}

/** What a server says of a log to whoever asks: from the position on that is named. */
const streamOf = (log: ReadonlyArray<Recorded>, request: IncomingMessage): string => {
  const after = Number(request.headers["last-event-id"] ?? 0)
  const texts = textsOf(log)
  return log
    .map(({ event_type, position }, i) => ({
      position,
      text: `id: ${position}\nevent: ${event_type}\ndata: ${texts[i]}\n\n`
    }))
    .filter(({ position }) => position > after)
    .map(({ text }) => text)
    .join("")
}

/** Follows until `isEnough`, or until the server refuses for good. Waits take no time. */
const following = async (url: string, isEnough: (seen: Following) => boolean): Promise<Following> => {
  const controller = new AbortController()
  const seen: Following = { store: makeStore("run_bench"), restarts: 0, connections: [], waits: [], taken: [] }
  const look = () => isEnough(seen) && controller.abort()
  await follow({
    url,
    token: () => "secret",
    resumeAt: () => seen.store.resumeAt,
    take: (events) => {
      const before = seen.store.head
      const fit = seen.store.add(events)
      for (let version = before + 1; version <= seen.store.head; version++) seen.taken.push(version)
      look()
      return fit
    },
    restart: () => {
      seen.store = makeStore("run_bench")
      seen.restarts++
      look()
    },
    loaded: () => seen.store.head,
    tell: (connection) => {
      seen.connections.push(connection)
      look()
    },
    breathe: () => new Promise((resolve) => setImmediate(resolve)),
    wait: (ms) => {
      seen.waits.push(ms)
      return new Promise((resolve) => setImmediate(resolve))
    },
    now: () => performance.now(),
    random: () => 0,
    signal: controller.signal
  })
  return seen
}

interface Following {
  store: ReturnType<typeof makeStore>
  restarts: number
  readonly connections: Array<Connection>
  readonly waits: Array<number>
  /** Versions in the order in which they were folded. */
  readonly taken: Array<number>
}

const log = longLog(400, 3)
const versions = log.map(({ version }) => version)
const isWhole = ({ store }: Following) => store.head === log.length
const textOf = (store: Following["store"]) => versions.map((version) => store.answer("event", { version })?.hash)
const live = (response: ServerResponse) => response.writeHead(200, { "content-type": "text/event-stream" })

describe("following a run", () => {
  it("given the connection breaks anywhere, again and again, then every event is there once and in order", async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const random = randomFrom(seed)
      const asked: Array<string | undefined> = []
      const url = await serve((request, response) => {
        asked.push(request.headers["last-event-id"] as string | undefined)
        assert.strictEqual(request.headers.authorization, "Bearer secret")
        const bytes = Buffer.from(streamOf(log, request))
        live(response)
        if (random.chance(0.2)) return void response.end(bytes)
        // cut off, perhaps within an event or a character
        response.write(bytes.subarray(0, random.below(20_000)), () => response.destroy())
      })
      const seen = await following(url, isWhole)
      assert.deepStrictEqual(seen.taken, versions)
      assert.deepStrictEqual(
        textOf(seen.store),
        log.map(({ hash }) => hash)
      )
      assert.strictEqual(seen.restarts, 0)
      assert.isUndefined(asked[0])
      assert.isAbove(asked.length, 1)
    }
  })

  it("given the server sends events twice or leaves some out, then none is doubled and none is lost", async () => {
    let turn = 0
    const url = await serve((request, response) => {
      live(response)
      turn++
      // the second time everything again, whatever was asked for; the third time with a hole
      if (turn === 1) return void response.end(streamOf(log.slice(0, 100), request))
      const whole = { ...request, headers: {} } as IncomingMessage
      if (turn === 2) return void response.end(streamOf(log.slice(0, 200), whole))
      response.end(streamOf(turn === 3 ? log.filter(({ version }) => version !== 250) : log, request))
    })
    const seen = await following(url, isWhole)
    assert.deepStrictEqual(seen.taken, versions)
    assert.strictEqual(seen.restarts, 0)
    assert.strictEqual(turn, 4)
  })

  it("given the server has another log after its restart, then that is read from the beginning", async () => {
    const other = longLog(400, 5).map((event) => ({
      ...event,
      hash: `b${event.hash.slice(1)}`,
      prev_hash: event.version === 1 ? event.prev_hash : `b${event.prev_hash.slice(1)}`
    }))
    let turn = 0
    const url = await serve((request, response) => {
      live(response)
      response.end(streamOf(++turn === 1 ? log.slice(0, 150) : other, request))
    })
    const seen = await following(url, isWhole)
    assert.strictEqual(seen.restarts, 1)
    assert.deepStrictEqual(
      textOf(seen.store),
      other.map(({ hash }) => hash)
    )
  })

  it("given the position is beyond the head of the log, then it is read from the beginning", async () => {
    let turn = 0
    const url = await serve((request, response) => {
      if (++turn === 2) return refuse(response, 400, "position_unknown")
      live(response)
      response.end(streamOf(turn === 1 ? log.slice(0, 50) : log, request))
    })
    const seen = await following(url, isWhole)
    assert.strictEqual(seen.restarts, 1)
    assert.deepStrictEqual(seen.taken, [...versions.slice(0, 50), ...versions])
  })

  it.each([
    [401, "token_invalid"],
    [403, "operator_only"],
    [404, "run_unknown"]
  ])("given the server refuses with %i, then it is told and not asked again", async (status, code) => {
    let turn = 0
    const url = await serve((_, response) => {
      turn++
      refuse(response, status, code)
    })
    const { connections } = await following(url, () => false)
    assert.deepStrictEqual(connections, [
      { state: "connecting" },
      { state: "refused", status, code, message: `It is ${code}.`, hint: `Mend ${code}.` }
    ])
    assert.strictEqual(turn, 1)
  })

  it("given nobody answers for long, then the waits grow to ten seconds; once it is there they are short again", async () => {
    let turn = 0
    const url = await serve((request, response) => {
      turn++
      if (turn <= 7) return refuse(response, 503, "log_unavailable")
      live(response)
      response.end(streamOf(turn === 8 ? log.slice(0, 10) : log, request))
    })
    const { waits } = await following(url, isWhole)
    assert.deepStrictEqual(waits.slice(0, 8), [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 500])
  })

  it("given the server cannot be reached, then that is said with when it is tried again", async () => {
    const url = await serve(() => {})
    const [server] = servers
    await new Promise((resolve) => server?.close(resolve))
    const { connections } = await following(url, ({ waits }) => waits.length === 2)
    const [, lost] = connections
    assert.deepInclude(lost, { state: "lost", message: "The connection to the server was lost." })
  })

  it("given the history is through, then it is live, and says before how much was read", async () => {
    const url = await serve((request, response) => {
      live(response)
      const whole = streamOf(log, request)
      response.write(whole.slice(0, 1_000))
      response.write(`${whole.slice(1_000)}: caught-up\n\n`)
    })
    const { connections, store } = await following(url, (seen) => seen.connections.at(-1)?.state === "live")
    assert.strictEqual(store.head, log.length)
    assert.deepStrictEqual(connections[0], { state: "connecting" })
    assert.isTrue(connections.slice(1, -1).every(({ state }) => state === "loading"))
  })

  it("given events that come one by one, cut at random, then each is there as soon as it is whole", async () => {
    const random = randomFrom(7)
    const bytes = Buffer.from(streamOf(log, { headers: {} } as IncomingMessage))
    const url = await serve((_, response) => {
      live(response)
      const next = (from: number): void => {
        if (from >= bytes.length) return void response.write(": caught-up\n\n")
        const to = from + 1 + random.below(3_000)
        response.write(bytes.subarray(from, to), () => setImmediate(() => next(to)))
      }
      next(0)
    })
    const seen = await following(url, isWhole)
    assert.deepStrictEqual(seen.taken, versions)
  })
})
