import type { SourceOutline } from "../../../port/index.ts"
import { offsetOf, type Plain } from "../code/plain.ts"
import { endOfBlock } from "./swallowed.ts"
import { isExample, isFuzz, isMisplacedTest, type TestCase } from "./testCases.ts"

/** A file of Go, as its tests are judged. */
interface GoFile {
  readonly path: string
  readonly plain: Plain
  /** Where comments tell what an example prints. */
  readonly outputs: ReadonlyArray<number>
}

/** Why a function of Go that looks like a test is run by nothing, by its name, its body or that of its file. */
export const whyNotRun = ({ outputs, path, plain }: GoFile, { body, end, head, start }: TestCase): string | null => {
  if (/(?:^|\/)(?:[_.][^/]*|testdata\/.*)$/.test(path))
    return "is run by nothing: Go leaves out files whose names begin with '_' or '.', and all of 'testdata'"
  if (isExample.test(head) && !outputs.some((at) => at >= start && at < end)) return withoutOutput
  if (isFuzz.test(head) && body !== null && !fuzzes.test(plain.code.slice(body.from, body.to)))
    return "fuzzes nothing: it calls no 'f.Fuzz'"
  if (/^func\s+test/.test(head)) return "is called by nobody: Go runs functions whose names begin with 'Test'"
  return isMisplacedTest(head) && !path.endsWith("_test.go")
    ? "is run by nothing: Go takes tests from files whose names end in '_test.go'"
    : null
}

/** Of an example, which may be there for people. */
const withoutOutput = "is compiled and not run: it says no '// Output:'"
/** Whether that is all that speaks against tests. */
export const isOnlyShown = (why: string): boolean => why.endsWith(` ${withoutOutput}.`)
/** It does, or hands on what does. */
const fuzzes = /\.\s*Fuzz\s*\(|[(,]\s*[a-z]\w?\s*[,)]/

export const outputsIn = (
  lines: ReadonlyArray<string>,
  { asides }: SourceOutline,
  plain: Plain
): ReadonlyArray<number> =>
  asides
    .filter(
      ({ kind, start }) =>
        kind === "comment" &&
        /^(?:\/\/|\/\*)\s*(?:unordered )?output:/i.test((lines[start.row] ?? "").slice(start.column))
    )
    .map(({ start }) => offsetOf(plain, start))

/** A deferred function takes every panic, and nothing else could make a test fail. `asserts`: whether a piece of code does. */
export const onlyPanics = (code: string, asserts: (code: string) => boolean): boolean =>
  !/(?<![\w.])[a-z]\w?\.(?:Error|Fatal|Fail|Run)|[(,]\s*t\s*[,)]/.test(code) &&
  [...code.matchAll(/\bdefer\s+func\s*\(\s*\)\s*\{/g)].some(({ 0: head, index }) => {
    const open = index + head.length - 1
    const inner = code.slice(open, endOfBlock(code, open))
    return /\brecover\s*\(\s*\)/.test(inner) && !asserts(inner)
  })
