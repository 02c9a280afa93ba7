/**
 * Whether cited lines hold an implementation, judged from the text alone. Comments, documentation, imports, brackets
 * and decorators are taken away; what is left must do something. Where the lines hold the head of a function or class,
 * its whole body is judged, also what lies outside of them. What the rules do not understand counts as implementation.
 */
import { type Language, languageOf } from "../../text/languages.ts"
import { type Scanned, scan } from "../../text/scan.ts"
import { isMarkdown, sayingLines } from "./markdown.ts"
import { attributesLength, type Outline, outline } from "./outline.ts"
import {
  guarded,
  isControlHead,
  isFunctionHead,
  isTypeHead,
  type Kind,
  kindOfStatement,
  nameBeforeParameters,
  withoutModifiers
} from "./statements.ts"

/** Null: the lines of the range, from 1, hold an implementation. `lines` are all lines of the file. Pure. */
export type EmptinessRule = (
  path: string,
  lines: ReadonlyArray<string>,
  range: { readonly start: number; readonly end: number }
) => { readonly reason: string } | null

export const isEmpty: EmptinessRule = (path, lines, range) => {
  const { code, file, outlined } = readingOf(path, lines)
  const cited = { first: range.start - 1, last: range.end - 1 }
  if (isBlank(code, cited)) return empty("only blank lines and comments")
  if (file.scanned.code.length > maxLength) return partIsEmpty(path, lines, range)
  if (file.language.layout === "data") return dataIsEmpty(file, cited)
  const found = kindsInRange(outlined(), cited, { ...outside, file })
  if (found.has("real")) return null
  if (found.has("stub")) return empty("only a body that does nothing yet")
  if (found.has("null") || found.has("guard")) return empty("only a return without a value")
  if (found.has("constant") || found.has("neutral")) return null
  return empty("only brackets, imports or decorators")
}

/** Of a file that is too long as a whole, the lines and what follows them are looked into by themselves. */
const partIsEmpty: EmptinessRule = (path, lines, { end, start }) => {
  const part = lines.slice(start - 1, end + linesBehind)
  const length = part.reduce((sum, line) => sum + line.length, 0)
  return length > maxLength ? null : isEmpty(path, part, { start: 1, end: end - start + 1 })
}

/** Most functions end within so many lines behind their heads. */
const linesBehind = 400

/** Characters of a file up to which its structure is looked into; nobody writes longer ones by hand. */
const maxLength = 256 * 1_024

/** A file as it was read. */
interface Reading {
  readonly file: File
  /** Its lines without comments. */
  readonly code: ReadonlyArray<string>
  readonly outlined: () => ReadonlyArray<Outline>
}

/** Many claims may cite one file. */
const readings = new WeakMap<ReadonlyArray<string>, Reading>()

const readingOf = (path: string, lines: ReadonlyArray<string>): Reading => {
  const before = readings.get(lines)
  if (before?.file.path === path) return before
  const language = languageOf(path, lines)
  const scanned = scan(lines.join("").replaceAll("\r", " "), language)
  const file = { path, language, scanned, functions: new Map<Outline, Kind>() }
  let nodes: ReadonlyArray<Outline> | undefined
  const outlined = () => {
    nodes ??= outline(scanned, language)
    return nodes
  }
  const reading: Reading = { file, code: scanned.code.split("\n"), outlined }
  readings.set(lines, reading)
  return reading
}

const isBlank = (code: ReadonlyArray<string>, { first, last }: Range): boolean => {
  for (let at = first; at <= last; at++) {
    if ((code[at] ?? "").trim() !== "") return false
  }
  return true
}

const empty = (what: string): { readonly reason: string } => ({ reason: `The lines hold ${what}.` })

interface Range {
  readonly first: number
  readonly last: number
}

interface File {
  readonly path: string
  readonly language: Language
  readonly scanned: Scanned
  /** What the bodies of functions were found to be. */
  readonly functions: Map<Outline, Kind>
}

/** Where a statement stands. */
interface Place {
  readonly file: File
  readonly inClass: boolean
  /** Bodies may be left out: a protocol, an interface, a stub file. */
  readonly isDeclared: boolean
  readonly enclosing: Outline | null
}

const outside = { inClass: false, isDeclared: false, enclosing: null }

type Kinds = ReadonlySet<Kind>

// --- code -------------------------------------------------------------------------------------------------------

/**
 * What the cited lines hold. A statement whose head they touch counts whole; of others only what they cover. Nothing is
 * looked for beyond what is real: it decides.
 */
