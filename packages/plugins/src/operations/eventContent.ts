import type { KernelEventType, Recorded } from "@proofline/kernel"
import { Schema } from "effect"

/** The content of the first event of a type among those a command has written; undefined: it has written none. */
export const contentOf = <S extends Schema.Codec<unknown, unknown>>(
  events: ReadonlyArray<Recorded>,
  type: KernelEventType,
  content: S
): S["Type"] | undefined => {
  const found = events.find(({ event_type }) => event_type === type)
  return found === undefined ? undefined : Schema.decodeUnknownSync(content)(found.content)
}
