import {
  type Counts,
  joined,
  labelled,
  lessThan,
  numbered,
  type Output,
  type Reading,
  type ReportedTest,
  reading,
  sumOf,
  type TestStatus,
  whereComplete
} from "./model.ts"

/** What `dotnet test` prints, by VSTest and by the testing platform. */
export const dotnet = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  const found: Array<Counts> = []
  for (const [i, line] of lines.entries()) {
    if (/^(?:Passed|Failed|Skipped)! +- Failed: +\d+, Passed: +\d+, Skipped: +\d+, Total: +\d+/.test(line)) {
      const said = line.replace(/, Duration.*$/, "").replace(/^\w+! +- /, "")
      found.push({
        passed: labelled(said, "passed"),
        failed: labelled(said, "failed"),
        skipped: labelled(said, "skipped")
      })
    } else if (/^Total tests: \d+$/.test(line)) {
      const said = lines
        .slice(i + 1, i + 4)
        .filter((next) => /^ +(?:Passed|Failed|Skipped): \d+$/.test(next))
        .join(", ")
      found.push({
        passed: labelled(said, "passed"),
        failed: labelled(said, "failed"),
        skipped: labelled(said, "skipped")
      })
    } else if (/^Test run summary: /.test(line)) {
      const said = lines
        .slice(i + 1, i + 6)
        .filter((next) => /^ +(?:total|failed|succeeded|skipped): \d+$/.test(next))
        .join(", ")
      found.push({
        passed: labelled(said, "succeeded"),
        failed: labelled(said, "failed"),
        skipped: labelled(said, "skipped")
      })
    } else if (/^Test summary: total: \d+[,;] failed: \d+[,;] succeeded: \d+[,;] skipped: \d+/.test(line)) {
      found.length = 0
      const said = line.replace(/^Test summary: /, "")
      found.push({
        passed: labelled(said, "succeeded"),
        failed: labelled(said, "failed"),
        skipped: labelled(said, "skipped")
      })
      break
    }
  }
  if (found.length === 0)
    return /^No test is available in .+\.dll|^No test matches the given testcase filter |^Zero tests ran\b/m.test(text)
      ? [reading("dotnet", [])]
      : []
  const counts = sumOf(found)
  const tests = lines.flatMap((line): ReadonlyArray<ReportedTest> => {
    const [, word, name] = /^ {2}(Passed|Failed|Skipped) (\S.*?)(?: \[[<\d. a-z]+\])?$/.exec(line) ?? []
    return name === undefined ? [] : [{ name, file: null, status: (word ?? "").toLowerCase() as TestStatus }]
  })
  return [reading("dotnet", whereComplete(tests, counts), { counts })]
}

/** What `ctest` prints. */
export const ctest = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (/^No tests were found!!!$/m.test(text)) return [reading("ctest", [])]
  const ends = lines.flatMap((line) => {
    const [, failed, all] = /^\d+% tests passed, (\d+) tests? failed out of (\d+)$/.exec(line) ?? []
    return all === undefined ? [] : [{ failed: Number(failed), all: Number(all) }]
  })
  if (ends.length === 0) return []
  const tests = lines.flatMap((line): ReadonlyArray<ReportedTest> => {
    const [, name, word = ""] =
      /^ *\d+\/\d+ Test +#\d+: (\S.*?) \.{2,} *(Passed|\*{3}\S.*?)(?: +[\d.]+ sec.*)?$/.exec(line) ?? []
    if (name === undefined) return []
    const isLeftOut = /^\*{3}(?:Skipped|Not Run \(Disabled\))/.test(word)
    return [{ name, file: null, status: word === "Passed" ? "passed" : isLeftOut ? "skipped" : "failed" }]
  })
  const [all, failed] = [ends.reduce((sum, end) => sum + end.all, 0), ends.reduce((sum, end) => sum + end.failed, 0)]
  // those that are disabled are in the table alone, those that skip are counted as passed
  const skipped = tests.filter(({ status }) => status === "skipped").length
  const isTold = tests.length >= all
  return [
    reading(
      "ctest",
      isTold ? tests : [],
      isTold ? {} : { counts: lessThan(all, failed, Math.min(skipped, all - failed)) }
    )
  ]
}

