import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { stepsOf } from "../../clients/replaying.ts"
import { directory } from "../node-process/support.ts"
import { call } from "./fakeClients.ts"

const mcp = { command: "/usr/bin/it's node", args: ["/a path/proofline.cjs", "mcp", "--cwd", '/the "project"'] }
const said = [{ type: "message", role: "assistant", content: "Done.\n" }]
const own = { command: mcp.command, args: mcp.args, env: { PROOFLINE_TOKEN: "$PROOFLINE_TOKEN" }, trust: true }

/** A home directory with these files. */
const homeWith = (files: Readonly<Record<string, string>>): string => {
  const home = directory()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  return home
}

describe("the server of an attempt, to gemini", () => {
  const settings = `{
  // mine
  "mcpServers": { "mine": { "command": "x" }, "proofline": { "command": "another" } },
  "security": { "auth": { "selectedType": "gemini-api-key" } }
}`
  const files = {
    ".gemini/settings.json": settings,
    ".gemini/oauth_creds.json": "{}",
    ".gemini/commands/mine.toml": "",
    ".env": "GEMINI_API_KEY=mine",
    ".bashrc": ""
  }
  const all = {
    mcpServers: { mine: { command: "x" }, proofline: own },
    security: { auth: { selectedType: "gemini-api-key" } }
  }

  it.live.each(["HOME", "GEMINI_CLI_HOME"])(
    "is named in settings of the attempt beside those of the user, whose home %s names; all else there is the user's by links",
    (name) =>
      Effect.gen(function* () {
        const home = homeWith(files)
        const { called, outcome } = yield* call("gemini", { lines: said }, { mcp, env: { [name]: home } })
        assert.strictEqual(outcome, "COMPLETE")
        assert.deepStrictEqual(JSON.parse(called.home?.settings ?? ""), all)
        assert.strictEqual(called.home?.mode, 0o600)
        const linked = [".gemini/oauth_creds.json", ".gemini/commands", ".gemini/tmp", ".gemini/history", ".env"]
        assert.deepStrictEqual(called.home?.links, Object.fromEntries(linked.map((path) => [path, join(home, path)])))
        // the user's is as it was, but for what the client itself makes there, and nothing is left of the other
        assert.strictEqual(readFileSync(join(home, ".gemini/settings.json"), "utf8"), settings)
        const there = ["commands", "history", "oauth_creds.json", "settings.json", "tmp"]
        assert.deepStrictEqual(readdirSync(join(home, ".gemini")).toSorted(), there)
        assert.isFalse(existsSync(called.home?.path ?? home))
      })
  )

  it.live("is named where the user has no settings yet", () =>
    Effect.gen(function* () {
      const { called } = yield* call("gemini", {}, { mcp, env: { HOME: homeWith({}) } })
      assert.deepStrictEqual(JSON.parse(called.home?.settings ?? ""), { mcpServers: { proofline: own } })
    })
  )

  it.live("when it names a file of that home, then the user's is meant", () =>
    Effect.gen(function* () {
      const home = homeWith({})
      const stderr = "Please set an Auth method in your HOME/.gemini/settings.json"
      const result = yield* call("gemini", { stderr, exit: 41 }, { mcp, env: { HOME: home } })
      assert.strictEqual(new TextDecoder().decode(result.stderr).trim(), stderr.replace("HOME", home))
    })
  )

  it.live("is named otherwise where the project names one that is not of the attempt, which is left out", () =>
    Effect.gen(function* () {
      const HOME = homeWith({ ".gemini/settings.json": '{ "mcp": { "excluded": ["x"] } }' })
      const project = { ".gemini/settings.json": '{ "mcpServers": { "proofline": { "command": "proofline" } } }' }
      const { called } = yield* call("gemini", {}, { mcp, env: { HOME }, files: project })
      assert.deepStrictEqual(JSON.parse(called.home?.settings ?? ""), {
        mcp: { excluded: ["x", "proofline"] },
        mcpServers: { "proofline-attempt": own }
      })
    })
  )

  const sandboxed = '{ "tools": { "sandbox": true } }'
  it.live.each([
    { name: "settings that are no JSON", home: { ".gemini/settings.json": "{ x }" }, why: "is no JSON object" },
    { name: "settings that are a list", home: { ".gemini/settings.json": "[]" }, why: "is no JSON object" },
    { name: "settings that are a directory", home: { ".gemini/settings.json/x": "" }, why: "EISDIR" },
    { name: "a sandbox in the settings", home: { ".gemini/settings.json": sandboxed }, why: "sandbox" },
    {
      name: "servers that are allowed",
      home: { ".gemini/settings.json": '{ "mcp": { "allowed": ["mine"] } }' },
      why: "`mcp`"
    },
    {
      name: "servers that are not",
      home: { ".gemini/settings.json": '{ "mcp": { "excluded": ["proofline"] } }' },
      why: "`mcp`"
    },
    { name: "a sandbox in the environment", home: {}, env: { GEMINI_SANDBOX: "docker" }, why: "sandbox" },
    {
      name: "a sandbox in the settings of the system",
      home: { system: '{ "tools": { "sandbox": { "enabled": true } } }' },
      system: "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
      why: "sandbox"
    }
  ])("is not named with $name: it works in the user's own home, and that is told once", ({ env, home, system, why }) =>
    Effect.gen(function* () {
      const HOME = homeWith(home)
      const files: Record<string, string> = system === undefined ? {} : { [system]: join(HOME, "system") }
      const lines = [...said, ...said]
      const { called, outcome, steps } = yield* call("gemini", { lines }, { mcp, env: { HOME, ...env, ...files } })
      assert.deepStrictEqual([outcome, called.home], ["COMPLETE", undefined])
      const [first, ...others] = stepsOf(steps).map((step) => (step.type === "note" ? step.text : step.type))
      assert.include(first ?? "", why)
      assert.deepStrictEqual(others, ["text", "text"])
    })
  )

  it.live("is named where the environment takes the sandbox of the settings back", () =>
    Effect.gen(function* () {
      const HOME = homeWith({ ".gemini/settings.json": sandboxed })
      const { called } = yield* call("gemini", {}, { mcp, env: { HOME, GEMINI_SANDBOX: "false" } })
      assert.deepStrictEqual(JSON.parse(called.home?.settings ?? ""), {
        mcpServers: { proofline: own },
        tools: { sandbox: true }
      })
    })
  )
})
