import { Schema } from "effect"

const TestStatus = Schema.Literals(["passed", "failed", "skipped"])
export type TestStatus = typeof TestStatus.Type

/** A test as its runner named it. */
export const ReportedTest = Schema.Struct({
  /** Suites and name, joined by ` > `; what it was given is kept. */
  name: Schema.String,
  /** As the runner says it; null: it does not. */
  file: Schema.NullOr(Schema.String),
  status: TestStatus
})
export type ReportedTest = typeof ReportedTest.Type

export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** What one runner reported of one run. */
export interface Reported extends Counts {
  readonly format: string
  /** Those whose names are told; may be fewer than were counted. */
  readonly tests: ReadonlyArray<ReportedTest>
}

/** A report as it was read, with the runner that it is of; null: any may write it. */
export interface Reading extends Reported {
  readonly runner: string | null
}

export type Reader = (output: Output) => ReadonlyArray<Reading>

/** What a command printed, without colours. */
export interface Output {
  readonly text: string
  /** Those that are too long to be anything of a report are empty. */
  readonly lines: ReadonlyArray<string>
}

export const isZero = ({ failed, passed, skipped }: Counts): boolean => passed + failed + skipped === 0

export const total = ({ failed, passed, skipped }: Counts): number => passed + failed + skipped

export const countsOf = (tests: ReadonlyArray<ReportedTest>): Counts => {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const { status } of tests) counts[status]++
  return counts
}

export const sumOf = (all: ReadonlyArray<Counts>): Counts => {
  const sum = { passed: 0, failed: 0, skipped: 0 }
  for (const { failed, passed, skipped } of all) {
    sum.passed += passed
    sum.failed += failed
    sum.skipped += skipped
  }
  return sum
}

/** Counted by its summary, or else by its tests. */
export const reading = (
  format: string,
  tests: ReadonlyArray<ReportedTest>,
  { counts = countsOf(tests), runner = format }: { readonly counts?: Counts; readonly runner?: string | null } = {}
): Reading => ({ format, runner, ...counts, tests: tests.filter(({ name }) => name !== "") })

/** The names, where they are as many as were counted; others were printed by something else, or not all are there. */
export const whereComplete = (tests: ReadonlyArray<ReportedTest>, counts: Counts): ReadonlyArray<ReportedTest> => {
  const told = countsOf(tests)
  return told.passed <= counts.passed && told.failed <= counts.failed && told.skipped <= counts.skipped ? tests : []
}

export const joined = (...parts: ReadonlyArray<string>): string =>
  parts.flatMap((part) => (part.trim() === "" ? [] : [part.trim()])).join(" > ")

/** A number that stands before a word in a summary, as in `3 passed, 1 failed`; the sum where there are several words. */
export const numbered = (text: string, ...words: ReadonlyArray<string>): number => {
  let sum = 0
  for (const [, number, word] of text.matchAll(/(\d+) ([a-z]+(?: [a-z]+)*)/gi))
    if (word !== undefined && words.includes(word.toLowerCase())) sum += Number(number)
  return sum
}

/** A number that stands behind a word in a summary, as in `Failures: 1` or `failures=1`. */
export const labelled = (text: string, ...labels: ReadonlyArray<string>): number => {
  let sum = 0
  for (const [, label, number] of text.matchAll(/([a-z]+(?: [a-z]+)*)(?:: *| *= *| )(\d+)/gi))
    if (label !== undefined && labels.includes(label.toLowerCase())) sum += Number(number)
  return sum
}

/** What is left of all has passed. */
export const lessThan = (all: number, failed: number, skipped: number): Counts => ({
  passed: Math.max(0, all - failed - skipped),
  failed,
  skipped
})
