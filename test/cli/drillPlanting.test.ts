import { it } from "@effect/vitest"
import { layer as treeSitter } from "@proofline/plugins/adapters/tree-sitter"
import { testsIn } from "@proofline/plugins/policies/evidence"
import { Syntax } from "@proofline/plugins/ports"
import { Effect } from "effect"
import { assert, describe } from "vitest"
import { judgedBy } from "../../packages/cli/src/drill/cleanRoom.ts"
import { realFunctions, remarked, stubbed, withoutFunction } from "../../packages/cli/src/drill/functions.ts"
import { addedTo } from "../../packages/cli/src/drill/history.ts"
import { plantings } from "../../packages/cli/src/drill/languages.ts"
import { spread } from "../../packages/cli/src/drill/spread.ts"
import { deleted, emptyTest, realTests, skipped, stripped } from "../../packages/cli/src/drill/tests.ts"
import { type Source, sourceOf } from "../../packages/cli/src/drill/text.ts"

const read = Effect.fnUntraced(function* (path: string, text: string) {
  const outline = yield* (yield* Syntax).outline(path, text)
  assert.isNotNull(outline, path)
  return sourceOf(path, text, outline as NonNullable<typeof outline>)
})

/** The only one that there is. */
const only = <A>(found: ReadonlyArray<A>): A => {
  assert.lengthOf(found, 1)
  return found[0] as A
}

const testOf = (source: Source) => only(realTests(source, testsIn(source.path, source.text, source.outline)))

const functions: ReadonlyArray<readonly [path: string, text: string, stub: string]> = [
  [
    "a.ts",
    "const one = 1\n\nexport const sum = (list: number[]) => {\n  const first = list[0]\n  const rest = list.slice(1)\n  return first + rest.length\n}\n",
    'const one = 1\n\nexport const sum = (list: number[]) => {\n  throw new Error("not implemented");\n}\n'
  ],
  [
    "a.py",
    "class A:\n    @cached\n    def total(self, rows):\n        first = rows[0]\n        rest = rows[1:]\n        return first + len(rest)\n",
    "class A:\n    @cached\n    def total(self, rows):\n        raise NotImplementedError\n"
  ],
  [
    "a.rb",
    "class A\n  def total(rows)\n    first = rows[0]\n    rest = rows.drop(1)\n    first + rest.size\n  end\nend\n",
    "class A\n  def total(rows)\n    raise NotImplementedError\n  end\nend\n"
  ],
  [
    "a.go",
    "package a\n\nfunc Total(rows []int) int {\n\tfirst := rows[0]\n\trest := rows[1:]\n\treturn first + len(rest)\n}\n",
    'package a\n\nfunc Total(rows []int) int {\n\tpanic("not implemented")\n}\n'
  ],
  [
    "a.sh",
    'total() {\n  local first="$1"\n  local rest="$#"\n  echo "$first $rest"\n}\n',
    'total() {\n  echo "not implemented" >&2\n  return 1\n}\n'
  ],
  [
    "A.java",
    "class A {\r\n    int total(int[] rows)\r\n    {\r\n        int first = rows[0];\r\n        int rest = rows.length;\r\n        return first + rest;\r\n    }\r\n}\r\n",
    'class A {\r\n    int total(int[] rows)\r\n    {\r\n        throw new UnsupportedOperationException("not implemented");\r\n    }\r\n}\r\n'
  ]
]

