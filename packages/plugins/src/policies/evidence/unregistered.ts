import type { Declaration, LineRange, SourceOutline } from "../../port/index.ts"
import { asserts } from "./assertions.ts"
import { countIn, rowsOf } from "./code.ts"
import { isScript } from "./families.ts"
import { fileOf, type TestFile, touchedBy } from "./neverRuns.ts"
import { offsetOf } from "./plain.ts"
import { isTestFile } from "./testCases.ts"

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
  if (outline === null || rules === undefined || !isTestFile(path)) return []
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
    return name === null || rows === 0 || !rules.isLike(partsOf(file, one, name)) || isNamed(file, one, name)
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
  return `Functions look like tests, and nothing runs them: ${names.join(", ")}${more} are named nowhere else, and ${runs.replace("its name is none", "their names are none").replace("gives it", "gives them")}.`
}

const maxShown = 5

interface Parts {
  readonly name: string
  readonly head: string
  readonly body: string
  /** What it does may make a test fail. */
  readonly asserts: boolean
  /** Says of the class around it, of which it is a method; null: it is none. */
  readonly around: string | null
}

interface Rules {
  /** Whether it can be a test, and is none by what it is called. */
  readonly isLike: (parts: Parts) => boolean
  /** By which functions may be called although nobody names them. */
  readonly dynamic: RegExp
  /** Files of the name can be nothing else. */
  readonly isAlwaysTests?: true
  /** What runs, as the end of a sentence. */
  readonly runs: string
}

/** Names that runners and people give to what runs around tests. */
const hook =
  /^_*(?:(?:async_?)?(?:set_?up|tear_?down)(?:_?\w*)?|(?:before|after)_?(?:each|all|class)?|main|run|suite|init|default)$/i

