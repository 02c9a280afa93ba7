import type { TestChange } from "@proofline/kernel"
import type { Counts, ReportedTest } from "./model.ts"

/**
 * Tests that passed before, by the names that their runner gave them, and now are skipped or not there any more. Names of
 * before and now may differ in numbers (lines, times).
 */
export const lostByName = (
  before: ReadonlyArray<ReportedTest>,
  now: ReadonlyArray<ReportedTest>
): ReadonlyArray<TestChange> => {
  const names = new Set(now.filter(({ status }) => status !== "skipped").map(({ name }) => name))
  // one with other numbers stands for one that is not there
  const others = new Map<string, number>()
  const old = new Set(before.map(({ name }) => name))
  for (const { name, status } of now) {
    if (status === "skipped" || old.has(name)) continue
    others.set(formOf(name), (others.get(formOf(name)) ?? 0) + 1)
  }
  const skipped = new Set(now.filter(({ status }) => status === "skipped").map(({ name }) => name))
  return before.flatMap(({ file, name, status }): ReadonlyArray<TestChange> => {
    if (status !== "passed" || names.has(name) || isFile(name)) return []
    const left = others.get(formOf(name)) ?? 0
    if (left > 0) {
      others.set(formOf(name), left - 1)
      return []
    }
    return [{ test: name, path: file, how: skipped.has(name) ? "skipped" : "vanished" }]
  })
}

/** How many of those that passed before do not run any more, as far as numbers tell. */
export const lostByNumber = (before: Counts, now: Counts): ReadonlyArray<TestChange> => {
  const left = now.passed + now.failed
  return left >= before.passed
    ? []
    : [
        {
          test: `${before.passed - left} of ${before.passed} tests that passed before`,
          path: null,
          how: now.skipped > before.skipped ? "skipped" : "vanished"
        }
      ]
}

const formOf = (name: string): string => name.replace(/\b0x[0-9a-f]+\b|\b[0-9a-f]{8,}\b|\d+(?:\.\d+)?/gi, "#")

/** A file that holds no tests of its own is one to some runners. */
const isFile = (name: string): boolean => /^\S*\.\w{1,5}$/.test(name)
