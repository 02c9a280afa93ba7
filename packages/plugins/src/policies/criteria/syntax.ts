import type { SourceOutline, Span } from "../../port/index.ts"
import { bracketFault } from "./brackets.ts"
import { at, type ChangedFile, type Finding } from "./file.ts"

/** Samples for tests of parsers and templates with holes are no programs. */
export const isMeantToBeBroken = ({ lines, path }: ChangedFile): boolean =>
  /(?:^|[/_.-])(?:fixtures?|test-?data|invalid|malformed|broken|bad|corrupt(?:ed)?|templates?|snapshots?|golden|syntax[-_]?errors?)(?:[/_.-]|$)/i.test(
    path
  ) || lines.slice(0, maxHead).some((line) => /@flow\b|\{%[-\s]|\{\{[-~#/]?\s*[\w.]+\s*[|}]|<%[-=\s]/.test(line))

const maxHead = 2_000

/**
 * The grammars of these languages understand all but a few of the files that people write. Those of the others are
 * believed only where brackets do not match either.
 */
const known = new Set(["go", "java", "javascript", "php", "python", "ruby", "tsx", "typescript"])

/** Parts that the grammar does not understand, where that speaks against the text. */
export const trustedFaults = ({ lines, path }: ChangedFile, outline: SourceOutline): ReadonlyArray<Span> => {
  const { faults, language } = outline
  if (faults.length === 0) return []
  if (known.has(language) && !isDeclared(path)) return faults.filter((fault) => !hasNewForm(lines, fault))
  return bracketFault(lines, outline) === null ? [] : faults
}

/** What compilers write has forms that people do not. */
const isDeclared = (path: string): boolean => /\.d\.[cm]?ts$/.test(path)

/** Well known to everything but the grammar: `import("react").Ref<A>` in a type, `export type * from`. */
const hasNewForm = (lines: ReadonlyArray<string>, fault: Span): boolean =>
  rowsOf(fault).length < 4 && rowsOf(fault).some((row) => /\bimport\(["'`]|\bexport\s+type\s+\*/.test(lines[row] ?? ""))

/** A fault where it was changed. */
export const findingOf = (file: ChangedFile, { end, start }: Span): Finding => {
  const row = rowsOf({ start, end }).find((one) => file.isChanged(one) && (file.lines[one] ?? "").trim() !== "")
  const place = row ?? start.row
  return at(file.path, place, file.lines[place] ?? "")
}

/** The rows that a span holds something of. */
export const rowsOf = ({ end, start }: Span): ReadonlyArray<number> => {
  // a span up to the first column of a line holds nothing of it
  const last = end.column === 0 && end.row > start.row ? end.row - 1 : end.row
  return Array.from({ length: last - start.row + 1 }, (_, i) => start.row + i)
}

/** Every one of the rows is new or was changed, or blank. */
export const isAllChanged = ({ isChanged, lines }: ChangedFile, rows: ReadonlyArray<number>): boolean =>
  rows.every((row) => isChanged(row) || (lines[row] ?? "").trim() === "")

/** There was nothing of it when the run began. */
export const isNew = (file: ChangedFile): boolean => isAllChanged(file, [...file.lines.keys()])

/** The last row that was changed; -1: none. */
export const lastChanged = (file: ChangedFile): number =>
  file.lines.findLastIndex((line, row) => file.isChanged(row) && line.trim() !== "")
