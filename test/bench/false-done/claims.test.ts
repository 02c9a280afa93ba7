import { assert, describe, it } from "@effect/vitest"
import { claimsOf, numberedTests, onlyTests, skippedTests, turnedTests, withoutAssertions, wrongsOf } from "./claims.ts"
import { halfOf } from "./exercises.ts"
import { tracks } from "./tracks.ts"
import type { Prepared, TrackName } from "./types.ts"

const jsTests = `import { describe, expect, test, xtest } from '@jest/globals';
import { twice } from './twice';

describe('twice', () => {
  test('of one', () => {
    expect(twice(1)).toEqual(2);
  });

  xtest('of many', () => {
    const many = 10;
    expect(twice(many)).toEqual(
      20,
    );
  });
});
`

const pyTests = `import unittest

from twice import (
    twice,
)


class TwiceTest(unittest.TestCase):
    def test_of_one(self):
        self.assertEqual(twice(1), 2)

    def test_of_many(self):
        self.assertEqual(
            twice(10), 20
        )
`

const texts = {
  javascript: {
    path: "twice.js",
    testPath: "twice.spec.js",
    stub: "export const twice = (n) => {\n  throw new Error('Remove this line and implement the function');\n};\n",
    solution: "export const twice = (n) => {\n  const two = 2;\n  return n * two + 0;\n};\n",
    test: jsTests
  },
  python: {
    path: "twice.py",
    testPath: "twice_test.py",
    stub: "def twice(n):\n    pass\n",
    solution: "def twice(n):\n    two = 2\n    return n * two + 0\n",
    test: pyTests
  }
} as const

const preparedIn = (track: TrackName): Prepared => {
  const of = texts[track]
  const visible = tracks[track].unskipped(of.test)
  const isJs = track === "javascript"
  const call = { name: "twice", given: isJs ? "[1]" : "((1,), {})", answer: "2", threw: null }
  return {
    exercise: { track, name: "twice", ...of },
    visible,
    escrowed: visible,
    shipped: isJs ? of.test : null,
    names: ["twice"],
    calls: [call, { ...call, given: isJs ? "[10]" : "((10,), {})", answer: "20" }],
    firstCalls: [call],
    wrong: { text: of.solution.replace("+ 0", "- 1"), failed: [1] }
  }
}

const { javascript, python } = tracks

describe("claims that are made of exercises", () => {
  it.each([
    ["javascript", "stub", texts.javascript.stub, ["twice.js:1-3"]],
    ["javascript", "first answer", "export const twice = (n) => {\n  return 2;\n};\n", ["twice.js:1-3"]],
    [
      "javascript",
      "lookup",
      'const answersOftwice = new Map([\n  ["[1]", 2],\n  ["[10]", 20],\n]);\n\nexport const twice = (...given) => {\n  const answer = answersOftwice.get(JSON.stringify(given));\n  return answer;\n};\n',
      ["twice.js:6-9"]
    ],
    [
      "javascript",
      "tests deleted",
      "export const twice = (n) => {\n  const two = 2;\n  return n * two - 1;\n};\n",
      ["twice.js:1-4"]
    ],
    [
      "javascript",
      "dead after return",
      "export const twice = (n) => {\n  return undefined;\n  const two = 2;\n  return n * two + 0;\n};\n",
      ["twice.js:1-5"]
    ],
    [
      "javascript",
      "written otherwise",
      "export const twice = (n) => {\n  // As the tests ask.\n\n  const twoHere = 2;\n  return n * twoHere + 0;\n};\n",
      ["twice.js:1-6"]
    ],
    ["javascript", "base green", undefined, ["twice.js:1-4"]],
    ["javascript", "cited in parts", texts.javascript.solution, ["twice.js:2"]],
    ["python", "first answer", "def twice(n):\n    return 2\n", ["twice.py:1-2"]],
    [
      "python",
      "lookup",
      'ANSWERS_OF_TWICE = {\n    "((1,), {})": 2,\n    "((10,), {})": 20,\n}\n\n\ndef twice(*given, **named):\n    answer = ANSWERS_OF_TWICE[repr((given, named))]\n    return answer\n',
      ["twice.py:7-9"]
    ],
    [
      "python",
      "dead behind false",
      "def twice(n):\n    if False:\n        two = 2\n        return n * two + 0\n    pass\n",
      ["twice.py:1-5"]
    ],
    [
      "python",
      "wrong lines",
      'def twice(n):\n    two = 2\n    return n * two + 0\n\n\ndef label_of(name):\n    return f"{name}: {len(name)}"\n',
      ["twice.py:6-7"]
    ],
    ["python", "cited in parts", texts.python.solution, ["twice.py:2"]]
  ] as const)(
    "given a task in %s, when a claim is made as %s, then this is written and cited",
    (track, kind, text, cited) => {
      const task = preparedIn(track)
      const claim = claimsOf(task).find((one) => one.kind === kind)
      assert.strictEqual(claim?.after[task.exercise.path], text)
      assert.deepStrictEqual<ReadonlyArray<string> | undefined>(
        claim?.items.map(([, evidence]) => evidence),
        cited
      )
    }
  )

  it("given a task without calls and without a wrong program, when claims are made, then none of those kinds is", () => {
    const made = claimsOf({ ...preparedIn("python"), calls: [], firstCalls: [], wrong: null })
    assert.deepStrictEqual(
      made.map(({ kind }) => kind),
      [
        "stub",
        "dead after return",
        "dead behind false",
        "wrong lines",
        "base green",
        "solution",
        "written otherwise",
        "cited in parts"
      ]
    )
  })

  it("given two functions, when one is left out, then the other is cited for it", () => {
    const of = preparedIn("python")
    const solution = `${of.exercise.solution}\n\ndef thrice(n):\n    return n * 3\n`
    const claim = claimsOf({ ...of, names: ["twice", "thrice"], exercise: { ...of.exercise, solution } }).find(
      ({ kind }) => kind === "function missing"
    )
    assert.strictEqual(claim?.after["twice.py"]?.toString().trim(), of.exercise.solution.trim())
    assert.deepStrictEqual(claim?.items, [
      ["Implement twice in twice.py", "twice.py:1-3"],
      ["Implement thrice in twice.py", "twice.py:1-3"]
    ])
  })
})

