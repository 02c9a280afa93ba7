import { type Counts, isZero, type Reading, type ReportedTest, sumOf, total } from "./model.ts"

/** Reports of one run, as it was printed and written. */
interface Group extends Counts {
  readonly formats: ReadonlyArray<string>
  readonly runner: string | null
  readonly members: ReadonlyArray<Reading>
  readonly tests: ReadonlyArray<ReportedTest>
}

const groupOf = (members: ReadonlyArray<Reading>): Group => ({
  ...sumOf(members),
  formats: [...new Set(members.map(({ format }) => format))],
  runner: members[0]?.runner ?? null,
  members,
  tests: members.flatMap(({ tests }) => tests)
})

/** All that was reported, and what was reported in two ways once. */
export const together = (
  printed: ReadonlyArray<Reading>,
  written: ReadonlyArray<ReadonlyArray<Reading>>
): ReadonlyArray<Group> => {
  const files = withoutCopies(written).map((members) => groupOf(members))
  const groups = [...byRunner(files.flatMap(({ members }) => members)), ...byRunner(printed)]
  const kept: Array<Group> = []
  for (const group of groups) {
    const at = kept.findIndex((other) => isSame(other, group))
    const other = kept[at]
    if (other !== undefined) {
      kept[at] = richer(other, group)
      continue
    }
    // of several runs of one runner some may have written what they printed
    const left = group.members.filter((member) => !kept.some((one) => isOneOf(one, groupOf([member]))))
    if (left.length > 0) kept.push(groupOf(left))
  }
  return kept
}

/** One group for each format of each runner. */
const byRunner = (readings: ReadonlyArray<Reading>): ReadonlyArray<Group> => {
  const found = new Map<string, Array<Reading>>()
  for (const reading of readings) {
    const key = `${reading.format} ${reading.runner ?? ""}`
    const list = found.get(key)
    if (list === undefined) found.set(key, [reading])
    else list.push(reading)
  }
  return [...found.values()].map(groupOf)
}

/** A report that lies there twice is one. */
const withoutCopies = (written: ReadonlyArray<ReadonlyArray<Reading>>): ReadonlyArray<ReadonlyArray<Reading>> => {
  const seen = new Set<string>()
  return written.filter((readings) => {
    if (readings.every(({ tests }) => tests.length === 0)) return true
    const key = JSON.stringify(readings)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

const isSame = (one: Group, other: Group): boolean => {
  if (one.runner !== null && other.runner !== null) return one.runner === other.runner
  return isOneOf(one, other)
}

/** Whether both tell of the same tests, by their numbers or by their names. */
const isOneOf = (one: Group, other: Group): boolean => {
  if (one.runner !== null && other.runner !== null && one.runner !== other.runner) return false
  if (isZero(one) || isZero(other)) return isZero(one) && isZero(other)
  if (one.passed === other.passed && one.failed === other.failed && one.skipped === other.skipped) return true
  const names = new Set(one.tests.map(lastName))
  const shared = other.tests.filter((test) => names.has(lastName(test))).length
  return shared * 2 > Math.min(one.tests.length, other.tests.length)
}

const lastName = ({ name }: ReportedTest): string => name.slice(name.lastIndexOf(" > ") + 1).trim()

const richer = (one: Group, other: Group): Group => {
  const [most, least] =
    total(other) > total(one) || (total(other) === total(one) && other.tests.length > one.tests.length)
      ? [other, one]
      : [one, other]
  return {
    ...most,
    formats: [...new Set([...one.formats, ...other.formats])],
    tests: most.tests.length > 0 ? most.tests : least.tests
  }
}
