import type { Language } from "../../../text/languages.ts"
import { lineStarts, rowAt } from "../../../text/lines.ts"
import type { Scanned } from "../../../text/scan.ts"
import { dialectOf } from "./dialects.ts"

/** A statement of a text that no grammar reads, with the block it heads, if any. Lines count from 0. */
export interface Outline {
  /** Its head, strings hidden. */
  readonly code: string
  /** The same with strings. */
  readonly text: string
  readonly first: number
  /** Last line of the head. */
  readonly headLast: number
  readonly last: number
  /** What its block holds; null: it has no block. */
  readonly body: ReadonlyArray<Outline> | null
}

/** Deeper blocks are skipped as one; no program that people read goes there. */
const maxDepth = 100

export const outline = (scanned: Scanned, language: Language): ReadonlyArray<Outline> => {
  if (language.layout !== "braces") return outlineIndent(scanned, language)
  const code = language.wordBraces === true ? withoutWordBraces(scanned.code) : scanned.code
  return new BraceReader({ ...scanned, code }, language).items(0)
}

/** Braces that open and close on one line are parentheses, the innermost first, as far down as people write them. */
const withoutWordBraces = (code: string): string => {
  let text = code
  for (let depth = 0; depth < 8; depth++) {
    const next = text.replace(/\{([^{}\n]*)\}/g, (braces, inside: string, at: number) =>
      isBodyOnLine(text, at, at + braces.length) ? braces : `(${inside})`
    )
    if (next === text) break
    text = next
  }
  return text
}

/** `proc f {} { body }`: the last braces of its line. */
const isBodyOnLine = (code: string, from: number, to: number): boolean =>
  /^[ \t]*(?:\n|$)/.test(code.slice(to, to + 80)) &&
  /^\s*(?:proc|method|constructor|destructor)\s/.test(code.slice(code.lastIndexOf("\n", from) + 1, from)) &&
  /[)}]\s*$/.test(code.slice(0, from))

/** Position after the bracket that closes the one at `open`; the end when there is none. */
export const closing = (code: string, open: number): number => {
  let depth = 0
  for (let at = open; at < code.length; at++) {
    depth += turnOf(code.charAt(at))
    if (depth === 0) return at + 1
  }
  return code.length
}

const turnOf = (char: string): number =>
  char === "(" || char === "[" || char === "{" ? 1 : char === ")" || char === "]" || char === "}" ? -1 : 0

// --- braces -----------------------------------------------------------------------------------------------------

/** Reads statements and blocks from `at` on. Blocks inside of brackets belong to their statement. */
class BraceReader {
  readonly code: string
  readonly text: string
  readonly language: Language
  readonly lineOf: (position: number) => number
  at = 0

  constructor({ code, text }: Scanned, language: Language) {
    this.code = code
    this.text = text
    this.language = language
    const starts = lineStarts(code)
    this.lineOf = (position) => rowAt(starts, position)
  }

  items(depth: number): ReadonlyArray<Outline> {
    const found: Array<Outline> = []
    while (this.at < this.code.length) {
      const char = this.code.charAt(this.at)
      if (char === "}" && depth > 0) return found
      if (char === "}" || /\s/.test(char)) this.at++
      else found.push(this.next(depth))
    }
    return found
  }

  next(depth: number): Outline {
    const { code } = this
    const start = this.at
    let brackets = 0
    /** The last character that is no blank. */
    let inked = start
    for (; this.at < code.length; this.at++) {
      const { at } = this
      const char = code.charAt(at)
      if (char === "{" && (brackets > 0 || depth >= maxDepth)) this.at = closing(code, at) - 1
      else if (char === "{") return this.make(start, at, this.block(depth))
      else if (char === "}") break
      else if (char === "(" || char === "[") brackets++
      else if (char === ")" || char === "]") brackets = Math.max(0, brackets - 1)
      else if (brackets === 0 && (char === ";" || (char === "\n" && this.endsAt(at, code.slice(start, inked + 1))))) {
        this.at++
        break
      }
      if (!/\s/.test(char)) inked = this.at
    }
    return this.make(start, this.at, null)
  }

  block(depth: number): ReadonlyArray<Outline> {
    this.at++
    const body = this.items(depth + 1)
    this.at++
    return body
  }

  make(start: number, headEnd: number, body: ReadonlyArray<Outline> | null): Outline {
    const { lineOf } = this
    const code = this.code.slice(start, headEnd)
    const from = start + code.length - code.trimStart().length
    const length = code.trim().length
    return {
      code: code.trim(),
      text: this.text.slice(from, from + length),
      first: lineOf(from),
      headLast: lineOf(body === null ? Math.max(from, from + length - 1) : headEnd),
      last: lineOf(Math.max(from, this.at - 1)),
      body
    }
  }

