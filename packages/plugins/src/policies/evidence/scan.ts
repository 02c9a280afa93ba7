import type { Language } from "./languages.ts"

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

/** Stands for a character inside a string: no letter, no blank, no bracket. */
export const hidden = "\u0001"

export const scan = (source: string, language: Language): Scanned => {
  const code: Array<string> = []
  const text: Array<string> = []
  const comments = new Map<number, string>()
  const continued = new Set<number>()
  let line = 0
  /** Nothing but blanks so far on this line. */
  let leads = true

  const emit = (part: string, asCode: string, asText: string): void => {
    code.push(asCode)
    text.push(asText)
    const lines = part.split("\n")
    const last = lines.at(-1) ?? ""
    leads = (lines.length > 1 || leads) && last.trim() === ""
    line += lines.length - 1
  }

  const starts = startsOf(language)
  const search: Search = { missing: new Set(), left: 16 * source.length + 100_000 }
  let at = 0
  while (at < source.length) {
    const comment = endOfComment(source, at, leads, language, search)
    const literal = comment === null ? literalAt(source, at, language, search) : null
    const end = comment ?? literal?.end ?? nextStart(source, at + 1, starts)
    const part = source.slice(at, end)
    if (comment !== null) {
      const lines = part.split("\n")
      for (const [i, said] of lines.entries()) comments.set(line + i, `${comments.get(line + i) ?? ""} ${said}`)
      const blanks = part.replace(/[^\n]/g, " ")
      const wasLeading: boolean = leads
      emit(part, blanks, blanks)
      leads = wasLeading || lines.length > 1
    } else if (literal !== null) {
      const first = line
      const open = literal.quote.length
      const close = literal.closed ? part.length - open : part.length
      emit(part, part.slice(0, open) + part.slice(open, close).replace(/[^\n]/g, hidden) + part.slice(close), part)
      for (let next = first + 1; next <= line; next++) continued.add(next)
    } else emit(part, part, part)
    at = end
  }
  return { code: code.join(""), text: text.join(""), comments, continued }
}

/** What is known of ends that were looked for and not found: text can be made so that every character begins something. */
interface Search {
  /** Ends of which there are none from here on. */
  readonly missing: Set<string>
  /** Characters that may still be looked at in vain; then nothing begins any more. */
  left: number
}

/** Finds the next character with which a comment or a string may begin. */
const startsOf = ({ blockComments, lineComments, longQuotes, quotes, ...language }: Language): RegExp => {
  const openings = [...blockComments.map(([open]) => open), ...lineComments, ...longQuotes, ...quotes]
  const characters = [...openings.map((open) => open.charAt(0)), ...(language.charLiterals ? ["'"] : []), "/"]
  return new RegExp(
    `[${[...new Set(characters)].map((char) => `\\u{${char.charCodeAt(0).toString(16)}}`).join("")}]`,
    "gu"
  )
}

const nextStart = (source: string, from: number, starts: RegExp): number => {
  starts.lastIndex = from
  return starts.exec(source)?.index ?? source.length
}

/** Where the comment that begins here ends; null: none begins here. */
const endOfComment = (
  source: string,
  at: number,
  leads: boolean,
  language: Language,
  { missing }: Search
): number | null => {
  const block = language.blockComments.find(
    ([open]) => source.startsWith(open, at) && (leads || !(language.commentsLead || /\w/.test(open)))
  )
  if (block !== undefined) {
    const [open, close] = block
    const end = missing.has(close) ? -1 : source.indexOf(close, at + open.length)
    // one that never ends is no comment
    if (end !== -1) return end + close.length
    missing.add(close)
  }
  const begins =
    (leads || !language.commentsLead) &&
    language.lineComments.some((open) => source.startsWith(open, at) && beginsComment(source, at, open, language))
  if (!begins) return null
  const end = source.indexOf("\n", at)
  return end === -1 ? source.length : end
}

