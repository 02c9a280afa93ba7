// What the tests import from "@jest/globals", on the runner of Node: the matchers that they use, and no others.
import assert from "node:assert/strict"
import { after, afterEach, before, beforeEach, describe, test } from "node:test"
import { isDeepStrictEqual } from "node:util"

const it = test
const xtest = test.skip
const xit = test.skip
const xdescribe = describe.skip

const withoutUndefined = (value) =>
  Array.isArray(value)
    ? value.map(withoutUndefined)
    : value !== null &&
        typeof value === "object" &&
        Object.getPrototypeOf(value) !== Map.prototype &&
        !(value instanceof Set)
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([, one]) => one !== undefined)
            .map(([key, one]) => [key, withoutUndefined(one)])
        )
      : value

const fits = (error, wanted) =>
  wanted === undefined ||
  (typeof wanted === "function"
    ? error instanceof wanted
    : wanted instanceof RegExp
      ? wanted.test(error?.message ?? error)
      : typeof wanted === "string"
        ? String(error?.message ?? error).includes(wanted)
        : wanted.message === error?.message)

const thrown = (act) => {
  try {
    act()
  } catch (error) {
    return { error }
  }
  return null
}

const matchers = {
  toBe: Object.is,
  toEqual: (a, b) => isDeepStrictEqual(withoutUndefined(a), withoutUndefined(b)),
  toStrictEqual: isDeepStrictEqual,
  toThrow: (act, wanted) => {
    const found = typeof act === "function" ? thrown(act) : { error: act }
    return found !== null && fits(found.error, wanted)
  },
  toBeNull: (a) => a === null,
  toBeUndefined: (a) => a === undefined,
  toBeDefined: (a) => a !== undefined,
  toBeTruthy: Boolean,
  toBeFalsy: (a) => !a,
  toBeInstanceOf: (a, type) => a instanceof type,
  toBeGreaterThan: (a, b) => a > b,
  toBeGreaterThanOrEqual: (a, b) => a >= b,
  toBeLessThan: (a, b) => a < b,
  toBeLessThanOrEqual: (a, b) => a <= b,
  toBeCloseTo: (a, b, digits = 2) => Math.abs(a - b) < 10 ** -digits / 2,
  toMatch: (a, b) => (b instanceof RegExp ? b.test(a) : a.includes(b)),
  toContain: (a, b) => [...a].includes(b) || (typeof a === "string" && a.includes(b)),
  toContainEqual: (a, b) => [...a].some((one) => isDeepStrictEqual(one, b)),
  toHaveLength: (a, b) => a.length === b,
  toHaveProperty: (a, b) => b in a
}

const judged = (holds, name) => assert.ok(holds, `expect(...).${name} does not hold`)

const expect = (actual) => {
  const made = { not: {}, resolves: {}, rejects: {} }
  for (const [name, matcher] of Object.entries(matchers)) {
    made[name] = (...wanted) => judged(matcher(actual, ...wanted), name)
    made.not[name] = (...wanted) => judged(!matcher(actual, ...wanted), `not.${name}`)
    made.resolves[name] = async (...wanted) => judged(matcher(await actual, ...wanted), name)
    made.rejects[name] = async (...wanted) =>
      judged(
        matcher(
          await Promise.resolve(actual).then(
            () => assert.fail("it was fulfilled"),
            (error) => error
          ),
          ...wanted
        ),
        name
      )
  }
  return made
}

export {
  after as afterAll,
  afterEach,
  before as beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  test,
  xdescribe,
  xit,
  xtest
}
