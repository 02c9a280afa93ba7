/**
 * The text of a phase_contract.yml. The notation of a payload stands in it as people write it, without quotes:
 *
 *     expected_payload:
 *       tasks: list[{id, checklist: list[{item, status}]}]   # a comment
 *
 * YAML reads no such value because of its brackets and colons. So each is covered by as many harmless characters before
 * YAML sees it; what was covered is read from the file itself, and every offset stays what it is.
 */
import { maxBytes, normalised, readDocument, type Source } from "./document.ts"
import type { Node } from "./Node.ts"

/** A notation as it stands in the file. */
export interface Notation {
  readonly start: number
  /** The notation, from `start` on, with blanks in place of comments. */
  readonly text: string
}

export interface ContractText {
  readonly source: Source
  /** The file as written; all offsets are its. */
  readonly text: string
  /** By offset: the notations that stand without quotes. */
  readonly notations: ReadonlyMap<number, Notation>
}

/** Characters of one notation; what is longer is none. */
export const maxNotation = 4_000
/** Brackets that are looked into in vain before a file is taken for one of another kind. */
const maxAttempts = 1_000

/** Reads the text as YAML in which notations need no quotes. Never throws. */
export const readContractText = (content: string): ContractText => {
  const text = normalised(content)
  const found = text.length > maxBytes ? [] : withoutOverlap([...blockNotations(text), ...flowNotations(text)])
  const first = readDocument(covered(text, found))
  const starts = payloadStarts(first.root)
  const payloadNotations = found.filter(({ start }) => starts.has(start))
  // what only looks like a notation, as in a text about contracts, is left as it is
  const source = payloadNotations.length === found.length ? first : readDocument(covered(text, payloadNotations))
  return { source, text, notations: new Map(payloadNotations.map((notation) => [notation.start, notation])) }
}

const withoutOverlap = (found: ReadonlyArray<Notation>): ReadonlyArray<Notation> => {
  let end = -1
  return found
    .toSorted((a, b) => a.start - b.start)
    .filter(({ start, text }) => {
      if (start < end) return false
      end = start + text.length
      return true
    })
}

const covered = (text: string, notations: ReadonlyArray<Notation>): string => {
  const parts: Array<string> = []
  let from = 0
  for (const { start, text: notation } of notations) {
    const end = start + notation.length
    // line ends stay, for they part lines; so does what YAML allows nowhere, for it is to be told
    parts.push(text.slice(from, start), text.slice(start, end).replaceAll(/[!-~]/g, "_"))
    from = end
  }
  return parts.join("") + text.slice(from)
}

/** Offsets of all that stands below a key `expected_payload` of a phase. */
const payloadStarts = (root: Node | null): ReadonlySet<number> => {
  const starts = new Set<number>()
  // aliases make a graph of the nodes, in which lists of entries are shared
  const seen = new Set<unknown>()
  const collect = (node: Node): void => {
    starts.add(node.start)
    if (node.kind !== "mapping" || seen.has(node.entries)) return
    seen.add(node.entries)
    for (const { value } of node.entries) collect(value)
  }
  for (const phases of [root, valueAt(root, "phases")]) {
    for (const { value } of phases?.kind === "mapping" ? phases.entries : []) {
      const payload = valueAt(value, "expected_payload")
      if (payload !== null) collect(payload)
    }
  }
  return starts
}

const valueAt = (node: Node | null, key: string): Node | null =>
  node?.kind === "mapping" ? (node.entries.find((entry) => entry.key === key)?.value ?? null) : null

interface Line {
  readonly start: number
  /** Behind its last character, without the line break. */
  readonly end: number
  /** Where its first character that is no blank stands. */
  readonly first: number
}

const lineFrom = (text: string, start: number): Line & { readonly next: number } => {
  const at = text.indexOf("\n", start)
  const next = at === -1 ? text.length : at + 1
  const end = at === -1 ? text.length : text[at - 1] === "\r" && at > start ? at - 1 : at
  return { start, end, first: skip(text, start, end), next }
}

