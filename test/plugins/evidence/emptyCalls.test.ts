import { assert, describe, it } from "@effect/vitest"
import { normalized } from "../../../packages/plugins/src/policies/evidence/code/normalized.ts"
import { emptyCallIn } from "../../../packages/plugins/src/policies/evidence/work/emptyCalls.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"
import { outlined } from "../tree-sitter/support.ts"

/** What is told of all lines of a file that was another one before, or none. */
const told = async (path: string, text: string, before = "", range = { start: 1, end: splitLines(text).length }) => {
  const outline = await outlined(path, text)
  const now = { path, outline, tokens: normalized(path, splitLines(text), outline) }
  return emptyCallIn(now, before === "" ? null : await outlined(path, before), range)
}

describe("lines that call a new function of their file in which nothing is done", () => {
  it.each([
    ["a.py", "def load(path):\n    rows = read(path)\n    return rows\n\ndef read(path):\n    pass\n", "read (line 5)"],
    [
      "a.py",
      "class Store:\n    def save(self, row):\n        self.check(row)\n        self.rows.append(row)\n\n    def check(self, row):\n        raise NotImplementedError\n",
      "Store.check (line 6)"
    ],
    [
      "a.ts",
      "export const load = async (path: string) => {\n  const rows = await read(path)\n  return rows.length\n}\n\nconst read = async (path: string) => {}\n",
      "read (line 6)"
    ],
    [
      "a.js",
      "class Store {\n  save(row) {\n    this.check(row)\n    this.rows.push(row)\n  }\n  check(row) {\n    // TODO\n  }\n}\n",
      "Store.check (line 6)"
    ],
    [
      "a.go",
      'package a\n\nfunc load(path string) int {\n\trows := read(path)\n\treturn len(rows)\n}\n\nfunc read(path string) []string {\n\tpanic("not implemented")\n}\n',
      "read (line 8)"
    ],
    [
      "a.rs",
      "fn load(path: &str) -> usize {\n    let rows = read(path);\n    rows.len()\n}\n\nfn read(path: &str) -> Vec<String> {\n    todo!()\n}\n",
      "read (line 6)"
    ],
    ["a.js", 'const home = (request, response) => {}\napp.get("/", home)\n', "home (line 1)"],
    ["a.rb", "class A\n  validate :name_is_free\n\n  def name_is_free\n  end\nend\n", "A.name_is_free (line 4)"]
  ])("when they do, then it is named: %s %s", async (path, text, name) => {
    assert.include(await told(path, text), name)
  })

  const stub = "def read(path):\n    pass\n"
  const load = "\ndef load(path):\n    return len(read(path))\n"

  it("when it was there before, then it is no work of theirs", async () => {
    assert.isNull(await told("a.py", `${stub}${load}`, stub))
  })

  it("when they do not call it, then nothing is told of it", async () => {
    assert.isNull(await told("a.py", `${stub}${load}`, "", { start: 1, end: 2 }))
    assert.isNull(await told("a.py", `${stub}\ndef load(path):\n    return open(path).read()\n`))
    assert.isNull(await told("a.py", `${stub}\ndef load(path):\n    return [read]\n`))
  })

  it("when something is done in it, or in one of its name, then it is written", async () => {
    assert.isNull(await told("a.py", `def read(path):\n    return open(path).readlines()\n${load}`))
    const both =
      "class A:\n    def read(self):\n        pass\n\nclass B(A):\n    def read(self):\n        return self.file.readline()\n"
    assert.isNull(await told("a.py", `${both}\n    def all(self):\n        return [self.read()]\n`))
  })

  it("when its name says that it does nothing, or is there for others to replace, then it is meant so", async () => {
    for (const name of ["noop", "_no_op", "on_start", "before_save"])
      assert.isNull(
        await told("a.py", `def ${name}(path):\n    pass\n\ndef load(path):\n    return len(${name}(path))\n`)
      )
  })

  it("when they are of a test, then what it leans on may be anything", async () => {
    assert.isNull(await told("test_a.py", `${stub}${load}`))
  })
})
