import type { Aside, Declaration, Position, SourceOutline, Span } from "@proofline/kernel"
import type { Node, QueryMatch } from "web-tree-sitter"
import type { Loaded } from "./engine.ts"
import { hasWayOut, isEnding, isHollow, isRemark, isUnfinished, maxHollow } from "./words.ts"

/**
 * The outline of a text from what the query of its language captures. The captures:
 *
 * - `@function`, `@type`, `@group`: a declaration, with `@name`, `@body` and `@scope` (what its name is qualified with)
 *   of the same match. Without a body it is never empty.
 * - `@wrapper`: a node that belongs to the declaration directly inside it: decorators, `export`, `const … =`.
 * - `@lead`: a node before the declaration, beside it, that belongs to it: attributes, decorators.
 * - `@exempt`: a declaration or its wrapper that needs nothing in its body. `@exempt.members`: nor do the functions in it.
 * - `@comment`, `@import`, `@string`: what they say; documentation strings are comments.
 * - `@nothing`: does nothing inside a body (`return null`). `@stub`: nor does it show anything when it is cited (`pass`).
 * - `@transparent`: does nothing when nothing inside it does anything (a block, a `try`).
 * - `@constant`: a plain value as the result: nothing when a comment in the body says that it stands in for the real one.
 *
 * `(#unfinished? @capture)` holds when the text says that something is not done yet.
 */
export const outlineOf = (
  { predicates, rules }: Pick<Loaded, "predicates" | "rules">,
  matches: ReadonlyArray<QueryMatch>
): Omit<SourceOutline, "neutralised"> => {
  const captured = collect(matches.filter((match) => isFulfilled(predicates, match)))
  const found = declarationsOf(captured)
  return {
    language: rules.name,
    isIndented: rules.isIndented === true,
    isFreeForm: rules.isFreeForm === true,
    declarations: found,
    asides: [
      ...[...captured.comments.values()].map(asideOf("comment")),
      ...captured.imports.map(asideOf("import")),
      ...[...captured.stubs.values()].map(asideOf("nothing"))
    ].sort(byPlace),
    strings: captured.strings.map(spanOf).sort(byPlace),
    faults: captured.faults.map(spanOf)
  }
}

interface Found {
  readonly node: Node
  readonly kind: Declaration["kind"]
  readonly name: string | null
  readonly body: Node | null
}

interface Captured {
  readonly declarations: Map<number, Found>
  readonly wrappers: Set<number>
  readonly leads: Set<number>
  readonly exempt: Set<number>
  readonly exemptMembers: Set<number>
  readonly comments: Map<number, Node>
  readonly imports: Array<Node>
  readonly strings: Array<Node>
  readonly faults: Array<Node>
  readonly nothing: Set<number>
  readonly stubs: Map<number, Node>
  readonly transparent: Set<number>
  readonly constants: Set<number>
}

const kinds = { function: "function", type: "type", group: "group" } as const

const isFulfilled = (predicates: Loaded["predicates"], { captures, patternIndex }: QueryMatch): boolean =>
  (predicates[patternIndex] ?? []).every(({ operands, operator }) => {
    if (operator !== "unfinished?" && operator !== "not-unfinished?") return true
    const names = operands.flatMap((operand) => (operand.type === "capture" ? [operand.name] : []))
    const holds = captures.some(({ name, node }) => names.includes(name) && isUnfinished(node.text))
    return holds === (operator === "unfinished?")
  })

const collect = (matches: ReadonlyArray<QueryMatch>): Captured => {
  const all: Captured = {
    declarations: new Map(),
    wrappers: new Set(),
    leads: new Set(),
    exempt: new Set(),
    exemptMembers: new Set(),
    comments: new Map(),
    imports: [],
    strings: [],
    faults: [],
    nothing: new Set(),
    stubs: new Map(),
    transparent: new Set(),
    constants: new Set()
  }
  for (const { captures } of matches) {
    const of = (name: string): Node | undefined => captures.find((capture) => capture.name === name)?.node
    for (const { name, node } of captures) {
      switch (name) {
        case "function":
        case "type":
        case "group":
          declare(all, node, kinds[name], of)
          break
        case "wrapper":
          all.wrappers.add(node.id)
          break
        case "lead":
          all.leads.add(node.id)
          break
        case "exempt":
          all.exempt.add(node.id)
          break
        case "exempt.members":
          all.exemptMembers.add(node.id)
          break
        case "comment":
          all.comments.set(node.id, node)
          break
        case "import":
          all.imports.push(node)
          break
        case "string":
          all.strings.push(node)
          break
        case "fault":
          all.faults.push(node)
          break
        case "nothing":
          all.nothing.add(node.id)
          break
        case "stub":
          all.stubs.set(node.id, node)
          break
        case "transparent":
          all.transparent.add(node.id)
          break
        case "constant":
          all.constants.add(node.id)
          break
      }
    }
  }
  return all
}

