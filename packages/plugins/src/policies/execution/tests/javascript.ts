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

const summaryCounts = (text: string) => ({
  passed: numbered(text, "passed"),
  failed: numbered(text, "failed"),
  skipped: numbered(text, "skipped", "todo", "pending", "expected fail")
})

/** What vitest prints: names where it is verbose, and numbers. */
export const vitest = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (/^No test files found, exiting with code \d+$/m.test(text)) return [reading("vitest", [])]
  const summaries = lines.filter((line) => /^ +Tests {2,}(?:no tests|\d+ [a-z].*\(\d+\))$/.test(line))
  if (summaries.length === 0 || !/^ *Test Files {2,}\S/m.test(text)) return []
  const counts = sumOf(summaries.map(summaryCounts))
  const tests = new Map<string, ReportedTest>()
  for (const line of lines) {
    const [, mark, where] = /^ {1,3}([✓✔×✗↓□]) (.+? > .+)$/.exec(line) ?? []
    if (mark === undefined || where === undefined) continue
    const [first = "", ...names] = where.replace(/ [\d.]+ ?m?s(?: \(retry.*\))?$/, "").split(" > ")
    const file = first.trim().replace(/^(?:\|[^|]+\| |\S+ {2})/, "")
    if (!/\.\w+$/.test(file)) continue
    const status: TestStatus =
      mark === "✓" || mark === "✔" ? "passed" : mark === "×" || mark === "✗" ? "failed" : "skipped"
    const name = names.join(" > ")
    tests.set(`${first} > ${name}`, { name, file, status })
  }
  return [reading("vitest", whereComplete([...tests.values()], counts), { counts })]
}

/** What jest prints: names where it is verbose, and numbers. */
export const jest = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (/^No tests found, exiting with code \d+$/m.test(text)) return [reading("jest", [])]
  const summaries = lines.filter((line) => /^Tests: +(?:\d+ [a-z]+, )*\d+ total$/.test(line))
  if (summaries.length === 0 || !/^Test Suites: /m.test(text)) return []
  const counts = sumOf(summaries.map(summaryCounts))
  const tests: Array<ReportedTest> = []
  let file: string | null = null
  let around: Array<{ readonly indent: number; readonly name: string }> = []
  for (const line of lines) {
    const [, started] = /^(?:PASS|FAIL) +(?:\S+ )?(\S+\.\w+)(?: \([\d.]+ m?s\))?$/.exec(line) ?? []
    if (started !== undefined) {
      file = started
      around = []
      continue
    }
    if (file === null) continue
    const indent = line.length - line.trimStart().length
    if (line.trim() === "" || indent === 0) {
      if (line.trim() !== "") file = null
      continue
    }
    // what follows are the failures in full
    if (/^ *●/.test(line)) {
      file = null
      continue
    }
    around = around.filter((one) => one.indent < indent)
    const [, mark, title] = /^ +([✓✕○✎√×]) (.+)$/.exec(line) ?? []
    if (mark === undefined || title === undefined) {
      around.push({ indent, name: line.trim() })
      continue
    }
    const name = title
      .replace(/ \([\d.]+ m?s\)$/, "")
      .replace(/^(?:skipped|todo) /, mark === "○" || mark === "✎" ? "" : "$&")
    const status: TestStatus = /[✓√]/.test(mark) ? "passed" : /[✕×]/.test(mark) ? "failed" : "skipped"
    tests.push({ name: joined(...around.map((one) => one.name), name), file, status })
  }
  return [reading("jest", whereComplete(tests, counts), { counts })]
}

/** What mocha prints in its usual shape. */
export const mocha = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  const ends = lines.flatMap((line, i) => (/^ {2}\d+ passing(?: \([\dmsh. ]+\))?$/.test(line) ? [i] : []))
  if (ends.length === 0 || !/^ {2}\d+ passing/m.test(text)) return []
  const counts = sumOf(
    ends.map((end) => {
      const rest = lines.slice(end, end + 3).filter((line) => /^ {2}\d+ (?:passing|pending|failing)\b/.test(line))
      const said = rest.map((line) => line.replace(/ \(.*$/, "")).join(", ")
      return {
        passed: numbered(said, "passing"),
        failed: numbered(said, "failing"),
        skipped: numbered(said, "pending")
      }
    })
  )
  const tests: Array<ReportedTest> = []
  let around: Array<{ readonly indent: number; readonly name: string }> = []
  let isOver = false
  for (const line of lines) {
    if (/^ {2}\d+ (?:passing|pending|failing)\b/.test(line)) isOver = true
    const indent = line.length - line.trimStart().length
    if (indent < 2 || line === "") continue
    // another run begins where none of the failures of this one stands
    if (isOver) continue
    around = around.filter((one) => one.indent < indent)
    const [, mark, title] = /^ +([✓✔√]|-|\d+\)) (.+)$/.exec(line) ?? []
    if (mark === undefined || title === undefined) around.push({ indent, name: line.trim() })
    else
      tests.push({
        name: joined(...around.map((one) => one.name), title.replace(/ \(\d+ms\)$/, "")),
        file: null,
        status: mark === "-" ? "skipped" : mark.endsWith(")") ? "failed" : "passed"
      })
  }
  return [reading("mocha", ends.length > 1 ? [] : whereComplete(tests, counts), { counts })]
}

