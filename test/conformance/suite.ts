import { spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"
import { finish, project } from "../cli/proofline.ts"

/** The latest stable release of the official suite, and the newest of all. */
export type Suite = "stable" | "newest"

/** A revision of the protocol. */
export type Revision = "2025-03-26" | "2025-06-18" | "2025-11-25" | "2026-07-28"

export interface Served {
  readonly url: string
  readonly token: string
}

/** One scenario of the suite, as the server came through it. */
export interface Scenario {
  readonly name: string
  /** Something was checked, and nothing of it failed or was warned of. */
  readonly isPassed: boolean
  readonly faults: ReadonlyArray<Fault>
}

/** A check that failed or warned. */
export interface Fault {
  readonly check: string
  readonly said: string
}

interface Check {
  readonly id: string
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO"
  readonly errorMessage?: string
}

// the package exports nothing; its program is in it
const homeOf = (name: string) => Path.dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
const homes: Readonly<Record<Suite, () => string>> = {
  stable: () => homeOf("conformance-stable"),
  newest: () => homeOf("@modelcontextprotocol/conformance")
}
/** The release of a suite. */
export const versionOf = (suite: Suite): string =>
  JSON.parse(readFileSync(Path.join(homes[suite](), "package.json"), "utf8")).version

const preload = fileURLToPath(new URL("./authorized.ts", import.meta.url))

const started = (suite: Suite, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  finish(
    spawn(process.execPath, ["--import", preload, Path.join(homes[suite](), "dist", "index.js"), ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env }
    })
  )

/** The newest suite says of these what they require, its optional and pending scenarios included. */
const isListed = (suite: Suite, revision: Revision): boolean => suite === "newest" && revision >= "2025-11-25"

/** Of 2025-03-26 neither suite says what it requires: it is asked for what the next revision requires. */
const selection = (suite: Suite, revision: Revision): ReadonlyArray<string> =>
  isListed(suite, revision)
    ? ["--requirements", revision]
    : ["--spec-version", revision < "2025-06-18" ? "2025-06-18" : revision]

/** Every scenario for servers that the suite has for a revision, those included that it does not score. */
export const scenariosOf = async (suite: Suite, revision: Revision): Promise<ReadonlyArray<string>> => {
  if (isListed(suite, revision)) {
    const file = Path.join(homes[suite](), "requirements", `${revision}.yaml`)
    const { not_scored, server } = parse(readFileSync(file, "utf8")) as {
      readonly server: ReadonlyArray<string>
      readonly not_scored: ReadonlyArray<{ readonly scenario: string; readonly leg: string }>
    }
    return [...server, ...not_scored.filter(({ leg }) => leg === "server").map(({ scenario }) => scenario)]
  }
  const { stdout } = await started(suite, ["list", "--server", ...selection(suite, revision)])
  return [...stdout.matchAll(/^ +- (\S+)/gm)].flatMap(([, name]) => name ?? [])
}

/** Runs a suite against a server that listens: each of its scenarios for a revision. */
export const conform = async (
  { token, url }: Served,
  suite: Suite,
  revision: Revision
): Promise<ReadonlyArray<Scenario>> => {
  const dir = project({})
  const all = isListed(suite, revision) ? [] : ["--suite", "all"]
  const args = ["server", "--url", `${url}/mcp`, ...all, ...selection(suite, revision), "--output-dir", dir]
  const { stderr, stdout } = await started(suite, args, { PROOFLINE_SUITE_TOKEN: token })
  const results = readdirSync(dir).map((folder): Scenario => {
    // server-NAME-TIME
    const name = /^server-(.+?)-\d{4}-\d\d-\d\dT/.exec(folder)?.[1] ?? folder
    return { name, ...judged(JSON.parse(readFileSync(Path.join(dir, folder, "checks.json"), "utf8"))) }
  })
  if (results.length === 0) throw new Error(`The suite ran nothing.\n${stdout}\n${stderr}`)
  return results
}

const judged = (checks: ReadonlyArray<Check>) => {
  const faults = checks
    .filter(({ status }) => status === "FAILURE" || status === "WARNING")
    .map(({ errorMessage, id, status }) => ({ check: id, said: `${status} ${errorMessage ?? ""}` }))
  return { faults, isPassed: faults.length === 0 && checks.some(({ status }) => status === "SUCCESS") }
}
