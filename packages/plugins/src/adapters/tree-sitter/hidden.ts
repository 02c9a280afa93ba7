/**
 * What a later part of a text replaces: a second definition of the same name in the same block, another value for the name,
 * another thing exported under it. Whatever may keep the earlier one in use keeps it: a decorator, a call in between.
 */
import type { Node } from "web-tree-sitter"
import type { Hiding } from "../../port/index.ts"
import type { Captured, Found } from "./captures.ts"
import { wordOf } from "./shape.ts"

interface Placed {
  readonly declared: Found
  /** With all that belongs to it. */
  readonly outer: Node
}

/** For each declaration what hides it; null: nothing does. */
export const hidingsOf = (captured: Captured, found: ReadonlyArray<Placed>): ReadonlyArray<Hiding | null> => {
  const { exported, exportedWhole, rebindings, replaceable } = captured
  if (replaceable.size + rebindings.length === 0) return found.map(() => null)
  const text = textOf(captured, found)
  const rebound = new Set(rebindings.map(({ node }) => node.id))
  const places = found.flatMap((one): ReadonlyArray<Place> => {
    const { node, name } = one.declared
    const mayBe = replaceable.has(node.id) || rebound.has(one.outer.id)
    if (!mayBe || name === null || /^_+$/.test(name)) return []
    return [{ node, outer: one.outer, name, key: keyOf(captured, one.outer, node, name), body: one.declared.body }]
  })
  const hiders = [
    ...places.filter(({ body, node }) => body !== null && replaceable.has(node.id)),
    ...rebindings.map(({ name, node }) => ({
      node,
      outer: node,
      name,
      key: keyOf(captured, node, node, name),
      body: null
    }))
  ].sort((a, b) => a.outer.startIndex - b.outer.startIndex)
  const byKey = Map.groupBy(hiders, ({ key }) => key)
  const placeOf = new Map(places.map((place) => [place.node.id, place]))
  return found.map(({ declared }) => {
    const place = placeOf.get(declared.node.id)
    if (place === undefined || place.body === null || isKept(captured, place)) return null
    const later = (byKey.get(place.key) ?? []).findLast((one) => hides(captured, text, place, one))
    const by =
      later?.outer ?? (exported.length + exportedWhole.length === 0 ? null : exportHiding(captured, text, place))
    return by === null ? null : { row: by.startPosition.row, text: firstLine(by.text) }
  })
}

interface Place {
  readonly node: Node
  readonly outer: Node
  readonly name: string
  /** The same for what has the same name in the same block. */
  readonly key: string
  readonly body: Node | null
}

/** The block that it stands in, what it is there (`static`, `get`), and its name. */
const keyOf = (captured: Captured, outer: Node, node: Node, name: string): string =>
  [blockOf(captured, outer), flavourOf(node), name].join(" ")

/** Blocks of a type that is opened again are one. */
const blockOf = (captured: Captured, outer: Node): string => {
  const block = outer.parent
  const holder = block?.parent ?? null
  if (block === null || holder === null || !captured.reopened.has(holder.id)) return String(block?.id ?? 0)
  const name = captured.declarations.get(holder.id)?.name ?? ""
  return `${blockOf(captured, holder)}/${name}`
}

const flavourOf = (node: Node): string => {
  const words = node.children.flatMap((child) =>
    child !== null && /^(?:static|get|set)$/.test(child.text) ? [child.text] : []
  )
  return [/singleton/.test(node.type) ? "singleton" : "", ...words].join(":")
}

/** Something else has taken it, be it what stands before its head. */
const isKept = ({ kept }: Captured, { node, outer }: Place): boolean => {
  for (let at: Node | null = node; at !== null; at = at.parent) {
    if (kept.has(at.id)) return true
    if (at.id === outer.id) return false
  }
  return false
}

const hides = (captured: Captured, text: Text, place: Place, later: Place): boolean => {
  if (later.outer.startIndex < place.outer.endIndex) return false
  const word = new RegExp(wordOf(lastOf(place.name)), "g")
  const head = text.between(later.outer.startIndex, later.body?.startIndex ?? later.outer.endIndex)
  // it is wrapped, or handed on
  if ((head.match(word)?.length ?? 0) > 1) return false
  return (
    (captured.hoisted.has(place.node.id) && captured.hoisted.has(later.node.id)) ||
    !word.test(text.between(place.outer.endIndex, later.outer.startIndex).replaceAll(defining, " "))
  )
}