const script: Rules = {
  isLike: ({ asserts, head, name }) =>
    asserts &&
    !hook.test(name) &&
    (/^(?:export\s+)?(?:async\s+)?function\b/.test(head) ||
      /^(?:export\s+)?(?:const|let|var)\s[^=]*=\s*(?:async\s+)?(?:function\b|[(<]|[\w$]+\s*=>)/.test(head) ||
      /^(?:module\.)?exports\.[\w$]+\s*=\s*(?:async\s+)?(?:function\b|[(<]|[\w$]+\s*=>)/.test(head)),
  dynamic:
    /\beval\s*\(|Object\.(?:keys|values|entries)\s*\(\s*(?:module\.)?(?:exports|globalThis|window)|\brequire\s*\(\s*__filename|\bimport\s*\(\s*import\.meta/,
  runs: "no call gives it to the runner"
}

/** A method that its framework does not know, of a class of which nothing else is known either: no other type calls it. */
const annotated = (method: RegExp, runs: string): Rules => ({
  isLike: ({ around, asserts, head, name }) =>
    asserts && !hook.test(name) && method.test(head) && around !== null && plainClass.test(around),
  dynamic: /\bgetDeclaredMethods?\b|\bgetMethods?\b|\bGetMethods?\b|\bdeclaredFunctions\b/,
  runs
})

const plainClass = /^(?:(?:public|internal|final|sealed|open)\s+)*class\s+\w+\s*(?:\(\s*\)\s*)?\{?$/

const rules: Readonly<Record<string, Rules>> = {
  java: annotated(
    /^(?:(?:public|protected|private|final)\s+)*void\s+\w+\s*\(\s*\)\s*(?:throws\s+[\w.,\s]+)?\{?$/,
    "no annotation says that it is a test"
  ),
  kotlin: annotated(
    /^(?:(?:public|private|internal|suspend)\s+)*fun\s+\w+\s*\(\s*\)\s*\{?$/,
    "no annotation says that it is a test"
  ),
  csharp: annotated(
    /^(?:(?:public|private|internal|async)\s+)*(?:void|Task)\s+\w+\s*\(\s*\)\s*\{?$/,
    "no attribute says that it is a test"
  ),
  javascript: script,
  typescript: script,
  tsx: script,
  python: {
    // nose and settings of pytest collect by other patterns, and what is decorated is given to something
    isLike: ({ around, asserts, body, head, name }) =>
      asserts &&
      !/\breturn[ \t]+\S|\byield\b/.test(body) &&
      /^(?:async\s+)?def\b/.test(head) &&
      !hook.test(name) &&
      !/test|^__|^assert|^(?:pytest|load|describe|context|it|its|given|when|then|step|should|spec|scenario|bench|prop)_/i.test(
        name
      ) &&
      (around === null ||
        (/^class\s+\w+\s*(?:\(\s*(?:(?:unittest\.)?(?:IsolatedAsyncio)?TestCase|object)?\s*\))?\s*:/.test(around) &&
          /\(\s*self\s*\)/.test(head))),
    dynamic:
      /\b(?:globals|locals|vars|dir|getattr|setattr|eval|exec)\s*\(|\b__dict__\b|\bgetmembers\b|\bsys\.modules\b|\bimport\s+nose\b|\bFunctionTestCase\b/,
    runs: "its name is none that unittest or pytest collect"
  },
  go: {
    isLike: ({ asserts, body, head, name }) =>
      asserts &&
      !/\.Helper\s*\(\s*\)/.test(body) &&
      /^func\s+\w+\s*\(\s*\w+\s+\*?testing\.(?:T|B|F|TB)\s*\)\s*\{?\s*$/.test(head) &&
      !/^(?:Test|Benchmark|Fuzz|Example)(?![a-z])|^(?:init|main|_)$/.test(name),
    dynamic: /(?!)/,
    isAlwaysTests: true,
    runs: "Go runs functions whose names begin with 'Test', 'Benchmark', 'Fuzz' or 'Example'"
  }
}

const rulesOf = (language: string): Rules | undefined => rules[language]

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

const partsOf = (file: TestFile, one: Declaration, name: string): Parts => {
  const { asserting, outline, plain } = file
  const [start, from, end] = [offsetOf(plain, one.start), offsetOf(plain, one.bodyStart), offsetOf(plain, one.end)]
  const around = one.parent === null ? undefined : outline.declarations[one.parent]
  const hasFault = file.faults.some(([begin, close]) => begin < end && close > start)
  const body = plain.code.slice(from, end)
  return {
    name,
    head: plain.code.slice(start, from).trim(),
    body,
    asserts: !hasFault && asserts(body, asserting),
    around:
      around?.kind === "type"
        ? plain.code.slice(offsetOf(plain, around.start), offsetOf(plain, around.bodyStart)).trim()
        : null
  }
}

/** What gives a name to other files, whether they use it or not. */
const exported =
  /\bexport\s*(?:type\s*)?\{[^{}]*\}(?!\s*from)|\bmodule\.exports\s*=\s*\{[\w$\s,]*\}|(?<![\w$.])(?:module\.)?exports\.[\w$]+\s*=\s*(?=[\w$]+\s*[;\n])[\w$]+/g

/** Whether something in the file names it: code, a template, or a string that is its name. */
const isNamed = ({ language, plain }: TestFile, one: Declaration, name: string): boolean => {
  const [start, end] = [offsetOf(plain, one.start), offsetOf(plain, one.end)]
  const rest = (text: string) => text.slice(0, start) + " ".repeat(end - start) + text.slice(end)
  const code = isScript(language)
    ? rest(plain.code).replace(exported, (said) => " ".repeat(said.length))
    : rest(plain.code)
  const word = `(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`
  return (
    new RegExp(word).test(code) ||
    new RegExp(`(["'\`])(?:[\\w.]+\\.)?${word}\\1|${inString(language)}${word}`).test(rest(plain.text))
  )
}

/** Before what is code in a string: `${name()}`, `f"{name()}"`. */
const inString = (language: string): string => (language === "python" ? "\\{[^{}\\n]*" : "\\$\\{[^}]*")
