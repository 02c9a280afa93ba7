import { spawn } from "node:child_process"
import { createRequire } from "node:module"
import * as Path from "node:path"
import { finish, launcher, project } from "../cli/proofline.ts"

/** What the inspector said of one request. */
export interface Inspected {
  /** 0; 5 when a tool refused; 6 when a schema has an error. */
  readonly code: number | null
  // biome-ignore lint/suspicious/noExplicitAny: results of every kind
  readonly result: any
  /** What `--strict` found in the schemas of tools. */
  readonly findings: ReadonlyArray<SchemaFindings>
}

interface SchemaFindings {
  readonly toolName: string
  readonly findings: ReadonlyArray<{ readonly severity: string; readonly rule: string; readonly path: string }>
}

const home = Path.dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json"))
const program = Path.join(home, "clients", "launcher", "build", "index.js")

type Inspect = (method: string, ...args: ReadonlyArray<string>) => Promise<Inspected>

/** Asks a new `proofline mcp` of a project for one thing at a time, with the official inspector. */
export const inspecting = (dir: string, ...server: ReadonlyArray<string>): Inspect => {
  // the inspector keeps files in the home directory
  const scratch = project({})
  const serving = ["--", process.execPath, launcher, "mcp", ...server]
  return async (method, ...args) => {
    // how long a machine takes to start us is no matter of this
    const patient = ["--connect-timeout", "240000"]
    const asking = ["--cwd", dir, "--format", "json", "--quiet", ...patient, "--method", method, ...args]
    const child = spawn(process.execPath, [program, "--cli", ...asking, ...serving], {
      cwd: scratch,
      env: { ...process.env, HOME: scratch },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const { code, stderr, stdout } = await finish(child)
    if (stdout === "") throw new Error(`${method} ${args.join(" ")} gave no result, but ${code}: ${stderr}`)
    const { result, schemaFindings = [] } = JSON.parse(stdout)
    return { code, result, findings: schemaFindings }
  }
}
