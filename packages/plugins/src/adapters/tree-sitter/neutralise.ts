import type { LanguageRules } from "@proofline/kernel"
import type { Node, QueryMatch, Tree } from "web-tree-sitter"
import type { LineRange } from "../../port/index.ts"
import { type Captured, children, collect } from "./captures.ts"
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

/** What is known of the text that is edited. */
interface Looked {
  readonly source: string
  /** The failing statement. */
  readonly fail: string
  /** What fails in place of a body that holds no statements; undefined: such a body cannot be made to fail. */
  readonly failExpression: string | undefined
  /** In the order of their starts, the outer one first. */
  readonly declared: ReadonlyArray<Declared>
  /** Ids of nodes that hold statements. */
  readonly blocks: ReadonlySet<number>
  readonly captured: Captured
}

const editsFor = (
  rules: LanguageRules,
  predicates: Loaded["predicates"],
  tree: Tree,
  matches: ReadonlyArray<QueryMatch>,
  source: string,
  rows: Rows
): ReadonlyArray<Edit> => {
  const captured = collect(predicates, matches)
  const looked: Looked = {
    source,
    fail: rules.fail ?? "",
    failExpression: rules.failExpression,
    declared: [...captured.declarations.values()]
      .flatMap(({ body, kind, node }) => (body === null ? [] : [{ node, body, isFunction: kind === "function" }]))
      .sort((a, b) => a.node.startIndex - b.node.startIndex || b.node.endIndex - a.node.endIndex),
    blocks: new Set([...captured.transparent.values()].filter(holdsStatements).map(({ id }) => id)),
    captured
  }
  return inside(looked, tree.rootNode, rows)
}

const isAside = ({ captured: { comments, imports } }: Looked, { id }: Node): boolean =>
  comments.has(id) || imports.has(id)

const before = ({ fail, source }: Looked, statement: Node): Edit => {
  const { startIndex, startPosition } = statement
  const indent = source.slice(startIndex - startPosition.column, startIndex)
  const text = indent.trim() === "" ? `${fail}\n${indent}` : `${fail} `
  return { start: startIndex, end: startIndex, text }
}

const statementsOf = (looked: Looked, block: Node): ReadonlyArray<Node> =>
  children(block)
    .flatMap((child) =>
      looked.blocks.has(child.id) && child.startIndex === block.startIndex ? children(child) : [child]
    )
    // nothing may stand before the call of another constructor
    .filter((child) => !isAside(looked, child) && child.type !== "explicit_constructor_invocation")

const atHead = (looked: Looked, body: Node): ReadonlyArray<Edit> => {
  const { blocks, fail, failExpression } = looked
  const { endIndex, startIndex } = body
  if (!blocks.has(body.id))
    return failExpression === undefined ? [] : [{ start: startIndex, end: endIndex, text: failExpression }]
  const [first] = statementsOf(looked, body)
  if (first !== undefined) return [before(looked, first)]
  const [only] = children(body).filter(({ type }) => type === "explicit_constructor_invocation")
  const brace = only?.endIndex ?? startIndex + body.text.indexOf("{") + 1
  return brace === startIndex ? [] : [{ start: brace, end: brace, text: ` ${fail} ` }]
}

/** Before the first statement that begins in the rows, the outermost one: one within it may never be reached. */
const inPart = (looked: Looked, node: Node, rows: Rows): ReadonlyArray<Edit> => {
  const isBlock = looked.blocks.has(node.id)
  for (const part of isBlock ? statementsOf(looked, node) : children(node)) {
    if (!touches(part, rows)) continue
    if (isBlock && part.startPosition.row >= rows.first) return [before(looked, part)]
    const found = inPart(looked, part, rows)
    if (found.length > 0) return found
  }
  return []
}

/** Before the statement of the body that the rows are a part of. */
const around = (looked: Looked, body: Node, cited: Rows): ReadonlyArray<Edit> => {
  const statement = looked.blocks.has(body.id)
    ? statementsOf(looked, body).find((one) => touches(one, cited))
    : undefined
  return statement === undefined ? [] : [before(looked, statement)]
}

const inside = (looked: Looked, holder: Node, cited: Rows): ReadonlyArray<Edit> => {
  let isLedTo = false
  return children(holder).flatMap((child) => {
    if (isAside(looked, child)) return []
    if (looked.captured.leads.has(child.id)) {
      isLedTo ||= touches(child, cited) && child.startPosition.row >= cited.first
      return []
    }
    const isWhole = isLedTo
    isLedTo = false
    return isWhole || touches(child, cited) ? inStatement(looked, child, cited, isWhole) : []
  })
}

/** In one statement; `isWhole`: all of it is cited, whatever rows it stands in. */
const inStatement = (looked: Looked, statement: Node, cited: Rows, isWhole: boolean): ReadonlyArray<Edit> => {
  const { row } = statement.startPosition
  const within = looked.declared.filter(
    ({ node }) => node.startIndex >= statement.startIndex && node.endIndex <= statement.endIndex
  )
  const [first] = within
  if (first === undefined)
    return row >= cited.first
      ? [{ start: statement.startIndex, end: statement.endIndex, text: "" }]
      : inPart(looked, statement, cited)
  // in the statement's own head everything in it is meant, otherwise what the rows touch
  const isOwn = isWhole || (row >= cited.first && row <= cited.last)
  return outermost(within.filter(({ node }) => isOwn || touches(node, cited))).flatMap(({ body, isFunction }) => {
    const isHeadCited = isOwn || cited.first <= body.startPosition.row
    if (!isFunction) return inside(looked, body, isHeadCited ? rowsOf(body) : cited)
    const edits = isHeadCited ? atHead(looked, body) : inPart(looked, body, cited)
    return [edits, inPart(looked, body, cited), around(looked, body, cited)].find(({ length }) => length > 0) ?? []
  })
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
