import { plain } from "./output.ts"
import type { Counted } from "./reports.ts"

/** A line in which a runner names a test that failed: node:test, TAP, pytest, unittest, Go, Rust, mocha, Vitest. */
const failedTest =
  /^\s*(?:(?:✖|✗|×|❌) +|not ok \d+ (?:- )?|FAILED (?=\S+::)|--- FAIL: |FAIL: |ERROR: (?=test)|\d+\) +)(?<name>\S.*)$|^test (?<rust>\S+) \.\.\. FAILED$/

/** Headlines of runners, which name no test. */
const headline = /^(?:failing tests?:?|\d+ failing.*)$/i

/** What TAP says of a test that is expected to fail. */
const expected = /^[^#]*#\s*(?:TODO|SKIP)\b/i

const nameIn = (line: string): string | null => {
  const { name, rust } = failedTest.exec(line.trimEnd())?.groups ?? {}
  const found = (name ?? rust ?? "").replace(/ \([\d.]+ ?m?s\)$/, "").trim()
  return found === "" || headline.test(found) || expected.test(found) ? null : found
}

/** Whether a line of what a command prints names a test that failed. */
export const namesFailed = (line: string): boolean => nameIn(plain(line)) !== null

/** Tests that lines of an output name as failed, each once. */
export const failedIn = (output: string): ReadonlyArray<string> => [
  ...new Set(
    plain(output)
      .split("\n")
      .flatMap((line) => nameIn(line) ?? [])
  )
]

/** So many names are kept of a command that failed. */
const maxNames = 20

const maxName = 200

/** What runners report as failed, and what lines of the output name that is none of it. */
export const failedTests = (found: Counted | null, output: string): ReadonlyArray<string> => {
  const reported = (found?.tests ?? []).flatMap(({ name, status }) => (status === "failed" ? [name] : []))
  // where something is reported, lines name the same ones again, with other words around them
  const names = reported.length > 0 && reported.length >= (found?.failed ?? 0) ? reported : merged(reported, output)
  return [...new Set(names)].slice(0, maxNames).map((name) => [...name].slice(0, maxName).join(""))
}

const merged = (reported: ReadonlyArray<string>, output: string): ReadonlyArray<string> => [
  ...reported,
  ...failedIn(output).filter((name) => !reported.some((known) => known === name || known.endsWith(` > ${name}`)))
]
