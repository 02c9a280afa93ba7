import { agentsBlock } from "@proofline/plugins/told"
import { quoted } from "../process/output.ts"
import type { Entry } from "./json.ts"
import type { Table } from "./toml.ts"

export const clientNames = ["claude", "codex", "gemini", "opencode", "cursor", "vscode"] as const
export type ClientName = (typeof clientNames)[number]

/** A file in the project, and what belongs in it. */
export type ClientFile =
  | {
      readonly format: "json"
      readonly path: string
      readonly entries: ReadonlyArray<Entry>
      /** What a file that is made has besides, at its end. */
      readonly more?: Readonly<Record<string, unknown>>
    }
  | { readonly format: "toml"; readonly path: string; readonly table: Table }
  | { readonly format: "markdown"; readonly path: string; readonly lines: ReadonlyArray<string> }

export interface Client {
  readonly title: string
  /** What a person has to do besides. */
  readonly trust?: string
  /** For the words with which Proofline is started. */
  readonly files: (start: ReadonlyArray<string>) => ReadonlyArray<ClientFile>
}

/** For clients whose model is not told what the server says of itself. */
const told = (path: string): ClientFile => ({ format: "markdown", path, lines: agentsBlock("mcp install") })

/** A command as a program and its arguments. */
const commandOf = ([command = "", ...first]: ReadonlyArray<string>, ...args: ReadonlyArray<string>) => ({
  command,
  args: [...first, "mcp", ...args]
})

/** In the folder that an editor has open, wherever it starts its servers. */
const here = ["--cwd", ["$", "{workspaceFolder}"].join("")]

/** What every client is given to work with Proofline; docs/mcp.md shows the same. */
export const clients: Readonly<Record<ClientName, Client>> = {
  claude: {
    title: "Claude Code",
    trust: "Claude Code uses it in folders that you trust: open this one with `claude` once.",
    files: (start) => [
      {
        format: "json",
        path: ".mcp.json",
        entries: [{ in: ["mcpServers"], key: "proofline", value: { type: "stdio", ...commandOf(start) } }]
      },
      {
        format: "json",
        path: ".claude/settings.json",
        entries: [
          { in: ["enabledMcpjsonServers"], value: "proofline" },
          { in: ["permissions", "allow"], value: "mcp__proofline" },
          { in: ["hooks", "Stop"], value: stopHook([...start.map(quoted), "hook", "claude-stop"].join(" ")) }
        ]
      },
      told("CLAUDE.md")
    ]
  },
  codex: {
    title: "Codex",
    trust: "Codex reads it in projects that you trust: open this one with `codex` once.",
    files: (start) => [
      {
        format: "toml",
        path: ".codex/config.toml",
        table: {
          path: ["mcp_servers", "proofline"],
          values: { ...commandOf(start), required: true, startup_timeout_sec: 30, tool_timeout_sec: 120 }
        }
      },
      told("AGENTS.md")
    ]
  },
  gemini: {
    title: "Gemini CLI",
    trust: "Gemini CLI reads it in folders that you trust: see its command /permissions.",
    files: (start) => [
      {
        format: "json",
        path: ".gemini/settings.json",
        entries: [{ in: ["mcpServers"], key: "proofline", value: { ...commandOf(start), trust: true } }]
      },
      told("GEMINI.md")
    ]
  },
  opencode: {
    title: "opencode",
    files: (start) => [
      {
        format: "json",
        path: "opencode.json",
        entries: [
          { in: ["mcp"], key: "proofline", value: { type: "local", command: [...start, "mcp"], enabled: true } }
        ],
        more: { $schema: "https://opencode.ai/config.json" }
      },
      told("AGENTS.md")
    ]
  },
  cursor: {
    title: "Cursor",
    files: (start) => [
      {
        format: "json",
        path: ".cursor/mcp.json",
        entries: [{ in: ["mcpServers"], key: "proofline", value: { type: "stdio", ...commandOf(start, ...here) } }]
      },
      told("AGENTS.md")
    ]
  },
  vscode: {
    title: "VS Code",
    files: (start) => [
      {
        format: "json",
        path: ".vscode/mcp.json",
        entries: [{ in: ["servers"], key: "proofline", value: { type: "stdio", ...commandOf(start, ...here) } }]
      },
      told("AGENTS.md")
    ]
  }
}

const stopHook = (command: string) => ({ hooks: [{ type: "command", command, timeout: 20 }] })

/** Whether an element of a list is about the same as one of ours, whatever else it says. */
export const isAbout = (value: unknown): boolean => JSON.stringify(value)?.includes("hook claude-stop") ?? false

/** With which words a command in a value may start Proofline: as we write them, wherever a checkout lies. */
export const startsIn = (value: unknown): ReadonlyArray<ReadonlyArray<string>> => {
  const texts = stringsIn(value)
  const words = texts.flatMap((text) => (/ --prefix |\/proofline'? /.test(text) ? shellWords(text) : [text]))
  const checkouts = words.flatMap((word, index) => (words[index - 1] === "--prefix" ? [word] : []))
  const scripts = words.filter((word) => /^\/.*\/proofline$/s.test(word))
  return [
    ...[["proofline"], ["npx", "proofline"]],
    ...checkouts.map((path) => ["npx", "--prefix", path, "proofline"]),
    ...scripts.map((script) => [script])
  ]
}

/** The commands in the value of an entry, as words: of a server, or of each hook that calls ours. */
export const commandsOf = (value: unknown): ReadonlyArray<ReadonlyArray<string>> => {
  if (typeof value !== "object" || value === null) return []
  const { args = [], command, hooks } = value as Readonly<Record<string, unknown>>
  if (Array.isArray(hooks)) return hooks.flatMap((hook) => (isAbout(hook) ? commandsOf(hook) : []))
  const words = [command, args].flat().filter((word) => typeof word === "string")
  if (words.length === 0) return []
  // the command of a hook is one line for a shell
  return [words.length === 1 && /\s/.test(words[0] ?? "") ? shellWords(words[0] ?? "") : words]
}

const stringsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** The words of a command line that `quoted` has written. */
const shellWords = (line: string): ReadonlyArray<string> =>
  Array.from(line.matchAll(/(?:[^\s'\\]|\\'|'[^']*')+/g), ([word]) =>
    word.replace(/'([^']*)'|\\'/g, (_, quoted: string | undefined) => quoted ?? "'")
  )