  /** Whether a statement ends with its line. */
  endsAt(at: number, head: string): boolean {
    if (this.language.semicolons) return /^[#@]/.test(head) && !head.endsWith("\\")
    if (head.length > maxStatement) return true
    const following = this.code.slice(at, at + 400).trimStart()
    return (
      !/(?:[=,.\\:(]|&&|\|\||[=-]>|\s[+\-*/%<>?&|])$/.test(head.slice(-20)) && !/^(?:[{.?]|&&|\|\|)/.test(following)
    )
  }
}

/** Characters after which a statement is no longer searched for a continuation. */
const maxStatement = 20_000

// --- indentation ------------------------------------------------------------------------------------------------

interface Logical {
  readonly code: string
  readonly text: string
  readonly indent: number
  readonly first: number
  readonly last: number
}

/** Physical lines that brackets, strings or backslashes may join to one. */
const maxJoined = 500

/** Brackets that nobody closes up to which they are believed to join lines. */
const maxUnclosed = 200

const logicalLines = ({ code, continued, text }: Scanned): ReadonlyArray<Logical> => {
  const codes = code.split("\n")
  const texts = text.split("\n")
  const depths = codes.map((line) => [...line].reduce((depth, char) => depth + turnOf(char), 0))
  const found: Array<Logical> = []
  let unclosed = 0
  for (let first = 0; first < codes.length; first++) {
    const start = codes[first] ?? ""
    if (start.trim() === "") continue
    let last = first
    let depth = unclosed < maxUnclosed ? (depths[first] ?? 0) : 0
    while (
      last + 1 < codes.length &&
      last - first < maxJoined &&
      (depth > 0 || /\\\s*$/.test(codes[last] ?? "") || continued.has(last + 1))
    )
      depth += depths[++last] ?? 0
    // a bracket that nobody closes joins nothing
    if (depth > 0) {
      unclosed++
      last = first
      while (continued.has(last + 1)) last++
    }
    const joined = (lines: ReadonlyArray<string>) =>
      lines
        .slice(first, last + 1)
        .join("\n")
        .trim()
    found.push({ code: joined(codes), text: joined(texts), indent: indentOf(start), first, last })
    first = last
  }
  return found
}

/** Columns before the first character of a line; a tab ends at a multiple of 8. */
export const indentOf = (line: string): number => {
  let width = 0
  for (const char of line) {
    if (char === "\t") width += 8 - (width % 8)
    else if (char === " ") width++
    else if (char !== "\ufeff") break
  }
  return width
}

const outlineIndent = (scanned: Scanned, language: Language): ReadonlyArray<Outline> => {
  const lines = logicalLines(scanned)
  let at = 0

  const siblings = (indent: number, depth: number): ReadonlyArray<Outline> => {
    const found: Array<Outline> = []
    for (let line = lines[at]; line !== undefined && line.indent >= indent; line = lines[at]) {
      at++
      const deeper = lines[at]
      const isHead = depth < maxDepth && deeper !== undefined && deeper.indent > line.indent
      const isClosed = deeper !== undefined && deeper.indent === line.indent && /^end\b/i.test(deeper.code)
      found.push(headed(line, isHead ? siblings(deeper.indent, depth + 1) : isClosed ? [] : null, language))
    }
    return found
  }

  return siblings(0, 0)
}

/** A line with what is indented below it, if it is a head, and what stands on it behind the head. */
const headed = (line: Logical, below: ReadonlyArray<Outline> | null, language: Language): Outline => {
  const { code, first, last, text } = line
  const end = below?.at(-1)?.last ?? last
  const piece = (from: number, to: number) => ({ code: code.slice(from, to).trim(), text: text.slice(from, to).trim() })
  const inline = code.length > maxStatement ? null : inlineBody(code, language)
  const whole = { ...piece(0, code.length), first, headLast: last, last: end }
  if (inline === null) return { ...whole, body: below }
  const [from, to] = inline
  const inside = piece(from, to)
  const own = inside.code === "" ? [] : [{ ...inside, first, headLast: last, last, body: null }]
  return { ...whole, ...piece(0, from), body: [...own, ...(below ?? [])] }
}

/** Where a body stands on the line of its head: `def f(x), do: nil`, `f x = error "…"`, `function f() end`, `def f(): pass`. */
const inlineBody = (code: string, language: Language): readonly [from: number, to: number] | null => {
  const found = (dialectOf(language).inline ?? otherHead).exec(code)?.[0]
  if (found === undefined) return null
  const closed = /[\s)]end$/.exec(code)
  return [found.length, closed === null || closed.index < found.length - 1 ? code.length : closed.index + 1]
}

const otherHead = /^(?:async\s+)?def\s+\w+\s*\([^()]*\)[^:\n=]*:/
