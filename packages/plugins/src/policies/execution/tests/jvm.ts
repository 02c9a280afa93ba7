import {
  type Counts,
  lessThan,
  numbered,
  type Output,
  type Reading,
  type ReportedTest,
  reading,
  sumOf,
  total,
  whereComplete
} from "./model.ts"

/** What Maven prints: a line for each class, and one for each module, which alone counts. */
export const surefire = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  const ofLine =
    /^(?:\[(?:INFO|WARNING|ERROR)\] *)?Tests run: *(\d+), Failures: *(\d+), Errors: *(\d+), Skipped: *(\d+)(.*)$/
  const found = lines.flatMap((line) => {
    const [, run, failures, errors, skipped, rest = ""] = ofLine.exec(line) ?? []
    if (run === undefined) return []
    const counts = lessThan(Number(run), Number(failures) + Number(errors), Number(skipped))
    return [{ counts, isOfClass: rest.includes("Time elapsed") || /-- in |- in /.test(rest) }]
  })
  if (found.length === 0)
    return /^\[INFO\] No tests to run\.$|^There are no tests to run\.$/m.test(text) ? [reading("surefire", [])] : []
  const totals = found.filter(({ isOfClass }) => !isOfClass)
  return [reading("surefire", [], { counts: sumOf((totals.length > 0 ? totals : found).map(({ counts }) => counts)) })]
}

/** What Gradle prints: the tests where it is told to, numbers where one fails, or that there is nothing to run. */
export const gradle = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (!/^> Task :\S*[tT]est\S*|^BUILD (?:SUCCESSFUL|FAILED) in /m.test(text)) return []
  const tests = lines.flatMap((line): ReadonlyArray<ReportedTest> => {
    const [, name, word] = /^(\S.* > .+) (PASSED|FAILED|SKIPPED)$/.exec(line) ?? []
    if (name === undefined) return []
    return [{ name, file: null, status: word === "PASSED" ? "passed" : word === "FAILED" ? "failed" : "skipped" }]
  })
  const said = lines.filter((line) => /^\d+ tests? completed(?:, \d+ (?:failed|skipped))*$/.test(line))
  if (said.length > 0) {
    const counts = sumOf(
      said.map((line) =>
        lessThan(
          numbered(line, "test completed", "tests completed"),
          numbered(line, "failed"),
          numbered(line, "skipped")
        )
      )
    )
    const told = sumOf([reading("gradle", tests)])
    return [
      total(told) >= total(counts)
        ? reading("gradle", tests)
        : reading("gradle", whereComplete(tests, counts), { counts })
    ]
  }
  if (tests.some(({ status }) => status !== "failed")) return [reading("gradle", tests)]
  const ran = lines.flatMap((line) => /^> Task :(?:\S*:)?\w*[tT]est(?: (.+))?$/.exec(line)?.slice(1, 2) ?? [])
  return ran.length > 0 && ran.every((end) => end === "NO-SOURCE") ? [reading("gradle", [])] : []
}

/** What the console launcher of JUnit prints. */
export const junitConsole = ({ lines }: Output): ReadonlyArray<Reading> => {
  const said = lines.flatMap(
    (line) => /^\[ *(\d+ tests (?:successful|failed|skipped|aborted)) *\]$/.exec(line)?.slice(1, 2) ?? []
  )
  if (said.length === 0) return []
  const text = said.join(", ")
  const counts: Counts = {
    passed: numbered(text, "tests successful"),
    failed: numbered(text, "tests failed"),
    skipped: numbered(text, "tests skipped", "tests aborted")
  }
  return [reading("junit-console", [], { counts })]
}

/** What sbt prints: ScalaTest says it first, and sbt says it again. */
export const sbt = ({ lines }: Output): ReadonlyArray<Reading> => {
  const ofScalaTest = lines.flatMap((line) => {
    const [, passed, failed, canceled, ignored, pending] =
      /^(?:\[info\] )?Tests: succeeded (\d+), failed (\d+), canceled (\d+), ignored (\d+), pending (\d+)$/.exec(line) ??
      []
    const skipped = Number(canceled) + Number(ignored) + Number(pending)
    return passed === undefined ? [] : [{ passed: Number(passed), failed: Number(failed), skipped }]
  })
  const ofSbt = lines.flatMap((line) => {
    const [, all, failed, errors, rest = ""] =
      /^\[(?:info|error)\] (?:Passed|Failed): Total (\d+), Failed (\d+), Errors (\d+), Passed \d+(.*)$/.exec(line) ?? []
    if (all === undefined) return []
    const skipped = Number(/(?:Skipped|Ignored) (\d+)/.exec(rest)?.[1] ?? 0)
    return [lessThan(Number(all), Number(failed) + Number(errors), skipped)]
  })
  const found = ofScalaTest.length > 0 ? ofScalaTest : ofSbt
  return found.length === 0 ? [] : [reading("sbt", [], { counts: sumOf(found) })]
}
