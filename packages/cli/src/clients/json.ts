/**
 * Entries in JSON with comments, put in and taken out as text: whatever else stands there stays, byte for byte. An entry is
 * only ever inserted, and how it is inserted says what was there before, so that taking it out gives the same bytes again:
 *
 * - behind the last of several it takes over how these are written, with a comma behind it where they have one;
 * - where nothing was it stands right behind the bracket: `{"a": 1}`, `[ "a"]`;
 * - a list or an object that was made for it is written otherwise: `{ "a": 1 }`, `["a"]`, or on lines of its own.
 */
import { isDeepStrictEqual } from "node:util"
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser"
import { eolOf } from "./appended.ts"
import { ConfigFault } from "./ConfigFault.ts"

/** Where an entry belongs: a member of the object at a path when it has a key, else an element of the list there. */
export interface Place {
  readonly in: ReadonlyArray<string>
  readonly key?: string
}

export interface Entry extends Place {
  readonly value: unknown
}

interface Edit {
  readonly at: number
  readonly length: number
  readonly text: string
}

/** No file of a client has more than a few levels, and the parser calls itself for each. */
const maxDepth = 100

/** The tree of a file that can be edited; whatever is wrong with it is a `ConfigFault`. */
export const parse = (text: string): Node => {
  const errors: Array<ParseError> = []
  const deep = depthFault(text)
  if (deep !== null) throw new ConfigFault("invalid", `It is nested more than ${maxDepth} levels deep`, deep)
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error !== undefined) throw new ConfigFault("invalid", wordsOf(error), error.offset)
  if (root === undefined) throw new ConfigFault("invalid", "It is empty, and JSON is expected", 0)
  return root
}

const wordsOf = ({ error }: ParseError): string =>
  printParseErrorCode(error)
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase()
    .replace(/^./, (letter) => letter.toUpperCase())

const depthFault = (text: string): number | null => {
  let depth = 0
  for (const { 0: found, index } of text.matchAll(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[{}[\]]/g)) {
    if (found === "{" || found === "[") {
      if (++depth > maxDepth) return index
    } else if (found === "}" || found === "]") depth--
  }
  return null
}

const apply = (text: string, edits: ReadonlyArray<Edit>): string =>
  edits
    .toSorted((one, other) => other.at - one.at)
    .reduce((now, { at, length, text: added }) => now.slice(0, at) + added + now.slice(at + length), text)

const partsOf = (node: Node): ReadonlyArray<Node> => node.children ?? []
const keyOf = (property: Node): unknown => property.children?.[0]?.value
const memberValue = (property: Node): Node | undefined => property.children?.[1]
const endOf = ({ length, offset }: Node): number => offset + length

const propertyOf = (object: Node, key: string, path: string): Node | undefined => {
  const [property, again] = partsOf(object).filter((one) => keyOf(one) === key)
  if (again !== undefined) throw new ConfigFault("unexpected", `\`${path}\` is there twice`, again.offset)
  return property
}

const typed = (node: Node, type: "object" | "array", path: string): Node => {
  if (node.type === type) return node
  const name = path === "" ? "The file" : `\`${path}\``
  throw new ConfigFault("unexpected", `${name} is no ${type === "object" ? "object" : "list"}`, node.offset)
}

/** The nodes of a path, from the file on, as far as they are there; the last is an object or a list, as the place needs. */
const walk = (root: Node, place: Place): ReadonlyArray<Node> => {
  const names = place.in
  const typeAt = (depth: number) => (depth === names.length && place.key === undefined ? "array" : "object")
  const nodes = [typed(root, typeAt(0), "")]
  for (const [index, name] of names.entries()) {
    const path = names.slice(0, index + 1).join(".")
    const property = propertyOf(nodes[index] as Node, name, path)
    const value = property === undefined ? undefined : memberValue(property)
    if (value === undefined) break
    nodes.push(typed(value, typeAt(index + 1), path))
  }
  return nodes
}

