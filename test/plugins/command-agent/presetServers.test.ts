import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "./fakeClients.ts"

describe("the server of an attempt", () => {
  const mcp = { command: "/usr/bin/it's node", args: ["/a path/proofline.cjs", "mcp", "--cwd", '/the "project"'] }
  const settingsIn = (argv: ReadonlyArray<string>) =>
    argv.flatMap((word, i) => (word === "-c" ? [argv[i + 1]?.split(/=(.*)/s).slice(0, 2)] : []))

  it.live.each(["work", "review"] as const)(
    "is named to claude on the command line, for %s, and all of its tools are allowed",
    (role) =>
      Effect.gen(function* () {
        const { argv } = (yield* call("claude", {}, { mcp, role })).called
        assert.deepStrictEqual(JSON.parse(argv[argv.indexOf("--mcp-config") + 1] ?? ""), {
          mcpServers: { proofline: { type: "stdio", ...mcp } }
        })
        assert.strictEqual(argv[argv.indexOf("--allowedTools") + 1], "mcp__proofline__*")
        assert.notInclude(argv, "--strict-mcp-config")
      })
  )

  it.live("is named to codex by settings, which hands on the token and asks nobody", () =>
    Effect.gen(function* () {
      const { argv } = (yield* call("codex", {}, { mcp })).called
      assert.deepStrictEqual(
        settingsIn(argv).map((setting) => [setting?.[0], JSON.parse(setting?.[1] ?? "")]),
        [
          ["mcp_servers.proofline.command", mcp.command],
          ["mcp_servers.proofline.args", mcp.args],
          ["mcp_servers.proofline.env_vars", ["PROOFLINE_TOKEN"]],
          ["mcp_servers.proofline.default_tools_approval_mode", "approve"]
        ]
      )
      assert.strictEqual(argv.at(-1), "-")
    })
  )

  it.live.each([
    { name: "nothing", user: undefined, own: { experimental: { continue_loop_on_deny: true } }, servers: {} },
    { name: "settings", user: '{"share":"disabled"}', own: { share: "disabled" }, servers: {} },
    {
      name: "servers",
      user: '{"mcp":{"mine":{"type":"local","command":["x"]}}}',
      own: {},
      servers: { mine: { type: "local", command: ["x"] } }
    }
  ])("is named to opencode beside what the user has set: $name", ({ own, servers, user }) =>
    Effect.gen(function* () {
      const env: Record<string, string> = user === undefined ? {} : { OPENCODE_CONFIG_CONTENT: user }
      const { called } = yield* call("opencode", {}, { mcp, env })
      assert.deepStrictEqual(JSON.parse(called.env["OPENCODE_CONFIG_CONTENT"] ?? ""), {
        ...own,
        mcp: { ...servers, proofline: { type: "local", command: [mcp.command, ...mcp.args], enabled: true } }
      })
    })
  )

  it.live("is not named to opencode when what the user has set cannot be read", () =>
    Effect.gen(function* () {
      const commented = '{ // mine\n "share": "disabled" }'
      const { called } = yield* call("opencode", {}, { mcp, env: { OPENCODE_CONFIG_CONTENT: commented } })
      assert.strictEqual(called.env["OPENCODE_CONFIG_CONTENT"], commented)
    })
  )

  it.live("is named with nothing that is secret", () =>
    Effect.gen(function* () {
      for (const preset of ["claude", "codex", "gemini", "opencode"] as const) {
        const { argv, env } = (yield* call(preset, {}, { mcp })).called
        assert.notInclude(JSON.stringify([argv, env]), "att_")
      }
    })
  )
})
