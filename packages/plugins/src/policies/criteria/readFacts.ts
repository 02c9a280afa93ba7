import { Effect } from "effect"
import type { SourceOutline, Span, Syntax } from "../../port/index.ts"
import { bracketFault } from "./brackets.ts"
import { type ChangedFile, type Finding, linesOf } from "./file.ts"
import { jsonFault } from "./json.ts"
import { findingOf, isAllChanged, isMeantToBeBroken, isNew, lastChanged, rowsOf, trustedFaults } from "./syntax.ts"

type Outline = Syntax["Service"]["outline"]

/**
 * Where a changed file does not parse because of its changed lines. Grammars do not know all of a language, and files may
 * have been broken before: what cannot be told from either speaks against nobody.
 */
export const faultsOf = (file: ChangedFile, outline: Outline): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    if (isMeantToBeBroken(file)) return []
    if (/\.json$/i.test(file.path)) return jsonFault(file)
    if (file.outline === null) return []
    const faults =
      file.outline.language === "bash"
        ? yield* unclosedFaults(file, file.outline.faults, outline)
        : trustedFaults(file, file.outline)
    if (faults.length > 0) return yield* ownFaults(file, faults, outline)
    return file.outline.faults.length > 0 ? [] : yield* unmatched(file, file.outline, outline)
  })

/** A shell script is believed to be broken only when a word or sign at its end would mend it. */
const unclosedFaults = Effect.fnUntraced(function* (
  { path, text }: ChangedFile,
  faults: ReadonlyArray<Span>,
  outline: Outline
): Effect.fn.Return<ReadonlyArray<Span>> {
  if (faults.length === 0) return []
  for (const closer of ["}", "fi", "done", "esac", ")", '"', "'"]) {
    const mended = yield* outline(path, `${text}\n${closer}\n`)
    if (mended !== null && mended.faults.length === 0) return faults
  }
  return []
})

const ownFaults = Effect.fnUntraced(function* (
  file: ChangedFile,
  faults: ReadonlyArray<Span>,
  outline: Outline
): Effect.fn.Return<ReadonlyArray<Finding>> {
  const touched = faults.filter((fault) => rowsOf(fault).some((row) => file.isChanged(row)))
  if (touched.length === 0) return []
  const isOwn = faults.every((fault) => isAllChanged(file, rowsOf(fault))) || (yield* isWholeWithout(file, outline))
  return isOwn ? touched.map((fault) => findingOf(file, fault)) : []
})

/** Whether the file parses without its changed lines: then it is they that break it. */
const isWholeWithout = Effect.fnUntraced(function* (file: ChangedFile, outline: Outline): Effect.fn.Return<boolean> {
  const rest = file.lines.map((line, row) => (file.isChanged(row) ? "" : line)).join("\n")
  const found = yield* outline(file.path, `${rest}\n`)
  return found !== null && found.faults.length === 0 && bracketFault(linesOf(rest), found) === null
})

// --- brackets -----------------------------------------------------------------------------------------------------

/** A grammar mends a text in which a bracket is missing without a word. */
const unmatched = Effect.fnUntraced(function* (
  file: ChangedFile,
  known: SourceOutline,
  outline: Outline
): Effect.fn.Return<ReadonlyArray<Finding>> {
  // text between the tags of a page is neither code nor string
  if (file.lines.some((line) => line.includes("</"))) return yield* missingEnd(file, outline)
  const fault = bracketFault(file.lines, known)
  if (fault === null) return []
  const last = lastChanged(file)
  const isOwn = isNew(file) || file.isChanged(fault.row) || (yield* isWholeWithout(file, outline))
  if (last === -1 || !isOwn) return []
  const row = file.isChanged(fault.row) ? fault.row : last
  return [{ path: file.path, line: row + 1, text: fault.text }]
})

const missingEnd = Effect.fnUntraced(function* (
  file: ChangedFile,
  outline: Outline
): Effect.fn.Return<ReadonlyArray<Finding>> {
  const row = lastChanged(file)
  if (row === -1) return []
  const closer = yield* closerOf(file.path, file.text, outline)
  if (closer === null || !(isNew(file) || (yield* isWholeWithout(file, outline)))) return []
  return [{ path: file.path, line: row + 1, text: `a \`${closer}\` is missing: the file ends before all is closed` }]
})

/**
 * A bracket that the end of a text lacks; null: none. A grammar mends a text that ends too early without a word, and so
 * it has nothing against one bracket more, which it would refuse at the end of a text that is whole.
 */
const closerOf = Effect.fnUntraced(function* (
  path: string,
  text: string,
  outline: Outline
): Effect.fn.Return<string | null> {
  const isRefused = Effect.fnUntraced(function* (tail: string): Effect.fn.Return<boolean> {
    const found = yield* outline(path, `${text}\n${tail}\n`)
    return found === null || found.faults.length > 0
  })
  for (const closer of ["}", ")", "]"]) {
    // where any number of them is welcome, one says nothing
    if (!(yield* isRefused(closer)) && (yield* isRefused(closer.repeat(many)))) return closer
  }
  return null
})

const many = 60
