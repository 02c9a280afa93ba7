import {
  type Alias,
  CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type ParsedNode,
  parseAllDocuments,
  type Scalar,
  visit,
  type YAMLError,
  type YAMLMap,
  type YAMLSeq
} from "yaml"
import { closest, pathTo, quoted } from "../../options/words.ts"
import type { Entry, Node } from "./Node.ts"
import { type Findings, noFindings, refuse, warn } from "./Problem.ts"
import { makePositions, type Positions } from "./positions.ts"
import { translate } from "./yamlErrors.ts"

/** A file's one YAML document, as far as it could be read. */
export interface Source {
  readonly positions: Positions
  /** Null: nothing could be read, or without any findings: there is nothing but comments and blanks. */
  readonly root: Node | null
  readonly findings: Findings
}

/** Size of a file we read. */
export const maxBytes = 5 * 1024 * 1024
/** Levels of lists and mappings. No file of ours has more than six. */
export const maxDepth = 64

export const tooLarge = {
  code: "file_too_large",
  message: "The file is larger than 5 MiB.",
  hint: "Split it into several files."
} as const

const withoutBom = (text: string): string => (text.startsWith("\uFEFF") ? text.slice(1) : text)

/** A lone CR is a line break by YAML's own rules, which the parser does not know. Offsets stay as they are. */
const withoutLoneCr = (text: string): string => text.replaceAll(/\r(?!\n)/g, "\n")

/** A file's text without its byte order mark, and with one kind of line break: offsets are those of this text. */
export const normalised = (raw: string): string => withoutLoneCr(withoutBom(raw))

/** Reads a text of no more than that size, normalised. */
export const opened = (
  raw: string,
  read: (text: string, positions: Positions, findings: Findings) => Node | null
): Source => {
  const text = normalised(raw)
  const positions = makePositions(text)
  const findings = noFindings()
  const isTooLarge = Buffer.byteLength(text) > maxBytes
  if (isTooLarge) refuse(findings, { ...tooLarge, start: 0, end: 0 })
  return { positions, root: isTooLarge ? null : read(text, positions, findings), findings }
}

interface Conversion {
  readonly text: string
  readonly positions: Positions
  readonly targets: ReadonlyMap<Alias, ParsedNode | undefined>
  readonly anchors: ReadonlyArray<string>
  /** One node per anchored value, so that aliases share it; null while its own content is being converted. */
  readonly shared: Map<ParsedNode, Node | null>
  readonly findings: Findings
}

/** What every alias stands for: the last anchor of that name before it. */
const resolveAliases = (doc: Document.Parsed) => {
  const current = new Map<string, ParsedNode>()
  const targets = new Map<Alias, ParsedNode | undefined>()
  visit(doc, {
    Node: (_key, node) => {
      if (isAlias(node)) targets.set(node, current.get(node.source))
      else if (node.anchor !== undefined) current.set(node.anchor, node as ParsedNode)
    }
  })
  return { targets, anchors: Array.from(current.keys()) }
}

/** Where a value lies. A value that was left out has no place of its own and gets `owner`'s. */
const positionOf = (node: ParsedNode, owner: number): { readonly start: number; readonly end: number } => {
  const [start, end] = node.range
  return start === end ? { start: owner, end: Math.max(owner, end) } : { start, end }
}

const convertScalar = (node: Scalar.Parsed, position: { readonly start: number; readonly end: number }): Node => {
  const { value } = node as Scalar<unknown>
  if (typeof value === "string") return { kind: "text", ...position, value }
  if (typeof value === "number") return { kind: "number", ...position, value, source: node.source }
  if (typeof value === "boolean") return { kind: "boolean", ...position, value }
  return value === null || value === undefined
    ? { kind: "null", ...position }
    : { kind: "other", ...position, told: false }
}

const convertAlias = (alias: Alias.Parsed, depth: number, path: string, conversion: Conversion): Node => {
  const [start, end] = alias.range
  const nothing: Node = { kind: "other", start, end, told: true }
  const target = conversion.targets.get(alias)
  if (target === undefined) {
    refuse(conversion.findings, {
      code: "yaml_unknown_alias",
      message: `The alias *${alias.source} has no anchor &${alias.source} above it.`,
      hint: () => {
        const near = closest(alias.source, conversion.anchors)
        return near === undefined
          ? "Define the anchor, or put the text in quotes if it is not meant as an alias."
          : `Did you mean *${near}?`
      },
      start,
      end
    })
    return nothing
  }
  const shared = conversion.shared.get(target)
  if (shared === null) {
    refuse(conversion.findings, {
      code: "yaml_alias_cycle",
      message: `The alias *${alias.source} stands inside the value that it refers to.`,
      hint: "Write the value out.",
      start,
      end
    })
    return nothing
  }
  return { ...(shared ?? convert(target, start, depth, path, conversion)), start, end }
}

