import { assert, describe, it } from "@effect/vitest"
import type { Usage } from "@proofline/kernel"
import type { AgentSpec, PresetName } from "@proofline/plugins/adapters/command-agent"
import { Effect } from "effect"
import { call } from "./fakeClients.ts"
import { ask, project } from "./support.ts"

const used = (input_tokens: number | null, output_tokens: number | null, cost_usd: number | null): Usage => ({
  input_tokens,
  output_tokens,
  cost_usd
})

const result = (more: object) => ({ type: "result", subtype: "success", is_error: false, result: "Done.", ...more })
const step = (part: object) => ({ type: "step_finish", sessionID: "s", part: { type: "step-finish", ...part } })

describe("what a client says it has used", () => {
  it.live.each<{ name: string; preset: PresetName; lines: ReadonlyArray<unknown>; usage: Usage | null }>([
    {
      name: "claude: with what it wrote to and read from its cache, at its end",
      preset: "claude",
      lines: [
        { type: "assistant", message: { usage: { input_tokens: 1, output_tokens: 1 } } },
        result({
          total_cost_usd: 0.25,
          usage: {
            input_tokens: 10,
            cache_creation_input_tokens: 200,
            cache_read_input_tokens: 3_000,
            output_tokens: 40,
            service_tier: "standard"
          }
        })
      ],
      usage: used(3_210, 40, 0.25)
    },
    {
      name: "claude: also when it failed",
      preset: "claude",
      lines: [result({ is_error: true, result: "Overloaded", usage: { input_tokens: 5, output_tokens: 0 } })],
      usage: used(5, 0, null)
    },
    {
      name: "codex: what it read from a cache is part of its input",
      preset: "codex",
      lines: [
        {
          type: "turn.completed",
          usage: { input_tokens: 26_549, cached_input_tokens: 22_272, output_tokens: 1_590, reasoning_output_tokens: 9 }
        }
      ],
      usage: used(26_549, 1_590, null)
    },
    {
      name: "gemini: what it thought is part of the total alone",
      preset: "gemini",
      lines: [
        {
          type: "result",
          status: "success",
          stats: { total_tokens: 250, input_tokens: 100, output_tokens: 50, cached: 5 }
        }
      ],
      usage: used(100, 150, null)
    },
    {
      name: "gemini: without a total",
      preset: "gemini",
      lines: [{ type: "result", status: "success", stats: { input_tokens: 100, output_tokens: 50 } }],
      usage: used(100, 50, null)
    },
    {
      name: "opencode: the sum of its steps",
      preset: "opencode",
      lines: [
        step({ cost: 0.5, tokens: { input: 10, output: 5, reasoning: 2, cache: { read: 100, write: 20 } } }),
        { type: "text", sessionID: "s", part: { type: "text", text: "Done." } },
        step({ cost: 0.25, tokens: { input: 1, output: 1 } })
      ],
      usage: used(131, 8, 0.75)
    },
    { name: "claude: nothing", preset: "claude", lines: [result({})], usage: null },
    { name: "codex: nothing", preset: "codex", lines: [{ type: "turn.completed" }], usage: null },
    { name: "gemini: nothing", preset: "gemini", lines: [{ type: "result", status: "success" }], usage: null },
    { name: "opencode: nothing", preset: "opencode", lines: [step({})], usage: null },
    {
      name: "claude: figures that cannot be any",
      preset: "claude",
      lines: [result({ total_cost_usd: "1", usage: { input_tokens: -1, output_tokens: null } })],
      usage: null
    },
    { name: "claude: something else instead", preset: "claude", lines: [result({ usage: [] })], usage: null }
  ])("$name", ({ lines, preset, usage }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* call(preset, { lines })).usage, usage)
    })
  )

  it.live("does not stand in the way of its answer, whatever it looks like", () =>
    Effect.gen(function* () {
      const { answer, outcome, usage } = yield* call("claude", {
        lines: [result({ result: "```\nyes\n```", usage: "much", total_cost_usd: {} })]
      })
      assert.deepStrictEqual([answer, outcome, usage], ["yes", "COMPLETE", null])
    })
  )
})

const writes = (text: string): AgentSpec => ({ command: `printf '%s' '${text}' > "$PROOFLINE_USAGE_FILE"` })

describe("what a command writes to its usage file", () => {
  it.live.each<{ name: string; spec: AgentSpec; usage: Usage | null }>([
    {
      name: "all of it",
      spec: writes('{"input_tokens": 12, "output_tokens": 3, "cost_usd": 0.02, "model": "m"}'),
      usage: used(12, 3, 0.02)
    },
    { name: "a part of it", spec: writes('{"cost_usd": 1}'), usage: used(null, null, 1) },
    { name: "half a token more", spec: writes('{"input_tokens": 1.5}'), usage: used(2, null, null) },
    { name: "nothing", spec: { command: "true" }, usage: null },
    { name: "an empty file", spec: writes(""), usage: null },
    { name: "no JSON", spec: writes("12 tokens"), usage: null },
    { name: "a list", spec: writes("[12]"), usage: null },
    { name: "figures below zero", spec: writes('{"input_tokens": -5, "cost_usd": -1}'), usage: null },
    { name: "texts", spec: writes('{"input_tokens": "5"}'), usage: null },
    { name: "a directory in its place", spec: { command: 'mkdir "$PROOFLINE_USAGE_FILE"' }, usage: null },
    { name: "a pipe in its place", spec: { command: 'mkfifo "$PROOFLINE_USAGE_FILE"' }, usage: null },
    {
      name: "far too much",
      spec: {
        command: `{ printf '{"cost_usd": 1, "x": "'; head -c 70000 /dev/zero | tr '\\0' x; printf '"}'; } > "$PROOFLINE_USAGE_FILE"`
      },
      usage: null
    }
  ])("$name", ({ spec, usage }) =>
    Effect.gen(function* () {
      const ended = yield* ask(project(), spec)
      assert.deepStrictEqual([ended.outcome, ended.error, ended.usage], ["COMPLETE", null, usage])
    })
  )

  it.live("counts when the command fails, and when it only judges", () =>
    Effect.gen(function* () {
      const command = `echo '{"output_tokens": 7}' > "$PROOFLINE_USAGE_FILE"; exit 3`
      const failed = yield* ask(project(), { command })
      assert.deepStrictEqual([failed.outcome, failed.usage], ["ERROR", used(null, 7, null)])
      const judged = yield* ask(project(), { judge: command }, { role: "review" })
      assert.deepStrictEqual([judged.outcome, judged.usage], ["COMPLETE", used(null, 7, null)])
    })
  )
})
