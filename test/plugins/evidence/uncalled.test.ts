import { assert, describe, it } from "@effect/vitest"
import { normalized } from "../../../packages/plugins/src/policies/evidence/code/normalized.ts"
import { uncalledIn } from "../../../packages/plugins/src/policies/evidence/work/uncalled.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"
import { outlined } from "../tree-sitter/support.ts"

/** What is told of lines of a file that was another one before, or none. */
const told = async (path: string, text: string, [start, end]: readonly [number, number], before = "") => {
  const outline = await outlined(path, text)
  const now = { path, outline, tokens: normalized(path, splitLines(text), outline) }
  return uncalledIn(now, before === "" ? null : await outlined(path, before), { start, end })
}

const python = `def fetch(url):
    def retry():
        for _ in range(3):
            get(url)

    return get(url)
`

describe("lines of a new function within a function", () => {
  it.each([
    ["a.py", python, [2, 4], "retry (line 2)"],
    ["a.py", python, [3, 4], "retry (line 2)"],
    [
      "a.ts",
      "function fetchPage(url: string) {\n  const retry = async () => {\n    await get(url)\n  }\n  return get(url)\n}\n",
      [2, 4],
      "retry (line 2)"
    ],
    [
      "a.rs",
      "fn fetch(url: &str) -> u8 {\n    fn retry(url: &str) -> u8 {\n        get(url) + 1\n    }\n    get(url)\n}\n",
      [2, 4],
      "retry (line 2)"
    ]
  ] as const)("when nothing calls it, then it is named: %s, case %#", async (path, text, range, name) => {
    assert.include(await told(path, text, range), name)
  })

  it.each([
    // called, handed on, or handed on by a decorator
    ["a.py", python.replace("return get(url)", "return retry()"), [2, 4]],
    ["a.py", python.replace("return get(url)", "return [retry]"), [2, 4]],
    ["a.py", python.replace("    def retry", "    @app.route('/')\n    def retry"), [3, 5]],
    ["a.py", python.replace("    def retry", "    @app.route('/')\n    def retry"), [2, 5]],
    // members of an object or a class are called by others
    ["a.ts", "function store(url: string) {\n  return {\n    load() {\n      return get(url)\n    }\n  }\n}\n", [3, 5]],
    [
      "a.py",
      "def make():\n    class Store:\n        def load(self):\n            return get(1)\n    return Store\n",
      [3, 4]
    ],
    // other code is among the lines
    ["a.py", python, [1, 6]],
    ["a.py", python, [4, 6]],
    // a function of a file may be called by another file
    ["a.py", "def retry():\n    return get(1)\n", [1, 2]],
    ["test_a.py", python, [2, 4]]
  ] as const)("when something may, then nothing is told: %s, case %#", async (path, text, range) => {
    assert.isNull(await told(path, text, range))
  })

  it("when it was there before, then it is no work of theirs", async () => {
    assert.isNull(await told("a.py", python, [2, 4], python))
  })
})
