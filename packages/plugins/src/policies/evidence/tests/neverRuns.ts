import type { LineRange, SourceOutline } from "../../../port/index.ts"
import { splitLines } from "../../../text/lines.ts"
import { asserts } from "./assertions.ts"
import { maxBody, type TestCase } from "./testCases.ts"
import { fileOf, linesOf, type TestFile, titled, touchedBy } from "./testFile.ts"
import { neverFails } from "./textTests.ts"
import { whyNever } from "./whyNever.ts"

/** A test of a file, with the lines it stands on. */
export interface FoundTest extends LineRange {
  readonly name: string | null
  /** Why it can show nothing, as the end of a sentence that begins with the test; null: it can. */
  readonly never: string | null
  /** What leads to its body: name, options, rows of a table. Blanks are one space. */
  readonly head: string
  /** What in it can make it fail, each as it stands there with what belongs to it. Blanks are one space. */
  readonly assertions: ReadonlyArray<string>
}

/**
 * Why cited lines show nothing although they are a test, as a sentence: it is skipped or disabled, asserts nothing or
 * cannot fail. Null: one of the tests that the lines touch runs and can fail; or they touch none, or hold code of the
 * program beside tests. Without an outline their layout is read where that is known. Pure.
 */
export const neverRuns = (
  path: string,
  lines: ReadonlyArray<string>,
  outline: SourceOutline | null,
  range: LineRange
): string | null => {
  if (outline === null) return neverFails(path, lines, range)
  const file = fileOf(path, lines, outline)
  const touched = touchedBy(file, lines, outline, range)
  const reasons: Array<string> = []
  for (const test of touched) {
    const why = whyNever(file, test)
    if (why === null) return null
    reasons.push(`${titled(file, test)} ${why}`)
  }
  const [first] = reasons
  if (first === undefined) return null
  if (reasons.length === 1) return `${first}.`
  const more = reasons.length > maxShown ? `; and ${reasons.length - maxShown} more` : ""
  return `No test there shows anything: ${reasons.slice(0, maxShown).join("; ")}${more}.`
}

const maxShown = 5

/** The tests of a file in their order, suites left out. */
export const testsIn = (path: string, text: string, outline: SourceOutline): ReadonlyArray<FoundTest> => {
  const file = fileOf(path, splitLines(text), outline)
  return file.cases
    .filter(({ isSuite }) => !isSuite)
    .map((test) => ({
      name: test.name,
      ...linesOf(file, test),
      never: whyNever(file, test),
      head: oneSpaced(test.headText),
      assertions: assertionsIn(file, test)
    }))
}

const oneSpaced = (text: string): string => text.trim().replace(/\s+/g, " ")

/** Line by line, each with the brackets that it opens, the links of a chain below it, and the condition that it stands under. */
const assertionsIn = ({ asserting, plain }: TestFile, { body }: TestCase): ReadonlyArray<string> => {
  if (body === null || body.to - body.from > maxBody) return []
  const found: Array<string> = []
  const { closers, code, text } = plain
  const isBlock = code.charAt(body.from) === "{"
  const to = isBlock ? body.to - 1 : body.to
  let condition = { text: "", end: 0 }
  for (let from = isBlock ? body.from + 1 : body.from; from < to; ) {
    let end = Math.min(to, lineEnd(code, from))
    const line = code.slice(from, end)
    if (asserts(line, asserting)) {
      end = endOfStatement(code, closers, from, to)
      const said = text.slice(from, end)
      found.push(oneSpaced(condition.end > from ? `${condition.text} ${said}` : said))
    } else if (/^\s*(?:\}\s*else\s+)?if\b.*\{\s*$/.test(line)) {
      condition = { text: text.slice(from, end), end: closers[from + line.lastIndexOf("{")] ?? 0 }
    }
    from = end + 1
  }
  return found
}

const lineEnd = (code: string, at: number): number => {
  const end = code.indexOf("\n", at)
  return end === -1 ? code.length : end
}

const endOfStatement = (code: string, closers: Int32Array, from: number, to: number): number => {
  for (let at = from; at < to; at++) {
    const inner = closers[at] ?? 0
    if (inner > at && inner < to) at = inner
    else if (code.charAt(at) === "\n" && !/^\s*(?:\.(?!\.)|\?\.|&&|\|\|)/.test(code.slice(at, at + 400))) return at
  }
  return to
}