/** Offsets of the dashes of a list in block style, by item. */
const dashesOf = (list: YAMLSeq.Parsed): ReadonlyArray<number | undefined> =>
  list.srcToken?.type === "block-seq"
    ? list.srcToken.items.map((item) => item.start.find((token) => token.type === "seq-item-ind")?.offset)
    : []

const convertList = (list: YAMLSeq.Parsed, depth: number, conversion: Conversion): ReadonlyArray<Node> => {
  const dashes = dashesOf(list)
  return list.items.map((item, index) =>
    // the type says nodes only, but a value left out between commas is null
    convert(item, dashes[index] ?? item?.range[0] ?? list.range[0], depth + 1, "", conversion)
  )
}

const keyOf = (node: ParsedNode, text: string): string =>
  isScalar(node) && typeof node.value === "string" ? node.value : text.slice(node.range[0], node.range[1])

/** The mapping's keys, each once: of a key that is there twice the first counts and the others are refused. */
const convertMapping = (
  mapping: YAMLMap.Parsed,
  depth: number,
  path: string,
  conversion: Conversion
): ReadonlyArray<Entry> => {
  const first = new Map<string, number>()
  const entries: Array<Entry> = []
  for (const pair of mapping.items) {
    const [keyStart, keyEnd] = pair.key.range
    const key = keyOf(pair.key, conversion.text)
    const earlier = first.get(key)
    if (earlier !== undefined) {
      refuse(conversion.findings, {
        code: "yaml_duplicate_key",
        message: `The key ${quoted(pathTo(path, key))} is given twice.`,
        hint: () => `Keep one of the two; the first is on line ${conversion.positions.lineOf(earlier)}.`,
        start: keyStart,
        end: keyEnd
      })
      continue
    }
    first.set(key, keyStart)
    const value: Node =
      pair.value === null
        ? { kind: "null", start: keyStart, end: keyEnd }
        : convert(pair.value, keyStart, depth + 1, pathTo(path, key), conversion)
    entries.push({ key, keyStart, keyEnd, value })
  }
  return entries
}

const yamlTag = "tag:yaml.org,2002:"

const convertPlain = (
  node: Exclude<ParsedNode, Alias.Parsed>,
  owner: number,
  depth: number,
  path: string,
  conversion: Conversion
): Node => {
  const position = positionOf(node, owner)
  if (isScalar(node)) return convertScalar(node, position)
  if (depth >= maxDepth) {
    const { message, hint } = translate({ code: "RESOURCE_EXHAUSTION", message: "" })
    refuse(conversion.findings, { code: "yaml_too_deep", message, hint, ...position })
    return { kind: "other", ...position, told: true }
  }
  // sets, ordered maps and pairs; a tag that is not YAML's own was refused as unknown
  if (node.tag?.startsWith(yamlTag) && node.tag !== `${yamlTag}map` && node.tag !== `${yamlTag}seq`) {
    return { kind: "other", ...position, told: false }
  }
  if (isMap(node)) return { kind: "mapping", ...position, entries: convertMapping(node, depth, path, conversion) }
  if (isSeq(node)) return { kind: "list", ...position, items: convertList(node, depth, conversion) }
  return { kind: "other", ...position, told: false }
}

/** `owner`: the offset shown for a value that was left out. `path`: of the keys above it, from the nearest list on. */
const convert = (node: ParsedNode, owner: number, depth: number, path: string, conversion: Conversion): Node => {
  if (isAlias(node)) return convertAlias(node, depth, path, conversion)
  if (node.anchor === undefined) return convertPlain(node, owner, depth, path, conversion)
  conversion.shared.set(node, null)
  const converted = convertPlain(node, owner, depth, path, conversion)
  conversion.shared.set(node, converted)
  return converted
}

/** Only these of the parser's warnings mean that a value was not understood; the rest is style. */
const isRefused = (warning: YAMLError): boolean =>
  warning.code === "TAG_RESOLVE_FAILED" || warning.code === "BAD_COLLECTION_TYPE"

/** A quote or bracket that is never closed. */
interface Opening {
  readonly start: number
  readonly closing: string
}

