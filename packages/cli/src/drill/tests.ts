import type { FoundTest } from "@proofline/plugins/policies/evidence"
import type { Declaration } from "@proofline/plugins/ports"
import { bodyOf, type Planted, type RealFunction, withBody } from "./functions.ts"
import { plantings } from "./languages.ts"
import { count, indentAt, linesAt, newlineOf, offsetOf, replaced, type Source, sourceOf, stepOf } from "./text.ts"

/** A test that runs and asserts something. */
export interface RealTest {
  readonly path: string
  readonly language: string
  readonly test: FoundTest & { readonly name: string }
  readonly declaration: Declaration
  readonly body: Pick<RealFunction, "from" | "to" | "form">
}

export const realTests = (source: Source, tests: ReadonlyArray<FoundTest>): ReadonlyArray<RealTest> => {
  const { outline, path } = source
  const { language } = outline
  if (plantings[language] === undefined || outline.faults.length > 0) return []
  return tests.flatMap((test): ReadonlyArray<RealTest> => {
    const { name, never } = test
    if (name === null || never !== null || test.assertions.length === 0) return []
    const isOnlyOne = tests.filter((other) => other.name === name).length === 1
    const declaration = outline.declarations.find(
      ({ end, kind, start }) => kind === "function" && start.row + 1 >= test.start && end.row + 1 <= test.end
    )
    const body = declaration === undefined ? null : bodyOf(source, declaration)
    const [from, to] = linesAt(source, test)
    const isAlone = tests.every((other) => other === test || other.end < test.start || other.start > test.end)
    const rows = source.text.slice(from, to)
    return !isOnlyOne || !isAlone || declaration === undefined || body === null || rows.trim() === ""
      ? []
      : [{ path, language, test: { ...test, name }, declaration, body }]
  })
}

export const deleted = (source: Source, { test }: RealTest): string => {
  const [from, to] = linesAt(source, test)
  return replaced(source.text, from, to, "")
}

const emptied = (language: string): ReadonlyArray<string> => {
  const { nothing } = plantings[language] ?? {}
  return nothing === undefined ? [] : [nothing]
}

const oneSpaced = (text: string): string => text.trim().replace(/\s+/g, " ")

/** Without the lines of its assertions; with nothing left in it where they are more than lines. */
export const stripped = (source: Source, one: RealTest): { readonly lines: string | null; readonly whole: string } => ({
  lines: withoutAssertions(source, one),
  whole: withBody(source, one.body, emptied(one.language))
})

const withoutAssertions = (source: Source, { body, test }: RealTest): string | null => {
  const { text } = source
  const rows = text.slice(body.from, body.to).split("\n")
  const left = [...test.assertions]
  const kept: Array<string> = []
  for (let row = 0; row < rows.length; row++) {
    const length = lengthOf(rows, row, left)
    if (length === 0) kept.push(rows[row] ?? "")
    else {
      left.splice(left.indexOf(oneSpaced(rows.slice(row, row + length).join(" "))), 1)
      row += length - 1
    }
  }
  return left.length > 0 || !kept.some((row) => /\w/.test(row))
    ? null
    : replaced(text, body.from, body.to, kept.join("\n"))
}

/** How many rows from here are one of the assertions. */
const lengthOf = (rows: ReadonlyArray<string>, row: number, assertions: ReadonlyArray<string>): number => {
  if ((rows[row] ?? "").trim() === "") return 0
  for (let length = 1; row + length <= rows.length; length++) {
    const said = oneSpaced(rows.slice(row, row + length).join(" "))
    if (assertions.includes(said)) return length
    if (!assertions.some((assertion) => assertion.startsWith(said))) return 0
  }
  return 0
}

type Skip = (source: Source, one: RealTest) => string | null

const before =
  (...lines: ReadonlyArray<string>): Skip =>
  (source, { test }) => {
    const [from, to] = linesAt(source, test)
    const indent = /^[ \t]*/.exec(source.text.slice(from, to))?.[0] ?? ""
    const put = lines.map((line) => `${indent}${line}${newlineOf(source.text)}`).join("")
    return replaced(source.text, from, from, put)
  }

