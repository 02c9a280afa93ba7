import { truthOf } from "../../../text/conditions.ts"
import { hidden } from "../../../text/parts.ts"
import { isScript } from "../code/families.ts"
import { idleBlocks } from "../code/idleBlocks.ts"
import { aliasesOf, literalsOf, resolved } from "../code/locals.ts"
import { closersOf } from "../code/plain.ts"
import { saysThere } from "../code/present.ts"
import { asserts, blanked, isName, unawaited, withoutTautologies } from "./assertions.ts"
import { fitsAnything } from "./fitsAnything.ts"
import { onlyPanics, whyNotRun } from "./goTests.ts"
import { harnessCalls } from "./harness.ts"
import { usesNothingElse } from "./ownWorld.ts"
import { repeatsIn } from "./repeats.ts"
import { failingByTag, hiddenByTag, skipRules } from "./skips.ts"
import { ofOwnCalls } from "./spies.ts"
import { endOfBlock, withoutSwallowed } from "./swallowed.ts"
import { type Statement, statementsOf } from "./testBody.ts"
import { isExample, maxBody, type TestCase } from "./testCases.ts"
import { linesOf, type TestFile } from "./testFile.ts"

/** Why a test can show nothing, as the end of a sentence that begins with it; null: it can. Pure. */
export const whyNever = (file: TestFile, test: TestCase): string | null => {
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
  // pytest runs no generator
  if (
    language === "python" &&
    !/^\s*@/m.test(test.head) &&
    statementsIn(file, test).some((one) => /^(?:\w+\s*=\s*)?yield\b/.test(one.code))
  )
    return "is run by nothing, as it yields"
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
  const telling = blanked(real, saysThere(real, text, test.headText, language, file.imported))
  if (!asserts(telling, asserting)) return "only asserts that what it imports is there"
  const isSame = (one: string) => !isOfEquality && isName(one) && !/nan/i.test(text)
  const truth = (condition: string): boolean | null =>
    neverLess.test(condition) || differsFromItself.test(condition)
      ? false
      : truthOf(condition, (one) => isSame(one) || repeats.isRepeat(one))
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
    ...skippedWithin(real, language),
    ...besideTest(others, closers, language)
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

/** `!reflect.DeepEqual(got, got)` */
const differsFromItself = /^\s*!\s*(?:reflect\.DeepEqual|(?:bytes|cmp|maps|slices)\.Equal)\(\s*(\w+)\s*,\s*\1\s*\)\s*$/

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

/** What runs beside a test that waits for nothing: it is over before that fails, or is not told. */
const besideTest = (
  code: string,
  closers: Int32Array,
  language: string
): ReadonlyArray<readonly [from: number, to: number]> => {
  const form = started[language]
  if (form === undefined || waits.test(code)) return []
  return [...code.matchAll(form)].flatMap(({ 0: head, index }) => {
    const close = closers[index + head.length - 1] ?? 0
    return close === 0 ? [] : [[index, close + 1] as const]
  })
}

const waits =
  /\.(?:join|await|get|Wait|wait|recv|result|advanceTimers\w*|runAllTimers\w*)\b|<-|\bselect\b|\bsleep\b|\bSleep\b|\b(?:await|done|resolve|waitFor|useFakeTimers|WaitGroup|errgroup|synctest|CountDownLatch|block_on|scope)\b/
const ofScripts = /(?<=(?:^|[;{\n])\s*)(?:setTimeout|setImmediate|queueMicrotask)\s*\(/g
const started: Readonly<Record<string, RegExp>> = {
  javascript: ofScripts,
  typescript: ofScripts,
  tsx: ofScripts,
  go: /(?<=(?:^|[;{\n])\s*)go\s+func\s*\([^()]*\)\s*\{/g,
  rust: /(?<=(?:^|[;{\n])\s*)(?:let _ = )?(?:std::)?(?:thread::spawn|panic::catch_unwind)\s*\(/g,
  java: /(?<=(?:^|[;{\n])\s*)new\s+Thread\s*\(/g
}

/** A command that fails ends a test of bats, unless it was run by `run`. */
const whyBatsUnable = (statements: ReadonlyArray<string>): string | null => {
  const able = statements.filter((code) => !batsIdle.test(code) && !/\|\|\s*(?:true|:)\s*$/.test(code))
  return able.length > 0 ? null : "asserts nothing"
}

const batsIdle =
  /^(?:(?:run|echo|printf|true|:|local|export|declare|return|sleep)\b[^|&]*|:|\w+=\S*|\[{1,2}\s+(?:"[^"$]*"|\d+|true)\s+(?:-eq|=|==|-ne|!=)\s+(?:"[^"$]*"|\d+)\s+\]{1,2}|\[{1,2}\s+"?\$\{?(?:status|#[\w@[\]]+)\}?"?\s+-ge\s+0\s+\]{1,2}|\[{1,2}\s+("?\$\{?\w+\}?"?)\s+(?:-eq|=|==)\s+\1\s+\]{1,2}|\}|\{)$/
