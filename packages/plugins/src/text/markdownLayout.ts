import { fromMarkdown } from "mdast-util-from-markdown"

type Root = ReturnType<typeof fromMarkdown>
export type MarkdownNode = Root["children"][number]
export type MarkdownItem = Extract<MarkdownNode, { type: "list" }>["children"][number]

/** What stands within a line is read as it is, so that nothing in it takes long; an underline makes no heading. */
const withinLines =
  "attention autolink characterEscape characterReference codeText definition hardBreakEscape htmlText labelEnd labelStartImage labelStartLink setextUnderline"
const layoutOnly = { disable: { null: withinLines.split(" ") } }

/** The layout of a Markdown text: headings, lists, paragraphs and blocks, each with its position in the text. */
export const markdownLayout = (text: string): ReadonlyArray<MarkdownNode> =>
  fromMarkdown(text, { extensions: [layoutOnly] }).children

/** A node as the user wrote it. */
export const markdownSource = (text: string, { position }: Pick<MarkdownNode, "position">): string =>
  text.slice(position?.start.offset ?? 0, position?.end.offset ?? 0)