const openingOf = (node: ParsedNode): Opening | undefined => {
  const token = node.srcToken
  const [start] = node.range
  if (token?.type === "double-quoted-scalar" || token?.type === "single-quoted-scalar") {
    const closing = token.source.charAt(0)
    return token.source.length > 1 && token.source.endsWith(closing) ? undefined : { start, closing }
  }
  if (token?.type !== "flow-collection") return undefined
  const closing = token.start.source === "{" ? "}" : "]"
  return token.end[0]?.source === closing ? undefined : { start, closing }
}

/** By the offset at which the parser misses the end: what was opened. An error says where it ends, people look where it began. */
const openings = (docs: ReadonlyArray<Document.Parsed>): ReadonlyMap<number, Array<Opening>> => {
  const byEnd = new Map<number, Array<Opening>>()
  for (const doc of docs) {
    visit(doc, {
      Value: (_key, node) => {
        const opening = openingOf(node as ParsedNode)
        const end = node.range?.[1]
        if (opening === undefined || end === undefined) return
        const same = byEnd.get(end)
        if (same === undefined) byEnd.set(end, [opening])
        else same.push(opening)
      }
    })
  }
  return byEnd
}

const unclosed = /^Missing closing (.)quote|end with a (.)$/

/** The error at the place where what it misses was opened. Takes that opening out, since each is told once. */
const moved = (error: YAMLError, byEnd: ReadonlyMap<number, Array<Opening>>): number => {
  const [, missing] = unclosed.exec(error.message)?.filter((group) => group) ?? []
  const candidates = byEnd.get(error.pos[0]) ?? []
  const index = candidates.findIndex(({ closing }) => closing === missing)
  return candidates.splice(index, index === -1 ? 0 : 1)[0]?.start ?? error.pos[0]
}

const isUnclosed = (error: YAMLError): boolean => unclosed.test(error.message)

/** Characters that YAML does not allow in a file, not even in quotes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const notPrintable = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/g

const tellControlCharacters = (text: string, findings: Findings): void => {
  for (const match of text.matchAll(notPrintable)) {
    const code = match[0].charCodeAt(0).toString(16).padStart(4, "0").toUpperCase()
    refuse(findings, {
      code: "control_character",
      message: `The file holds the control character U+${code}, which YAML does not allow.`,
      hint: "Remove it; an editor may show it as a blank or not at all.",
      start: match.index,
      end: match.index + 1
    })
  }
}

const isMultiline = (error: YAMLError): boolean => error.code === "MULTILINE_IMPLICIT_KEY"

/**
 * Errors less those the parser makes of one cause: at one place the one that says most, and of equal ones
 * that follow each other without a gap the first.
 */
const causes = (errors: ReadonlyArray<YAMLError>): ReadonlyArray<YAMLError> => {
  const sorted = errors.toSorted((a, b) => a.pos[0] - b.pos[0] || Number(isMultiline(b)) - Number(isMultiline(a)))
  return sorted.filter((error, index) => {
    const before = sorted[index - 1]
    if (before === undefined || isUnclosed(error)) return true
    if (before.pos[0] === error.pos[0] && !isUnclosed(before)) return false
    return translate(before).message !== translate(error).message || before.pos[1] < error.pos[0]
  })
}

/** Tells the syntax errors and returns where the first one lies that is not confined to one value. */
const tellSyntaxErrors = (
  errors: ReadonlyArray<YAMLError>,
  warnings: ReadonlyArray<YAMLError>,
  docs: ReadonlyArray<Document.Parsed>,
  findings: Findings
): number => {
  const opened = errors.some(isUnclosed) ? openings(docs) : new Map<number, Array<Opening>>()
  let readableUntil = Number.POSITIVE_INFINITY
  let tooDeep = false
  const tell = (error: YAMLError, to: typeof refuse) => {
    const { code, message, hint, local } = translate(error)
    const at = moved(error, opened)
    if (!local) readableUntil = Math.min(readableUntil, at)
    // the parser complains at every level on its way back
    if (code === "yaml_too_deep" && tooDeep) return
    tooDeep ||= code === "yaml_too_deep"
    to(findings, { code, message, hint, start: at, end: at })
  }
  for (const error of causes(errors)) tell(error, refuse)
  for (const warning of warnings) tell(warning, isRefused(warning) ? refuse : warn)
  return readableUntil
}

/** Tokens of YAML in a file we read: some 20,000 tasks. */
const maxTokens = 1_000_000

