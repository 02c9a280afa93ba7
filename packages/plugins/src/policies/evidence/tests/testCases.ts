import type { Declaration, SourceOutline } from "../../../port/index.ts"
import { offsetOf, type Plain, plainOf } from "../code/plain.ts"

/** A test, or a suite of tests, in a file. Places are offsets in its plain text. */
export interface TestCase {
  readonly isSuite: boolean
  /** What is said of it before its body: annotations, name, what is called and with which options; strings hidden. */
  readonly head: string
  /** The same with strings. */
  readonly headText: string
  /** Null: it has no name of its own. */
  readonly name: string | null
  readonly start: number
  readonly end: number
  /** What runs; null: nothing does, or it is a function from elsewhere. */
  readonly body: { readonly from: number; readonly to: number } | null
  /** Nothing but its name is given: it is still to be written. */
  readonly isPending?: true
}

/** Characters: longer bodies are not looked into, for they do something. */
export const maxBody = 100_000

/** The tests and suites of a file, the outer ones before those in them. */
export const testCasesOf = (
  path: string,
  lines: ReadonlyArray<string>,
  outline: SourceOutline
): ReadonlyArray<TestCase> => {
  const plain = plainOf(lines, outline)
  const declared = declaredTests[outline.language]
  const found = [
    ...(declared === undefined ? [] : outline.declarations.flatMap((one) => declaredCase(path, plain, outline, one))),
    ...calledCases(path, plain, outline)
  ]
  return found
    .toSorted((a, b) => a.start - b.start || b.end - a.end)
    .filter(({ start }, i, all) => start !== all[i - 1]?.start)
}

/** Whether a file is there for tests, by its name. */
export const isTestFile = (path: string): boolean =>
  /(?:^|\/)(?:__tests__|[Tt]ests?|specs?|testing)\/|(?:^|\/)test_[^/]*$|[._-](?:test|spec|tests|specs|cy|e2e)\.\w+$|(?:Tests?|Spec|IT)\.\w+$|\.bats$|(?:^|\/)(?:conftest|tests)\.py$|(?:^|\/)tests?\.[cm]?[jt]sx?$/.test(
    path
  )

// --- tests that are declarations ----------------------------------------------------------------------------------

interface Declared {
  readonly declaration: Declaration
  readonly path: string
  readonly head: string
  readonly headText: string
  readonly plain: Plain
  /** Heads of the types around it, strings hidden. */
  readonly around: string
}

type Kind = "test" | "suite" | null

/** A test of Go in a file that is none of tests. */
export const isMisplacedTest = (head: string): boolean =>
  /^func\s+Test(?:[A-Z_\d]\w*)?\s*\(\s*\w+\s+\*testing\.T\s*\)/.test(head)

const annotated =
  /@(?:[\w.]+\.)?(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property|Example|QuarkusTest)\b/

const jvm = ({ declaration, head, path }: Declared): Kind =>
  declaration.kind === "function" ? (annotated.test(head) ? "test" : null) : isTestFile(path) ? "suite" : null

const attributed =
  /\[(?:\s*\w+(?:\([^\]]*\))?\s*,)*\s*(?:Test|Fact|Theory|TestMethod|DataTestMethod|TestCase|TestCaseSource|SkippableFact|SkippableTheory)(?:Attribute)?\b/

