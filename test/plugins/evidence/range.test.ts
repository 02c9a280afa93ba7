import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Arbitrary from "effect/Arbitrary"
import { declarationsOf, findingOf } from "../../../packages/plugins/src/policies/evidence/code/range.ts"
import { splitLines } from "../../../packages/plugins/src/text/lines.ts"
import { often } from "../../often.ts"
import { judged, outlined } from "../tree-sitter/support.ts"

const account = `import logging
from decimal import Decimal

LIMIT = 500


class Account:
    """Money of a customer."""

    def __init__(self, owner):
        self.owner = owner
        self.balance = Decimal(0)

    @property
    def is_empty(self):
        # nothing in it
        return self.balance == 0

    def withdraw(self, amount):
        """Takes money out."""
        if amount > self.balance:
            pass
        self.balance -= amount

        return self.balance

    def close(self):
        pass

    def audit(self):
        raise NotImplementedError


def main():
    # TODO
    pass
`
const line = (text: string): number => account.split("\n").findIndex((one) => one.includes(text)) + 1

describe("given lines that show nothing", () => {
  const cases: ReadonlyArray<readonly [string, number | readonly [number, number], string]> = [
    ["blank", 3, "blank lines"],
    ["imports", [1, 2], "imports"],
    ["a comment", line("# nothing in it"), "comments"],
    ["a documentation string", line("Money of"), "comments"],
    ["blanks, a comment and imports", [1, 3], "imports and blank lines"],
    ["a statement that does nothing in a function that does something", line("            pass"), "do nothing"],
    ["a branch in which nothing is done", line("if amount"), "do nothing"]
  ]
  for (const [what, range, reason] of cases) {
    it(`when only ${what} is cited, then it is refused for that reason`, async () => {
      assert.include((await judged("a.py", account, range)).empty ?? "accepted", reason)
    })
  }

  it("when only a closing bracket is cited, then it is refused for that", async () => {
    assert.include((await judged("a.js", "function f() {\n  g()\n}\n", 3)).empty, "brackets")
    assert.include((await judged("a.rb", "def f\n  g\nend\n", 3)).empty, "brackets")
    assert.include((await judged("a.sh", "f() {\n  if g; then\n    h\n  fi\n}\n", [4, 5])).empty, "brackets")
  })
})

describe("given lines in a function", () => {
  it("when it does something, then any of its statements shows it, and the function is named", async () => {
    for (const text of ["self.balance -=", "return self.balance", "def withdraw"]) {
      const { declaration, empty } = await judged(
        "a.py",
        account,
        line(text === "return self.balance" ? "        return self.balance\n".trim() : text)
      )
      assert.isNull(empty, text)
      assert.isNotNull(declaration)
    }
    assert.strictEqual((await judged("a.py", account, line("self.balance -="))).declaration?.name, "Account.withdraw")
  })

  it("when it is empty, then its signature, its body and all of it are refused with its name", async () => {
    const head = line("def audit")
    for (const range of [head, head + 1, [head, head + 1]] as const)
      assert.isNotNull((await judged("a.py", account, range)).empty)
    assert.include(
      (await judged("a.py", account, head)).empty,
      "Account.audit (line 30) only says that it is not implemented"
    )
  })
})

describe("given a signature line", () => {
  it("when it is cited, then it stands for the whole declaration", async () => {
    const { covers, declaration } = await judged("a.py", account, line("def withdraw"))
    assert.deepStrictEqual(covers, { start: 19, end: 25 })
    assert.strictEqual(declaration?.kind, "function")
  })

  it("when it is a decorator, then it stands for what it decorates", async () => {
    const { covers, declaration } = await judged("a.py", account, line("@property"))
    assert.deepStrictEqual(covers, { start: 14, end: 17 })
    assert.strictEqual(declaration?.name, "Account.is_empty")
  })

  it("when it is that of a class, then every function of it is judged", async () => {
    const { covers, empty } = await judged("a.py", account, line("class Account"))
    assert.deepStrictEqual(covers, { start: 7, end: 31 })
    assert.include(empty, "Account.close")
    assert.include(empty, "Account.audit")
    assert.notInclude(empty ?? "", "withdraw")
  })

  it("when lines inside of a declaration are cited, then they stand for themselves", async () => {
    assert.deepStrictEqual((await judged("a.py", account, [23, 25])).covers, { start: 23, end: 25 })
  })
})

