import { type Span, trim } from "./text.ts"

/** One point of a list, with the points below it. */
export interface Entry {
  /** Its own words, without the mark and without the points below. */
  readonly text: Span
  /** Number that the user gave it; null: none. */
  readonly number: number | null
  /** It calls itself a step. */
  readonly step: boolean
  /** Ticked off already. */
  readonly done: boolean
  readonly children: ReadonlyArray<Entry>
}

/** A part of the prompt as it is laid out. What is code, log, table, comment or quotation is no block at all. */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly text: Span }
  | { readonly kind: "text"; readonly text: Span }
  | { readonly kind: "list"; readonly entries: ReadonlyArray<Entry> }

interface Line extends Span {
  readonly text: string
}

const linesOf = (text: string): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  for (let start = 0; start <= text.length; ) {
    const found = text.indexOf("\n", start)
    const end = found === -1 ? text.length : found
    lines.push({ start, end, text: text.slice(start, end).replace(/\r$/, "") })
    start = end + 1
  }
  return lines
}

const fence = /^\s*(`{3,}|~{3,})/
const heading = /^\s{0,3}(#{1,6})\s+(\S.*)$/
const boldHeading = /^\s*(?:\*\*|__)([^*_]{1,80})(?:\*\*|__)\s*[:：]?\s*$/u
const bracketHeading = /^\s*(?:【([^】]{1,80})】|■\s*(\S.{0,80}))\s*$/u
const underline = /^\s{0,3}(?:=+|-{3,})\s*$/
const steps = "step|task|part|phase|feature|item|手順|ステップ|タスク|作業|機能"
const marker = new RegExp(
  `^([ \\t　]*)(?:([-*+•‣◦▪●○□◆▶]|–)\\s+|[・※]\\s*(?=\\S)|(\\d{1,4})[.)](?=\\s)|(\\d{1,3})[．）、](?=\\s*\\S)|[(（](\\d{1,3})[)）]\\s*|([①-⑳])\\s*|[(（]?([a-z])[)）]\\s+|(${steps})\\s*([0-9０-９]{1,3})\\s*[:：.)、–-]\\s*|(?=\\[[ xX]\\]\\s))`,
  "iu"
)
const box = /^\[([ xX✓])\]\s+/u
const noise =
  /^\s*(?:\|.*\||>.*|at\s+\S+\s*\(.*\)|at\s+\S+:\d+.*|File ".*|Traceback \(.*|Caused by:.*|[\w.]*(?:Error|Exception)\b:.*|npm (?:ERR!|WARN).*|[$%]\s+\S.*|>>>.*|diff --git .*|@@ .*|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*|\[?\d\d:\d\d:\d\d.*|\[(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL|TRACE)\].*|(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL|TRACE)[:\s].*|[+]{3} .*|-{3} .*|[-=_*]{3,}\s*)$/

interface Found {
  readonly indent: number
  readonly entry: Omit<Entry, "children" | "text">
  readonly start: number
}

const indentOf = (blank: string): number => [...blank].reduce((sum, unit) => sum + (unit === "\t" ? 4 : 1), 0)

const markOf = (line: Line): Found | null => {
  const found = marker.exec(line.text.slice(0, 200))
  if (found === null) return null
  const [whole, blank = "", , dot, wide, round, circled, letter, step, count] = found
  if (goesOn(line.text, whole.trim())) return null
  const number =
    circled !== undefined
      ? circled.charCodeAt(0) - 0x245f
      : letter !== undefined
        ? letter.toLowerCase().charCodeAt(0) - 96
        : Number.parseInt((dot ?? wide ?? round ?? count ?? "").normalize("NFKC"), 10)
  const ticked = box.exec(line.text.slice(whole.length).trimStart())
  const blankAfter = line.text.slice(whole.length).length - line.text.slice(whole.length).trimStart().length
  return {
    indent: indentOf(blank),
    start: line.start + whole.length + blankAfter + (ticked?.[0].length ?? 0),
    entry: {
      number: Number.isNaN(number) ? null : number,
      step: step !== undefined && /^(?:step|phase|手順|ステップ)$/i.test(step),
      done: ticked !== null && ticked[1] !== " "
    }
  }
}

/** A line that holds the second mark as well is running text: `(a) … (b) …`. */
const goesOn = (line: string, marker: string): boolean => {
  const next = marker.replace(/[1１①aA]/u, (one) => String.fromCharCode(one.charCodeAt(0) + 1))
  if (next === marker || !/^[(（]?(?:[1１][)）.．]|[aA][)）]|①)$/u.test(marker)) return false
  const at = line.slice(0, 2_000).indexOf(next, marker.length)
  return at > 0 && /[\s,;、。]/u.test(line[at - 1] ?? "")
}

interface Growing extends Omit<Entry, "children" | "text"> {
  readonly indent: number
  readonly start: number
  end: number
  /** Its own words go on: no point below it began, no blank line came. */
  open: boolean
  readonly children: Array<Growing>
}

/** A prompt as far as it is read. */
interface Layout {
  readonly text: string
  readonly blocks: Array<Block>
  /** The paragraph that goes on. */
  prose: Span | null
  /** The list that goes on, and the point that goes on with those it is below, the outermost first. */
  roots: Array<Growing>
  path: Array<Growing>
  blankBefore: boolean
}

/** The layout of a prompt. Takes time in proportion to its length. */
export const blocksOf = (text: string): ReadonlyArray<Block> => {
  const lines = linesOf(text)
  const layout: Layout = { text, blocks: [], prose: null, roots: [], path: [], blankBefore: true }
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as Line
    const closing = skipped(lines, at)
    if (closing !== null) {
      interrupt(layout)
      at = closing
      continue
    }
    if (line.text.trim() === "") {
      interrupt(layout)
      layout.blankBefore = true
      continue
    }
    const title = headingOf(line, lines[at + 1], layout.prose === null)
    if (title !== null) {
      endProse(layout)
      endList(layout)
      layout.blocks.push({ kind: "heading", level: title.level, text: trim(text, title.span) })
      if (title.two) at++
      layout.blankBefore = true
      continue
    }
    const found = markOf(line)
    if (found !== null) addPoint(layout, found, line)
    else if (noise.test(line.text.slice(0, 400))) interrupt(layout)
    else addWords(layout, line)
    layout.blankBefore = false
  }
  endProse(layout)
  endList(layout)
  return layout.blocks
}

const endProse = (layout: Layout): void => {
  if (layout.prose !== null) layout.blocks.push(...loose(layout.text, trim(layout.text, layout.prose)))
  layout.prose = null
}

const endList = (layout: Layout): void => {
  const { blocks, roots, text } = layout
  if (roots.length > 0) blocks.push({ kind: "list", entries: roots.map((root) => grown(text, root)) })
  layout.roots = []
  layout.path = []
}

/** Nothing that was said so far goes on with the next line. */
const interrupt = (layout: Layout): void => {
  endProse(layout)
  for (const entry of layout.path) entry.open = false
}

const addPoint = (layout: Layout, found: Found, { end }: Line): void => {
  endProse(layout)
  const { indent, start } = found
  while ((layout.path.at(-1)?.indent ?? -1) >= indent) layout.path.pop()
  const entry: Growing = { ...found.entry, indent, start, end, open: true, children: [] }
  const parent = layout.path.at(-1)
  if (parent !== undefined) {
    parent.open = false
    parent.children.push(entry)
  } else {
    if (separate(layout.roots.at(-1), entry)) endList(layout)
    layout.roots.push(entry)
  }
  layout.path.push(entry)
}

/** A line of words: it goes on with a point, stands below one, or is prose. */
const addWords = (layout: Layout, line: Line): void => {
  const { blankBefore, path, prose } = layout
  const inner = path.at(-1)
  const indent = indentOf(/^[ \t　]*/.exec(line.text)?.[0] ?? "")
  if (inner?.open === true && (indent > inner.indent || (!blankBefore && /^\s*[\p{Ll}(`]/u.test(line.text)))) {
    inner.end = line.end
    return
  }
  if (inner !== undefined && indent > (path[0]?.indent ?? 0) + 1) {
    below(path, indent, line)
    return
  }
  const isIndentedCode = blankBefore && indent >= 4 && path.length === 0
  if (isIndentedCode) return
  endList(layout)
  layout.prose = { start: prose?.start ?? line.start, end: line.end }
}

