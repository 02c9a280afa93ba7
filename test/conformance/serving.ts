import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { type Piped, piped } from "../cli/mcpPipe.ts"
import { afterwards, until } from "../cli/proofline.ts"
import type { Served } from "./suite.ts"

const fixture = fileURLToPath(new URL("./fixture.ts", import.meta.url))

/** Proofline's server in a project, with the tools, resources and prompts of the suite; whoever asked for it ends it. */
export const servingFixture = async (dir: string): Promise<Served> => {
  const child = spawn(process.execPath, ["--conditions=@proofline/source", fixture], {
    cwd: dir,
    stdio: ["ignore", "pipe", "pipe"]
  })
  afterwards(() => child.kill("SIGKILL"))
  let [stdout, stderr] = ["", ""]
  child.stdout.on("data", (chunk) => (stdout += chunk))
  child.stderr.on("data", (chunk) => (stderr += chunk))
  await until(() => stdout.includes("\n") || child.exitCode !== null)
  if (!stdout.includes("\n")) throw new Error(`It did not start: ${stderr}`)
  return JSON.parse(stdout)
}

/** The same on standard input and output. */
export const pipingFixture = (dir: string): Piped => piped(dir, ["--conditions=@proofline/source", fixture, "--stdio"])
