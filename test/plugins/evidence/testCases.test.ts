import { assert, describe, it } from "@effect/vitest"
import { plainOf } from "../../../packages/plugins/src/policies/evidence/code/plain.ts"
import {
  isTestFile,
  type TestCase,
  testCasesOf
} from "../../../packages/plugins/src/policies/evidence/tests/testCases.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"
import { partsOf } from "../fixtures.ts"
import { outlined } from "../tree-sitter/support.ts"

/** Files, and behind `%=` every test and suite that is in them. */
const samples = partsOf(new URL("fixtures/testCases.txt", import.meta.url)).map(({ expected, head, text }) => ({
  path: head,
  text,
  expected
}))

/** On one line; of a string that is hidden the length is left. */
const line = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll("\u0001", "·").trim()

const casesIn = async (path: string, text: string) => {
  const lines = splitLines(text)
  const outline = await outlined(path, text)
  return { plain: plainOf(lines, outline), cases: testCasesOf(path, lines, outline) }
}

/** What is said before its body, its body, and what comes behind. */
const told = (text: string, { body, end, head, headText, isSuite, name, start }: TestCase): string => {
  const { from, to } = body ?? { from: start + headText.length, to: start + headText.length }
  const runs = isSuite ? "…" : line(text.slice(from, to))
  const rest = line(text.slice(to, end))
  return `${isSuite ? "suite" : "test"} ${name}: ${line(head)} ▸ ${body === null ? "nothing" : runs} ▸ ${rest}`.trim()
}

describe("the tests and suites of a file", () => {
  it.each(samples)("are found, the outer ones first: $path ($#)", async ({ expected, path, text }) => {
    const { cases, plain } = await casesIn(path, text)
    assert.deepStrictEqual(
      cases.map((one) => told(plain.text, one)),
      expected
    )
    for (const { headText, start } of cases) assert.isTrue(plain.text.slice(start).trimStart().startsWith(headText))
  })

  it("are told with their strings beside what hides them", async () => {
    const { cases } = await casesIn("a.test.js", 'it.each([["a"]])("adds", { tags: ["slow"] }, () => { ok("b") })\n')
    assert.deepStrictEqual(
      cases.map(({ headText }) => headText),
      ['it.each([["a"]])("adds", { tags: ["slow"] }, () => ']
    )
  })
})

describe("a file for tests", () => {
  const yes = [
    ["__tests__/a.js", "src/tests/a.c", "test/a.c", "spec/a.rb", "a/specs/a.rb", "testing/a.c"],
    ["test_a.py", "src/test_a", "a.test.js", "a-spec.js", "a_tests.cc", "a.specs.ts", "a.cy.ts", "a.e2e.ts"],
    [
      "test.js",
      "a/tests.mts",
      "ATest.java",
      "ATests.cs",
      "ASpec.scala",
      "AIT.java",
      "a.bats",
      "conftest.py",
      "a/conftest.py",
      "app/tests.py"
    ]
  ].flat()
  const no = [
    ["latest/a.js", "src/contest.ts", "latest_a.py", "test_a/b.py", "a.test/b.js", "a.testing.js", "testa.js"],
    [
      "atest.js",
      "test.json",
      "a.tests",
      "Testing.java",
      "a.bats.js",
      "myconftest.py",
      "conftest.pyc",
      "latests.py",
      "tests.pyi",
      "atests/a.c"
    ]
  ].flat()

  it("is known by its name or its folder", () => {
    assert.deepStrictEqual([...yes, ...no].filter(isTestFile), yes)
  })
})
