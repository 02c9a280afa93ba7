import { ofNode } from "./jsonReports.ts"
import {
  type Counts,
  labelled,
  numbered,
  type Output,
  type Reading,
  type ReportedTest,
  reading,
  sumOf,
  type TestStatus,
  total,
  whereComplete
} from "./model.ts"

const part =
  "\\d+ (?:passed|failed|skipped|deselected|xfailed|xpassed|warnings?|errors?|rerun|subtests passed|subtests failed)"
const pytestEnd = new RegExp(
  `^(?:=+ )?(?:no tests ran|(?:no tests collected|\\d+(?:/\\d+)? tests? collected|${part})(?:, ${part})*)(?: in [\\d.]+s(?: \\([\\d:]+\\))?)(?: =+)?$`
)

const pytestStatus: Readonly<Record<string, TestStatus>> = {
  PASSED: "passed",
  XPASS: "passed",
  FAILED: "failed",
  ERROR: "failed",
  SKIPPED: "skipped",
  XFAIL: "skipped"
}

/** What pytest prints. */
export const pytest = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  const ends = lines.filter((line) => / in [\d.]+s/.test(line) && pytestEnd.test(line))
  if (ends.length === 0) {
    const progress = progressOf(lines)
    if (progress !== "") return [reading("pytest", [], { counts: countsOfMarks(progress) })]
    return /^=+ test session starts =+$/m.test(text) && /^(?:collecting \.\.\. )?collected 0 items/m.test(text)
      ? [reading("pytest", [])]
      : []
  }
  const counts = sumOf(
    ends.map((line) => {
      const said = line.replace(/ in [\d.]+s.*$/, "").replace(/^=+ /, "")
      return {
        passed: numbered(said, "passed", "xpassed"),
        failed: numbered(said, "failed", "error", "errors"),
        skipped: numbered(said, "skipped", "xfailed")
      }
    })
  )
  const tests = new Map<string, ReportedTest>()
  const put = (id: string, word: string) => {
    const status = pytestStatus[word]
    if (status === undefined || (tests.get(id)?.status === "failed" && status !== "failed")) return
    tests.set(id, { ...ofNode(id), status })
  }
  for (const line of lines) {
    if (!line.includes("::")) continue
    const [, id, word] =
      /^(\S+?::.+) (PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR)(?: \(.*\))?(?: +\[ *\d+%\])?$/.exec(line) ?? []
    const [, begun, first] =
      /^(?:\[gw\d+\] (?:\[ *\d+%\] )?)?(PASSED|FAILED|XFAIL|XPASS|ERROR|SKIPPED) (\S+?::.+)$/.exec(line) ?? []
    if (id !== undefined && word !== undefined) put(id, word)
    else if (begun !== undefined && first !== undefined) put(withoutReason(first), begun)
  }
  return [reading("pytest", whereComplete([...tests.values()], counts), { counts })]
}

/** A mark for each test, where it is so quiet that it says nothing else; empty: it is not. */
const progressOf = (lines: ReadonlyArray<string>): string => {
  const marks = lines.flatMap((line) => /^([.FEsxX]+) +\[ *(?:\d+%|\d+\/\d+)\]$/.exec(line)?.slice(1, 2) ?? [])
  return lines.some((line) => /^[.FEsxX]+ +\[(?:100%|(\d+)\/\1)\]$/.test(line)) ? marks.join("") : ""
}

const countsOfMarks = (marks: string): Counts => {
  const number = (of: string) => [...marks].filter((mark) => of.includes(mark)).length
  return { passed: number(".X"), failed: number("FE"), skipped: number("sx") }
}

/** Behind the name of a test stands ` - ` and why; within `[…]` it belongs to the name. */
const withoutReason = (text: string): string => {
  const given = text.indexOf("[")
  const end = text.indexOf(" - ")
  if (end === -1) return text
  if (given === -1 || given > end) return text.slice(0, end)
  const close = text.indexOf("] - ", given)
  return close === -1 ? text : text.slice(0, close + 1)
}

/** What Python's unittest prints, and Django with it. */
export const unittest = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (!/^Ran \d+ tests? in [\d.]+s$/m.test(text)) return []
  const found = lines.flatMap((line, i) => {
    const [, ran] = /^Ran (\d+) tests? in [\d.]+s$/.exec(line) ?? []
    const result = lines.slice(i + 1, i + 4).find((next) => next !== "") ?? ""
    if (ran === undefined || !/^(?:OK|FAILED|NO TESTS RAN)(?: \(.*\))?$/.test(result)) return []
    const failed = labelled(result, "failures", "errors", "unexpected successes")
    const skipped = labelled(result, "skipped", "expected failures")
    return [{ passed: Math.max(0, Number(ran) - failed - skipped), failed, skipped }]
  })
  if (found.length === 0) return []
  const counts = sumOf(found)
  return [reading("unittest", total(counts) === 0 ? [] : whereComplete(namesIn(lines), counts), { counts })]
}

const ended = /^(.*) \.\.\. (ok|FAIL|ERROR|skipped .*|expected failure|unexpected success)$/

const namesIn = (lines: ReadonlyArray<string>): ReadonlyArray<ReportedTest> => {
  const tests: Array<ReportedTest> = []
  let begun: string | null = null
  for (const line of lines) {
    const [, name, group] = /^(\w+) \(([\w.]+)\)(?: \.\.\. .*)?$/.exec(line) ?? []
    if (name !== undefined && group !== undefined)
      begun = `${group.endsWith(`.${name}`) ? group.slice(0, -name.length - 1) : group} > ${name}`
    const word = ended.exec(line)?.[2]
    if (word === undefined || begun === null) continue
    const isFailed = word === "FAIL" || word === "ERROR" || word === "unexpected success"
    tests.push({ name: begun, file: null, status: word === "ok" ? "passed" : isFailed ? "failed" : "skipped" })
    begun = null
  }
  return tests
}
