import { visible } from "./visible.ts"

/** A piece of a line in one colour; `name` is the class of the grammar, empty for plain text. */
export interface Token {
  readonly name: string
  readonly text: string
}

export type Line = ReadonlyArray<Token>

/** What a highlighter answers: a tree of texts and elements with classes. */
export interface Tree {
  readonly children: ReadonlyArray<Node>
}
type Node =
  | { readonly type: "text"; readonly value: string }
  | {
      readonly type: "element"
      readonly properties: { readonly className?: unknown }
      readonly children: ReadonlyArray<Node>
    }
  // what else the type knows is never in the answer
  | { readonly type: "comment" | "doctype" }

/** The tree by lines: a token that spans several is in each of them. */
export const linesOf = (tree: Tree): ReadonlyArray<Line> => {
  const lines: Array<Array<Token>> = [[]]
  const walk = (nodes: ReadonlyArray<Node>, name: string): void => {
    for (const node of nodes) {
      if (node.type === "element") walk(node.children, classOf(node.properties.className) ?? name)
      if (node.type !== "text") continue
      for (const [i, text] of node.value.split("\n").entries()) {
        if (i > 0) lines.push([])
        if (text !== "") lines.at(-1)?.push({ name, text: visible(text) })
      }
    }
  }
  walk(tree.children, "")
  return lines
}

const classOf = (name: unknown): string | null => (Array.isArray(name) ? name.join(" ") : null)

/** Lines in one colour. */
export const plainLines = (lines: ReadonlyArray<string>): ReadonlyArray<Line> =>
  lines.map(withoutReturn).map((text) => (text === "" ? [] : [{ name: "", text: visible(text) }]))

/** Of a file with Windows' line ends, whose lines keep the half of it. */
export const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line)

/** Longer lines are data, not code; a grammar may take seconds for them. */
const longestLine = 2_000
const mostCharacters = 200_000

/** Whether a grammar can be let loose on it. */
export const isColourable = (lines: ReadonlyArray<string>): boolean =>
  lines.every(({ length }) => length <= longestLine) &&
  lines.reduce((sum, { length }) => sum + length, 0) <= mostCharacters
