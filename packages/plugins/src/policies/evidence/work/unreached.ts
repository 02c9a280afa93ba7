import type { LineRange } from "../../../port/index.ts"
import { languageOf } from "../../../text/languages.ts"
import { sharesWord } from "../asked/askedFor.ts"
import type { Placed } from "../asked/namedPlaces.ts"
import { saidOf } from "../asked/said.ts"
import { anyOf, declaring, standingIn } from "../asked/words.ts"
import { onceFor } from "../code/once.ts"
import { rowOf } from "../code/plain.ts"
import { rowsIn, setOf } from "../code/rowsIn.ts"
import { isImport } from "../code/statements.ts"
import { timesIn } from "../code/timesIn.ts"
import { isTestFile } from "../tests/testCases.ts"
import { bindingIn } from "./bindings.ts"
import { declaresLocal, type IdleAdditions, isFoundByName, isHandedOn, quiet } from "./idleAdditions.ts"
import { isOwn, isSpokenOf, type Named, type Read, readOf } from "./reach.ts"

type File = Placed & { readonly lines: ReadonlyArray<string> }
type ReadFile = File & Read

/** What is new as a whole. */
type Part = Named & { readonly isLocal?: boolean }

/**
 * Functions and values, all that is new in these lines, of which nothing else in the file speaks. Those that only the project can reach do
 * nothing by themselves; what others may use from outside does nothing for an item that asks for another behaviour of what is
 * there, and shares no word with it. Null: something else is new, or it may be found. `fresh`: rows that are new. Pure.
 */
export const unreachedIn = (
  item: string,
  file: File,
  fresh: ReadonlyArray<number>,
  range: LineRange
): IdleAdditions | null => {
  const { lines, outline, path, tokens } = file
  const said = saidOf(item)
  if (outline?.language === "bash" || isTestFile(path) || isFoundByName(path)) return null
  const [isOfNames, isOfWork] = [ofNames.test(said), changing.test(said)]
  if (isOfNames && !isOfWork) return null
  const cited = rowsIn(fresh, range).filter((row) => !quiet.test(tokens[row] ?? ""))
  if (cited.length === 0 || cited.length > maxRows) return null
  const found = readOf(path, lines, outline)
  if (found === null) return null
  const read = { ...file, ...found }
  const functions = functionsIn(fresh)(read)
  const declared: Array<Part> = functions.filter(({ last, row }) => cited.some((one) => one >= row && one <= last))
  for (const row of cited) {
    if (isIn(declared, row) || isImportAt(read, row)) continue
    const value = valueAt(read, row)
    if (value === null) return null
    declared.push(value)
  }
  // one function may be written as several cases
  const all = [...declared, ...functions.filter(({ name }) => declared.some((one) => one.name === name))]
  const rest = read.rows.filter((_, row) => !isIn(all, row)).join("\n")
  const isIdle = (part: Part): boolean => {
    if (isHandedOn(part.head, part.name) || calledByName.test(part.name)) return false
    const isOpen = !isOwn(read, part)
    if (isOpen && (isOfNames || !isOfWork || outline === null || !isPublic(read, part))) return false
    // whoever is to be limited may be asked to: `limitRows()`
    if (isOpen && part.isFunction && sharesWord(part.name, said)) return false
    return !isSpokenOf(rest, part.name) && !hasSiblings(read, part, isOpen, fresh)
  }
  if (declared.length === 0 || !declared.every(isIdle)) return null
  return { declared, isEcho: false, why: "Nothing in the project uses" }
}

/** Whoever writes more than that does something. */
const maxRows = 80

/** What is to be there for others, and what they call it. */
const ofNames = anyOf(
  [
    declaring,
    standingIn,
    String.raw`alias\w*|apis?|callbacks?|constants?|defin\w*|export\w*|extract\w*|functions?|helpers?|hooks?|interfaces?|librar(?:y|ies)|macros?|methods?|move\w*|overload\w*|prepar\w*|refactor\w*|signatures?|split\w*|utils?|utilit\w*|versions?`
  ],
  "関数|定数|メソッド|ヘルパー"
)

