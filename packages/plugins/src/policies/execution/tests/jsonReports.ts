import { isRecord, type JsonRecord, numberOf, recordsOf, textOf } from "./json.ts"
import { joined, type Reading, type ReportedTest, reading, type TestStatus, whereComplete } from "./model.ts"

/** Reports of runners that write one JSON document. */
export const fromJson = (value: JsonRecord): Reading | null =>
  jest(value) ?? mocha(value) ?? pytest(value) ?? rspec(value) ?? playwright(value)

const fileOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null)

const statusOf = (word: unknown): TestStatus =>
  word === "passed" || word === "focused" ? "passed" : word === "failed" ? "failed" : "skipped"

const jest = (value: JsonRecord): Reading | null => {
  const { numTotalTests, testResults } = value
  if (typeof numTotalTests !== "number" || !Array.isArray(testResults)) return null
  const tests = recordsOf(testResults).flatMap((result) =>
    recordsOf(result["assertionResults"] ?? result["testResults"]).map((one): ReportedTest => {
      const around = Array.isArray(one["ancestorTitles"]) ? one["ancestorTitles"].map(textOf) : []
      return {
        name: joined(...around, textOf(one["title"] ?? one["fullName"])),
        file: fileOf(result["name"] ?? result["testFilePath"]),
        status: statusOf(one["status"])
      }
    })
  )
  return reading("numRuntimeErrorTestSuites" in value ? "jest" : "vitest", tests)
}

const mocha = ({ failures, passes, pending, stats, tests }: JsonRecord): Reading | null => {
  if (!isRecord(stats) || typeof stats["passes"] !== "number" || !Array.isArray(tests)) return null
  const as = (status: TestStatus, list: unknown) =>
    recordsOf(list).map(
      (one): ReportedTest => ({
        name: textOf(one["fullTitle"] ?? one["title"]),
        file: fileOf(one["file"]),
        status
      })
    )
  const counts = {
    passed: numberOf(stats["passes"]),
    failed: numberOf(stats["failures"]),
    skipped: numberOf(stats["pending"])
  }
  const told = [...as("passed", passes), ...as("failed", failures), ...as("skipped", pending)]
  return reading("mocha", whereComplete(told, counts), { counts })
}

const pytest = ({ exitcode, summary, tests }: JsonRecord): Reading | null => {
  if (!isRecord(summary) || typeof exitcode !== "number" || !("total" in summary || "collected" in summary)) return null
  const number = (...names: ReadonlyArray<string>) => names.reduce((sum, name) => sum + numberOf(summary[name]), 0)
  const counts = {
    passed: number("passed", "xpassed"),
    failed: number("failed", "error"),
    skipped: number("skipped", "xfailed")
  }
  const told = recordsOf(tests).map((one): ReportedTest => {
    const outcome = textOf(one["outcome"])
    return {
      ...ofNode(textOf(one["nodeid"])),
      status: /^x?passed$/.test(outcome) ? "passed" : /^(?:failed|error)$/.test(outcome) ? "failed" : "skipped"
    }
  })
  return reading("pytest", whereComplete(told, counts), { counts })
}

/** What pytest calls a test: `tests/test_a.py::TestGroup::test_b[1]`. */
export const ofNode = (id: string): Omit<ReportedTest, "status"> => {
  const [file = "", ...names] = id.split("[", 1)[0]?.split("::") ?? []
  const given = id.includes("[") ? id.slice(id.indexOf("[")) : ""
  return { name: `${names.join(" > ")}${given}`, file }
}

const rspec = ({ examples, summary }: JsonRecord): Reading | null => {
  if (!Array.isArray(examples) || !isRecord(summary) || typeof summary["example_count"] !== "number") return null
  const tests = recordsOf(examples).map(
    (one): ReportedTest => ({
      name: textOf(one["full_description"] ?? one["description"]),
      file: fileOf(one["file_path"]),
      status: statusOf(one["status"])
    })
  )
  return reading("rspec", tests)
}

const playwright = ({ stats, suites }: JsonRecord): Reading | null => {
  if (!Array.isArray(suites) || !isRecord(stats) || typeof stats["expected"] !== "number") return null
  const tests: Array<ReportedTest> = []
  const visit = (suite: JsonRecord, around: ReadonlyArray<string>, depth: number): void => {
    for (const spec of recordsOf(suite["specs"]))
      for (const one of recordsOf(spec["tests"])) {
        const { status } = one
        tests.push({
          name: joined(...around, textOf(spec["title"])),
          file: fileOf(spec["file"]),
          status: status === "unexpected" ? "failed" : status === "skipped" ? "skipped" : "passed"
        })
      }
    if (depth < 100)
      for (const inner of recordsOf(suite["suites"])) visit(inner, [...around, textOf(inner["title"])], depth + 1)
  }
  for (const suite of recordsOf(suites)) visit(suite, [], 0)
  return reading("playwright", tests)
}