/**
 * Whether the parser can be let loose on a text: it takes kilobytes for every token and a stack frame for every level,
 * and a hostile file of 5 MiB can have as many of either. The levels of indented lines need no check, they cost
 * characters. Returns the place where it becomes too much.
 */
const tooMuch = (text: string): { readonly at: number; readonly what: "depth" | "tokens" } | undefined => {
  let at = 0
  let tokens = 0
  let brackets = 0
  let onLine = 0
  let isScalar = false
  for (const source of new Lexer().lex(text)) {
    tokens += 1
    if (tokens > maxTokens) return { at, what: "tokens" }
    const type: CST.TokenType | null = isScalar ? "scalar" : CST.tokenType(source)
    isScalar = type === "scalar" && source === CST.SCALAR
    if (isScalar) continue
    if (type === "flow-map-start" || type === "flow-seq-start") brackets += 1
    else if (type === "flow-map-end" || type === "flow-seq-end") brackets = Math.max(0, brackets - 1)
    else if (type === "newline") onLine = 0
    else if (brackets === 0 && isBlockIndicator(type)) onLine += 1
    if (brackets > maxDepth || onLine > maxDepth) return { at, what: "depth" }
    // control tokens mark what follows and take no place in the text
    if (!isMark(source)) at += source.length
  }
  return undefined
}

const isBlockIndicator = (type: CST.TokenType | null): boolean =>
  type === "seq-item-ind" || type === "explicit-key-ind" || type === "map-value-ind"

const isMark = (source: string): boolean =>
  source === CST.BOM || source === CST.DOCUMENT || source === CST.FLOW_END || source === CST.SCALAR

const refuseTooMuch = (found: { readonly at: number; readonly what: "depth" | "tokens" }, findings: Findings): void => {
  const position = { start: found.at, end: found.at }
  if (found.what === "depth") {
    const { code, message, hint } = translate({ code: "RESOURCE_EXHAUSTION", message: "" })
    refuse(findings, { code, message, hint, ...position })
  } else {
    const message = `The file holds more than ${maxTokens} tokens of YAML.`
    refuse(findings, { code: "file_too_complex", message, hint: tooLarge.hint, ...position })
  }
}

const isNothing = (node: ParsedNode): boolean => isScalar(node) && node.range[0] === node.range[1]

/** The file's content; null when there is none or none could be read. */
const readYaml = (text: string, positions: Positions, findings: Findings): Node | null => {
  const excess = tooMuch(text)
  if (excess !== undefined) {
    refuseTooMuch(excess, findings)
    return null
  }
  const stream = parseAllDocuments(text, {
    version: "1.2",
    // a key is searched among all keys before it, which takes minutes for a large mapping; `convertMapping` looks itself
    uniqueKeys: false,
    prettyErrors: false,
    keepSourceTokens: true
  })
  const docs: ReadonlyArray<Document.Parsed> = stream
  const around = "empty" in stream ? stream : { errors: [], warnings: [] }
  const readableUntil = tellSyntaxErrors(
    [...around.errors, ...docs.flatMap((doc) => doc.errors)],
    [...around.warnings, ...docs.flatMap((doc) => doc.warnings)],
    docs,
    findings
  )
  const [doc, second] = docs
  if (second !== undefined) {
    refuse(findings, {
      code: "yaml_multiple_documents",
      message: "The file holds more than one YAML document; a line `---` starts the next.",
      hint: "Keep one document a file.",
      start: second.range[0],
      end: second.range[0]
    })
  }
  const contents = doc?.contents ?? null
  // known only now: what was told so far holds in any case
  findings.readableUntil = readableUntil
  if (doc === undefined || contents === null || isNothing(contents)) return null
  const { targets, anchors } = resolveAliases(doc)
  return convert(contents, 0, 0, "", { text, positions, targets, anchors, shared: new Map(), findings })
}

/** Reads a file's text as one YAML 1.2 document (core schema). Never throws: whatever is wrong becomes a finding. */
export const readDocument = (raw: string): Source =>
  opened(raw, (text, positions, findings) => {
    tellControlCharacters(text, findings)
    try {
      return readYaml(text, positions, findings)
    } catch {
      // nothing is known to get here; should the parser throw, it is a file that cannot be read, not a crash
      const { code, message, hint } = translate({ code: "IMPOSSIBLE", message: "" })
      refuse(findings, { code, message, hint, start: 0, end: -1 })
      return null
    }
  })