/** Names that are given, not used. */
const defining = /\b(?:def|function\*?|class|module)\s+(?:self\s*\.\s*)?[\w$]+[?!=]?/g

// --- exports ------------------------------------------------------------------------------------------------------

/** What is exported under its name in its place, when nothing else in the file speaks of it. */
const exportHiding = (captured: Captured, text: Text, { name, outer }: Place): Node | null => {
  const { exported, exportedWhole } = captured
  const last = exportedWhole.filter(({ node }) => node.startIndex > outer.endIndex).at(-1)?.node ?? null
  if (outer.parent?.parent !== null || outer.type === "export_statement") return null
  const isDead = (node: Node): boolean =>
    (last !== null && node.endIndex <= last.startIndex) ||
    exported.some((other) => other.node.startIndex > node.endIndex && targetOf(other.node) === targetOf(node))
  const dead = [...exported, ...exportedWhole].map(({ node }) => node).filter(isDead)
  const member = /^(?:module\.)?exports\.(.+)$/.exec(name)?.[1]
  if (last !== null && member !== undefined) return mentions(last.text, member) ? null : last
  const own = [outer, ...dead]
  const entries = exported.filter(
    (one) => one.name === name && one.node.startIndex > outer.startIndex && !isDead(one.node)
  )
  const other = entries.find(({ node }) => !mentions(exportedValue(node), name))
  if (other !== undefined) return text.isUsed(name, [...own, ...entries.map(({ node }) => node)]) ? null : other.node
  return last !== null && dead.length > 0 && text.isUsed(name, [outer]) && !text.isUsed(name, own) ? last : null
}

const targetOf = (node: Node): string =>
  (node.childForFieldName("left") ?? node.namedChild(0)?.childForFieldName("left") ?? node).text.replace(
    /^module\./,
    ""
  )

/** What is exported: `other` of `other as area`, what stands right of `=` or `:`. */
const exportedValue = (node: Node): string =>
  (
    node.childForFieldName("value") ??
    node.childForFieldName("name") ??
    node.namedChild(0)?.childForFieldName("right") ??
    node
  ).text

const mentions = (text: string, name: string): boolean => new RegExp(wordOf(name)).test(text)

// --- the text -----------------------------------------------------------------------------------------------------

interface Text {
  /** What is executed between two places: no comments, and no bodies of functions, which wait for their calls. */
  readonly between: (start: number, end: number) => string
  /** Whether a name is spoken of outside of these nodes, other than as the member of something. */
  readonly isUsed: (name: string, without: ReadonlyArray<Node>) => boolean
}

interface Part {
  readonly startIndex: number
  readonly endIndex: number
}

const textOf = ({ comments }: Captured, found: ReadonlyArray<Placed>): Text => {
  const source = found[0]?.declared.node.tree.rootNode.text ?? ""
  const silent: ReadonlyArray<Part> = [...comments.values()]
  const waiting = [
    ...silent,
    ...found.flatMap(({ declared: { body, kind } }) => (kind === "function" && body !== null ? [body] : []))
  ]
  return {
    between: (start, end) => without(source, start, end, waiting),
    isUsed: (name, nodes) =>
      new RegExp(`(?<!(?<!\\.\\.)\\.\\s*|\\bas\\s+)${wordOf(name)}(?!\\s*:(?!:))`).test(
        without(source, 0, source.length, [...silent, ...nodes])
      )
  }
}

/** A part of a text, other parts in it taken out. */
const without = (source: string, start: number, end: number, parts: ReadonlyArray<Part>): string => {
  const inside = parts
    .filter(({ endIndex, startIndex }) => startIndex >= start && endIndex <= end)
    .toSorted((a, b) => a.startIndex - b.startIndex)
  let text = ""
  let at = start
  for (const { endIndex, startIndex } of inside) {
    if (startIndex > at) text += source.slice(at, startIndex)
    text += " "
    at = Math.max(at, endIndex)
  }
  return at < end ? text + source.slice(at, end) : text
}

const lastOf = (name: string): string => name.split(".").at(-1) ?? name

const firstLine = (text: string): string => (text.split("\n")[0] ?? "").trim().slice(0, 80)
