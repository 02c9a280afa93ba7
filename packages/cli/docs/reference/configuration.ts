import type { JsonSchemaDocument } from "@proofline/kernel"
import { defaultText, definitionsOf, descriptionOf, propertiesOf, requiredOf, resolved, typeText } from "./jsonTypes.ts"
import { code, type Page, page, prose, table } from "./markdown.ts"

type Schemas = Readonly<Record<string, JsonSchemaDocument>>

/** Files that people write, by the name of their schema. */
const files: ReadonlyArray<readonly [schema: string, file: string, more: string]> = [
  ["proofline", "proofline.yaml", "[Options](../options.md) says how flags and files go together."],
  ["tasks", "tasks.yaml", "What a task must show is told in [evidence](../evidence.md)."],
  ["requirements", "requirements.yaml", "[Requirements](../requirements.md) has an example."],
  ["checks", "checks.yaml", "See [escrowed checks](../evidence.md#escrowed-checks)."],
  ["phase-contract", "phase_contract.yml", "See [pull mode](../pull-mode.md#phase_contractyml)."],
  [
    "task-chunking",
    "task-chunking.json",
    "`.claude/task-chunking.json`; the same keys stand in `chunking` of proofline.yaml."
  ]
]

interface Key {
  readonly path: string
  readonly schema: JsonSchemaDocument
  readonly required: boolean
}

/** How deep keys are told by themselves; what is deeper stands in their types. */
const deepest = 5

const keysOf = (
  schema: JsonSchemaDocument,
  root: JsonSchemaDocument,
  path: string,
  depth: number
): ReadonlyArray<Key> => {
  const required = requiredOf(schema)
  return propertiesOf(schema).flatMap(([name, value]) => {
    const at = path === "" ? name : `${path}.${name}`
    const own = resolved(value, definitionsOf(root))
    return [{ path: at, schema: own, required: required.includes(name) }, ...belowOf(own, root, at, depth)]
  })
}

/** Keys of what may stand there, also where a text alone may, or a list. */
const belowOf = (
  schema: JsonSchemaDocument,
  root: JsonSchemaDocument,
  path: string,
  depth: number
): ReadonlyArray<Key> => {
  if (depth >= deepest) return []
  const { additionalProperties, anyOf, items, patternProperties } = schema
  const inner = (value: unknown, at: string): ReadonlyArray<Key> => {
    if (typeof value !== "object" || value === null) return []
    const own = resolved(value as JsonSchemaDocument, definitionsOf(root))
    return [...keysOf(own, root, at, depth + 1), ...belowOf(own, root, at, depth + 1)]
  }
  const named =
    typeof patternProperties === "object" && patternProperties !== null ? Object.values(patternProperties) : []
  return unique([
    ...(propertiesOf(schema).length > 0 ? keysOf(schema, root, path, depth + 1) : []),
    ...(Array.isArray(anyOf) ? anyOf.flatMap((one) => inner(one, path)) : []),
    ...inner(items, `${path}[]`),
    ...[additionalProperties, ...named].flatMap((one) => inner(one, `${path}.<name>`))
  ])
}

/** Each key once: several forms of a value may have it. */
const unique = (keys: ReadonlyArray<Key>): ReadonlyArray<Key> =>
  keys.filter(({ path }, index) => keys.findIndex((one) => one.path === path) === index)

const rowOf =
  (root: JsonSchemaDocument) =>
  ({ path, required, schema }: Key): ReadonlyArray<string> => {
    const usual = defaultText(schema)
    return [
      code(path),
      code(shortType(typeText(schema, definitionsOf(root), 3))),
      required ? "required" : usual === "" ? "" : code(usual),
      prose(descriptionOf(schema))
    ]
  }

/** Names that are many are told by the description. */
const longestType = 90
const shortType = (text: string): string => (text.length <= longestType ? text : `${text.slice(0, longestType)}…`)

/** Every key of every file, from the schemas that the files are read by. */
export const configurationPage = (schemas: Schemas): Page =>
  page("configuration", "Configuration files", [
    "Every key of every file that you write. `proofline validate FILE` tells everything that is wrong with one, with line and column; `proofline schema print NAME` prints its JSON Schema, which editors understand. `[]` stands for each of a list, `<name>` for a name of yours.",
    ...files.flatMap(([name, file, more]) => {
      const schema = schemas[name]
      if (schema === undefined) throw new Error(`There is no schema ${name}.`)
      const keys = unique(keysOf(schema, schema, "", 0)).filter(({ path }) => path !== "$schema")
      return [
        `## ${file}`,
        `${prose(descriptionOf(schema))} ${more}`,
        table(["key", "type", "default", ""], keys.map(rowOf(schema)))
      ]
    })
  ])