/** A numbering that begins again is another list. */
const separate = (last: Growing | undefined, entry: Growing): boolean =>
  last !== undefined && last.number !== null && last.number > 1 && entry.number === 1

/** A paragraph within a point counts as a point below it. */
const below = (path: Array<Growing>, indent: number, line: Line) => {
  while (path.length > 1 && (path.at(-1)?.indent ?? 0) >= indent) path.pop()
  const start = line.start + line.text.length - line.text.trimStart().length
  path
    .at(-1)
    ?.children.push({ indent, start, end: line.end, open: false, number: null, step: false, done: false, children: [] })
}

const grown = (text: string, { children, done, end, number, start, step }: Growing): Entry => ({
  text: trim(text, { start, end }),
  number,
  step,
  done,
  children: children.map((child) => grown(text, child))
})

/** The last line of what is no part of the task at this line: fenced code, a comment, front matter; null: nothing. */
const skipped = (lines: ReadonlyArray<Line>, at: number): number | null => {
  const line = lines[at]?.text ?? ""
  const opening = fence.exec(line)?.[1]
  if (opening !== undefined) {
    for (let end = at + 1; end < lines.length; end++)
      if ((lines[end]?.text ?? "").trim().startsWith(opening) && /^[`~]+$/.test((lines[end]?.text ?? "").trim()))
        return end
    return lines.length - 1
  }
  if (line.trimStart().startsWith("<!--")) {
    for (let end = at; end < lines.length; end++) if ((lines[end]?.text ?? "").includes("-->")) return end
    return lines.length - 1
  }
  return null
}

const headingOf = (
  line: Line,
  following: Line | undefined,
  first: boolean
): { readonly level: number; readonly span: Span; readonly two: boolean } | null => {
  if (line.text.length > 300) return null
  const hashes = heading.exec(line.text)
  if (hashes !== null) {
    const [, marks = "", words = ""] = hashes
    const start = line.start + line.text.indexOf(words, marks.length)
    return { level: marks.length, span: { start, end: start + words.replace(/\s+#+\s*$/, "").length }, two: false }
  }
  const other = boldHeading.exec(line.text)?.[1] ?? bracketHeading.exec(line.text)?.slice(1).find(Boolean)
  if (other !== undefined) {
    const start = line.start + line.text.indexOf(other)
    return { level: 7, span: { start, end: start + other.length }, two: false }
  }
  return first && following !== undefined && underline.test(following.text) && markOf(line) === null
    ? { level: following.text.includes("=") ? 1 : 2, span: line, two: true }
    : null
}

/** Short lines below a line that ends with a colon are a list without marks. */
const loose = (text: string, span: Span): ReadonlyArray<Block> => {
  const [lead, ...rest] = linesOf(text.slice(span.start, span.end)).filter((line) => line.text.trim() !== "")
  const short = (line: Line) => line.text.length <= 80 && !/[.!?。！？:：,、;]\s*$/u.test(line.text)
  if (lead === undefined || rest.length < 2 || !/[:：]\s*$/u.test(lead.text) || !rest.every(short))
    return [{ kind: "text", text: span }]
  return [
    { kind: "text", text: trim(text, { start: span.start + lead.start, end: span.start + lead.end }) },
    {
      kind: "list",
      entries: rest.map((line) => ({
        text: trim(text, { start: span.start + line.start, end: span.start + line.end }),
        number: null,
        step: false,
        done: false,
        children: []
      }))
    }
  ]
}

const circled = /[①-⑳]/gu
const roman = /(?<![\p{L}\p{N}])\((i{1,3}|iv|vi{0,3}|ix|x)\)(?=\s*\S)/gu
const romans = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"]
const bracketed = /(?<![\p{L}\p{N}])[(（](\d{1,2}|[a-z])[)）](?=\s*\S)/gu
const half = /(?<=^|[\s:：;,、。])(\d{1,2}|[a-z])[)）](?=\s*\S)/gu
const dotted = /(?<=^|[\s:：;,、。])(\d{1,2})\.(?=\s+\S)/gu

/** A list within running text: `(1) … (2) …`, `a) … b) …`, `①…②…`. The words before it are left to the caller. */
export const inlineList = (text: string, masked: string, span: Span): ReadonlyArray<Entry> => {
  const shown = text.slice(span.start, span.end)
  for (const pattern of [circled, roman, bracketed, half, dotted]) {
    let expected = 1
    const markers: Array<Span> = []
    for (const found of shown.matchAll(pattern)) {
      const label = found[1]
      const number =
        label === undefined
          ? found[0].charCodeAt(0) - 0x245f
          : pattern === roman
            ? romans.indexOf(label) + 1
            : /\d/.test(label)
              ? Number(label)
              : label.charCodeAt(0) - 96
      const within = masked[span.start + found.index] ?? ""
      if (number !== expected || (pattern !== bracketed && pattern !== roman && /[\uE000-\uE002]/u.test(within)))
        continue
      markers.push({ start: span.start + found.index, end: span.start + found.index + found[0].length })
      expected++
    }
    if (markers.length < 2) continue
    return markers.map((marker, i) => {
      const end = markers[i + 1]?.start ?? ended(masked, marker.end, span.end)
      const entry = trim(text, { start: marker.end, end })
      const joint = /(?:[\s,;、；]|(?<=[\s,;])(?:and|then|および|及び|と))+$/iu.exec(
        text.slice(entry.start, entry.end).slice(-40)
      )
      return {
        text: { start: entry.start, end: entry.end - (joint?.[0].length ?? 0) },
        number: i + 1,
        step: false,
        done: false,
        children: []
      }
    })
  }
  return []
}

/** Where the sentence of the last point ends. */
const ended = (masked: string, from: number, end: number): number => {
  for (let at = from; at < end; at++) {
    if ("。！？\n".includes(masked[at] ?? "")) return at
    if (".!?".includes(masked[at] ?? "") && /\s/.test(masked[at + 1] ?? " ")) return at
  }
  return end
}
