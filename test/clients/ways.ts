import { join } from "node:path"
import type { PresetName } from "@proofline/plugins/adapters/command-agent"
import { settings } from "./clients.ts"
import { bin } from "./scene.ts"

export interface Way {
  readonly client: PresetName
  /** Below `node_modules/.bin`. */
  readonly program: string
  readonly acp: string
  readonly env: Readonly<Record<string, string>>
  /** Whether it asks before it edits the project. */
  readonly asks: boolean
}

/** How each client speaks the Agent Client Protocol: by itself, or through an adapter. */
export const ways: ReadonlyArray<Way> = [
  {
    client: "opencode",
    program: "opencode",
    acp: "exec opencode acp",
    // by default it asks nobody, and ends where it is refused something
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        model: settings.opencode.model,
        permission: { "*": "ask" },
        experimental: { continue_loop_on_deny: true }
      })
    },
    asks: true
  },
  {
    client: "gemini",
    program: "gemini",
    acp: `exec gemini --acp -m ${settings.gemini.model}`,
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
    asks: true
  },
  {
    client: "codex",
    program: "codex-acp",
    acp: "exec codex-acp",
    env: {
      NO_BROWSER: "1",
      OPENAI_API_KEY: "dummy",
      MODEL_PROVIDER: "scripted",
      INITIAL_AGENT_MODE: "workspace-write",
      CODEX_PATH: join(bin, "codex")
    },
    asks: false
  }
]
