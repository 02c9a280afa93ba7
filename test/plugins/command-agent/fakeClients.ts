import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import type { AgentRole } from "@proofline/kernel"
import type { McpCommand, PresetName } from "@proofline/plugins/adapters/command-agent"
import { Effect } from "effect"
import { directory, script } from "../node-process/support.ts"
import { ask, project } from "./support.ts"

/** What a fake client does: prints these lines and exits. */
export interface Play {
  readonly lines?: ReadonlyArray<unknown>
  readonly stderr?: string
  readonly exit?: number
}

interface Called {
  readonly argv: ReadonlyArray<string>
  readonly stdin: string
  readonly env: Readonly<Record<string, string>>
  /** Its report file. */
  readonly report: string
  /** The home directory that it was given, as it was then. */
  readonly home?: {
    readonly path: string
    readonly settings: string
    readonly mode: number
    /** Where its links lead to. */
    readonly links: Readonly<Record<string, string>>
  }
}

const watched = [
  "CLAUDE_CODE_MAX_RETRIES",
  "CLAUDECODE",
  "GEMINI_CLI_TRUST_WORKSPACE",
  "GEMINI_SANDBOX",
  "OPENCODE_CONFIG_CONTENT",
  "OPENCODE_PERMISSION",
  "LOGIN_OF_THE_USER"
]

/** Test fixtures, named like the clients they stand for: they note how they were called and play their lines. */
const fakeClients = (): string => {
  const folder = directory()
  for (const name of ["claude", "codex", "gemini", "opencode"]) {
    script(
      folder,
      name,
      "node",
      `const { readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } = require("node:fs")
const homeOf = (path) => {
  if (path === undefined) return undefined
  const settings = path + "/.gemini/settings.json"
  const links = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isSymbolicLink())
  const at = links.map(({ name, parentPath }) => parentPath + "/" + name)
  return {
    path,
    settings: readFileSync(settings, "utf8"),
    mode: statSync(settings).mode & 0o777,
    links: Object.fromEntries(at.map((link) => [link.slice(path.length + 1), readlinkSync(link)]))
  }
}
const env = Object.fromEntries(${JSON.stringify(watched)}.filter((name) => name in process.env).map((name) => [name, process.env[name]]))
writeFileSync("called.json", JSON.stringify({ argv: [${JSON.stringify(name)}, ...process.argv.slice(2)], stdin: readFileSync(0, "utf8"), env, report: process.env.PROOFLINE_REPORT_FILE, home: homeOf(process.env.GEMINI_CLI_HOME) }))
const play = JSON.parse(readFileSync("play.json", "utf8"))
for (const line of play.lines ?? []) console.log(typeof line === "string" ? line : JSON.stringify(line))
console.error((play.stderr ?? "").replace("HOME", process.env.GEMINI_CLI_HOME))
process.exitCode = play.exit ?? 0`
    )
  }
  return folder
}

/** Variables as the user has them while the effect runs. */
export const withEnv = <A, E>(variables: Record<string, string | undefined>, effect: Effect.Effect<A, E>) =>
  Effect.suspend(() => {
    const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]))
    const set = (values: Record<string, string | undefined>) => {
      for (const [name, value] of Object.entries(values)) {
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
    }
    set(variables)
    return Effect.ensuring(
      effect,
      Effect.sync(() => set(before))
    )
  })

/** How a client is called by its preset, and what came of it. */
export const call = (
  preset: PresetName,
  play: Play,
  more: {
    readonly model?: string
    readonly role?: AgentRole
    readonly env?: Record<string, string>
    readonly mcp?: McpCommand
    /** What is in its directory. */
    readonly files?: Readonly<Record<string, string>>
  } = {}
) =>
  Effect.gen(function* () {
    const at = project()
    for (const [path, text] of Object.entries({ ...more.files, "play.json": JSON.stringify(play) })) {
      mkdirSync(dirname(join(at.root, path)), { recursive: true })
      writeFileSync(join(at.root, path), text)
    }
    const spec = more.model === undefined ? { preset } : { preset, model: more.model }
    const result = yield* withEnv(
      {
        ...Object.fromEntries(watched.map((name) => [name, undefined])),
        HOME: at.root,
        PATH: `${fakeClients()}${delimiter}${process.env["PATH"]}`,
        ...more.env
      },
      ask(at, spec, { prompt: "The prompt.\n", role: more.role ?? "work" }, more.mcp)
    )
    const called = JSON.parse(readFileSync(join(at.root, "called.json"), "utf8")) as Called
    return { ...result, called }
  })
