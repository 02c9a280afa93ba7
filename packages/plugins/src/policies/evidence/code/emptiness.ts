/**
 * Whether cited lines hold an implementation, judged from the text alone, for data and for languages without a grammar.
 * Comments, documentation, imports, brackets and annotations are taken away; what is left must do something. Where the
 * lines hold the head of a function or class, its whole body is judged, also what lies outside of them. What the rules do
 * not understand counts as implementation.
 */
import { type Language, languageOf } from "../../../text/languages.ts"
import { splitLines, withoutEnd } from "../../../text/lines.ts"
import { type Scanned, scan } from "../../../text/scan.ts"
import { dialectOf } from "./dialects.ts"
import { emptyForms, type Form, formsIn } from "./forms.ts"
import { isMarkdown, sayingLines } from "./markdown.ts"
import { offRows } from "./offRows.ts"
import { once } from "./once.ts"
import { openMarks } from "./openMarks.ts"
import { type Outline, outline } from "./outline.ts"
import { emptyRoutineRows } from "./routines.ts"
import { arrowBody, guardedKind, isImport, isNeverRun, type Kind, kindOfStatement, roleOf } from "./statements.ts"
import { wordedRoutineRows } from "./worded.ts"

/** Null: the lines of the range, from 1, hold an implementation. `lines` are all lines of the file. Pure. */
export type EmptinessRule = (
  path: string,
  lines: ReadonlyArray<string>,
  range: { readonly start: number; readonly end: number }
) => { readonly reason: string } | null

