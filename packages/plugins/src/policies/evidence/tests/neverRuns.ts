import type { LineRange, SourceOutline } from "../../../port/index.ts"
import { truthOf } from "../../../text/conditions.ts"
import { splitLines } from "../../../text/lines.ts"
import { hidden } from "../../../text/parts.ts"
import { countIn, rowsOf } from "../code/code.ts"
import { isScript } from "../code/families.ts"
import { idleBlocks } from "../code/idleBlocks.ts"
import { aliasesOf, literalsOf, resolved } from "../code/locals.ts"
import { closersOf, offsetOf, type Plain, plainOf, rowOf } from "../code/plain.ts"
import { importedNames, namesOfImports, saysCallable, saysPresent } from "../code/present.ts"
import { type Asserting, asserts, blanked, isName, unawaited, withoutTautologies } from "./assertions.ts"
import { fitsAnything } from "./fitsAnything.ts"
import { onlyPanics, outputsIn, whyNotRun } from "./goTests.ts"
import { harnessCalls } from "./harness.ts"
import { usesNothingElse, type World, worldOf } from "./ownWorld.ts"
import { repeatsIn } from "./repeats.ts"
import { failingByTag, hiddenByTag, leftOut, skipRules } from "./skips.ts"
import { ofOwnCalls } from "./spies.ts"
import { endOfBlock, withoutSwallowed } from "./swallowed.ts"
import { type Statement, statementsOf } from "./testBody.ts"
import { isExample, isTestFile, maxBody, type TestCase, testCasesOf } from "./testCases.ts"
import { helpersOf, importsOf } from "./testHelpers.ts"

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
 * program beside tests. Without an outline nothing is known. Pure.
 */
