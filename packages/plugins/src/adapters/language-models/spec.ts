import type { AgentRole } from "@proofline/kernel"
import type { ModelApi } from "../../options/index.ts"

/** A model that is asked over HTTP. It never holds a key: only where one is. */
export interface ModelSpec {
  readonly api: ModelApi
  readonly model: string
  /** Left out: that of the provider itself. */
  readonly base_url?: string
  /** The environment variable that holds the key. */
  readonly key_env?: string
  /** The file that holds the key: from the project, or from the home directory where it begins with `~/`. */
  readonly key_file?: string
  /** Of an answer. */
  readonly max_tokens?: number
}

/** What a model can be asked for: it reads its prompt and answers, and changes no file. */
export const modelRoles = ["review", "analyze", "generate", "verify"] as const satisfies ReadonlyArray<AgentRole>

interface Provider {
  readonly base_url: string
  /** Where its key is, when nothing is said of that. */
  readonly key_env: string
  /** How it is called for people. */
  readonly title: string
}

export const providers: Readonly<Record<ModelApi, Provider>> = {
  openai: { base_url: "https://api.openai.com/v1", key_env: "OPENAI_API_KEY", title: "OpenAI-compatible" },
  anthropic: { base_url: "https://api.anthropic.com", key_env: "ANTHROPIC_API_KEY", title: "Anthropic Messages API" }
}

export const baseUrlOf = ({ api, base_url }: ModelSpec): string =>
  (base_url ?? providers[api].base_url).replace(/\/+$/, "")

/** How it is driven, for people. */
export const drivenBy = (spec: ModelSpec): string => {
  const url = baseUrlOf(spec)
  const host = URL.canParse(url) ? new URL(url).host : url
  return `language model ${spec.model}, ${providers[spec.api].title} at ${host}`
}
