import type { TestChange } from "@proofline/kernel"
import { goLeaves } from "./jsonLines.ts"
import { lessThan, numbered, type Output, type Reading, type ReportedTest, reading, sumOf } from "./model.ts"

/** What `go test -v` prints, and plain `go test` where there is nothing to run; else that says no numbers. */
export const go = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (/^=== RUN {3}\S/m.test(text)) return [reading("go", verbose(lines))]
  const packages = lines.filter((line) => /^(?:ok {2}|\? {3}|FAIL|---|\s{4,}|\t)\t?\S*\t/.test(line))
  const isIdle = (line: string) => /^(?:\? {3}\t\S+\t\[no test files\]|ok {2}\t\S+\t.*\[no tests to run\])$/.test(line)
  const named = packages.filter((line) => /^(?:ok {2}|\? {3}|FAIL)\t/.test(line))
  if (named.length > 0 && named.every(isIdle)) return [reading("go", [])]
  // of one package, and of a program that `go test -c` has made, it is said before the end
  const ends = lines.filter((line) => line === "PASS" || line === "FAIL").length
  const idle = lines.filter((line, i) => line === warning && lines[i + 1] === "PASS").length
  return idle > 0 && idle === ends && named.length <= idle ? [reading("go", [])] : []
}

const warning = "testing: warning: no tests to run"

/**
 * Packages that passed by what `go test -v` says, and of which it says no test that it ran: their programs ended before they
 * began. Where there are no tests, or none that is asked for, it says so.
 */
export const silencedPackages = (command: string, printed: string): ReadonlyArray<string> => {
  if (!verbosely.test(`${command}\n${printed}`)) return []
  let hasRun = false
  return printed.split("\n").flatMap((line) => {
    if (/^=== RUN {3}\S/.test(line)) hasRun = true
    if (!/^(?:ok {2}|FAIL|\? {3})\t/.test(line)) return []
    const found = hasRun ? [] : passedPackages(line)
    hasRun = false
    return found
  })
}

/** What it prints goes nowhere else. */
const verbosely = /\bgo\s+test(?=\s)(?=[^;&|<>\n]*\s-v(?:=true)?(?=[\s;&]|$))[^;&|<>\n]*(?=$|[\n;"']|&&|\|\|)/m

/** Packages whose tests passed, as `go test` says without `-v` too. */
const passedPackages = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^ok {2}\t(\S+)\t(?!.*\[no tests to run\]).*$/gm)].flatMap(([, name]) =>
    name === undefined ? [] : [name]
  )

export const lostPackage = (name: string): TestChange => ({
  test: `tests of package ${name}`,
  path: null,
  how: "vanished"
})

/** Packages whose tests passed before, and of which nothing is said now, or that there are no tests. */
export const lostPackages = (before: string, now: string): ReadonlyArray<TestChange> => {
  const failed = [...now.matchAll(/^FAIL\t(\S+)/gm)].map(([, name]) => name)
  const left = new Set([...passedPackages(now), ...failed])
  return passedPackages(before).flatMap((name) => (left.has(name) ? [] : [lostPackage(name)]))
}

/** Without `-v` what tests print, the report of Ginkgo too, is shown of packages that fail alone. */
export const hasPackages = (formats: ReadonlyArray<string>, now: string): boolean =>
  formats.every((format) => format === "ginkgo") && passedPackages(now).length > 0

/** What gotestsum prints last, where `go test` itself is not shown. */
export const gotestsum = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (/^=== RUN {3}\S/m.test(text)) return []
  const ends = lines.filter((line) => /^DONE (?:\d+ runs, )?\d+ tests(?:, \d+ \w+)* in [\d.]+m?s$/.test(line))
  if (ends.length === 0) return []
  const counts = sumOf(
    ends
      .map((line) => line.replace(/ in [\d.]+m?s$/, ""))
      .map((said) =>
        lessThan(
          numbered(said, "tests"),
          numbered(said, "failure", "failures", "error", "errors"),
          numbered(said, "skipped")
        )
      )
  )
  return [reading("gotestsum", [], { counts, runner: "go" })]
}

/** What Ginkgo prints behind its specs. To `go test` all of them are one test. */
export const ginkgo = ({ lines }: Output): ReadonlyArray<Reading> => {
  const ends = lines.flatMap((line) => {
    const [, passed, failed, pending, skipped] =
      /^(?:SUCCESS|FAIL)! -- (\d+) Passed \| (\d+) Failed \| (?:\d+ Flaked \| )?(\d+) Pending \| (\d+) Skipped/.exec(
        line
      ) ?? []
    return passed === undefined
      ? []
      : [{ passed: Number(passed), failed: Number(failed), skipped: Number(pending) + Number(skipped) }]
  })
  return ends.length === 0 ? [] : [reading("ginkgo", [], { counts: sumOf(ends) })]
}

const words = { PASS: "passed", FAIL: "failed", SKIP: "skipped" } as const

const verbose = (lines: ReadonlyArray<string>): ReadonlyArray<ReportedTest> => {
  const all: Array<ReportedTest> = []
  let found = new Map<string, ReportedTest | null>()
  let last = ""
  const end = (name: string) => {
    for (const test of goLeaves(found)) all.push(name === "" ? test : { ...test, name: `${name} > ${test.name}` })
    found = new Map()
  }
  for (const line of lines) {
    const [, begun] = /^=== RUN {3}(\S+)$/.exec(line) ?? []
    if (begun !== undefined) {
      if (!found.has(begun)) found.set(begun, null)
      last = begun
      continue
    }
    if (/^Ran \d+ of \d+ Specs? in /.test(line)) found.delete(last)
    const [, word, name] = /--- (PASS|FAIL|SKIP): (\S+) \([\d.]+s\)$/.exec(line) ?? []
    if (name !== undefined && found.has(name))
      found.set(name, { name, file: null, status: words[word as keyof typeof words] })
    const [, of] = /^(?:ok {2}|FAIL)\t(\S+)/.exec(line) ?? []
    if (of !== undefined) end(of)
  }
  end("")
  return all
}
