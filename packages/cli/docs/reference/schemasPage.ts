import type { JsonSchemaDocument } from "@proofline/kernel"
import { descriptionOf } from "./jsonTypes.ts"
import { code, type Page, page, prose, table } from "./markdown.ts"

const outputEnd = ".output"

/** The published JSON Schemas, by name. */
export const schemasPage = (schemas: Readonly<Record<string, JsonSchemaDocument>>): Page => {
  const names = Object.keys(schemas).toSorted()
  const rows = (wanted: boolean) =>
    names
      .filter((name) => name.endsWith(outputEnd) === wanted)
      .map((name) => [code(name), prose(descriptionOf(schemas[name] ?? {}))])
  return page("schemas", "JSON Schemas", [
    "They ship with Proofline, in `schema/` of the package. `proofline schema list` says where each lies, `proofline schema print NAME` prints it.",
    "## Files and events",
    table(["name", "of"], rows(false)),
    "## What commands print with `--json`",
    "Each document is `{schemaVersion: 1, kind, data}`; where input was refused, `data` holds `problems`, each with `code`, `message` and `hint`, and its place where there is one. [Error codes](errors.md) lists them.",
    table(["name", "of"], rows(true))
  ])
}
