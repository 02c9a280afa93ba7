// Writes the published JSON Schemas: schema/*.schema.json. Called by the build; nobody edits what it writes.
import { mkdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { composePlugins } from "@proofline/kernel"
import { requirementsRules } from "@proofline/plugins/policies/requirements"
import { sessionsRules } from "@proofline/plugins/policies/sessions/rules"
import { documents } from "./documents/index.ts"
import { eventSchema, outputSchema } from "./documents/jsonSchema.ts"

const folder = fileURLToPath(new URL("../schema/", import.meta.url))

/** By name of the file, without `.schema.json`. */
const schemas = {
  ...Object.fromEntries(documents.map((document) => [`${document.name}.output`, outputSchema(document)])),
  event: eventSchema(composePlugins([sessionsRules, requirementsRules]))
}

export const writeSchemas = (): void => {
  mkdirSync(folder, { recursive: true })
  for (const [name, schema] of Object.entries(schemas)) {
    writeFileSync(`${folder}${name}.schema.json`, `${JSON.stringify(schema, null, 2)}\n`)
  }
}
