import { assert, describe, it } from "@effect/vitest"
import { fileChanges } from "../../../packages/plugins/src/policies/evidence/work/lineProof.ts"
import { switchedOffIn } from "../../../packages/plugins/src/policies/evidence/work/switchedOff.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"
import { outlined } from "../tree-sitter/support.ts"

/** What is said of all lines of a text that was another one before. */
const saidOf = async (path: string, before: string, now: string, item = "Retry the save"): Promise<string | null> => {
  const lines = splitLines(now)
  const file = { path, lines, outline: await outlined(path, now) }
  const changes = fileChanges(file, { _tag: "text", text: before }, await outlined(path, before))
  const range = { start: 1, end: lines.length }
  return switchedOffIn(item, { ...file, tokens: changes?.tokens ?? [] }, changes?.real.rows ?? [], range)
}

const js = "export function save(u) {\n  open(u)\n}\n"
const py = "def save(u):\n    open(u)\n"

describe("work under a new constant", () => {
  it.each([
    ["a.js", js, "const ON = false\nexport function save(u) {\n  open(u)\n  if (ON) {\n    retry(u)\n  }\n}\n"],
    ["a.js", js, "export function save(u) {\n  open(u)\n  const ON = false\n  if (ON) retry(u)\n}\n"],
    [
      "a.ts",
      js,
      "const ON: boolean = false\nexport function save(u) {\n  open(u)\n  if (ON && u) {\n    retry(u)\n  }\n}\n"
    ],
    ["a.py", py, "ON = False\n\ndef save(u):\n    open(u)\n    if ON:\n        retry(u)\n"],
    ["a.py", py, "ON = 0\n\ndef save(u):\n    open(u)\n    if ON > 0:\n        retry(u)\n"],
    [
      "a.go",
      "package a\n\nfunc Save(u int) {\n\topen(u)\n}\n",
      "package a\n\nconst ON = false\n\nfunc Save(u int) {\n\topen(u)\n\tif ON {\n\t\tretry(u)\n\t}\n}\n"
    ],
    [
      "A.java",
      "class A {\n  void save(int u) {\n    open(u);\n  }\n}\n",
      "class A {\n  private static final boolean ON = false;\n  void save(int u) {\n    open(u);\n    if (ON) {\n      retry(u);\n    }\n  }\n}\n"
    ],
    [
      "a.rs",
      "fn save(u: u8) {\n    open(u);\n}\n",
      "const ON: bool = false;\nfn save(u: u8) {\n    open(u);\n    if ON {\n        retry(u);\n    }\n}\n"
    ],
    [
      "a.c",
      "void save(int u) {\n  open(u);\n}\n",
      "#define ON 0\nvoid save(int u) {\n  open(u);\n  if (ON) {\n    retry(u);\n  }\n}\n"
    ]
  ])("when it is false for good, then it is told: %s %s %s", async (path, before, now) => {
    assert.match((await saidOf(path, before, now)) ?? "", /^ON \(line \d\) is false, and nothing changes that$/)
  })

  it.each([
    [
      "a.js",
      js,
      "let on = false\nexport function save(u) {\n  open(u)\n  if (on) {\n    retry(u)\n  }\n  on = true\n}\n"
    ],
    ["a.js", js, "const ON = true\nexport function save(u) {\n  open(u)\n  if (ON) {\n    retry(u)\n  }\n}\n"],
    ["a.js", js, "const ON = false\nexport function save(u) {\n  open(u)\n  if (!ON) {\n    retry(u)\n  }\n}\n"],
    [
      "a.js",
      js,
      "const ON = false\nexport function save(u) {\n  open(u)\n  wait(u)\n  if (ON) {\n    retry(u)\n  }\n}\n"
    ],
    [
      "a.js",
      `const ON = false\n${js}`,
      "const ON = false\nexport function save(u) {\n  open(u)\n  if (ON) {\n    retry(u)\n  }\n}\n"
    ],
    ["a.py", py, "on = False\n\ndef save(u):\n    global on\n    open(u)\n    if on:\n        retry(u)\n"],
    [
      "a.py",
      py,
      "def save(u):\n    failed = False\n    for x in u:\n        failed = failed or open(x)\n    if failed:\n        retry(u)\n"
    ],
    [
      "A.java",
      "class A {\n  void save(int u) {\n    open(u);\n  }\n}\n",
      "class A {\n  private boolean on = false;\n  void save(int u) {\n    open(u);\n    if (on) {\n      retry(u);\n    }\n  }\n}\n"
    ],
    [
      "a.c",
      "void save(int u) {\n  open(u);\n}\n",
      "void save(int u) {\n  int err = 0;\n  TRY(err, open(u));\n  if (err) {\n    retry(u);\n  }\n}\n"
    ]
  ])(
    "when it may be true, was there before, or other work is beside it, then nothing is told: %s %s %s",
    async (path, before, now) => {
      assert.isNull(await saidOf(path, before, now))
    }
  )

  it.each(["Retry the save behind a flag", "Add debug output to save()", "再試行をフラグで無効にする"])(
    "when the item speaks of what may be off, then nothing is told: %s",
    async (item) => {
      const now = "ON = False\n\ndef save(u):\n    open(u)\n    if ON:\n        retry(u)\n"
      assert.isNull(await saidOf("a.py", py, now, item))
    }
  )
})
