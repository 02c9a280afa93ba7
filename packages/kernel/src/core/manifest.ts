import { Schema } from "effect"
import type { Recorded, Visibility } from "../base/Recorded.ts"
import { aContent, answered } from "./answers.ts"
import type { Composition, EventTable, Snapshot } from "./compose.ts"
import type { AnyEvent, Json } from "./contract.ts"
import { attributed } from "./faults.ts"
import { frozen } from "./frozen.ts"

/** An event whose type or version nobody here knows. */
export class UnknownEvent extends Schema.TaggedError<UnknownEvent>()("UnknownEvent", {
  stream: Schema.String,
  version: Schema.Int,
  event_type: Schema.String,
  schema_version: Schema.Int,
  /** Whose event it is, where that is known and it is not as its schema is today; else null. */
  owner: Schema.NullOr(Schema.String),
  message: Schema.String
}) {}

type Stored = Pick<Recorded, "event_type" | "schema_version" | "content" | "stream" | "version">

/** Every event type that can be read and written, with its schema, its version and how old versions are lifted. */
export interface EventManifest {
  readonly types: ReadonlySet<string>
  readonly schemaVersionOf: (type: string) => number
  readonly visibilityOf: (type: string) => Visibility
  /** One line for people, for any content that fits the type. */
  readonly sentenceOf: (event: AnyEvent) => string
  /**
   * One line for people about a stored event; in the words of its type where nobody here can read it, it was written in an
   * earlier version, of which something may be concluded from the run before it, or its sentence breaks.
   */
  readonly tell: (recorded: Stored) => string
  /**
   * Today's event from a stored one. Throws `UnknownEvent`, also when the content does not fit its schema. What an old
   * version left out is concluded from the run as it was `before`; without it, what is concluded is not to be relied on.
   */
  readonly decode: (recorded: Stored, before?: () => Snapshot) => AnyEvent
}

/** The version in which events of this type are written today. */
export const versionOf = ({ event }: EventTable): number => (event.options.upcasters?.length ?? 0) + 1

export const makeManifest = (composition: Composition): EventManifest => {
  const { events, initial } = composition
  const tableOf = (type: string): EventTable => {
    const table = events.get(type)
    if (table === undefined) throw new Error(`Event type ${type} is not defined.`)
    return table
  }
  const start = () => initial
  const manifest: EventManifest = {
    types: new Set(events.keys()),
    schemaVersionOf: (type) => versionOf(tableOf(type)),
    visibilityOf: (type) => tableOf(type).event.options.visibility,
    sentenceOf: ({ content, type }) => {
      const event = events.get(type)?.event
      if (event === undefined) return type
      return attributed(event.owner, `sentence of ${type}`, () => event.options.sentence(content)) ?? type
    },
    tell: (recorded) => {
      try {
        if (recorded.schema_version === manifest.schemaVersionOf(recorded.event_type))
          return manifest.sentenceOf(manifest.decode(recorded))
      } catch {
        // what only tells stops nothing
      }
      return `${recorded.event_type.toLowerCase().replaceAll("_", " ")}.`
    },
    decode: (recorded, before = start) => {
      const table = events.get(recorded.event_type)
      if (table === undefined) throw unknown(recorded, "no plugin here knows this event type")
      const today = versionOf(table)
      if (recorded.schema_version > today) throw unknown(recorded, `it is read here up to schema version ${today}`)
      if (recorded.schema_version < 1) throw unknown(recorded, "schema versions count from 1")
      const content = lifted(composition, table, recorded, before)
      try {
        return { type: recorded.event_type, content: table.decode(content) }
      } catch (cause) {
        throw unknown(recorded, `its content does not fit the schema (${problemOf(cause)})`, table.event.owner)
      }
    }
  }
  return manifest
}

/** The content as today's version would have it. */
const lifted = (
  { freezes, listed, view }: Composition,
  { event, slot }: EventTable,
  recorded: Stored,
  before: () => Snapshot
): Json => {
  const steps = (event.options.upcasters ?? []).slice(recorded.schema_version - 1)
  if (steps.length === 0) return recorded.content
  const state = view(slot, before().slices)
  return steps.reduce<Json>(
    (old, lift, i) =>
      answered(
        event.owner,
        `upcasters[${recorded.schema_version - 1 + i}] of ${event.type} on event ${recorded.version} of ${recorded.stream}`,
        aContent,
        listed,
        () => lift(old, state)
      ),
    freezes ? frozen(recorded.content) : recorded.content
  )
}

/** What is wrong, and where: the first of it. */
export const problemOf = (cause: unknown): string =>
  String((cause as Error)?.message ?? cause)
    .split("\n", 2)
    .map((line) => line.trim())
    .join(" ")

const unknown = (recorded: Stored, why: string, owner: string | null = null): UnknownEvent =>
  new UnknownEvent({
    stream: recorded.stream,
    version: recorded.version,
    event_type: recorded.event_type,
    schema_version: recorded.schema_version,
    owner,
    message: `Event ${recorded.version} of ${recorded.stream} (${recorded.event_type} v${recorded.schema_version}) cannot be read: ${why}.`
  })
