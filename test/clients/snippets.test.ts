import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { PresetName } from "@proofline/plugins/adapters/command-agent"
import { Effect } from "effect"
import { serving } from "../cli/serveClient.ts"
import { newestLog } from "../cli/sessionStage.ts"
import { settings } from "./clients.ts"
import { commandLines, snippetFor, usualAddress } from "./docs.ts"
import { bin, folder } from "./scene.ts"
import { inOrder, type Reply, scriptedModel } from "./scriptedModel.ts"
import { clients, source, userIn } from "./users.ts"

const LIMIT_MS = 180_000
const TOKEN = "0123456789abcdef".repeat(4)

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
    it.skip("not tested: only npm run test:clients does, see test/clients/README.md", () => {})
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
            const { env, follow, root, run } = userIn(client, model.url)
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
          const { follow, root, run } = userIn("claude", model.url)
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

  describe("proofline mcp install", () => {
    /** How a client lists its servers. */
    const lists = {
      codex: ["codex", "mcp", "list"],
      gemini: ["gemini", "mcp", "list"],
      opencode: ["opencode", "mcp", "list"]
    }
    for (const client of ["codex", "gemini", "opencode"] as const) {
      it.live.skipIf(!existsSync(join(bin, client)))(
        `given ${client}, when it was set up, then it lists the server; and when that was taken out, then not any more`,
        () =>
          Effect.gen(function* () {
            const { follow, root, run } = userIn(client, "http://127.0.0.1:9")
            // what a person says once
            if (client === "codex") follow("~/.codex/config.toml", `\n[projects."${root}"]\ntrust_level = "trusted"\n`)
            for (const [flags, isThere] of [
              [[], true],
              [["--remove"], false]
            ] as const) {
              const set = yield* run(["proofline", "mcp", "install", client, "--yes", ...flags])
              assert.strictEqual(set.code, 0, set.stderr)
              const { code, stderr, stdout } = yield* run(lists[client])
              const shown = `${stdout}\n${stderr}`
              assert.strictEqual(code, 0, shown)
              assert.strictEqual(shown.includes("proofline"), isThere, shown)
            }
          }).pipe(Effect.scoped),
        LIMIT_MS
      )
    }
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
            const { home, root, run } = userIn(client, "http://127.0.0.1:9")
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