/** Some languages give `#` other meanings too: `$#`, `#[attribute]`, `#{…}`. */
const beginsComment = (source: string, at: number, open: string, language: Language): boolean => {
  if (open !== "#") return true
  const before = source.charAt(at - 1)
  if (language.name === "php") return source.charAt(at + 1) !== "["
  if (language.name === "shell" || language.name === "hashes") return before === "" || /[\s;(]/.test(before)
  return language.name !== "perl" || before !== "$"
}

interface Literal {
  readonly quote: string
  /** After the closing quote. */
  readonly end: number
  readonly closed: boolean
}

const literalAt = (source: string, at: number, language: Language, search: Search): Literal | null => {
  if (search.left <= 0) return null
  const raw = rawStringAt(source, at, language, search)
  if (raw !== null) return raw
  const long = language.longQuotes.find((quote) => source.startsWith(quote, at))
  if (long === "`" && language.docStrings) return { quote: long, ...endOfTemplate(source, at + 1) }
  if (long !== undefined) {
    return { quote: long, ...endOfString(source, at + long.length, long, true) }
  }
  const char = source.charAt(at)
  if (language.charLiterals && char === "'") {
    const found = /^'(?:\\[^']{1,10}|\\'|[^'\\\n]{1,2})'/u.exec(source.slice(at, at + 14))
    return found === null ? null : { quote: "'", end: at + found[0].length, closed: true }
  }
  if (language.quotes.includes(char)) {
    // an apostrophe in prose or markup: not closed on its line, so no string
    const found = endOfString(source, at + 1, char, false)
    if (!found.closed) search.left -= found.end - at
    return found.closed ? { quote: char, ...found } : null
  }
  return language.regexLiterals && char === "/" ? regexAt(source, at, search) : null
}

/** Strings without escapes, recognised at their quote: `r#"…"#` of Rust, `R"x(…)x"` of C++, `@"…"` of C#. */
const rawStringAt = (source: string, at: number, language: Language, search: Search): Literal | null => {
  if (source.charAt(at) !== '"' || !["rust", "c", "csharp"].includes(language.name)) return null
  const before = source.slice(Math.max(0, at - 20), at)
  const opening =
    language.name === "rust"
      ? /\br(#*)$/.exec(before)
      : language.name === "csharp"
        ? /@\$?()$/.exec(before)
        : /\bR()$/.exec(before)
  if (opening === null) return null
  const delimiter = language.name === "c" ? (/^"([^\s()\\]{0,16})\(/.exec(source.slice(at, at + 20))?.[1] ?? null) : ""
  if (delimiter === null) return null
  const close = language.name === "c" ? `)${delimiter}"` : `"${opening[1]}`
  const found = source.indexOf(close, at + 1)
  if (found === -1) search.left -= source.length - at
  return found === -1 ? null : { quote: '"', end: found + close.length, closed: true }
}

interface End {
  /** After the closing quote, or where the search for it ended. */
  readonly end: number
  readonly closed: boolean
}

const endOfString = (source: string, from: number, quote: string, spansLines: boolean): End => {
  for (let at = from; at < source.length; at++) {
    if (source.charAt(at) === "\\") at++
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
const regexAt = (source: string, at: number, search: Search): Literal | null => {
  const before = source.slice(Math.max(0, at - 40), at).trimEnd()
  if (!/(?:^|[(,=:[!&|?{};+\-*%~^<>\n]|\b(?:return|typeof|case|in|of|delete|void|throw|new|else|do))$/.test(before))
    return null
  // `</div>` and `/>` are markup
  if (before.endsWith("<") || source.charAt(at + 1) === ">") return null
  const found = /^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\//.exec(source.slice(at, at + longRegex))
  if (found === null) search.left -= longRegex
  return found === null ? null : { quote: "/", end: at + found[0].length, closed: true }
}

/** Characters up to which a regular expression is looked for its end. */
const longRegex = 1_000
