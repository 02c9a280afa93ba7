import { plain } from "./style.ts"

/** A line in which a runner names a test that failed: node:test, TAP, pytest, unittest, Go, Rust, mocha, Vitest. */
const failedTest =
  /^\s*(?:(?:✖|✗|×|❌) +|not ok \d+ (?:- )?|FAILED (?=\S+::)|--- FAIL: |FAIL: |ERROR: (?=test)|\d+\) +)(?<name>\S.*)$|^test (?<rust>\S+) \.\.\. FAILED$/

/** Headlines of runners, which name no test. */
const headline = /^(?:failing tests?:?|\d+ failing.*)$/i

/** Frames of a stack, brackets and rules, and what a program says of itself because another one has failed. */
const noWords = [
  /^\s*(?:at |File "|node:internal|goroutine \d)/,
  /^[\s\p{P}\p{S}]*$/u,
  /^\s*(?:FAIL|FAILED|ok|not ok|exit status \d+|FAIL\t.*)\s*$/,
  /^\s*(?:Node\.js v\d|npm (?:error|ERR!|warn)|error: test failed, to rerun|make: \*\*\*)/,
  /^\s*#? ?(?:ℹ )?(?:tests|suites|pass|cancelled|skipped|todo|duration_ms)\b[ :\d.]*$/
]

const maxNamed = 3

/** What a command that failed has printed of it: the tests that it names, else its last line that says something. */
export const lastWords = (output: string): string => {
  const lines = plain(output).split("\n")
  const named = lines.flatMap((line) => {
    const { name, rust } = failedTest.exec(line.trimEnd())?.groups ?? {}
    const found = (name ?? rust ?? "").replace(/ \([\d.]+ ?m?s\)$/, "").trim()
    return found === "" || headline.test(found) ? [] : [found]
  })
  const tests = [...new Set(named)]
  if (tests.length > 0) {
    const more = tests.length > maxNamed ? ` and ${tests.length - maxNamed} more` : ""
    return `; it names as failed: ${tests.slice(0, maxNamed).join(", ")}${more}`
  }
  const isSaid = (line: string) => !noWords.some((one) => one.test(line))
  const last = lines.findLast(isSaid) ?? lines.findLast((line) => line.trim() !== "")
  return last === undefined ? "" : `; it last printed: ${last.trim()}`
}
