import type { Schema } from "effect"

// What versions 1 to 3 of a configuration did not know: a budget. In words and literals of its own, so that it never
// changes.

type Json = Schema.Json
type Fields = Readonly<Record<string, Json>>

const budget: Json = {
  max_attempts: null,
  max_calls: null,
  max_duration_ms: null,
  max_tokens: null,
  max_cost_usd: null
}

/** Of RUN_STARTED and RUN_RESUMED. */
export const budgeted = (content: Json): Json => {
  const fields = content as Fields
  const config = fields["config"]
  return config === null || config === undefined ? content : { ...fields, config: { ...(config as Fields), budget } }
}
