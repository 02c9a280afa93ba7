import { mkdirSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import type { PresetName } from "@proofline/plugins/adapters/command-agent"
import { Effect } from "effect"

interface Setting {
  readonly model: string
  readonly env: (model: string) => Readonly<Record<string, string>>
  /** Paths below the home directory, and what stands there. */
  readonly files: (model: string) => Readonly<Record<string, string>>
}

/** What makes each client talk to the scripted model and to nobody else. A user's client has its own login instead. */
export const settings: Readonly<Record<PresetName, Setting>> = {
  claude: {
    model: "claude-sonnet-4-5",
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1"
    }),
    // A user's own permission: without it this client runs no command when there is nobody to ask.
    files: () => ({ ".claude/settings.json": JSON.stringify({ permissions: { allow: ["Bash(sh ./slow.sh)"] } }) })
  },
  codex: {
    model: "scripted",
    env: () => ({ SCRIPTED_KEY: "dummy" }),
    files: (url) => ({
      ".codex/config.toml": `
model_provider = "scripted"
model = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
[analytics]
enabled = false
[feedback]
enabled = false
[otel]
exporter = "none"
`
    })
  },
  gemini: {
    model: "gemini-2.5-flash",
    env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "dummy" }),
    files: () => ({
      ".gemini/settings.json": JSON.stringify({
        security: { auth: { selectedType: "gemini-api-key" } },
        telemetry: { enabled: false },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true, enableAutoUpdate: false }
      })
    })
  },
  opencode: {
    model: "scripted/scripted",
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" }),
    files: (url) => ({
      ".config/opencode/opencode.json": JSON.stringify({
        autoupdate: false,
        share: "disabled",
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${url}/v1`, apiKey: "dummy" },
            models: { scripted: { name: "scripted" } }
          }
        }
      })
    })
  }
}

/** Replaces all of this process's environment while the effect runs: nothing of the machine's user reaches a client. */
export const withOnly = <A, E, R>(env: Readonly<Record<string, string>>, effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const before = process.env
      process.env = { ...env }
      return before
    }),
    () => effect,
    (before) =>
      Effect.sync(() => {
        process.env = before
      })
  )

/** Writes the settings of a user who has this client and gives the environment, in which there is nothing else. */
export const userOf = (client: PresetName, bin: string, home: string, model: string): Record<string, string> => {
  for (const [path, text] of Object.entries(settings[client].files(model))) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  const tmp = join(home, "tmp")
  mkdirSync(tmp, { recursive: true })
  return {
    HOME: home,
    TMPDIR: tmp,
    PATH: [bin, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
    TERM: "dumb",
    ...settings[client].env(model)
  }
}
