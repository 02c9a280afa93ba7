import { spawn } from "node:child_process"
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { delimiter, dirname, join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { PresetName } from "@proofline/plugins/adapters/command-agent"
import { Effect } from "effect"
import { type Finished, finish, launcher } from "../cli/proofline.ts"
import { serving } from "../cli/serveClient.ts"
import { git, newestLog } from "../cli/sessionStage.ts"
import { directory } from "../plugins/node-process/support.ts"
import { settings, userOf } from "./clients.ts"
import { commandLines, snippetFor, usualAddress } from "./docs.ts"
import { inOrder, type Reply, scriptedModel } from "./scriptedModel.ts"

/** A folder in which the clients were installed with npm. */
const folder = process.env["PROOFLINE_TEST_CLIENTS"]
const bin = resolve(folder ?? ".", "node_modules", ".bin")

const LIMIT_MS = 180_000
const PROMPT = "Add a login."
const TOKEN = "0123456789abcdef".repeat(4)

const source = "src/auth.py"

interface Client {
  /** What it is called in the log. */
  readonly agent: string
  /** Where it looks for servers. */
  readonly config: string
  readonly command: (model: string) => ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  /** What else the page shows for it, for both transports. */
  readonly more?: string
  /** What it has written down of a person who said that this folder may be trusted. */
  readonly trust?: (root: string) => readonly [path: string, text: string]
}

const clients: Readonly<Record<PresetName, Client>> = {
  claude: {
    agent: "claude-code",
    config: ".mcp.json",
    more: ".claude/settings.json",
    trust: (root) => ["~/.claude.json", JSON.stringify({ projects: { [root]: { hasTrustDialogAccepted: true } } })],
    // else it begins before the server is there
    env: { MCP_CONNECTION_NONBLOCKING: "0" },
    command: (model) => ["claude", "-p", PROMPT, "--output-format", "stream-json", "--verbose", "--model", model]
  },
  codex: {
    agent: "codex-mcp-client",
    config: "~/.codex/config.toml",
    command: (model) => ["codex", "exec", "--json", "--skip-git-repo-check", "-m", model, PROMPT]
  },
  gemini: {
    agent: "gemini-cli-mcp-client",
    config: ".gemini/settings.json",
    command: (model) => ["gemini", "-p", PROMPT, "-m", model, "--output-format", "stream-json"],
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true" }
  },
  opencode: {
    agent: "opencode",
    config: "opencode.json",
    command: (model) => ["opencode", "run", "--format", "json", "-m", model, PROMPT]
  }
}

const put = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  appendFileSync(file, text)
}

