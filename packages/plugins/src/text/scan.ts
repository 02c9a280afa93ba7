import type { BlockComment, Language, LineComment, StringForm } from "./languages.ts"
import { hide, type Part } from "./parts.ts"

/**
 * A file without its comments. `code` and `text` have the length of the source, so that positions agree: comments are
 * blanks in both, and `code` also hides what is inside strings, so that a brace in it is a brace of the program.
 */
export interface Scanned {
  readonly code: string
  readonly text: string
  /** What comments say, by line from 0. */
  readonly comments: ReadonlyMap<number, string>
  /** Lines, from 0, that begin inside a string. */
  readonly continued: ReadonlySet<number>
}

export const scan = (source: string, language: Language): Scanned => {
  const parts = partsOf(source, language)
  const comments = new Map<number, string>()
  const continued = new Set<number>()
  let row = 0
  let done = 0
  for (const { from, kind, to } of parts) {
    row += linesIn(source.slice(done, from))
    const said = source.slice(from, to)
    if (kind === "comment")
      for (const [i, line] of said.split("\n").entries())
        comments.set(row + i, `${comments.get(row + i) ?? ""} ${line}`)
    const last = row + linesIn(said)
    if (kind === "string") for (let next = row + 1; next <= last; next++) continued.add(next)
    row = last
    done = to
  }
  return { ...hide(source, parts), comments, continued }
}

const linesIn = (text: string): number => {
  let count = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++
  return count
}

/** The comments and strings of a text, in order. */
export const partsOf = (source: string, language: Language): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  const starts = startsOf(language)
  const search: Search = { missing: new Set(), left: 16 * source.length + 100_000 }
  const heredocs: Heredocs = { next: null }
  /** Nothing but blanks so far on this line. */
  let leads = true
  for (let at = 0; at < source.length; ) {
    const comment = commentAt(source, at, leads, language, search)
    const string = comment ?? literalAt(source, at, language, search)
    const part = string ?? heredocAt(source, at, language, heredocs)
    const end = part?.to ?? nextStart(source, at + 1, starts)
    if (part !== null) parts.push(part)
    const read = source.slice(at, end)
    const line = read.lastIndexOf("\n")
    leads = (line !== -1 || leads) && (comment !== null || read.slice(line + 1).trim() === "")
    at = end
  }
  return parts
}

/** What is known of ends that were looked for and not found: text can be made so that every character begins something. */
interface Search {
  /** Ends of which there are none from here on. */
  readonly missing: Set<string>
  /** Characters that may still be looked at in vain; then nothing begins any more. */
  left: number
}

/** Finds the next character with which a comment or a string may begin. */
const startsOf = ({ blockComments, discard, heredoc, lineComments, regexLiterals, strings }: Language): RegExp => {
  const openings = [
    ...(discard === undefined ? [] : [discard]),
    ...blockComments.map(({ open }) => open),
    ...lineComments.map(({ open }) => open),
    ...strings.flatMap(({ open }) => (typeof open === "string" ? open : ['"', "'", "[", "$"])),
    ...(regexLiterals ? ["/"] : []),
    ...(heredoc === undefined ? [] : ["<", "\n"])
  ]
  const characters = new Set(openings.map((open) => open.charCodeAt(0).toString(16)))
  return new RegExp(characters.size === 0 ? "$" : `[${[...characters].map((code) => `\\u{${code}}`).join("")}]`, "gu")
}

const nextStart = (source: string, from: number, starts: RegExp): number => {
  starts.lastIndex = from
  return starts.exec(source)?.index ?? source.length
}

// --- comments -----------------------------------------------------------------------------------------------------

const commentAt = (source: string, at: number, leads: boolean, language: Language, search: Search): Part | null => {
  const block = language.blockComments.find(
    ({ isLeading, open }) => source.startsWith(open, at) && (leads || isLeading !== true)
  )
  const blockEnd = block === undefined ? null : endOfBlock(source, at, block, search)
  if (blockEnd !== null) return { kind: "comment", from: at, to: blockEnd }
  const discarded = discardedAt(source, at, language, search)
  if (discarded !== null) return { kind: "comment", from: at, to: discarded }
  if (!language.lineComments.some((line) => begins(source, at, leads, line))) return null
  const end = source.indexOf("\n", at)
  return { kind: "comment", from: at, to: end === -1 ? source.length : end }
}

/** Null: one that never ends is no comment. */
const endOfBlock = (
  source: string,
  at: number,
  { close, isNested = false, open, tail }: BlockComment,
  { missing }: Search
): number | null => {
  if (missing.has(close)) return null
  let depth = 1
  let from = at + open.length
  while (depth > 0) {
    const end = source.indexOf(close, from)
    if (end === -1) {
      // a comment that holds one which is not closed ends all the same
      if (depth === 1) missing.add(close)
      return depth === 1 ? null : from
    }
    const inner = isNested ? source.slice(from, end).split(open).length - 1 : 0
    depth += inner - 1
    from = end + close.length
  }
  if (tail === undefined) return from
  tail.lastIndex = from
  return tail.test(source) ? tail.lastIndex : null
}

