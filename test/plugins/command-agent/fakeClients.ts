import { readFileSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
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
}

const watched = [
  "CLAUDE_CODE_MAX_RETRIES",
  "CLAUDECODE",
  "GEMINI_CLI_TRUST_WORKSPACE",
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
      `const { readFileSync, writeFileSync } = require("node:fs")
const env = Object.fromEntries(${JSON.stringify(watched)}.filter((name) => name in process.env).map((name) => [name, process.env[name]]))
writeFileSync("called.json", JSON.stringify({ argv: [${JSON.stringify(name)}, ...process.argv.slice(2)], stdin: readFileSync(0, "utf8"), env, report: process.env.PROOFLINE_REPORT_FILE }))
const play = JSON.parse(readFileSync("play.json", "utf8"))
for (const line of play.lines ?? []) console.log(typeof line === "string" ? line : JSON.stringify(line))
console.error(play.stderr ?? "")
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
  } = {}
) =>
  Effect.gen(function* () {
    const at = project()
    writeFileSync(join(at.root, "play.json"), JSON.stringify(play))
    const spec = more.model === undefined ? { preset } : { preset, model: more.model }
    const result = yield* withEnv(
      {
        ...Object.fromEntries(watched.map((name) => [name, undefined])),
        PATH: `${fakeClients()}${delimiter}${process.env["PATH"]}`,
        ...more.env
      },
      ask(at, spec, { prompt: "The prompt.\n", role: more.role ?? "work" }, more.mcp)
    )
    const called = JSON.parse(readFileSync(join(at.root, "called.json"), "utf8")) as Called
    return { ...result, called }
  })
