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
  const files = byRunner(withoutCopies(written).flat())
  const kept: Array<Group> = []
  const add = (group: Group, isSame: (kept: Group, added: Group) => boolean) => {
    const at = kept.findIndex((other) => isSame(other, group))
    const other = kept[at]
    if (other !== undefined) kept[at] = richer(other, group)
    else kept.push(group)
  }
  for (const group of files) add(group, isOfOneRun)
  const ofFiles = kept.length
  for (const group of byRunner(printed)) {
    const before = kept.slice(0, ofFiles)
    if (before.some((file) => isOfOneRun(file, group))) {
      add(group, (other, added) => before.includes(other) && isOfOneRun(other, added))
      continue
    }
    // of several runs of one runner some may have written what they printed
    const left = group.members.filter((member) => !before.some((file) => isSame(file, groupOf([member]))))
    // what is printed in two formats are two runs, unless they tell of the same tests
    if (left.length > 0) add(groupOf(left), (other, added) => !before.includes(other) && hasSameNames(other, added))
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

/** What one runner wrote and printed is of one run. */
const isOfOneRun = (one: Group, other: Group): boolean =>
  one.runner !== null && other.runner !== null ? one.runner === other.runner : isSame(one, other)

/** Whether both tell of the same tests, by their names, or where these are not told by their numbers. */
const isSame = (one: Group, other: Group): boolean => {
  if (one.runner !== null && other.runner !== null && one.runner !== other.runner) return false
  if (isZero(one) || isZero(other)) return isZero(one) && isZero(other)
  if (one.tests.length > 0 && other.tests.length > 0) return hasSameNames(one, other)
  return one.passed === other.passed && one.failed === other.failed && one.skipped === other.skipped
}

const hasSameNames = (one: Group, other: Group): boolean => {
  const names = new Set(one.tests.flatMap((test) => [flat(test), lastName(test)]))
  const shared = other.tests.filter((test) => names.has(flat(test)) || names.has(lastName(test))).length
  return shared * 2 > Math.min(one.tests.length, other.tests.length)
}

/** Some say suites and name in one. */
const flat = ({ name }: ReportedTest): string => name.replaceAll(" > ", " ")

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
