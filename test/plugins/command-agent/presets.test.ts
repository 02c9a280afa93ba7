import { dirname } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { AgentRole } from "@proofline/kernel"
import type { PresetName } from "@proofline/plugins/adapters/command-agent"
import { Effect } from "effect"
import { presets } from "../../../packages/plugins/src/adapters/command-agent/presets.ts"
import { directory } from "../node-process/support.ts"
import { call, type Play, withEnv } from "./fakeClients.ts"
import { ask, project } from "./support.ts"

const answer = '{"summary":"done"}'
const prose = `All done.\n\n\`\`\`json\n${answer}\n\`\`\`\n`

describe("how a client is called", () => {
  it.live.each<{ name: string; preset: PresetName; role?: AgentRole; model?: string; argv: string }>([
    {
      name: "claude",
      preset: "claude",
      argv: "-p --output-format stream-json --verbose --permission-mode acceptEdits --add-dir DIR --append-system-prompt PROOFLINE_REPORT_FILE is DIR/report"
    },
    {
      name: "claude for a review",
      preset: "claude",
      role: "review",
      argv: "-p --output-format stream-json --verbose --permission-mode default --disallowedTools Edit,Write,NotebookEdit"
    },
    {
      name: "claude with a model",
      preset: "claude",
      model: "opus",
      argv: "-p --output-format stream-json --verbose --permission-mode acceptEdits --add-dir DIR --append-system-prompt PROOFLINE_REPORT_FILE is DIR/report --model opus"
    },
    { name: "codex", preset: "codex", argv: "exec --json --skip-git-repo-check -s workspace-write --add-dir DIR -" },
    {
      name: "codex for a review with a model",
      preset: "codex",
      role: "review",
      model: "$(id)",
      argv: "exec --json --skip-git-repo-check -s read-only -m $(id) -"
    },
    { name: "gemini", preset: "gemini", argv: "--output-format stream-json --approval-mode yolo" },
    {
      name: "gemini for a verification with a model",
      preset: "gemini",
      role: "verify",
      model: "it's",
      argv: "--output-format stream-json --approval-mode default -m it's"
    },
    { name: "opencode", preset: "opencode", argv: "run --format json" },
    {
      name: "opencode for a review with a model",
      preset: "opencode",
      role: "review",
      model: "p/m",
      argv: "run --format json --agent plan -m p/m"
    }
  ])("$name", ({ preset, role, model, argv }) =>
    Effect.gen(function* () {
      const { called } = yield* call(preset, {}, { ...(role && { role }), ...(model && { model }) })
      assert.strictEqual(called.argv.join(" ").replaceAll(dirname(called.report), "DIR"), `${preset} ${argv}`)
      assert.strictEqual(called.stdin, "The prompt.\n")
    })
  )

  it.live("keeps the user's environment", () =>
    Effect.gen(function* () {
      const env = {
        LOGIN_OF_THE_USER: "yes",
        CLAUDE_CODE_MAX_RETRIES: "7",
        GEMINI_CLI_TRUST_WORKSPACE: "false",
        OPENCODE_CONFIG_CONTENT: "{}",
        OPENCODE_PERMISSION: '{"bash":"ask"}'
      }
      assert.deepStrictEqual((yield* call("claude", {}, { env })).called.env, env)
      assert.deepStrictEqual((yield* call("gemini", {}, { env })).called.env, env)
      assert.deepStrictEqual((yield* call("opencode", {}, { env })).called.env, env)
    })
  )

  it.live("sets what an unattended client needs", () =>
    Effect.gen(function* () {
      const claude = yield* call("claude", {}, { env: { CLAUDECODE: "1" } })
      assert.deepStrictEqual(claude.called.env, { CLAUDE_CODE_MAX_RETRIES: "2" })
      assert.deepStrictEqual((yield* call("gemini", {})).called.env, { GEMINI_CLI_TRUST_WORKSPACE: "true" })
      assert.deepStrictEqual((yield* call("codex", {})).called.env, {})
      assert.deepStrictEqual((yield* call("opencode", {})).called.env, {
        OPENCODE_CONFIG_CONTENT: '{"experimental":{"continue_loop_on_deny":true}}'
      })
    })
  )

  it.live.each([
    { name: "nothing", user: undefined, rules: '{"edit":"deny","bash":"deny"}' },
    {
      name: "rules",
      user: '{"edit":"allow","webfetch":"deny","bash":{"*":"allow"},"*":"allow"}',
      rules: '{"webfetch":"deny","*":"allow","edit":"deny","bash":"deny"}'
    },
    { name: "one rule for all", user: '"allow"', rules: '{"edit":"deny","bash":"deny"}' },
    { name: "no JSON", user: "{", rules: '{"edit":"deny","bash":"deny"}' }
  ])(
    "lets an opencode that reviews neither edit nor run, last of all rules, when the user has $name",
    ({ user, rules }) =>
      Effect.gen(function* () {
        const env: Record<string, string> = user === undefined ? {} : { OPENCODE_PERMISSION: user }
        const { called } = yield* call("opencode", {}, { role: "review", env })
        assert.strictEqual(called.env["OPENCODE_PERMISSION"], rules)
      })
  )
})

