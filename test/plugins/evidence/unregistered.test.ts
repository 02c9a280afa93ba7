import { assert, describe, it } from "@effect/vitest"
import { unregistered, whyUnregistered } from "../../../packages/plugins/src/policies/evidence/tests/unregistered.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"
import { partsOf } from "../fixtures.ts"
import { outlined } from "../tree-sitter/support.ts"

/** Files with the lines that are cited, and behind them the function that nothing in the file runs. */
const samples = partsOf(new URL("fixtures/unregistered.txt", import.meta.url)).map(({ head, text }) => {
  const [place = "", name = null] = head.split(": ")
  const [path = "", range = ""] = place.split(" ")
  const [start = 0, end = 0] = range.split("-").map(Number)
  return { path, start, end, name, text }
})

const found = async (path: string, text: string, start: number, end: number) =>
  unregistered(path, splitLines(text), await outlined(path, text), { start, end })

describe("a function of a test file that looks like a test", () => {
  it.each(samples.filter(({ name }) => name !== null))(
    "is found where nothing runs it: $path $name ($#)",
    async ({ end, name, path, start, text }) => {
      assert.deepStrictEqual(
        (await found(path, text, start, end)).map((one) => one.name),
        [name]
      )
    }
  )

  it.each(samples.filter(({ name }) => name === null))(
    "is none where something runs it, or nobody knows what does: $path ($#)",
    async ({ end, path, start, text }) => {
      assert.deepStrictEqual(await found(path, text, start, end), [])
    }
  )

  it("is none where a test is cited with it, or other code", async () => {
    const text =
      "import test from 'ava'\nlet count = f()\nconst more = t => {\n  t.is(f(), 1)\n}\ntest('f', t => { t.is(f(), 2) })\n"
    assert.deepStrictEqual(await found("a.test.js", text, 3, 5), [{ name: "more", line: 3 }])
    assert.deepStrictEqual(await found("a.test.js", text, 2, 5), [])
    assert.deepStrictEqual(await found("a.test.js", text, 3, 6), [])
  })

  it("is told by its name, with what runs instead", () => {
    assert.strictEqual(
      whyUnregistered([{ name: "a", line: 3 }], "go"),
      "The function 'a' (line 3) looks like a test, and nothing runs it: it is named nowhere else, and Go runs functions whose names begin with 'Test', 'Benchmark', 'Fuzz' or 'Example'."
    )
    assert.include(
      whyUnregistered(
        [
          { name: "a", line: 3 },
          { name: "b", line: 5 }
        ],
        "python"
      ),
      "Functions look like tests, and nothing runs them: 'a' (line 3), 'b' (line 5) are named nowhere else, and unittest and pytest run"
    )
  })
})
