import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { expect } from "vitest"
import { afterwards, documentOf, isGone, launcher, proofline, until } from "./proofline.ts"

/** What a tool answered. */
export interface Said {
  readonly ok: boolean
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every kind
  readonly body: any
}

/** Whoever asks in a session. */
export interface Caller {
  readonly call: (tool: string, args?: Record<string, unknown>) => Promise<Said>
}

/** An agent's client. */
export interface Agent extends Caller {
  readonly client: Client
}

/** An agent's client with a server of its own, `proofline mcp`, as another process. */
export interface Connected extends Agent {
  readonly pid: number
  /** What the server has written to standard error so far. */
  readonly stderr: () => string
  /** SIGKILL; comes back when the server is gone. */
  readonly kill: () => Promise<void>
  /** Ends standard input, as a client does that is done; comes back when the server is gone. */
  readonly close: () => Promise<void>
}

/** A client that fails the test on anything that is not of the protocol. */
export const agentOf = (name: string, pin: string | undefined): Agent => {
  const client = new Client(
    { name, version: "1.0.0" },
    pin === undefined ? {} : { versionNegotiation: { mode: pin < "2026" ? "legacy" : { pin } } }
  )
  const faults: Array<string> = []
  client.onerror = (error) => faults.push(String(error))
  return {
    client,
    call: async (name, args = {}) => {
      const result = await client.callTool({ name, arguments: args })
      const [block] = result.content
      const body = result.structuredContent
      expect(JSON.parse(block?.type === "text" ? block.text : "")).toEqual(body)
      expect(faults).toEqual([])
      return { ok: result.isError !== true, body }
    }
  }
}

export interface Scripted extends Caller {
  readonly session_id: string
  readonly token: string
}

/** A session of an agent without a server: it asks by `proofline call`, so that no process has to be started. */
export const caller = async (dir: string, agent: string): Promise<Scripted> => {
  const { session_id, token } = documentOf(await proofline(["session", "open", "--agent", agent, "--json"], dir)).data
  return {
    session_id,
    token,
    call: async (tool, args = {}) => {
      const finished = await proofline(["call", tool, JSON.stringify(args)], dir, { PROOFLINE_TOKEN: token })
      const { answer, ok } = documentOf(finished).data
      return { ok, body: answer }
    }
  }
}

/** Starts the real program as a client would, and shakes hands; the test ends it if it has not ended by then. */
export const connect = async (
  dir: string,
  options: {
    readonly name?: string
    readonly args?: ReadonlyArray<string>
    readonly pin?: string
    readonly env?: Readonly<Record<string, string>>
  } = {}
): Promise<Connected> => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [launcher, "mcp", ...(options.args ?? [])],
    cwd: dir,
    env: Object.fromEntries(
      Object.entries({ ...process.env, ...options.env }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]]
      )
    ),
    stderr: "pipe"
  })
  let stderr = ""
  transport.stderr?.on("data", (chunk) => (stderr += chunk))
  // a line on standard output that is not of the protocol is a fault too
  const { call, client } = agentOf(options.name ?? "Test Agent", options.pin)
  await client.connect(transport).catch((error) => {
    throw new Error(`${error}\n${stderr}`)
  })
  const pid = transport.pid ?? 0
  const gone = () => until(() => isGone(pid))
  afterwards(async () => {
    if (!isGone(pid)) process.kill(pid, "SIGKILL")
    await gone()
  })

  return {
    pid,
    client,
    call,
    stderr: () => stderr,
    kill: async () => {
      process.kill(pid, "SIGKILL")
      await gone()
    },
    close: async () => {
      await client.close()
      await gone()
    }
  }
}
