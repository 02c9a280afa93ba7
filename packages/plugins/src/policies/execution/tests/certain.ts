import type { FoundTest } from "../../evidence/contract.ts"
import type { ReportedTest } from "./model.ts"

/**
 * Names of the tests of a file that its runner reports whenever the file can be loaded: those that stand directly in it or in
 * its suites, with a name that is written out. One under a condition or in a loop may be none, or many.
 */
export const certainTests = (text: string, tests: ReadonlyArray<FoundTest>): ReadonlyArray<string> => {
  const lines = text.split("\n")
  return tests.flatMap(({ head, name, never, start }) =>
    name !== null &&
    name !== "" &&
    never === null &&
    !/[%$#{]/.test(name) &&
    !optional.test(head) &&
    isPlain(lines, start - 1)
      ? [name]
      : []
  )
}

/** Those of them that nothing reports. */
export const unreportedOf = (names: ReadonlyArray<string>, now: ReadonlyArray<ReportedTest>): ReadonlyArray<string> => {
  const known = new Set(now.flatMap(({ name }) => [name, ...name.split(" > ")]))
  return names.filter((name) => !known.has(name))
}

const optional = /skip|todo|\.only|\.(?:each|for|fails?|failing)\b|If\b/

/** Whether nothing but suites stands around a line. */
const isPlain = (lines: ReadonlyArray<string>, at: number): boolean => {
  let depth = depthOf(lines[at] ?? "")
  if (!/^\s*(?:test|it|specify)\b/.test(lines[at] ?? "")) return false
  for (let row = at - 1; row >= 0 && depth > 0; row--) {
    const line = lines[row] ?? ""
    if (line.trim() === "" || depthOf(line) >= depth) continue
    if (!/^\s*(?:describe|suite|context)\b/.test(line) || optional.test(line)) return false
    depth = depthOf(line)
  }
  return true
}

const depthOf = (line: string): number => line.length - line.trimStart().length
