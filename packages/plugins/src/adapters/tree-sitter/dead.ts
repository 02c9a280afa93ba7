/** Statements that nothing reaches: they stand behind one that always leaves their block. */
import type { Node } from "web-tree-sitter"
import { type Captured, children } from "./captures.ts"

export const deadIn = (captured: Captured, root: Node, language: string): ReadonlyMap<number, Node> => {
  const bodies = [...captured.declarations.values()].flatMap(({ body }) => body ?? [])
  const all = [...captured.transparent.values(), ...bodies]
  const blocks = new Map(
    // an `if` of Bash holds its branches one beside the other
    (language === "bash"
      ? [root, ...all.filter(({ type }) => /^(?:compound_statement|subshell)$/.test(type))]
      : all
    ).map((block) => [block.id, block])
  )
  return new Map([...blocks.values()].flatMap((block) => behindEnd(captured, block)))
}

const behindEnd = (captured: Captured, block: Node): ReadonlyArray<readonly [id: number, node: Node]> => {
  const statements = children(block)
  const end = statements.findIndex(isEnd)
  const rest = end === -1 ? [] : statements.slice(end + 1)
  // a label, a case or a line of the preprocessor may lead there
  if (rest.length === 0 || statements.some(({ type }) => /label|case|default|preproc|switch_section/.test(type)))
    return []
  return rest.flatMap((node) => (mayCount(captured, node) ? [] : [[node.id, node] as const]))
}

const isEnd = (node: Node): boolean => {
  if (node.type === "command") return /^(?:return|exit)(?:\s+\d+)?$/.test(node.text)
  const [only, ...more] = node.type === "expression_statement" ? children(node) : [node]
  return only !== undefined && more.length === 0 && ends.has(only.type) && /^(?:return|throw|raise)\b/.test(only.text)
}

const ends = new Set([
  "return_statement",
  "throw_statement",
  "raise_statement",
  "return_expression",
  "throw_expression",
  "jump_expression",
  "control_transfer_statement",
  "return"
])

/** Functions and types are there from the beginning of their block on, and a `yield` makes a generator of its function. */
const mayCount = ({ comments, declarations, imports, wrappers }: Captured, node: Node): boolean =>
  comments.has(node.id) ||
  imports.has(node.id) ||
  /\byield\b/.test(node.text) ||
  (declarations.has(node.id) && declaring.test(node.type)) ||
  (wrappers.has(node.id) && children(node).some((child) => declarations.has(child.id) && declaring.test(child.type)))

/** The last one: of C#, where they often stand behind the `return`. */
const declaring = /declaration|definition|_item|local_function/
