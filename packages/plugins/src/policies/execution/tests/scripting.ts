import {
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

/** What RSpec prints. */
export const rspec = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (!/^Finished in .+/m.test(text)) return []
  const ends = lines.filter((line) =>
    /^\d+ examples?, \d+ failures?(?:, \d+ pending)?(?:, \d+ errors? occurred outside of examples)?$/.test(line)
  )
  if (ends.length === 0) return []
  return [
    reading("rspec", [], {
      counts: sumOf(
        ends.map((line) =>
          lessThan(
            numbered(line, "example", "examples"),
            numbered(line, "failure", "failures"),
            numbered(line, "pending")
          )
        )
      )
    })
  ]
}

/** What minitest prints, and test-unit with it. */
export const minitest = ({ lines }: Output): ReadonlyArray<Reading> => {
  const ends = lines.filter((line) =>
    /^\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors, \d+ (?:skips|pendings, \d+ omissions.*)$/.test(line)
  )
  if (ends.length === 0) return []
  const counts = sumOf(
    ends.map((line) =>
      lessThan(
        numbered(line, "runs", "tests"),
        numbered(line, "failures", "errors"),
        numbered(line, "skips", "pendings", "omissions")
      )
    )
  )
  const tests = lines.flatMap((line): ReadonlyArray<ReportedTest> => {
    const [, group, name, mark] = /^(\w[\w:]*)#(test_.+) = [\d.]+ s = ([.FES])$/.exec(line) ?? []
    if (group === undefined || name === undefined) return []
    const status: TestStatus = mark === "." ? "passed" : mark === "S" ? "skipped" : "failed"
    return [{ name: joined(group, name), file: null, status }]
  })
  return [reading("minitest", whereComplete(tests, counts), { counts })]
}

/** What PHPUnit prints, and Pest. */
export const phpunit = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (/^No tests executed!$/m.test(text)) return [reading("phpunit", [])]
  const found = lines.flatMap((line) => {
    const [, all] = /^OK \((\d+) tests?, \d+ assertions?\)$/.exec(line) ?? []
    if (all !== undefined) return [lessThan(Number(all), 0, 0)]
    if (!/^Tests: \d+, Assertions: \d+(?:, [A-Z][A-Za-z ]+: \d+)*\.$/.test(line)) return []
    return [
      lessThan(labelled(line, "tests"), labelled(line, "failures", "errors"), labelled(line, "skipped", "incomplete"))
    ]
  })
  if (found.length > 0) return [reading("phpunit", [], { counts: sumOf(found) })]
  const pest = lines.filter((line) => /^ {2}Tests: +(?:\d+ [a-z]+,? )+\(\d+ assertions?\)$/.test(line))
  if (/^ +INFO +No tests found\.$/m.test(text)) return [reading("pest", [])]
  return pest.length === 0
    ? []
    : [
        reading("pest", [], {
          counts: sumOf(
            pest.map((line) => ({
              passed: numbered(line, "passed", "warnings", "risky", "deprecated"),
              failed: numbered(line, "failed"),
              skipped: numbered(line, "skipped", "todos", "todo", "incomplete")
            }))
          )
        })
      ]
}

/** What Elixir's ExUnit prints. */
export const exunit = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (!/^Finished in [\d.]+ seconds/m.test(text)) return []
  const ends = lines.filter((line) =>
    /^(?:\d+ (?:doctests?|property|properties), )*\d+ tests?, \d+ failures?(?:, \d+ (?:invalid|excluded|skipped))*$/.test(
      line
    )
  )
  if (ends.length === 0) return /^There are no tests to run$/m.test(text) ? [reading("exunit", [])] : []
  return [
    reading("exunit", [], {
      counts: sumOf(
        ends.map((line) =>
          lessThan(
            numbered(line, "test", "tests", "doctest", "doctests", "property", "properties"),
            numbered(line, "failure", "failures", "invalid"),
            numbered(line, "skipped", "excluded")
          )
        )
      )
    })
  ]
}

/** What bats prints for people. */
export const bats = ({ lines }: Output): ReadonlyArray<Reading> => {
  const ends = lines.filter((line) =>
    /^\d+ tests?, \d+ failures?(?:, \d+ skipped)?(?:, \d+ not run)?(?: in [\d.]+ seconds?)?$/.test(line)
  )
  if (ends.length === 0) return []
  const tests = lines.flatMap((line): ReadonlyArray<ReportedTest> => {
    const [, mark, name] = /(?:^|\d\/\d+) (✓|✗|-) (.+)$/.exec(line) ?? []
    if (mark === undefined || name === undefined) return []
    const title = name.replace(/ \(skipped(?:: .*)?\)$/, "")
    return [{ name: title, file: null, status: mark === "✓" ? "passed" : mark === "✗" ? "failed" : "skipped" }]
  })
  if (tests.length === 0 && !ends.some((line) => line.startsWith("0 "))) return []
  const counts = sumOf(
    ends.map((line) =>
      lessThan(
        numbered(line, "test", "tests"),
        numbered(line, "failure", "failures"),
        numbered(line, "skipped", "not run")
      )
    )
  )
  return [reading("bats", whereComplete(tests, counts), { counts })]
}

/** What Dart and Flutter print. */
export const dart = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (/^No tests ran\.$|^No tests match /m.test(text) && /^\d\d:\d\d \+0/m.test(text)) return [reading("dart", [])]
  const end = lines.findLast((line) =>
    /^\d\d:\d\d \+\d+(?: ~\d+)?(?: -\d+)?: (?:All tests passed!|Some tests failed\.|All tests skipped\.)$/.test(line)
  )
  if (end === undefined) return []
  const number = (sign: RegExp) => Number(sign.exec(end)?.[1] ?? 0)
  return [
    reading("dart", [], {
      counts: { passed: number(/ \+(\d+)/), failed: number(/ -(\d+)/), skipped: number(/ ~(\d+)/) }
    })
  ]
}

/** What busted prints. */
export const busted = ({ lines }: Output): ReadonlyArray<Reading> => {
  const ends = lines.filter((line) =>
    /^\d+ success(?:es)? \/ \d+ failures? \/ \d+ errors? \/ \d+ pending : [\d.]+ seconds$/.test(line)
  )
  if (ends.length === 0) return []
  return [
    reading("busted", [], {
      counts: sumOf(
        ends.map((line) => ({
          passed: numbered(line, "success", "successes"),
          failed: numbered(line, "failure", "failures", "error", "errors"),
          skipped: numbered(line, "pending")
        }))
      )
    })
  ]
}

/** What testthat says last: it counts what is expected, not the tests. */
export const testthat = ({ lines }: Output): ReadonlyArray<Reading> => {
  const end = lines.findLast((line) => /^\[ FAIL \d+ \| WARN \d+ \| SKIP \d+ \| PASS \d+ \]$/.test(line))
  if (end === undefined) return []
  const number = (word: string) => Number(new RegExp(`\\b${word} (\\d+)`).exec(end)?.[1] ?? 0)
  return [
    reading("testthat", [], { counts: { passed: number("PASS"), failed: number("FAIL"), skipped: number("SKIP") } })
  ]
}
