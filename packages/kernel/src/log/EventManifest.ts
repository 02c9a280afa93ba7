import { Schema } from "effect"
import { contents, type KernelEvent, type PluginEvent, summaryTypes } from "../domain/Event.ts"
import type { EventDefinition } from "../domain/EventDefinition.ts"
import type { Recorded, Visibility } from "../domain/Recorded.ts"
import { upcasters as kernelUpcasters } from "./upcasters/index.ts"

/** An event whose type or version nobody here knows. */
export class UnknownEvent extends Schema.TaggedError<UnknownEvent>()("UnknownEvent", {
  stream: Schema.String,
  version: Schema.Int,
  event_type: Schema.String,
  schema_version: Schema.Int,
  message: Schema.String
}) {}

/** Every event type that can be read and written, with its schema, its version and how old versions are lifted. */
export interface EventManifest {
  readonly types: ReadonlySet<string>
  readonly schemaVersionOf: (type: string) => number
  readonly visibilityOf: (type: string) => Visibility
  /** Today's event from a stored one. Throws `UnknownEvent`, also when the content does not fit its schema. */
  readonly decode: (
    recorded: Pick<Recorded, "event_type" | "schema_version" | "content" | "stream" | "version">
  ) => KernelEvent | PluginEvent
}

interface Entry {
  readonly schemaVersion: number
  readonly visibility: Visibility
  readonly upcasters: ReadonlyArray<(content: Schema.Json) => Schema.Json>
  readonly decode: (content: unknown) => unknown
}

const kernelDefinitions: ReadonlyArray<EventDefinition> = Object.entries(contents).map(([type, content]) => ({
  type,
  content,
  visibility: summaryTypes.has(type) ? "summary" : "full",
  upcasters: kernelUpcasters[type] ?? []
}))

/** Unites the kernel's events with those of plugins. A type defined twice is a mistake of the composition: it throws. */
export const makeManifest = (own: ReadonlyArray<EventDefinition>): EventManifest => {
  const entries = new Map<string, Entry>()
  for (const definition of [...kernelDefinitions, ...own]) {
    if (entries.has(definition.type)) throw new Error(`Event type ${definition.type} is defined twice.`)
    entries.set(definition.type, {
      schemaVersion: (definition.upcasters?.length ?? 0) + 1,
      visibility: definition.visibility,
      upcasters: definition.upcasters ?? [],
      decode: Schema.decodeUnknownSync(definition.content)
    })
  }
  const entryOf = (type: string): Entry => {
    const entry = entries.get(type)
    if (entry === undefined) throw new Error(`Event type ${type} is not defined.`)
    return entry
  }
  return {
    types: new Set(entries.keys()),
    schemaVersionOf: (type) => entryOf(type).schemaVersion,
    visibilityOf: (type) => entryOf(type).visibility,
    decode: (recorded) => {
      const entry = entries.get(recorded.event_type)
      if (entry === undefined) throw unknown(recorded, "no plugin here knows this event type")
      if (recorded.schema_version > entry.schemaVersion) throw unknown(recorded, "it was written by a newer version")
      if (recorded.schema_version < 1) throw unknown(recorded, "schema versions count from 1")
      let content = recorded.content
      for (let v = recorded.schema_version; v < entry.schemaVersion; v++) {
        content = (entry.upcasters[v - 1] as (content: Schema.Json) => Schema.Json)(content)
      }
      try {
        return { type: recorded.event_type, content: entry.decode(content) } as KernelEvent
      } catch (cause) {
        throw unknown(recorded, `its content does not fit the schema (${firstLine(cause)})`)
      }
    }
  }
}

const firstLine = (cause: unknown): string => String((cause as Error)?.message ?? cause).split("\n")[0] ?? ""

const unknown = (
  recorded: Pick<Recorded, "event_type" | "schema_version" | "stream" | "version">,
  why: string
): UnknownEvent =>
  new UnknownEvent({
    stream: recorded.stream,
    version: recorded.version,
    event_type: recorded.event_type,
    schema_version: recorded.schema_version,
    message: `Event ${recorded.version} of ${recorded.stream} (${recorded.event_type} v${recorded.schema_version}) cannot be read: ${why}.`
  })