/** What stands at a place: the member of that name, or all elements of the list. */
const partsAt = (root: Node, place: Place): ReadonlyArray<Node> => {
  const container = walk(root, place)[place.in.length]
  if (container === undefined) return []
  if (place.key === undefined) return partsOf(container)
  const property = propertyOf(container, place.key, [...place.in, place.key].join("."))
  return property === undefined ? [] : [property]
}

/** The values that stand at a place, each with where it begins. */
export const valuesAt = (text: string, place: Place): ReadonlyArray<{ readonly value: unknown; readonly at: number }> =>
  partsAt(parse(text), place).flatMap((part) => {
    const value = place.key === undefined ? part : memberValue(part)
    return value === undefined ? [] : [{ value: getNodeValue(value), at: part.offset }]
  })

// ---- how it is written ---------------------------------------------------------------------------------------------

/** A value on one line. */
const inline = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${inline(one)}`)
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`
}

interface Layout {
  readonly eol: string
  readonly unit: string
  /** Of the line on which it stands; null: it stands on a line with others. */
  readonly indent: string | null
}

/** An entry with the objects and lists that are made for it. */
const made = (names: ReadonlyArray<string>, { key, value }: Entry, { eol, indent, unit }: Layout): string => {
  const [name, ...rest] = names
  if (name === undefined) return key === undefined ? inline(value) : `${JSON.stringify(key)}: ${inline(value)}`
  const isList = rest.length === 0 && key === undefined
  const inner = indent === null || isList ? null : indent + unit
  const within = made(rest, { in: [], value, ...(key === undefined ? {} : { key }) }, { eol, indent: inner, unit })
  const text = isList ? `[${within}]` : inner === null ? `{ ${within} }` : `{${eol}${inner}${within}${eol}${indent}}`
  return `${JSON.stringify(name)}: ${text}`
}

const unitOf = (text: string): string => {
  const first = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  "
  return first.startsWith("\t") ? "\t" : first
}

/** A file of nothing but these entries. */
export const fresh = (entries: ReadonlyArray<Entry>, more: Readonly<Record<string, unknown>> = {}): string => {
  const layout: Layout = { eol: "\n", unit: "  ", indent: "  " }
  const lines = [
    ...entries.map((entry) => made(entry.in, entry, layout)),
    ...Object.entries(more).map(([key, value]) => `${JSON.stringify(key)}: ${inline(value)}`)
  ]
  return `{\n${lines.map((line) => `  ${line}`).join(",\n")}\n}\n`
}

// ---- what stands between values ------------------------------------------------------------------------------------

const blanksAndComments = /(?:\s+|\/\/[^\n\r]*|\/\*[\s\S]*?\*\/)*/y
const commentsOfLine = /(?:[ \t]*(?:\/\/[^\n\r]*|\/\*[^\n\r]*?\*\/))*/y

const behind = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  pattern.exec(text)
  return pattern.lastIndex
}

/** The comma that follows; null: none does. */
const commaBehind = (text: string, at: number): number | null => {
  const next = behind(blanksAndComments, text, at)
  return text[next] === "," ? next : null
}

/** Where the blanks before a place begin. */
const blanksBefore = (text: string, at: number, blanks = " \t\r\n"): number => {
  let start = at
  while (start > 0 && blanks.includes(text[start - 1] as string)) start--
  return start
}

/** The indentation of what begins its line; null: something stands before it there. */
const indentAt = (text: string, at: number): string | null => {
  const start = blanksBefore(text, at, " \t")
  return start > 0 && "\r\n".includes(text[start - 1] as string) ? text.slice(start, at) : null
}

// ---- in and out ----------------------------------------------------------------------------------------------------

