import { opposites, truthOf } from "../../../text/conditions.ts"
import { isScript } from "../code/families.ts"
import { resolved, withoutBuiltIns } from "../code/locals.ts"
import { isInCallback } from "./harness.ts"
import { hollow } from "./hollow.ts"
import type { Repeats } from "./repeats.ts"

/**
 * What in the body of a test can make it fail. Names decide: a call whose name says that it asserts does, whoever wrote
 * it. Texts have their comments blanked; in `code` strings are hidden too.
 */

/** Words that say it wherever they stand, as part of a name too: `expect`, `assertEquals`, `shouldBe`, `cy.verifyUser`. */
const anywhere =
  /assert|(?<!un)expect(?!ed|ation|ing)|expectation|expected\w*\s*\(|should|verif(?:y|ies)|snapshot|\braises?\b|rejects|throws\b|toThrow|approv|golden|\brefute|\bflunk\b|forall/i

/** Names of functions that say it, called by themselves or on the test: `check(…)`, `this.compareAll(…)`, `runCase(…)`. */
const called =
  /(?:(?<![\w$.>:])|\b(?:this|self|super|cls|static|t|ctx|helpers?|utils)\s*(?:\.|->|::)\s*|\$this->)(?!runTest\b|runBlocking|testApplication|withTest|testScope|checkNotNull)(?:_*(?:do_?)?(?:[cC]heck(?!out|box|ed\b|point|sum|in\b)|[eE]nsure|[mM]ust(?!ache)|[fF]ail(?!over|ed\b)|[cC]ompare|[mM]atches|[tT]est(?!ing|ament)|[rR]ound_?[tT]rip)\w*|\w+(?:Test|Case|Scenario|Spec|Check)s?|\w+_(?:tests?|cases?|scenarios?|checks?))!?\s*[({<]/

const script =
  /\bthrow\b|\.(?:is|not|ok|notOk|truthy|falsy|true|false|deepEqual|notDeepEqual|like|equals?|same|match|regex|pass|fail|plan|end)\s*\(|\b(?:s*\d?t+\d?|assert|tap|test)\.(?:(?:error|ifErr|ifError|is[A-Z]\w*|isa|has\w*|not\w*|(?:loose|strict|deep)\w+|doesNotThrow|equivalent|emits|type|doesNotMatch)\s*\(|(?:end|pass)\b(?=\s*[,)]|\.bind\b))|\b(?:s*\d?t+\d?|assert)\s*\[\s*"[^"]*"\s*\]\s*\(|(?<![\w$.])(?:ok|notOk|equals?|notEqual|looseEqual|strictEqual|notStrictEqual|deepEqual|deepStrictEqual|notDeepEqual|same|notSame|strictSame|not|like|truthy|falsy|pass|match|doesNotMatch|doesNotThrow|ifError|is|type)\s*(?:<[^<>]*>)?\s*\(|\b(?:getBy|getAllBy|findBy|findAllBy|waitFor|queryBy)\w*\s*\(|\bcy\.|\bfc\.|\bdone\s*(?:\(\s*\w|[,)])|\.(?:to|be|not|have)\.|\bsatisfies\b|ruleTester|RuleTester|\b(?:reject|reply)\s*\(/

const jvm =
  /\bthrow\b|\bmust\w*\b|===|\bStepVerifier\b|\.(?:check|until|statusCode|satisfies)\s*\(|\bproperty\b|\bawait(?:Item|Complete|Error)\s*\(/

const byLanguage: Readonly<Record<string, RegExp>> = {
  javascript: script,
  typescript: script,
  tsx: script,
  python:
    /[(,]\s*self\s*[,)]|\braise\b|\bpytest\.(?!mark|skip|fixture)|\bself\.fail|\bnp\.testing|\bmock\w*\.|\bdoctest\b|\bhypothesis\b|\.called\b|\braise_for_status\s*\(|\bcheck_schema\s*\(|\bsimplefilter\s*\(|(?<![\w.])benchmark\s*(?:\.pedantic\s*)?\(/,
  go: /\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\s*\(|\bpanic\s*\(|\bgomock\b|\bquick\.|\.Run\s*\(\s*t\b|\.Run\s*\([^,\n]{0,200},\s*[\w.]+\s*\)|\blog\.Fatal|\.Fuzz\s*\(|\bis\.\w+\s*\(/,
  rust: /\b(?!e?print|format|vec!|write|dbg!|concat|stringify|include|env!|matches!|info!|debug!|warn!|error!|trace!|thread_local|json!|println)\w+!\s*[([{]|\.unwrap\w*\s*\(|\.expect\w*\s*\(|\?\s*[;.)},]|->\s*(?:\w+::)*Result|\bquickcheck\s*\(|\bQuickCheck\b|\btrybuild\b|\.compile_fail\s*\(/,
  java: jvm,
  kotlin: jvm,
  scala: jvm,
  csharp:
    /\bthrow\b|^\s*[^=;\n]*[\w)\]!]\.(?:Is(?:Equal|False|Not|Null|Same|True)|Must)\w*\s*\([^;\n]*\)\s*;|\b(?:Received|DidNotReceive)\w*\s*\(|\bSnapshot|\bVerifier\b/m,
  php: /\bthrow\b|\$I->|->see\w*\(|->is(?:True|False|Equal\w*|Same\w*)\(|->(?:will|with)\w*\(/,
  ruby: /\braise\b|\bTimeout(?:::|\.)timeout\b|\b(?:must|wont)_\w+|\bis_expected\b|\bare_expected\b|\bhave_\w+|\b(?:find|find_by_id|find_button|find_link|click_on|click_button|click_link|visit)\b|\bvalidate_\w+|\bit_behaves_like\b|\binclude_examples\b/,
  swift:
    /\bXCT\w+|#expect|#require|\bIssue\.record|\bthrow\b|\btry\b(?!\?)|\bfulfillment\b|\bwait\s*\(\s*for\b|\bconfirmation\s*[({]|\bfatalError\b|\bprecondition/,
  cpp: /\b(?:EXPECT|ASSERT|CHECK|REQUIRE|BOOST|FAIL|ADD_FAILURE|STATIC_REQUIRE|SUCCEED|DOCTEST|MATCHER|RC_ASSERT|BENCHMARK|TEST_ASSERT|VERIFY|Q[A-Z]+|CAPTURE)\w*\s*\(|\bthrow\b|\babort\s*\(|\bstd::terminate/
}

/** How a body is looked at. */
export interface Asserting {
  readonly language: string
  /** Functions that assert, by their names: those of the file, and those that come from where tests keep helpers. */
  readonly helpers: ReadonlySet<string>
}

/** Whether something in a piece of code can make a test fail. */
export const asserts = (code: string, { helpers, language }: Asserting): boolean => {
  if (anywhere.test(code) || byLanguage[language]?.test(code) === true) return true
  if (language !== "bash" && called.test(code)) return true
  if (language === "go" && /[(,]\s*(?:t|tt|tb|tc|f|s|g|c)\s*[,)]|\(\s*t\.\w/.test(code)) return true
  if (/^(?:java|csharp)$/.test(language) && callsInherited(code, language)) return true
  return (
    helpers.size > 0 &&
    [...code.matchAll(/[A-Za-z_$][\w$]*(?=\s*[!?]?\s*[({<"]|\.pipe\b|\s+[\w":]|\s*$)/gm)].some(([name]) =>
      helpers.has(name)
    )
  )
}

/** A method without an object that this language can only find in a base class or among static imports. */
const callsInherited = (code: string, language: string): boolean =>
  [...code.matchAll(/(?<![\w$.@])(?<!\bnew\s{1,3})([A-Za-z_]\w*)\s*(?:<[\w, ]*>)?\s*\(/g)].some(
    ([, name = ""]) =>
      !reserved.has(name) &&
      !name.startsWith("this") &&
      (language === "java" ? /^[a-z]/.test(name) : /^[A-Z]/.test(name))
  )

const reserved = new Set(
  "if for while switch catch return throw new synchronized super this try assert do else case var nameof typeof sizeof default lock using foreach when await".split(
    " "
  )
)

// --- what holds whatever the code does ----------------------------------------------------------------------------

const comparing =
  /(?<![\w$.>:])(?:(?:this|self|s*\d?t+|b|assert|Assert|Assertions|chai|require|\$this|static|tap|ava|is|QUnit|unittest)(?:\.|->|::)){0,2}#?\$?(?:assert|assert_?[tT]rue|assert_?[fF]alse|assert_?(?:[nN]ot_?)?(?:[eE]quals?|eq|ne|[sS]ame)|assertNotNull|assertIsNotNone|assertNotNil|assert_not_nil|assertThat|assert_that|ok|notOk|equals?|not|notEqual|same|strictSame|looseEqual|strictEqual|deepEqual|deepStrictEqual|isTrue|isFalse|True|False|Equal|EqualValues|AreEqual|IsTrue|IsFalse|That|Pass|pass|is|true|truthy|false|falsy|XCTAssert(?:True|Equal|False|NotNil)?|(?:EXPECT|ASSERT)_(?:TRUE|EQ|FALSE|NE)|SUCCEED|CHECK|REQUIRE|BOOST_(?:CHECK|TEST|REQUIRE)(?:_EQUAL)?|(?:debug|prop)_assert(?:_eq|_ne)?|refute|expect)!?\s*\(/g

/** Whether what is compared, or said to be true, is there in the test itself. */
const isFixed = (name: string, given: ReadonlyArray<string>, isSame: (one: string) => boolean): boolean =>
  /(?<!r)eq|same|deep|\bis\W*$|_ne\b|_NE\b/i.test(name)
    ? given.length >= 2 &&
      ((given[0] === given[1] && isSame(given[0] ?? "")) || (/[.>:]/.test(name) && given.slice(0, 2).every(isConstant)))
    : isConstant(given[0] ?? "") && (ofOneValue.test(name) || given.slice(1).every(isConstant))

/** In JUnit 4 the first of what they are given is only said when they fail. */
const withoutMessage = (language: string, name: string, given: ReadonlyArray<string>): ReadonlyArray<string> =>
  /^(?:java|kotlin|scala)$/.test(language) &&
  given.length === (ofOneValue.test(name) ? 2 : 3) &&
  /^"/.test(given[0] ?? "")
    ? given.slice(1)
    : given

/** What else they are given is only said when they fail. */
const ofOneValue = /(?:[tT]rue|[fF]alse|assert!)\s*\($/

/** Something that is the same however often it is asked for, as a call is not. */
export const isName = (expression: string): boolean =>
  /^&?[$@]?[A-Za-z_][\w$]*(?:(?:\.|->|::)\$?[A-Za-z_][\w$]*)*$/.test(expression)

const noRepeats: Repeats = { isRepeat: () => false, held: new Map() }

const passing = /(?:[Pp]ass|SUCCEED)\s*\($/

/**
 * The code without the assertions that hold whatever it does: `assert x or True`, `expect(1).toBe(1)`, `x == x` unless
 * `isOfEquality`: it is the comparison that is tested. `literals`: variables that hold nothing else.
 */
export const withoutTautologies = (
  code: string,
  text: string,
  language: string,
  isOfEquality: boolean,
  literals: ReadonlyMap<string, string>,
  { held, isRepeat }: Repeats = noRepeats
): string => {
  const isRepeated = (one: string) => !isOfEquality && isRepeat(one)
  const isSame = (one: string) => isConstant(one) || (!isOfEquality && isName(one)) || isRepeated(one)
  const values = new Map([...held, ...literals])
  const isPython = language === "python"
  const known = (one: string): string => {
    if (holdsAnyway(one)) return "1"
    const said = resolved(one, values)
    return isPython ? withoutBuiltIns(said) : said
  }
  const isOfItself = (condition: string): boolean => {
    const found = /^(\S+)\s*(?:===?|is|eq)\s*(\S+)$/.exec(condition)
    if (!isOfEquality && found !== null && found[1] === found[2] && isName(found[1] ?? "")) return true
    const [left, right, ...more] = resolved(condition, values).split(/\s*(?<![=!<>])===?(?!=)\s*/)
    return left === right && more.length === 0 && isRepeated(left ?? "")
  }
  const parts: Array<readonly [from: number, to: number]> = []
  for (const match of code.matchAll(comparing)) {
    const open = match.index + match[0].length - 1
    const close = closingOf(code, open)
    // a statement, whatever stands in brackets behind it
    if (close === null || (isPython && /^assert\s*\($/.test(match[0]))) continue
    if (passing.test(match[0])) {
      if (!isScript(language) || !isInCallback(code, match.index)) parts.push([match.index, close + 1])
      continue
    }
    const given = withoutMessage(
      language,
      match[0],
      argumentsOf(code, text, open, close).filter((one) => !/^(?:t|b|tb)$/.test(one))
    ).map(known)
    const [first = ""] = given
    const itself =
      !isOfEquality &&
      given.length === 1 &&
      /expect!?\s*\($/.test(match[0]) &&
      !isConstant(first) &&
      (isName(first) || isRepeated(first))
        ? first
        : null
    if (itself === null && (given.length === 0 || (!isFixed(match[0], given, isSame) && !isOfItself(first)))) continue
    const end = endOfChain(code, text, close + 1, itself, known)
    if (end !== null) parts.push([match.index, end])
  }
  for (const match of code.matchAll(statement)) {
    const from = match.index + match[0].length
    const said = text.slice(from, endOfLine(code, from))
    const [condition = ""] = topLevel(said.replace(/[;\s]+$/, ""))
    if (language === "python" && isTrueAnyway(condition.trim())) parts.push([match.index, from + said.length])
    const given = match[0].startsWith("assert_equal") ? topLevel(said.trim()).slice(0, 2) : [condition.trim()]
    if (given.map(known).every(isConstant) || isOfItself(given.join(" == ")) || isOfItself(condition.trim()))
      parts.push([match.index, from + said.length])
  }
  if (isScript(language) || language === "php" || language === "ruby") parts.push(...withoutMatcher(code))
  parts.push(...unfinishedIn(code, language), ...hollow(code, language))
  if (language === "kotlin" || language === "scala")
    for (const match of text.matchAll(
      /^[ \t]*(\S+)\s+(?:shouldBe|mustBe|should\s+be|mustEqual|shouldEqual)\s+(\S+)[ \t]*$/gm
    ))
      if (
        (isConstant(match[1] ?? "") && isConstant(match[2] ?? "")) ||
        (match[1] === match[2] && isSame(match[1] ?? ""))
      )
        parts.push([match.index, match.index + match[0].length])
  return blanked(code, parts)
}

/** Where a line ends, with what stands in the brackets that it opens. */
const endOfLine = (code: string, from: number): number => {
  const last = Math.min(code.length, from + maxCall)
  for (let at = from; at < last; at++) {
    const char = code.charAt(at)
    if (char === "\n") return at
    if (char === "(" || char === "[" || char === "{") at = closingOf(code, at) ?? last
  }
  return last
}

/**
 * `assert (x == 1, "message")` asserts a tuple, which is always true. So is a list or a dict that is written with something in
 * it, a generator, a function, and a text with something in it.
 */
const isTrueAnyway = (condition: string): boolean => {
  if (/^lambda\b/.test(condition)) return true
  if (/^[fF](["'])(?:\{[^{}\n]*\}|(?!\1)[^{}\\\n])*\1$/.test(condition))
    return condition.slice(2, -1).replace(/\{[^{}]*\}/g, "") !== ""
  if (!/^[([{]/.test(condition) || closingOf(condition, 0) !== condition.length - 1) return false
  const parts = topLevel(condition.slice(1, -1)).map((part) => part.trim())
  const isMadeOf = parts.length === 1 && comprehension(parts[0] ?? "")
  if (condition.startsWith("(")) return isMadeOf || parts.length > 1
  return !isMadeOf && parts.some((part) => part !== "" && !part.startsWith("*"))
}

/** Whether what stands in brackets is made by a loop. */
const comprehension = (said: string): boolean => {
  for (let at = 0; at < said.length; at++) {
    if (/[([{]/.test(said.charAt(at))) at = closingOf(said, at) ?? said.length
    else if (/^\sfor\s/.test(said.slice(at, at + 5))) return true
  }
  return false
}

/** What is begun like an assertion and asks for nothing, or for anything. */
const unfinishedIn = (code: string, language: string): ReadonlyArray<readonly [from: number, to: number]> => {
  const form = isScript(language) ? unfinished["javascript"] : unfinished[language]
  return form === undefined
    ? []
    : [...code.matchAll(form)].map(({ 0: all, index }) => [index, index + all.length] as const)
}

const withoutLink = /(?<![\w$.])(?:Assertions\.|Truth\.)?assertThat\s*\((?:[^(),;]|\([^();]*\))*\)\s*(?=;|\n\s*[\w}])/g
const unfinished: Readonly<Record<string, RegExp>> = {
  java: withoutLink,
  kotlin: withoutLink,
  csharp: /(?<=[\w)\]])\s*\.\s*Should\s*\(\s*\)\s*(?=;)/g,
  python:
    /^[ \t]*self\.(?:assertRaises(?:Regex)?[ \t]*\([^,()\n]*\)|assertGreaterEqual\([ \t]*len\((?:[^()]|\([^()]*\))*\)[ \t]*,[ \t]*0[ \t]*\))[ \t]*$/gm,
  php: /\$this->(?:addToAssertionCount|expectNotToPerformAssertions)\s*\([^()]*\)/g,
  javascript:
    /(?<![\w$.])expect\s*\((?:[^();]|\([^();]*\))*\)\s*\.\s*to(?:Equal|StrictEqual|MatchObject)\s*\(\s*expect\.anything\s*\(\s*\)\s*\)|(?<![\w$.])expect\s*\((?:[^();]|\([^();]*\))*\.length\s*\)\s*\.\s*(?:toBeGreaterThanOrEqual\s*\(\s*0\s*\)|toBeGreaterThan\s*\(\s*-\s*1\s*\))/g
}

/** Where each `expect(…)` begins, and where its bracket closes. */
const expectationsIn = (code: string): ReadonlyArray<readonly [from: number, close: number]> =>
  [...code.matchAll(/(?<![\w$.])expect\s*\(/g)].flatMap(({ 0: head, index }) => {
    const close = closingOf(code, index + head.length - 1)
    return close === null ? [] : [[index, close] as const]
  })

/** `expect(x)` and `expect(x).toBe` ask for nothing. */
const withoutMatcher = (code: string): ReadonlyArray<readonly [from: number, to: number]> =>
  expectationsIn(code).flatMap(([from, close]) => {
    const rest = /^\s*(?:\.\s*(?:not|resolves|rejects|to[A-Z]\w*))*\s*(?=[;})\n]|$)/.exec(
      code.slice(close + 1, close + 200)
    )
    return rest === null || /^\s*(?:[.,)]|->)/.test(code.slice(close + 1 + rest[0].length))
      ? []
      : [[from, close + 1 + rest[0].length] as const]
  })

/** `expect(x).resolves.toBe(1);` that nobody waits for: the test is over before it is known. */
export const unawaited = (code: string): ReadonlyArray<readonly [from: number, to: number]> =>
  expectationsIn(code).flatMap(([from, close]) => {
    const rest = /^\s*\.\s*(?:resolves|rejects)\s*(?:\.\s*\w+\s*)+(?=\()/.exec(code.slice(close + 1, close + 200))
    const end =
      rest === null || !beginsStatement(code.slice(0, from)) ? null : closingOf(code, close + 1 + rest[0].length)
    return end === null || /^\s*\./.test(code.slice(end + 1)) ? [] : [[from, end + 1] as const]
  })

/** What comes behind it is a statement of its own, and not what is awaited, given back or handed on. */
const beginsStatement = (before: string): boolean => {
  const last = before.trimEnd()
  if (/[;{}]$/.test(last)) return true
  return (
    before.slice(last.length).includes("\n") && /[\w)\]"'`]$/.test(last) && !/\b(?:await|return|yield|void)$/.test(last)
  )
}

const statement = /(?<![\w$.])(?:assert(?:_equal)?|refute|\[\[?)(?=[ \t]+[^\s=])[ \t]+|(?<![\w$.])assert(?=\()/g

/** Takes the parts out, so that everything else stays where it is. */
export const blanked = (code: string, parts: ReadonlyArray<readonly [from: number, to: number]>): string =>
  parts.reduce(
    (left, [from, to]) => left.slice(0, from) + left.slice(from, to).replace(/[^\n]/g, " ") + left.slice(to),
    code
  )

const closingOf = (code: string, open: number): number | null => {
  let depth = 0
  for (let at = open; at < code.length && at < open + maxCall; at++) {
    const char = code.charAt(at)
    if (char === "(" || char === "[" || char === "{") depth++
    else if ((char === ")" || char === "]" || char === "}") && --depth === 0) return at
  }
  return null
}

/** Longer calls are not looked into: they hold more than constants. */
const maxCall = 1_000

const argumentsOf = (code: string, text: string, open: number, close: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  let depth = 0
  let from = open + 1
  for (let at = open + 1; at <= close; at++) {
    const char = code.charAt(at)
    if (at === close || (char === "," && depth === 0)) {
      if (text.slice(from, at).trim() !== "") found.push(text.slice(from, at).trim())
      from = at + 1
    } else if (char === "(" || char === "[" || char === "{") depth++
    else if (char === ")" || char === "]" || char === "}") depth--
  }
  return found
}

/**
 * `.not.toBe(1)`, `.to be true`: where it ends, when all in it is constant; null otherwise. `itself`: what is looked at is
 * this name, and it must be compared with it.
 */
const endOfChain = (
  code: string,
  text: string,
  from: number,
  itself: string | null,
  known: (one: string) => string
): number | null => {
  const isFixedToo = (one: string) => (itself === null ? isConstant(one) : known(one) === itself)
  let compared = itself === null
  let at = from
  for (;;) {
    const link = /^\s*\.\s*[\w$]+/.exec(code.slice(at, at + 100))
    if (link === null) break
    at += link[0].length
    if (code.charAt(at) !== "(") continue
    const close = closingOf(code, at)
    const given = close === null ? [] : argumentsOf(code, text, at, close)
    if (close === null || !given.every(isFixedToo)) return null
    compared ||= given.length > 0 && comparingLink.test(link[0])
    at = close + 1
  }
  const matcher = /^[ \t]+(?:be_truthy|be_falsy|be_falsey|(?:be|eq|eql|equal)[ (]+([^\n]+?)\)?)[ \t]*(?=\n|$)/.exec(
    text.slice(at, at + 200)
  )
  if (matcher === null) return compared ? at : null
  if (itself !== null) return known(matcher[1] ?? "") === itself ? at + matcher[0].length : null
  return matcher[1] === undefined || isConstant(matcher[1]) ? at + matcher[0].length : null
}

/** Links that say that two values are the same. */
const comparingLink = /\.\s*(?:toBe|toEqual|toStrictEqual|equals?|eql|eq|be|same|deepEqual)$/

const literal =
  /^(?:[-+]?\d[\w.]*|true|false|True|False|TRUE|FALSE|null|nil|None|undefined|NULL|nullptr|"[^"\n{}$\\]*"|'[^'\n{}$\\]*'|`[^`{}$\\]*`|\[\s*\]|\{\s*\}|:\w+|Is\.(?:True|False|Not\.Null|EqualTo\([\w"']+\)))$/

/** Nothing is shorter than empty, and everything is an object. */
const neverLess =
  /^(?:(?:len\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|[^<>=&|!]+\.(?:[lL]ength(?:\(\))?|[sS]ize(?:\(\))?|[cC]ount(?:\(\))?|len\(\)))\s*(?:>=\s*0|>\s*-\s*1)|isinstance\((?:[^(),]|\([^()]*\))+,\s*object\s*\))$/

const holdsAnyway = (text: string): boolean =>
  neverLess.test(text) || holdsEitherWay(text) || (/\|\||\bor\b/.test(text) && truthOf(text, () => false) === true)

/** One of two opposites: `x or not x`, `x === 1 || x !== 1`. */
const holdsEitherWay = (text: string): boolean => {
  const [one = "", other = "", ...more] = text.split(/\s*(?:\|\||\bor\b)\s*/)
  if (more.length > 0 || other === "") return false
  const isNot = (a: string, b: string): boolean => isName(a) && /^(?:!\s*|not\s+)\(?(.*?)\)?$/.exec(b)?.[1] === a
  return isNot(one, other) || isNot(other, one) || opposite(one) === other.replace(/\s+/g, " ")
}

const opposite = (comparison: string): string | null => {
  const [, one = "", not = "", other = ""] = /^(\S+) is (not )?(\S+)$/.exec(comparison) ?? []
  if (other !== "") return `${one} is ${not === "" ? "not " : ""}${other}`
  const [, left = "", operator = "", right = ""] =
    /^([^=!<>]+?)\s*([=!]==?|[<>]=?)\s*([^=!<>]+)$/.exec(comparison) ?? []
  const turned = opposites[operator]
  return turned === undefined ? null : `${left} ${turned} ${right}`.replace(/\s+/g, " ")
}

/** Whether an expression is the same whatever the program does. */
export const isConstant = (expression: string): boolean => {
  let text = expression.trim()
  while (text.startsWith("(") && closingOf(text, 0) === text.length - 1) text = text.slice(1, -1).trim()
  if (text.length <= maxCall && holdsAnyway(text)) return true
  text = text.replace(/^(?:not\s+|!(?!=)\s*)+/, "")
  if (text === "" || text.length > maxCall) return false
  if (literal.test(text)) return true
  if (/(?:\bor\b|\|\|)\s*(?:True|true|1)$/.test(text) || /^(?:True|true|1)\b\s*(?:or\b|\|\|)/.test(text)) return true
  // nothing but literals: `1 + 1 == 2`
  return /^[\s\d.+\-*/%<>=!&|()[\],?:]*$/.test(
    text
      .replace(/\s*\]{1,2}$/, "")
      .replace(/"[^"\n{}$\\]*"|'[^'\n{}$\\]*'/g, "0")
      .replace(
        /\b\d\w*(?:\.\d\w*)?|\b(?:true|false|True|False|null|nil|None|undefined|not|and|or|(?:is|in)(?!\s*\())\b|-(?:eq|ne|lt|gt)\b/g,
        " "
      )
  )
}

/** Splits at commas outside of brackets and quotes. */
const topLevel = (text: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let depth = 0
  let from = 0
  let quote = ""
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (quote !== "") {
      if (char === quote) quote = ""
    } else if (char === '"' || char === "'" || char === "`") quote = char
    else if (char === "(" || char === "[" || char === "{") depth++
    else if (char === ")" || char === "]" || char === "}") depth--
    else if (char === "," && depth === 0) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, text.slice(from)]
}