/** `TestMain(m *testing.M)` is none, nor is a method that gives something back. */
const goTest =
  /^func\s+\w+\s*\(\s*\w+\s+\*testing\.T\s*\)|^func\s*\([^)]*\)\s*\w+\s*\(\s*(?:\w+\s+\*(?:\w+\.)?[CT]\s*)?\)\s*\{?\s*$/

/** What Go runs beside tests. */
export const isFuzz = /^func\s+Fuzz(?:[^a-z]\w*)?\s*\(\s*\w+\s+\*testing\.F\s*\)/
export const isExample = /^func\s+Example(?:[^a-z]\w*)?\s*\(\s*\)/

const rspec = /^(?:RSpec\.)?[fx]?(?:it|specify|example|scenario|test|should)\b/
const rspecSuite = /^(?:RSpec\.)?[fx]?(?:describe|context|feature)\b/

const declaredTests: Readonly<Record<string, (declared: Declared) => Kind>> = {
  python: ({ around, declaration, path }) => {
    const isTestCase = /\b(?:TestCase|Tests?)\b/.test(around)
    if (declaration.kind === "type") return isTestFile(path) ? "suite" : null
    // a function within a function is called by it
    if (/\bdef\s/.test(around)) return null
    return /^test/.test(declaration.name ?? "") && (isTestFile(path) || isTestCase) ? "test" : null
  },
  go: ({ declaration, head, path, plain }) =>
    (path.endsWith("_test.go")
      ? isFuzz.test(head) ||
        isExample.test(head) ||
        (/^(?:\w+\.)?Test(?:[^a-z]|$)/.test(declaration.name ?? "") && goTest.test(head)) ||
        isLikeTest(head, plain)
      : isMisplacedTest(head)) &&
    declaration.kind === "function" &&
    /^func\b/.test(head)
      ? "test"
      : null,
  java: jvm,
  kotlin: jvm,
  scala: jvm,
  csharp: ({ declaration, head, path }) =>
    declaration.kind === "function" ? (attributed.test(head) ? "test" : null) : isTestFile(path) ? "suite" : null,
  rust: ({ declaration, head }) =>
    declaration.kind === "function"
      ? /#\[\s*(?:\w+::)*(?:test|rstest|test_case|case|wasm_bindgen_test|quickcheck)\b/.test(head)
        ? "test"
        : null
      : declaration.kind === "group"
        ? "suite"
        : null,
  php: ({ around, declaration, head, path }) => {
    if (declaration.kind === "type") return isTestFile(path) ? "suite" : null
    if (/#\[\s*\\?(?:[\w\\]+\\)?Test\b/.test(head)) return "test"
    return /^test/.test(declaration.name ?? "") && /Test(?:Case)?\b/.test(around) ? "test" : null
  },
  swift: ({ around, declaration, head, plain }) => {
    // a type is a suite also by the tests in it
    if (declaration.kind === "type") {
      const body = plain.code.slice(offsetOf(plain, declaration.bodyStart), offsetOf(plain, declaration.end))
      return /@Suite\b|XCTestCase\b/.test(head) || /@Test\b/.test(body) ? "suite" : null
    }
    return /@Test\b/.test(head) || (/^test/.test(declaration.name ?? "") && /XCTestCase\b/.test(around)) ? "test" : null
  },
  cpp: ({ head }) =>
    /^(?:[A-Z][A-Z\d]*_)*(?:TEST(?:_[A-Z]+)*|SCENARIO|BOOST_\w*TEST\w*)\s*\(/.test(head) ? "test" : null,
  ruby: ({ declaration, head }) => {
    if (declaration.kind === "type") return /Test|Spec/.test(head) ? "suite" : null
    if (rspecSuite.test(head)) return "suite"
    return rspec.test(head) || /^def\s+test_/.test(head) ? "test" : null
  },
  bash: ({ head, path }) => (path.endsWith(".bats") && /^@test\b/.test(head) ? "test" : null)
}

/** `func testA(t *testing.T)` that is named nowhere else: nobody calls it, and Go does not run it. */
const isLikeTest = (head: string, { code }: Plain): boolean => {
  const name = /^func\s+(test(?:[A-Z\d_]\w*)?)\s*\(\s*\w+\s+\*testing\.T\s*\)/.exec(head)?.[1]
  return name !== undefined && code.match(new RegExp(`\\b${name}\\b`, "g"))?.length === 1
}

const declaredCase = (
  path: string,
  plain: Plain,
  outline: SourceOutline,
  declaration: Declaration
): ReadonlyArray<TestCase> => {
  // `@test "…" {` is read as a function that begins with its name
  const start =
    outline.language === "bash"
      ? lineStart(plain, offsetOf(plain, declaration.start))
      : offsetOf(plain, declaration.start)
  const from = offsetOf(plain, declaration.bodyStart)
  const end = offsetOf(plain, declaration.end)
  const head = plain.code.slice(start, from).trimStart()
  const headText = plain.text.slice(start, from).trimStart()
  const around = headsAround(plain, outline, declaration)
  const kind = declaredTests[outline.language]?.({ declaration, path, head, headText, around, plain }) ?? null
  if (kind === null) return []
  const body = from < end ? { from, to: end } : null
  return [{ isSuite: kind === "suite", head, headText, name: declaration.name, start, end, body }]
}

const lineStart = ({ code }: Plain, at: number): number => code.lastIndexOf("\n", at - 1) + 1

const headsAround = (plain: Plain, { declarations }: SourceOutline, declaration: Declaration): string => {
  const heads: Array<string> = []
  for (let at = declarations[declaration.parent ?? -1]; at !== undefined; at = declarations[at.parent ?? -1])
    heads.push(plain.code.slice(offsetOf(plain, at.start), offsetOf(plain, at.bodyStart)))
  return heads.join("\n")
}

// --- tests that are calls -----------------------------------------------------------------------------------------

const scriptCall =
  /(?<![\w$.])(?:(?:Deno|QUnit|t|tap|ava|bun)\.)?(?:[xf]?(?:it|test|specify|describe|context|suite)|scenario|module)(?:\.[A-Za-z]+)*(?=\s*[(<"])/g
const suiteWord = /^(?:\w+\.)?[xf]?(?:describe|context|suite|module)\b/
const closureCall =
  /(?<![\w$.>:])(?:x?(?:it|test|todo|describe|context|should|given|feature|scenario|expect))(?=\s*\()/g
const scalaCall = /(?<![\w$.])(?:test|ignore|property|it|they|feature|Feature|scenario|Scenario|describe)(?=\s*\()/g

const calls: Readonly<Record<string, { readonly call: RegExp; readonly trailing: boolean }>> = {
  javascript: { call: scriptCall, trailing: false },
  typescript: { call: scriptCall, trailing: false },
  tsx: { call: scriptCall, trailing: false },
  php: { call: closureCall, trailing: false },
  kotlin: { call: closureCall, trailing: true },
  swift: { call: closureCall, trailing: true },
  scala: { call: scalaCall, trailing: true }
}

/** A part of a test, what runs around tests, and their settings: `test.step(…)`, `test.beforeEach(…)`. */
const ofTest = /\.(?:step|(?:before|after)(?:Each|All)?(?:\.always)?|use|extend|setTimeout)$/

/** Before a name: it is given to something, or is made an object of. */
const made = /(?<![\w$])(?:function|func|fun|def|class|new|const|let|var|val)\s+$/

const maxCalls = 20_000

const calledCases = (path: string, plain: Plain, outline: SourceOutline): ReadonlyArray<TestCase> => {
  const rules = calls[outline.language]
  const inTests = isTestFile(path)
  const sentences = outline.language === "scala" && inTests ? sentencesOf(plain) : []
  if (rules === undefined) return sentences
  const found: Array<TestCase> = [...sentences, ...aliased(plain)]
  for (const match of plain.code.matchAll(rules.call)) {
    if (found.length > maxCalls) break
    if (made.test(plain.code.slice(Math.max(0, match.index - 20), match.index)) || ofTest.test(match[0])) continue
    const one = rules.trailing ? trailingCall(plain, match) : argumentCall(plain, match)
    if (one !== null && (inTests || (one.name !== null && one.isPending !== true))) found.push(one)
  }
  return found
}

/** Tests by another name: `const later = it.skip`. */
const aliased = (plain: Plain): ReadonlyArray<TestCase> =>
  [
    ...plain.code.matchAll(
      /\b(?:const|let|var)\s+([\w$]+)\s*=\s*((?:it|test|describe)\.(?:skip|todo|fixme|failing|fails)|x(?:it|test|describe))\s*[;\n]/g
    )
  ]
    .slice(0, 20)
    .flatMap(([, name = "", origin = ""]) =>
      [...plain.code.matchAll(new RegExp(`(?<![\\w$.])${name.replaceAll("$", "\\$")}(?=\\s*\\()`, "g"))].flatMap(
        (match) => {
          const one = argumentCall(plain, match)
          return one === null
            ? []
            : [{ ...one, isSuite: suiteWord.test(origin), head: one.head.replace(name, () => origin) }]
        }
      )
    )

/** `it.each([…])("name", options, () => { … }).skip()` */
const argumentCall = ({ closers, code, text }: Plain, match: RegExpExecArray): TestCase | null => {
  let at = match.index + match[0].length
  let open = -1
  for (let calls = 0; calls < 4; calls++) {
    while (/\s/.test(code.charAt(at))) at++
    if (code.charAt(at) === "<") {
      const generic = /^<[^;(){}]{0,400}>\s*(?=\()/.exec(code.slice(at, at + 420))
      if (generic === null) return null
      at += generic[0].length
    }
    if (code.charAt(at) === '"') {
      const end = code.indexOf('"', at + 1)
      if (end === -1) return null
      at = end + 1
    } else if (code.charAt(at) === "(") {
      open = at
      const close = closers[at] ?? 0
      if (close === 0) return null
      at = close + 1
    } else break
  }
  const close = open === -1 ? 0 : (closers[open] ?? 0)
  if (close === 0) return null
  const suffix = /^(?:\s*->\s*\w+\([^()]*\))+/.exec(code.slice(close + 1, close + 300))?.[0] ?? ""
  const parts = partsOf(code, closers, open)
  const callback = parts.findLast(({ from, to }) => isCallback(code.slice(from, to)))
  const titled = code
    .slice(open + 1)
    .trimStart()
    .startsWith('"')
  const isMarked =
    /^(?:x|todo\b)|\.(?:todo|skip|fixme|ignore|failing|fails)\b/.test(match[0]) || /->\s*(?:todo|skip)\(/.test(suffix)
  const isPending = callback === undefined && titled && suffix === "" && isNameAlone(code, match.index, open, close)
  if (callback === undefined && !(titled && isMarked) && !isPending) return null
  const bodyAt = callback === undefined ? null : bodyOf(code, closers, callback.from, callback.to)
  const headEnd = bodyAt?.from ?? close
  return {
    isSuite: suiteWord.test(match[0]),
    head: code.slice(match.index, headEnd) + code.slice(callback?.to ?? close, close) + suffix,
    headText: text.slice(match.index, headEnd),
    name: titled ? (/^\(\s*(["'`])(.*?)\1/s.exec(text.slice(open, open + 400))?.[2] ?? "") : null,
    start: match.index,
    end: close + 1 + suffix.length,
    body: bodyAt,
    ...(isPending ? { isPending } : {})
  }
}

/** A statement that calls with one string, and does nothing with what that gives: `it("is refused");`. */
const isNameAlone = (code: string, start: number, open: number, close: number): boolean =>
  /(?:^|[;{}\n])\s*$/.test(code.slice(Math.max(0, start - 200), start)) &&
  /^\s*"[^"]*"\s*,?\s*$/.test(code.slice(open + 1, close)) &&
  /^\s*(?:;|\}|$|\n\s*[\w$}])/.test(code.slice(close + 1, close + 200))

/** The arguments of a call. */
const partsOf = (code: string, closers: Int32Array, open: number): ReadonlyArray<{ from: number; to: number }> => {
  const close = closers[open] ?? 0
  const parts: Array<{ from: number; to: number }> = []
  let from = open + 1
  for (let at = open + 1; at <= close; at++) {
    const inner = at < close ? (closers[at] ?? 0) : 0
    if (inner > at && inner < close) at = inner
    else if (at === close || code.charAt(at) === ",") {
      parts.push({ from, to: at })
      from = at + 1
    }
  }
  return parts
}

const isCallback = (argument: string): boolean =>
  /^\s*(?:static\s+)?(?:async\s+)?function\b|=>|^\s*fn\s*\(/.test(argument)

const bodyOf = (code: string, closers: Int32Array, from: number, to: number): { from: number; to: number } => {
  for (let at = from; at < to; at++) {
    const inner = closers[at] ?? 0
    if (code.startsWith("=>", at)) {
      let next = at + 2
      while (/\s/.test(code.charAt(next))) next++
      const end = closers[next] ?? 0
      return code.charAt(next) === "{" && end > next ? { from: next, to: end + 1 } : { from: next, to }
    }
    if (code.charAt(at) === "{" && inner > at) return { from: at, to: inner + 1 }
    if (inner > at) at = inner
  }
  return { from, to }
}

/** `test("name") { … }`, `it("name") in { … }` */
const trailingCall = ({ closers, code, text }: Plain, match: RegExpExecArray): TestCase | null => {
  const open = code.indexOf("(", match.index + match[0].length - 1)
  const close = open === -1 ? 0 : (closers[open] ?? 0)
  if (
    close === 0 ||
    !code
      .slice(open + 1, close)
      .trimStart()
      .startsWith('"')
  )
    return null
  const pending = /^\s*\(?\s*pending\b/.exec(code.slice(close + 1, close + 100))
  if (pending !== null) {
    const end = close + 1 + pending[0].length
    return {
      isSuite: false,
      head: code.slice(match.index, end),
      headText: text.slice(match.index, end),
      name: /^\(\s*"+(.*?)"/s.exec(text.slice(open, open + 400))?.[1] ?? null,
      start: match.index,
      end,
      body: null
    }
  }
  const between = /^\s*(?:\.config\s*\([^()]*\)\s*)?(?:=\s*)?(?=\{)/.exec(code.slice(close + 1, close + 300))
  if (between === null) return null
  const from = close + 1 + between[0].length
  const end = closers[from] ?? 0
  if (end === 0) return null
  return {
    isSuite: /^x?(?:describe|context|given|feature|Feature)\b/.test(match[0]),
    head: code.slice(match.index, from),
    headText: text.slice(match.index, from),
    name: /^\(\s*"+(.*?)"/s.exec(text.slice(open, open + 400))?.[1] ?? null,
    start: match.index,
    end: end + 1,
    body: { from, to: end + 1 }
  }
}

/** `"name" in { … }`, `it should "name" ignore { … }`, `"name" in pending` */
const sentencesOf = ({ closers, code, text }: Plain): ReadonlyArray<TestCase> => {
  const found: Array<TestCase> = []
  for (const match of code.matchAll(
    /(?:\b(?:it|they|behavior)\s+)?(?:"[^"]*"\s+)?(?:(?:should|must|can)\s+)?"[^"]*"\s+(?:taggedAs\s*\([^()]*\)\s*)?(in|ignore|is)\s*(\{|pending\b|\(\s*pending\s*\))/g
  )) {
    if (found.length > maxCalls) break
    const from = match.index + match[0].length - 1
    const block = match[2] === "{" ? (closers[from] ?? 0) : -1
    if (block === 0) continue
    found.push({
      isSuite: false,
      head: block === -1 ? match[0] : code.slice(match.index, from),
      headText: text.slice(match.index, from),
      name: null,
      start: match.index,
      end: block === -1 ? from + 1 : block + 1,
      body: block === -1 ? null : { from, to: block + 1 }
    })
  }
  return found
}
