import { capital, pathTo, quoted, shortened } from "../../options/words.ts"
import { maxBytes, maxDepth, normalised, type Source, tooLarge } from "./document.ts"
import type { Entry, Node, OtherNode } from "./Node.ts"
import { type Findings, noFindings, refuse } from "./Problem.ts"
import { makePositions, type Positions } from "./positions.ts"
import { translate } from "./yamlErrors.ts"

/** `word`: what stands without quotes. `single`: a text in single quotes. `stopped`: what follows cannot be read. */
type TokenKind = "{" | "}" | "[" | "]" | ":" | "," | "text" | "single" | "word" | "end" | "stopped"

interface Token {
  readonly kind: TokenKind
  readonly start: number
  readonly end: number
}

interface Reader {
  readonly text: string
  readonly positions: Positions
  readonly findings: Findings
  token: Token
  /** Where the first error lies that may lead what follows astray. */
  readableUntil: number
}

const code = "json_syntax"

const tell = ({ findings }: Reader, start: number, message: string, hint: string): void =>
  refuse(findings, { code, message: capital(message), hint, start, end: start })

/** Tells an error behind which nothing can be read for certain, unless one was told before. */
const stop = (
  reader: Reader,
  start: number,
  message: string,
  hint: string,
  stopCode: "json_syntax" | "json_too_deep" = code
): void => {
  if (reader.token.kind === "stopped") return
  refuse(reader.findings, { code: stopCode, message: capital(message), hint, start, end: start })
  reader.readableUntil = Math.min(reader.readableUntil, start)
  reader.token = { kind: "stopped", start, end: start }
}

const blanks = /[ \t\r\n]*/y
const strange = /[\p{Z}\p{C}]/uy
/** Ends what stands without quotes. */
const boundary = /[\p{Z}\p{C}"{}[\]:,]|\/[/*]/gu

const endOfLine = (text: string, from: number): number => {
  const at = text.indexOf("\n", from)
  return at === -1 ? text.length : at
}

const matchAt = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ""
}

/** Offset behind blanks, comments, and characters that can stand nowhere, which are told; undefined: nothing follows. */
const skipBlanks = (reader: Reader, from: number): number | undefined => {
  const { text } = reader
  let at = from
  for (;;) {
    at += matchAt(blanks, text, at).length
    if (text.startsWith("//", at)) at = endOfLine(text, at)
    else if (text.startsWith("/*", at)) {
      const end = text.indexOf("*/", at + 2)
      if (end === -1) {
        stop(reader, at, "a comment is opened here but not closed: */ is missing.", "Add */ where it ends.")
        return undefined
      }
      at = end + 2
    } else if (text[at] === "#") {
      tell(reader, at, "a line of comment begins with #, which is none of JSON.", "Begin it with //.")
      at = endOfLine(text, at)
    } else {
      const character = matchAt(strange, text, at)
      if (character === "") return at
      const hex = (character.codePointAt(0) ?? 0).toString(16).padStart(4, "0").toUpperCase()
      tell(reader, at, `the character U+${hex} stands here, which is no blank of JSON.`, "Replace it by a blank.")
      at += character.length
    }
  }
}

/** Offset of the quote that closes the text begun at `start`; undefined when its line ends without one. */
const closingQuote = (text: string, start: number): number | undefined => {
  const quote = text[start]
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text[at]
    if (character === quote) return at
    if (character === "\n") return undefined
    if (character === "\\" && text[at + 1] !== "\n") at += 1
  }
  return undefined
}

const punctuation: ReadonlySet<string> = new Set(["{", "}", "[", "]", ":", ","])
const isMark = (character: string): character is "{" | "}" | "[" | "]" | ":" | "," => punctuation.has(character)

const bareEnd = (text: string, start: number): number => {
  boundary.lastIndex = start
  return boundary.exec(text)?.index ?? text.length
}

/** The token behind an offset; undefined when none can be told from there on. */
const tokenFrom = (reader: Reader, from: number): Token | undefined => {
  const { text } = reader
  const start = skipBlanks(reader, from)
  if (start === undefined) return undefined
  const character = text[start]
  if (character === undefined) return { kind: "end", start, end: start }
  if (isMark(character)) return { kind: character, start, end: start + 1 }
  if (character !== '"' && character !== "'") return { kind: "word", start, end: bareEnd(text, start) }
  const closing = closingQuote(text, start)
  if (closing !== undefined) return { kind: character === '"' ? "text" : "single", start, end: closing + 1 }
  const message = `a text that begins with ${character} has no closing ${character} on its line.`
  stop(reader, start, message, 'Close it with ", and write a line break in it as \\n.')
  return undefined
}

/** Goes on to the next token. */
const advance = (reader: Reader): void => {
  if (reader.token.kind === "stopped") return
  const next = tokenFrom(reader, reader.token.end)
  if (next !== undefined) reader.token = next
}

/** Escapes, and characters that must be written as one. */
const special = /\\(?:u[0-9a-fA-F]{4}|.)|[^\u0020-\uffff]/gs
const isEscape = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})$/

