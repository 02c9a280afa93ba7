/**
 * What a later part of a text replaces: a second definition of the same name in the same block, another value for the name,
 * another thing exported under it. Whatever may keep the earlier one in use keeps it: a decorator, a call in between.
 */
import type { Node } from "web-tree-sitter"
import type { Hiding } from "../../port/index.ts"
import type { Captured, Found } from "./captures.ts"
import { escaped, wordOf } from "./shape.ts"

interface Placed {
  readonly declared: Found
  /** With all that belongs to it. */
  readonly outer: Node
}

/** For each declaration what hides it; null: nothing does. */
export const hidingsOf = (captured: Captured, found: ReadonlyArray<Placed>): ReadonlyArray<Hiding | null> => {
  const { rebindings, replaceable } = captured
  if (replaceable.size + rebindings.length === 0) return found.map(() => null)
  const text = textOf(captured, found)
  const rebound = new Set(rebindings.map(({ node }) => node.id))
  const places = found.flatMap((one): ReadonlyArray<Place> => {
    const { body, name, node } = one.declared
    const mayBe = replaceable.has(node.id) || rebound.has(one.outer.id)
    return !mayBe || name === null || /^_+$/.test(name) ? [] : [placeOf(captured, one.outer, node, name, body)]
  })
  const keys = new Set(places.map(({ key }) => key))
  const hiders = [
    ...places.filter(({ body, node }) => body !== null && replaceable.has(node.id)),
    ...rebindings.map(({ name, node }) => placeOf(captured, node, node, name, null))
  ]
    .filter(({ key }) => keys.has(key))
    .sort((a, b) => a.start - b.start)
  const hiderOf = new Map(
    [...Map.groupBy(hiders, ({ key }) => key)].map(([key, same]) => [key, makeHiderOf(text, same)])
  )
  const exportHiding = makeExportHiding(captured, text)
  const byNode = new Map(places.map((place) => [place.node.id, place]))
  return found.map(({ declared }) => {
    const place = byNode.get(declared.node.id)
    if (place === undefined || place.body === null || isKept(captured, place)) return null
    const by = hiderOf.get(place.key)?.(place)?.outer ?? exportHiding(place)
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
  /** Of `outer`. */
  readonly start: number
  readonly end: number
  readonly isHoisted: boolean
}

const placeOf = (captured: Captured, outer: Node, node: Node, name: string, body: Node | null): Place => ({
  node,
  outer,
  name,
  key: keyOf(captured, outer, node, name),
  body,
  start: outer.startIndex,
  end: outer.endIndex,
  isHoisted: captured.hoisted.has(node.id)
})

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

/** Finds the last of these of one name that takes the place of another one. */
const makeHiderOf = (text: Text, same: ReadonlyArray<Place>) => {
  const name = same[0]?.name ?? ""
  const word = new RegExp(wordOf(lastOf(name)), "g")
  // what has the object may use its member
  const calls = name.includes(".") && !isExport(name) ? /\b(?!function\b)[\w$]+\s*\(|[)\]]\s*\(/ : null
  const isUsedIn = (start: number, end: number): boolean => {
    const between = text.between(start, end).replaceAll(defining, " ")
    return between.search(word) !== -1 || calls?.test(between) === true
  }
  /** It is wrapped, or handed on. */
  const wraps = same.map(
    ({ body, end, start }) => (text.between(start, body?.startIndex ?? end).match(word)?.length ?? 0) > 1
  )
  /** Whether it is used from one on until the next. */
  const passes = same.map(({ start }, i) => {
    const next = same[i + 1]
    return wraps[i] === true || (next !== undefined && isUsedIn(start, next.start))
  })
  return (place: Place): Place | null => {
    const first = same.findIndex(({ start }) => start >= place.end)
    if (first === -1) return null
    let last = place.isHoisted ? same.findLastIndex(({ isHoisted }, i) => i >= first && isHoisted && !wraps[i]) : -1
    // what is hoisted is there from the beginning of its block on
    const isUsed =
      isUsedIn(place.end, same[first]?.start ?? 0) ||
      (place.isHoisted && isUsedIn(place.outer.parent?.startIndex ?? 0, place.start))
    for (let i = first; !isUsed && i < same.length && wraps[i] === false; i++) {
      last = Math.max(last, i)
      if (passes[i] === true) break
    }
    return same[last] ?? null
  }
}

/** Names that are given, not used. */
const defining = /\b(?:def|function\*?|class|module)\s+(?:self\s*\.\s*)?[\w$]+[?!=]?/g

// --- exports ------------------------------------------------------------------------------------------------------

/** Finds what is exported under a name in its place, when nothing else in the file speaks of it. */
const makeExportHiding = ({ exported, exportedWhole }: Captured, text: Text): ((place: Place) => Node | null) => {
  if (exported.length + exportedWhole.length === 0) return () => null
  const whole = exportedWhole.at(-1)?.node ?? null
  const all = [...exported, ...exportedWhole].map(({ node }) => ({ node, target: targetOf(node), end: node.endIndex }))
  const lastStart = new Map<string, number>()
  for (const { node, target } of all.slice(0, exported.length))
    lastStart.set(target, Math.max(lastStart.get(target) ?? 0, node.startIndex))
  const deadBefore = (last: Node | null): Dead => {
    const nodes = all
      .filter(({ end, target }) => (last !== null && end <= last.startIndex) || (lastStart.get(target) ?? 0) > end)
      .map(({ node }) => node)
    return { has: new Set(nodes.map(({ id }) => id)), isUsed: text.isUsedOutside(nodes) }
  }
  const atEnd = deadBefore(null)
  const beforeWhole = whole === null ? atEnd : deadBefore(whole)
  const byName = Map.groupBy(exported, ({ name }) => name)
  const isUsed = text.isUsedOutside([])
  return ({ end, name, outer, start }) => {
    if (outer.parent?.parent !== null || outer.type === "export_statement") return null
    const last = whole !== null && whole.startIndex > end ? whole : null
    const dead = last === null ? atEnd : beforeWhole
    const member = isExport(name) ? lastOf(name) : null
    if (last !== null && member !== null)
      return mentions(last.text, member) || dead.isUsed(ofExports(member), [outer, last]) ? null : last
    const entries = (byName.get(name) ?? []).filter(({ node }) => node.startIndex > start && !dead.has.has(node.id))
    const other = entries.find(({ node }) => !mentions(exportedValue(node), name))
    if (other !== undefined)
      return dead.isUsed(spokenOf(name), [outer, ...entries.map(({ node }) => node)]) ? null : other.node
    const isExported = last !== null && dead.has.size > 0 && isUsed(spokenOf(name), [outer])
    return isExported && !dead.isUsed(spokenOf(name), [outer]) ? last : null
  }
}

/** Exports in whose place later ones are. */
interface Dead {
  readonly has: ReadonlySet<number>
  /** Whether the text without them has what is looked for, outside of more nodes. */
  readonly isUsed: ReturnType<Text["isUsedOutside"]>
}

/** `exports.area`, `module.exports.area`. */
const isExport = (name: string): boolean => /^(?:module\.)?exports\./.test(name)

/** A name, other than as the member of something. */
const spokenOf = (name: string): RegExp =>
  new RegExp(`${wordOf(name)}(?<!(?:(?<!\\.\\.)\\.\\s*|\\bas\\s+)${escaped(name)})(?!\\s*:(?!:))`)

/** A member of what is exported, or all of it as a value. */
const ofExports = (member: string): RegExp =>
  new RegExp(`(?<![\\w$])exports(?:\\s*\\.\\s*${wordOf(member)}|(?![\\w$]|\\s*(?:\\.|=[^=])))`)

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
  /** Whether something is in the text, outside of comments, of these nodes, and of others. */
  readonly isUsedOutside: (nodes: ReadonlyArray<Node>) => (sought: RegExp, others: ReadonlyArray<Node>) => boolean
}

interface Part {
  readonly start: number
  readonly end: number
}

const textOf = ({ comments }: Captured, found: ReadonlyArray<Placed>): Text => {
  const root = found[0]?.declared.node.tree.rootNode
  // blanks before the first word are in no node
  const source = " ".repeat(root?.startIndex ?? 0) + (root?.text ?? "")
  const silent = partsOf([...comments.values()])
  const bodies = found.flatMap(({ declared: { body, kind } }) => (kind === "function" && body !== null ? [body] : []))
  const waiting = inOrder([...silent, ...partsOf(bodies)])
  return {
    between: (start, end) => without(source, start, end, waiting),
    isUsedOutside: (nodes) => {
      const parts = [...silent, ...partsOf(nodes)]
      return (sought, others) => sought.test(without(source, 0, source.length, inOrder([...parts, ...partsOf(others)])))
    }
  }
}

const partsOf = (nodes: ReadonlyArray<Node>): ReadonlyArray<Part> =>
  nodes.map(({ endIndex: end, startIndex: start }) => ({ start, end }))

const inOrder = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> => parts.toSorted((a, b) => a.start - b.start)

/** A part of a text, others in it taken out, which are in order. */
const without = (source: string, start: number, end: number, parts: ReadonlyArray<Part>): string => {
  let text = ""
  let at = start
  for (let i = firstFrom(parts, start); i < parts.length; i++) {
    const part = parts[i] as Part
    if (part.start >= end) break
    if (part.end > end) continue
    if (part.start > at) text += source.slice(at, part.start)
    text += " "
    at = Math.max(at, part.end)
  }
  return at < end ? text + source.slice(at, end) : text
}

/** The first that begins there or later. */
const firstFrom = (parts: ReadonlyArray<Part>, start: number): number => {
  let [low, high] = [0, parts.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((parts[middle]?.start ?? 0) < start) low = middle + 1
    else high = middle
  }
  return low
}

const lastOf = (name: string): string => name.split(".").at(-1) ?? name

const firstLine = (text: string): string => (text.split("\n")[0] ?? "").trim().slice(0, 80)