const kindsInRange = (nodes: ReadonlyArray<Outline>, range: Range, place: Place): Kinds => {
  const kinds = new Set<Kind>()
  for (let at = firstEndingAt(nodes, range.first); at < nodes.length && !kinds.has("real"); at++) {
    const node = nodes[at]
    if (node === undefined || node.first > range.last) break
    const part = node.inner.find(({ headLast, last }) => headLast < range.first && range.last <= last)
    const found =
      part !== undefined
        ? kindsWithin(part, range, place)
        : node.headLast >= range.first || node.body === null
          ? [node, ...branches(nodes, at)].map((whole) => inItsFunction(kindOf(whole, place), place))
          : kindsWithin(node, range, place)
    for (const kind of found) kinds.add(kind)
  }
  return kinds
}

const firstEndingAt = (nodes: ReadonlyArray<Outline>, line: number): number => {
  let [low, high] = [0, nodes.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((nodes[middle]?.last ?? 0) < line) low = middle + 1
    else high = middle
  }
  return low
}

/** What goes on with the statement before it: `else`, `catch`, `finally`. */
const branches = (nodes: ReadonlyArray<Outline>, at: number): ReadonlyArray<Outline> => {
  const rest = nodes.slice(at + 1, at + 1 + maxBranches)
  const end = rest.findIndex(({ code }) => !branch.test(code))
  return isControlHead(nodes[at]?.code ?? "") ? rest.slice(0, end === -1 ? rest.length : end) : []
}

const branch = /^(?:\}\s*)?(?:else|elif|elsif|elseif|catch|except|rescue|ensure|finally)\b/
const maxBranches = 50

const kindsWithin = (node: Outline, range: Range, place: Place): Kinds =>
  kindsInRange(node.body ?? [], range, within(node, roleOf(node, place.file.language), place))

/** `return null` inside a function that does something is part of what it does. */
const inItsFunction = (kind: Kind, place: Place): Kind => {
  const { enclosing, file } = place
  if ((kind !== "null" && kind !== "guard" && kind !== "constant") || enclosing === null) return kind
  const whole =
    file.functions.get(enclosing) ?? kindOfFunction(enclosing, { ...place, enclosing: null, inClass: false })
  file.functions.set(enclosing, whole)
  return whole === "stub" ? "stub" : "real"
}

type Role = "function" | "class" | "type" | "control" | "container" | "value" | "statement"

const roleOf = (node: Outline, language: Language): Role => {
  if (node.code.length > 4_000) return "value"
  const head = node.code.slice(attributesLength(node.code, language)).trim()
  const bare = withoutModifiers(head)
  if (language.layout === "indent" && language.name !== "unknown") {
    if (/^(?:class|module|defmodule)\b/.test(bare)) return bare.startsWith("class") ? "class" : "container"
    const isDefinition = /^(?:async\s+)?def\b/.test(bare) && !/^def\s+[\w.?!]+\s*(?:\([^)]*\))?\s*=/.test(bare)
    if (node.body === null && !isDefinition) return "statement"
  } else if (node.body === null && !/^(?:async\s+)?(?:def|class)\b[\s\S]*:$/.test(bare)) return "statement"
  if (/^(?:class|object|companion\s+object|actor|@implementation)\b/.test(bare)) return "class"
  if (isTypeHead(head)) return "type"
  if (isFunctionHead(head, language) || isShellFunction(head, language)) return "function"
  if (head === "" || isControlHead(head) || /(?:=>|->)$/.test(bare)) return "control"
  return container.test(bare) ? "container" : "value"
}

const container = /^(?:namespace|module|mod|package|impl|extension|global|static|init|extern|companion)\b/

const isShellFunction = (head: string, language: Language): boolean =>
  language.name === "shell"
    ? /^[\w:.-]+\s*\(\s*\)/.test(head)
    : ["lua", "julia"].includes(language.name) && /\bfunction\b/.test(head)

const within = (node: Outline, role: Role, place: Place): Place => ({
  ...place,
  inClass: role === "class" || role === "type",
  isDeclared: place.isDeclared || isDeclaredOnly(node, role),
  enclosing: role === "function" ? node : role === "class" || role === "type" ? null : place.enclosing
})

const isDeclaredOnly = (node: Outline, role: Role): boolean =>
  role === "class" && /^class\b[\s\S]*\(\s*[^)]*\b(?:Protocol|ABC|ABCMeta|Interface|TypedDict)\b/.test(node.code)

