import { spawn } from "node:child_process"
import { appendFileSync, chmodSync, mkdirSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import type { PresetName } from "@proofline/plugins/adapters/command-agent"
import { Effect } from "effect"
import { type Finished, finish, launcher } from "../cli/proofline.ts"
import { git } from "../cli/sessionStage.ts"
import { directory } from "../plugins/node-process/support.ts"
import { userOf } from "./clients.ts"
import { bin } from "./scene.ts"

const PROMPT = "Add a login."

/** The one file of the project. */
export const source = "src/auth.py"

export interface Client {
  /** What it is called in the log. */
  readonly agent: string
  /** Where it looks for servers. */
  readonly config: string
  readonly command: (model: string) => ReadonlyArray<string>
  /** What its command needs beside that before it may edit the project, with nobody there to ask. */
  readonly edits: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** What else the page shows for it, for both transports. */
  readonly more?: string
  /** What it has written down of a person who said that this folder may be trusted. */
  readonly trust?: (root: string) => readonly [path: string, text: string]
}

export const clients: Readonly<Record<PresetName, Client>> = {
  claude: {
    agent: "claude-code",
    config: ".mcp.json",
    more: ".claude/settings.json",
    trust: (root) => ["~/.claude.json", JSON.stringify({ projects: { [root]: { hasTrustDialogAccepted: true } } })],
    // else it begins before the server is there
    env: { MCP_CONNECTION_NONBLOCKING: "0" },
    edits: ["--permission-mode", "acceptEdits"],
    command: (model) => ["claude", "-p", PROMPT, "--output-format", "stream-json", "--verbose", "--model", model]
  },
  codex: {
    agent: "codex-mcp-client",
    config: "~/.codex/config.toml",
    edits: ["-s", "workspace-write"],
    command: (model) => ["codex", "exec", "--json", "--skip-git-repo-check", "-m", model, PROMPT]
  },
  gemini: {
    agent: "gemini-cli-mcp-client",
    config: ".gemini/settings.json",
    edits: ["--approval-mode", "yolo"],
    command: (model) => ["gemini", "-p", PROMPT, "-m", model, "--output-format", "stream-json"],
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true" }
  },
  opencode: {
    agent: "opencode",
    config: "opencode.json",
    edits: [],
    command: (model) => ["opencode", "run", "--format", "json", "-m", model, PROMPT]
  }
}

const put = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  appendFileSync(file, text)
}

/** A directory of this place with the command `proofline`. */
export const proofline = (place: string): string => {
  const command = join(place, "bin", "proofline")
  put(command, `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`)
  chmodSync(command, 0o755)
  return dirname(command)
}

/** A user who has a client, an empty project, and the commands `proofline` and the client's own on the path. */
export const userIn = (client: PresetName, model: string) => {
  const place = directory()
  const [home, root] = [join(place, "home"), join(place, "project")]
  const env: Record<string, string> = { ...userOf(client, bin, home, model), ...clients[client].env }
  put(join(root, source), "SALT = 'x'\n")
  // a client that looks for the repository it is in must not find one above
  git(root, "init", "-q")
  env["PATH"] = [proofline(place), env["PATH"]].join(delimiter)
  /** Writes what the page shows to where it says. */
  const follow = (path: string, text: string): void =>
    put(path.startsWith("~/") ? join(home, path.slice(2)) : join(root, path), text)
  const trusted = clients[client].trust?.(root)
  if (trusted !== undefined) follow(...trusted)
  const run = ([name = "", ...args]: ReadonlyArray<string>): Effect.Effect<Finished> =>
    Effect.promise(() => {
      return finish(spawn(name, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] }))
    })
  return { home, root, env, follow, run }
}
