import { spawn } from "node:child_process"
import { afterwards, launcher } from "./proofline.ts"

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every kind
type Message = any

/** `proofline mcp`, or another server on standard input and output, whose pipes the test holds itself. */
export interface Piped {
  readonly pid: number
  /** What it has written to standard error so far. */
  readonly stderr: () => string
  /** Writes as it is; comes back when all of it was taken. */
  readonly write: (text: string) => Promise<void>
  /** The next message that was not taken yet. */
  readonly next: () => Promise<Message>
  /** What a tool answers, in a structure; everything else that comes before is left out. */
  readonly call: (tool: string, args?: object) => Promise<Message>
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number | null>
  /** Ends standard input. */
  readonly end: () => void
}

export const piped = (cwd: string, args: ReadonlyArray<string> = [launcher, "mcp"]): Piped => {
  const child = spawn(process.execPath, args, { cwd, stdio: ["pipe", "pipe", "pipe"] })
  afterwards(() => child.kill("SIGKILL"))
  const taking: Array<(message: Message) => void> = []
  const come: Array<Message> = []
  let [open, stderr, calls] = ["", "", 0]
  child.stdout.on("data", (chunk) => {
    const lines = `${open}${chunk}`.split("\n")
    open = lines.pop() ?? ""
    for (const line of lines) {
      const message = JSON.parse(line)
      const take = taking.shift()
      if (take === undefined) come.push(message)
      else take(message)
    }
  })
  child.stderr.on("data", (chunk) => (stderr += chunk))
  // it may have ended before all was written
  child.stdin.on("error", () => {})
  const write = (text: string) => new Promise<void>((resolve) => child.stdin.write(text, () => resolve()))
  const next = () =>
    come.length > 0 ? Promise.resolve(come.shift()) : new Promise<Message>((resolve) => taking.push(resolve))
  return {
    pid: child.pid ?? 0,
    stderr: () => stderr,
    write,
    next,
    call: async (name, args = {}) => {
      const id = `call ${++calls}`
      await write(request("tools/call", { name, arguments: args }, id))
      for (;;) {
        const message = await next()
        if (message.id === id) return message.result?.structuredContent ?? message
      }
    },
    ended: new Promise((resolve) => child.on("close", (code) => resolve(code))),
    end: () => child.stdin.end()
  }
}

/** A request as a line. */
export const request = (method: string, params: object = {}, id: number | string = 1): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`

export const initialize = (protocolVersion = "2025-11-25"): string =>
  request("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "By Hand", version: "0" } }, 0)
