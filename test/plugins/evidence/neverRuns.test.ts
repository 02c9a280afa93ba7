import { assert, describe, it } from "@effect/vitest"
import { findingOf } from "../../../packages/plugins/src/policies/evidence/code/range.ts"
import { neverRuns, testsIn } from "../../../packages/plugins/src/policies/evidence/tests/neverRuns.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"
import { partsOf } from "../fixtures.ts"
import { outlined } from "../tree-sitter/support.ts"

/** Tests, each a whole file: of one that shows nothing the reason is said behind its path. */
const samples = partsOf(new URL("fixtures/neverRuns.txt", import.meta.url)).map(({ head, text }) => {
  const [path = "", reason = null] = head.split(": ")
  return { path, reason, text }
})

const told = async (path: string, text: string, range?: readonly [number, number]): Promise<string | null> => {
  const lines = splitLines(text)
  const [start, end] = range ?? [1, lines.length]
  return neverRuns(path, lines, await outlined(path, text), { start, end })
}

describe("given a test that is skipped, asserts nothing or cannot fail", () => {
  const never = samples.flatMap(({ reason, ...sample }) => (reason === null ? [] : [{ ...sample, reason }]))

  it.each(never)("when $path is cited ($#), then it is said why: $reason", async ({ path, reason, text }) => {
    const outline = await outlined(path, text)
    const lines = splitLines(text)
    const range = { start: 1, end: lines.length }
    const why = neverRuns(path, lines, outline, range) ?? findingOf(path, lines, outline, range).empty
    assert.include(why ?? "nothing is said", reason)
  })
})

describe("given a test that runs and can fail", () => {
  const runs = samples.filter(({ reason }) => reason === null)

  it.each(runs)("when $path is cited ($#), then nothing is said", async ({ path, text }) => {
    assert.isNull(await told(path, text))
  })
})

describe("given a file of several tests", () => {
  const text = `import { login } from './a.js'

describe('login', () => {
  it('works', () => {
    expect(login()).toBe(1)
  })

  it.skip('fails', () => {
    expect(login()).toBe(2)
  })

  it('is called', () => {
    login()
  })
})
`
  it("when one of the cited tests runs, then nothing is said", async () => {
    assert.isNull(await told("a.test.js", text))
    assert.isNull(await told("a.test.js", text, [4, 10]))
  })

  it("when only those are cited that show nothing, then each is named with its line", async () => {
    assert.strictEqual(
      await told("a.test.js", text, [8, 14]),
      "No test there shows anything: The test 'fails' (line 8) is skipped (it.skip); The test 'is called' (line 12) asserts nothing."
    )
  })

  it("when a line within a skipped test is cited, then the test is meant", async () => {
    assert.include(await told("a.test.js", text, [9, 9]), "is skipped")
  })

  it("when the head of a suite is cited, then all tests in it are meant", async () => {
    assert.isNull(await told("a.test.js", text, [3, 3]))
    assert.include(await told("a.test.js", text.replace("describe(", "describe.skip("), [3, 3]), "around it")
  })

  it("when its tests are asked for, then they are told with their lines", async () => {
    const tests = testsIn("a.test.js", text, await outlined("a.test.js", text))
    assert.deepStrictEqual(
      tests.map(({ end, name, never, start }) => [name, start, end, never === null]),
      [
        ["works", 4, 6, true],
        ["fails", 8, 10, false],
        ["is called", 12, 14, false]
      ]
    )
  })
})

describe("given tests beside the code they are for", () => {
  const text =
    "pub fn login() -> u8 {\n    one()\n}\n\n#[test]\n#[ignore]\nfn logs_in() {\n    assert_eq!(login(), 1);\n}\n"

  it("when code is cited with them, then nothing is said", async () => {
    assert.isNull(await told("src/a.rs", text))
    assert.isNull(await told("src/a.rs", text, [1, 3]))
  })

  it("when they are cited alone, then it is said", async () => {
    assert.include(await told("src/a.rs", text, [5, 9]), "is skipped")
  })
})

describe("given tests of a file, when they are asked for", () => {
  it("then what can make them fail is told, each with what belongs to it", async () => {
    const text = `it('adds',
  () => {
  expect(add(
    1, 2
  ))
    .toBe(3)
  save()
  expect(a).toBe(1)

  it('is within', () => {
    assert(b)
  })
})
it('is short', () => expect(c).toBe(2))
it.todo('is open')
`
    const found = testsIn("a.test.js", text, await outlined("a.test.js", text))
    assert.deepStrictEqual(
      found.map(({ assertions, head }) => [head, ...assertions]),
      [
        ["it('adds', () =>", "expect(add( 1, 2 )) .toBe(3)", "expect(a).toBe(1)", "assert(b)"],
        ["it('is within', () =>", "assert(b)"],
        ["it('is short', () =>", "expect(c).toBe(2)"],
        ["it.todo('is open'"]
      ]
    )
  })

  it("then at most five are named that show nothing", async () => {
    const tests = (count: number) => Array.from({ length: count }, (_, i) => `it('${i}', () => {})\n`).join("")
    assert.match((await told("a.test.js", tests(5))) ?? "", /^No test there .*'4' \(line 5\) asserts nothing\.$/)
    assert.match((await told("a.test.js", tests(7))) ?? "", /'4' \(line 5\) asserts nothing; and 2 more\.$/)
  })
})
