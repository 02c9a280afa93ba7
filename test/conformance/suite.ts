import { spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"
import { finish } from "../cli/proofline.ts"

/** A revision of the protocol, as the suite names what it requires. */
export type Revision = "2025-11-25" | "2026-07-28"

export interface Served {
  readonly url: string
  readonly token: string
}

/** One scenario of the suite, as the server came through it. */
export interface Scenario {
  readonly name: string
  /** Something was checked, and nothing of it failed or was warned of. */
  readonly isPassed: boolean
  /** Whatever was not as it should be, each with its check. */
  readonly faults: ReadonlyArray<string>
}

interface Check {
  readonly id: string
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO"
  readonly errorMessage?: string
}

// the package exports nothing; its program is in it
const home = Path.dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json"))
const program = Path.join(home, "dist", "index.js")
const preload = fileURLToPath(new URL("./authorized.ts", import.meta.url))

/** Every scenario for servers that the suite has for a revision, those included that it does not score. */
export const scenariosOf = (revision: Revision): ReadonlyArray<string> => {
  const file = Path.join(home, "requirements", `${revision}.yaml`)
  const { not_scored, server } = parse(readFileSync(file, "utf8")) as {
    readonly server: ReadonlyArray<string>
    readonly not_scored: ReadonlyArray<{ readonly scenario: string; readonly leg: string }>
  }
  return [...server, ...not_scored.filter(({ leg }) => leg === "server").map(({ scenario }) => scenario)]
}

/** Runs the official suite against a server that listens; `dir` takes its results, one folder for each scenario. */
export const conform = async (
  { token, url }: Served,
  revision: Revision,
  dir: string
): Promise<ReadonlyArray<Scenario>> => {
  const child = spawn(
    process.execPath,
    ["--import", preload, program, "server", "--url", `${url}/mcp`, "--requirements", revision, "--output-dir", dir],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, PROOFLINE_SUITE_TOKEN: token }
    }
  )
  const { stderr, stdout } = await finish(child)
  const names = scenariosOf(revision)
  const results = readdirSync(dir).map((folder): Scenario => {
    const name = names.find((one) => folder.startsWith(`server-${one}-2`)) ?? folder
    return { name, ...judged(JSON.parse(readFileSync(Path.join(dir, folder, "checks.json"), "utf8"))) }
  })
  if (results.length === 0) throw new Error(`The suite ran nothing.\n${stdout}\n${stderr}`)
  return results
}

const judged = (checks: ReadonlyArray<Check>) => {
  const faults = checks
    .filter(({ status }) => status === "FAILURE" || status === "WARNING")
    .map(({ errorMessage, id, status }) => `${status} ${id}: ${errorMessage ?? ""}`)
  return { faults, isPassed: faults.length === 0 && checks.some(({ status }) => status === "SUCCESS") }
}
