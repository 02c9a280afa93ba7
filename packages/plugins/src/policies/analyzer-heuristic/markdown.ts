import { fromMarkdown } from "mdast-util-from-markdown"

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

export type Block =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "list"; readonly text: string; readonly entries: ReadonlyArray<Entry> }
  /** Code, a quotation, a table: it belongs to what stands before it, and asks for nothing. */
  | { readonly kind: "opaque"; readonly text: string }

/** A heading with what stands below it. */
export interface Section {
  /** Empty: what stands above all headings. */
  readonly title: string
  readonly level: number
  readonly blocks: Array<Block>
  readonly sections: Array<Section>
}

type Root = ReturnType<typeof fromMarkdown>
type Node = Root["children"][number]
type Item = Extract<Node, { type: "list" }>["children"][number]

/** Only the layout is wanted. What stands within a line is read as it is, so that nothing in it takes long. */
const layoutOnly = {
  disable: {
    null: [
      "attention",
      "autolink",
      "characterEscape",
      "characterReference",
      "codeText",
      "definition",
      "hardBreakEscape",
      "htmlText",
      "labelEnd",
      "labelStartImage",
      "labelStartLink",
      // many of them take long: `asMarkdown` writes them with a mark
      "setextUnderline"
    ]
  }
}

/** The layout of a prompt. */
export const layoutOf = (prompt: string): Section => {
  const text = asMarkdown(prompt.replaceAll(/\r\n?/g, "\n").replaceAll(/[\0\uFEFF]/g, " "))
  const top: Section = { title: "", level: 0, blocks: [], sections: [] }
  const open = [top]
  for (const node of fromMarkdown(text, { extensions: [layoutOnly] }).children) {
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

const sourceOf = (text: string, { position }: Pick<Node, "position">): string =>
  text.slice(position?.start.offset ?? 0, position?.end.offset ?? 0).trim()

/** A line in bold or in brackets is a heading too, below those with marks. */
const otherHeading =
  /^(?:\*\*([^*\n]{1,80}?)(?:\*\*[:：]?|[:：]\*\*)|__([^_\n]{1,80})__[:：]?|【([^】\n]{1,60})】|■\s*([^\n]{1,60}))$/u

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
    return [{ kind: "list", text: source, entries: node.children.map((item) => entryOf(text, item)) }]
  if (node.type === "thematicBreak" || source.startsWith("<!--")) return []
  return node.type === "paragraph" && !noise.test(source) ? looseList(source) : [{ kind: "opaque", text: source }]
}

/** What people paste: output, traces, tables, commands. */
const noise =
  /^(?:\||\$ |\d{4}-\d\d-\d\d[T ]\d\d:|\[?(?:ERROR|WARN|INFO|DEBUG|FAIL|PASS)\b|Traceback |npm (?:ERR!|error)|\s+at \S+ ?\()/u

/** Short lines below a line that ends with a colon are a list without marks. */
const looseList = (source: string): ReadonlyArray<Block> => {
  const [lead = "", ...rest] = source.split("\n").map((line) => line.trim())
  const isShort = (line: string) => line.length <= 80 && !/[.!?。！？:：,、;]$/u.test(line)
  if (rest.length < 2 || !/[:：]$/u.test(lead) || !rest.every(isShort)) return [{ kind: "text", text: source }]
  const entries = rest.map((text) => ({ text, more: "", below: [], number: null, step: false, done: false }))
  return [
    { kind: "text", text: lead },
    { kind: "list", text: rest.join("\n"), entries }
  ]
}

const entryOf = (text: string, item: Item): Entry => {
  const [first, ...rest] = item.children
  const marker = /^(?:[-*+]|(\d{1,9})[.)])/u.exec(sourceOf(text, item))
  const own = first?.type === "paragraph" ? sourceOf(text, first) : ""
  const start = own === "" ? first?.position?.start : rest[0]?.position?.start
  const box = /^\[([ xX])\]\s+/u.exec(own)
  const below = item.children.flatMap((child) => (child.type === "list" ? child.children : []))
  return {
    text: own
      .slice(box?.[0].length ?? 0)
      .replace(stepMark, "")
      .replaceAll(/\n\s*/gu, "\n"),
    more: start === undefined ? "" : indentedFrom(text, start, item.position?.end.offset ?? 0),
    below: below.map((child) => (child.children[0] === undefined ? "" : sourceOf(text, child.children[0]))),
    number: marker?.[1] === undefined ? null : Number(marker[1]),
    step: stepMark.test(own),
    done: box !== null && box[1] !== " "
  }
}

/** What stands below a point, moved to the left. */
const indentedFrom = (
  text: string,
  { column, offset }: { readonly column: number; readonly offset?: number | undefined },
  end: number
): string =>
  text
    .slice(offset ?? 0, end)
    .replaceAll(new RegExp(`^[ \\t]{0,${Math.min(column - 1, 1_000)}}`, "gmu"), "")
    .trimEnd()

/** Put in by `asMarkdown` in the place of `Step`: it stands in no text of a user. */
const stepMark = /^\uE010/u

const fence = /^\s*(?:```+|~~~+)/u
const bullet = /^(\s*)[・•‣●○◦▪]\s*/u
const step = /^(\s*)(?:step|phase|手順|ステップ)\s*[#＃]?\s*([0-9０-９]{1,2})\s*[:：.．)）、–—-]\s*/iu
const counted =
  /^(\s*)(?:[(（]([0-9０-９]{1,2})[)）]|([０-９]{1,2})[.．)）、]|([0-9]{1,2})[．）、]|([0-9]{1,2})[.)](?=\P{ASCII})|([①-⑳]))\s*/u
const lettered = /^(\s*)[(（]?([a-z]|i{1,3}|iv)[)）]\s+(?=\S)/u
const anyMark = /^\s*(?:[-*+]|\d{1,9}[.)])\s/u

/** Marks of lists that people write and Markdown does not know, as Markdown has them. */
const asMarkdown = (text: string): string => {
  let fenced = false
  let listed = false
  let letters = 0
  return text
    .split("\n")
    .map((line, at, lines) => {
      if (fence.test(line)) fenced = !fenced
      if (fenced || fence.test(line)) return line
      if (isUnderlined(lines, at)) return `${lines[at + 1]?.startsWith("=") ? "#" : "##"} ${line}`
      if (isUnderlined(lines, at - 1)) return ""
      letters = lettered.test(line) ? letters + 1 : line.trim() === "" ? letters : 0
      if (otherHeading.test(line.trim())) return `\n${line}\n`
      const marked = withMark(line, letters)
      // the words after a list are no words of its last point, unless they go on in the middle of a sentence
      const isAfter = listed && marked.trim() !== "" && !anyMark.test(marked) && /^[\p{Lu}\p{Lo}]/u.test(marked)
      listed = anyMark.test(marked) || (listed && marked.trim() !== "" && !isAfter)
      return isAfter ? `\n${marked}` : marked
    })
    .join("\n")
}

/** Deeper than anybody writes it takes long to read. */
const tooDeep = /^(\s*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|>[ \t]*){8})(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|>[ \t]*)+/u

/** A heading that is underlined: `Title` above `=====`. */
const isUnderlined = (lines: ReadonlyArray<string>, at: number): boolean =>
  /^(?:=+|-{2,})\s*$/u.test(lines[at + 1] ?? "") &&
  /^(?![-*+>#=|]|\d+[.)])\S/u.test(lines[at] ?? "") &&
  (lines[at - 1] ?? "").trim() === ""

const withMark = (line: string, letter: number): string => {
  const shown = line.replace(tooDeep, "$1").replace(/^[\u3000\t ]+/u, (blanks) => blanks.replaceAll("\u3000", "  "))
  const found = step.exec(shown)
  if (found !== null) return `${found[1]}${digits(found[2])}. \uE010${shown.slice(found[0].length)}`
  const [whole, blank = "", ...numbers] = counted.exec(shown) ?? []
  // a line with the next mark as well is running text: `(1) … (2) …`
  if (whole !== undefined && !/[\s、,;][(（]?(?:2[)）]|２|②)/u.test(shown.slice(whole.length, 400)))
    return `${blank}${digits(numbers.find((number) => number !== undefined))}. ${shown.slice(whole.length)}`
  if (lettered.test(shown) && !/\s[(（]?(?:b|ii)[)）]\s/u.test(shown.slice(0, 400)))
    return shown.replace(lettered, (_, before: string) => `${before}${letter}. `)
  return shown.replace(bullet, "$1- ")
}

const digits = (number = "1"): number =>
  /[①-⑳]/u.test(number) ? number.charCodeAt(0) - 0x245f : Number(number.normalize("NFKC"))