const kindOf = (node: Outline, place: Place): Kind => {
  const { language } = place.file
  const role = roleOf(node, language)
  switch (role) {
    case "statement":
      return isTestWithoutBody(node, place) ? "stub" : kindOfStatement(node.code, node.text, language, place.inClass)
    case "function":
      return kindOfFunction(node, place)
    case "class":
    case "type":
      return kindOfClass(node, role, place)
    case "control":
      return kindOfControl(node, place)
    case "container": {
      const kinds = bodyKinds(node, role, place)
      if (kinds.has("real") || kinds.has("neutral")) return kinds.has("stub") && !kinds.has("real") ? "stub" : "real"
      // `impl Marker for Type {}` says all there is to say
      return kinds.has("stub") || !/^declare\b|^(?:unsafe\s+)?impl\b[\s\S]*\bfor\b|^extension\b[\s\S]*:/.test(node.code)
        ? "stub"
        : "real"
    }
    case "value":
      return kindOfLiteral(node, place)
  }
}

const bodyKinds = (node: Outline, role: Role, place: Place): Kinds => {
  const inside = within(node, role, place)
  const kinds = new Set<Kind>()
  for (const child of node.body ?? []) {
    if (kinds.has("real")) break
    kinds.add(kindOf(child, inside))
  }
  return kinds
}

const kindOfFunction = (node: Outline, place: Place): Kind => {
  if (place.isDeclared || isExempt(node, place)) return "real"
  const kinds = bodyKinds(node, "function", place)
  if (kinds.has("real")) return "real"
  if (isConstructor(node, place) && (node.body ?? []).every(({ code }) => isFiller(code))) return "neutral"
  if (kinds.has("stub")) return "stub"
  if (kinds.has("constant")) return !kinds.has("guard") && isMarked(node, place.file) ? "stub" : "real"
  if (kinds.has("null") || kinds.has("guard")) return "stub"
  return kinds.has("neutral") ? "real" : "stub"
}

/** What a language wants in a body that needs none: `pass`, a documentation string, `end`. */
const isFiller = (code: string): boolean => code === "pass" || code === "end" || !/\w/.test(code)

/** Declared abstract, or complete by its head alone. */
const isExempt = (node: Outline, { file }: Place): boolean =>
  /@(?:[\w.]+\.)?(?:abstractmethod|abstractproperty|overload|abstract)\b/.test(node.code) ||
  /\.(?:pyi|d\.[cm]?ts)$/.test(file.path) ||
  // members are set before the body begins
  ((file.language.name === "c" || file.language.name === "csharp") &&
    /\)\s*(?:noexcept\s*)?:\s*[\w:.]+\s*[({<]/.test(node.code)) ||
  (file.language.name === "c" && /\)\s*:\s*[\w:]+$/.test(node.code))

const isConstructor = (node: Outline, { file: { language } }: Place): boolean => {
  const head = withoutModifiers(node.code.slice(attributesLength(node.code, language)).trim())
  if (
    /^(?:constructor|__construct)\b/.test(head) ||
    /^(?:def|function)\s+(?:__init__|initialize|__construct)\b/.test(head)
  )
    return true
  if (language.name === "swift" && /^(?:init|deinit)\b/.test(head)) return true
  const name = nameBeforeParameters(head)
  const isAlone = name !== null && head.trimStart().startsWith(name) && /^~?[A-Z]/.test(name)
  return isAlone && language.semicolons
}

const remark = /\b(?:TODO|FIXME|TBD|XXX|HACK|STUB|PLACEHOLDER)\b\s*:?\s*([^\n]*)/
const unfinished =
  /implement|stub|placeholder|later|finish|complete|fill|write|\badd\b|mock|dummy|fake|hard-?cod|replace|\breal\b|actual|logic|proper/i

/** A comment inside says that the value returned is not the one that is wanted. */
const isMarked = (node: Outline, { scanned }: File): boolean => {
  for (let line = node.first; line <= node.last; line++) {
    const comment = scanned.comments.get(line) ?? ""
    const said = remark.exec(comment)
    if (said !== null && (!/[\p{L}]/u.test(said[1] ?? "") || unfinished.test(said[1] ?? ""))) return true
    if (/not (?:yet )?implemented|implement (?:me|this|later)|\b(?:placeholder|stub)\b/i.test(comment)) return true
  }
  return false
}

