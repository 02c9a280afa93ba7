import type { TestChange } from "@proofline/kernel"
import type { FoundTest } from "./neverRuns.ts"

/** The tests of a file. */
export interface TestsOfFile {
  readonly path: string
  readonly tests: ReadonlyArray<FoundTest>
}

/**
 * What became of tests that ran before: gone, skipped, with fewer assertions, with other ones. A test that moved to another
 * file, or has another name and the same assertions, is the same test. Pure.
 * `before`: the files that were changed, as they were. `now`: these and the new ones, as they are.
 */
export const testChanges = (
  before: ReadonlyArray<TestsOfFile>,
  now: ReadonlyArray<TestsOfFile>
): ReadonlyArray<TestChange> => {
  const left = new Set(now.flatMap(({ path, tests }) => tests.map((test): Placed => ({ path, test }))))
  const take = (is: (one: Placed) => boolean): Placed | undefined => {
    for (const one of left) {
      if (!is(one)) continue
      left.delete(one)
      return one
    }
    return undefined
  }
  const old = before.flatMap(({ path, tests }) =>
    tests.flatMap((test): ReadonlyArray<Placed> => (test.never === null && test.name !== null ? [{ path, test }] : []))
  )
  const named = old.map((one) => ({
    one,
    // as it is first: tests may share a name
    found: take((other) => other.path === one.path && isNamedAs(one, other) && isSame(one.test, other.test))
  }))
  const placed = named.map(({ found, one }) => ({
    one,
    found:
      found ??
      take((other) => other.path === one.path && isNamedAs(one, other)) ??
      take((other) => isNamedAs(one, other))
  }))
  return placed.flatMap(({ found, one }): ReadonlyArray<TestChange> => {
    const { path, test } = one
    const other = found ?? take((next) => test.assertions.length > 0 && isEqual(next.test.assertions, test.assertions))
    const how = other === undefined ? "vanished" : changeOf(test, other.test)
    return how === null ? [] : [{ test: test.name ?? "", path, how }]
  })
}

interface Placed {
  readonly path: string
  readonly test: FoundTest
}

const isNamedAs = (one: Placed, other: Placed): boolean => one.test.name === other.test.name

const isSame = (one: FoundTest, other: FoundTest): boolean =>
  one.head === other.head && isEqual(one.assertions, other.assertions)

const isEqual = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((text, i) => text === other[i])

const changeOf = (before: FoundTest, now: FoundTest): TestChange["how"] | null => {
  if (now.never !== null) return now.never.startsWith("is skipped") ? "skipped" : "weakened"
  if (now.assertions.length < before.assertions.length) return "weakened"
  const kept = [...now.assertions]
  const isKept = before.assertions.every((text) => {
    const at = kept.indexOf(text)
    if (at !== -1) kept.splice(at, 1)
    return at !== -1
  })
  return isKept && isTabledAlike(before, now) ? null : "changed"
}

/** A head with the rows of a table must have the same ones. Its name is no part of them. */
const isTabledAlike = (before: FoundTest, now: FoundTest): boolean =>
  !tabled.test(before.head) || withoutName(before) === withoutName(now)

const tabled =
  /\.each\b|\bparametrize\b|@\w*Source\b|@TestCases?\b|#\[\s*(?:case|test_case|values)\b|\b(?:InlineData|TestCase|DataRow)\s*\(|->with\s*\(/

const withoutName = ({ head, name }: FoundTest): string => (name === null ? head : head.replace(name, ""))
