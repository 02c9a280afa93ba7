import { goLeaves } from "./jsonLines.ts"
import { type Output, type Reading, type ReportedTest, reading } from "./model.ts"

/** What `go test -v` prints, and plain `go test` where there is nothing to run; else that says no numbers. */
export const go = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (/^=== RUN {3}\S/m.test(text)) return [reading("go", verbose(lines))]
  const packages = lines.filter((line) => /^(?:ok {2}|\? {3}|FAIL|---|\s{4,}|\t)\t?\S*\t/.test(line))
  const isIdle = (line: string) => /^(?:\? {3}\t\S+\t\[no test files\]|ok {2}\t\S+\t.*\[no tests to run\])$/.test(line)
  const named = packages.filter((line) => /^(?:ok {2}|\? {3}|FAIL)\t/.test(line))
  return named.length > 0 && named.every(isIdle) ? [reading("go", [])] : []
}

const words = { PASS: "passed", FAIL: "failed", SKIP: "skipped" } as const

const verbose = (lines: ReadonlyArray<string>): ReadonlyArray<ReportedTest> => {
  const all: Array<ReportedTest> = []
  let found = new Map<string, ReportedTest | null>()
  const end = (name: string) => {
    for (const test of goLeaves(found)) all.push(name === "" ? test : { ...test, name: `${name} > ${test.name}` })
    found = new Map()
  }
  for (const line of lines) {
    const [, begun] = /^=== RUN {3}(\S+)$/.exec(line) ?? []
    if (begun !== undefined) {
      if (!found.has(begun)) found.set(begun, null)
      continue
    }
    const [, word, name] = /--- (PASS|FAIL|SKIP): (\S+) \([\d.]+s\)$/.exec(line) ?? []
    if (name !== undefined && found.has(name))
      found.set(name, { name, file: null, status: words[word as keyof typeof words] })
    const [, of] = /^(?:ok {2}|FAIL)\t(\S+)/.exec(line) ?? []
    if (of !== undefined) end(of)
  }
  end("")
  return all
}
