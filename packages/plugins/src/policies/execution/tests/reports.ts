import { together } from "./counted.ts"
import { jsonIn } from "./json.ts"
import { fromJsonLines } from "./jsonLines.ts"
import { fromJson } from "./jsonReports.ts"
import { junitIn } from "./junit.ts"
import { type Counts, type Reader, type Reading, type Reported, type ReportedTest, sumOf } from "./model.ts"
import { byPackage, outputOf, plain } from "./output.ts"
import { texts } from "./texts.ts"

export type { Reported, ReportedTest, TestStatus } from "./model.ts"

/** All tests of one command. */
export interface Counted extends Counts {
  readonly formats: ReadonlyArray<string>
  readonly tests: ReadonlyArray<ReportedTest>
}

/** The reports in the output of a command, or in one report file; none: it holds no report that is understood. */
export const reportsIn = (text: string): ReadonlyArray<Reported> => readingsIn(text).map(reported)

/** All tests of one command: of a runner that wrote a file and printed too, once. Null: nothing is known of tests. */
export const counted = (output: string, files: ReadonlyArray<string>): Counted | null => {
  const groups = together(readingsIn(output), files.map(readingsIn))
  return groups.length === 0
    ? null
    : {
        formats: [...new Set(groups.flatMap(({ formats }) => formats))],
        ...sumOf(groups),
        tests: groups.flatMap(({ tests }) => tests)
      }
}

const reported = ({ failed, format, passed, skipped, tests }: Reading): Reported => ({
  format,
  passed,
  failed,
  skipped,
  tests
})

const readingsIn = (text: string): ReadonlyArray<Reading> => byPackage(plain(text)).flatMap(ofOne)

const ofOne = (text: string): ReadonlyArray<Reading> => {
  const xml = junitIn(text)
  const json = jsonIn(xml.rest)
  const output = outputOf(json.rest)
  const ofTexts = texts.flatMap((read) => tried(read, output))
  return [
    ...xml.readings,
    ...json.values.flatMap((value) => fromJson(value) ?? []),
    ...fromJsonLines(json.values),
    ...ofTexts
  ]
}

/** What one cannot read hides nothing of what others can. */
const tried = (read: Reader, output: Parameters<Reader>[0]): ReadonlyArray<Reading> => {
  try {
    return read(output)
  } catch {
    return []
  }
}
