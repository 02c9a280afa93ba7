import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { LineReceipt } from "@proofline/kernel"
import { layer as digest } from "@proofline/plugins/adapters/node-digest"
import { layer as projectFiles } from "@proofline/plugins/adapters/node-project-files"
import {
  findElsewhere,
  judgeReceipt,
  judgeReceipts,
  mayHold,
  type SourceFile,
  sourceFileOf
} from "@proofline/plugins/policies/evidence"
import { ProjectFiles, Syntax } from "@proofline/plugins/ports"
import { Effect, Layer, Schema } from "effect"
import { findingOf } from "../../../packages/plugins/src/policies/evidence/code/range.ts"
import { room } from "../repositories.ts"
import { grammars } from "../tree-sitter/support.ts"

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex")
const blobOf = (text: string) =>
  createHash("sha1")
    .update(`blob ${Buffer.byteLength(text)}\0`)
    .update(text)
    .digest("hex")

const source = (path: string, text: string) =>
  Syntax.pipe(
    Effect.flatMap(({ outline }) => outline(path, text)),
    Effect.map((outline) => sourceFileOf({ path, text, git_blob: blobOf(text), git_commit: null }, outline)),
    Effect.provide(grammars)
  )

/** What is recorded when the lines are accepted. */
const accepted = (file: SourceFile, start: number, end = start): LineReceipt => {
  const { covers, declaration } = findingOf(file.path, file.lines, file.outline, { start, end })
  return {
    kind: "lines",
    path: file.path,
    start,
    end,
    sha256: sha256(file.lines.slice(start - 1, end).join("")),
    git_blob: file.git_blob,
    git_commit: null,
    covers: { ...covers, sha256: sha256(file.lines.slice(covers.start - 1, covers.end).join("")) },
    declaration:
      declaration === null
        ? null
        : {
            name: declaration.name,
            kind: declaration.kind,
            start: declaration.start,
            end: declaration.end,
            hash: sha256(declaration.tokens)
          }
  }
}

/** How lines of a text stand in a later text of the same file. */
const judged = Effect.fnUntraced(function* (
  before: string,
  [start, end]: readonly [number, number],
  after: string,
  path = "calc.py"
) {
  const receipt = accepted(yield* source(path, before), start, end)
  const { gone, now, reason, status } = judgeReceipt(receipt, yield* source(path, after), sha256)
  return { status, now, gone, reason }
})

const calc = `import math

def area(radius):
    # of a circle
    square = radius * radius
    return math.pi * square

class Account:
    def deposit(self, amount):
        self.balance += amount
        self.log.append(amount)
        return self.balance

    def withdraw(self, amount):
        self.balance -= amount
        self.log.append(-amount)
        return self.balance
`
const whole = [3, 6] as const
const head = [3, 3] as const
const inside = [5, 6] as const

/** The text with this exchanged; it must have been there. */
const edited = (from: string, to: string, text = calc): string => {
  assert.include(text, from)
  return text.replace(from, to)
}

describe("a receipt whose file is as it was", () => {
  it.effect.each([whole, head, inside, [9, 12], [10, 10], [1, 17]] as const)("is proven: lines %j", (range) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* judged(calc, range, calc), {
        status: "proven",
        now: `calc.py:${range[0] === range[1] ? range[0] : range.join("-")}`,
        gone: false,
        reason: ""
      })
    })
  )
})

