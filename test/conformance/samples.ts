import { McpSchema } from "effect/ai"

/** Contents of every kind that the suite asks a server for. */

/** One red pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64"
)

/** The header of a sound that is over at once. */
const wav = Buffer.from("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=", "base64")

export const text = (text: string) => McpSchema.TextContent.make({ text })
export const image = McpSchema.ImageContent.make({ data: png, mimeType: "image/png" })
export const audio = McpSchema.AudioContent.make({ data: wav, mimeType: "audio/wav" })

export const textAt = (uri: string, mimeType: string, text: string) =>
  McpSchema.TextResourceContents.make({ uri, mimeType, text })

export const blobAt = (uri: string) => McpSchema.BlobResourceContents.make({ uri, mimeType: "image/png", blob: png })

export const embedded = (uri: string, mimeType: string, text: string) =>
  McpSchema.EmbeddedResource.make({ resource: textAt(uri, mimeType, text) })

/** What a person is asked for. */
export const form = (properties: Readonly<Record<string, unknown>>) => ({
  type: "object" as const,
  properties,
  required: Object.keys(properties)
})

/** Values that a form begins with. */
export const defaults = form({
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true }
})

const titled = (...names: ReadonlyArray<string>) => names.map((title, i) => ({ const: `value${i + 1}`, title }))
const options = ["option1", "option2", "option3"]

/** One of several, some of several, with titles and without. */
export const enums = form({
  untitledSingle: { type: "string", enum: options },
  titledSingle: { type: "string", oneOf: titled("First Option", "Second Option", "Third Option") },
  legacyEnum: {
    type: "string",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"]
  },
  untitledMulti: { type: "array", items: { type: "string", enum: options } },
  titledMulti: { type: "array", items: { anyOf: titled("First Choice", "Second Choice", "Third Choice") } }
})

/** A schema of arguments with keywords that a server may not drop on the way. */
export const wideSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } }
    }
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" }
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false
}

/** Arguments that the client repeats in headers. */
export const headerSchema = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    priority: { type: "integer", "x-mcp-header": "Priority" },
    verbose: { type: "boolean", "x-mcp-header": "Verbose" },
    query: { type: "string" }
  }
}
