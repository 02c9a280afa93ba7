import {
  type MarkdownItem as Item,
  markdownLayout,
  markdownSource,
  type MarkdownNode as Node
} from "@proofline/plugins/text/markdownLayout"
import type { Box } from "./Box.ts"

/** A box at the beginning of a point: ticked, open, or with the mark of another state. An optional one has a star. */
const box = /^\[([ xX✓✔✅~\-/>])\]\*?(?=\s|$)/u

/** Whether a text may hold boxes; most do not, and are not read any closer. */
const mayHold = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t>*+\-\d.)]{1,40}\[[ xX✓✔✅~\-/>]\]/mu

/** The boxes of a Markdown text, in their order. Code and comments hold none. */
export const markdownBoxes = (text: string): ReadonlyArray<Box> => {
  if (!mayHold.test(text)) return []
  const source = text.replace(/^\uFEFF/, " ").replaceAll("\0", " ")
  const found: Array<Box> = []
  collect(source, markdownLayout(source), found)
  return found
}

const collect = (source: string, nodes: ReadonlyArray<Node>, found: Array<Box>): void => {
  for (const node of nodes) {
    if (node.type === "list") for (const item of node.children) collectItem(source, item, found)
    else if (node.type === "blockquote" || node.type === "listItem") collect(source, node.children, found)
  }
}

const collectItem = (source: string, item: Item, found: Array<Box>): void => {
  const one = boxOf(source, item)
  if (one !== null) found.push(one)
  collect(source, item.children, found)
}

const boxOf = (source: string, item: Item): Box | null => {
  const [first, ...below] = item.children
  const own = first?.type === "paragraph" ? markdownSource(source, first) : ""
  const [mark, state = " "] = box.exec(own) ?? []
  if (mark === undefined || first?.position === undefined) return null
  const { column, line } = first.position.start
  const said = own.slice(mark.length)
  return {
    line,
    column,
    item: flat(said),
    texts: [said, ...below.flatMap((node) => detailsOf(source, node))].map(flat),
    ticked: /[xX✓✔✅]/u.test(state)
  }
}

/** What is said below a box, but for points with boxes of their own. */
const detailsOf = (source: string, node: Node): ReadonlyArray<string> => {
  if (node.type === "paragraph") return [markdownSource(source, node)]
  if (node.type === "blockquote") return node.children.flatMap((child) => detailsOf(source, child))
  if (node.type !== "list") return []
  return node.children
    .filter((item) => boxOf(source, item) === null)
    .flatMap((item) => item.children.flatMap((child) => detailsOf(source, child)))
}

/** On one line, without comments. */
const flat = (text: string): string =>
  text
    .replaceAll(/<!--(?:(?!-->)[\s\S])*(?:-->|$)/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
