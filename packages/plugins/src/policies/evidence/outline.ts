import type { Language } from "../../text/languages.ts"
import { lineStarts, rowAt } from "../../text/lines.ts"
import type { Scanned } from "../../text/scan.ts"

/** A statement with the block it heads, if any. Lines count from 0. */
export interface Outline {
  /** Its head, strings hidden, attributes and decorators included. */
  readonly code: string
  /** The same with strings. */
  readonly text: string
  readonly first: number
  /** Last line of the head. */
  readonly headLast: number
  readonly last: number
  /** What its block holds; null: it has no block. */
  readonly body: ReadonlyArray<Outline> | null
  /** Blocks inside its parentheses: callbacks and literals. */
  readonly inner: ReadonlyArray<Outline>
}

/** Deeper blocks are skipped as one; no program that people read goes there. */
const maxDepth = 100

export const outline = (scanned: Scanned, language: Language): ReadonlyArray<Outline> =>
  language.layout === "braces" ? outlineBraces(scanned, language) : outlineIndent(scanned, language)

// --- attributes -------------------------------------------------------------------------------------------------

const keywordsWithAt =
  /^@(?:interface|implementation|protocol|end|property|synthesize|class|import|autoreleasepool|try|catch|finally|throw|selector)\b/

/** Where `@` begins a variable or a module attribute. */
const sigils = ["ruby", "elixir", "perl", "php", "shell"]

