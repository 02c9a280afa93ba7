import type { Schema } from "effect"

/** Lifts the content of an event from one schema version to the next. Pure, JSON to JSON. */
export type Upcaster = (content: Schema.Json) => Schema.Json

/** An event type a plugin owns. `upcasters[i]` lifts schema version i + 1 to i + 2; the last result fits `content`. */
export interface EventDefinition {
  readonly type: string
  readonly visibility: "summary" | "full"
  // biome-ignore lint/suspicious/noExplicitAny: of any type; unknown would refuse every real schema
  readonly content: Schema.Codec<any, any>
  readonly upcasters?: ReadonlyArray<Upcaster>
}