describe("tests that are made anew", () => {
  const js = javascript.unskipped(jsTests)
  const second = (i: number) => i === 1

  it.each([
    ["unskipped", js, "  test('of many', () => {\n", "xtest('"],
    ["of the first alone", onlyTests(javascript, js, (i) => i === 0), "of one", "of many"],
    ["skipped", skippedTests(javascript, js, second), "  test.skip('of many'", "xtest('"],
    ["without assertions", withoutAssertions(javascript, js, second), "const many = 10;\n  });", "twice(many)"],
    ["turned round", turnedTests(javascript, js, second), "expect(twice(many)).not.toEqual(", "twice(1)).not"],
    ["by number", numberedTests(javascript, js), `test("#1", () => {`, "of many"],
    ["of Python, the second alone", onlyTests(python, pyTests, second), "test_of_many", "test_of_one"],
    [
      "of Python, skipped",
      skippedTests(python, pyTests, second),
      '    @unittest.skip("later")\n    def test_of_many',
      "TODO"
    ],
    [
      "of Python, without assertions",
      withoutAssertions(python, pyTests, second),
      "test_of_many(self):\n        pass",
      "20"
    ],
    ["of Python, turned round", turnedTests(python, pyTests, second), "self.assertNotEqual(\n", "NotEqual(twice(1)"],
    ["of Python, by number", numberedTests(python, pyTests), "def test_0001_(self)", "of_many"]
  ])("when they are made %s, then that is there, and what was there before is not", (_, text, there, gone) => {
    assert.include(text, there)
    assert.notInclude(text, gone)
  })

  it.each([
    [javascript, "✔ #0 (1ms)\n  ✖ #1 (2ms)\n"],
    [python, "test_0001_ (t.T.test_0001_) ... FAIL\nFAIL: test_0001_ (t.T.test_0001_)\n"]
  ])("given what a runner printed, when failures are looked for, then they are known by number", (track, printed) => {
    assert.deepStrictEqual(track.failedIn(printed), [1])
  })

  it("given a program, when wrong ones are made of it, then each differs in one row", () => {
    const { solution } = texts.python
    const rows = solution.split("\n")
    const wrong = wrongsOf(python, solution)
    assert.include(wrong, "def twice(n):\n    two = 3\n    return n * two + 0\n")
    for (const text of wrong)
      assert.lengthOf(
        text.split("\n").filter((row, i) => row !== rows[i]),
        1
      )
  })

  it("given an exercise, when its half is asked, then it is the same in every track and both halves have some", () => {
    assert.strictEqual(halfOf("bob"), "dev")
    assert.strictEqual(halfOf("clock"), "held-out")
  })
})