/** What is there is to do something otherwise; nothing is to be there for others. */
const changing =
  /^(?:avoid|close|correct|do not|don't|enforce|ensure|fix(?:e[sd])?|handle|honou?r|improve|limit|never|optimi[sz]e|prevent|reduce|reject|release|resolve|respect|restrict|retry|skip|speed up|stop|throttle|wait)\b|^make (?!.*\b(?:accessible|available|possible|public)\b)/i

const isIn = (parts: ReadonlyArray<Part>, row: number): boolean =>
  parts.some((one) => row >= one.row && row <= one.last)
const isImportAt = ({ lines, outline, path, rows }: ReadFile, row: number): boolean => {
  if (outline === null) return isImport((rows[row] ?? "").trim(), rows[row] ?? "", languageOf(path, lines))
  return outline.asides.some(
    ({ end, kind, start }) =>
      kind === "import" && row >= start.row && (row < end.row || (row === end.row && end.column > 0))
  )
}

const functionsIn = onceFor((fresh: ReadonlyArray<number>) => {
  let found: ReadonlyArray<Part> | undefined
  return (file: ReadFile): ReadonlyArray<Part> => {
    found ??= newFunctions(file, setOf(fresh))
    return found
  }
})

/** The outermost ones, each with the line before it that says what it is given. */
const newFunctions = (file: ReadFile, isNew: ReadonlySet<number>): ReadonlyArray<Part> =>
  functionsOf(file).flatMap((one) => {
    const { around, last, name, row } = one
    const isWhole = file.tokens.slice(row, last + 1).every((text, at) => isNew.has(row + at) || quiet.test(text))
    if (!/^[\w$]+[?!']?$/.test(name) || around?.kind === "function" || !isWhole) return []
    const [, spec, type = spec] = signature.exec(file.rows[row - 1] ?? "") ?? []
    return [type === name ? { ...one, row: row - 1 } : one]
  })
const signature = /^\s*(?:(?:@|-)spec\s+(\w+[!?]?)\s*\(|([a-z_][\w']*)\s*::?\s)/

const functionsOf = ({ scopes }: Read): ReadonlyArray<Part> =>
  scopes.flatMap(({ kind, name, ...scope }) =>
    kind === "function" && name !== null ? [{ ...scope, name, isFunction: true }] : []
  )

/** A name that is given what nothing is done for, up to where its brackets close. */
const valueAt = ({ plain, rows, scopes }: ReadFile, row: number): Part | null => {
  const from = plain.starts[row] ?? 0
  const line = rows[row] ?? ""
  let last = row
  for (let at = from; at < from + line.length; at++) last = Math.max(last, rowOf(plain, plain.closers[at] ?? 0))
  const text = rows
    .slice(row, last + 1)
    .join(" ")
    .trim()
  const [, macro] = /^#\s*define\s+([A-Za-z]\w*)\s+\S/.exec(text) ?? []
  const bound = macro === undefined ? bindingIn(text.replace(kinds, "")) : { name: macro, value: "1", words: "" }
  if (bound === null || !isOnlyMade(bound.value)) return null
  const around = scopes.findLast((one) => one.row < row && one.last >= last) ?? null
  const isLocal = around?.kind === "function" && declaresLocal.test(bound.words)
  return { name: bound.name, row, last, head: line.trim(), around, isFunction: false, isLocal }
}
/** Words of some languages between those that a binding may begin with. */
const kinds = /\b(?:constexpr|static(?=\s+(?:const|[A-Z][A-Z\d_]*\s*:))|unsigned|mut|float|\w+\[\])\s+/g

/** Nothing is called but what makes a value. */
const isOnlyMade = (value: string): boolean => {
  if (value.length > maxValue) return false
  const code = value
    .replace(/(["'`])(?:(?!\1)[^\\]|\\.)*\1/g, '""')
    .replace(/\bnew (?:Array|Date|Map|RegExp|Set|WeakMap|WeakSet)\b(?:<[\w, ]*>)?/g, "")
    .replace(
      /\b(?:(?:[A-Z]\w*\.|[A-Z]\w*::)(?:of|from|comparing|compile|parse|empty|days|hours|minutes|seconds|milli)\w*|re\.compile|regexp\.MustCompile|frozenset|set|dict|list|tuple)(?=\()/g,
      ""
    )
  return !/[\w>\])]\s*!?\(|\bnew\b|=>|->|\b(?:await|case|fn|func|function|if|lambda|yield)\b/.test(code)
}
const maxValue = 2_000

/** Others call it by what it is called. */
const calledByName = /^(?:_$|__|read(?:Object|Resolve)|write(?:Object|Replace)|serialVersionUID|on[A-Z_])/

/** At the outermost level, or of a type that is there for its names. */
const isPublic = ({ language, path }: ReadFile, { around, head, isFunction, name }: Part): boolean => {
  if (/^(?:@|#\[|\[)/.test(head) || around?.kind === "function") return false
  if (isFunction) return around?.kind !== "type" && !/\.h\w*$/.test(path)
  return (
    /^[A-Z][A-Z\d_]*$/.test(name) || (language === "go" && /\bconst\b/.test(head)) || /\bconst(?:expr)?\b/.test(head)
  )
}

/** Others like it were there before of which the file does not speak either: somebody finds them. */
const hasSiblings = (file: ReadFile, part: Part, isOpen: boolean, fresh: ReadonlyArray<number>): boolean => {
  const [isNew, { rows }] = [setOf(fresh), file]
  if (!part.isFunction)
    return [part.row - 1, part.last + 1].some((row) => {
      const text = rows[row] ?? ""
      return !isNew.has(row) && (bindingIn(text) !== null || /^\s*#\s*define\b/.test(text))
    })
  return (
    !isOpen &&
    functionsOf(file)
      .filter(({ row }) => !isNew.has(row))
      .slice(0, maxSiblings)
      .some((one) => one.around === part.around && isOwn(file, one) && timesIn(rows.join("\n"), one.name) === 1)
  )
}
const maxSiblings = 50