/** What `swift test` prints, of XCTest and of Swift Testing. */
export const swift = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  const found: Array<Counts> = []
  for (const [i, line] of lines.entries()) {
    const [, all, failed] =
      /^[^\w\s]? *Test run with (\d+) tests?(?: in \d+ suites?)? (?:passed|failed)(?: after .*?)?(?: with (\d+) issues?)?\.?$/.exec(
        line
      ) ?? []
    if (all !== undefined) found.push(lessThan(Number(all), Math.min(Number(all), Number(failed ?? 0)), 0))
    if (!/^Test Suite '(?:All tests|Selected tests)' (?:passed|failed) at /.test(line)) continue
    const said = lines.slice(i + 1, i + 2).find((next) => /^\s*Executed \d+ tests?, with /.test(next)) ?? ""
    const [, run] = /Executed (\d+) tests?/.exec(said) ?? []
    if (run !== undefined)
      found.push(
        lessThan(
          Number(run),
          numbered(said, "failure", "failures"),
          numbered(said.replaceAll(/with |and /g, ""), "test skipped", "tests skipped")
        )
      )
  }
  if (found.length === 0)
    return /^error: no tests found; create a target in the 'Tests' directory$/m.test(text) ? [reading("swift", [])] : []
  const tests = lines.flatMap((line): ReadonlyArray<ReportedTest> => {
    const [, name, word] =
      /^Test Case '(?:-\[)?(.+?)\]?' (passed|failed|skipped) \([\d.]+ seconds\)\.?$/.exec(line) ??
      /^[^\w\s] *Test "?(.+?)"? (passed|failed|skipped)(?: after| with|:|\.|$)/.exec(line) ??
      []
    if (name === undefined || / run with \d/.test(line)) return []
    return [{ name: joined(...name.split(/[. ](?=\w+$)/)), file: null, status: word as TestStatus }]
  })
  const counts = sumOf(found)
  const told = reading("swift", tests)
  const isComplete = told.passed + told.failed + told.skipped === counts.passed + counts.failed + counts.skipped
  return [isComplete ? told : reading("swift", whereComplete(tests, counts), { counts })]
}

/** What GoogleTest prints. */
export const googletest = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  const ends = [...text.matchAll(/^\[={10}\] (\d+) tests? from \d+ test (?:suites?|cases?) ran\./gm)]
  if (ends.length === 0) return []
  const tests = new Map<string, ReportedTest>()
  let isOver = false
  for (const line of lines) {
    if (line.startsWith("[==========]")) isOver = / ran\./.test(line)
    const [, word, name] = isOver
      ? []
      : (/^\[ *(OK|FAILED|SKIPPED) *\] (\S+\.\S+)(?:, where .*)? \(\d+ ms\)$/.exec(line) ?? [])
    if (name === undefined) continue
    tests.set(name, {
      name: name.replace(".", " > "),
      file: null,
      status: word === "OK" ? "passed" : word === "FAILED" ? "failed" : "skipped"
    })
  }
  const all = ends.reduce((sum, [, number]) => sum + Number(number), 0)
  if (tests.size === all) return [reading("googletest", [...tests.values()])]
  const number = (word: string) =>
    lines.reduce(
      (sum, line) => sum + Number(new RegExp(`^\\[ *${word} *\\] (\\d+) tests?[,.]`).exec(line)?.[1] ?? 0),
      0
    )
  return [reading("googletest", [], { counts: lessThan(all, number("FAILED"), number("SKIPPED")) })]
}

/** What Catch2 prints. */
export const catch2 = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (/^No tests ran$/m.test(text) && /^={79}$/m.test(text)) return [reading("catch2", [])]
  const found = lines.flatMap((line): ReadonlyArray<Counts> => {
    const [, all] = /^All tests passed \(\d+ assertions? in (\d+) test cases?\)$/.exec(line) ?? []
    if (all !== undefined) return [{ passed: Number(all), failed: 0, skipped: 0 }]
    if (!/^test cases: +\d+ \|(?: +\d+ [a-z ]+(?:\||$))+$/.test(line)) return []
    const said = line.replaceAll("|", ",")
    return [
      {
        passed: numbered(said, "passed"),
        failed: numbered(said, "failed"),
        skipped: numbered(said, "skipped", "failed as expected")
      }
    ]
  })
  return found.length === 0 ? [] : [reading("catch2", [], { counts: sumOf(found) })]
}
