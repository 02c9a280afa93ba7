import type { LineRange, SourceOutline } from "../../../port/index.ts"
import { countIn, rowsOf } from "../code/code.ts"
import { isScript } from "../code/families.ts"
import { offsetOf, type Plain, plainOf, rowOf } from "../code/plain.ts"
import { type Imported, importedIn } from "../code/present.ts"
import { type Asserting, asserts } from "./assertions.ts"
import { outputsIn } from "./goTests.ts"
import { type World, worldOf } from "./ownWorld.ts"
import { leftOut, skipRules } from "./skips.ts"
import { isTestFile, type TestCase, testCasesOf } from "./testCases.ts"
import { helpersOf, importsOf } from "./testHelpers.ts"

/** A file as its tests are judged. */
export interface TestFile {
  readonly path: string
  readonly language: string
  readonly outline: SourceOutline
  readonly plain: Plain
  readonly cases: ReadonlyArray<TestCase>
  /** Code that does nothing, as the outline knows it: `if (false) { … }`. */
  readonly idle: ReadonlyArray<readonly [from: number, to: number]>
  /** Where the grammar lost its way: nothing is concluded from what is missing there. */
  readonly faults: ReadonlyArray<readonly [from: number, to: number]>
  readonly asserting: Asserting
  /** Its assertions throw nothing that could be caught: they tell the runner. */
  readonly failsQuietly: boolean
  readonly imported: Imported
  /** For tests that use nothing but what they make; null: nobody knows. */
  readonly world: World | null
  /** Something is verified after every test. */
  readonly verifiesLater: boolean
  readonly isLeftOut: boolean
  /** Where comments of Go tell what an example prints. */
  readonly outputs: ReadonlyArray<number>
  readonly known: Map<TestCase, string | null>
  /** The suites and tests around each, and of which it is known whether all in them is skipped. */
  readonly around: ReadonlyMap<TestCase, ReadonlyArray<TestCase>>
  readonly skipped: Map<TestCase, boolean>
}

const files = new WeakMap<SourceOutline, TestFile>()

