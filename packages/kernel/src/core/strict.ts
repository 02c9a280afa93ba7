import { PluginFault } from "./contract.ts"

type Base = "string" | "boolean" | "function" | "array" | "object" | "schema" | "any"
type FieldType = Base | `${Base}?`

/** Refuses what nobody would look at: in a plugin without types a misspelt field must not be silence. */
export const strict = (
  plugin: string,
  where: string,
  given: unknown,
  fields: Readonly<Record<string, FieldType>>
): void => {
  if (typeof given !== "object" || given === null)
    throw wrong(plugin, where, `must be an object, not ${typeName(given)}`)
  const known = Object.keys(fields)
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue
    const near = known.find((one) => isNear(one, key))
    const hint = near === undefined ? "" : `: did you mean \`${near}\`?`
    throw wrong(plugin, where, `has no field \`${key}\`${hint} It knows ${known.join(", ")}`)
  }
  for (const [key, type] of Object.entries(fields)) {
    checkField(plugin, where, key, type, (given as Readonly<Record<string, unknown>>)[key])
  }
}

const checkField = (plugin: string, where: string, key: string, type: FieldType, value: unknown): void => {
  const isOptional = type.endsWith("?")
  const base = isOptional ? type.slice(0, -1) : type
  if (value === undefined && isOptional) return
  if (base === "any" ? value === undefined : base !== typeName(value)) {
    throw wrong(plugin, where, `needs \`${key}\` to be ${base}, not ${typeName(value)}`)
  }
}

export const wrong = (plugin: string, where: string, problem: string): PluginFault =>
  new PluginFault({ plugin, where, problem: `${where} ${problem}.` })

const typeName = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  // a schema of effect is an object or a function with a syntax tree
  return (typeof value === "object" || typeof value === "function") && "ast" in value ? "schema" : typeof value
}

/** At most two letters are wrong, missing or too many. */
const isNear = (a: string, b: string): boolean => {
  const row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    let diagonal = i - 1
    row[0] = i
    for (let j = 1; j <= b.length; j++) {
      const above = row[j] ?? 0
      row[j] = Math.min(above + 1, (row[j - 1] ?? 0) + 1, diagonal + Number(a[i - 1] !== b[j - 1]))
      diagonal = above
    }
  }
  return (row[b.length] ?? 9) <= 2
}
