import type { Schema } from "effect"

/**
 * Steps from the first schema version of an event type to today's, oldest first: `upcasters[type][i]` lifts version
 * i + 1 to i + 2. Empty so far: no event type has changed since the first release. A step is frozen once released.
 */
export const upcasters: Readonly<Record<string, ReadonlyArray<(content: Schema.Json) => Schema.Json>>> = {}
