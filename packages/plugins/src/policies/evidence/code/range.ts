import type { Declaration, Hiding, LineRange, Position, SourceOutline, Span } from "../../../port/index.ts"
import { codeIn } from "./code.ts"
import { isEmpty, isNotebook } from "./emptiness.ts"
import { tokensOf } from "./tokens.ts"

/** What cited lines hold. */
export interface Finding {
  /** Why they count as no implementation, in words; null when they are one. */
  readonly empty: string | null
  /** The lines that were judged: those cited, widened to the declarations whose heads are among them. */
  readonly covers: LineRange
  /** The smallest declaration around them; null outside of one and where no grammar is known. */
  readonly declaration: FoundDeclaration | null
  /** What takes the place of what was cited further down in the file, in a sentence; null: nothing does. */
  readonly hidden: string | null
}

export interface FoundDeclaration extends LineRange {
  /** With the names of the declarations around it, joined by dots. */
  readonly name: string
  readonly kind: string
  /** Its tokens as one text: two declarations of the same tokens differ in comments and layout at most. */
  readonly tokens: string
}

/** A function that is judged together with others, and is empty. */
export interface Emptied extends LineRange {
  readonly name: string | null
  /** Its head is cited. */
  readonly isCited: boolean
  /** How many of the others are not empty. */
  readonly filled: number
}

/** Whether such a function is none of what is cited, or has nothing to do: it need not be implemented. */
export type IsOther = (unit: Emptied) => boolean

/** Says what lines of a file hold. Pure. */
export type Rule = (
  path: string,
  lines: ReadonlyArray<string>,
  outline: SourceOutline | null,
  range: LineRange,
  isOther?: IsOther
) => Finding

/** What lines of a file hold. `lines` are all lines of the file with their ends; no outline: judged by the text. Pure. */
export const findingOf: Rule = (path, lines, outline, range, isOther = () => false) => {
  if (outline === null) return { empty: byText(path, lines, range), covers: range, declaration: null, hidden: null }
  const code = codeIn(path, lines, outline, range)
  if (typeof code === "string") {
    const place = { row: range.start - 1, column: 0 }
    const around = smallestAround(outline, { start: place, end: { row: range.end - 1, column: 0 } }, isAny)
    return { empty: code, covers: range, declaration: found(lines, outline, around), hidden: null }
  }
  const subject = subjectOf(outline, code)
  const around = smallestAround(outline, code, isNamed) ?? alone(subject.units)
  return {
    empty: refusalOf(outline, lines, subject, isOther) ?? doubtful(path, lines, outline, range, code),
    covers: {
      start: Math.min(range.start, ...subject.heads.map(({ start }) => start.row + 1)),
      end: Math.max(range.end, ...subject.heads.map(({ end }) => end.row + 1))
    },
    declaration: found(lines, outline, around),
    hidden: hiddenIn(path, outline, subject, around)
  }
}

/** All that is cited is replaced, or something around it is. */
const hiddenIn = (
  path: string,
  { declarations }: SourceOutline,
  { units }: Subject,
  around: Declaration | null
): string | null => {
  for (let at = around; at !== null; at = at.parent === null ? null : (declarations[at.parent] ?? null))
    if (at.hidden !== null) return hidingOf(path, declarations, at, at.hidden)
  const hidden = units.flatMap((unit) =>
    unit.hidden === null ? [] : [hidingOf(path, declarations, unit, unit.hidden)]
  )
  return units.length > 0 && hidden.length === units.length ? (hidden[0] ?? null) : null
}

const hidingOf = (
  path: string,
  declarations: ReadonlyArray<Declaration>,
  declared: Declaration,
  { row, text }: Hiding
): string =>
  `${titled(declarations, declared)} is not what its name stands for: ${path}:${row + 1} (\`${text}\`) takes its place.`

/** Every declaration of a file that has a name, the outer one before those in it. */
export const declarationsOf = (lines: ReadonlyArray<string>, outline: SourceOutline): ReadonlyArray<FoundDeclaration> =>
  outline.declarations.flatMap((declaration) =>
    declaration.name === null ? [] : (found(lines, outline, declaration) ?? [])
  )

