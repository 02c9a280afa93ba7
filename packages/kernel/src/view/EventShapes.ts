/** How events leave Proofline: exported, over HTTP, and live. */
import { Schema } from "effect"
import type { Composition } from "../core/compose.ts"
import { versionOf } from "../core/manifest.ts"
import { described, Ordinal, Time } from "./fields.ts"
import { type JsonSchemaDocument, jsonSchemaOf } from "./jsonSchema.ts"

const Id = Schema.String.check(Schema.isMinLength(1))
const Hash = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u))

/** An event of the log, keys in the order in which they are exported. */
export const EventView = Schema.Struct({
  event_type: described("What has happened.", Schema.String.check(Schema.isPattern(/^[A-Z][A-Z0-9_]*$/u))),
  timestamp: Time.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/u)),
  visibility: described(
    "`summary`: shown by default; `full`: shown in the full view only.",
    Schema.Literals(["summary", "full"])
  ),
  content: described("The facts; their fields depend on `event_type` and `schema_version`.", Schema.Json),
  position: described("Place in the log in which it was written first, from 1, without holes.", Ordinal),
  stream: described("Id of the run.", Id),
  version: described("Place in the run, from 1, without holes.", Ordinal),
  schema_version: described("Version of the shape of `content`.", Ordinal),
  command_id: described("The command that was accepted.", Id),
  causation_id: described(
    "The command whose events led to this one; null when a person or a client asked.",
    Schema.NullOr(Schema.String)
  ),
  correlation_id: Id,
  prev_hash: described("`hash` of the event before it in the run; 64 zeros for the first.", Hash),
  hash: described("SHA-256 of the canonical JSON (RFC 8785) of this object without `hash`.", Hash)
}).annotate({
  identifier: "Event",
  description: "An event of a run, as it was recorded.",
  examples: [
    {
      event_type: "TASK_STARTED",
      timestamp: "2026-01-01T10:00:00.000Z",
      visibility: "summary",
      content: { task_id: "login" },
      position: 7,
      stream: "run_01",
      version: 7,
      schema_version: 1,
      command_id: "cmd_01",
      causation_id: null,
      correlation_id: "run_01",
      prev_hash: "0".repeat(64),
      hash: "a".repeat(64)
    }
  ]
})
export type EventView = typeof EventView.Type

/**
 * Of every event that plugins of a composition declare, with the shape of its content. Events of older versions, and of
 * plugins that are not here, have any content.
 */
export const eventSchemaOf = ({ events }: Pick<Composition, "events">): JsonSchemaDocument => {
  const { $defs, ...envelope } = jsonSchemaOf(EventView)
  const contents = [...events].map(([type, declared]) =>
    contentSchema(type, versionOf(declared), jsonSchemaOf(declared.event.options.schema))
  )
  return {
    ...envelope,
    allOf: contents.map(({ rule }) => rule),
    $defs: Object.assign({}, $defs, ...contents.map(({ definitions }) => definitions))
  }
}

const contentSchema = (type: string, version: number, { $defs = {}, ...schema }: JsonSchemaDocument) => ({
  rule: {
    if: { properties: { event_type: { const: type }, schema_version: { const: version } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { content: { $ref: `#/$defs/${type}` } } }
  },
  definitions: { ...($defs as JsonSchemaDocument), [type]: schema }
})
