// A client as a process of its own, as Claude Code is: it starts its server, and the command of its Stop hook.
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"

const [, , launcher, name] = process.argv
const server = spawn(process.execPath, [launcher, "mcp"], { stdio: ["pipe", "pipe", "inherit"] })
const waiting = new Map()
createInterface({ input: server.stdout }).on("line", (line) => {
  const { id, result } = JSON.parse(line)
  waiting.get(id)?.(result)
})
let last = 0
const ask = (method, params) =>
  new Promise((resolve) => {
    waiting.set(++last, resolve)
    server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: last, method, params })}\n`)
  })

const capabilities = {}
const ready = ask("initialize", { protocolVersion: "2025-06-18", capabilities, clientInfo: { name, version: "1" } })

const stop = (input) =>
  new Promise((resolve) => {
    // Claude Code starts it with a shell
    const command = `"${process.execPath}" "${launcher}" hook claude-stop; exit $?`
    const hook = spawn("sh", ["-c", command], { stdio: ["pipe", "pipe", "pipe"] })
    const said = { stdout: "", stderr: "" }
    for (const stream of ["stdout", "stderr"]) hook[stream].on("data", (chunk) => (said[stream] += chunk))
    hook.on("close", (code) => resolve({ code, ...said }))
    hook.stdin.end(input)
  })

process.on("message", async ({ input, tool, args }) => {
  await ready
  const told =
    tool === undefined
      ? await stop(input)
      : (await ask("tools/call", { name: tool, arguments: args })).structuredContent
  process.send(told)
})
process.on("disconnect", () => server.stdin.end())
