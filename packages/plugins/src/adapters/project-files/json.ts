import { type Node as JsonNode, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser"
import { pathTo } from "../../options/words.ts"
import { maxDepth, opened, type Source } from "./document.ts"
import * as JsonFault from "./jsonFaults.ts"
import type { Entry, Node } from "./Node.ts"
import { refuse } from "./Problem.ts"
import type { Positions } from "./positions.ts"

/** Texts; brackets; comments and what is no blank of JSON; what is in single quotes or none; what is not closed. */
const lexeme =
  /"(?:[^"\\\n]|\\[^\n])*"|([{}[\]])|(\/\/[^\n]*|\/\*[\s\S]*?\*\/|#[^\n]*|(?![ \t\r\n])[\p{Z}\p{C}])|('(?:[^'\\\n]|\\[^\n])*'|(?!')(?:(?!\/[/*])[^\p{Z}\p{C}"{}[\]:,])+)|(\/\*|["'])/gu

/**
 * The text up to where its brackets and quotes can be told, with blanks for comments and with values for what JSON does
 * not know, each as long as that: the parser leaves such words out and misreads what follows.
 * `strange`: characters that are no blanks; `open`: brackets never closed; `cut`: why it ends before the text does.
 */
const mended = (text: string, { lineOf }: Positions) => {
  const pieces: Array<string> = []
  const strange: Array<number> = []
  const open: Array<number> = []
  let copied = 0
  const replace = (start: number, found: string, by: string) => {
    pieces.push(text.slice(copied, start), by)
    copied = start + found.length
  }
  const faultOf = ({ 1: bracket, 2: blank, 3: word, 4: opening, index }: RegExpExecArray) => {
    if (opening !== undefined) return JsonFault.notClosed(text, index)
    if (bracket === "{" || bracket === "[") return open.push(index) > maxDepth ? JsonFault.tooDeep(index) : undefined
    if (bracket !== undefined) return JsonFault.notMatched(text, index, open.pop(), lineOf)
    if (blank !== undefined) {
      if (!blank.startsWith("/")) strange.push(index)
      replace(index, blank, " ".repeat(blank.length))
    } else if (word !== undefined && !JsonFault.isValue(word)) {
      if (open.length === 0) return JsonFault.outside(index)
      replace(index, word, word.length === 1 ? "0" : `"${"_".repeat(word.length - 2)}"`)
    }
    return undefined
  }
  let cut: JsonFault.Fault | undefined
  for (const match of text.matchAll(lexeme)) {
    cut = faultOf(match)
    if (cut !== undefined) break
  }
  return { json: pieces.join("") + text.slice(copied, cut?.start), strange, open, cut }
}

/** What the parser found, each cause once: of several errors at one place the last says what it is. */
function* causes(errors: ReadonlyArray<ParseError>, json: string, text: string) {
  for (const [index, { error, length, offset }] of errors.entries()) {
    if (offset === json.length || offset === errors[index + 1]?.offset) continue
    const name = printParseErrorCode(error)
    const isRootMissing = name === "ValueExpected" && index === 0 && json.slice(0, offset).trim() === ""
    const found = isRootMissing ? JsonFault.outside(offset) : JsonFault.translated(name, offset, length, json, text)
    if (found !== undefined) yield found
  }
}

const firstStop = (faults: Iterable<JsonFault.Fault>): JsonFault.Fault | undefined => {
  for (const fault of faults) if (fault.stops) return fault
  return undefined
}

/** How sentences speak of a value, and the keys above it, from the nearest list on. */
interface Spot {
  readonly name: string
  readonly path: string
}

/** Makes nodes of what was parsed and tells what is wrong with keys and values. */
const conversion = (text: string, lineOf: Positions["lineOf"], tell: (fault: JsonFault.Fault) => void) => {
  const isSound = (faults: Iterable<JsonFault.Fault>): boolean => {
    let isSound = true
    for (const fault of faults) {
      isSound = false
      tell(fault)
    }
    return isSound
  }

  const convert = (node: JsonNode, spot: Spot): Node => {
    const { children = [], length, offset: start, type } = node
    const position = { start, end: start + length }
    if (type === "object") return { kind: "mapping", ...position, entries: entriesOf(children, spot.path) }
    if (type === "array") {
      const itemOf = (index: number): Spot => ({ name: `item ${index + 1} of ${spot.name}`, path: "" })
      return { kind: "list", ...position, items: children.map((item, index) => convert(item, itemOf(index))) }
    }
    const source = text.slice(start, position.end)
    if (!isSound(JsonFault.inValue(source, start, spot.name))) return { kind: "other", ...position, told: true }
    const value: unknown = node.value
    if (typeof value === "string") return { kind: "text", ...position, value }
    if (typeof value === "number") return { kind: "number", ...position, value, source }
    return typeof value === "boolean" ? { kind: "boolean", ...position, value } : { kind: "null", ...position }
  }

  /** Of a key that is there twice the first counts and the others are refused. */
  const entriesOf = (properties: ReadonlyArray<JsonNode>, path: string): ReadonlyArray<Entry> => {
    const entries = new Map<string, Entry>()
    for (const { children: [name, value] = [] } of properties) {
      if (name === undefined) continue
      const keyStart = name.offset
      const keyEnd = keyStart + name.length
      const source = text.slice(keyStart, keyEnd)
      const isQuoted = source.startsWith('"')
      // one without quotes is told as well, but there is no doubt what it says
      const isCertain = isSound(JsonFault.inKey(source, keyStart, path)) || !isQuoted
      const key = isQuoted ? String(name.value) : JsonFault.unquoted(source)
      const keyPath = pathTo(path, isCertain ? key : "")
      const node: Node =
        value === undefined
          ? { kind: "other", start: keyStart, end: keyEnd, told: true }
          : convert(value, { name: `\`${keyPath}\``, path: keyPath })
      if (!isCertain) continue
      const first = entries.get(key)
      if (first === undefined) entries.set(key, { key, keyStart, keyEnd, value: node })
      else tell(JsonFault.twice(keyPath, keyStart, () => lineOf(first.keyStart)))
    }
    return Array.from(entries.values())
  }

  return convert
}

/**
 * Reads a file's text as JSON in which comments (`//`, and those in slashes and stars) and a comma behind the last value
 * are allowed. Makes the nodes that a YAML file is read into. Never throws: whatever is wrong becomes a finding, and
 * behind an error of the brackets nothing is told.
 */
export const readJson = (raw: string): Source =>
  opened(raw, (text, positions, findings) => {
    const { cut, json, open, strange } = mended(text, positions)
    const errors: Array<ParseError> = []
    const tree = parseTree(json, errors, { allowTrailingComma: true })
    const last = firstStop(causes(errors, json, text)) ?? cut
    const tell = (fault: JsonFault.Fault): void => {
      if (last === undefined || fault.start < last.start || fault === last)
        refuse(findings, { ...fault, end: fault.start })
    }
    const root =
      tree === undefined ? null : conversion(text, positions.lineOf, tell)(tree, { name: "the file", path: "" })
    for (const start of strange) tell(JsonFault.strange(text, start))
    for (const fault of causes(errors, json, text)) tell(fault)
    if (last === undefined) for (const start of open) tell(JsonFault.notClosed(text, start))
    else tell(last)
    // known only now: what was told so far holds in any case
    findings.readableUntil = last?.start ?? open[0] ?? Number.POSITIVE_INFINITY
    return root
  })
