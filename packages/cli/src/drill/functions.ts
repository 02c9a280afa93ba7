import type { Declaration, LineRange } from "@proofline/plugins/ports"
import { plantings, type Stub } from "./languages.ts"
import { count, indentAt, newlineOf, offsetOf, replaced, rowOf, type Source, stepOf, wordsOf } from "./text.ts"

/** A function that does something. Lines from 1. */
export interface RealFunction extends LineRange {
  readonly name: string
  readonly path: string
  readonly language: string
  /** Offsets of its body, brackets included where it has them. */
  readonly from: number
  readonly to: number
  /** `ended`: up to its `end`; `opened`: that behind a `do`. */
  readonly form: "brackets" | "indented" | "ended" | "opened"
}

/** A file with something planted in it, and the lines that are cited. */
export interface Planted extends LineRange {
  readonly text: string
}

/** The functions of a file with some lines of code in them; what only begins an object is none. */
export const realFunctions = (source: Source): ReadonlyArray<RealFunction> => {
  const { outline, path, text } = source
  if (plantings[outline.language] === undefined || outline.faults.length > 0) return []
  return outline.declarations.flatMap((one): ReadonlyArray<RealFunction> => {
    const name = nameOf(one, outline.language)
    const body = name === null ? null : bodyOf(source, one)
    if (name === null || body === null || isBeginning(source, one, name)) return []
    const inside = text.slice(body.from, body.to).split("\n").filter(isCode(outline.language))
    const isDefault = inside.length < least
    return isDefault
      ? []
      : [{ name, path, language: outline.language, start: one.start.row + 1, end: one.end.row + 1, ...body }]
  })
}

/** Lines of code that a function must have: of fewer it is hard to say what they do. */
const least = 3

const isCode =
  (language: string) =>
  (line: string): boolean =>
    /\p{L}/u.test(line) &&
    !line.trim().startsWith(plantings[language]?.comment ?? "//") &&
    !/^\s*(?:\/?\*|"""|''')/.test(line)

const scripts = new Set(["javascript", "typescript", "tsx"])

/** Callbacks are named after the call that they are given to. */
const nameOf = ({ kind, name }: Declaration, language: string): string | null =>
  kind === "function" && name !== null && (scripts.has(language) ? /^[\w$]+$/ : /^[\w$.:?!]+$/).test(name) ? name : null

const isBeginning = ({ outline }: Source, one: Declaration, name: string): boolean => {
  const own = name.split(/[.:]+/).at(-1) ?? name
  return (
    /^(?:constructor|__\w+__|initialize|init|deinit|dispose|_+)$/i.test(own) ||
    own === (outline.declarations[one.parent ?? -1]?.name ?? "")
  )
}

/** Where the body of a declaration is, when all of it can be put in the place of another. */
export const bodyOf = (source: Source, one: Declaration): Pick<RealFunction, "from" | "to" | "form"> | null => {
  const { outline, text } = source
  const from = offsetOf(source, one.bodyStart)
  const end = offsetOf(source, one.end)
  const body = text.slice(from, end)
  if (body.trim() === "") return null
  if (outline.language === "python")
    return /^\s*$/.test(text.slice(source.starts[one.bodyStart.row] ?? 0, from))
      ? { from, to: end, form: "indented" }
      : null
  if (outline.language === "ruby") {
    const closing = /\s*\bend$/.exec(body)
    const opening = /^do\b[^\S\n]*(?:\|[^|\n]*\|)?(?=[^\S\n]*\n)/.exec(body)?.[0] ?? ""
    const isOnLines = opening !== "" || one.bodyStart.row > one.start.row
    return closing === null || closing.index < opening.length || !isOnLines
      ? null
      : { from: from + opening.length, to: from + closing.index, form: opening === "" ? "ended" : "opened" }
  }
  const closing = /\}[;,)\s]*$/.exec(body)
  return body.startsWith("{") && closing !== null ? { from, to: from + closing.index + 1, form: "brackets" } : null
}

/** The text with other lines in the place of a body. */
export const withBody = (
  source: Source,
  { form, from, to }: Pick<RealFunction, "from" | "to" | "form">,
  lines: ReadonlyArray<string>
): string => {
  const newline = newlineOf(source.text)
  if (form === "indented" || form === "ended") {
    const indent = indentAt(source, from)
    return replaced(source.text, from, to, lines.length === 0 ? "" : lines.join(`${newline}${indent}`))
  }
  const indent = indentAt(source, from)
  const inside = lines.map((line) => `${newline}${indent}${stepOf(source.text)}${line}`).join("")
  if (form === "opened") return replaced(source.text, from, to, inside)
  return replaced(source.text, from, to, `{${inside}${newline}${indent}}`)
}

export const stubbed = (source: Source, one: RealFunction, { lines }: Stub): Planted => {
  const text = withBody(source, one, lines)
  return { text, start: one.start, end: one.end - count(source.text, "\n") + count(text, "\n") }
}

/** The same function with a comment and a blank line more. */
export const remarked = (source: Source, one: RealFunction): Planted | null => {
  const { text } = source
  const newline = newlineOf(text)
  const at = one.form === "brackets" ? text.indexOf("\n", one.from) + 1 : (source.starts[rowOf(source, one.from)] ?? 0)
  if (one.form === "brackets" && text.slice(one.from + 1, at).trim() !== "") return null
  const indent = /^[ \t]*/.exec(text.slice(at))?.[0] ?? ""
  const comment = `${indent}${plantings[one.language]?.comment} Does what the task asks for.${newline}${newline}`
  return { text: replaced(text, at, at, comment), start: one.start, end: one.end + 2 }
}

/** The file as it was before somebody wrote the function; null where its lines hold something else too, or stand twice. */
export const withoutFunction = (source: Source, one: RealFunction): string | null => {
  const { starts, text } = source
  const from = starts[one.start - 1] ?? 0
  const to = starts[one.end] ?? text.length
  const lines = text.slice(from, to)
  const declared = source.outline.declarations.filter(({ start }) => start.row + 1 === one.start)
  const last = /(?:^|\n)[ \t]*[^\n]*$/.exec(lines.trimEnd())?.[0].trim() ?? ""
  const isAlone = declared.length === 1 && declared[0]?.start.column === indentAt(source, from).length
  if (!isAlone || (one.form === "brackets" && !/^\}[;,)]*$/.test(last))) return null
  if (count(wordsOf(text), wordsOf(text.slice(one.from, one.to))) > 1) return null
  return replaced(text, from, to, "")
}