/** Length of the attributes, annotations and decorators that lead a statement. */
export const attributesLength = (code: string, language: Language): number => {
  let at = 0
  for (;;) {
    const rest = code.slice(at)
    const blanks = rest.length - rest.trimStart().length
    const lead = rest.slice(blanks)
    const name = sigils.includes(language.name) || keywordsWithAt.test(lead) ? null : /^@[\w.:]+/.exec(lead)
    const bracket =
      language.name === "csharp" ? /^\[/.exec(lead) : language.name === "c" ? /^\[\[/.exec(lead) : /^#!?\[/.exec(lead)
    if (name !== null) {
      const after = at + blanks + name[0].length
      const gap = /^[^\S\n]*(?=\()/.exec(code.slice(after))
      at = gap === null ? after : closing(code, after + gap[0].length)
    } else if (bracket !== null) at = closing(code, at + blanks + bracket[0].length - 1)
    else return at === 0 ? 0 : at + blanks
  }
}

/** Position after the bracket that closes the one at `open`; the end when there is none. */
export const closing = (code: string, open: number): number => {
  let depth = 0
  for (let at = open; at < code.length; at++) {
    const char = code.charAt(at)
    if (char === "(" || char === "[" || char === "{") depth++
    else if ((char === ")" || char === "]" || char === "}") && --depth === 0) return at + 1
  }
  return code.length
}

const isOnlyAttributes = (head: string, language: Language): boolean =>
  /^\s*[@#[]/.test(head) && head.trim() !== "" && attributesLength(head, language) >= head.trimEnd().length

// --- braces -----------------------------------------------------------------------------------------------------

const outlineBraces = (scanned: Scanned, language: Language): ReadonlyArray<Outline> =>
  new BraceReader(scanned, language).items(0)

/** Reads statements and blocks from `at` on. */
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

  make(
    start: number,
    headEnd: number,
    end: number,
    body: ReadonlyArray<Outline> | null,
    inner: ReadonlyArray<Outline>
  ): Outline {
    const { code, lineOf, text } = this
    const raw = code.slice(start, headEnd)
    const lead = raw.length - raw.trimStart().length
    const length = raw.trim().length
    const from = start + lead
    return {
      code: raw.trim(),
      text: text.slice(from, from + length),
      first: lineOf(length === 0 ? headEnd : from),
      headLast: lineOf(body === null ? Math.max(from, from + length - 1) : headEnd),
      last: lineOf(Math.max(from, end - 1)),
      body,
      inner
    }
  }

  items(depth: number): ReadonlyArray<Outline> {
    const found: Array<Outline> = []
    while (this.at < this.code.length) {
      const char = this.code.charAt(this.at)
      if (/\s/.test(char)) this.at++
      else if (char === "}") {
        if (depth > 0) return found
        this.at++
      } else {
        const item = this.next(depth)
        if (item !== null) found.push(item)
      }
    }
    return found
  }

  block(depth: number): ReadonlyArray<Outline> {
    this.at++
    const body = this.items(depth + 1)
    this.at++
    return body
  }

  next(depth: number): Outline | null {
    const { code, language } = this
    const start = this.at
    const inner: Array<Outline> = []
    let brackets = 0
    let mark = start
    let attributes = 0
    let inked = start
    const simple = (end: number): Outline | null =>
      code.slice(start, end).trim() === "" ? null : this.make(start, end, end, null, inner)
    for (; this.at < code.length; this.at++) {
      const { at } = this
      const char = code.charAt(at)
      if (char > " " && (char < "\u0080" || char.trim() !== "")) inked = at
      if (char === "(" || char === "[") {
        brackets++
        mark = at + 1
      } else if (char === ")" || char === "]") brackets = Math.max(0, brackets - 1)
      else if (brackets > 0 && (char === "," || char === ";")) mark = at + 1
      else if (char === "}") return simple(at)
      else if (char === "{") {
        if (depth >= maxDepth || (brackets === 0 && isPartOfHead(code.slice(start, at), code, at, language))) {
          this.at = closing(code, at) - 1
        } else {
          const body = this.block(depth)
          if (brackets === 0) return this.make(start, at, this.at, body, inner)
          inner.push(this.make(mark, at, this.at, body, []))
          this.at--
          mark = this.at + 1
        }
        inked = this.at
      } else if (brackets === 0 && (char === ";" || (char === "," && this.endsAtComma(start)))) {
        this.at++
        return simple(this.at)
      } else if (this.isAccessLabel(char, start)) {
        this.at++
        return null
      } else if (brackets === 0 && char === "\n") {
        const begun = { head: code.slice(start, inked + 1), attributes }
        if (endsAtLineEnd(code, begun, at, language)) return simple(at)
        attributes = begun.attributes
      }
    }
    return simple(this.at)
  }

  /** An entry of a list, at the end of its line. */
  endsAtComma(start: number): boolean {
    const { at, code, language } = this
    return (
      /^[^\S\n]*(?:\n|$)/.test(code.slice(at + 1, at + 200)) &&
      (!language.semicolons || code.slice(Math.max(start, at - 2_000), at).includes("=>"))
    )
  }

  isAccessLabel(char: string, start: number): boolean {
    const { at, code, language } = this
    return char === ":" && language.name === "c" && accessLabel.test(code.slice(Math.max(start, at - 40), at))
  }
}

const accessLabel = /^\s*(?:public|private|protected|signals)(?:\s+slots)?\s*$/

/** Braces that belong to a statement's head: imports, destructuring, type literals. */
const isPartOfHead = (head: string, code: string, at: number, language: Language): boolean => {
  if (head.length > 2_000) return false
  if (/^\s*(?:import\b[^(=]*|use\b[^(=]*|using|from)$/.test(head)) return true
  if (language.name === "go")
    return /\b(?:interface|struct)$/.test(head.trimEnd()) && code.charAt(at + 1) === "}" && !/^\s*type\b/.test(head)
  return (
    language.regexLiterals &&
    (/(?:^\s*(?:export(?:\s+type)?|const|let|var)|\)\s*:|[<|&])\s*$/.test(head) ||
      // type parameters
      /^\s*(?:(?:export|default|async)\s+)*function\b[^(]*$/.test(head))
  )
}

const lookAhead = 400

/** Characters up to which the head of a statement is looked into. */
const longHead = 4_000

/** Characters after which a statement is no longer searched for a continuation. */
const longStatement = 20_000

/** A statement as far as it was read: to the end of a line. */
interface Begun {
  /** Without blanks at its end. */
  readonly head: string
  /** Characters of it that are known to be attributes and nothing else; moved on. */
  attributes: number
}

const endsAtLineEnd = (code: string, begun: Begun, at: number, language: Language): boolean => {
  const { head } = begun
  if (head === "") return false
  if (head.length > longStatement) return true
  if (language.semicolons) return /^#(?!!?\[)/.test(head) ? !head.endsWith("\\") : /^<\?(?:php)?$/.test(head)
  if (isStillAttributes(begun, language)) return false
  const tail = head.slice(-20)
  if (
    /(?:[=,.\\]|&&|\|\||=>|->|\s[+\-*/%<>?&|^~]|:|\b(?:extends|implements|throws|where|in|is|as))$/.test(tail) &&
    !/[+-]{2}$/.test(tail)
  )
    return false
  const rest = code.slice(at, at + lookAhead)
  const following = rest.trimStart()
  if (following.startsWith("{")) return /\n[^\S\n]*\n/.test(rest.slice(0, rest.length - following.length))
  if (["kotlin", "scala", "groovy"].includes(language.name) && /^else\b/.test(following)) return false
  return !/^(?:\.(?!\.)|\?[.:]|&&|\|\||=>|[+\-*/%?:=|&]\s|[)\]]|(?:extends|implements|throws|where)\b)/.test(following)
}

const isStillAttributes = (begun: Begun, language: Language): boolean => {
  const { attributes, head } = begun
  if (attributes === head.length) return true
  if (head.length > 2_000 || !isOnlyAttributes(head.slice(attributes), language)) return false
  begun.attributes = head.length
  return true
}

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

const logicalLines = ({ code, continued, text }: Scanned, language: Language): ReadonlyArray<Logical> => {
  const codes = code.split("\n")
  const texts = text.split("\n")
  const joins = language.name !== "shell"
  const depths = joins ? codes.map(depthOf) : []
  const found: Array<Logical> = []
  let unclosed = 0
  for (let first = 0; first < codes.length; first++) {
    const start = codes[first] ?? ""
    if (start.trim() === "") continue
    let last = first
    let depth = unclosed < maxUnclosed ? (depths[first] ?? 0) : 0
    const goesOn = () =>
      last + 1 < codes.length &&
      last - first < maxJoined &&
      (depth > 0 || /\\\s*$/.test(codes[last] ?? "") || continued.has(last + 1))
    while (goesOn()) {
      last++
      depth += depths[last] ?? 0
    }
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

const depthOf = (line: string): number => {
  let depth = 0
  for (const char of line) {
    if (char === "(" || char === "[" || char === "{") depth++
    else if (char === ")" || char === "]" || char === "}") depth--
  }
  return depth
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

/** Ends a block on a line of its own. */
const closer = /^(?:end|fi|done|esac|\})[\s;,)}\]]*$/

const outlineIndent = (scanned: Scanned, language: Language): ReadonlyArray<Outline> => {
  const lines = withDecorators(logicalLines(scanned, language), language)
  let at = 0

  const siblings = (indent: number, depth: number): ReadonlyArray<Outline> => {
    const found: Array<Outline> = []
    for (let line = lines[at]; line !== undefined && line.indent >= indent; line = lines[at]) {
      at++
      const deeper = lines[at]
      const below =
        depth < maxDepth && deeper !== undefined && deeper.indent > line.indent
          ? siblings(deeper.indent, depth + 1)
          : []
      found.push(...nodesOf(line, below, language))
    }
    return adoptUnindented(found, language)
  }

  const all: Array<Outline> = []
  // one by one: there may be more than a call takes arguments
  while (at < lines.length) for (const node of siblings(lines[at]?.indent ?? 0, 0)) all.push(node)
  return all
}

/** A decorator line becomes part of the definition under it. */
const withDecorators = (lines: ReadonlyArray<Logical>, language: Language): ReadonlyArray<Logical> => {
  const found: Array<Logical> = []
  let decorators: Logical | null = null
  for (const line of lines) {
    const before: Logical | null =
      decorators?.indent === line.indent && decorators.code.length < longHead ? decorators : null
    const joined: Logical =
      before === null
        ? line
        : { ...line, code: `${before.code}\n${line.code}`, text: `${before.text}\n${line.text}`, first: before.first }
    if (before !== null) found.pop()
    found.push(joined)
    decorators = isOnlyAttributes(line.code, language) ? joined : null
  }
  return found
}

const nodesOf = (line: Logical, below: ReadonlyArray<Outline>, language: Language): ReadonlyArray<Outline> => {
  const { code, first, last, text } = line
  const end = below.at(-1)?.last ?? last
  const leaf = (from: number, to: number): Outline => ({
    code: code.slice(from, to).trim(),
    text: text.slice(from, to).trim(),
    first,
    headLast: last,
    last,
    body: null,
    inner: []
  })
  const parts = (from: number, to: number): ReadonlyArray<Outline> => split(code, from, to).map(([a, b]) => leaf(a, b))
  const inline = code.length > longHead ? null : inlineBody(code, language)
  if (inline !== null) {
    const { from, headEnd, to } = inline
    return [{ ...leaf(0, headEnd), last: end, body: [...parts(from, to), ...below] }]
  }
  if (below.length > 0) return [{ ...leaf(0, code.length), last: end, body: below }]
  return code.length > longHead || isBlockHead(code, language) ? [leaf(0, code.length)] : parts(0, code.length)
}

/** A body on the line of its head: `def f(): pass`, `def f; nil; end`, `f() { :; }`, `def f(x), do: nil`. */
const inlineBody = (
  code: string,
  language: Language
): { readonly headEnd: number; readonly from: number; readonly to: number } | null => {
  const between = (found: RegExpExecArray | null) => {
    const [, head = "", body = ""] = found ?? []
    return found === null ? null : { headEnd: head.length, from: head.length, to: head.length + body.length }
  }
  switch (language.name) {
    case "ruby":
    case "julia": {
      const name = /^def\s+[\w.?!=[\]<>+*/%~&|^-]+[ \t]*/.exec(code)?.[0]
      if (name === undefined || !/\bend$/.test(code)) return null
      const headEnd = code.charAt(name.length) === "(" ? closing(code, name.length) : name.length
      return { headEnd, from: headEnd, to: code.length - 3 }
    }
    case "lua":
      return between(/^((?:local\s+)?(?:[\w.]+\s*=\s*)?function\b[^(]*\([^)]*\))([\s\S]*)\bend$/.exec(code))
    case "elixir":
      return between(/^(defp?\s[\s\S]*?,\s*do:)([\s\S]*)$/.exec(code))
    case "shell":
      return between(/^((?:function\s+[\w:.-]+\s*(?:\(\s*\))?|[\w:.-]+\s*\(\s*\))\s*\{)([^}]*)\}\s*$/.exec(code))
    default: {
      if (!pythonHead.test(withoutDecorators(code))) return null
      const colon = colonOf(code)
      return colon === null || code.slice(colon + 1).trim() === ""
        ? null
        : { headEnd: colon + 1, from: colon + 1, to: code.length }
    }
  }
}

const pythonHead = /^(?:async\s+)?(?:def|class|if|elif|else|for|while|try|except|finally|with|match|case)\b/

const withoutDecorators = (code: string): string => {
  const lines = code.split("\n")
  const at = lines.findIndex((line) => pythonHead.test(line.trim()))
  return at <= 0 ? code : lines.slice(at).join("\n").trim()
}

/** Where the colon of a block head stands: outside brackets, after the keyword. */
const colonOf = (code: string): number | null => {
  const offset = code.length - withoutDecorators(code).length
  let depth = 0
  for (let at = offset; at < code.length; at++) {
    const char = code.charAt(at)
    if (char === "(" || char === "[" || char === "{") depth++
    else if (char === ")" || char === "]" || char === "}") depth--
    else if (char === ":" && depth === 0 && code.charAt(at + 1) !== "=") return at
  }
  return null
}

const isBlockHead = (code: string, language: Language): boolean =>
  ["ruby", "shell", "lua", "julia"].includes(language.name)
    ? /^(?:def|class|module|function|local\s+function)\b|\(\s*\)\s*\{$|\bfunction\s*\([^)]*\)$/.test(code)
    : pythonHead.test(withoutDecorators(code))

/** Pieces between semicolons outside brackets. */
const split = (code: string, from: number, to: number): ReadonlyArray<readonly [number, number]> => {
  const pieces: Array<readonly [number, number]> = []
  let depth = 0
  let start = from
  for (let at = from; at <= to; at++) {
    const char = at === to ? ";" : code.charAt(at)
    if (char === "(" || char === "[" || char === "{") depth++
    else if (char === ")" || char === "]" || char === "}") depth--
    if (at === to || (char === ";" && depth <= 0)) {
      if (code.slice(start, at).trim() !== "") pieces.push([start, at])
      start = at + 1
    }
  }
  return pieces
}

/** Where a language closes its blocks with a word, a body that is not indented still belongs to its head. */
const adoptUnindented = (nodes: ReadonlyArray<Outline>, language: Language): ReadonlyArray<Outline> => {
  if (!["ruby", "shell", "lua", "elixir", "julia"].includes(language.name)) return nodes
  const closers = nodes.flatMap(({ code }, i) => (closer.test(code) ? [i] : []))
  const found: Array<Outline> = []
  let next = 0
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at]
    if (node === undefined) break
    while ((closers[next] ?? nodes.length) <= at) next++
    const end = closers[next]
    if (end === undefined || node.body !== null || !isBlockHead(node.code, language)) found.push(node)
    else {
      found.push({ ...node, last: nodes[end]?.last ?? node.last, body: nodes.slice(at + 1, end) })
      at = end
    }
  }
  return found
}
