import type { LanguageRules, LineRange } from "@proofline/kernel"
import type { Node, QueryMatch, Tree } from "web-tree-sitter"
import { children, collect } from "./captures.ts"
import type { Loaded } from "./engine.ts"

/**
 * The text with the lines made to fail: a failing statement before the first cited statement of every function that
 * is cited, at the head of its body when its head is cited; statements outside of functions are taken out. What is
 * behind the failing statement stays, so that compilers find every name in use. Null: nothing can be made to fail.
 */
export const neutralise = ({ predicates, read, rules }: Loaded, source: string, lines: LineRange): string | null => {
  if (rules.fail === undefined) return null
  const edits = read(source, (tree, matches) =>
    editsFor(rules, predicates, tree, matches, source, { first: lines.start - 1, last: lines.end - 1 })
  )
  return edits === null || edits.length === 0 ? null : applied(source, edits)
}

/** A text put in place of what stands from `start` to `end`, in UTF-16 code units. */
interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Rows from 0, both included. */
interface Rows {
  readonly first: number
  readonly last: number
}

interface Declared {
  readonly node: Node
  readonly body: Node
  readonly isFunction: boolean
}

const editsFor = (
  rules: LanguageRules,
  predicates: Loaded["predicates"],
  tree: Tree,
  matches: ReadonlyArray<QueryMatch>,
  source: string,
  rows: Rows
): ReadonlyArray<Edit> => {
  const { fail = "", failExpression } = rules
  const { comments, declarations, imports, leads, transparent } = collect(predicates, matches)
  const declared = [...declarations.values()]
    .flatMap(({ body, kind, node }) => (body === null ? [] : [{ node, body, isFunction: kind === "function" }]))
    .sort((a, b) => a.node.startIndex - b.node.startIndex || b.node.endIndex - a.node.endIndex)
  const blocks = new Set([...transparent.values()].filter(holdsStatements).map(({ id }) => id))
  const isAside = ({ id }: Node): boolean => comments.has(id) || imports.has(id)

  const before = (statement: Node): Edit => {
    const { startIndex, startPosition } = statement
    const indent = source.slice(startIndex - startPosition.column, startIndex)
    const text = indent.trim() === "" ? `${fail}\n${indent}` : `${fail} `
    return { start: startIndex, end: startIndex, text }
  }

  const statementsOf = (block: Node): ReadonlyArray<Node> =>
    children(block)
      .flatMap((child) => (blocks.has(child.id) && child.startIndex === block.startIndex ? children(child) : [child]))
      // nothing may stand before the call of another constructor
      .filter((child) => !isAside(child) && child.type !== "explicit_constructor_invocation")

  const atHead = (body: Node): ReadonlyArray<Edit> => {
    const { endIndex, startIndex } = body
    if (!blocks.has(body.id))
      return failExpression === undefined ? [] : [{ start: startIndex, end: endIndex, text: failExpression }]
    const [first] = statementsOf(body)
    if (first !== undefined) return [before(first)]
    const [only] = children(body).filter(({ type }) => type === "explicit_constructor_invocation")
    const brace = only?.endIndex ?? startIndex + body.text.indexOf("{") + 1
    return brace === startIndex ? [] : [{ start: brace, end: brace, text: ` ${fail} ` }]
  }

  /** Before the innermost statement that begins in the rows. */
  const inPart = (node: Node, { first, last }: Rows): ReadonlyArray<Edit> => {
    for (const child of children(node)) {
      const found = touches(child, { first, last }) ? inPart(child, { first, last }) : []
      if (found.length > 0) return found
    }
    const statement = blocks.has(node.id)
      ? statementsOf(node).find(({ startPosition: { row } }) => row >= first && row <= last)
      : undefined
    return statement === undefined ? [] : [before(statement)]
  }

  /** Before the statement of the body that the rows are a part of. */
  const around = (body: Node, cited: Rows): ReadonlyArray<Edit> => {
    const statement = blocks.has(body.id) ? statementsOf(body).find((one) => touches(one, cited)) : undefined
    return statement === undefined ? [] : [before(statement)]
  }

  const inside = (holder: Node, cited: Rows): ReadonlyArray<Edit> => {
    let isLedTo = false
    return children(holder).flatMap((child) => {
      if (isAside(child)) return []
      const { row } = child.startPosition
      if (leads.has(child.id)) {
        isLedTo ||= touches(child, cited) && row >= cited.first
        return []
      }
      const isWhole = isLedTo
      isLedTo = false
      if (!isWhole && !touches(child, cited)) return []
      const within = declared.filter(
        ({ node }) => node.startIndex >= child.startIndex && node.endIndex <= child.endIndex
      )
      if (within.length === 0)
        return row >= cited.first ? [{ start: child.startIndex, end: child.endIndex, text: "" }] : inPart(child, cited)
      // in the statement's own head everything in it is meant, otherwise what the rows touch
      const [first] = within
      const isOwn = isWhole || first === undefined || (row >= cited.first && row <= cited.last)
      return outermost(within.filter(({ node }) => isOwn || touches(node, cited))).flatMap((held) => {
        const isHeadCited = isOwn || cited.first <= held.body.startPosition.row
        if (!held.isFunction) return inside(held.body, isHeadCited ? rowsOf(held.body) : cited)
        const edits = isHeadCited ? atHead(held.body) : inPart(held.body, cited)
        return [edits, inPart(held.body, cited), around(held.body, cited)].find(({ length }) => length > 0) ?? []
      })
    })
  }

  return inside(tree.rootNode, rows)
}

/** A block, and not a statement that merely has some: what is put before the first thing in it is executed. */
const holdsStatements = ({ text, type }: Node): boolean => text.startsWith("{") || blockTypes.has(type)

const blockTypes = new Set([
  "block",
  "block_body",
  "body_statement",
  "do",
  "do_group",
  "else",
  "indented_block",
  "statement_list",
  "statements",
  "suite",
  "then"
])

/** Without those that lie inside another one; they come in the order of their starts, the outer one first. */
const outermost = (declared: ReadonlyArray<Declared>): ReadonlyArray<Declared> => {
  let end = -1
  return declared.filter(({ node }) => {
    if (node.startIndex < end) return false
    end = node.endIndex
    return true
  })
}

const rowsOf = ({ endPosition, startPosition }: Node): Rows => ({ first: startPosition.row, last: endPosition.row })

const touches = ({ endPosition, startPosition }: Node, { first, last }: Rows): boolean =>
  startPosition.row <= last && endPosition.row >= first

const applied = (source: string, edits: ReadonlyArray<Edit>): string =>
  edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, { end, start, text: put }) => text.slice(0, start) + put + text.slice(end), source)
