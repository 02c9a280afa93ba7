import type { Permissions, Preset } from "../../options/index.ts"

/**
 * A shell command of the user's, or a client whose command line and output are known. `acp` is a shell command that speaks
 * the Agent Client Protocol; `permissions` answers what it asks, `allow` when left out. `judge` is a shell command that
 * reviews by its exit code and can do nothing else.
 */
export type AgentSpec =
  | { readonly command: string }
  | { readonly acp: string; readonly permissions?: Permissions }
  | { readonly preset: Preset; readonly model?: string }
  | { readonly judge: string }