/** A user who has a client, an empty project, and the commands `proofline` and the client's own on the path. */
const scene = (client: PresetName, model: string) => {
  const place = directory()
  const [home, root] = [join(place, "home"), join(place, "project")]
  const env: Record<string, string> = { ...userOf(client, bin, home, model), ...clients[client].env }
  const command = join(place, "bin", "proofline")
  put(command, `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`)
  chmodSync(command, 0o755)
  put(join(root, source), "SALT = 'x'\n")
  // a client that looks for the repository it is in must not find one above
  git(root, "init", "-q")
  env["PATH"] = [dirname(command), env["PATH"]].join(delimiter)
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

const steps: ReadonlyArray<Reply> = [
  { tool: "get_next_action", input: {} },
  { tool: "check_write_target", input: { file_path: source } },
  { tool: "submit_phase", input: { data: { explored_files: [], findings: ["nothing"] } } },
  { say: "All done." }
]

/** What the kernel noted of what the client asked for. */
const noted = ["SESSION_OPENED", "NEXT_ACTION_ISSUED", "WRITE_TARGET_CHECKED", "PHASE_REJECTED"]

if (folder === undefined) {
  describe("what docs/mcp.md shows, with the real clients", () => {
    it.skip("not tested: PROOFLINE_TEST_CLIENTS names no folder, see test/clients/README.md", () => {})
  })
} else {
  for (const client of Object.keys(settings) as ReadonlyArray<PresetName>) {
    const installed = existsSync(join(bin, client))
    const { agent, command, config, more } = clients[client]
    describe.skipIf(!installed)(`docs/mcp.md, ${client}${installed ? "" : `, not installed in ${folder}`}`, () => {
      it.live.each(["stdio", "http"])(
        "given what it shows over %s, when the model uses three tools, then they are answered and in the log",
        (transport) =>
          Effect.gen(function* () {
            const model = yield* scriptedModel(inOrder(...steps))
            const { env, follow, root, run } = scene(client, model.url)
            const text = snippetFor(config, transport)
            if (transport === "http") {
              const { url } = yield* Effect.promise(() => serving(root, [], { PROOFLINE_TOKEN: TOKEN }))
              follow(config, text.replaceAll(usualAddress, url))
              env["PROOFLINE_TOKEN"] = TOKEN
            } else follow(config, text)
            if (more !== undefined) follow(more, snippetFor(more))
            const { code, stderr, stdout } = yield* run(command(settings[client].model))
            const shown = `${stdout}\n${stderr}\n${JSON.stringify(model.asked.map(({ result }) => result))}`
            assert.strictEqual(code, 0, shown)
            const results = model.asked.map(({ result }) => result)
            for (const part of ["EXPLORATION", '"allowed"', "payload_mismatch"]) {
              assert.isTrue(
                results.some((result) => result.includes(part)),
                `${part}: ${shown}`
              )
            }
            const log = yield* Effect.promise(() => newestLog(root))
            assert.includeMembers(
              log.map(({ event_type }) => event_type),
              noted,
              shown
            )
            const opened = log.find(({ event_type }) => event_type === "SESSION_OPENED")
            assert.strictEqual(opened.content.agent, agent)
            assert.notInclude(JSON.stringify(log), TOKEN)
          }).pipe(Effect.scoped),
        LIMIT_MS
      )
    })
  }

  describe.skipIf(!existsSync(join(bin, "claude")))("docs/mcp.md, claude and its Stop hook", () => {
    it.live(
      "given an agent that says it is done while work is open, then it is told once what is open, and stops after that",
      () =>
        Effect.gen(function* () {
          const model = yield* scriptedModel(inOrder(...steps))
          const { follow, root, run } = scene("claude", model.url)
          follow(".mcp.json", snippetFor(".mcp.json", "stdio"))
          follow(".claude/settings.json", snippetFor(".claude/settings.json"))
          const { code, stderr, stdout } = yield* run(clients.claude.command(settings.claude.model))
          const told = model.asked.map(({ user }) => user.includes("Phase EXPLORATION is still to be handed in"))
          assert.deepStrictEqual([code, told], [0, [false, false, false, false, true]], `${stdout}\n${stderr}`)
          const log = yield* Effect.promise(() => newestLog(root))
          assert.includeMembers(
            log.map(({ event_type }) => event_type),
            noted
          )
        }).pipe(Effect.scoped),
      LIMIT_MS
    )
  })

  describe("docs/mcp.md, the command that adds the server", () => {
    /** What the command has written, beside what the page shows for the same. */
    const added: Readonly<
      Record<"claude" | "codex" | "gemini", (written: string, root: string) => readonly [unknown, unknown]>
    > = {
      claude: (written, root) => {
        const { env, ...server } = JSON.parse(written).projects[root].mcpServers.proofline
        return [server, JSON.parse(snippetFor(".mcp.json", "stdio")).mcpServers.proofline]
      },
      codex: (written) => [
        written.slice(written.indexOf("[mcp_servers")).trim().split("\n"),
        snippetFor("~/.codex/config.toml", "stdio").split("\n").slice(0, 3)
      ],
      gemini: (written) => [JSON.parse(written), JSON.parse(snippetFor(".gemini/settings.json", "stdio"))]
    }
    const files = { claude: "~/.claude.json", codex: "~/.codex/config.toml", gemini: ".gemini/settings.json" }
    for (const client of ["claude", "codex", "gemini"] as const) {
      it.live.skipIf(!existsSync(join(bin, client)))(
        `given ${client}, when it is run, then it writes what the page shows`,
        () =>
          Effect.gen(function* () {
            const { home, root, run } = scene(client, "http://127.0.0.1:9")
            const lines = commandLines(client)
            assert.strictEqual(lines.length, 1)
            const { code, stderr, stdout } = yield* run(["sh", "-c", lines[0] ?? ""])
            assert.strictEqual(code, 0, `${stdout}\n${stderr}`)
            const [written, shown] = added[client](
              readFileSync(files[client].replace(/^~/, home).replace(/^\.gemini/, join(root, ".gemini")), "utf8"),
              root
            )
            assert.deepStrictEqual(written, shown)
          }).pipe(Effect.scoped),
        LIMIT_MS
      )
    }
  })
}