const kindOfClass = (node: Outline, role: "class" | "type", place: Place): Kind => {
  if (
    role === "type" &&
    /^(?:interface|@interface|protocol|@protocol|enum|typedef|type|typealias|union|concept)\b/.test(
      withoutModifiers(node.code)
    )
  )
    return "real"
  const kinds = bodyKinds(node, role, place)
  if (kinds.has("real")) return "real"
  const head = node.code.slice(attributesLength(node.code, place.file.language)).trim()
  const members = (node.body ?? []).some((child) => roleOf(child, place.file.language) === "function")
  // an exception, a marker or a record is done when it has a name, a base or parameters
  if (!members && (role === "type" || /\b(?:extends|implements|with)\b|[:(<]\s*[\w@]/.test(head.replace(/:$/, ""))))
    return "real"
  if (kinds.has("stub") || kinds.has("null") || kinds.has("guard")) return "stub"
  if (kinds.has("neutral") || kinds.has("constant")) return "neutral"
  return role === "type" ? "real" : "stub"
}

const kindOfControl = (node: Outline, place: Place): Kind => {
  const kinds = bodyKinds(node, "control", place)
  if (kinds.has("real") || kinds.has("neutral")) return "real"
  const isChoice =
    /^(?:\}\s*)?(?:else\s+)?(?:if|elif|elsif|for|foreach|while|until|unless|switch|case|match|when|guard|else|default|catch|except|rescue)\b/.test(
      node.code
    )
  const strongest = (["stub", "constant", "guard", "null"] as const).find((kind) => kinds.has(kind))
  if (strongest !== undefined) return isChoice ? guarded(strongest) : strongest
  // a loop whose condition does the work
  const condition = /^(?:for|while|until)\b\s*\(?([\s\S]*)$/.exec(node.code)?.[1] ?? ""
  return /[\w\])]\s*\(/.test(condition) ? "real" : "nothing"
}

const kindOfLiteral = (node: Outline, place: Place): Kind => {
  if (/^return$/.test(node.code) && node.body?.length === 0) return "constant"
  if (isTestWithoutBody(node, place)) return "stub"
  // a property or a block that holds nothing but stubs
  const isAssigned = /[=:(,[]$|\breturn\b|=/.test(node.code)
  if (isAssigned) return place.inClass ? "neutral" : "real"
  const kinds = bodyKinds(node, "value", place)
  return kinds.has("stub") && !kinds.has("real") && !kinds.has("neutral") ? "stub" : "real"
}

const testCall =
  /^(?:await\s+)?(?:it|test|specify|describe|context|\w+\.(?:get|post|put|patch|delete|route|command|action))(?:\.(?:only|each|skip|concurrent|serial))?\s*\(/

/** A test or a route whose callback does nothing. */
const isTestWithoutBody = (node: Outline, place: Place): boolean =>
  testCall.test(node.code) &&
  node.inner.some((part) => roleOf(part, place.file.language) === "function") &&
  node.inner.every(
    (part) =>
      roleOf(part, place.file.language) === "function" &&
      kindOfFunction(part, { ...place, inClass: false, enclosing: null }) === "stub"
  )

// --- data -------------------------------------------------------------------------------------------------------

const dataIsEmpty = ({ language, path, scanned }: File, range: Range): { readonly reason: string } | null => {
  const cited = scanned.text.split("\n").slice(range.first, range.last + 1)
  if (language.name === "css") return cssIsEmpty(scanned, range)
  const left = cited.filter((line) => /[\p{L}\p{N}]/u.test(line) && !/^\s*<\/[\w:.-]+>\s*$/.test(line))
  if (left.length === 0) return empty("only brackets or closing tags")
  if (
    isMarkdown(path) &&
    !sayingLines(scanned.text.split("\n")).some((says, row) => says && row >= range.first && row <= range.last)
  )
    return empty("only headings, ticked boxes or rules")
  const isOpen = (line: string) => /^[\s\-*>#+\d.[\]()]*(?:TODO|FIXME|TBD|XXX)\s*(?:$|[:(.\-–—])/.test(line)
  return language.name === "prose" && left.every(isOpen) ? empty("only a note of what is to be written") : null
}

/** A rule is empty when nothing is declared in it. Rules that begin in the range are followed to their end. */
const cssIsEmpty = (scanned: Scanned, range: Range): { readonly reason: string } | null => {
  let open = 0
  let said = false
  for (const [line, code] of scanned.code.split("\n").entries()) {
    if (line < range.first) continue
    if (line > range.last && open <= 0) break
    for (const char of `${code}\n`) {
      if (char === "{") {
        open++
        said = false
      } else if (char === "}" || char === ";") {
        if (said) return null
        if (char === "}") open--
      } else if (/[\p{L}\p{N}]/u.test(char)) said = true
    }
  }
  return said ? null : empty("only brackets or rules without declarations")
}
