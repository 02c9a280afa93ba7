import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { expect } from "vitest"
import { type Agent, agentOf } from "./mcpClient.ts"
import { afterwards, finish, isGone, start, until } from "./proofline.ts"
import { valid } from "./schemas.ts"

/** A server of a project, `proofline serve`, as another process. */
export interface Serving {
  readonly pid: number
  readonly url: string
  readonly token: string
  /** What it has printed so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** SIGKILL; comes back when it is gone. */
  readonly kill: () => Promise<void>
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number | null>
  /** SIGTERM; comes back with the exit code. */
  readonly stop: () => Promise<number | null>
}

/** Starts the real program at a free port and waits until it says where it is. */
export const serving = async (
  dir: string,
  args: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {}
): Promise<Serving> => {
  const port = args.includes("--port") ? [] : ["--port", "0"]
  const child = start(["serve", ...port, "--json", ...args], dir, env)
  let [stdout, stderr] = ["", ""]
  child.stdout?.on("data", (chunk) => (stdout += chunk))
  child.stderr?.on("data", (chunk) => (stderr += chunk))
  const ended = finish(child)
  await until(() => stdout.includes("\n") || child.exitCode !== null)
  if (!stdout.includes("\n")) throw new Error(`It did not start: ${stderr}`)
  const said = JSON.parse(stdout.split("\n")[0] ?? "")
  expect(valid("serve.output", said)).toEqual([])
  const { token, url } = said.data
  const pid = child.pid ?? 0
  return {
    pid,
    url,
    token,
    stdout: () => stdout,
    stderr: () => stderr,
    ended: ended.then(({ code }) => code),
    kill: async () => {
      child.kill("SIGKILL")
      await until(() => isGone(pid))
    },
    stop: async () => {
      child.kill("SIGTERM")
      return (await ended).code
    }
  }
}

/** An agent's client over HTTP, which shows a token. */
export const connectHttp = async (
  { url }: Pick<Serving, "url">,
  token: string,
  options: { readonly name?: string; readonly pin?: string } = {}
): Promise<Agent & { readonly transport: StreamableHTTPClientTransport }> => {
  const agent = agentOf(options.name ?? "Test Agent", options.pin)
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } }
  })
  await agent.client.connect(transport)
  afterwards(() => agent.client.close())
  return { ...agent, transport }
}

/** What the API answered: its status, and its body, which is null where there is none. */
export interface Answered {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every kind
  readonly body: any
}

/** Asks the API of a server: a body makes it a POST. */
export const ask = async (
  { token, url }: Pick<Serving, "url" | "token">,
  path: string,
  body?: unknown
): Promise<Answered> => {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  return { status: response.status, body: text === "" ? null : JSON.parse(text) }
}

/** The types of the events of a stream, in order, up to the first for which `isLast` says so. */
export const streamed = async (
  { token, url }: Pick<Serving, "url" | "token">,
  path: string,
  isLast: (type: string) => boolean
): Promise<ReadonlyArray<{ readonly id: number; readonly type: string }>> => {
  const response = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })
  const events: Array<{ readonly id: number; readonly type: string }> = []
  let text = ""
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    const parts = (text + decoder.decode(chunk, { stream: true })).split("\n\n")
    text = parts.pop() ?? ""
    for (const part of parts) {
      const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, "m").exec(part)?.[1]
      const type = field("event")
      if (type === undefined) continue
      events.push({ id: Number(field("id")), type })
      // whoever leaves the loop closes the connection
      if (isLast(type)) return events
    }
  }
  throw new Error(`The stream ended after ${JSON.stringify(events)}: ${text}`)
}
