import { parseConfig } from "@proofline/plugins/adapters/project-files"
import { assert, describe, expect, it } from "vitest"
import { configProblems } from "./told.ts"

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
        ["tests", { judge: "npm test" }]
      ] as const),
      evidence: { strict: true, ablation: false },
      proof: null,
      chunking: { enabled: false, retry: { max_retries: 0 } },
      plugins: [
        { use: "@scope/name", with: {}, line: 21, column: 11 },
        { use: "proofline-plugin-x", with: {}, line: 21, column: 26 },
        { use: "./plugins/my plugin.ts", with: {}, line: 21, column: 46 }
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
  it("keys that are unknown", () => {
    expect(
      configProblems("agnet: claude\ntasks: []\nevidence: {strikt: true}\nagents: {a: {comand: x}}\n")
    ).toMatchInlineSnapshot(`
      "1:1 unknown_key
        The key "agnet" is not known.
        Did you mean \`agent\`?
      2:1 unknown_key
        The key "tasks" is not known.
        Remove it; known keys are \`agent\`, \`reviewer\`, \`workers\`, \`max_retries\`, \`retry_delay_ms\`, \`backoff_multiplier\`, \`retry_on\`, \`timeout_ms\`, \`check_timeout_ms\`, \`idle_timeout_ms\`, \`fail_fast\`, \`max_attempts\`, \`max_duration\`, \`max_tokens\`, \`max_cost\`, \`agent_command\`, \`agents\`, \`evidence\`, \`proof\`, \`chunking\`, \`plugins\`, \`verifiers\`, \`pull\`, \`$schema\` and \`schema_version\`.
      3:12 unknown_key
        The key "strikt" is not known in \`evidence\`.
        Did you mean \`strict\`?
      4:13 agent_invalid
        \`a\` of \`agents\` has neither a \`command\` nor a \`preset\` nor a \`judge\`.
        Add \`command:\` with a shell command, \`preset:\` with \`claude\`, \`codex\`, \`gemini\` or \`opencode\`, or \`judge:\` with the shell command of a reviewer.
      4:14 unknown_key
        The key "comand" is not known in \`a\` of \`agents\`.
        Did you mean \`command\`?"
    `)
  })

  it("a file that is no mapping", () => {
    expect(configProblems("- agent: claude\n")).toMatchInlineSnapshot(`
      "1:1 wrong_type
        The file must be a mapping, not a list.
        Write a mapping of settings, as lines of \`key: value\`."
    `)
  })

  it("agents that say too much or too little", () => {
    expect(
      configProblems(`agents:
  a: {}
  b: {command: x, preset: claude}
  c: {command: x, model: y}
  d: {preset: claud}
  e: claude
  none: {preset: claude}
  a b: {preset: claude}
  f: {preset: 3}
  g:
`)
    ).toMatchInlineSnapshot(`
      "2:6 agent_invalid
        \`a\` of \`agents\` has neither a \`command\` nor a \`preset\` nor a \`judge\`.
        Add \`command:\` with a shell command, \`preset:\` with \`claude\`, \`codex\`, \`gemini\` or \`opencode\`, or \`judge:\` with the shell command of a reviewer.
      3:6 agent_invalid
        \`b\` of \`agents\` has both a \`command\` and a \`preset\`.
        Keep one of them.
      4:6 agent_invalid
        \`c\` of \`agents\` has a \`model\` but no \`preset\`.
        Name the model in the command itself.
      5:15 value_not_allowed
        \`preset\` of \`d\` of \`agents\` cannot be "claud".
        Did you mean \`claude\`? Allowed is \`claude\`, \`codex\`, \`gemini\` or \`opencode\`.
      6:6 wrong_type
        \`e\` of \`agents\` must be a mapping, not the text "claude".
        Write a \`command\`, a \`preset\` or a \`judge\`, as lines of \`key: value\`.
      7:3 agent_name_invalid
        A name in \`agents\` cannot be "none", which stands for nobody.
        Give the agent another name.
      8:3 agent_name_invalid
        A name in \`agents\` cannot be "a b".
        Use letters, digits, \`_\`, \`.\` and \`-\` only, at most 100.
      9:15 wrong_type
        \`preset\` of \`f\` of \`agents\` must be \`claude\`, \`codex\`, \`gemini\` or \`opencode\`, not the number 3.
        Write \`claude\`, \`codex\`, \`gemini\` or \`opencode\`.
      10:3 blank_value
        \`g\` of \`agents\` has no content.
        Write a \`command\`, a \`preset\` or a \`judge\`."
    `)
  })

  it("a judge that is more than a judge, and one that is asked to work", () => {
    expect(
      configProblems(`agent: tests
reviewer: tests
agents:
  tests: {judge: npm test}
  a: {judge: x, command: y}
  b: {judge: x, command: y, preset: claude}
  c: {judge: x, model: y}
  d: {judge: ""}
  e: {juge: x}
`)
    ).toMatchInlineSnapshot(`
      "1:8 agent_invalid
        \`agent\` is "tests", which is a \`judge\` and cannot work.
        Name it as \`reviewer\`, and as \`agent\` one with a \`command\` or a \`preset\`.
      5:6 agent_invalid
        \`a\` of \`agents\` has both a \`command\` and a \`judge\`.
        Keep one of them.
      6:6 agent_invalid
        \`b\` of \`agents\` has a \`command\`, a \`preset\` and a \`judge\`.
        Keep one of them.
      7:6 agent_invalid
        \`c\` of \`agents\` has a \`model\` but no \`preset\`.
        Name the model in the command itself.
      8:14 blank_value
        \`judge\` of \`d\` of \`agents\` has no content.
        Write a shell command, or leave the key out.
      9:6 agent_invalid
        \`e\` of \`agents\` has neither a \`command\` nor a \`preset\` nor a \`judge\`.
        Add \`command:\` with a shell command, \`preset:\` with \`claude\`, \`codex\`, \`gemini\` or \`opencode\`, or \`judge:\` with the shell command of a reviewer.
      9:7 unknown_key
        The key "juge" is not known in \`e\` of \`agents\`.
        Did you mean \`judge\`?"
    `)
  })

  it("a judge that is asked to work, also where a plugin may bring agents", () => {
    const text = "agents: {tests: {judge: npm test}}\nplugins: [x]\nagent: tests\n"
    assert.deepStrictEqual(codesOf(text), ["3:8 agent_invalid"])
    assert.deepStrictEqual(codesOf(text.replace("agent:", "reviewer:")), [])
  })

  it("keys of the section `chunking` that stand beside it", () => {
    expect(configProblems("max_subtasks: 3\nchunk: {}\n")).toMatchInlineSnapshot(`
      "1:1 unknown_key
        The key "max_subtasks" is not known.
        Write it under \`chunking\`.
      2:1 unknown_key
        The key "chunk" is not known.
        Did you mean \`chunking\`?"
    `)
  })

  it("names of agents that nobody defines", () => {
    expect(configProblems("agent: clade\nreviewer: noone\n")).toMatchInlineSnapshot(`
      "1:8 agent_unknown
        \`agent\` is "clade", but no agent has that name.
        Did you mean \`claude\`?
      2:11 agent_unknown
        \`reviewer\` is "noone", but no agent has that name.
        Did you mean \`none\`?"
    `)
  })

  it("a command that is never used, and one that is defined twice", () => {
    expect(configProblems("agent: claude\nagent_command: x\nagents: {command: {command: y}}\n")).toMatchInlineSnapshot(`
      "2:1 agent_conflict
        The agent \`command\` is defined twice, by \`agent_command\` and under \`agents\`.
        Keep one of them.
      2:1 agent_conflict
        \`agent_command\` is never used, because \`agent\` is "claude".
        Write \`agent: command\`, or remove \`agent_command\`."
    `)
  })

  it("plugins that cannot be loaded", () => {
    expect(configProblems("plugins: [../x.ts, /abs.ts, Upper, a, a, '', 3]\n")).toMatchInlineSnapshot(`
      "1:11 plugin_invalid
        Item 1 of \`plugins\` is "../x.ts", which is neither an npm name nor a path that begins with \`./\`.
        Write the name of an installed npm package, or a path such as \`./plugins/mine.ts\`.
      1:20 plugin_invalid
        Item 2 of \`plugins\` is "/abs.ts", which is neither an npm name nor a path that begins with \`./\`.
        Write the name of an installed npm package, or a path such as \`./plugins/mine.ts\`.
      1:29 plugin_invalid
        Item 3 of \`plugins\` is "Upper", which is neither an npm name nor a path that begins with \`./\`.
        Write the name of an installed npm package, or a path such as \`./plugins/mine.ts\`.
      1:39 plugin_duplicate
        The plugin "a" is named twice.
        Remove one of them.
      1:42 blank_value
        Item 6 of \`plugins\` has no content.
        Write an npm name or a path that begins with \`./\`, or remove the item.
      1:46 wrong_type
        Item 7 of \`plugins\` must be text, not the number 3.
        Put it in quotes: "3"."
    `)
    expect(configProblems("plugins: ./one.ts\n")).toMatchInlineSnapshot(`
      "1:10 wrong_type
        \`plugins\` must be a list, not the text "./one.ts".
        Write the plugins, each on a line that begins with \`- \`."
    `)
  })

  it("values of wrong types", () => {
    expect(
      configProblems(
        "agent: 3\nreviewer: false\nworkers: many\nfail_fast: 'true'\nevidence: strict\nagents: [claude]\nretry_on: ERROR\nagent_command:\n"
      )
    ).toMatchInlineSnapshot(`
      "1:8 wrong_type
        \`agent\` must be text, not the number 3.
        Put it in quotes: "3".
      2:11 wrong_type
        \`reviewer\` must be text, not the value false.
        Put it in quotes: "false".
      3:10 wrong_type
        \`workers\` must be a whole number, not the text "many".
        Write a whole number from 1 to 10000.
      4:12 wrong_type
        \`fail_fast\` must be true or false, not the text "true".
        Write true or false.
      5:11 wrong_type
        \`evidence\` must be a mapping, not the text "strict".
        Write \`strict\` or \`ablation\`, as lines of \`key: value\`.
      6:9 wrong_type
        \`agents\` must be a mapping, not a list.
        Write agents, each under its name.
      7:11 wrong_type
        \`retry_on\` must be a list, not the text "ERROR".
        Write any of INCOMPLETE, ERROR and TIMEOUT, each on a line that begins with \`- \`.
      8:1 blank_value
        \`agent_command\` has no content.
        Write a shell command, or leave the key out."
    `)
  })
})
