import { SaxesParser } from "saxes"
import { type Counts, countsOf, joined, type Reading, type ReportedTest, reading, sumOf, total } from "./model.ts"

const opening = /^[ \t\uFEFF]*(?:<\?xml\b|<testsuites?\b)/gm

/** Reports in XML, and what stands around them. */
export const junitIn = (text: string): { readonly readings: ReadonlyArray<Reading>; readonly rest: string } => {
  const readings: Array<Reading> = []
  const rest: Array<string> = []
  let from = 0
  opening.lastIndex = 0
  let tries = 1_000
  for (let found = opening.exec(text); found !== null && tries > 0; found = opening.exec(text)) {
    const { end, report } = parsed(text, found.index + (found[0].length - found[0].trimStart().length))
    if (report !== null) {
      readings.push(report)
      rest.push(text.slice(from, found.index))
      from = end
    } else tries--
    opening.lastIndex = Math.max(end, opening.lastIndex)
  }
  return { readings, rest: from === 0 ? text : [...rest, text.slice(from)].join("\n") }
}

type Attributes = Readonly<Record<string, string>>

interface Suite {
  readonly name: string
  readonly file: string | null
  readonly declared: Counts
  cases: number
}

interface Case {
  readonly attributes: Attributes
  failed: boolean
  skipped: boolean
}

const deepest = 100

class Done extends Error {}

/** The report that begins here and where it ends; null: it is none, or is not well-formed. */
const parsed = (text: string, start: number): { readonly report: Reading | null; readonly end: number } => {
  const parser = new SaxesParser<{ position: false; xmlns: false }>({ position: false, xmlns: false })
  const suites: Array<Suite> = []
  const tests: Array<ReportedTest> = []
  const onlyCounted: Array<Counts> = []
  const names: Array<string> = []
  const depth = { all: 0 }
  let test: Case | null = null
  let end: number | null = null
  parser.on("error", (error) => {
    throw error
  })
  parser.on("opentag", (tag) => {
    const attributes: Attributes = tag.attributes
    if (depth.all++ === 0 && !/^testsuites?$/.test(tag.name)) throw new Done()
    if (tag.name === "testsuite" || tag.name === "testsuites") {
      if (suites.length === deepest) throw new Done()
      names.push(attributes["name"] ?? "")
      suites.push(suiteOf(attributes, tag.name))
    } else if (tag.name === "testcase") {
      test = { attributes, failed: false, skipped: isNotRun(attributes) }
      for (const suite of suites) suite.cases++
    } else if (test !== null) {
      if (tag.name === "failure" || tag.name === "error") test.failed = true
      if (tag.name === "skipped") test.skipped = true
    }
  })
  // node says so, and reports suites with nothing in them as tests
  parser.on("comment", (text) => {
    if (/^ *tests 0 *$/.test(text)) tests.length = 0
  })
  parser.on("closetag", ({ name }) => {
    depth.all--
    if (name === "testcase" && test !== null) {
      tests.push(testOf(test, suites))
      test = null
    } else if (name === "testsuite" || name === "testsuites") {
      const suite = suites.pop()
      // written by some without the tests themselves
      if (suite?.cases === 0 && total(suite.declared) > 0) {
        onlyCounted.push(suite.declared)
        for (const around of suites) around.cases += total(suite.declared)
      }
    }
    if (depth.all === 0) {
      end = start + parser.position
      throw new Done()
    }
  })
  try {
    parser.write(text.slice(start)).close()
  } catch {
    if (end === null) return { report: null, end: start + parser.position }
  }
  const leaves = withoutParents(tests)
  return {
    report: reading("junit", leaves, {
      counts: sumOf([countsOf(leaves), ...onlyCounted]),
      runner: runnerOf(names, text.slice(start, start + 1_000))
    }),
    end: end ?? text.length
  }
}

const suiteOf = (attributes: Attributes, tag: string): Suite => {
  const number = (...of: ReadonlyArray<string>) => of.reduce((sum, name) => sum + (Number(attributes[name]) || 0), 0)
  const failed = number("failures", "errors")
  const skipped = number("skipped", "disabled")
  return {
    name: tag === "testsuites" ? "" : (attributes["name"] ?? ""),
    file: attributes["file"] ?? attributes["filepath"] ?? null,
    declared: { failed, skipped, passed: Math.max(0, number("tests") - failed - skipped) },
    cases: 0
  }
}

const isNotRun = ({ result, status }: Attributes): boolean =>
  /^(?:skipped|disabled|notrun|ignored)$/i.test(status ?? "") || /^(?:skipped|suppressed)$/i.test(result ?? "")

const testOf = ({ attributes, failed, skipped }: Case, suites: ReadonlyArray<Suite>): ReportedTest => {
  const name = (attributes["name"] ?? "").trim()
  const group = (attributes["classname"] ?? attributes["class"] ?? "").trim()
  const own = suites.map(({ name }) => name.trim()).filter((suite) => suite !== "")
  const near = suites.findLast((suite) => suite.file !== null)?.file ?? null
  const inGroup = isPath(group) ? group : null
  return {
    name: fullName(name, group, own),
    file: attributes["file"] ?? near ?? inGroup,
    status: failed ? "failed" : skipped ? "skipped" : "passed"
  }
}

/** Runners say the suites by nesting, by the class, or within the name, and some say them twice. */
const fullName = (name: string, group: string, suites: ReadonlyArray<string>): string => {
  const meant = suites.filter((suite) => !isPath(suite) && !runners.has(suite) && !name.startsWith(suite))
  if (group !== "" && group !== "test" && !isPath(group) && group !== meant.join("."))
    return name.startsWith(group) ? name : joined(group, name)
  return joined(...meant, name)
}

const isPath = (text: string): boolean =>
  /[\\/]/.test(text) ? /\.\w{1,5}$/.test(text) : /^[\w.-]+\.(?:[cm]?[jt]sx?|py|rb|php|exs?|bats)$/.test(text)

/** Suites that only say which runner it is, or nothing. */
const runners = new Map<string, string | null>([
  ["pytest", "pytest"],
  ["pytest tests", "pytest"],
  ["jest tests", "jest"],
  ["vitest tests", "vitest"],
  ["Mocha Tests", "mocha"],
  ["rspec", "rspec"],
  ["bun test", "bun"],
  ["deno test", "deno"],
  ["nextest-run", "nextest"],
  ["undefined", null],
  ["Root Suite", "mocha"]
])

const runnerOf = (suites: ReadonlyArray<string>, head: string): string | null => {
  for (const suite of suites) {
    const runner = runners.get(suite)
    if (runner !== undefined && runner !== null) return runner
  }
  if (head.includes("surefire-test-report")) return "surefire"
  if (suites.some((suite) => suite.startsWith("Surefire"))) return "surefire"
  return /<testcase[^>]* classname="test"/.test(head) ? "node" : null
}

/** What converts the output of `go test` names a test with subtests too. */
const withoutParents = (tests: ReadonlyArray<ReportedTest>): ReadonlyArray<ReportedTest> => {
  const parents = new Set<string>()
  for (const { name } of tests) {
    if (!/(?:^| > )(?:Test|Fuzz|Example)[^ ]*\/[^>]*$/.test(name)) continue
    for (let at = name.lastIndexOf("/"); at > name.lastIndexOf(" > "); at = name.lastIndexOf("/", at - 1)) {
      if (at <= 0) break
      parents.add(name.slice(0, at))
    }
  }
  return parents.size === 0 ? tests : tests.filter(({ name }) => !parents.has(name))
}
