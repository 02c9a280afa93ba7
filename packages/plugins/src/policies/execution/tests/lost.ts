import type { Census, TestChange } from "@proofline/kernel"
import { isNamed } from "./fileTests.ts"
import type { ReportedTest } from "./model.ts"

/**
 * Tests that passed before, by the names that their runner gave them, and now are skipped or not there any more. `ofFailed`:
 * also those that failed, for work that ends their process leaves nothing that fails. Names of before and now may differ in
 * numbers (lines, times), those of tests that failed in other values too.
 */
export const lostByName = (
  before: ReadonlyArray<ReportedTest>,
  now: ReadonlyArray<ReportedTest>,
  ofFailed: boolean
): ReadonlyArray<TestChange> => {
  const ran = now.filter(hasRun)
  const names = new Map<string, number>()
  for (const { name } of ran) names.set(name, (names.get(name) ?? 0) + 1)
  const old = new Map<string, number>()
  for (const { name } of before.filter(hasRun)) old.set(name, (old.get(name) ?? 0) + 1)
  const known = new Set(before.map(({ name }) => name))
  // one that has another name stands for one that is not there
  const others = ran.filter(({ name }) => !known.has(name))
  const take = (is: (other: ReportedTest) => boolean): boolean => {
    const at = others.findIndex(is)
    if (at !== -1) others.splice(at, 1)
    return at !== -1
  }
  const skipped = new Set(now.filter(({ status }) => status === "skipped").map(({ name }) => name))
  const lost = (all: ReadonlyArray<ReportedTest>, isThere: (test: ReportedTest) => boolean) =>
    new Set(all.filter((test) => !isThere(test)))
  const passed = before.filter(({ name, status }) => status === "passed" && !isFile(name))
  const failed = before.filter(({ name, status }) => ofFailed && status === "failed" && !isAround(name))
  const gone = new Set([
    ...lost(passed, ({ name }) => names.has(name) || take((other) => formOf(other.name) === formOf(name))),
    ...lost(
      failed.filter(({ name }) => !standsForTests(name)),
      ({ name }) =>
        (names.get(name) ?? 0) >= (old.get(name) ?? 0) ||
        // it failed before it came to what is in it
        others.some((other) => other.name.startsWith(name) && /^(?: > |[/.:])/.test(other.name.slice(name.length))) ||
        take((other) => valuesOf(other.name) === valuesOf(name))
    ),
    // it could not be loaded, so its tests have names that nobody knew
    ...lost(
      failed.filter(({ name }) => standsForTests(name)),
      ({ name }) => names.has(name) || take(({ file }) => file === null || !isFile(name) || isNamed(file, name))
    )
  ])
  return before.flatMap((test): ReadonlyArray<TestChange> => {
    const { file, name } = test
    return gone.has(test) ? [{ test: name, path: file, how: skipped.has(name) ? "skipped" : "vanished" }] : []
  })
}

/** How many of those that passed before, or ran, do not run any more, as far as numbers tell. */
export const lostByNumber = (before: Counted, now: Counted, ofFailed: boolean): ReadonlyArray<TestChange> => {
  const left = now.passed + now.failed
  const how = now.skipped > before.skipped ? "skipped" : "vanished"
  const lost = (of: number, what: string) => [{ test: `${of - left} of ${of} ${what}`, path: null, how } as const]
  if (left < before.passed) return lost(before.passed, "tests that passed before")
  const all = before.passed + before.failed
  const isCertain =
    before.formats.every((format) => countsOnce.has(format)) || now.skipped - before.skipped >= all - left
  return ofFailed && left < all && isCertain ? lost(all, "tests that ran before") : []
}

type Counted = Pick<Census, "formats" | "passed" | "failed" | "skipped">

/** They count a test once. Others may count what failed around it too, as pytest does, or each part of it, as unittest does. */
const countsOnce = new Set(["node-spec", "tap", "vitest", "jest", "cargo", "libtest", "nextest"])

const hasRun = ({ status }: ReportedTest): boolean => status !== "skipped"

const formOf = (name: string): string => name.replace(/\b0x[0-9a-f]+\b|\b[0-9a-f]{8,}\b|\d+(?:\.\d+)?/gi, "#")

/** Without what was put into the name: it may be what the work came to. */
const valuesOf = (name: string): string =>
  formOf(name).replace(/\[.*\]|"[^"]*"|'[^']*'|`[^`]*`|\b(?:undefined|null|NaN|true|false|None|True|False)\b/g, "#")

/** Files that were reported as failed in place of their tests. */
export const failedFiles = (before: ReadonlyArray<ReportedTest>): ReadonlyArray<string> =>
  before.flatMap(({ name, status }) => (status === "failed" && isFile(name) ? [name] : []))

/** A file that holds no tests of its own is one to some runners. */
const isFile = (name: string): boolean => /^\S*\.\w{1,5}$/.test(name)

/** What runs around tests is reported where it fails alone. */
const isAround = (name: string): boolean =>
  /"(?:before|after) (?:all|each)" hook\b|(?:^| > )(?:setUp|tearDown)(?:Class|Module)\b|[{(]unnamed[)}]/.test(name)

/** Reported as failed in place of tests that could not be loaded. */
const standsForTests = (name: string): boolean =>
  isFile(name) ||
  /\.[cm]?[jt]sx?$|_FailedTest\b|_NOT_BUILT$|\binitializationError\b|\bclassMethod$|^loading |\b[Uu]n(?:caught|handled)\b|\bfailed to run\b/.test(
    name
  )