/** Where a form ends that is taken out of the program, with what takes it out. */
const discardedAt = (source: string, at: number, language: Language, search: Search): number | null => {
  const { discard } = language
  if (discard === undefined || search.left <= 0 || !source.startsWith(discard, at)) return null
  let depth = 0
  for (let from = at + discard.length; from < source.length; from++) {
    const inner = source.startsWith(discard, from) ? null : commentAt(source, from, false, language, search)
    const part = inner ?? literalAt(source, from, language, search)
    search.left -= 1
    if (part !== null) {
      from = part.to - 1
      if (part.kind === "string" && depth === 0) return part.to
      continue
    }
    const char = source.charAt(from)
    if (/[([{]/.test(char)) depth++
    else if (/[)\]}]/.test(char) && --depth <= 0) return depth < 0 ? from : from + 1
    // a word by itself, up to what ends it
    else if (depth === 0 && /[^\s,#'`@^~]/.test(char))
      return from + (/^[^\s()[\]{}",;]+/.exec(source.slice(from, from + 200))?.[0].length ?? 1)
  }
  return source.length
}

const begins = (
  source: string,
  at: number,
  leads: boolean,
  { notBefore, notBehind, open, where }: LineComment
): boolean => {
  if (!source.startsWith(open, at)) return false
  if (notBefore !== undefined && source.startsWith(notBefore, at + open.length)) return false
  const before = source.charAt(at - 1)
  if (before !== "" && before === notBehind) return false
  return where === "anywhere" || leads || (where === "behind a blank" && /[\s;(]/.test(before))
}

// --- strings ------------------------------------------------------------------------------------------------------

const literalAt = (source: string, at: number, language: Language, search: Search): Part | null => {
  if (search.left <= 0) return null
  for (const form of language.strings) {
    const found = stringAt(source, at, form, search)
    if (found !== null) return found
  }
  return language.regexLiterals && source.charAt(at) === "/" ? regexAt(source, at, search) : null
}

const stringAt = (source: string, at: number, form: StringForm, search: Search): Part | null => {
  const { close, escaping = "", isLong = false, isTemplate = false, open } = form
  if (typeof open !== "string") return foundAt(source, at, open, close, search)
  if (!source.startsWith(open, at)) return null
  const from = at + open.length
  const { closed, end } = isTemplate ? endOfTemplate(source, from) : endOfString(source, from, open, escaping, isLong)
  // an apostrophe in prose or markup: not closed on its line, so no string
  if (!closed && !isLong) {
    search.left -= end - at
    return null
  }
  return { kind: "string", from: at, to: end, open: open.length, close: closed ? open.length : 0 }
}

const foundAt = (source: string, at: number, open: RegExp, close: StringForm["close"], search: Search): Part | null => {
  open.lastIndex = at
  const found = open.exec(source)
  if (found === null) return null
  if (close === null || close === undefined)
    return { kind: "string", from: at, to: at + found[0].length, open: 1, close: 1 }
  const sign = close(found)
  const end = search.missing.has(sign) ? -1 : source.indexOf(sign, at + found[0].length)
  if (end === -1) {
    search.missing.add(sign)
    return null
  }
  return { kind: "string", from: at, to: end + sign.length, open: 1, close: 1 }
}

/** The text of a heredoc, at the end of the line that announces it. */
const heredocAt = (source: string, at: number, { heredoc }: Language, heredocs: Heredocs): Part | null => {
  if (heredoc === undefined) return null
  if (source.charAt(at) !== "\n") {
    heredoc.lastIndex = at
    heredocs.next ??= heredoc.exec(source)?.[2] ?? null
    return null
  }
  if (heredocs.next === null) return null
  const end = new RegExp(`^[ \\t]*${heredocs.next}(?=[;,.)\\s]*$)`, "gm")
  heredocs.next = null
  end.lastIndex = at + 1
  const found = end.exec(source)
  return found === null ? null : { kind: "string", from: at, to: found.index + found[0].length, open: 0, close: 0 }
}

/** The name that ends the string which begins on the next line. */
interface Heredocs {
  next: string | null
}

interface End {
  /** After the closing quote, or where the search for it ended. */
  readonly end: number
  readonly closed: boolean
}

const endOfString = (source: string, from: number, quote: string, escaping: string, spansLines: boolean): End => {
  for (let at = from; at < source.length; at++) {
    if (source.charAt(at) === escaping) at++
    else if (source.startsWith(quote, at)) return { end: at + quote.length, closed: true }
    else if (source.charAt(at) === "\n" && !spansLines) return { end: at, closed: false }
  }
  return { end: source.length, closed: false }
}

const endOfTemplate = (source: string, from: number, nesting = 0): End => {
  let depth = 0
  for (let at = from; at < source.length; at++) {
    const char = source.charAt(at)
    if (char === "\\") at++
    else if (depth === 0 && char === "`") return { end: at + 1, closed: true }
    else if (char === "$" && source.charAt(at + 1) === "{") {
      depth++
      at++
    } else if (depth > 0 && char === "{") depth++
    else if (depth > 0 && char === "}") depth--
    else if (depth > 0 && char === "`" && nesting < 50) at = endOfTemplate(source, at + 1, nesting + 1).end - 1
  }
  return { end: source.length, closed: false }
}

/** A `/` begins a regular expression where a value is expected. */
const regexAt = (source: string, at: number, search: Search): Part | null => {
  const before = source.slice(Math.max(0, at - 40), at).trimEnd()
  if (!/(?:^|[(,=:[!&|?{};+\-*%~^<>\n]|\b(?:return|typeof|case|in|of|delete|void|throw|new|else|do))$/.test(before))
    return null
  // `</div>` and `/>` are markup
  if (before.endsWith("<") || source.charAt(at + 1) === ">") return null
  const found = /^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\//.exec(source.slice(at, at + longRegex))
  if (found === null) search.left -= longRegex
  return found === null ? null : { kind: "string", from: at, to: at + found[0].length, open: 1, close: 1 }
}

/** Characters up to which a regular expression is looked for its end. */
const longRegex = 1_000