export const neverRuns = (
  path: string,
  lines: ReadonlyArray<string>,
  outline: SourceOutline | null,
  range: LineRange
): string | null => {
  if (outline === null) return null
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
  /** Names that are there as soon as the file is loaded. */
  readonly imported: ReadonlySet<string>
  /** All names that it imports. */
  readonly named: ReadonlySet<string>
  /** Those of them that are modules as a whole. */
  readonly modules: ReadonlySet<string>
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
    imported: importedNames(language, imports),
    named: namesOfImports(language, imports),
    modules: importedNames(
      language,
      language === "python" ? imports.filter((said) => !/^\s*from\b/.test(said)) : imports
    ),
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

const linesOf = ({ plain }: TestFile, { end, start }: TestCase): LineRange => ({
  start: rowOf(plain, start) + 1,
  end: rowOf(plain, Math.max(start, end - 1)) + 1
})

const titled = (file: TestFile, test: TestCase): string => {
  const line = `line ${linesOf(file, test).start}`
  return test.name === null || test.name === "" ? `The test on ${line}` : `The test '${test.name}' (${line})`
}

// --- why ----------------------------------------------------------------------------------------------------------

const whyNever = (file: TestFile, test: TestCase): string | null => {
  const before = file.known.get(test)
  if (before !== undefined) return before
  const uncalled = file.language === "go" ? whyNotRun(file, test) : null
  // what an example prints is compared
  const isCompared = uncalled === null && file.language === "go" && isExample.test(test.head)
  const why = isCompared
    ? null
    : (uncalled ?? whySkipped(file, test) ?? whyFailing(file, test) ?? whyUnable(file, test))
  file.known.set(test, why)
  return why
}

const whySkipped = (file: TestFile, test: TestCase): string | null => {
  if (test.isPending === true) return "has a name and nothing that runs"
  const rules = skipRules[file.language]
  if (file.isLeftOut) return "is skipped with its whole file"
  const said = rules?.head?.exec(test.head)?.[0]
  if (said !== undefined) return `is skipped${quotedShort(said)}`
  if (file.language === "cpp" && hiddenByTag(test.headText)) return "is skipped (hidden by its tags)"
  const around = (file.around.get(test) ?? []).find((suite) => isSkippedWhole(file, suite))
  if (around !== undefined) return `is skipped with all of what is around it (line ${linesOf(file, around).start})`
  const first = rules?.first
  if (first === undefined) return null
  const call = firstIn(file, test, first)
  return call === null ? null : `is skipped${quotedShort(call)}`
}

/** What is said of a test before anything in it can fail, or ends it. */
const firstIn = (file: TestFile, test: TestCase, form: RegExp): string | null => {
  for (const statement of statementsIn(file, test)) {
    const code = withoutTrueIf(file, statement)
    const call = form.exec(code)?.[0]
    if (call !== undefined) return call
    if (asserts(code, file.asserting) || /^(?:if|for|while|switch|return|unless|case)\b/.test(code)) return null
  }
  return null
}

/** Its runner lets it pass when it fails: it passes without the work. */
const whyFailing = (file: TestFile, test: TestCase): string | null => {
  const { failing, failingFirst } = skipRules[file.language] ?? {}
  const passes = "passes when it fails"
  const said = failing?.exec(test.head)?.[0]
  if (said !== undefined) return `${passes}${quotedShort(said)}`
  if (file.language === "cpp" && failingByTag(test.headText)) return `${passes} (by its tags)`
  const around = failing === undefined ? undefined : file.around.get(test)?.find(({ head }) => failing.test(head))
  if (around !== undefined) return `${passes}, as all that is around it (line ${linesOf(file, around).start})`
  const call = failingFirst === undefined ? null : firstIn(file, test, failingFirst)
  return call === null ? null : `${passes}${quotedShort(call)}`
}

/** All in it is skipped. */
const isSkippedWhole = (file: TestFile, suite: TestCase): boolean => {
  const before = file.skipped.get(suite)
  if (before !== undefined) return before
  const rules = skipRules[file.language]
  const directly = rules?.suite
  const skipped =
    rules?.head?.test(suite.head) === true ||
    (directly !== undefined && statementsIn(file, suite).some(({ code }) => directly.test(code)))
  file.skipped.set(suite, skipped)
  return skipped
}

/** A condition that always holds is none: `if true { … }`, `if testing.Short() || true { … }`, `if (true) return`. */
const withoutTrueIf = ({ language, plain }: TestFile, { code, from }: Statement): string => {
  if (!/^if\b/.test(code)) return code
  const end = endOfCondition(language, code)
  if (end === -1) return code
  const condition = plain.text
    .slice(from + 2, from + end)
    .split(";")
    .at(-1)
  return truthOf(condition ?? "", () => false) === true ? code.slice(end).replace(/^[\s:{]+/, "") : code
}

/** Where the condition of an `if` ends; -1: nobody knows. */
const endOfCondition = (language: string, code: string): number => {
  if (language === "python") return code.indexOf(":")
  if (language === "ruby") return code.indexOf("\n")
  if (/^(?:go|rust|swift)$/.test(language)) return code.indexOf("{")
  const open = /^if\s*\(/.exec(code)?.[0].length ?? 0
  const close = open === 0 ? 0 : (closersOf(code)[open - 1] ?? 0)
  return close === 0 ? -1 : close + 1
}

const quotedShort = (said: string): string => {
  const text = said
    .replaceAll(hidden, "")
    .replace(/["\n]/g, "")
    .replace(/[\s({[,:=]+$/, "")
    .replace(/^[\s({[,]+/, "")
  return text.length === 0 || text.length > 40 ? "" : ` (${text})`
}

const statementsIn = ({ language, plain }: TestFile, { body }: TestCase): ReadonlyArray<Statement> =>
  body === null || body.to - body.from > maxBody ? [] : statementsOf(plain, body, language)

/** Tests of the comparison itself: what they look at may well be compared with itself. */
const ofEquality = /equal|[rR]eflex|[iI]dentity|\b_*eq_*\b|_eq\b|[sS]ame|NaN|[hH]ash/

const whyUnable = (file: TestFile, test: TestCase): string | null => {
  const { asserting, language, plain } = file
  const { body } = test
  if (body === null || body.to - body.from > maxBody) return null
  if (file.faults.some(([from, to]) => from < test.end && to > test.start)) return null
  if (
    /\b(?:expected|expectedExceptions|ExpectedException)\s*[=(]|should_panic|@expectedException|@[\w.]*(?:[rR]aises|[eE]xpect)\w*|\bthrows\s*:|->\s*(?:throws\w*|fails)\s*\(|\bDoesNotPerformAssertions\b/.test(
      test.head
    )
  )
    return null
  // of Spring: that it can be started is what is tested
  if (test.name?.endsWith("contextLoads") === true) return null
  if (language === "rust" && /->\s*[\w:]*Result\b/.test(test.head)) return null
  // the depth of the first line counts in Python
  const line = plain.code.lastIndexOf("\n", body.from - 1) + 1
  const base = plain.code.slice(line, body.from).trim() === "" ? line : body.from
  const code = plain.code.slice(base, body.to)
  const text = plain.text.slice(base, body.to)
  if (language === "bash")
    return whyBatsUnable(statementsIn(file, test).map(({ from, to }) => plain.text.slice(from, to)))
  if (file.verifiesLater) return null
  if (
    isScript(language) &&
    /^(?:it|test|specify)\s*\(/.test(test.head) &&
    givesFunction(plain.code.slice(body.from, body.to))
  )
    return "has its assertions where they are never reached"
  const idle = file.idle.flatMap(([from, to]) =>
    from >= body.from && to <= body.to ? [[from - base, to - base] as const] : []
  )
  const isOfEquality = ofEquality.test(test.headText)
  const closers = closersOf(code)
  const left = isScript(language) ? unawaited(code) : []
  const own = isScript(language)
    ? blanked(code, [...harnessCalls(code, closers), ...left])
    : language === "swift"
      ? blanked(code, knownIssues(code, closers))
      : code
  if (!asserts(own, asserting)) return left.length > 0 ? "does not wait for what it asserts" : "asserts nothing"
  const aliases = aliasesOf(own, text, language)
  const literals = literalsOf(own, text, language)
  const { held, isRepeat } = repeatsIn(test.headText, own, text, language)
  const repeats = { isRepeat, held: new Map([...aliases, ...held]) }
  const able = withoutTautologies(own, text, language, isOfEquality, literals, repeats)
  const real = blanked(able, fitsAnything(able, text, test.headText, language))
  if (!asserts(real, asserting)) return "only asserts what always holds"
  const telling = blanked(real, [
    ...saysPresent(real, test.headText, language, file.imported),
    ...saysCallable(real, text, test.headText, language, { modules: file.modules, names: file.named })
  ])
  if (!asserts(telling, asserting)) return "only asserts that what it imports is there"
  const isSame = (one: string) => !isOfEquality && isName(one) && !/nan/i.test(text)
  const truth = (condition: string): boolean | null =>
    neverLess.test(condition) ? false : truthOf(condition, (one) => isSame(one) || repeats.isRepeat(one))
  if (file.world !== null && usesNothingElse({ code: own, text, head: test.head }, file.world))
    return "uses nothing but what it makes itself"
  const others = blanked(telling, ofOwnCalls(telling, text, test.headText, language))
  if (!asserts(others, asserting)) return "only asserts that what it calls itself was called"
  const reached = blanked(others, [
    ...idle,
    ...idleBlocks(
      { code, text, closers, truthOf: (condition) => truth(resolved(condition, new Map([...aliases, ...literals]))) },
      language
    ),
    ...unreached(file, test, base),
    ...skippedWithin(real, language)
  ])
  if (!asserts(reached, asserting)) return "has its assertions where they are never reached"
  if (language === "go" && onlyPanics(reached, (inner) => asserts(inner, asserting)))
    return "catches every failure of its assertions and goes on"
  return file.failsQuietly || asserts(withoutSwallowed(reached, asserting, countsAssertions.test(code)), asserting)
    ? null
    : "catches every failure of its assertions and goes on"
}

/** Nothing has fewer parts than none. */
const neverLess = /^\s*len\((?:[^()]|\([^()]*\))*\)\s*<\s*0\s*$/

const countsAssertions = /\bexpect\.(?:assertions\s*\(\s*[1-9]|hasAssertions\b)|\.plan\s*\(\s*[1-9]/

/** The function of a test only gives back another one, which no runner calls. */
const givesFunction = (code: string): boolean =>
  /^(?:async\s*)?(?:\([^()]*\)|[\w$]+)\s*(?::[^=\n]*)?=>|^(?:async\s+)?function\b/.test(code)

/** Blocks of Swift Testing that pass when what is in them fails. */
const knownIssues = (code: string, closers: Int32Array): ReadonlyArray<readonly [from: number, to: number]> =>
  [...code.matchAll(/(?<![\w.])withKnownIssue\b[^{};]{0,200}\{/g)].flatMap(({ 0: head, index }) => {
    const close = closers[index + head.length - 1] ?? 0
    return close === 0 ? [] : [[index, close + 1] as const]
  })

/** What stands behind an unconditional `return`. */
const unreached = (
  file: TestFile,
  test: TestCase,
  from: number
): ReadonlyArray<readonly [from: number, to: number]> => {
  const statements = statementsIn(file, test)
  const end = statements.find(
    (statement) =>
      /^(?:return\b|sys\.exit\(|os\._exit\(|process\.exit\()/.test(withoutTrueIf(file, statement)) &&
      !/\s(?:if|unless)\s/.test(statement.code)
  )
  const last = statements.at(-1)
  return end === undefined || last === undefined || last === end ? [] : [[end.to - from, last.to - from]]
}

/** Tests of Go within a test that are skipped. */
const skippedWithin = (code: string, language: string): ReadonlyArray<readonly [from: number, to: number]> =>
  language !== "go"
    ? []
    : [...code.matchAll(/\bfunc\s*\(\s*(\w+)\s+\*testing\.\w+\s*\)\s*\{(?=\s*\1\.Skip(?:f|Now)?\s*\()/g)].map(
        ({ 0: head, index }) => [index, endOfBlock(code, index + head.length - 1)] as const
      )

/** A command that fails ends a test of bats, unless it was run by `run`. */
const whyBatsUnable = (statements: ReadonlyArray<string>): string | null => {
  const able = statements.filter((code) => !batsIdle.test(code) && !/\|\|\s*(?:true|:)\s*$/.test(code))
  return able.length > 0 ? null : "asserts nothing"
}

const batsIdle =
  /^(?:(?:run|echo|printf|true|:|local|export|declare|return|sleep)\b[^|&]*|:|\w+=\S*|\[{1,2}\s+(?:"[^"$]*"|\d+|true)\s+(?:-eq|=|==|-ne|!=)\s+(?:"[^"$]*"|\d+)\s+\]{1,2}|\}|\{)$/
