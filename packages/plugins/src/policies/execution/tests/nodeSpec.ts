import { joined, type Output, type Reading, type ReportedTest, reading, type TestStatus, total } from "./model.ts"

const marks: Readonly<Record<string, TestStatus>> = { "✔": "passed", "✖": "failed", "﹣": "skipped", "⚠": "skipped" }

interface Level {
  readonly indent: number
  readonly tests: Array<ReportedTest>
}

/** What `node --test` prints. One that has subtests is none itself. */
export const nodeSpec = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (!/^ℹ tests \d+$/m.test(text) || !/^ℹ pass \d+$/m.test(text)) return []
  const readings: Array<Reading> = []
  let levels: Array<Level> = []
  let [closings, said] = [0, {} as Record<string, number>]
  const within = (indent: number): ReadonlyArray<ReportedTest> => {
    let found: ReadonlyArray<ReportedTest> = []
    while ((levels.at(-1)?.indent ?? -1) > indent) found = (levels.pop()?.tests ?? []).concat(found)
    return found
  }
  const end = () => {
    readings.push(readingOf(within(-1), closings, said))
    levels = []
    closings = 0
    said = {}
  }
  lines.forEach((line, i) => {
    const [, name, number] = /^ℹ (tests|suites|pass|fail|cancelled|skipped|todo) (\d+)$/.exec(line) ?? []
    if (name !== undefined) {
      if (name === "tests" && said["tests"] !== undefined) end()
      said[name] = Number(number)
      return
    }
    // the list of those that failed, behind the numbers
    if (said["tests"] !== undefined && /^✖ failing tests:/.test(line)) end()
    if ((lines[i - 1] ?? "").startsWith("test at ")) return
    const [, space, mark, title, reason] = /^( *)([✔✖﹣⚠]) (.+?) \([\d.]+m?s\)(?: # ?(.*))?$/.exec(line) ?? []
    if (space === undefined || mark === undefined || title === undefined) return
    if (said["tests"] !== undefined) end()
    const inner = within(space.length)
    if (inner.length > 0) closings++
    const status = reason === undefined ? (marks[mark] ?? "failed") : "skipped"
    const found =
      inner.length > 0
        ? inner.map((one) => ({ ...one, name: joined(title, one.name) }))
        : [{ name: title, file: null, status }]
    const last = levels.at(-1)
    if (last !== undefined && last.indent === space.length) for (const one of found) last.tests.push(one)
    else levels.push({ indent: space.length, tests: [...found] })
  })
  if (said["tests"] !== undefined) end()
  return readings
}

const readingOf = (
  tests: ReadonlyArray<ReportedTest>,
  closings: number,
  said: Readonly<Record<string, number>>
): Reading => {
  const number = (name: string) => said[name] ?? 0
  const counts = {
    passed: number("pass"),
    failed: number("fail") + number("cancelled"),
    skipped: number("skipped") + number("todo")
  }
  const options = { counts, runner: "node" }
  if (tests.length + closings !== number("tests") + number("suites")) return reading("node-spec", [], options)
  // a suite with nothing in it looks like a test, and a test with subtests like a suite
  const empty = total(reading("node-spec", tests)) - number("tests")
  if (empty > 0 || counts.passed === 0) return reading("node-spec", empty > 0 ? [] : tests, options)
  return reading("node-spec", tests, { runner: "node" })
}