/** The same node may be found by several patterns; the one that knows more of it counts. */
const declare = (
  { declarations }: Captured,
  node: Node,
  kind: Declaration["kind"],
  of: (name: string) => Node | undefined
): void => {
  const before = declarations.get(node.id)
  const scope = of("scope")?.text
  const own = of("name")?.text ?? null
  const parts = [scope, own].flatMap((part) => (part == null ? [] : [tidy(part)]))
  const name = parts.length === 0 ? (before?.name ?? null) : parts.join(".")
  declarations.set(node.id, { node, kind: before?.kind ?? kind, name, body: of("body") ?? before?.body ?? null })
}

/** A name as people say it: without quotes, blanks and pointer stars. */
const tidy = (name: string): string =>
  name
    .replace(/^["'`]|["'`]$/g, "")
    .replace(/\s+/g, " ")
    .replace(/^[*&\s]+/, "")
    .slice(0, 200)

/** A declaration with the nodes that belong to it, and where in the text all that is. */
interface Placed {
  readonly declared: Found
  readonly outer: Node
  /** Where it begins: `outer`, or the first of what leads to it. */
  readonly first: Node
  readonly start: number
  readonly end: number
}

const declarationsOf = (captured: Captured): ReadonlyArray<Declaration> => {
  const found = [...captured.declarations.values()]
    .map((declared): Placed => {
      const outer = wrapped(declared.node, captured)
      const first = ledBy(outer, captured)
      return { declared, outer, first, start: first.startIndex, end: outer.endIndex }
    })
    .sort((a, b) => a.start - b.start || b.end - a.end || a.declared.node.startIndex - b.declared.node.startIndex)
  const { isRemarked, judge } = makeJudge(captured, found)
  const open: Array<number> = []
  const endOf = (index: number): number => found[index]?.end ?? 0
  return found.map(({ declared, end, first, outer }, index) => {
    while (open.length > 0 && endOf(open.at(-1) ?? 0) < end) open.pop()
    const parent = open.at(-1) ?? null
    open.push(index)
    const inOpenType = parent !== null && captured.exemptMembers.has(found[parent]?.declared.node.id ?? -1)
    const isExempt =
      (inOpenType || isExemptNode(declared.node, outer, captured)) &&
      // complete by its head, and yet something is said to be missing
      !(declared.kind === "type" && isRemarked(declared))
    return {
      start: positionOf(first.startPosition),
      end: positionOf(outer.endPosition),
      name: declared.name,
      kind: declared.kind,
      bodyStart: declared.body === null ? positionOf(outer.endPosition) : positionOf(declared.body.startPosition),
      parent,
      empty: isExempt || declared.kind === "group" ? null : judge(declared)
    }
  })
}

const isExemptNode = (node: Node, outer: Node, { exempt }: Captured): boolean => {
  for (let at: Node | null = node; at !== null; at = at.parent) {
    if (exempt.has(at.id)) return true
    if (at.id === outer.id) return false
  }
  return false
}

const wrapped = (node: Node, { wrappers }: Captured): Node => {
  let outer = node
  for (let at = node.parent; at !== null && wrappers.has(at.id); at = at.parent) outer = at
  return outer
}

const ledBy = (outer: Node, { comments, leads }: Captured): Node => {
  if (leads.size === 0) return outer
  let first = outer
  for (let at = outer.previousNamedSibling; at !== null; at = at.previousNamedSibling) {
    if (leads.has(at.id)) first = at
    else if (!comments.has(at.id)) break
  }
  return first
}

interface Judge {
  /** Says in words why a declaration counts as empty, or null. */
  readonly judge: (declared: Found) => string | null
  /** A comment in it says that something stands in for the real thing. */
  readonly isRemarked: (declared: Found) => boolean
}

const makeJudge = (captured: Captured, found: ReadonlyArray<Placed>): Judge => {
  const { comments, constants, imports, nothing, stubs, transparent } = captured
  const inner = Map.groupBy(found, ({ outer }) => outer.id)
  const known = new Map<number, string | null>()
  const imported = new Set(imports.map(({ id }) => id))
  const remarks = remarksOf(comments)

  const isNothing = (node: Node, declared: Found, seen: Seen): boolean => {
    if (comments.has(node.id)) {
      seen.add("comment")
      return true
    }
    if (imported.has(node.id)) return true
    if (stubs.has(node.id)) {
      seen.add("stub")
      return true
    }
    if (nothing.has(node.id)) {
      seen.add("return")
      return true
    }
    // a remark may stand before the block, behind the head
    if (constants.has(node.id) && isRemarked(declared)) {
      seen.add("constant")
      return true
    }
    const held = inner.get(node.id)
    if (held !== undefined && node.id !== declared.body?.id) {
      seen.add("declaration")
      return held.every(({ declared: one }) => isEmptyInside(one))
    }
    if (!transparent.has(node.id)) return isHollowStatement(node, seen)
    const inside = children(node)
    return inside.every((child) => isNothing(child, declared, seen)) || endsInStub(node, inside, declared, seen)
  }

  const isRemarked = ({ node }: Found): boolean => remarks.some((at) => at >= node.startIndex && at < node.endIndex)

  const isHollowStatement = (node: Node, seen: Seen): boolean => {
    if (node.endIndex - node.startIndex > maxHollow || isDeclaring.test(node.type) || !isHollow(node.text)) return false
    seen.add("stub")
    return true
  }

  /** Whatever is done before, the function always ends by saying that it is not done. */
  const endsInStub = (block: Node, inside: ReadonlyArray<Node>, { body }: Found, seen: Seen): boolean => {
    if (body === null || !isWholeBody(block, body)) return false
    const last = inside.findLast(({ id }) => !comments.has(id))
    if (last === undefined || !stubs.has(last.id) || !isEnding(last.text)) return false
    if (hasWayOut(withoutComments(block))) return false
    seen.add("stub")
    return true
  }

  const withoutComments = (node: Node): string =>
    [...comments.values()]
      .filter(({ startIndex }) => startIndex >= node.startIndex && startIndex < node.endIndex)
      .toSorted((a, b) => b.startIndex - a.startIndex)
      .reduce(
        (text, { endIndex, startIndex }) =>
          text.slice(0, startIndex - node.startIndex) + text.slice(endIndex - node.startIndex),
        node.text
      )

  const isEmptyInside = (declared: Found): boolean => declared.body !== null && judge(declared) !== null

  const judge = (declared: Found): string | null => {
    const { body, kind, node } = declared
    if (body === null) return null
    const before = known.get(node.id)
    if (before !== undefined) return before
    // a body that holds its own function is not asked again
    known.set(node.id, null)
    const seen: Seen = new Set()
    const result = isNothing(body, declared, seen) ? reasonOf(kind, seen) : null
    known.set(node.id, result)
    return result
  }
  return { judge, isRemarked }
}

/** The block is all of the body, or the body but for its brackets. */
const isWholeBody = (block: Node, body: Node): boolean =>
  block.id === body.id || (block.parent?.id === body.id && body.namedChildCount === 1)

/** Statements that hold others or make something: what they say is not all they do. */
const isDeclaring = /declar|assign|definition|^(?:if|for|while|switch|match|try|with|class|function|method)\b|_clause$/

type Seen = Set<"comment" | "stub" | "return" | "constant" | "declaration">

const reasonOf = (kind: Declaration["kind"], seen: Seen): string => {
  if (kind === "type") return "has no members"
  if (seen.has("stub")) return "only says that it is not implemented"
  if (seen.has("constant")) return "only returns a fixed value in place of the real one"
  if (seen.has("return")) return "only returns without a value"
  if (seen.has("declaration")) return "only declares what is empty itself"
  return seen.has("comment") ? "holds only comments" : "has an empty body"
}

/** Where comments stand that say that something else stands in for the real thing. */
const remarksOf = (comments: ReadonlyMap<number, Node>): ReadonlyArray<number> =>
  [...comments.values()].flatMap((comment) => (isRemark(comment.text) ? [comment.startIndex] : []))

const children = (node: Node): ReadonlyArray<Node> =>
  node.namedChildren.filter((child): child is Node => child !== null)

const positionOf = ({ column, row }: Position): Position => ({ row, column })

const spanOf = (node: Node): Span => ({ start: positionOf(node.startPosition), end: positionOf(node.endPosition) })

const asideOf =
  (kind: Aside["kind"]) =>
  (node: Node): Aside => ({ ...spanOf(node), kind })

const byPlace = (a: Span, b: Span): number => a.start.row - b.start.row || a.start.column - b.start.column
