/**
 * Test fixture: an agent that asks back by MCP in its attempt: `attemptAgent.ts MOVES NOTES`. MOVES is a JSON file with a
 * list of moves by role; what came of each is appended to NOTES, one JSON object a line.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"

/** Writes a file, writes its report as an agent without tools does, or calls a tool. `%task` stands for its task. */
type Move =
  | { readonly file: string; readonly text: string }
  | { readonly report: unknown }
  | { readonly tool: string; readonly args: Record<string, unknown> }

const [movesFile = "", notes = ""] = process.argv.slice(2)
const launcher = fileURLToPath(new URL("../../packages/cli/bin/proofline.cjs", import.meta.url))
const env = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
)
const role = env["PROOFLINE_ROLE"] ?? ""
const own = Object.fromEntries(
  Object.entries(env).filter(([name]) => name.startsWith("PROOFLINE_") && !name.startsWith("PROOFLINE_TEST_"))
)
const note = (of: object) =>
  appendFileSync(notes, `${JSON.stringify({ role, task: env["PROOFLINE_TASK_ID"], ...of })}\n`)

const text = readFileSync(movesFile, "utf8").replaceAll("%task", env["PROOFLINE_TASK_ID"] ?? "")
const moves: ReadonlyArray<Move> = JSON.parse(text)[role] ?? []
note({ env: own, cwd: process.cwd() })

const transport = new StdioClientTransport({
  command: process.execPath,
  args: [launcher, "mcp", "--tools", "all"],
  env,
  stderr: "pipe"
})
let stderr = ""
transport.stderr?.on("data", (chunk) => {
  stderr += chunk
})
const client = new Client({ name: "attempt-agent", version: "1.0.0" })
if (moves.some((move) => "tool" in move)) {
  await client.connect(transport).catch((error) => note({ tool: "connect", ok: false, body: `${error} ${stderr}` }))
}
for (const move of moves) {
  if ("file" in move) {
    mkdirSync(dirname(move.file), { recursive: true })
    writeFileSync(move.file, move.text)
  } else if ("report" in move) writeFileSync(env["PROOFLINE_REPORT_FILE"] ?? "", JSON.stringify(move.report))
  else {
    const result = await client.callTool({ name: move.tool, arguments: move.args })
    note({ tool: move.tool, ok: result.isError !== true, body: result.structuredContent })
  }
}
await client.close()
note({ stderr })
