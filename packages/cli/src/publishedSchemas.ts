// The JSON Schemas in schema/, made of the Schemas that files are read by. The build writes them; nobody edits them.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import {
  ChunkingFile,
  ConfigFile,
  ContractFile,
  RequirementsFile,
  TasksFile
} from "@proofline/plugins/adapters/project-files"
import { type JsonSchema, Schema } from "effect"

/** Keys that the Schema does not name: refused, allowed at the top alone, or allowed. */
type OtherKeys = "refused" | "at the top" | "allowed"

interface Published {
  readonly schema: Schema.Constraint
  readonly others: OtherKeys
}

/** By name of the file, without `.schema.json`. */
const published: Readonly<Record<string, Published>> = {
  "phase-contract": { schema: ContractFile, others: "at the top" },
  proofline: { schema: ConfigFile, others: "refused" },
  requirements: { schema: RequirementsFile, others: "refused" },
  "task-chunking": { schema: ChunkingFile, others: "refused" },
  tasks: { schema: TasksFile, others: "refused" }
}

type Json = JsonSchema.JsonSchema

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** What is said about a value and asks nothing of it. */
const words = new Set(["title", "description", "examples", "default"])

/** Keys below which every key is a name. */
const namesBelow = new Set(["properties", "patternProperties"])

const eachTidied = (parts: unknown) =>
  Object.fromEntries(Object.entries(parts as Json).map(([name, part]) => [name, tidied(part)]))

/** What is said of a key stands beside what its value must be, not in an `allOf` of its own, where editors miss it. */
const tidied = (part: unknown): unknown => {
  if (Array.isArray(part)) return part.map(tidied)
  if (!isObject(part)) return part
  const { allOf, ...rest } = Object.fromEntries(
    Object.entries(part).map(([key, value]) => [
      key,
      words.has(key) ? value : namesBelow.has(key) ? eachTidied(value) : tidied(value)
    ])
  )
  if (!Array.isArray(allOf)) return rest
  const said = allOf.filter((inner) => Object.keys(inner).every((key) => words.has(key)))
  const asked = allOf.filter((inner) => !said.includes(inner))
  const [only] = asked
  const inline = asked.length === 1 && isObject(only) && Object.keys(only).every((key) => !(key in rest))
  return Object.assign(rest, inline ? only : asked.length > 0 ? { allOf: asked } : {}, ...said)
}

const documentOf = (name: string, { others, schema }: Published): Json => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, {
    onExcessProperty: others === "allowed" ? "ignore" : "error"
  })
  const { additionalProperties, description, title, ...rest } = tidied(root) as Json
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `https://proofline.dev/schema/${name}.json`,
    title,
    description,
    ...rest,
    ...(others === "refused" ? { additionalProperties } : {}),
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: eachTidied(definitions) })
  }
}

/** The text of every file, by its name. */
export const schemaFiles: ReadonlyMap<string, string> = new Map(
  Object.entries(published).map(([name, entry]) => [
    `${name}.schema.json`,
    `${JSON.stringify(documentOf(name, entry), null, 2)}\n`
  ])
)

const folder = new URL("../schema/", import.meta.url)

const isWritten = (path: URL, text: string): boolean => {
  try {
    return readFileSync(path, "utf8") === text
  } catch {
    return false
  }
}

export const writeSchemas = (): void => {
  mkdirSync(folder, { recursive: true })
  for (const [file, text] of schemaFiles) {
    const path = new URL(file, folder)
    if (!isWritten(path, text)) writeFileSync(path, text)
  }
}
