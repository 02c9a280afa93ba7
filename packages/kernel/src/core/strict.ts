import { Schema } from "effect"
import { meant } from "../base/meant.ts"
import { type FieldType, PluginFault } from "./contract.ts"

/** What a plugin declares with this kernel: its fields, and schemas of the effect that this kernel uses too. */
export const strict = (...declared: Parameters<typeof shaped>): void => {
  shaped(...declared)
  const [plugin, where, given] = declared
  ofThisEffect(plugin, where, given)
}

/** The fault of a plugin whose schemas are those of another copy of effect. */
export const effectTwice = "effect_twice"

/** Refuses schemas of another copy of effect: this one would read them wrongly, and say so of whatever is read. */
export const ofThisEffect = (plugin: string, where: string, given: unknown): void => {
  for (const [key, value] of Object.entries(given as object)) {
    if (typeName(value) !== "schema" || rootOf((value as Schema.Top).ast) === own) continue
    const problem = `\`${key}\` is a schema of another copy of effect than the one that @proofline/kernel uses`
    throw new PluginFault({ plugin, where, problem: `${where}: ${problem}.`, code: effectTwice })
  }
}

/** Each copy of effect has classes of its own, and all syntax trees of a copy descend from one. */
const rootOf = (value: unknown): unknown => {
  const parent: unknown = Object.getPrototypeOf(Object(value))
  return parent === null || parent === Object.prototype ? value : rootOf(parent)
}
const own = rootOf(Schema.String.ast)

/** Refuses what nobody would look at: in a plugin without types a misspelt field must not be silence. */
export const shaped = (
  plugin: string,
  where: string,
  given: unknown,
  fields: Readonly<Record<string, FieldType>>,
  code?: string
): void => {
  if (typeof given !== "object" || given === null)
    throw wrong(plugin, where, `must be an object, not ${typeName(given)}`, code)
  const known = Object.keys(fields)
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue
    const near = meant(key, known)
    const hint = near === undefined ? "." : `: did you mean \`${near}\`?`
    throw wrong(plugin, where, `has no field \`${key}\`${hint} It knows ${known.join(", ")}`, code)
  }
  for (const [key, type] of Object.entries(fields)) {
    const misfit = misfitOf(key, type, (given as Readonly<Record<string, unknown>>)[key])
    if (misfit !== null) throw wrong(plugin, where, misfit, code)
  }
}

const misfitOf = (key: string, type: FieldType, value: unknown): string | null => {
  const isOptional = type.endsWith("?")
  const base = isOptional ? type.slice(0, -1) : type
  if (value === undefined && isOptional) return null
  return (base === "any" ? value === undefined : base !== typeName(value))
    ? `needs \`${key}\` to be ${base}, not ${typeName(value)}`
    : null
}

export const wrong = (plugin: string, where: string, problem: string, code?: string): PluginFault =>
  new PluginFault({ plugin, where, problem: `${where} ${problem}.`, ...(code === undefined ? {} : { code }) })

const typeName = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  // a schema of effect is an object or a function with a syntax tree
  return (typeof value === "object" || typeof value === "function") && "ast" in value ? "schema" : typeof value
}