/** What a text in double quotes says; undefined when that is not certain, which is told. */
const textOf = (reader: Reader, { end, start }: Token, name: string): string | undefined => {
  const source = reader.text.slice(start, end)
  let isSound = true
  for (const match of source.slice(0, -1).matchAll(special)) {
    const [found] = match
    if (isEscape.test(found)) continue
    isSound = false
    if (found.startsWith("\\")) {
      const message = `${name} holds ${quoted(found).slice(1, -1).replaceAll("\\\\", "\\")}, which is no escape of JSON.`
      tell(
        reader,
        start + match.index,
        message,
        "Write two backslashes for one backslash, and \\u00e9 for a character."
      )
      continue
    }
    const hex = found.charCodeAt(0).toString(16).padStart(4, "0").toUpperCase()
    refuse(reader.findings, {
      code: "control_character",
      message: capital(`${name} holds the control character U+${hex}, which JSON does not allow.`),
      hint: found === "\t" ? "Write it as \\t, or remove it." : "Remove it.",
      start: start + match.index,
      end: start + match.index + 1
    })
  }
  return isSound ? (JSON.parse(source) as string) : undefined
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

const wordHint = (word: string): string => {
  const lower = word.toLowerCase()
  if (["true", "false", "null"].includes(lower)) return `Write it in small letters: ${lower}.`
  if (/^[+-]?(?:nan|\.?inf|infinity)$/.test(lower)) return "Write a number, or leave the key out."
  if (/^[+\-.\d]/.test(word)) {
    const value = Number(word.replace(/^\+/, ""))
    return Number.isFinite(value) ? `Write it as ${value}.` : "Write a number in decimal digits, or a text in quotes."
  }
  return `Put it in double quotes if it is meant as text: "${shortened(word)}".`
}

const wordNode = (reader: Reader, { end, start }: Token, name: string): Node => {
  const word = reader.text.slice(start, end)
  if (word === "true" || word === "false") return { kind: "boolean", start, end, value: word === "true" }
  if (word === "null") return { kind: "null", start, end }
  if (jsonNumber.test(word)) return { kind: "number", start, end, value: Number(word), source: word }
  tell(reader, start, `${name} is ${shortened(word)}, which is no value of JSON.`, wordHint(word))
  return told(start, end)
}

const told = (start: number, end: number): OtherNode => ({ kind: "other", start, end, told: true })

/** How sentences speak of a value, where it stands, and how many brackets it stands in. */
interface Spot {
  readonly name: string
  /** Of the keys above it, from the nearest list on. */
  readonly path: string
  readonly depth: number
}

const readValue = (reader: Reader, spot: Spot): Node => {
  const { token } = reader
  const { end, kind, start } = token
  switch (kind) {
    case "{":
    case "[":
      return readBracket(reader, token, spot)
    case "text": {
      const value = textOf(reader, token, spot.name)
      advance(reader)
      return value === undefined ? told(start, end) : { kind: "text", start, end, value }
    }
    case "single":
      tell(reader, start, `${spot.name} is in single quotes, which JSON does not know.`, "Write double quotes.")
      advance(reader)
      return told(start, end)
    case "word": {
      const node = wordNode(reader, token, spot.name)
      advance(reader)
      return node
    }
    case "end":
      return told(start, end)
    default:
      if (kind !== "stopped") tell(reader, start, `${spot.name} has no value.`, "Write one behind the colon.")
      return told(start, start)
  }
}

const readBracket = (reader: Reader, open: Token, spot: Spot): Node => {
  if (spot.depth >= maxDepth) {
    const { message } = translate({ code: "RESOURCE_EXHAUSTION", message: "" })
    stop(
      reader,
      open.start,
      message,
      "The file is not of the expected shape; no setting is that deep.",
      "json_too_deep"
    )
    return told(open.start, open.end)
  }
  advance(reader)
  const inside = { ...spot, depth: spot.depth + 1 }
  const entries = new Map<string, Entry>()
  const items: Array<Node> = []
  const end =
    open.kind === "{"
      ? readParts(reader, open, "}", () => readMember(reader, inside, entries))
      : readParts(reader, open, "]", () => {
          const name = `item ${items.length + 1} of ${spot.name}`
          items.push(readValue(reader, { ...inside, name, path: "" }))
        })
  const position = { start: open.start, end }
  return open.kind === "{"
    ? { kind: "mapping", ...position, entries: Array.from(entries.values()) }
    : { kind: "list", ...position, items }
}

/** Reads what stands in brackets, separated by commas, and returns the offset behind the closing one. */
const readParts = (reader: Reader, open: Token, closing: "}" | "]", readPart: () => void): number => {
  let isSeparated = true
  for (;;) {
    const { end, kind, start } = reader.token
    if (kind === "stopped") return end
    if (kind === "end") {
      const message = `a bracket is opened here but not closed: ${closing} is missing.`
      tell(reader, open.start, message, `Add ${closing} where it ends.`)
      reader.readableUntil = Math.min(reader.readableUntil, open.start)
      return end
    }
    if (kind === closing) {
      advance(reader)
      return end
    }
    if (kind === "}" || kind === "]") {
      const line = reader.positions.lineOf(open.start)
      const message = `here ${kind} closes what ${open.kind} opened on line ${line}.`
      stop(reader, start, message, `Write ${closing}, or close the inner bracket first.`)
      return end
    }
    if (kind === ",") {
      if (isSeparated) {
        const message = "inside the brackets a comma stands without a value before it."
        tell(reader, start, message, "Remove the comma or add the value.")
      }
      isSeparated = true
      advance(reader)
      continue
    }
    if (kind === ":" && open.kind === "[") {
      stop(reader, start, "a colon stands in a list.", "Write keys and their values in braces.")
      return end
    }
    if (!isSeparated) {
      if (kind !== "text" && open.kind === "{") {
        const hint = "Separate two keys with a comma, and put a text in double quotes."
        stop(reader, start, "the value before this is complete, but more text follows.", hint)
        return end
      }
      const message = "between two values in brackets a comma is missing."
      tell(reader, start, message, "Separate them with a comma.")
    }
    isSeparated = false
    readPart()
  }
}

/** The key at this place; undefined when what it says is not certain. */
const keyOf = (reader: Reader, token: Token, path: string): string | undefined => {
  const name = path === "" ? "a key of the file" : `a key of \`${path}\``
  if (token.kind === "text") return textOf(reader, token, name)
  const { end, start } = token
  const key = token.kind === "single" ? reader.text.slice(start + 1, end - 1) : reader.text.slice(start, end)
  const how = token.kind === "single" ? "in single quotes" : "without quotes"
  const message = `the key ${quoted(pathTo(path, key))} stands ${how}.`
  tell(reader, start, message, `Put it in double quotes: ${quoted(key)}.`)
  return key
}

/** Of a key that is there twice the first counts and the others are refused. */
const readMember = (reader: Reader, spot: Spot, entries: Map<string, Entry>): void => {
  const { token } = reader
  const { end, kind, start } = token
  if (kind !== "text" && kind !== "single" && kind !== "word") {
    const hint = 'Write `"key": value` in braces; a list stands in square brackets.'
    stop(reader, start, `here a key is expected, not ${kind}.`, hint)
    return
  }
  const key = keyOf(reader, token, spot.path)
  advance(reader)
  const path = pathTo(spot.path, key ?? "")
  if (reader.token.kind === "end") return
  if (reader.token.kind !== ":") {
    stop(reader, start, `behind the key ${quoted(path)} a colon is missing.`, "Write a colon and the value behind it.")
    return
  }
  advance(reader)
  const value = readValue(reader, { ...spot, name: `\`${path}\``, path })
  if (key === undefined) return
  const first = entries.get(key)
  if (first === undefined) {
    entries.set(key, { key, keyStart: start, keyEnd: end, value })
    return
  }
  refuse(reader.findings, {
    code: "json_duplicate_key",
    message: `The key ${quoted(path)} is given twice.`,
    hint: () => `Keep one of the two; the first is on line ${reader.positions.lineOf(first.keyStart)}.`,
    start,
    end
  })
}

const readRoot = (reader: Reader): Node | null => {
  advance(reader)
  const { kind, start } = reader.token
  if (kind === "end" || kind === "stopped") return null
  const word = kind === "word" ? reader.text.slice(start, reader.token.end) : ""
  const isLiteral = ["true", "false", "null"].includes(word) || jsonNumber.test(word)
  if (
    (kind === "word" && !isLiteral) ||
    kind === "single" ||
    kind === "}" ||
    kind === "]" ||
    kind === ":" ||
    kind === ","
  ) {
    stop(reader, start, "the file does not begin with {.", "Write the settings as JSON, in one pair of braces.")
    return null
  }
  const root = readValue(reader, { name: "the file", path: "", depth: 0 })
  const after: Token = reader.token
  if (after.kind !== "end") {
    const hint = "Write everything in one pair of braces."
    stop(reader, after.start, "the value before this is complete, but more text follows.", hint)
  }
  return root
}

/**
 * Reads a file's text as JSON in which comments (`//`, and those in slashes and stars) and a comma behind the last value
 * are allowed. Makes the nodes that a YAML file is read into. Never throws: whatever is wrong becomes a finding, and
 * behind an error of the brackets nothing is told.
 */
export const readJson = (raw: string): Source => {
  const text = normalised(raw)
  const positions = makePositions(text)
  const findings = noFindings()
  if (Buffer.byteLength(text) > maxBytes) {
    refuse(findings, { ...tooLarge, start: 0, end: 0 })
    return { positions, root: null, findings }
  }
  const reader: Reader = {
    text,
    positions,
    findings,
    token: { kind: "end", start: 0, end: 0 },
    readableUntil: Number.POSITIVE_INFINITY
  }
  const root = readRoot(reader)
  // known only now: what was told so far holds in any case
  findings.readableUntil = reader.readableUntil
  return { positions, root, findings }
}