describe("given a function that does something", () => {
  for (const [path, text, stub] of functions) {
    it.effect(`then in ${path} a stub stands in its place, a comment more, or nothing`, () =>
      Effect.gen(function* () {
        const source = yield* read(path, text)
        const one = only(realFunctions(source))
        const [first] = plantings[one.language]?.stubs ?? []
        assert.isDefined(first)
        const planted = stubbed(source, one, first as NonNullable<typeof first>)
        assert.strictEqual(planted.text, stub)
        const [now] = (yield* read(path, stub)).outline.declarations.filter(({ kind }) => kind === "function")
        assert.deepEqual([planted.start, planted.end], [(now?.start.row ?? 0) + 1, (now?.end.row ?? 0) + 1])

        const more = remarked(source, one)
        assert.strictEqual(more?.text.split("\n").length, text.split("\n").length + 2)
        assert.include(more?.text, "Does what the task asks for.")
        assert.deepEqual([more?.start, more?.end], [one.start, one.end + 2])

        const without = withoutFunction(source, one) ?? text
        const lines = text.split("\n")
        assert.deepEqual(without.split("\n"), [...lines.slice(0, one.start - 1), ...lines.slice(one.end)])
      }).pipe(Effect.provide(treeSitter()))
    )
  }

  const left: ReadonlyArray<readonly [why: string, path: string, text: string]> = [
    ["of two lines", "a.ts", "const f = (a) => {\n  const b = a\n  return b\n}\n"],
    [
      "a constructor",
      "a.ts",
      "class A {\n  constructor(a) {\n    this.a = a\n    this.b = a\n    this.c = a\n    this.d = a\n  }\n}\n"
    ],
    [
      "a callback",
      "a.ts",
      'app.get("/", () => {\n  const alpha = 1\n  const beta = 2\n  return alpha + beta + gamma\n})\n'
    ],
    [
      "in a file with faults",
      "a.ts",
      "function f(a) {\n  const alpha = a\n  const beta = a\n  return beta\n}\nconst = {\n"
    ]
  ]
  it.effect("then one is left alone where nobody could say what it must do", () =>
    Effect.gen(function* () {
      for (const [why, path, text] of left) assert.isEmpty(realFunctions(yield* read(path, text)), why)
    }).pipe(Effect.provide(treeSitter()))
  )

  it.effect("then one that stands twice in its file, or on a line with something else, is not taken out", () =>
    Effect.gen(function* () {
      const body = "{\n  const alpha = a\n  const beta = alpha\n  return beta\n}"
      const twice = yield* read("a.ts", `function f(a) ${body}\nfunction g(a) ${body}\n`)
      assert.deepEqual(
        realFunctions(twice).map((one) => withoutFunction(twice, one)),
        [null, null]
      )
      const beside = yield* read("a.ts", `const one = 1; function f(a) ${body}\n`)
      assert.isNull(withoutFunction(beside, only(realFunctions(beside))))
    }).pipe(Effect.provide(treeSitter()))
  )
})

interface TestRow {
  readonly path: string
  readonly text: string
  readonly skipped: string
  readonly stripped: string
  /** Lines of the test itself. */
  readonly lines: number
  readonly added: string
}

const tests: ReadonlyArray<TestRow> = [
  {
    path: "a.test.ts",
    text: 'describe("sums", () => {\n  it("adds", () => {\n    const sum = add(1, 2)\n    expect(sum)\n      .toBe(3)\n  })\n})\n',
    skipped: 'it.skip("adds", () => {',
    stripped: '  it("adds", () => {\n    const sum = add(1, 2)\n  })\n',
    lines: 5,
    added: '  it("adds once more", () => {\n  })\n'
  },
  {
    path: "tests/test_a.py",
    text: "import pytest\n\n\ndef test_adds():\n    sum = add(1, 2)\n    assert sum == 3\n",
    skipped: '@pytest.mark.skip(reason="later")\ndef test_adds():',
    stripped: "def test_adds():\n    sum = add(1, 2)\n",
    lines: 3,
    added: "def test_adds_again():\n    pass\n"
  },
  {
    path: "a_test.go",
    text: 'package a\n\nfunc TestAdds(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal("no")\n\t}\n}\n',
    skipped: 'func TestAdds(t *testing.T) {\n\tt.Skip("later")\n',
    stripped: "func TestAdds(t *testing.T) {\n}\n",
    lines: 5,
    added: "func TestAdds_again(t *testing.T) {\n}\n"
  },
  {
    path: "spec/a_spec.rb",
    text: 'describe "sums" do\n  it "adds" do\n    sum = add(1, 2)\n    expect(sum).to eq(3)\n  end\nend\n',
    skipped: '  xit "adds" do',
    stripped: '  it "adds" do\n    sum = add(1, 2)\n  end\n',
    lines: 4,
    added: '  it "adds once more" do\n  end\n'
  },
  {
    path: "src/lib.rs",
    text: "#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        let sum = add(1, 2);\n        assert_eq!(sum, 3);\n    }\n}\n",
    skipped: "    #[ignore]\n    #[test]\n    fn adds() {",
    stripped: "    fn adds() {\n        let sum = add(1, 2);\n    }\n",
    lines: 5,
    added: "    #[test]\n    fn adds_again() {\n    }\n"
  }
]

describe("given a test that asserts something", () => {
  for (const row of tests) {
    it.effect(
      `then in ${row.path} it is skipped, loses its assertions, is gone, or an empty one stands behind it`,
      () =>
        Effect.gen(function* () {
          const source = yield* read(row.path, row.text)
          const one = testOf(source)
          assert.include(skipped(source, one), row.skipped)
          const { lines, whole } = stripped(source, one)
          const without = row.path.endsWith(".go") ? whole : lines
          assert.include(without, row.stripped)
          assert.strictEqual(deleted(source, one).split("\n").length, row.text.split("\n").length - row.lines)
          const empty = emptyTest(source, one)
          assert.include(empty?.text, row.added)
          const cited = empty?.text
            .split("\n")
            .slice(empty.start - 1, empty.end)
            .join("\n")
          assert.strictEqual(`${cited}\n`, row.added)
        }).pipe(Effect.provide(treeSitter()))
    )
  }

  it.effect("then tests that are skipped already, assert nothing or share a name are left alone", () =>
    Effect.gen(function* () {
      const text =
        'it.skip("a", () => {\n  expect(1).toBe(1)\n})\nit("b", () => {\n  run()\n})\nit("c", () => {\n  expect(f()).toBe(1)\n})\nit("c", () => {\n  expect(g()).toBe(1)\n})\n'
      const source = yield* read("a.test.ts", text)
      assert.isEmpty(realTests(source, testsIn(source.path, text, source.outline)))
    }).pipe(Effect.provide(treeSitter()))
  )
})