/** What mocha prints as JSON, a line for each test; only the end has numbers. */
export const mochaLines = ({ lines }: Output): ReadonlyArray<Reading> => {
  const ends = lines.flatMap((line) => {
    const [, passed, skipped, failed] =
      /^\["end",\{"suites":\d+,"tests":\d+,"passes":(\d+),"pending":(\d+),"failures":(\d+),.*\}\]$/.exec(line) ?? []
    return passed === undefined ? [] : [{ passed: Number(passed), failed: Number(failed), skipped: Number(skipped) }]
  })
  return ends.length === 0 ? [] : [reading("mocha", [], { counts: sumOf(ends) })]
}

/** What uvu prints behind its suites; its total leaves out what is skipped. */
export const uvu = ({ lines }: Output): ReadonlyArray<Reading> => {
  const ends = lines.flatMap((line, i) => {
    const said = [line, ...lines.slice(i + 1, i + 4)].join("\n")
    const [, all, passed, skipped] =
      /^ {2}Total: +(\d+)\n {2}Passed: +(\d+)\n {2}Skipped: +(\d+)\n {2}Duration: /.exec(said) ?? []
    return all === undefined
      ? []
      : [{ passed: Number(passed), failed: Number(all) - Number(passed), skipped: Number(skipped) }]
  })
  return ends.length === 0 ? [] : [reading("uvu", [], { counts: sumOf(ends) })]
}

/** What node-tap prints last where it does not print TAP. */
export const nodeTap = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (/^TAP version 1[34]/m.test(text)) return []
  const said = lines.findLast((line) => /^# \{ total: \d+, pass: \d+(?:, (?:fail|skip|todo): \d+)* \}$/.test(line))
  if (said === undefined) return []
  return [
    reading("tap", [], {
      counts: {
        passed: labelled(said, "pass"),
        failed: labelled(said, "fail"),
        skipped: labelled(said, "skip", "todo")
      }
    })
  ]
}

/** What lab prints behind its tests. */
export const lab = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (!/^Test duration: \d+ ms$/m.test(text)) return []
  for (const line of lines) {
    const [, failed, of] = /^(\d+) of (\d+) tests failed/.exec(line) ?? []
    const [, all = of] = /^(\d+) tests complete/.exec(line) ?? []
    const skipped = Number(/\((\d+) skipped\)/.exec(line)?.[1] ?? 0)
    if (all !== undefined) return [reading("lab", [], { counts: lessThan(Number(all), Number(failed ?? 0), skipped) })]
  }
  return []
}

/** What karma prints: of each browser what it said last. */
export const karma = ({ lines }: Output): ReadonlyArray<Reading> => {
  const ends = new Map<string, Counts>()
  for (const line of lines) {
    const [, browser, ran, rest = ""] = /^(\S.*): Executed (\d+) of \d+(?= |$)(.*)$/.exec(line) ?? []
    if (browser === undefined) continue
    const number = (pattern: RegExp) => Number(pattern.exec(rest)?.[1] ?? 0)
    const failed = number(/\((\d+) FAILED\)/)
    ends.set(browser, { passed: Number(ran) - failed, failed, skipped: number(/\(skipped (\d+)\)/) })
  }
  return ends.size === 0 ? [] : [reading("karma", [], { counts: sumOf([...ends.values()]) })]
}

/** What jasmine prints. */
export const jasmine = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (/^No specs found$/m.test(text) && /^Finished in /m.test(text)) return [reading("jasmine", [])]
  const ends = lines.filter((line) => /^\d+ specs?, \d+ failures?(?:, \d+ pending specs?)?$/.test(line))
  if (ends.length === 0 || !/^Finished in [\d.]+ seconds?$/m.test(text)) return []
  return [
    reading("jasmine", [], {
      counts: sumOf(
        ends.map((line) =>
          lessThan(
            numbered(line, "spec", "specs"),
            numbered(line, "failure", "failures"),
            numbered(line, "pending spec", "pending specs")
          )
        )
      )
    })
  ]
}