/** Why a file as a whole is nothing but stubs, in words; null: something is done in it, or nothing can be done. Pure. */
export const allStubs = (path: string, lines: ReadonlyArray<string>, outline: SourceOutline): string | null => {
  const range = { start: 1, end: lines.length }
  const code = codeIn(path, lines, outline, range)
  if (typeof code === "string") return null
  const units = unitsIn(outline, code)
  return units.every(({ empty }) => empty !== null) ? refusalOf(outline, lines, { units, heads: [] }) : null
}

const byText = (path: string, lines: ReadonlyArray<string>, range: LineRange): string | null =>
  isEmpty(path, lines, range)?.reason ?? null

/** Where the grammar lost its way in the cited lines, the text has the last word. */
const doubtful = (
  path: string,
  lines: ReadonlyArray<string>,
  { faults }: SourceOutline,
  range: LineRange,
  code: Span
): string | null =>
  // what stands around the cells of a notebook is no program, and says nothing
  isNotebook(path) || faults.some((fault) => isBefore(fault.start, code.end) && isBefore(code.start, fault.end))
    ? byText(path, lines, range)
    : null

// --- what it belongs to -------------------------------------------------------------------------------------------

/** What is judged for some code. */
interface Subject {
  /** The declarations that it stands or falls with. */
  readonly units: ReadonlyArray<Declaration>
  /** Those, and what holds them, whose heads are cited: they are meant as a whole. */
  readonly heads: ReadonlyArray<Span>
}

const subjectOf = (outline: SourceOutline, code: Span): Subject => {
  const around = smallestAround(outline, code, ({ kind }) => kind === "function")
  if (around === null) {
    const wide = widened(outline, code)
    const units = unitsIn(outline, wide)
    return { units, heads: wide === code ? units.filter((unit) => isHeadIn(unit, code)) : [wide] }
  }
  if (isHeadIn(around, code)) return { units: [around], heads: [around] }
  const inner = unitsIn(outline, code, around)
  // a helper among other statements is a detail of the function; functions by themselves are what is cited
  return isMadeOf(code, inner)
    ? { units: inner, heads: inner.filter((unit) => isHeadIn(unit, code)) }
    : { units: [around], heads: [] }
}

const isHeadIn = ({ bodyStart, start }: Declaration, code: Span): boolean =>
  isBefore(code.start, bodyStart) && isBefore(start, code.end)

/** Functions and types without any, outermost first, that the span touches. */
const unitsIn = (outline: SourceOutline, span: Span, within: Declaration | null = null): ReadonlyArray<Declaration> => {
  const { declarations } = outline
  const units: Array<Declaration> = []
  for (const [index, declaration] of declarations.entries()) {
    if (within === declaration || !isBefore(declaration.start, span.end) || !isBefore(span.start, declaration.end))
      continue
    if (within !== null && !isInside(declaration, within)) continue
    const last = units.at(-1)
    if (last !== undefined && last.kind === "function" && isInside(declaration, last)) continue
    if (isUnit(declarations, index)) units.push(declaration)
  }
  return units
}

/** A function, a type without functions or types that need nothing more, and a namespace with nothing in it. */
const isUnit = (declarations: ReadonlyArray<Declaration>, index: number): boolean => {
  const declaration = declarations[index]
  if (declaration === undefined) return false
  const { empty, kind } = declaration
  if (kind === "function") return true
  if (kind === "group") return empty !== null
  return !holds(declarations, index, (one) => one.kind === "function" || (empty !== null && one.empty === null))
}

/** Whether one of the declarations in a type is such. */
const holds = (
  declarations: ReadonlyArray<Declaration>,
  index: number,
  is: (declaration: Declaration) => boolean
): boolean => {
  const type = declarations[index]
  for (let at = index + 1; at < declarations.length; at++) {
    const next = declarations[at]
    if (type === undefined || next === undefined || !isBefore(next.start, type.end)) return false
    if (is(next)) return true
  }
  return false
}

/** The span, or the whole of the type or group whose head it begins in. */
const widened = (outline: SourceOutline, code: Span): Span => {
  const around = smallestAround(outline, code, ({ kind }) => kind !== "function")
  return around !== null && isHeadIn(around, code) ? around : code
}