const isBlank = (character: string | undefined): boolean => character === " " || character === "\t"

const skip = (text: string, from: number, end: number): number => {
  let at = from
  while (at < end && isBlank(text[at])) at += 1
  return at
}

const wordEnd = (text: string, from: number, end: number): number => {
  let at = from
  while (at < end && !isBlank(text[at])) at += 1
  return at
}

/** Offset of the quote that closes the one at `start` in this line; undefined when there is none. */
const closingQuote = (text: string, start: number, end: number): number | undefined => {
  const quote = text[start]
  for (let at = start + 1; at < end; at += 1) {
    if (text[at] === quote) return at
    if (text[at] === "\\" && quote === '"') at += 1
  }
  return undefined
}

const isQuote = (character: string | undefined): boolean => character === '"' || character === "'"

/** Offset of the colon behind the key that begins a line. */
const colonOf = (text: string, { end, first }: Line): number | undefined => {
  const from = isQuote(text[first]) ? (closingQuote(text, first, end) ?? end) : first
  for (let at = from; at < end; at += 1) {
    if (text[at] === "#" && isBlank(text[at - 1])) return undefined
    if (text[at] === ":" && (at + 1 === end || isBlank(text[at + 1]))) return at
  }
  return undefined
}

const isComment = (text: string, at: number, end: number): boolean => at >= end || text[at] === "#"