describe("a receipt whose lines are as they were, in a file that changed", () => {
  it.effect("is proven when the change is after them", () =>
    Effect.gen(function* () {
      const after = `${calc}\ndef volume(side):\n    return side ** 3\n`
      for (const range of [whole, head, inside]) {
        assert.strictEqual((yield* judged(calc, range, after)).status, "proven")
      }
    })
  )

  it.effect("is proven, and says so, when the rest of the function changed", () =>
    Effect.gen(function* () {
      const found = yield* judged(calc, [10, 11], edited("return self.balance", "return None"))
      assert.strictEqual(found.status, "proven")
      assert.include(found.reason, "rest of Account.deposit changed")
    })
  )

  it.effect("is stale when a head stands for a body that changed", () =>
    Effect.gen(function* () {
      const found = yield* judged(
        calc,
        head,
        edited("    square = radius * radius\n    return math.pi * square\n", "    pass\n    return 0\n")
      )
      assert.deepInclude(found, { status: "stale", now: "calc.py:3", gone: false })
      assert.include(found.reason, "area, which was judged with them, changed")
    })
  )

  it.effect("is stale, and names what hides it, when something takes the place of its declaration", () =>
    Effect.gen(function* () {
      const hiding = `${calc}\ndef area(radius):\n    return 0\n`
      for (const range of [whole, head, inside]) {
        const { gone, reason, status } = yield* judged(calc, range, hiding)
        assert.deepStrictEqual([status, gone], ["stale", false])
        assert.include(reason, "calc.py:19 (`def area(radius):`)")
      }
      // moved, and in a class that is hidden as a whole
      assert.strictEqual((yield* judged(calc, [10, 11], `x = 1\n${calc}\nAccount = other\n`)).status, "stale")
      assert.strictEqual((yield* judged(calc, [10, 11], `${hiding}`)).status, "proven")
    })
  )

  it.effect("is stale when a short line is the one of another function now", () =>
    Effect.gen(function* () {
      const before = "def one(n):\n    m = n * n\n    return m\n\ndef two(n):\n    m = n - 7\n    return m\n"
      const after = "x = 1\ny = 2\nz = 3\n\ndef two(n):\n    m = n - 7\n    return m\n"
      assert.strictEqual((yield* judged(before, [7, 7], after)).status, "proven")
      const swapped = "def two(n):\n    m = n - 7\n    return m\n"
      assert.strictEqual((yield* judged(before, [3, 3], swapped)).status, "stale")
    })
  )
})

describe("a receipt whose lines moved in their file", () => {
  const shifted = `import math\nimport sys\n\nPI = math.pi\n${calc.slice("import math\n".length)}`

  it.effect.each([
    [whole, "calc.py:6-9"],
    [head, "calc.py:6"],
    [inside, "calc.py:8-9"],
    [[10, 11], "calc.py:13-14"],
    [[17, 17], "calc.py:20"]
  ] as const)("is re-anchored: lines %j are %s", ([range, now]) =>
    Effect.gen(function* () {
      assert.deepInclude(yield* judged(calc, range, shifted), { status: "re_anchored", now, gone: false })
    })
  )

  it.effect("is re-anchored when the function was put behind another one", () =>
    Effect.gen(function* () {
      const area = calc.split("\n").slice(2, 7).join("\n")
      const after = `${calc.replace(`${area}\n`, "")}\n${area}`
      assert.deepInclude(yield* judged(calc, whole, after), { status: "re_anchored", now: "calc.py:14-17" })
    })
  )

  it.effect("keeps to its function where the same lines stand in two", () =>
    Effect.gen(function* () {
      // `return self.balance` of withdraw, not the nearer one of deposit
      const found = yield* judged(calc, [17, 17], shifted)
      assert.strictEqual(found.now, "calc.py:20")
      const without = edited("        self.log.append(-amount)\n        return self.balance\n", "        return 0\n")
      assert.strictEqual((yield* judged(calc, [17, 17], without)).status, "stale")
    })
  )

  it.effect("is stale when the only like lines stand in another function", () =>
    Effect.gen(function* () {
      const body = "    checked = amount * factor + surcharge\n    return round(checked, 2)\n"
      const before = `def price(amount, factor, surcharge):\n${body}\ndef cost(amount, factor, surcharge):\n${body}`
      const after = `def price(amount, factor, surcharge):\n    return 0\n\ndef cost(amount, factor, surcharge):\n${body}`
      assert.strictEqual((yield* judged(before, [2, 3], after)).status, "stale")
    })
  )

  it.effect("is re-anchored by its bytes where no grammar is known, unless they are too short to be told apart", () =>
    Effect.gen(function* () {
      const before = "first chapter\n\nThe quick brown fox jumps over the dog.\n\nend\n"
      const after = `preface\n\n${before}`
      assert.deepInclude(yield* judged(before, [3, 3], after, "notes.txt"), {
        status: "re_anchored",
        now: "notes.txt:5"
      })
      assert.strictEqual((yield* judged(before, [5, 5], after, "notes.txt")).status, "stale")
      assert.strictEqual((yield* judged(before, [2, 2], `x\n${before}`, "notes.txt")).status, "stale")
    })
  )

  it.effect("goes to the nearest of several", () =>
    Effect.gen(function* () {
      const line = "timeout_in_milliseconds: 30000\n"
      const before = `a: 1\n${line}b: 2\n${line}`
      const after = `x: 0\n${before}`
      const found = yield* judged(before, [4, 4], after, "settings.conf")
      assert.deepInclude(found, { status: "re_anchored" })
      assert.include(["settings.conf:3", "settings.conf:5"], found.now)
      assert.include(found.reason, "several times")
    })
  )
})