export const isEmpty: EmptinessRule = (path, lines, range) => {
  const { code, file, forms, off, outlined, unwrittenRoutines } = readingOf(path, lines)
  const cited = { first: range.start - 1, last: range.end - 1 }
  if (isBlank(code, cited)) return empty("only blank lines and comments")
  if (isBlank(code, cited, off())) return empty("only what is never shown")
  if (isBlank(code, cited, unwrittenRoutines())) return empty(unwritten)
  if (file.scanned.code.length > maxLength) return partIsEmpty(path, lines, range)
  if (isNotebook(path)) return cellsAreEmpty(lines, cited) ? empty("only cells in which nothing is done") : null
  if (/\.feature$/i.test(path) && isWithoutSteps(code, cited)) return empty("only headings of scenarios without steps")
  if (file.language.layout === "data") return dataIsEmpty(file, cited)
  if (file.language.layout === "forms") {
    const kind = emptyForms(forms(), file.scanned, cited)
    return kind === null ? null : empty(kind === "stub" ? unwritten : "only brackets, imports or decorators")
  }
  const nodes = outlined()
  if (file.language.name === "nix" && isWithoutBindings(code, cited)) return empty("only what it is given and brackets")
  const last = nodes.at(-1)
  // a module of Lua ends by giving itself away
  const isGivenAway = last !== undefined && /^return\s*(?:[\w.]+|\{[\w\s=,.[\]"']*\})$/.test(last.code)
  const found = kindsInRange(isGivenAway ? nodes.slice(0, -1) : nodes, cited, file, null)
  if (found.has("real")) return null
  if (found.has("stub")) return empty(unwritten)
  if (found.has("declared")) return null
  if (found.has("null")) return empty("only a return without a value")
  if (found.has("constant") || found.has("failure")) return null
  return empty("only brackets, imports or decorators")
}

const unwritten = "only a body that does nothing yet"

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
  readonly forms: () => ReadonlyArray<Form>
  /** Rows of templates that are never shown. */
  readonly off: () => ReadonlySet<number>
  /** Rows of functions of a database that do nothing. */
  readonly unwrittenRoutines: () => ReadonlySet<number>
}

/** Many claims may cite one file. */
const readings = new WeakMap<ReadonlyArray<string>, Reading>()

const readingOf = (path: string, lines: ReadonlyArray<string>): Reading => {
  const before = readings.get(lines)
  if (before?.file.path === path) return before
  const language = languageOf(path, lines)
  const scanned = scan(lines.join("").replaceAll("\r", " "), language)
  const file = { path, language, scanned }
  const reading: Reading = {
    file,
    code: withoutMarks(scanned, language),
    outlined: once(() => outline(scanned, language)),
    forms: once(() => formsIn(scanned.code)),
    off: once(() => offRows(scanned.text, language)),
    unwrittenRoutines: once(
      () => new Set([...emptyRoutineRows(scanned, language), ...wordedRoutineRows(path, lines.map(withoutEnd))])
    )
  }
  readings.set(lines, reading)
  return reading
}

/** In a text the words of an item say what counts. */
const withoutMarks = ({ code, continued, text }: Scanned, { name }: Language): ReadonlyArray<string> => {
  const rows = name === "prose" ? new Set<number>() : openMarks(text.split("\n"))
  return code
    .split("\n")
    .map((line, row) => (continued.has(row) ? (line.trim() === "" ? '""' : line) : rows.has(row) ? "" : line))
}

const isBlank = (code: ReadonlyArray<string>, { first, last }: Range, off: ReadonlySet<number> = new Set()): boolean =>
  code.slice(first, last + 1).every((line, at) => line.trim() === "" || off.has(first + at))

const empty = (what: string): { readonly reason: string } => ({ reason: `The lines hold ${what}.` })

/** Of Nix: `{ lib, ... }: { }` */
const isWithoutBindings = (code: ReadonlyArray<string>, { first, last }: Range): boolean =>
  /^\s*(?:\{[^=;]*\}(?:\s*@\s*\w+)?\s*:\s*)?(?:rec\s*)?[{}\s]*$/.test(code.slice(first, last + 1).join("\n"))

/** Of Gherkin: tags and headings, and no step behind the last of them either. */
const isWithoutSteps = (code: ReadonlyArray<string>, { first, last }: Range): boolean => {
  const next = code.findIndex((line, row) => row > last && heading.test(line))
  const rows = code.slice(first, next === -1 ? undefined : next)
  return (
    rows.some((line) => heading.test(line)) && rows.every((line) => /^\s*(?:@.*)?$/.test(line) || heading.test(line))
  )
}
const heading = /^\s*(?:Feature|Rule|Background|Scenario(?: Outline| Template)?|Examples?|機能|背景|シナリオ)\s*:/

interface Range {
  readonly first: number
  readonly last: number
}

interface File {
  readonly path: string
  readonly language: Language
  readonly scanned: Scanned
}

type Kinds = ReadonlySet<Kind>

// --- code -------------------------------------------------------------------------------------------------------

/** What the cited lines hold. A statement whose head they touch counts whole; of others only what they cover. */
const kindsInRange = (nodes: ReadonlyArray<Outline>, range: Range, file: File, around: Outline | null): Kinds => {
  const kinds = new Set<Kind>()
  let whole: Kind | null = null
  for (const node of nodes) {
    if (node.last < range.first) continue
    if (node.first > range.last || kinds.has("real")) break
    if (node.headLast < range.first) {
      if (isNever(node, file)) continue
      const inner = roleOf(node.code, file.language) === "function" ? node : around
      for (const kind of kindsInRange(node.body ?? [], range, file, inner)) kinds.add(kind)
      continue
    }
    const kind = kindOfClause(node, nodes, file)
    // `return null` inside a function that does something is part of what it does
    if (around !== null && minor.has(kind)) {
      whole ??= kindOfFunction(around, file)
      kinds.add(whole)
    } else kinds.add(kind)
  }
  return kinds
}

/** One case of a function does what all of its cases do: `fact(0) -> 1; fact(N) -> …`. */
const kindOfClause = (node: Outline, siblings: ReadonlyArray<Outline>, file: File): Kind => {
  const kind = kindOf(node, file)
  const name = kind === "stub" ? clauseName(node, file) : null
  return name !== null &&
    siblings.some((other) => other !== node && clauseName(other, file) === name && kindOf(other, file) === "real")
    ? "real"
    : kind
}

const clauseName = ({ body, code }: Outline, { language }: File): string | null =>
  body === null || dialectOf(language).hasCases !== true
    ? null
    : (/^(?:defp?\s+)?([a-z_][\w']*[?!]?)/.exec(code)?.[1] ?? null)

const minor: ReadonlySet<Kind> = new Set<Kind>(["null", "constant", "declared", "failure"])

const kindOf = (node: Outline, file: File): Kind => {
  const { language } = file
  const { body, code, text } = node
  if (body === null) {
    const own = kindOfStatement(code, text, language)
    const value = own === "nothing" || own === "declared" ? null : arrowBody(code, text)
    if (value !== null && isGivenBack([{ ...node, ...value }], { ...node, code: value.head }, file)) return "stub"
    if (value !== null)
      return kindOfKinds(
        new Set([kindOfStatement(value.code.replace(/;$/, ""), value.text.replace(/;$/, ""), language)]),
        { ...node, code: value.head },
        file
      )
    return own
  }
  // `import gleam/dict.{type Dict}`
  if (/^(?:import|use)\b/.test(code) && isImport(code, text, language)) return "nothing"
  switch (roleOf(code, language)) {
    case "function":
      return kindOfFunction(node, file)
    case "class":
      return kindOfClass(node, file)
    case "type": {
      const kinds = kindsOfFunctions(body, file)
      return kinds.has("real") ? "real" : kinds.size > 0 ? "stub" : "declared"
    }
    case "control": {
      if (isNever(node, file)) return "nothing"
      const kinds = kindsOf(body, file)
      const strongest = (["real", "stub", "declared", "constant", "failure", "null"] as const).find((kind) =>
        kinds.has(kind)
      )
      return strongest === undefined ? (acting.test(code) ? "real" : "nothing") : guardedKind(strongest)
    }
    case "other": {
      if (language.name === "c" && code === "unittest") return "declared"
      const kinds = kindsOf(body, file)
      return kinds.has("stub") && !kinds.has("real") && !/[=:(,[]$/.test(code) ? "stub" : "real"
    }
  }
}

const isNever = ({ body, text }: Outline, { language }: File): boolean => body !== null && isNeverRun(text, language)

/** A loop whose condition does the work. */
const acting = /^(?:for|while|until)\b[\s\S]*[\w\])]\s*\(/

const kindsOf = (nodes: ReadonlyArray<Outline>, file: File): Kinds => {
  const kinds = new Set<Kind>()
  for (const node of nodes) {
    if (kinds.has("real")) break
    kinds.add(kindOf(node, file))
  }
  return kinds
}

const kindOfFunction = (node: Outline, file: File): Kind =>
  isGivenBack(node.body ?? [], node, file) ? "stub" : kindOfKinds(kindsOf(node.body ?? [], file), node, file)

/** All it does is to give back a word of its head, and a comment says that this is not what is wanted. */
const isGivenBack = (body: ReadonlyArray<Outline>, { code, ...node }: Outline, file: File): boolean => {
  const parameters = body.filter(({ code }) => perlParameters.test(code)).map(({ code }) => code)
  const [statement, ...more] = body.filter(
    (one) => one.body !== null || !(parameters.includes(one.code) || kindOf(one, file) === "nothing")
  )
  if (statement === undefined || statement.body !== null || more.length > 0) return false
  const [, word] = /^(?:return\b\s*)?\(?\s*([\p{L}_$@][\w$']*)\s*\)?[\s;,.]*$/u.exec(statement.code.trim()) ?? []
  return (
    word !== undefined && wordsIn([code, ...parameters].join(" ")).includes(word) && isRemarked({ code, ...node }, file)
  )
}

/** How Perl names what a function is given. */
const perlParameters = /^my\s*(?:\([\s$@%\w,]+\)\s*=\s*@_|\$\w+\s*=\s*shift)\s*;?$/

const wordsIn = (head: string): ReadonlyArray<string> => head.match(/[\p{L}_$@][\w$']*/gu) ?? []

/** A function is real or a stub, by what its statements are. */
const kindOfKinds = (kinds: Kinds, node: Outline, file: File): Kind => {
  if (kinds.has("real")) return "real"
  if (kinds.has("stub")) return "stub"
  if (kinds.has("constant")) return isRemarked(node, file) ? "stub" : "real"
  return kinds.has("failure") && namedForFailure.test(node.code) ? "real" : "stub"
}

const namedForFailure = /throw|raise|fail|panic|abort|error|unsupported|never|assert/i

/** A comment inside says that the value returned is not the one that is wanted. */
const isRemarked = (node: Outline, { scanned }: File): boolean => {
  for (let line = node.first; line <= node.last; line++) if (remark.test(scanned.comments.get(line) ?? "")) return true
  const code = scanned.code.split("\n")
  for (let line = node.first - 1; scanned.comments.has(line) && (code[line] ?? "").trim() === ""; line--)
    if (openTask.test(scanned.comments.get(line) ?? "")) return true
  return false
}

/** What a comment right before a function begins with. */
const openTask = /^\W*(?:TODO|FIXME|TBD|XXX|STUB|PLACEHOLDER)\b/

const remark =
  /\b(?:TODO|FIXME|TBD|XXX|HACK|STUB|PLACEHOLDER)\b|not (?:yet )?implemented|implement (?:me|this|later)|\b(?:placeholder|stub)\b/i

/** Of all functions in a type, however deep. */
const kindsOfFunctions = (nodes: ReadonlyArray<Outline>, file: File): Kinds =>
  new Set(
    nodes.flatMap((node): ReadonlyArray<Kind> => {
      if (node.body === null) return []
      return roleOf(node.code, file.language) === "function"
        ? [kindOf(node, file)]
        : [...kindsOfFunctions(node.body, file)]
    })
  )

/** A class with a base or parameters is done when it has a name. */
const kindOfClass = (node: Outline, file: File): Kind => {
  const members = (node.body ?? []).filter(
    ({ code }) => roleOf(code, file.language) === "function" || arrowBody(code, code) !== null
  )
  const isNamed = /\b(?:extends|implements|with|on)\b|[:(<]\s*[\w@]/.test(node.code)
  if (members.length === 0) {
    const kinds = kindsOf(node.body ?? [], file)
    return isNamed || kinds.has("real") ? "real" : kinds.has("declared") ? "declared" : "stub"
  }
  return members.some((member) => kindOf(member, file) === "real") ? "real" : "stub"
}

// --- data -------------------------------------------------------------------------------------------------------

const dataIsEmpty = ({ language, path, scanned }: File, range: Range): { readonly reason: string } | null => {
  const cited = scanned.text.split("\n").slice(range.first, range.last + 1)
  if (language.name === "css") return cssIsEmpty(scanned, range)
  // of patterns signs alone say something: `*~`
  if (isPatterns(path)) return null
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

export const isNotebook = (path: string): boolean => path.endsWith(".ipynb")

/** All cells with code that the lines touch do nothing, and no text stands beside them. */
const cellsAreEmpty = (lines: ReadonlyArray<string>, { first, last }: Range): boolean => {
  let isCode = false
  let open: Array<string> | null = null
  let found = false
  for (const [row, line] of lines.entries()) {
    const [, type] = /"cell_type":\s*"(\w+)"/.exec(line) ?? []
    if (type !== undefined) isCode = type === "code"
    const inline = /"source":\s*\[(.*)\]/.exec(line)?.[1]
    if (/"source":\s*\[/.test(line)) open = []
    if (open === null) continue
    for (const [text] of (inline ?? (/^\s*"/.test(line) && !/"source":/.test(line) ? line : "")).matchAll(quoted))
      open.push(...splitLines(textIn(text)))
    if (inline === undefined && !/^\s*\]/.test(line)) continue
    const from = row - (inline === undefined ? open.length + 1 : 0)
    if (from <= last && row >= first) {
      const isSaid = open.some((one) => one.trim() !== "")
      if (isCode ? isSaid && isEmpty("cell.py", open, { start: 1, end: open.length }) === null : isSaid) return false
      found ||= isCode
    }
    open = null
  }
  return found
}
const quoted = /"(?:[^"\\]|\\.)*"/g
const textIn = (literal: string): string => {
  try {
    return String(JSON.parse(literal))
  } catch {
    return literal
  }
}

/** Files of which every line names files. */
export const isPatterns = (path: string): boolean => patterns.test(path)
const patterns = /(?:^|\/)(?:\.[\w-]*ignore|\.gitattributes|CODEOWNERS)$/

/** A rule is empty when nothing is declared in it. Rules that begin in the range are followed to their end. */
const cssIsEmpty = (scanned: Scanned, range: Range): { readonly reason: string } | null => {
  let open = 0
  let head = ""
  let said = ""
  for (const [line, code] of scanned.code.split("\n").entries()) {
    if (line < range.first) continue
    if (line > range.last && open <= 0) break
    for (const char of `${code}\n`) {
      if (char === "{") {
        open++
        head = said
        said = ""
      } else if (char === "}" || char === ";") {
        if (/[\p{L}\p{N}]/u.test(said) && !givesBack(said, head)) return null
        said = ""
        if (char === "}") open--
      } else said += char
    }
  }
  return /[\p{L}\p{N}]/u.test(said) ? null : empty("only brackets or rules without declarations")
}

/** A function of a sheet gives back nothing, or what it was given as it was. */
const givesBack = (statement: string, head: string): boolean => {
  const [, value = ""] = /^\s*@return\s+(null|\$[\w-]+)\s*$/.exec(statement) ?? []
  return value === "null" || (value !== "" && new RegExp(`@function[^(]*\\([^)]*\\${value}\\b`).test(head))
}
