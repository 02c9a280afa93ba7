import { assert, describe, it } from "@effect/vitest"
import { testsIn } from "../../../packages/plugins/src/policies/evidence/tests/neverRuns.ts"
import { type TestsOfFile, testChanges } from "../../../packages/plugins/src/policies/evidence/tests/testChanges.ts"
import { outlined } from "../tree-sitter/support.ts"

type Files = Readonly<Record<string, string>>

const testsOf = (files: Files): Promise<ReadonlyArray<TestsOfFile>> =>
  Promise.all(
    Object.entries(files).map(async ([path, text]) => {
      const outline = await outlined(path, text)
      assert.isNotNull(outline)
      return { path, tests: testsIn(path, text, outline) }
    })
  )

const told = async (before: Files, now: Files): Promise<ReadonlyArray<string>> =>
  testChanges(await testsOf(before), await testsOf(now)).map(({ how, path, test }) => `${path} ${test}: ${how}`)

/** A file of tests by language: what its test is called, and the same with one line replaced. */
const languages: ReadonlyArray<readonly [path: string, name: string, text: string, weaker: string, skipped: string]> = [
  [
    "a.test.ts",
    "adds",
    'it("adds", () => {\n  expect(add(1, 2)).toBe(3)\n  expect(add(0, 0)).toBe(0)\n})\n',
    'it("adds", () => {\n  expect(add(1, 2)).toBe(3)\n})\n',
    'it.skip("adds", () => {\n  expect(add(1, 2)).toBe(3)\n  expect(add(0, 0)).toBe(0)\n})\n'
  ],
  [
    "test_a.py",
    "test_adds",
    "def test_adds():\n    assert add(1, 2) == 3\n    assert add(0, 0) == 0\n",
    "def test_adds():\n    assert add(1, 2) == 3\n",
    '@pytest.mark.skip(reason="later")\ndef test_adds():\n    assert add(1, 2) == 3\n    assert add(0, 0) == 0\n'
  ],
  [
    "a_test.go",
    "TestAdds",
    'package a\n\nfunc TestAdds(t *testing.T) {\n\tif add(1, 2) != 3 {\n\t\tt.Error("no")\n\t}\n\tif add(0, 0) != 0 {\n\t\tt.Error("no")\n\t}\n}\n',
    'package a\n\nfunc TestAdds(t *testing.T) {\n\tif add(1, 2) != 3 {\n\t\tt.Error("no")\n\t}\n}\n',
    'package a\n\nfunc TestAdds(t *testing.T) {\n\tt.Skip("later")\n\tif add(1, 2) != 3 {\n\t\tt.Error("no")\n\t}\n}\n'
  ],
  [
    "tests/a.rs",
    "adds",
    "#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n    assert_eq!(add(0, 0), 0);\n}\n",
    "#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n",
    "#[test]\n#[ignore]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n    assert_eq!(add(0, 0), 0);\n}\n"
  ],
  [
    "AddTest.java",
    "adds",
    "class AddTest {\n  @Test\n  void adds() {\n    assertEquals(3, add(1, 2));\n    assertEquals(0, add(0, 0));\n  }\n}\n",
    "class AddTest {\n  @Test\n  void adds() {\n    assertEquals(3, add(1, 2));\n  }\n}\n",
    "class AddTest {\n  @Disabled\n  @Test\n  void adds() {\n    assertEquals(3, add(1, 2));\n  }\n}\n"
  ]
]

describe.each(languages)("given tests in %s", (path, name, text, weaker, skipped) => {
  it.each<readonly [about: string, now: Files, expected: ReadonlyArray<string>]>([
    ["is as it was", { [path]: text }, []],
    ["lost an assertion", { [path]: weaker }, [`${path} ${name}: weakened`]],
    ["is skipped", { [path]: skipped }, [`${path} ${name}: skipped`]],
    [
      "is gone",
      { [path]: text.replace(/\badds\b|test_adds|TestAdds/, (found) => `${found}X`).replace(/[13]/g, "7") },
      [`${path} ${name}: vanished`]
    ],
    ["is gone with its file", {}, [`${path} ${name}: vanished`]],
    ["asserts something else", { [path]: text.replaceAll("3", "4") }, [`${path} ${name}: changed`]],
    ["has another name", { [path]: text.replace(name, `${name}Up`) }, []],
    ["has one more assertion", { [path]: text }, []]
  ])("when the test %s, then that is told", async (_, now, expected) => {
    assert.deepStrictEqual(await told({ [path]: text }, now), expected)
  })
})

describe("given tests of JavaScript", () => {
  const file = (...tests: ReadonlyArray<string>) => `${tests.join("\n\n")}\n`
  const one = 'it("one", () => {\n  expect(a).toBe(1)\n})'
  const two = 'it("two", () => {\n  expect(b).toEqual({\n    c: 1\n  })\n})'
  const looped = 'it("three", () => {\n  for (const x of xs) {\n    const y = f(x)\n    expect(y).toBe(1)\n  }\n})'
  const rows = 'it.each([[1, 2], [3, 4]])("adds %d", (x, y) => {\n  expect(f(x)).toBe(y)\n})'

  it.each<readonly [about: string, before: Files, now: Files, expected: ReadonlyArray<string>]>([
    ["moves to another file", { "a.test.js": file(one, two) }, { "a.test.js": file(one), "b.test.js": file(two) }, []],
    ["moves to a suite", { "a.test.js": file(one) }, { "a.test.js": file(`describe("all", () => {\n${one}\n})`) }, []],
    ["is laid out in other lines", { "a.test.js": file(two) }, { "a.test.js": file(two.replace(/\s+/g, " ")) }, []],
    [
      "expects something else on its last line",
      { "a.test.js": file(two) },
      { "a.test.js": file(two.replace("c: 1", "c: 2")) },
      ["a.test.js two: changed"]
    ],
    [
      "prepares its values otherwise",
      { "a.test.js": file(looped) },
      { "a.test.js": file(looped.replace("f(x)", "g(x)")) },
      []
    ],
    [
      "has fewer rows",
      { "a.test.js": file(rows) },
      { "a.test.js": file(rows.replace(", [3, 4]", "")) },
      ["a.test.js adds %d: changed"]
    ],
    [
      "asserts nothing that could fail any more",
      { "a.test.js": file(one) },
      { "a.test.js": file(one.replace("expect(a).toBe(1)", "expect(1).toBe(1)")) },
      ["a.test.js one: weakened"]
    ],
    ["was skipped before", { "a.test.js": file(one.replace("it(", "it.skip(")) }, { "a.test.js": file(two) }, []],
    [
      "is one of two with the same name",
      { "a.test.js": file(one, one.replace("1", "2")) },
      { "a.test.js": file(one.replace("1", "2")) },
      ["a.test.js one: vanished"]
    ],
    [
      "is skipped with its suite",
      { "a.test.js": file(`describe("all", () => {\n${one}\n})`) },
      { "a.test.js": file(`describe.skip("all", () => {\n${one}\n})`) },
      ["a.test.js one: skipped"]
    ]
  ])("when one %s, then that is told", async (_, before, now, expected) => {
    assert.deepStrictEqual(await told(before, now), expected)
  })
})