describe("a receipt whose lines were written otherwise", () => {
  it.effect("is re-anchored when only comments and blanks changed in a function that was cited as a whole", () =>
    Effect.gen(function* () {
      const after = edited(
        "    # of a circle\n    square = radius * radius",
        "    square = radius  *  radius  # squared\n"
      )
      const found = yield* judged(calc, whole, after)
      assert.deepInclude(found, { status: "re_anchored", now: "calc.py:3-6" })
      assert.include(found.reason, "Layout only")
    })
  )

  it.effect("is stale when only a part of the function was cited", () =>
    Effect.gen(function* () {
      const found = yield* judged(calc, inside, edited("radius * radius", "radius  *  radius"))
      assert.deepInclude(found, { status: "stale", now: "calc.py:3-6" })
      assert.include(found.reason, "the structure of area is the same")
    })
  )

  it.effect("is stale when blanks within a string changed", () =>
    Effect.gen(function* () {
      const before = 'def greet(name):\n    text = "dear " + name\n    return text\n'
      assert.strictEqual((yield* judged(before, [1, 3], before.replace("dear ", "dear  "))).status, "stale")
    })
  )

  it.effect("is stale when indentation says something else in Python", () =>
    Effect.gen(function* () {
      const before =
        "def total(rows):\n    result = 0\n    for row in rows:\n        result += row\n        audit(row)\n    return result\n"
      const after = before.replace("        audit(row)", "    audit(row)")
      const found = yield* judged(before, [1, 6], after)
      assert.deepInclude(found, { status: "stale", now: "calc.py:1-6" })
      assert.include(found.reason, "total was found, but it changed")
    })
  )

  it.effect.each([
    ["to CRLF", calc, calc.replaceAll("\n", "\r\n")],
    ["to LF", calc.replaceAll("\n", "\r\n"), calc]
  ] as const)("is re-anchored when only line ends changed %s", ([_, before, after]) =>
    Effect.gen(function* () {
      for (const range of [whole, head, inside]) {
        const found = yield* judged(before, range, after)
        assert.strictEqual(found.status, "re_anchored")
        assert.include(found.reason, "line ends")
        const moved = yield* judged(before, range, `import os\n${after}`)
        assert.strictEqual(moved.status, "re_anchored")
      }
    })
  )

  it.effect("is re-anchored when the last line of the file got its end", () =>
    Effect.gen(function* () {
      const bare = calc.trimEnd()
      assert.strictEqual((yield* judged(bare, [14, 17], calc)).status, "re_anchored")
      assert.strictEqual((yield* judged(calc, [14, 17], bare)).status, "re_anchored")
    })
  )

  it.effect.each([whole, inside, [5, 5]] as const)("is stale when a line of it was edited: %j", (range) =>
    Effect.gen(function* () {
      const found = yield* judged(calc, range, edited("square = radius * radius", "square = radius + radius"))
      assert.deepInclude(found, { status: "stale", now: "calc.py:3-6", gone: false })
      assert.include(found.reason, "area was found, but it changed")
    })
  )

  it.effect("is stale, and may be elsewhere, when its function is not in the file any more", () =>
    Effect.gen(function* () {
      const found = yield* judged(calc, whole, edited("def area(radius)", "def circle(radius)"))
      assert.deepInclude(found, { status: "stale", now: null, gone: true })
      assert.include(found.reason, "area is not in the file")
    })
  )

  it.effect("is missing when the file ends before it", () =>
    Effect.gen(function* () {
      const found = yield* judged(calc, [14, 17], "import math\n")
      assert.deepInclude(found, { status: "missing", now: null, gone: true })
      assert.include(found.reason, "The lines are gone: calc.py has 1")
    })
  )
})

