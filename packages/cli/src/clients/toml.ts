/** One table of a TOML file, edited as text; what comes of it is parsed and compared before it counts. */
import { parse as parseToml, TomlError } from "smol-toml"
import { alone, appended, cutOut } from "./appended.ts"
import { ConfigFault } from "./ConfigFault.ts"
import { isSame } from "./json.ts"

export interface Table {
  readonly path: readonly [string, string]
  readonly values: Readonly<Record<string, string | number | boolean | ReadonlyArray<string>>>
}

type Document = Record<string, unknown>

const parse = (text: string): Document => {
  try {
    return parseToml(text) as Document
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause
    const [first = ""] = cause.message.replace(/^Invalid TOML document: /, "").split("\n")
    throw new ConfigFault(
      "invalid",
      first.replace(/^./, (letter) => letter.toUpperCase()),
      offsetOf(text, cause)
    )
  }
}

const offsetOf = (text: string, { column, line }: TomlError): number =>
  text
    .split("\n")
    .slice(0, line - 1)
    .reduce((sum, one) => sum + one.length + 1, 0) + Math.max(column - 1, 0)

const tableIn = (document: Document, [outer, inner]: Table["path"]): unknown => {
  const tables = document[outer]
  return isTable(tables) ? tables[inner] : undefined
}

const isTable = (value: unknown): value is Document =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const linesOf = ({ path, values }: Table): ReadonlyArray<string> => [
  `[${path.join(".")}]`,
  ...Object.entries(values).map(([key, value]) => `${key} = ${written(value)}`)
]

/** What is used of them, TOML writes as JSON does. */
const written = (value: Table["values"][string]): string =>
  typeof value === "object" ? `[${value.map(written).join(", ")}]` : JSON.stringify(value)

/** What the table of that name holds; undefined: there is none. */
export const tableOf = (text: string, path: Table["path"]): unknown => tableIn(parse(text), path)

export const freshTable = (table: Table): string => alone(linesOf(table))

export const withTable = (text: string, { path, values }: Table): string => {
  const [outer, inner] = path
  const document = parse(text)
  const tables = document[outer]
  const made = appended(text, linesOf({ path, values }))
  if (says(made, [{ ...document, [outer]: { ...(isTable(tables) ? tables : {}), [inner]: values } }])) return made
  throw notEditable(tableAt(text, path))
}

/** Without the table, which has lines of its own. */
export const withoutTable = (text: string, path: Table["path"]): string => {
  const [outer, inner] = path
  const { [outer]: tables, ...document } = parse(text)
  const { [inner]: own, ...others } = tables as Document
  // what was written for itself, without a value in it, stays
  const kept = Object.keys(others).length === 0 ? [document] : []
  const expected = [...kept, { ...document, [outer]: others }]
  // what looks like its header may be a line of a text
  for (const at of headersOf(text, path)) {
    const made = cutOut(text, at, endOf(text, at))
    if (says(made, expected)) return made
  }
  throw notEditable(tableAt(text, path))
}

/** Where the table stands in the file, for people. */
export const tableAt = (text: string, path: Table["path"]): number => headersOf(text, path).at(-1) ?? 0

const says = (text: string, expected: ReadonlyArray<Document>): boolean => {
  const document = understood(text)
  return document !== null && expected.some((one) => isSame(document, one))
}

const understood = (text: string): Document | null => {
  try {
    return parse(text)
  } catch {
    return null
  }
}

const notEditable = (at: number): ConfigFault =>
  new ConfigFault("unexpected", "The table of the server is written in a way that cannot be edited here", at)

/** Where lines stand that may be the header of the table. */
const headersOf = (text: string, [outer, inner]: Table["path"]): ReadonlyArray<number> => {
  const key = (name: string) => `(?:${name}|"${name}"|'${name}')`
  const header = `^[ \\t]*\\[[ \\t]*${key(outer)}[ \\t]*\\.[ \\t]*${key(inner)}[ \\t]*\\][ \\t]*(?:#.*)?\\r?$`
  return Array.from(text.matchAll(new RegExp(header, "gm")), ({ index }) => index)
}

/** The end of its last line with a value: comments after that belong to what follows. */
const endOf = (text: string, header: number): number => {
  let at = header
  let end = header
  for (const line of text.slice(header).split(/(?<=\n)/)) {
    if (at !== header && /^[ \t]*\[/.test(line)) break
    at += line.length
    if (!/^\s*(?:#.*)?$/.test(line)) end = at
  }
  return end
}
