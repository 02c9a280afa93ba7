/** What branches, in all grammars: what is asked, and what is done then. */
import type { Node } from "web-tree-sitter"
import { children } from "./captures.ts"

const ifs =
  "if_statement if_expression if unless elsif elif_clause else_if_clause if_modifier unless_modifier conditional_expression ternary_expression conditional"
const elses = "else_clause else"
/** Loops through what there is, one after the other. */
const walks =
  "for_statement for_in_statement enhanced_for_statement foreach_statement for_expression for for_range_loop"

export const ifTypes: ReadonlyArray<string> = ifs.split(" ")
export const walkTypes: ReadonlyArray<string> = walks.split(" ")

const isIfType = new Set(ifTypes)
const isElseType = new Set(elses.split(" "))

export const isIf = ({ type }: Node): boolean => isIfType.has(type)
export const isElse = ({ isNamed, text, type }: Node): boolean => isNamed && isElseType.has(type) && text !== "else"

/** What an `if` asks; in Go and C++ also what it does before. */
export const askedBy = (node: Node): ReadonlyArray<Node> => {
  const named = ["initializer", "condition", "bound_identifier"].flatMap((field) => fields(node, field))
  if (named.length > 0) return named
  const all = children(node)
  // `a if b else c`; `elif [ -z "$a" ]`
  return all.slice(node.type === "conditional_expression" ? 1 : 0).slice(0, 1)
}

/** What it does then, or otherwise, without comments; an `else` is one of them. */
export const doneIn = (node: Node, comments: ReadonlyMap<number, Node>): ReadonlyArray<Node> => {
  const asked = new Set(askedBy(node).map(({ id }) => id))
  return children(node).filter((child) => !asked.has(child.id) && !comments.has(child.id) && child.text !== "else")
}

const fields = (node: Node, field: string): ReadonlyArray<Node> =>
  node.childrenForFieldName(field).filter((child): child is Node => child?.isNamed === true)

/** A loop through something: under which name each is had, in what they are, and what is done. */
export interface Walk {
  readonly name: string
  readonly over: Node
  readonly body: ReadonlyArray<Node>
}

/** Null: it is another loop. */
export const walkOf = (node: Node): Walk | null => {
  if (node.children.some((child) => child !== null && /^(?:async|await)$/.test(child.type))) return null
  const head = headed(node)
  const at = head.children.findIndex((child) => child !== null && separators.has(child.type))
  const separator = head.children[at]
  if (separator == null) return null
  const [before, behind] = [head.children[at - 1], head.children[at + 1]]
  const inner = separator.type === "in" ? (separator.firstNamedChild ?? behind) : behind
  const [named, over] = separator.type === "as" ? [behind, before] : [head.childForFieldName("left") ?? before, inner]
  if (over?.isNamed !== true) return null
  const body = node.childForFieldName("body")
  return {
    name: /[\w$]+$/.exec((named?.isNamed === true ? named.text : "").replace(/\W+$/, ""))?.[0] ?? "",
    over,
    body:
      body === null
        ? children(node).filter((child) => child.startIndex > Math.max(over.endIndex, behind?.startIndex ?? 0))
        : [body]
  }
}

const separators = new Set(["in", "of", "as", ":", "<-", "range"])

/** The head of a loop, where it is a node of its own. */
const headed = (node: Node): Node => {
  const [clause, ...more] = children(node).filter(({ type }) => type === "range_clause" || type === "enumerators")
  if (clause === undefined || more.length > 0) return node
  return clause.type === "range_clause" ? clause : (clause.namedChildren[0] ?? node)
}
