import type { Declaration, LineRange, SourceOutline } from "../../../port/index.ts"
import { countIn, rowsOf } from "../code/code.ts"
import { isScript } from "../code/families.ts"
import { offsetOf, type Plain } from "../code/plain.ts"
import { asserts } from "./assertions.ts"
import { isTestFile } from "./testCases.ts"
import { fileOf, type TestFile, touchedBy } from "./testFile.ts"
import { hooks, type Parts, rulesOf } from "./unregisteredRules.ts"

/** A function of a test file that looks like a test, is none of its framework, and is named nowhere else in the file. */
export interface Unregistered {
  readonly name: string
  /** Line of its head. */
  readonly line: number
}

/**
 * Such functions, where cited lines are in them and in nothing else. Whether another file runs them is not known here.
 * Empty: lines of a test, of a helper, of a hook or of code by itself; or the file has no test, so nobody knows what runs it. Pure.
 */
export const unregistered = (
  path: string,
  lines: ReadonlyArray<string>,
  outline: SourceOutline | null,
  range: LineRange
): ReadonlyArray<Unregistered> => {
  const rules = outline === null ? undefined : rulesOf(outline.language)
  if (outline === null || rules === undefined || !(rules.isInline || isTestFile(path))) return []
  const file = fileOf(path, lines, outline)
  if (!rules.isAlwaysTests && !file.cases.some(({ isSuite }) => !isSuite)) return []
  if (rules.dynamic.test(file.plain.code) || touchedBy(file, lines, outline, range).length > 0) return []
  const { acting } = rowsOf(lines, outline)
  const [from, to] = [range.start - 1, range.end - 1]
  const cited = outline.declarations.flatMap((one) => {
    const [first, last] = [Math.max(from, one.start.row), Math.min(to, one.end.row)]
    if (first > last || !isOutermost(file, outline, one)) return []
    const name = nameOf(one)
    const rows = countIn(acting, first, last)
    return name === null ||
      rows === 0 ||
      (rules.hook ?? hooks).test(name) ||
      !mayFail(file, one) ||
      !rules.isLike(partsOf(file, lines, one, name)) ||
      isNamed(file, lines, one, name)
      ? []
      : [{ name, line: one.start.row + 1, rows }]
  })
  return cited.reduce((sum, { rows }) => sum + rows, 0) < countIn(acting, from, to)
    ? []
    : cited.map(({ line, name }) => ({ name, line }))
}

/** What is said of them, as the end of a sentence. */
export const whyUnregistered = (found: ReadonlyArray<Unregistered>, language: string): string => {
  const [first] = found
  if (first === undefined) return ""
  const runs = rulesOf(language)?.runs ?? ""
  if (found.length === 1)
    return `The function '${first.name}' (line ${first.line}) looks like a test, and nothing runs it: it is named nowhere else, and ${runs}.`
  const names = found.slice(0, maxShown).map(({ line, name }) => `'${name}' (line ${line})`)
  const more = found.length > maxShown ? ` and ${found.length - maxShown} more` : ""
  return `Functions look like tests, and nothing runs them: ${names.join(", ")}${more} are named nowhere else, and ${runs}.`
}

const maxShown = 5

const nameOf = ({ kind, name }: Declaration): string | null => {
  const plain = kind === "function" ? (name?.replace(/^(?:module\.)?exports\./, "") ?? null) : null
  return plain !== null && /^[A-Za-z_$][\w$]*$/.test(plain) ? plain : null
}

/** Nothing is around it but suites, classes and groups. */
const isOutermost = ({ cases, plain }: TestFile, { declarations }: SourceOutline, one: Declaration): boolean => {
  for (let at = one; at.parent !== null; ) {
    const around = declarations[at.parent]
    if (around === undefined) return false
    const place = offsetOf(plain, around.start)
    const isSuite = cases.some(({ isSuite, start }) => isSuite && start === place)
    if (around.kind === "function" ? !isSuite : around.kind === "type" && !isSuite) return false
    at = around
  }
  return true
}

/** What it does may make a test fail. */
const mayFail = ({ asserting, faults, plain }: TestFile, { bodyStart, end, start }: Declaration): boolean => {
  const [first, from, last] = [offsetOf(plain, start), offsetOf(plain, bodyStart), offsetOf(plain, end)]
  const hasFault = faults.some(([begin, close]) => begin < last && close > first)
  return !hasFault && asserts(plain.code.slice(from, last), asserting)
}

const partsOf = (file: TestFile, lines: ReadonlyArray<string>, one: Declaration, name: string): Parts => {
  const { outline, plain } = file
  const [start, from, end] = [offsetOf(plain, one.start), offsetOf(plain, one.bodyStart), offsetOf(plain, one.end)]
  const around = one.parent === null ? undefined : outline.declarations[one.parent]
  return {
    name,
    head: plain.code.slice(start, from).trim(),
    body: plain.code.slice(from, end),
    around: around?.kind === "type" ? headOf(plain, around) : null,
    path: file.path,
    isForTests: aroundIt(outline.declarations, one).some((group) => forTests.test(headOf(plain, group))),
    comment: () => commentBefore(file, lines, start)
  }
}

const headOf = (plain: Plain, { bodyStart, start }: Declaration): string =>
  plain.code.slice(offsetOf(plain, start), offsetOf(plain, bodyStart)).trim()

/** What only tests are compiled with. */
const forTests = /#\[cfg\(test\)\]/

const aroundIt = (all: ReadonlyArray<Declaration>, one: Declaration): ReadonlyArray<Declaration> => {
  const around = all[one.parent ?? -1]
  return around === undefined ? [] : [around, ...aroundIt(all, around)]
}

/** The rows of the comment that ends before an offset, blanks apart; empty: there is none. */
const commentBefore = ({ outline, plain }: TestFile, lines: ReadonlyArray<string>, offset: number): string => {
  const before = outline.asides.findLast(({ end, kind }) => kind === "comment" && offsetOf(plain, end) <= offset)
  return before === undefined || plain.text.slice(offsetOf(plain, before.end), offset).trim() !== ""
    ? ""
    : lines.slice(before.start.row, before.end.row + 1).join("")
}

/** What gives a name to other files, whether they use it or not. */
const exported =
  /\bexport\s*(?:type\s*)?\{[^{}]*\}(?!\s*from)|\bmodule\.exports\s*=\s*\{[\w$\s,]*\}|(?<![\w$.])(?:module\.)?exports\.[\w$]+\s*=\s*(?=[\w$]+\s*[;\n])[\w$]+/g

/** Whether something in the file names it: code, a template, a string that is its name, or an annotation in a comment. */
const isNamed = (
  { language, plain }: TestFile,
  lines: ReadonlyArray<string>,
  one: Declaration,
  name: string
): boolean => {
  const { inString = null, mentions } = rulesOf(language) ?? {}
  const [start, end] = [offsetOf(plain, one.start), offsetOf(plain, one.end)]
  const rest = (text: string) => text.slice(0, start) + " ".repeat(end - start) + text.slice(end)
  const code = isScript(language)
    ? rest(plain.code).replace(exported, (said) => " ".repeat(said.length))
    : rest(plain.code)
  const word = `(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`
  const inText = `(["'\`])(?:[\\w.]+\\.)?${word}\\1${inString === null ? "" : `|${inString}${word}`}`
  return (
    new RegExp(word).test(code) ||
    new RegExp(inText).test(rest(plain.text)) ||
    mentions?.(word).test(lines.join("")) === true
  )
}