const played: Readonly<Record<PresetName, ReadonlyArray<unknown>>> = {
  claude: [
    { type: "system", subtype: "init", session_id: "s" },
    { type: "assistant", message: { content: [{ type: "text", text: "```\nnot this\n```" }] } },
    { type: "result", subtype: "success", is_error: false, result: "```\nnor this\n```" },
    "a line that is no JSON",
    { type: "result", subtype: "success", is_error: false, result: prose, total_cost_usd: 0.1 }
  ],
  codex: [
    { type: "thread.started", thread_id: "t" },
    { type: "item.completed", item: { id: "item_0", type: "error", message: "Model metadata for `m` not found." } },
    { type: "turn.started" },
    { type: "item.completed", item: { id: "item_1", type: "agent_message", text: "```\nnot this\n```" } },
    { type: "error", message: "Reconnecting... 1/5 (unexpected status 401 Unauthorized: x, url: http://127.0.0.1/)" },
    {
      type: "item.completed",
      item: {
        id: "item_2",
        type: "command_execution",
        command: "/bin/bash -lc ls",
        aggregated_output: "```\nx\n```",
        exit_code: 0,
        status: "completed"
      }
    },
    { type: "item.completed", item: { id: "item_3", type: "agent_message", text: prose } },
    { type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } }
  ],
  gemini: [
    { type: "init", session_id: "s", model: "m" },
    { type: "message", role: "user", content: "```\nthe prompt\n```" },
    { type: "message", role: "assistant", content: "```\nnot this\n```\n", delta: true },
    { type: "tool_use", tool_name: "t", tool_id: "1", parameters: {} },
    { type: "tool_result", tool_id: "1", status: "success", output: "```\nx\n```" },
    ...prose.split(" ").map((piece, index) => ({
      type: "message",
      role: "assistant",
      content: index === 0 ? piece : ` ${piece}`,
      delta: true
    })),
    { type: "result", status: "success", stats: { total_tokens: 1 } }
  ],
  opencode: [
    { type: "step_start", sessionID: "s", part: { type: "step-start" } },
    { type: "text", sessionID: "s", part: { type: "text", text: "```\nnot this\n```" } },
    { type: "tool_use", sessionID: "s", part: { type: "tool", tool: "t", state: { output: "```\nx\n```" } } },
    { type: "step_finish", sessionID: "s", part: { type: "step-finish", reason: "tool-calls" } },
    { type: "step_start", sessionID: "s", part: { type: "step-start" } },
    { type: "text", sessionID: "s", part: { type: "text", text: prose } },
    { type: "step_finish", sessionID: "s", part: { type: "step-finish", reason: "stop" } }
  ]
}