describe("a receipt whose file is gone", () => {
  const look = Effect.fnUntraced(function* (range: readonly [number, number], text: string, path = "other.py") {
    const receipt = accepted(yield* source("calc.py", calc), ...range)
    assert.deepInclude(judgeReceipt(receipt, null, sha256), { status: "missing", now: null, gone: true })
    const found = findElsewhere(receipt, yield* source(path, text), sha256)
    if (found !== null) assert.isTrue(mayHold(receipt, text))
    return found
  })

  it.effect("is found in the file of another name", () =>
    Effect.gen(function* () {
      for (const range of [whole, head, inside, [17, 17]] as const) {
        const now = `other.py:${range[0] === range[1] ? range[0] : range.join("-")}`
        assert.deepStrictEqual(yield* look(range, calc), { now, whole: true })
      }
    })
  )

  it.effect("is found where its function went, also with another layout", () =>
    Effect.gen(function* () {
      const area = calc.split("\n").slice(2, 6).join("\n")
      assert.deepStrictEqual(yield* look(whole, `import math\n${area}\n`), { now: "other.py:2-5", whole: false })
      assert.deepStrictEqual(yield* look(head, `import math\n${area}\n`), { now: "other.py:2", whole: false })
      assert.deepStrictEqual(yield* look(inside, `import math\n${area}\n`), { now: "other.py:4-5", whole: false })
      const spaced = area.replace("radius * radius", "radius  *  radius")
      assert.deepStrictEqual(yield* look(whole, `import math\n${spaced}\n`), { now: "other.py:2-5", whole: false })
    })
  )

  it.effect("is not found in what merely looks alike", () =>
    Effect.gen(function* () {
      // of the same name, with another body
      assert.strictEqual(yield* look(whole, "def area(radius):\n    return 3 * radius * radius\n"), null)
      // of another name, with the same body
      const renamed = calc.replace("area", "circle")
      assert.strictEqual(yield* look(inside, renamed), null)
      // in a class of another name
      assert.strictEqual(yield* look([10, 11], calc.replace("Account", "Wallet")), null)
      // where nothing can tell what the lines belong to
      assert.strictEqual(yield* look(inside, `x\n${calc}`, "copy.txt"), null)
    })
  )
})

/** How a receipt of calc.py stands in a project that has these files, and lists those. */
const judgedIn = Effect.fnUntraced(function* (
  files: Readonly<Record<string, string>>,
  more: ReadonlyArray<string> = []
) {
  const root = yield* room("proofline-receipts-")
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text)
  const receipt = accepted(yield* source("calc.py", calc), ...whole)
  return yield* Effect.gen(function* () {
    const project = yield* ProjectFiles
    const paths = Effect.map(project.paths, (found) => [...found, ...more])
    const [judged] = yield* judgeReceipts([{ receipt }], { ...project, paths }, [])
    return judged
  }).pipe(Effect.provide(Layer.mergeAll(projectFiles({ root }), digest, grammars)))
})