const first =
  (lineFor: (source: Source, one: RealTest) => string | null): Skip =>
  (source, one) => {
    const { body } = one
    const line = lineFor(source, one)
    if (line === null) return null
    const { text } = source
    const newline = newlineOf(text)
    const start = source.starts[one.declaration.start.row] ?? 0
    const indent = /^[ \t]*/.exec(text.slice(start))?.[0] ?? ""
    if (body.form === "indented" || body.form === "ended")
      return replaced(text, body.from, body.from, `${line}${newline}${indentAt(source, body.from)}`)
    const at = body.form === "brackets" ? body.from + 1 : body.from
    return replaced(text, at, at, `${newline}${indent}${stepOf(text)}${line}`)
  }

/** The word that the test is called with becomes another one. */
const word =
  (from: RegExp, to: (word: string) => string): Skip =>
  (source, { test }) => {
    const [start] = linesAt(source, test)
    const { index, 0: found } = from.exec(source.text.slice(start)) ?? { index: -1, 0: "" }
    const isFirst = index >= 0 && source.text.slice(start, start + index).trim() === ""
    return isFirst ? replaced(source.text, start + index, start + index + found.length, to(found)) : null
  }

const script = word(/(?:it|test|specify)(?:\.(?!each\b)\w+)*(?=\s*\()/, (called) => `${called}.skip`)

const headOf = (source: Source, { body, declaration }: RealTest): string =>
  source.text.slice(offsetOf(source, declaration.start), body.from)

/** How a test is skipped, by language. */
const skips: Readonly<Record<string, Skip>> = {
  javascript: script,
  typescript: script,
  tsx: script,
  python: (source, one) =>
    before(/\bpytest\b/.test(source.text) ? '@pytest.mark.skip(reason="later")' : '@unittest.skip("later")')(
      source,
      one
    ),
  go: first((source, one) => {
    const parameter = /\((\w+)\s+\*testing\.T\)/.exec(headOf(source, one))?.[1]
    return parameter === undefined ? null : `${parameter}.Skip("later")`
  }),
  rust: before("#[ignore]"),
  java: before('@Disabled("later")'),
  kotlin: before('@Disabled("later")'),
  csharp: before('[Ignore("later")]'),
  ruby: (source, one) =>
    /\bit\b/.test(headOf(source, one))
      ? word(/it\b/, () => "xit")(source, one)
      : first(() => 'skip "later"')(source, one),
  php: first(() => "$this->markTestSkipped('later');"),
  swift: first(() => 'throw XCTSkip("later")'),
  cpp: first((source) => (/\bgtest\b/.test(source.text) ? "GTEST_SKIP();" : null)),
  bash: first(() => "skip later")
}

/** The same test, and it is skipped; null: nobody here knows how. */
export const skipped = (source: Source, one: RealTest): string | null => skips[one.language]?.(source, one) ?? null

/** Another test behind it, with its head and nothing in it. */
export const emptyTest = (source: Source, one: RealTest): Planted | null => {
  const { test } = one
  const [from, to] = linesAt(source, test)
  const alone = sourceOf(source.path, withBody(source, one.body, emptied(one.language)), source.outline)
  const grown = alone.text.length - source.text.length
  const copy = alone.text.slice(from, to + grown)
  const own =
    /^\w+$/.test(test.name) && copy.includes(test.name)
      ? test.name
      : (/(["'`])(?<said>(?:(?!\1).){3,})\1/.exec(copy)?.groups?.["said"] ?? null)
  if (own === null || !copy.includes(own)) return null
  const isWord = !/["'`]/.test(copy.charAt(copy.indexOf(own) - 1))
  const named = copy.replace(own, () => (isWord ? `${own}_again` : `${own} once more`))
  const newline = newlineOf(source.text)
  const whole = named.endsWith("\n") ? named : `${named}${newline}`
  const gap = source.text.slice(0, to).endsWith("\n") ? newline : `${newline}${newline}`
  const text = replaced(source.text, to, to, `${gap}${whole}`)
  const start = test.end + 2
  return { text, start, end: start + count(whole, "\n") - 1 }
}