/** What `deno test` prints. */
export const deno = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (/^error: No test modules found$/m.test(text)) return [reading("deno", [])]
  const ends = lines.filter((line) => /^(?:ok|FAILED) \| \d+ passed\b.* \| \d+ failed\b.* \([\dmsh.]+\)$/.test(line))
  if (ends.length === 0) return []
  const counts = sumOf(
    ends.map((line) => {
      const said = line.replaceAll(/\([^)]*\)/g, "")
      return { passed: numbered(said, "passed"), failed: numbered(said, "failed"), skipped: numbered(said, "ignored") }
    })
  )
  const tests: Array<ReportedTest> = []
  let file: string | null = null
  for (const line of lines) {
    const [, from] = /^running \d+ tests? from (.+)$/.exec(line) ?? []
    if (from !== undefined) file = from
    const [, name, rest = ""] = file === null ? [] : (/^(\S.*?) \.\.\. (.*)$/.exec(line) ?? [])
    const [, word] = /(?:^|\s)(ok|FAILED|ignored)(?: \([^()]*\))?$/.exec(rest) ?? []
    if (name === undefined || word === undefined) continue
    tests.push({ name, file, status: word === "ok" ? "passed" : word === "FAILED" ? "failed" : "skipped" })
  }
  return [reading("deno", whereComplete(tests, counts), { counts })]
}

/** What `bun test` prints. */
export const bun = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (/^error: 0 test files matching /m.test(text)) return [reading("bun", [])]
  if (/^bun test v/m.test(text) && /^No tests found!$|^error: regex .+ matched 0 tests\. /m.test(text))
    return [reading("bun", [])]
  if (!/^Ran \d+ tests? across \d+ files?\./m.test(text)) return []
  const said = lines.filter((line) => /^ *\d+ (?:pass|fail|skip|todo)$/.test(line)).join(", ")
  const counts = {
    passed: numbered(said, "pass"),
    failed: numbered(said, "fail"),
    skipped: numbered(said, "skip", "todo")
  }
  const tests: Array<ReportedTest> = []
  let file: string | null = null
  for (const line of lines) {
    const [, from] = /^(\S+\.[cm]?[jt]sx?):$/.exec(line) ?? []
    if (from !== undefined) file = from
    const [, mark, name] = /^(\((?:pass|fail|skip|todo)\)|[✓✗»✎]) (.+?)(?: \[[\d.]+m?s\])?$/.exec(line) ?? []
    if (mark === undefined || name === undefined) continue
    const status: TestStatus = /pass|✓/.test(mark) ? "passed" : /fail|✗/.test(mark) ? "failed" : "skipped"
    tests.push({ name, file, status })
  }
  return [reading("bun", whereComplete(tests, counts), { counts })]
}

/** What Playwright prints behind its tests. */
export const playwright = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (/^Error: No tests found\.?/m.test(text)) return [reading("playwright", [])]
  if (!/^Running \d+ tests? using \d+ workers?/m.test(text)) return []
  const said = lines
    .filter((line) =>
      /^ {2}\d+ (?:passed|failed|skipped|flaky|interrupted|did not run)(?: \([\d.]+m?s?\))?$/.test(line)
    )
    .map((line) => line.replace(/ \(.*$/, ""))
    .join(", ")
  if (said === "") return []
  return [
    reading("playwright", [], {
      counts: {
        passed: numbered(said, "passed", "flaky"),
        failed: numbered(said, "failed", "interrupted"),
        skipped: numbered(said, "skipped", "did not run")
      }
    })
  ]
}

/** What AVA prints behind its tests. */
export const ava = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (!/^ {2}─$/m.test(text)) return []
  const from = lines.lastIndexOf("  ─")
  const said = lines
    .slice(from + 1, from + 12)
    .filter((line) => /^ {2}\d+ tests? (?:passed|failed|skipped|todo)$|^ {2}\d+ known failures?$/.test(line))
  if (said.length === 0) return []
  const words = said.map((line) => line.replace(/tests? /, "")).join(", ")
  const told = lines.slice(0, lines.indexOf("  ─")).flatMap((line): ReadonlyArray<ReportedTest> => {
    const [, name] = /^ {2}✔ (.+?)(?: \([\d.]+m?s\))?$/.exec(line) ?? []
    return name === undefined ? [] : [{ name: name.replaceAll(" › ", " > "), file: null, status: "passed" }]
  })
  // where some have failed it does not say how many have passed
  const counts = {
    passed: words.includes("passed") ? numbered(words, "passed") : told.length,
    failed: numbered(words, "failed"),
    skipped: numbered(words, "skipped", "todo", "known failure", "known failures")
  }
  return [reading("ava", whereComplete(told, counts), { counts })]
}