/** The values in lines of `key: value` below a line `expected_payload:`. */
const blockNotations = (text: string): ReadonlyArray<Notation> => {
  const found: Array<Notation> = []
  /** Column of the key whose lines are being read; -1: of none. */
  let column = -1
  let line = lineFrom(text, 0)
  for (; line.start < text.length; line = lineFrom(text, line.next)) {
    const { end, first, start } = line
    if (isComment(text, first, end)) continue
    const indent = first - start
    if (indent <= column) column = -1
    const colon = colonOf(text, line)
    if (colon === undefined) continue
    const value = skip(text, colon + 1, end)
    if (column !== -1) {
      const notation = isComment(text, value, end) ? undefined : notationFrom(text, value, end, indent)
      if (notation === undefined) continue
      found.push(notation)
      const last = lineFrom(text, notation.start + notation.text.length)
      // of the last line the rest is a comment at most
      if (last.next > line.next) line = last
    } else if (/^(["']?)expected_payload\1\s*$/.test(text.slice(first, Math.min(colon, first + 40)))) {
      // an anchor may name the whole payload
      const rest = skip(text, text[value] === "&" ? wordEnd(text, value, end) : value, end)
      if (isComment(text, rest, end)) column = indent
    }
  }
  return found
}

/** What a value must not begin with that stands without quotes in YAML's own sense. */
const begins = /^[|>&*!]/

/** The notation that begins here; undefined when YAML's own rules are enough or needed to read it. */
const notationFrom = (text: string, start: number, lineEnd: number, indent: number): Notation | undefined => {
  if (begins.test(text[start] ?? "")) return undefined
  const { comments, end } = scan(text, start, lineEnd, indent) ?? {
    end: withoutComment(text, start, lineEnd),
    comments: []
  }
  return isQuote(text[start]) && closingQuote(text, start, end) === end - 1
    ? undefined
    : { start, text: blanked(text.slice(start, end), start, comments) }
}

interface Scanned {
  readonly end: number
  readonly comments: ReadonlyArray<readonly [number, number]>
}

/** Goes on, over lines that are indented deeper than the key, until every bracket is closed. */
const scan = (text: string, start: number, lineEnd: number, indent: number): Scanned | undefined => {
  const comments: Array<readonly [number, number]> = []
  let depth = 0
  let end = lineEnd
  for (let at = start; at < start + maxNotation; ) {
    const stop = scanLine(text, at, end, depth)
    depth = stop.depth
    if (depth <= 0) return { end: stop.last, comments }
    if (stop.comment !== undefined) comments.push([stop.comment, end])
    const next = lineFrom(text, end + (text[end] === "\r" ? 2 : 1))
    const goesOn = isComment(text, next.first, next.end) || next.first - next.start > indent
    if (next.start >= text.length || !goesOn) return undefined
    at = next.first
    end = next.end
  }
  return undefined
}

/** Brackets that are open at the end of a line, where its comment begins, and the end of what is none. */
const scanLine = (text: string, from: number, end: number, open: number) => {
  let depth = open
  let last = from
  for (let at = from; at < end; at += 1) {
    const character = text[at]
    if (character === "#" && (at === from || isBlank(text[at - 1]))) return { depth, comment: at, last }
    if (isQuote(character)) at = closingQuote(text, at, end) ?? at
    else if (character === "{" || character === "[") depth += 1
    else if (character === "}" || character === "]") depth -= 1
    if (!isBlank(character)) last = at + 1
  }
  return { depth, comment: undefined, last }
}

const withoutComment = (text: string, start: number, end: number): number => scanLine(text, start, end, 0).last

const blanked = (notation: string, start: number, comments: ReadonlyArray<readonly [number, number]>): string => {
  const parts: Array<string> = []
  let from = 0
  for (const [begin, end] of comments) {
    parts.push(notation.slice(from, begin - start), " ".repeat(end - begin))
    from = end - start
  }
  return parts.join("") + notation.slice(from)
}

const flowKey = /expected_payload["']?[ \t]*:\s*(?=\{)/g

/** The values in braces behind `expected_payload:`. */
const flowNotations = (text: string): ReadonlyArray<Notation> => {
  const found: Array<Notation> = []
  let attempts = 0
  for (const match of text.matchAll(flowKey)) {
    const values = flowValues(text, match.index + match[0].length)
    if (values !== undefined) found.push(...values)
    else if (++attempts > maxAttempts) break
  }
  return found
}

const endOfLine = (text: string, from: number): number => lineFrom(text, from).end

/** Offset behind blanks, line ends and comments. */
const skipAll = (text: string, from: number): number => {
  let at = from
  for (;;) {
    while (at < text.length && /\s/.test(text[at] ?? "")) at += 1
    if (text[at] !== "#") return at
    at = endOfLine(text, at)
  }
}

/** Offset of the first of these characters outside of brackets and quotes. */
const find = (text: string, from: number, wanted: string, limit: number): number | undefined => {
  let depth = 0
  for (let at = from; at < Math.min(limit, text.length); at += 1) {
    const character = text[at] ?? ""
    if (depth === 0 && wanted.includes(character)) return at
    if (isQuote(character)) at = closingQuote(text, at, Math.min(limit, text.length)) ?? at
    else if (character === "{" || character === "[") depth += 1
    else if (character === "}" || character === "]") depth -= 1
  }
  return undefined
}

/** The values of the mapping that opens here; undefined when it is not closed. */
const flowValues = (text: string, open: number): ReadonlyArray<Notation> | undefined => {
  const found: Array<Notation> = []
  const limit = open + maxNotation
  let at = open + 1
  while (at < limit) {
    at = skipAll(text, at)
    if (text[at] === "}") return found
    const stop = find(text, at, ":,}", limit)
    if (stop === undefined) return undefined
    at = text[stop] === "}" ? stop : stop + 1
    if (text[stop] !== ":") continue
    const start = skipAll(text, at)
    const next = find(text, start, ",}", limit)
    if (next === undefined) return undefined
    const value = text.slice(start, next).trimEnd()
    const isWhole = isQuote(value[0]) && closingQuote(value, 0, value.length) === value.length - 1
    // a comment in braces is YAML's to read
    if (value !== "" && !isWhole && !begins.test(value) && !/\s#/.test(value)) found.push({ start, text: value })
    at = next
  }
  return undefined
}