describe("given several functions", () => {
  it("when all are empty, then that is said", async () => {
    assert.include(
      (await judged("a.py", account, [line("def close"), line("raise NotImpl")])).empty,
      "All functions there are empty"
    )
  })

  it("when some are empty, then those are named", async () => {
    const { empty } = await judged("a.py", account, [line("def withdraw"), line("def main") + 2])
    assert.include(empty, "Some functions there are empty")
    for (const name of ["Account.close", "Account.audit", "main"]) assert.include(empty, name)
  })

  it("when many are empty, then the first five are named and the rest is counted", async () => {
    const text = Array.from({ length: 9 }, (_, i) => `def f${i}():\n    pass\n`).join("\n")
    const { empty } = await judged("a.py", text, [1, 26])
    assert.include(empty, "f4 (line 13)")
    assert.include(empty, "and 4 more")
  })

  it("when a value stands alone, then it is no function, and shows what it is", async () => {
    assert.isNull((await judged("a.py", account, line("LIMIT"))).empty)
  })
})

describe("given a file of no known language", () => {
  it("when it is judged, then by its text", () => {
    const lines = splitLines("widget {\n}\n")
    assert.deepStrictEqual(findingOf("a.unknown", lines, null, { start: 2, end: 2 }).declaration, null)
  })
})

describe("given a file that is too long to be looked into as a whole", () => {
  it("when a stub in it is cited, then it is refused, and code is not", () => {
    const lines = splitLines(`${"x = 1\n".repeat(80_000)}def f():\n    pass\n\n\ndef g():\n    return x\n`)
    const judge = (start: number) => findingOf("a.py", lines, null, { start, end: start + 1 }).empty
    assert.isNotNull(judge(80_001))
    assert.isNull(judge(80_005))
  })
})

describe("the tokens of a declaration", () => {
  const hashOf = async (path: string, text: string) => {
    const [first] = declarationsOf(splitLines(text), await outlined(path, text))
    return first?.tokens
  }

  it("given the same code with other blanks, blank lines and comments, when compared, then they are the same", async () => {
    const one = "function f(a, b) {\n  return g(a) + 'x y'\n}\n"
    const other = "// moved\n\nfunction f(a,b) {\n\n    // sums\n    return g( a ) + 'x y' // here\n}\n"
    assert.strictEqual(await hashOf("a.js", one), await hashOf("a.js", other))
  })

  it("given lines that end elsewhere, when compared, then they differ unless the language does not care", async () => {
    for (const [path, one, other] of [
      ["a.js", "function f(x) {\n  return x * 2\n}\n", "function f(x) {\n  return\n  x * 2\n}\n"],
      ["a.sh", "f() {\n  echo a rm\n}\n", "f() {\n  echo a\n  rm\n}\n"],
      ["a.js", "const f = (i, j) => i++ + j\n", "const f = (i, j) => i + ++j\n"]
    ] as const)
      assert.notStrictEqual(await hashOf(path, one), await hashOf(path, other), one)
    const java = [
      "class C { int f(int a) { return a; } }\n",
      "class C\n{\n  int f(int a)\n  {\n    return a;\n  }\n}\n"
    ]
    assert.strictEqual(await hashOf("C.java", java[0] ?? ""), await hashOf("C.java", java[1] ?? ""))
  })

  it("given another blank in a string, when compared, then they differ", async () => {
    assert.notStrictEqual(
      await hashOf("a.js", "const f = () => 'x y'\n"),
      await hashOf("a.js", "const f = () => 'x  y'\n")
    )
  })

  it("given a language whose layout is structure, when a line moves into another block, then they differ", async () => {
    const inside = "def f(a):\n    if a:\n        g()\n        h()\n"
    const outside = "def f(a):\n    if a:\n        g()\n    h()\n"
    const moved = "class C:\n    def f(a):\n        if a:\n            g()\n            h()\n"
    assert.notStrictEqual(await hashOf("a.py", inside), await hashOf("a.py", outside))
    const [, method] = declarationsOf(splitLines(moved), await outlined("a.py", moved))
    assert.strictEqual(method?.tokens, await hashOf("a.py", inside))
  })
})

describe("given any text and any range", () => {
  const words = ["a", "{", "}", "(", ")", ";", "\n", " ", "def f():", "function f()", "=>", "'", '"', "`", "#", "//"]
  const more = ["/*", "\ufeff", "\r\n", "é", "😀", "end", "return null", "@x"]
  const text = Arbitrary.array(Arbitrary.schema(Schema.Literals([...words, ...more])), { minLength: 1, maxLength: 60 })
  const path = Arbitrary.schema(Schema.Literals(["a.py", "a.ts", "a.tsx", "a.js", "a.c", "a.rb", "a.sh", "a.php"]))
  const place = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99 })))

  it.effect.prop(
    "when it is judged, then there is an answer, and it covers the range",
    [text, path, place, place],
    ([parts, file, a, b]) =>
      Effect.promise(async () => {
        const source = parts.join("")
        const total = splitLines(source).length
        const start = (a % total) + 1
        const end = start + (b % (total - start + 1))
        const { covers, empty } = await judged(file, source, [start, end])
        assert.isAtMost(covers.start, start)
        assert.isAtLeast(covers.end, end)
        assert.isTrue(empty === null || empty.length > 0)
      }),
    { arbitrary: { runs: often(500) } }
  )
})
