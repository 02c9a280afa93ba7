import { ofRust } from "./jsonLines.ts"
import {
  joined,
  numbered,
  type Output,
  type Reading,
  type ReportedTest,
  reading,
  sumOf,
  whereComplete
} from "./model.ts"

const result = /^test result: (?:ok|FAILED)\. (\d+ passed; \d+ failed; \d+ ignored; \d+ measured; .*)$/

/** What `cargo test` prints, of all its programs. */
export const cargo = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  if (!/^test result: (?:ok|FAILED)\. \d+ passed; /m.test(text)) return []
  const counts = sumOf(
    lines.flatMap((line) => {
      const said = result.exec(line)?.[1]
      return said === undefined
        ? []
        : [{ passed: numbered(said, "passed"), failed: numbered(said, "failed"), skipped: numbered(said, "ignored") }]
    })
  )
  const tests: Array<ReportedTest> = []
  for (const line of lines) {
    const [, name, rest = ""] = /^test (.+?) \.\.\. (.*)$/.exec(line) ?? []
    const [, word] = /(?:^|\s)(ok|FAILED|ignored(?:, .*)?)(?: <[\d.]+s>)?$/.exec(rest) ?? []
    if (name === undefined || word === undefined) continue
    tests.push({ ...ofRust(name), status: word === "ok" ? "passed" : word === "FAILED" ? "failed" : "skipped" })
  }
  return [reading("cargo", whereComplete(tests, counts), { counts })]
}

/** What cargo-nextest prints. */
export const nextest = ({ lines, text }: Output): ReadonlyArray<Reading> => {
  const end = lines.findLastIndex((line) => /^ +Summary \[ *[\d.]+s\] .*\btests? run: /.test(line))
  if (end === -1)
    return /^error: no tests to run$/m.test(text) && /^ +Starting \d+ tests? /m.test(text)
      ? [reading("nextest", [])]
      : []
  const said = (lines[end] ?? "").replaceAll(/\([^)]*\)/g, "").replace(/^.*tests? run:/, "")
  const counts = {
    passed: numbered(said, "passed"),
    failed: numbered(said, "failed", "timed out", "exec failed"),
    skipped: numbered(said, "skipped")
  }
  const tests = new Map<string, ReportedTest>()
  for (const line of lines.slice(0, end)) {
    const [, word, program, name] =
      /^ +(?:TRY \d+ )?(PASS|FAIL|SKIP|TIMEOUT|SIG\w+|ABORT|LEAK) \[[^\]]*\] (?:\( *\d+\/\d+\) )?(\S+) (\S.*)$/.exec(
        line
      ) ?? []
    if (word === undefined || program === undefined || name === undefined) continue
    const status = word === "PASS" || word === "LEAK" ? "passed" : word === "SKIP" ? "skipped" : "failed"
    const full = joined(program, ofRust(name).name)
    tests.set(full, { name: full, file: null, status })
  }
  return [reading("nextest", whereComplete([...tests.values()], counts), { counts })]
}
