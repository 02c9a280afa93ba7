import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { onTestFinished } from "vitest"
import { type Agent, agentOf } from "./mcpClient.ts"
import { finish, isGone, start, until } from "./proofline.ts"

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
  /** SIGTERM; comes back with the exit code. */
  readonly stop: () => Promise<number | null>
}

/** Starts the real program at a free port and waits until it says where it is. */
export const serving = async (
  dir: string,
  args: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {}
): Promise<Serving> => {
  const child = start(["serve", "--port", "0", "--json", ...args], dir, env)
  let [stdout, stderr] = ["", ""]
  child.stdout?.on("data", (chunk) => (stdout += chunk))
  child.stderr?.on("data", (chunk) => (stderr += chunk))
  const ended = finish(child)
  await until(() => stdout.includes("\n") || child.exitCode !== null)
  if (!stdout.includes("\n")) throw new Error(`It did not start: ${stderr}`)
  const { token, url } = JSON.parse(stdout.split("\n")[0] ?? "").data
  const pid = child.pid ?? 0
  return {
    pid,
    url,
    token,
    stdout: () => stdout,
    stderr: () => stderr,
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
  onTestFinished(() => agent.client.close())
  return { ...agent, transport }
}