/** Declaration follows declaration, with a few blank lines or comments between them at most. */
const isMadeOf = (code: Span, units: ReadonlyArray<Declaration>): boolean => {
  const [first] = units
  const last = units.at(-1)
  if (first === undefined || last === undefined) return false
  if (isBefore(code.start, first.start) || isBefore(last.end, code.end)) return false
  return units.every((unit, i) => (units[i + 1]?.start.row ?? unit.end.row) - unit.end.row <= 3)
}

const refusalOf = (
  { declarations }: SourceOutline,
  lines: ReadonlyArray<string>,
  { heads, units }: Subject,
  isOther: IsOther = () => false
): string | null => {
  const filled = units.filter(({ empty }) => empty === null).length
  const empties = units.filter(
    (unit) =>
      unit.empty !== null &&
      !units.some((other) => isOtherCase(lines, unit, other)) &&
      !isOther({
        name: unit.name,
        start: unit.start.row + 1,
        end: unit.end.row + 1,
        isCited: heads.includes(unit),
        filled
      })
  )
  const [only] = empties
  if (only === undefined) return null
  if (units.length === 1) return `${titled(declarations, only)} ${only.empty}.`
  const shown = empties.slice(0, maxShown).map((unit) => `${titled(declarations, unit)} ${unit.empty}`)
  const more = empties.length > maxShown ? `; and ${empties.length - maxShown} more` : ""
  const how = empties.length === units.length ? "All functions there are empty" : "Some functions there are empty"
  return `${how}: ${shown.join("; ")}${more}.`
}

/**
 * Whether a function is another one where a condition does not hold, and that one is written: nothing is to be done for the
 * platforms of this branch.
 */
const isOtherCase = (lines: ReadonlyArray<string>, unit: Declaration, other: Declaration): boolean => {
  if (unit.name === null || unit.name !== other.name || unit.parent !== other.parent) return false
  if (other.empty !== null || !blank.test(unit.empty ?? "")) return false
  const [first, second] = isBefore(unit.start, other.start) ? [unit, other] : [other, unit]
  return lines.slice(first.end.row, second.start.row + 1).some((line) => otherwise.test(line))
}
const blank = /^(?:has an empty body|holds only comments)$/
const otherwise = /^\s*(?:\}\s*)?#?\s*(?:else|el(?:se?)?if)\b/

const maxShown = 5

/** What a declaration is called, and where it is: `Store.save (line 9)`. */
export const titled = (declarations: ReadonlyArray<Declaration>, declaration: Declaration): string =>
  declaration.name === null
    ? `What begins on line ${declaration.start.row + 1}`
    : `${qualified(declarations, declaration)} (line ${declaration.start.row + 1})`

// --- names --------------------------------------------------------------------------------------------------------

const isAny = (): boolean => true

const isNamed = ({ name }: Declaration): boolean => name !== null

const alone = (units: ReadonlyArray<Declaration>): Declaration | null =>
  units.length === 1 && units[0]?.name !== null ? (units[0] ?? null) : null

/** Later ones are never larger: they begin no earlier, and those that hold the span hold one another. */
const smallestAround = (
  { declarations }: SourceOutline,
  span: Span,
  matches: (declaration: Declaration) => boolean
): Declaration | null => {
  let smallest: Declaration | null = null
  for (const declaration of declarations) {
    if (isBefore(span.start, declaration.start)) break
    if (!isBefore(declaration.end, span.end) && matches(declaration)) smallest = declaration
  }
  return smallest
}

const found = (
  lines: ReadonlyArray<string>,
  outline: SourceOutline,
  declaration: Declaration | null
): FoundDeclaration | null =>
  declaration === null || declaration.name === null
    ? null
    : {
        name: qualified(outline.declarations, declaration),
        kind: declaration.kind,
        start: declaration.start.row + 1,
        end: declaration.end.row + 1,
        tokens: tokensOf(lines, outline, declaration)
      }

const qualified = (declarations: ReadonlyArray<Declaration>, declaration: Declaration): string => {
  const names: Array<string> = []
  for (let at: Declaration | undefined = declaration; at !== undefined; at = declarations[at.parent ?? -1]) {
    if (at.name !== null) names.unshift(at.name)
  }
  return names.join(".")
}

const isBefore = (a: Position, b: Position): boolean => a.row < b.row || (a.row === b.row && a.column < b.column)

const isInside = (inner: Span, outer: Span): boolean =>
  !isBefore(inner.start, outer.start) && !isBefore(outer.end, inner.end)
