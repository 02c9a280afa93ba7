import { isScript } from "../code/families.ts"
import { closersOf } from "../code/plain.ts"

/**
 * What reads like an assertion and is none, or asserts that another one fails. `code` has its comments blanked and its
 * strings hidden.
 */
export const hollow = (code: string, language: string): ReadonlyArray<Part> => {
  if (language === "python") return [...idleMocks(code), ...raisedAssertions(code)]
  return isScript(language) ? ofExpect(code) : []
}

type Part = readonly [from: number, to: number]

const partsOf = (code: string, form: RegExp): ReadonlyArray<Part> =>
  [...code.matchAll(form)].map(({ 0: all, index }) => [index, index + all.length] as const)

// --- Python -------------------------------------------------------------------------------------------------------

const balanced = String.raw`\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)`

/** An assertion of a mock that is not called, and what a mock takes for one of its attributes. */
const idleMock = new RegExp(
  String.raw`^[ \t]*(?:[\w.]+\.assert_(?:called|any_call|has_calls|not_called|awaited|any_await|has_awaits|not_awaited)\w*|(?:assert[ \t]+)?(?![^\n(]*\.(?:should|have|been|to|expect)\b)[\w.]+\.(?:called_once|called_once_with|called_with|not_called|any_call|has_calls|awaited_once|awaited_once_with|awaited_with|not_awaited)[ \t]*${balanced})[ \t]*$`,
  "gm"
)

/** That one is made asserts nothing. */
const madeMock = /\bmock\w*\.(?=(?:\w*Mock|patch|create_autospec|mock_open|sentinel|ANY|call|seal)\b)/g

const idleMocks = (code: string): ReadonlyArray<Part> => {
  const found = partsOf(code, idleMock)
  return found.length === 0 ? [] : [...found, ...partsOf(code, madeMock)]
}

/** An `assert` of the test itself that is to fail: it does so for every value but one. */
const raisedAssertions = (code: string): ReadonlyArray<Part> =>
  partsOf(
    code,
    /^([ \t]*)with[ \t]+(?:pytest\.raises|self\.assertRaises)[ \t]*\([ \t]*AssertionError[ \t]*\)[ \t]*:[ \t]*(?:assert[ \t(][^\n]*|(?:\n(?:[ \t]*(?=\n)|\1[ \t]+assert[ \t(][^\n]*))+)(?=\n(?!\1[ \t])|\s*(?![\s\S]))/gm
  )

// --- JavaScript ---------------------------------------------------------------------------------------------------

const ofExpect = (code: string): ReadonlyArray<Part> => {
  const closers = closersOf(code)
  return [...code.matchAll(/(?<![\w$.])expect\s*\(/g)].flatMap(({ 0: head, index }) => {
    const open = index + head.length - 1
    const close = closers[open] ?? 0
    if (close === 0) return []
    const given = code.slice(open + 1, close).trim()
    const rest = code.slice(close + 1, close + 200)
    const thrown = /^\s*\.\s*toThrow(?:Error)?\s*\(\s*(?:Error\s*)?\)/.exec(rest)
    if (thrown !== null && onlyExpects(given)) return [[index, close + 1 + thrown[0].length] as const]
    const there = /^\s*\.\s*(?:to(?:BeTruthy|BeDefined)|not\s*\.\s*toBe(?:Null|Undefined|Falsy))\s*\(\s*\)/.exec(rest)
    return there !== null && isMade(given) ? [[index, close + 1 + there[0].length] as const] : []
  })
}

/** An object, a list or a function that is written there is there. */
const isMade = (given: string): boolean =>
  /^(?:async\s*)?\([^()]*\)\s*=>/.test(given) || (/^[[{]/.test(given) && closersOf(given)[0] === given.length - 1)

/** Matchers of the runner: one of the project may be what is tested. */
const matcher =
  /\)\s*\.\s*(?:not\s*\.\s*)?to(?:Be|Equal|StrictEqual|BeDefined|BeUndefined|BeNull|BeTruthy|BeFalsy|Contain|ContainEqual|HaveLength|Match|MatchObject|HaveProperty|BeGreaterThan|BeGreaterThanOrEqual|BeLessThan|BeLessThanOrEqual|BeCloseTo|BeInstanceOf)\s*(?=\()/y

/** A function that does nothing but to expect something with matchers of the runner. */
const onlyExpects = (given: string): boolean => {
  const head = /^(?:async\s*)?\(\s*\)\s*=>\s*\{?\s*/.exec(given)
  if (head === null) return false
  const body = head[0].trimEnd().endsWith("{")
    ? given.slice(head[0].length, given.lastIndexOf("}"))
    : given.slice(head[0].length)
  const closers = closersOf(body)
  let at = 0
  while (/[\s;]/.test(body.charAt(at))) at++
  if (at === body.length) return false
  while (at < body.length) {
    const said = /^expect\s*\(/.exec(body.slice(at, at + 100))
    const close = said === null ? 0 : (closers[at + said[0].length - 1] ?? 0)
    if (close === 0) return false
    matcher.lastIndex = close
    if (!matcher.test(body)) return false
    const end = closers[matcher.lastIndex] ?? 0
    if (end === 0) return false
    at = end + 1
    while (/[\s;]/.test(body.charAt(at))) at++
  }
  return true
}