describe("given what a commit did to a file", () => {
  const before = "def total(rows):\n    first = rows[0]\n    return first\n"
  const rows: ReadonlyArray<readonly [what: string, after: string, lines: [number, number] | null]> = [
    [
      "new code in a function",
      "def total(rows):\n    first = rows[0]\n    others = rows[1:]\n    counted = len(others)\n    return first\n",
      [3, 4]
    ],
    ["one new line", "def total(rows):\n    first = rows[0]\n    others = rows[1:]\n    return first\n", null],
    [
      "comments",
      "def total(rows):\n    # the first of the rows\n    # counts more than others\n    first = rows[0]\n    return first\n",
      null
    ],
    [
      "another layout",
      "def total(rows):\n    first = (\n        rows[0]\n    )\n    return (\n        first\n    )\n",
      null
    ],
    ["code outside of functions", `${before}\nlimit_of_rows = 100\nlimit_of_columns = 200\n`, null]
  ]
  for (const [what, after, lines] of rows) {
    it.effect(`then of ${what} ${lines === null ? "nothing" : "its lines"} can be cited`, () =>
      Effect.gen(function* () {
        const added = addedTo(yield* read("a.py", after), before, () => false)
        assert.deepEqual(added === null ? null : [added.start, added.end], lines)
      }).pipe(Effect.provide(treeSitter()))
    )
  }
})

describe("given more than are tried", () => {
  const all = ["a1", "a2", "a3", "a4", "a5", "b1", "b2", "c1"]
  const rows: ReadonlyArray<readonly [most: number, chosen: ReadonlyArray<string>]> = [
    [3, ["a3", "b2", "c1"]],
    [5, ["a3", "b2", "c1", "a2", "b1"]],
    [20, ["a3", "b2", "c1", "a2", "b1", "a5", "a1", "a4"]],
    [0, []]
  ]
  for (const [most, chosen] of rows) {
    it(`then ${most} of them come in turn from every group, far from each other`, () => {
      assert.deepEqual(
        spread(all, (one) => one.charAt(0), most),
        chosen
      )
    })
  }
})

describe("given the events of a run whose agent bent the script for tests", () => {
  const base = (outcome: string, timed_out = false, message = "") => ({
    event_type: "BASE_CHECKED",
    content: { checks: [{ outcome, message, timed_out }] }
  })
  const room = (exit_code: number | null, restored: ReadonlyArray<string>, timed_out = false) => ({
    event_type: "VERIFICATION_RUN",
    content: { checks: [{ clean_room: { run: { exit_code, timed_out }, message: "Said there.", restored } }] }
  })
  const none = {
    event_type: "VERIFICATION_RUN",
    content: { checks: [{ clean_room: { run: null, message: "No copy.", restored: [] } }] }
  }
  const failed = { event_type: "TASK_FAILED", content: { reason: "checks_failed", message: "It failed there." } }
  const bent = ["package.json"]

  const judged: ReadonlyArray<readonly [what: string, events: Parameters<typeof judgedBy>[0], refused: boolean]> = [
    ["the clean room failed and so did the task", [base("green"), room(1, bent), failed], true],
    ["the task was completed all the same", [base("green"), room(1, bent)], false],
    ["the clean room left the script bent", [base("green"), room(0, [])], false]
  ]
  for (const [what, events, refused] of judged) {
    it(`then where ${what} it was ${refused ? "refused" : "let through"}`, () => {
      const found = judgedBy(events)
      assert.deepInclude(found, { kind: "check-bent", refused })
    })
  }

  const untried: ReadonlyArray<readonly [events: Parameters<typeof judgedBy>[0], why: RegExp]> = [
    [[], /came to no end/],
    [[base("unknown", true)], /more than 10 s/],
    [[base("red", false, "It exits with 1.")], /does not pass in a fresh copy.*It exits with 1\./],
    [[base("green"), none, failed], /no clean room\. No copy\./],
    [[base("green"), room(null, bent, true), failed], /no clean room/],
    [[base("green"), room(0, bent)], /every source file was broken/]
  ]
  for (const [events, why] of untried) {
    it(`then nothing is concluded, because ${why.source}`, () => {
      const found = judgedBy(events)
      assert.match(found.why ?? "", why)
      assert.notProperty(found, "side")
    })
  }
})