export const fileOf = (path: string, lines: ReadonlyArray<string>, outline: SourceOutline): TestFile => {
  const before = files.get(outline)
  if (before?.path === path) return before
  const plain = plainOf(lines, outline)
  const { language } = outline
  const cases = testCasesOf(path, lines, outline)
  const imports = importsOf(plain, outline)
  const asserting = { language, helpers: helpersOf(plain, outline, cases) }
  const rules = skipRules[language]
  const file: TestFile = {
    path,
    language,
    outline,
    plain,
    cases,
    idle: outline.asides
      .filter(({ kind }) => kind === "nothing")
      .map(({ end, start }) => [offsetOf(plain, start), offsetOf(plain, end)] as const),
    faults: outline.faults.map(({ end, start }) => [offsetOf(plain, start), offsetOf(plain, end)] as const),
    asserting,
    failsQuietly:
      isScript(language) && imports.some((said) => /["'](?:tape|tap|ava|@fast\/tape|@tapjs\/[\w-]+)["']/.test(said)),
    imported: importedIn(language, imports),
    world: cases.length > 0 ? worldOf(language, plain, imports) : null,
    verifiesLater: cases.length > 0 && verifiesAfter(plain, asserting),
    isLeftOut: (language === "go" && leftOut(lines)) || rules?.file?.test(plain.code) === true,
    outputs: language === "go" ? outputsIn(lines, outline, plain) : [],
    known: new Map(),
    around: aroundOf(cases),
    skipped: new Map()
  }
  files.set(outline, file)
  return file
}

const aroundOf = (cases: ReadonlyArray<TestCase>): ReadonlyMap<TestCase, ReadonlyArray<TestCase>> => {
  const open: Array<TestCase> = []
  return new Map(
    cases.map((one) => {
      while (open.length > 0 && (open.at(-1)?.end ?? 0) < one.end) open.pop()
      const around = open.slice(-maxAround)
      open.push(one)
      return [one, around] as const
    })
  )
}

/** Nobody nests suites deeper. */
const maxAround = 50

/** What runs after every test, by its declaration or call: `afterEach(() => …)`, `def tearDown`, `after do`, `t.Cleanup(…)`. */
const afterTests = new RegExp(
  [
    String.raw`(?<![\w$.])(?:afterEach|after)\s*\(\s*(?:async\b\s*)?(?:\(|function\b|["'])`,
    String.raw`(?<![\w$.])after\s*(?::each|\(:each\)|:suite)?\s*(?:do\b|\{)`,
    String.raw`\b(?:def|fun|func|function|void|async|Task)\s+(?:tearDown|teardown|TearDown|teardown_method|after)\w*\s*\(`,
    String.raw`@(?:After|AfterEach|TearDown)\b|\[TearDown\]`,
    String.raw`\b(?:t|tb)\.(?:Cleanup|after|afterEach|teardown)\s*\(`,
    String.raw`^[ \t]*teardown\s*\(\)\s*\{`
  ].join("|"),
  "gm"
)

const verifiesAfter = ({ closers, code }: Plain, asserting: Asserting): boolean =>
  [...code.matchAll(afterTests)].slice(0, 20).some(({ 0: head, index }) => {
    const open = code.indexOf("{", index)
    const isBlock = open !== -1 && open - index < 200 && (closers[open] ?? 0) > open
    return asserts(code.slice(index + head.length, isBlock ? closers[open] : index + 300), asserting)
  })

// --- which tests --------------------------------------------------------------------------------------------------

/** The tests that cited lines mean. */
export const touchedBy = (
  file: TestFile,
  lines: ReadonlyArray<string>,
  outline: SourceOutline,
  range: LineRange
): ReadonlyArray<TestCase> => {
  const { cases, path, plain } = file
  const { acting } = rowsOf(lines, outline)
  const rows = (from: number, to: number) =>
    countIn(acting, Math.max(from, range.start - 1), Math.min(to, range.end - 1))
  const extents = cases.map((one) => ({
    one,
    first: rowOf(plain, one.start),
    last: rowOf(plain, Math.max(one.start, one.end - 1))
  }))
  const within = extents.filter(
    ({ first, last }) => first <= range.end - 1 && last >= range.start - 1 && rows(first, last) > 0
  )
  const tests = within.filter(({ one }) => !one.isSuite)
  const leaves = tests.filter(({ one }, i) => {
    const next = tests[i + 1]?.one
    return next === undefined || next.start >= one.end
  })
  if (!isTestFile(path)) {
    // code of the program beside tests shows something by itself
    const inTests = tests.reduce((sum, { first, last }, i) => {
      const done = Math.max(-1, ...tests.slice(Math.max(0, i - 1), i).map((one) => one.last))
      return sum + rows(Math.max(first, done + 1), last)
    }, 0)
    const inHeads = within
      .filter(({ one }) => one.isSuite)
      .reduce((sum, { first, one }) => sum + rows(first, rowOf(plain, one.body?.from ?? one.start)), 0)
    if (rows(0, lines.length - 1) > inTests + inHeads) return []
  }
  if (leaves.length > 0) return leaves.map(({ one }) => one)
  const suite = within.findLast(({ first, one }) => one.isSuite && first >= range.start - 1)?.one
  return suite === undefined
    ? []
    : cases.filter(({ isSuite, start }) => !isSuite && start >= suite.start && start < suite.end)
}

export const linesOf = ({ plain }: TestFile, { end, start }: TestCase): LineRange => ({
  start: rowOf(plain, start) + 1,
  end: rowOf(plain, Math.max(start, end - 1)) + 1
})

/** The test, as a sentence about it begins. */
export const titled = (file: TestFile, test: TestCase): string => {
  const line = `line ${linesOf(file, test).start}`
  return test.name === null || test.name === "" ? `The test on ${line}` : `The test '${test.name}' (${line})`
}
