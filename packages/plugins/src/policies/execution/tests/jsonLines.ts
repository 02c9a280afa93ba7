import { type JsonRecord, numberOf, textOf } from "./json.ts"
import { joined, type Reading, type ReportedTest, reading, sumOf, type TestStatus } from "./model.ts"

/** Reports of runners that write one JSON value a line. */
export const fromJsonLines = (values: ReadonlyArray<JsonRecord>): ReadonlyArray<Reading> => [
  ...goEvents(values),
  ...libtest(values),
  ...dart(values)
]

const goStatus: Readonly<Record<string, TestStatus>> = { pass: "passed", fail: "failed", skip: "skipped" }

const goEvents = (values: ReadonlyArray<JsonRecord>): ReadonlyArray<Reading> => {
  const events = values.filter(
    ({ Action, Package, Time }) => typeof Action === "string" && typeof Package === "string" && Time !== null
  )
  if (events.length === 0) return []
  const found = new Map<string, ReportedTest | null>()
  for (const { Action, Package, Test } of events) {
    if (typeof Test !== "string") continue
    const key = `${textOf(Package)} > ${Test}`
    const status = goStatus[textOf(Action)]
    if (status !== undefined) found.set(key, { name: key, file: null, status })
    else if (Action === "run") found.set(key, null)
  }
  return [reading("go", goLeaves(found))]
}

/** Tests without those that have subtests; one that was begun and never ended has failed. */
export const goLeaves = (found: ReadonlyMap<string, ReportedTest | null>): ReadonlyArray<ReportedTest> => {
  const parents = new Set<string>()
  for (const name of found.keys()) {
    const first = name.lastIndexOf(" > ")
    for (let at = name.lastIndexOf("/"); at > first; at = name.lastIndexOf("/", at - 1)) {
      if (at <= 0) break
      parents.add(name.slice(0, at))
    }
  }
  return [...found].flatMap(([name, test]) =>
    parents.has(name) ? [] : [test ?? { name, file: null, status: "failed" as const }]
  )
}

const libtestStatus: Readonly<Record<string, TestStatus>> = {
  ok: "passed",
  failed: "failed",
  timeout: "failed",
  ignored: "skipped"
}

const libtest = (values: ReadonlyArray<JsonRecord>): ReadonlyArray<Reading> => {
  const ended = values.filter(
    ({ event, passed, type }) => type === "suite" && event !== "started" && typeof passed === "number"
  )
  if (ended.length === 0) return []
  const tests = values.flatMap(({ event, name, type }): ReadonlyArray<ReportedTest> => {
    const status = type === "test" ? libtestStatus[textOf(event)] : undefined
    return status === undefined ? [] : [{ ...ofRust(textOf(name)), status }]
  })
  const counts = sumOf(
    ended.map(({ failed, ignored, passed }) => ({
      passed: numberOf(passed),
      failed: numberOf(failed),
      skipped: numberOf(ignored)
    }))
  )
  return [reading("libtest", tests, { counts, runner: "cargo" })]
}

/** What libtest calls a test: `tests::adds`, or `src/lib.rs - add (line 2)` of the documentation. */
export const ofRust = (text: string): Omit<ReportedTest, "status"> => {
  const name = text.replace(/ - should panic$/, "")
  const [, file, item] = /^(\S+\.(?:rs|md)) - (.+)$/.exec(name) ?? []
  return file === undefined || item === undefined
    ? { name: name.split("::").join(" > "), file: null }
    : { name: item, file }
}

/** `dart test --reporter=json` and `flutter test --machine`. */
const dart = (values: ReadonlyArray<JsonRecord>): ReadonlyArray<Reading> => {
  if (!values.some(({ success, type }) => type === "done" && success !== undefined)) return []
  const names = new Map<unknown, string>()
  const tests: Array<ReportedTest> = []
  for (const { hidden, result, skipped, test, testID, type } of values) {
    if (type === "testStart" && typeof test === "object" && test !== null && "id" in test && "name" in test)
      names.set(test.id, textOf(test.name))
    if (type !== "testDone" || hidden === true) continue
    tests.push({
      name: joined(names.get(testID) ?? ""),
      file: null,
      status: skipped === true ? "skipped" : result === "success" ? "passed" : "failed"
    })
  }
  return [reading("dart", tests)]
}