/** With the entry behind all that stands at its place. */
export const inserted = (text: string, entry: Entry): string => {
  const root = parse(text)
  const nodes = walk(root, entry)
  const container = nodes.at(-1) as Node
  const names = entry.in.slice(nodes.length - 1)
  const last = partsOf(container).at(-1)
  const [eol, unit] = [eolOf(text), unitOf(text)]
  if (last === undefined) {
    const added = made(names, entry, { eol, unit, indent: null })
    return apply(text, [
      { at: container.offset + 1, length: 0, text: container.type === "array" ? ` ${added}` : added }
    ])
  }
  const comma = commaBehind(text, endOf(last))
  const indent = indentAt(text, last.offset)
  const at = behind(commentsOfLine, text, comma === null ? endOf(last) : comma + 1)
  // behind a comment to the end of a line only another line is none of it
  const isLine = indent !== null || /\/\/[^\n\r]*$/.test(text.slice(endOf(last), at).replaceAll(/\/\*.*?\*\//g, ""))
  const added = made(names, entry, { eol, unit, indent })
  const own = { at, length: 0, text: `${isLine ? eol + (indent ?? "") : " "}${added}${comma === null ? "" : ","}` }
  if (comma !== null) return apply(text, [own])
  const between = { at: endOf(last), length: 0, text: "," }
  return at === between.at ? apply(text, [{ ...own, text: `,${own.text}` }]) : apply(text, [own, between])
}

/** With another value in the place of the one that begins there. */
export const replaced = (text: string, entry: Entry, at: number): string => {
  const part = partsAt(parse(text), entry).find(({ offset }) => offset === at)
  const value = part === undefined || entry.key === undefined ? part : memberValue(part)
  if (value === undefined) throw new ConfigFault("unexpected", "It cannot be replaced", at)
  return apply(text, [{ at: value.offset, length: value.length, text: inline(entry.value) }])
}

/** Without what begins there, and without the objects and lists that were made for it; null: nothing else was there. */
export const removed = (text: string, place: Place, at: number): string | null => {
  const root = parse(text)
  const nodes = walk(root, place)
  const container = nodes[place.in.length] as Node
  return without(
    text,
    nodes,
    partsOf(container).findIndex(({ offset }) => offset === at)
  )
}

const without = (text: string, nodes: ReadonlyArray<Node>, index: number): string | null => {
  const container = nodes.at(-1) as Node
  const parts = partsOf(container)
  const own = parts[index] as Node
  const comma = commaBehind(text, endOf(own))
  const start = blanksBefore(text, own.offset)
  const itself = { at: start, length: endOf(own) - start, text: "" }
  const cut = (...edits: ReadonlyArray<Edit>) => apply(text, edits)
  const at = (offset: number): Edit => ({ at: offset, length: 1, text: "" })
  if (parts.length > 1) {
    const before = index === parts.length - 1 ? (parts[index - 1] as Node) : undefined
    const separator = comma ?? (before === undefined ? null : commaBehind(text, endOf(before)))
    return separator === null ? cut(itself) : cut(itself, at(separator))
  }
  const isAll = text.slice(0, container.offset).trim() + text.slice(endOf(container)).trim() === ""
  const above = nodes.slice(0, -1)
  if (isMade(text, container, own) && (above.length > 0 || isAll)) {
    if (above.length === 0) return null
    const parent = above.at(-1) as Node
    return without(
      text,
      above,
      partsOf(parent).findIndex((one) => memberValue(one) === container)
    )
  }
  return comma === null ? cut(itself) : cut(itself, at(comma))
}

/** Whether an object or a list holds nothing else, and was not there before this was. */
const isMade = (text: string, container: Node, own: Node): boolean => {
  const before = text.slice(container.offset + 1, own.offset)
  const after = text.slice(endOf(own), endOf(container) - 1)
  if (`${before}${after}`.replace(",", "").trim() !== "") return false
  return container.type === "array" ? before === "" || /[\n\r]/.test(before) : before !== ""
}

/** Whether two values say the same. */
export const isSame = (one: unknown, other: unknown): boolean => isDeepStrictEqual(plain(one), plain(other))

/** Parsers make objects without a prototype. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== "object" || value === null || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]))
}