describe("what a client answers", () => {
  it.live.each(Object.entries(played) as Array<[PresetName, ReadonlyArray<unknown>]>)(
    "%s: the last block of its last words",
    ([preset, lines]) =>
      Effect.gen(function* () {
        const result = yield* call(preset, { lines })
        assert.deepStrictEqual([result.outcome, result.answer, result.error], ["COMPLETE", answer, null])
      })
  )

  it("is found in plain output of a client that does not know the format", () => {
    for (const preset of Object.values(presets)) {
      assert.deepStrictEqual(preset.read(prose), { text: null, failure: null, usage: null, session: null })
    }
  })

  it.live("is found there too", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* call("codex", { lines: [prose] })).answer, answer)
    })
  )
})

/** As this client ends when its provider gave an error: the body of the answer is its message. */
const geminiError = (code: number, message: string, status: string) => ({
  type: "result",
  status: "error",
  error: {
    type: "unknown",
    message: `[API Error: ${JSON.stringify({ error: { code, message, status, details: [] } })}]`
  }
})

describe("how a client fails", () => {
  it.live.each<{ name: string; preset: PresetName; play: Play; code: string; terminal: boolean }>([
    {
      name: "claude whose key is refused",
      preset: "claude",
      play: {
        exit: 1,
        lines: [
          { type: "system", subtype: "api_retry", attempt: 1, max_retries: 2, error_status: 401 },
          {
            type: "result",
            subtype: "success",
            is_error: true,
            api_error_status: 401,
            api_error_type: "authentication_error",
            result: "```\nInvalid API key · Fix external API key\n```"
          }
        ]
      },
      code: "agent_credentials",
      terminal: true
    },
    {
      name: "claude that is not logged in, even if it exits well",
      preset: "claude",
      play: {
        lines: [{ type: "result", is_error: true, api_error_status: null, result: "Not logged in · Please run /login" }]
      },
      code: "agent_credentials",
      terminal: true
    },
    {
      name: "claude without credit",
      preset: "claude",
      play: {
        exit: 1,
        lines: [{ type: "result", is_error: true, api_error_status: 400, result: "Credit balance is too low" }]
      },
      code: "agent_quota",
      terminal: true
    },
    {
      name: "claude after too many turns",
      preset: "claude",
      play: { exit: 1, lines: [{ type: "result", subtype: "error_max_turns", is_error: true }] },
      code: "agent_exit",
      terminal: false
    },
    {
      name: "claude while its provider is overloaded",
      preset: "claude",
      play: {
        exit: 1,
        lines: [{ type: "result", is_error: true, api_error_status: 529, result: "API Error: 529 Overloaded" }]
      },
      code: "agent_overloaded",
      terminal: false
    },
    {
      name: "codex whose key is refused",
      preset: "codex",
      play: {
        exit: 1,
        lines: [
          {
            type: "turn.failed",
            error: {
              message: "unexpected status 401 Unauthorized: Incorrect API key provided: x., url: http://127.0.0.1/"
            }
          }
        ]
      },
      code: "agent_credentials",
      terminal: true
    },
    {
      name: "codex without its key",
      preset: "codex",
      play: {
        exit: 1,
        lines: [{ type: "turn.failed", error: { message: "Missing environment variable: `OPENAI_API_KEY`." } }]
      },
      code: "agent_credentials",
      terminal: true
    },
    {
      name: "codex that sends too much",
      preset: "codex",
      play: {
        exit: 1,
        lines: [{ type: "turn.failed", error: { message: "exceeded retry limit, last status: 429 Too Many Requests" } }]
      },
      code: "agent_overloaded",
      terminal: false
    },
    {
      name: "codex whose provider has no quota left for it",
      preset: "codex",
      play: {
        exit: 1,
        lines: [{ type: "turn.failed", error: { message: "Quota exceeded. Check your plan and billing details." } }]
      },
      code: "agent_quota",
      terminal: true
    },
    {
      name: "codex without quota",
      preset: "codex",
      play: { exit: 1, lines: [{ type: "turn.failed", error: { message: "You've hit your usage limit." } }] },
      code: "agent_quota",
      terminal: true
    },
    {
      name: "gemini whose key is refused",
      preset: "gemini",
      play: {
        exit: 145,
        lines: [geminiError(401, "Request had invalid authentication credentials.", "UNAUTHENTICATED")]
      },
      code: "agent_credentials",
      terminal: true
    },
    {
      name: "gemini whose key is none",
      preset: "gemini",
      play: {
        exit: 144,
        lines: [geminiError(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT")]
      },
      code: "agent_credentials",
      terminal: true
    },
    {
      name: "gemini without its key",
      preset: "gemini",
      play: {
        exit: 41,
        stderr:
          "When using Gemini API, you must specify the GEMINI_API_KEY environment variable.\nUpdate your environment and try again (no reload needed if using .env)!"
      },
      code: "agent_credentials",
      terminal: true
    },
    {
      name: "gemini without quota",
      preset: "gemini",
      play: {
        exit: 173,
        lines: [
          {
            type: "result",
            status: "error",
            error: {
              type: "unknown",
              message:
                "[API Error: You have exhausted your daily quota on this model.]\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method"
            }
          }
        ]
      },
      code: "agent_quota",
      terminal: true
    },
    {
      name: "gemini that sends too much",
      preset: "gemini",
      play: {
        exit: 173,
        lines: [
          {
            type: "result",
            status: "error",
            error: {
              type: "unknown",
              message:
                "[API Error: Resource has been exhausted (e.g. check quota).]\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method"
            }
          }
        ]
      },
      code: "agent_overloaded",
      terminal: false
    },
    {
      name: "gemini that was never set up",
      preset: "gemini",
      play: { exit: 41, stderr: "Please set an Auth method in your settings.json" },
      code: "agent_credentials",
      terminal: true
    },
    {
      name: "gemini for a reason of its own",
      preset: "gemini",
      play: { exit: 1, lines: [{ type: "result", status: "error", error: { message: "Loop detected" } }] },
      code: "agent_exit",
      terminal: false
    },
    {
      name: "opencode whose key is refused",
      preset: "opencode",
      play: {
        exit: 1,
        lines: [
          {
            type: "error",
            error: { name: "APIError", data: { message: "Incorrect key.", statusCode: 401, isRetryable: false } }
          }
        ]
      },
      code: "agent_credentials",
      terminal: true
    },
    {
      name: "opencode without quota",
      preset: "opencode",
      play: {
        exit: 1,
        lines: [
          {
            type: "error",
            error: {
              name: "APIError",
              data: { message: "You exceeded your current quota, please check your plan.", statusCode: 429 }
            }
          }
        ]
      },
      code: "agent_quota",
      terminal: true
    },
    {
      name: "opencode that is not logged in",
      preset: "opencode",
      play: { exit: 1, lines: [{ type: "error", error: { name: "ProviderAuthError", data: { message: "x" } } }] },
      code: "agent_credentials",
      terminal: true
    },
    {
      name: "opencode for another reason",
      preset: "opencode",
      play: {
        exit: 1,
        lines: [{ type: "error", error: { name: "UnknownError", data: { message: "permission rejected" } } }]
      },
      code: "agent_exit",
      terminal: false
    }
  ])("$name", ({ preset, play, code, terminal }) =>
    Effect.gen(function* () {
      const result = yield* call(preset, play)
      assert.deepStrictEqual(
        [result.outcome, result.answer, result.error?.code, result.error?.terminal],
        ["ERROR", null, code, terminal]
      )
    })
  )

  it.live("does not matter when it got over it and answered", () =>
    Effect.gen(function* () {
      const error = { type: "error", error: { name: "APIError", data: { message: "x", statusCode: 500 } } }
      const result = yield* call("opencode", { lines: [error, ...played.opencode] })
      assert.deepStrictEqual([result.outcome, result.answer], ["COMPLETE", answer])
    })
  )

  it.live("is terminal when it is not installed", () =>
    Effect.gen(function* () {
      const result = yield* withEnv({ PATH: directory() }, ask(project(), { preset: "claude" }))
      assert.deepStrictEqual([result.error?.code, result.error?.terminal], ["agent_not_found", true])
    })
  )
})
