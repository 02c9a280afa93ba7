import {
  type MarkdownItem as Item,
  markdownLayout,
  markdownSource,
  type MarkdownNode as Node
} from "../../text/markdownLayout.ts"
import { asMarkdown, otherHeading, stepMark } from "./marks.ts"

/** One point of a list. */
export interface Entry {
  /** Its own first paragraph. */
  readonly text: string
  /** Everything below that, as the user wrote it. */
  readonly more: string
  /** The first paragraphs of the points below it. */
  readonly below: ReadonlyArray<string>
  /** As the user wrote it; null: no number. */
  readonly number: number | null
  /** It calls itself a step. */
  readonly step: boolean
  readonly done: boolean
}

export type List = { readonly kind: "list"; readonly text: string; readonly entries: ReadonlyArray<Entry> }

export type Block =
  | List
  /** `opaque`, as code, a quotation or a table, belongs to what stands before it and asks for nothing. */
  | { readonly kind: "text" | "opaque"; readonly text: string }

/** A heading with what stands below it. */
export interface Section {
  /** Empty: what stands above all headings. */
  readonly title: string
  readonly level: number
  readonly blocks: Array<Block>
  readonly sections: Array<Section>
}

/** The layout of a prompt. */
export const layoutOf = (prompt: string): Section => {
  const text = asMarkdown(prompt.replaceAll(/\r\n?/g, "\n").replaceAll(/[\0\uFEFF]/g, " "))
  const top: Section = { title: "", level: 0, blocks: [], sections: [] }
  const open = [top]
  for (const node of markdownLayout(text)) {
    const title = titleOf(text, node)
    if (title === null) {
      open.at(-1)?.blocks.push(...blocksOf(text, node))
      continue
    }
    while ((open.at(-1)?.level ?? 0) >= title.level) open.pop()
    const section: Section = { ...title, blocks: [], sections: [] }
    open.at(-1)?.sections.push(section)
    open.push(section)
  }
  return top
}

/** A section as the user wrote it, without its title. */
export const bodyOf = ({ blocks, sections }: Section): string =>
  [
    ...blocks.map(({ text }) => text),
    ...sections.map((section) => [section.title, bodyOf(section)].filter(Boolean).join("\n"))
  ].join("\n\n")

const sourceOf = (text: string, node: Pick<Node, "position">): string => markdownSource(text, node).trim()

const titleOf = (text: string, node: Node): { readonly title: string; readonly level: number } | null => {
  const source = sourceOf(text, node)
  if (node.type === "heading")
    return { title: source.replace(/^#+\s*|\s+#+$|\n\s*[=-]+$/gu, "").trim(), level: node.depth }
  const other = node.type === "paragraph" ? otherHeading.exec(source)?.slice(1).find(Boolean) : undefined
  return other === undefined ? null : { title: other.trim(), level: 7 }
}

const blocksOf = (text: string, node: Node): ReadonlyArray<Block> => {
  const source = sourceOf(text, node)
  if (node.type === "list")
    return [{ kind: "list", text: source, entries: node.children.map((item) => readEntry(text, item)) }]
  if (node.type === "thematicBreak" || source.startsWith("<!--")) return []
  return [{ kind: node.type === "paragraph" && !noise.test(source) ? "text" : "opaque", text: source }]
}

/** What people paste: output, traces, tables, commands. */
const noise =
  /^(?:\||\$ |\d{4}-\d\d-\d\d[T ]\d\d:|\[?(?:ERROR|WARN|INFO|DEBUG|FAIL|PASS)\b|Traceback |npm (?:ERR!|error)|\s+at \S+ ?\()/u

const readEntry = (text: string, item: Item): Entry => {
  const [first] = item.children
  const marker = /^(\d{1,9})[.)]/u.exec(sourceOf(text, item))?.[1]
  const own = first?.type === "paragraph" ? sourceOf(text, first) : ""
  const [box = ""] = /^\[[ xX]\]\s+/u.exec(own) ?? []
  const points = item.children.flatMap((child) => (child.type === "list" ? child.children : []))
  return {
    text: own.slice(box.length).replace(stepMark, "").replaceAll(/\n\s*/gu, "\n"),
    more: below(text, item, own === "" ? 0 : 1),
    below: points.map(({ children: [point] }) => (point === undefined ? "" : sourceOf(text, point))),
    number: marker === undefined ? null : Number(marker),
    step: stepMark.test(own),
    done: /x/iu.test(box)
  }
}

/** What stands below a point, moved to the left. */
const below = (text: string, item: Item, from: number): string => {
  const start = item.children[from]?.position?.start
  if (start === undefined) return ""
  const blanks = new RegExp(`^[ \\t]{0,${Math.min(start.column - 1, 1_000)}}`, "gmu")
  return text.slice(start.offset, item.position?.end.offset).replaceAll(blanks, "").trimEnd()
}