describe("given a receipt whose file is gone from a project, when the project is searched", () => {
  const area = calc.split("\n").slice(2, 6).join("\n")

  it.effect("and one file holds it, then it is there", () =>
    Effect.gen(function* () {
      const judged = yield* judgedIn({ "shapes.py": `import math\n${area}\n` })
      const reason = "The same code in another file."
      assert.deepInclude(judged, { status: "re_anchored", now: "shapes.py:2-5", reason })
    })
  )

  it.effect.each([
    ["copies", { "copy.py": calc, "shapes.py": calc }, "copy.py:3-6, shapes.py:3-6"],
    [
      "files that hold it",
      { "copy.py": `${area}\n`, "shapes.py": `import math\n${area}\n` },
      "copy.py:1-4, shapes.py:2-5"
    ]
  ] as const)("and there are two %s, then none of them is chosen", ([, files, places]) =>
    Effect.gen(function* () {
      const judged = yield* judgedIn(files)
      assert.deepInclude(judged, { status: "missing", now: null })
      assert.include(judged?.reason, `It is in several other files (${places}).`)
    })
  )

  it.effect(
    "and not all of it could be searched, then the one place that was found is not taken for the only one",
    () =>
      Effect.gen(function* () {
        const more = Array.from({ length: 5_000 }, (_, i) => `more/${i}.py`)
        const judged = yield* judgedIn({ "copy.py": calc }, more)
        assert.deepInclude(judged, { status: "missing", now: null })
        assert.include(judged?.reason, "Only a part of the project was searched for it.")
      })
  )
})

describe("a receipt of anything", () => {
  const Line = Schema.Literals(["}", "", "  return x", "timeout: 30", "The quick brown fox jumps.", "Prose, again."])
  const Lines = Schema.Array(Line).check(Schema.isMinLength(1), Schema.isMaxLength(12))
  const Place = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 11 }))
  const fileOf = (lines: ReadonlyArray<string>): SourceFile => ({
    path: "notes.txt",
    git_blob: null,
    lines: lines.map((line) => `${line}\n`),
    outline: null
  })

  it.prop(
    "is proven by its own file, and never said to be where its bytes are not",
    [Lines, Lines, Place, Place],
    ([before, after, a, b]) => {
      const [start = 1, end = 1] = [a, b].map((n) => (n % before.length) + 1).toSorted((x, y) => x - y)
      const receipt = accepted(fileOf(before), start, end)
      assert.strictEqual(judgeReceipt(receipt, fileOf(before), sha256).status, "proven")
      const { now, status } = judgeReceipt(receipt, fileOf(after), sha256)
      if (status !== "proven" && status !== "re_anchored") return
      const [from = 0, to = from] = (now ?? "").split(":")[1]?.split("-").map(Number) ?? []
      assert.strictEqual(
        sha256(
          fileOf(after)
            .lines.slice(from - 1, to)
            .join("")
        ),
        receipt.sha256
      )
    }
  )

  it("is compared to the end, however large the file is", () => {
    const lines = Array.from({ length: 100_000 }, (_, i) => `line ${i % 50}\n`)
    const receipt = {
      ...accepted({ path: "big.txt", git_blob: null, lines, outline: null }, 1, 5_000),
      sha256: "0".repeat(64)
    }
    const { status } = judgeReceipt(receipt, { path: "big.txt", git_blob: null, lines, outline: null }, sha256)
    assert.strictEqual(status, "stale")
  })
})

describe("given lines that a comment was put around", () => {
  const add = "export const add = (a, b) => {\n  return a + b\n}\n"
  const loud = "console.info('the ledger was loaded', version)\n"

  it.effect.each([
    ["a function", `// adds\n${add}`, [2, 4], `/* adds\n${add}*/\n`],
    ["a function that has moved", add, [1, 3], `// one\n/*\n${add}*/\n`],
    ["a part of one", `// adds\n${add}`, [3, 3], `/* adds\n${add}*/\n`],
    ["a statement", `// says so\n${loud}`, [2, 2], `/* says so\n${loud}*/\n`],
    ["a statement that has moved", loud, [1, 1], `\n/*\n${loud}*/\n`]
  ] as const)("of %s, then they show nothing any more", ([_, before, range, after]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* judged(before, range, before, "a.js")).status, "proven")
      assert.strictEqual((yield* judged(before, range, after, "a.js")).status, "stale")
    })
  )
})

