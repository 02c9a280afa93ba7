import { fileSpans, filesIn } from "@proofline/kernel"

export { filesIn }

/** A stretch of the prompt, in UTF-16 units, the end excluded. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Stands for every unit of text that means itself: code, quotations, addresses. */
const quoted = "\uE000"
/** The same for the name of a file. */
const named = "\uE001"
/** The same for what stands in brackets. */
const aside = "\uE002"

/** What a masked word stands for. */
export const isAside = (word: string): boolean => word.startsWith(aside)
export const isFileName = (word: string): boolean => word.startsWith(named)
export const isLiteral = (word: string): boolean => word.startsWith(quoted) || word.startsWith(named)

const address = /(?:https?|ftp|file):\/\/[^\s<>"'`、。）」』]+|www\.[^\s<>"'`、。）」』]+/gu

const closers: Readonly<Record<string, string>> = { "「": "」", "『": "』", "“": "”", "«": "»", '"': '"', "‘": "’" }
const longest = 400

/**
 * The prompt with everything that means itself made unreadable, unit for unit: code, quotations, addresses, file names
 * and what stands in brackets. Words and commas in there never decide anything.
 */
export const mask = (text: string): string => {
  const units = text.split("")
  const fill = (start: number, end: number, unit: string) => {
    for (let at = start; at < end; at++) if (units[at] !== "\n") units[at] = unit
  }
  for (const span of quotations(text)) fill(span.start, span.end, wholeFile(text.slice(span.start + 1, span.end - 1)))
  let shown = units.join("")
  for (const found of shown.matchAll(address)) fill(found.index, found.index + trimmed(found[0]), quoted)
  shown = units.join("")
  for (const { end, start } of fileSpans(shown)) fill(start, end, named)
  shown = units.join("")
  for (const { end, start } of brackets(shown))
    fill(start, end, shown[start] === "(" && /[\w\uE000]/u.test(shown[start - 1] ?? " ") ? quoted : aside)
  return units.join("")
}

const wholeFile = (content: string): string => (filesIn(content)[0] === content ? named : quoted)

const trimmed = (found: string): number => found.replace(/[.,;:!?)\]}>]+$/u, "").length

/** Code between backticks and quotations. Where something closes is looked up once, so that it takes linear time. */
const quotations = (text: string): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  const known = new Map<string, number>()
  const next = (closer: string, from: number): number => {
    const before = known.get(closer)
    if (before !== undefined && (before === -1 || before >= from)) return before
    const found = text.indexOf(closer, from)
    known.set(closer, found)
    return found
  }
  for (let at = 0; at < text.length; at++) {
    const unit = text[at] ?? ""
    if (unit === "'" && (/[\p{L}\p{N}]/u.test(text[at - 1] ?? " ") || /\s/.test(text[at + 1] ?? " "))) continue
    const closer = unit === "`" || unit === "'" ? unit : closers[unit]
    if (closer === undefined) continue
    const end = next(closer, at + 1)
    if (end === -1 || end - at > longest || (unit === "'" && /[\p{L}\p{N}]/u.test(text[end + 1] ?? " "))) continue
    if (/\n\s*\n/.test(text.slice(at, end))) continue
    spans.push({ start: at, end: end + 1 })
    at = end
  }
  return spans
}

/** Outermost pairs of round brackets. */
const brackets = (text: string): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  const open: Array<number> = []
  for (let at = 0; at < text.length; at++) {
    const unit = text[at]
    if (unit === "(" || unit === "（") open.push(at)
    else if (unit === ")" || unit === "）") {
      const start = open.pop()
      if (start === undefined || at - start > longest) continue
      while ((spans.at(-1)?.start ?? -1) > start) spans.pop()
      spans.push({ start, end: at + 1 })
    }
  }
  return spans
}

/** One word or one mark of punctuation of the masked text, in lower case. */
export interface Token extends Span {
  readonly word: string
}

const mark = /[,;:.!?…]+$/u

/** The words of a stretch; punctuation at the end of a word stands by itself. */
export const tokensOf = (masked: string, { end, start }: Span): ReadonlyArray<Token> => {
  const tokens: Array<Token> = []
  for (const { 0: found, index } of masked.slice(start, end).matchAll(/\S+/gu)) {
    const at = start + index
    const closing = mark.exec(found)?.[0].length ?? 0
    const size = found.length - closing
    if (size > 0) tokens.push({ word: plain(found.slice(0, size)), start: at, end: at + size })
    if (closing > 0) tokens.push({ word: found.slice(size), start: at + size, end: at + found.length })
  }
  return tokens
}

/** A word as it is compared. */
const plain = (word: string): string => {
  // methods of HTTP are no verbs
  if (/^(?:GET|PUT|POST|PATCH|DELETE|HEAD|OPTIONS)$/.test(word)) return word
  const low = word.toLowerCase()
  return /[’*_~]/u.test(low) ? low.replaceAll("’", "'").replaceAll(/^[*_~]+|[*_~]+$/gu, "") : low
}

const abbreviation = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|approx|no|cf|fig|incl|resp|al|mr|mrs|dr|st|\p{L})$|^\s*\d{1,3}$/iu

/** The sentences of a stretch, without the blanks around them. */
export const sentencesOf = (text: string, masked: string, { end, start }: Span): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  let from = start
  const cut = (to: number) => {
    const span = trim(text, { start: from, end: to })
    if (span.end > span.start) spans.push(span)
    from = to
  }
  for (let at = start; at < end; at++) {
    const unit = masked[at] ?? ""
    if ("。！？".includes(unit)) cut(at + 1)
    else if (
      ".!?".includes(unit) &&
      /\s/.test(masked[at + 1] ?? " ") &&
      !(unit === "." && abbreviation.test(masked.slice(Math.max(from, at - 12), at)))
    )
      cut(at + 1)
  }
  cut(end)
  return spans
}

/** A stretch without the blanks around it. */
export const trim = (text: string, { end, start }: Span): Span => {
  while (start < end && /\s/.test(text[start] ?? "")) start++
  while (end > start && /\s/.test(text[end - 1] ?? "")) end--
  return { start, end }
}

/** A text in one line. */
export const oneLine = (text: string): string =>
  (/\s\s|[^\S ]/u.test(text) ? text.replaceAll(/\s+/gu, " ") : text).trim()

/** Whether it is written in Japanese. */
export const isJapanese = (text: string): boolean =>
  /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(text)
