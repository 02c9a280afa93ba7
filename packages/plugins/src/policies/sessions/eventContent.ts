import type { Event, Recorded } from "@proofline/kernel"

/** The content of the first event of a type among those a command has just written; undefined: it has written none. */
export const contentOf = <Owner extends string, Type extends string, Content>(
  events: ReadonlyArray<Recorded>,
  { name }: Event<Owner, Type, Content>
): Content | undefined =>
  // what was just decided is of today's shape
  events.find(({ event_type }) => event_type === name)?.content as Content | undefined