describe("given a receipt of some lines, when the file is another one now", () => {
  const f = "def f(a):\n    value = compute(a, a)\n    return value\n"
  const g = "def g(a):\n    other = compute(a, 1)\n    return other\n"
  const twice = f
    .replace("    value", "    log(a, a, a, a, a)\n    value")
    .replace("    ret", "    log(a, a, a, a, a)\n    ret")
  const long = "timeout_in_milliseconds: 30000\n"
  const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}\n`).join("")

  it.effect.each<
    readonly [path: string, before: string, range: readonly [number, number], after: string, judgement: string]
  >([
    ["a.py", f, [2, 2], `${f}\n${g}`, "proven a.py:2"],
    ["a.py", f, [2, 2], f.replace("return value", "return 1"), "proven a.py:2 The rest of f changed."],
    ["a.py", f, [2, 2], f.replace("def f(a):", "if a:"), "proven a.py:2 It stands outside of f now."],
    ["a.py", f, [2, 2], f.replace("def f", "def h"), "proven a.py:2 It stands in h now."],
    ["a.py", f, [3, 3], f.replace("def f", "def h"), "stale null Line 3 differs, and f is not in the file. gone"],
    ["a.py", f, [2, 2], f.replaceAll("\n", "\r\n"), "re_anchored a.py:2 Only line ends changed."],
    ["a.py", f, [1, 1], f.replaceAll("\n", "\r\n"), "re_anchored a.py:1 Only line ends changed."],
    [
      "a.py",
      f,
      [1, 1],
      f.replace("return value", "return 1"),
      "stale a.py:1 The cited lines are the same, but f, which was judged with them, changed."
    ],
    ["a.py", f, [1, 3], `${g}\n${f}`, "re_anchored a.py:5-7 The same lines of f, moved."],
    ["a.py", f, [2, 2], `${g}\n${f}`, "re_anchored a.py:6 The same lines of f, moved."],
    [
      "a.py",
      f,
      [2, 2],
      `${g}\n${f}`.replaceAll("\n", "\r\n"),
      "re_anchored a.py:6 The same lines of f, moved. Line ends changed."
    ],
    [
      "a.py",
      `${g}${f}`,
      [5, 5],
      `${f}    value = compute(a, a)\n`,
      "re_anchored a.py:4 The same lines of f, moved. It is there several times; this is the nearest."
    ],
    [
      "a.py",
      f,
      [1, 3],
      f.replace("compute(a, a)", "compute(a,a)  # b"),
      "re_anchored a.py:1-3 Layout only: f has the same structure."
    ],
    [
      "a.py",
      f,
      [1, 3],
      `\n${f.replace("compute(a, a)", "compute(a,a)")}`,
      "re_anchored a.py:2-4 Layout only: f has the same structure, and it moved."
    ],
    [
      "a.py",
      f,
      [2, 2],
      f.replace("compute(a, a)", "compute(a,a)"),
      "stale a.py:1-3 The cited lines differ; the structure of f is the same."
    ],
    ["a.py", f, [2, 2], f.replace("compute(a, a)", "compute(a, 2)"), "stale a.py:1-3 f was found, but it changed."],
    ["a.py", `${g}\n${f}`, [5, 7], g, "missing null The lines are gone: a.py has 3, and f is not in the file. gone"],
    ["a.py", f, [1, 3], `${g}\n`, "stale null Lines 1-3 differ, and f is not in the file. gone"],
    ["a.txt", `a\n${long}`, [2, 2], `${long}a\n`, "re_anchored a.txt:1 The same lines, moved."],
    ["a.txt", `a\n${long}`, [2, 2], `b\n${long}c\n`, "proven a.txt:2"],
    ["a.txt", `a\n${long}`, [1, 2], `b\n${long}c\n`, "stale null Lines 1-2 differ."],
    ["a.txt", `a\n${long}`, [1, 1], `b\n${long}c\n`, "stale null Line 1 differs."],
    ["a.txt", `a\n${long}`, [2, 2], "b\n", "missing null The lines are gone: a.txt has 1. gone"],
    ["a.txt", "abc def ghij\n", [1, 1], "\nabc def ghij\n", "stale null Line 1 differs."],
    ["a.txt", "abc def ghi jkl\n", [1, 1], "\nabc def ghi jkl\n", "re_anchored a.txt:2 The same lines, moved."],
    ["a.txt", `${lines(9)}${long}`, [10, 10], `a\n${long}b\n`, "re_anchored a.txt:2 The same lines, moved."],
    [
      "a.txt",
      `${lines(9)}${long}`,
      [10, 10],
      `${long}${lines(10)}${long}${lines(10)}`,
      "re_anchored a.txt:12 The same lines, moved. It is there several times; this is the nearest."
    ],
    [
      "a.txt",
      `${lines(9)}${long}`,
      [10, 10],
      `${lines(6)}${long}${lines(7)}${long}`,
      "re_anchored a.txt:7 The same lines, moved. It is there several times; this is the nearest."
    ],
    ["a.py", twice, [4, 4], `\n${twice}`, "re_anchored a.py:5 The same lines of f, moved."],
    ["a.txt", `a\n${long}`, [2, 2], `a\n${long.trim()}`, "re_anchored a.txt:2 Only line ends changed."],
    [
      "a.js",
      `${long.replace(":", " =")}`,
      [1, 1],
      `function f() {\n${long.replace(":", " =")}}\n`,
      "stale null Line 1 differs."
    ]
  ])("in %s, %j, lines %j, that is %j, then it is %s", ([path, before, range, after, judgement]) =>
    Effect.gen(function* () {
      const { gone, now, reason, status } = yield* judged(before, range, after, path)
      assert.strictEqual(`${status} ${now} ${reason}${gone ? " gone" : ""}`.trim(), judgement)
    })
  )

  it.effect("then another file may hold it only where its name is, and what is short is believed in no other", () =>
    Effect.gen(function* () {
      const named = accepted(yield* source("a.py", calc), 10, 10)
      assert.deepStrictEqual(
        ["def deposit(): pass", "class Account: pass", ""].map((text) => mayHold(named, text)),
        [true, false, false]
      )
      const text = "abc\nThe quick brown fox jumps.\n"
      const short = accepted(yield* source("a.txt", text), 1, 1)
      const other = accepted(yield* source("a.txt", text), 2, 2)
      assert.isTrue(mayHold(short, ""))
      const copy = yield* source("b.txt", text)
      assert.isNull(findElsewhere(short, copy, sha256))
      assert.deepStrictEqual(findElsewhere(other, copy, sha256), { now: "b.txt:2", whole: true })
      assert.deepStrictEqual(findElsewhere({ ...other, git_blob: null }, { ...copy, git_blob: null }, sha256), {
        now: "b.txt:2",
        whole: false
      })
    })
  )
})

describe("what was accepted for its comments", () => {
  const documented = calc.replace(
    "def area(radius):\n",
    'def area(radius):\n    """Of a circle, in square metres."""\n'
  )
  const later = Effect.fnUntraced(function* (start: number, end: number, after: string) {
    const receipt = { ...accepted(yield* source("calc.py", documented), start, end), comments: true as const }
    return judgeReceipt(receipt, yield* source("calc.py", after), sha256).status
  })

  it.effect("given other lines, when they were changed or moved it, then it holds", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* later(4, 4, `${documented}\nx = 1\n`), "proven")
      assert.strictEqual(yield* later(4, 4, documented.replace("math\n", "math\nimport os\n")), "re_anchored")
      assert.strictEqual(yield* later(3, 7, documented.replace("math\n", "math\nimport os\n")), "re_anchored")
    })
  )

  it.effect("given the comment, when it was changed or taken out, then it does not hold, whatever the code is", () =>
    Effect.gen(function* () {
      for (const [start, end] of [
        [4, 4],
        [3, 7]
      ] as const) {
        assert.strictEqual(yield* later(start, end, calc), "stale")
        assert.strictEqual(yield* later(start, end, documented.replace("circle,", "square,")), "stale")
      }
    })
  )
})
