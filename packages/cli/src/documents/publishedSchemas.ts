// The JSON Schemas in schema/, made of the Schemas that files are read by and documents are written by. The build writes
// them; nobody edits them.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { composePlugins, type JsonSchemaDocument, jsonSchemaOf } from "@proofline/kernel"
import {
  ChecksFile,
  ChunkingFile,
  ConfigFile,
  ContractFile,
  RequirementsFile,
  TasksFile
} from "@proofline/plugins/adapters/project-files"
import { requirementsRules } from "@proofline/plugins/policies/requirements"
import { sessionsRules } from "@proofline/plugins/policies/sessions/rules"
import type { Schema } from "effect"
import { RequirementsHistory, TaskHistory } from "./history.ts"
import { documents } from "./index.ts"
import { eventSchema, outputSchema, published } from "./jsonSchema.ts"

/** Of a file, which may be read. `others`: keys that it does not name are allowed, refused, or allowed at the top alone. */
const fileSchema = (
  name: string,
  schema: Schema.Constraint,
  others: "allowed" | "refused" | "at the top"
): JsonSchemaDocument => {
  const { additionalProperties, description, title, ...rest } = jsonSchemaOf(schema, { isClosed: others !== "allowed" })
  const root = others === "refused" ? { ...rest, additionalProperties } : rest
  return published(name, String(title), String(description), root)
}

/** By name of the file, without `.schema.json`. */
export const schemas: Readonly<Record<string, JsonSchemaDocument>> = {
  checks: fileSchema("checks", ChecksFile, "refused"),
  "phase-contract": fileSchema("phase-contract", ContractFile, "at the top"),
  proofline: fileSchema("proofline", ConfigFile, "refused"),
  requirements: fileSchema("requirements", RequirementsFile, "refused"),
  "task-chunking": fileSchema("task-chunking", ChunkingFile, "refused"),
  tasks: fileSchema("tasks", TasksFile, "refused"),
  "requirements-history": fileSchema("requirements-history", RequirementsHistory, "allowed"),
  "history-tasks": fileSchema("history-tasks", TaskHistory, "allowed"),
  event: eventSchema(composePlugins([sessionsRules, requirementsRules])),
  ...Object.fromEntries(documents.map((document) => [`${document.name}.output`, outputSchema(document)]))
}

const folder = new URL("../../schema/", import.meta.url)

const isWritten = (path: URL, text: string): boolean => {
  try {
    return readFileSync(path, "utf8") === text
  } catch {
    return false
  }
}

export const writeSchemas = (): void => {
  mkdirSync(folder, { recursive: true })
  for (const [name, schema] of Object.entries(schemas)) {
    const path = new URL(`${name}.schema.json`, folder)
    const text = `${JSON.stringify(schema)}\n`
    if (!isWritten(path, text)) writeFileSync(path, text)
  }
}
