import { readdirSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { Effect } from "effect"
import { asset } from "../assets.ts"
import { exitCodes, stop } from "../base/problems.ts"
import { schemasDocument } from "../documents/files.ts"
import { print, printDocument } from "../process/output.ts"

const end = ".schema.json"

/** The schemas that ship with the package, by name; each is a JSON document. */
const shipped = () =>
  readdirSync(asset("schema"))
    .filter((file) => file.endsWith(end))
    .map((file) => file.slice(0, -end.length))
    .toSorted()

const schemaNamed = (name: string) => JSON.parse(readFileSync(Path.join(asset("schema"), `${name}${end}`), "utf8"))

/** `proofline schema list`: what can be printed. */
export const listSchemas = Effect.fnUntraced(function* ({ json }: { readonly json: boolean }) {
  const schemas = shipped().map((name) => ({
    name,
    file: asset("schema", `${name}${end}`),
    description: String(schemaNamed(name).description)
  }))
  const width = Math.max(...schemas.map(({ name }) => name.length))
  yield* json
    ? printDocument(schemasDocument, { schemas })
    : print(schemas.map(({ description, name }) => `${name.padEnd(width)}  ${description}\n`).join(""))
  return exitCodes.proven
})

/** `proofline schema print <name>`: one of them on stdout. */
export const printSchema = Effect.fnUntraced(function* ({ name: asked }: { readonly name: string }) {
  const names = shipped()
  const name = asked.endsWith(end) ? asked.slice(0, -end.length) : asked
  if (!names.includes(name)) {
    return yield* stop(exitCodes.usage, {
      code: "schema_unknown",
      message: `There is no schema ${JSON.stringify(asked)}.`,
      hint: `Known: ${names.join(", ")}.`
    })
  }
  yield* print(`${JSON.stringify(schemaNamed(name), null, 2)}\n`)
  return exitCodes.proven
})
