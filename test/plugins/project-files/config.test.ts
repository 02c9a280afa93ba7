import { parseConfig } from "@proofline/plugins/adapters/project-files"
import { assert, describe, it } from "vitest"

const configOf = (text: string) => {
  const { config, problems } = parseConfig(text, "proofline.yaml")
  assert.deepStrictEqual(problems, [])
  assert(config !== null)
  return config
}

const codesOf = (text: string) =>
  parseConfig(text, "proofline.yaml").problems.map(({ code, column, line }) => `${line}:${column} ${code}`)

describe("a sound configuration", () => {
  it("may be empty", () => {
    const nothing = {
      defaults: {},
      agents: new Map(),
      evidence: {},
      proof: null,
      checks_from: null,
      chunking: null,
      plugins: [],
      analyzerAt: null,
      verifiers: [],
      pull: {}
    }
    assert.deepStrictEqual(configOf(""), nothing)
    assert.deepStrictEqual(configOf("# agent: claude\n"), nothing)
    assert.deepStrictEqual(configOf("{}\n"), nothing)
  })

  it("says everything that can be said", () => {
    const config = configOf(`$schema: x
schema_version: 1
agent: fast
agents:
  fast: {preset: claude, model: haiku}
  plain: {preset: codex}
  mine: {command: "my-agent --headless"}
  tests: {judge: npm test}
  open: {acp: opencode acp}
  asked: {acp: gemini --acp, permissions: deny}
reviewer: tests
workers: 4
max_retries: 1
retry_delay_ms: 10
backoff_multiplier: 1
retry_on: []
timeout_ms: 1000
check_timeout_ms: 2000
idle_timeout_ms: 3000
fail_fast: false
evidence: {strict: true, ablation: false}
chunking: {enabled: false, retry: {max_retries: 0}}
plugins: ["@scope/name", proofline-plugin-x, ./plugins/my plugin.ts]
verifiers: [npm test, "node check.mjs"]
pull: {contract: full, intent: MODIFY, gate: full, flags: [no_doc], agent: mine, session_ttl_ms: 60000}
`)
    assert.deepStrictEqual(config, {
      defaults: {
        agent: "fast",
        reviewer: "tests",
        workers: 4,
        max_retries: 1,
        retry_delay_ms: 10,
        backoff_multiplier: 1,
        retry_on: [],
        timeout_ms: 1000,
        check_timeout_ms: 2000,
        idle_timeout_ms: 3000,
        fail_fast: false
      },
      agents: new Map([
        ["fast", { preset: "claude", model: "haiku" }],
        ["plain", { preset: "codex", model: null }],
        ["mine", { command: "my-agent --headless" }],
        ["tests", { judge: "npm test" }],
        ["open", { acp: "opencode acp" }],
        ["asked", { acp: "gemini --acp", permissions: "deny" }]
      ] as const),
      evidence: { strict: true, ablation: false },
      proof: null,
      checks_from: null,
      chunking: { enabled: false, retry: { max_retries: 0 } },
      plugins: [
        { use: "@scope/name", with: {}, line: 23, column: 11 },
        { use: "proofline-plugin-x", with: {}, line: 23, column: 26 },
        { use: "./plugins/my plugin.ts", with: {}, line: 23, column: 46 }
      ],
      analyzerAt: null,
      verifiers: ["npm test", "node check.mjs"],
      pull: {
        contract: "full",
        intent: "MODIFY",
        gate: "full",
        flags: ["no_doc"],
        agent: "mine",
        session_ttl_ms: 60_000
      }
    })
  })

  it("has a short form for one agent", () => {
    const { agents, defaults } = configOf("agent: command\nagent_command: run-it\nreviewer: none\n")
    assert.deepStrictEqual(defaults, { agent: "command", reviewer: null })
    assert.deepStrictEqual(agents, new Map([["command", { command: "run-it" }]]))
  })

  it("may give a plugin options, and says where the plugin and the analyzer stand", () => {
    const { analyzerAt, plugins } = configOf(`chunking:
  analyzer: mine
plugins:
  - use: ./a.ts
    with: { prefix: release, limits: [1, 2.5, null], deep: { on: true } }
  - { use: "@scope/b" }
`)
    assert.deepStrictEqual(analyzerAt, { line: 2, column: 3 })
    assert.deepStrictEqual(plugins, [
      {
        use: "./a.ts",
        with: { prefix: "release", limits: [1, 2.5, null], deep: { on: true } },
        line: 4,
        column: 5
      },
      { use: "@scope/b", with: {}, line: 6, column: 5 }
    ])
  })

  it("may name agents that a plugin brings", () => {
    assert.strictEqual(configOf("agent: special\nplugins: [proofline-plugin-special]\n").defaults.agent, "special")
  })
})

describe("problems of a configuration", () => {
  it("a judge that is asked to work, also where a plugin may bring agents", () => {
    const text = "agents: {tests: {judge: npm test}}\nplugins: [x]\nagent: tests\n"
    assert.deepStrictEqual(codesOf(text), ["3:8 agent_invalid"])
    assert.deepStrictEqual(codesOf(text.replace("agent:", "reviewer:")), [])
  })
})
