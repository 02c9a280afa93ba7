import { assert, describe, it } from "vitest"
import { lastWords } from "../../packages/cli/src/render/lastWords.ts"

describe("of what a failed command has printed", () => {
  it.each<readonly [string, string, string]>([
    [
      "node:test",
      "✖ adds (1.2ms)\n  AssertionError\n      at Test.run (node:internal/x:1:2)\n}\n",
      "it names as failed: adds"
    ],
    ["TAP", "ok 1 - a\nnot ok 2 - subtracts\n  ---\n  ...\n1..2\n", "it names as failed: subtracts"],
    [
      "pytest",
      "E  assert 1 == 2\nFAILED test_a.py::test_b - assert 1 == 2\n1 failed\n",
      "it names as failed: test_a.py::test_b - assert 1 == 2"
    ],
    ["Go", "--- FAIL: TestA (0.00s)\n    a_test.go:3: 1\nFAIL\nFAIL\ta\t0.002s\nFAIL\n", "it names as failed: TestA"],
    ["Rust", "test tests::a ... FAILED\n\nerror: test failed, to rerun pass `--lib`\n", "it names as failed: tests::a"],
    [
      "mocha",
      "  1 failing\n\n  1) sums up:\n     AssertionError\n      at process.processImmediate (node:internal/timers:1:1)\n",
      "it names as failed: sums up:"
    ],
    ["many tests", "✖ a\n✖ b\n✖ c\n✖ d\n✖ failing tests:\n✖ a\n", "it names as failed: a, b, c and 1 more"],
    [
      "no tests, an error",
      "Error: no such table\n    at a (b.js:1:2)\n}\n\nNode.js v24.1.0\n",
      "it last printed: Error: no such table"
    ],
    ["a command of npm", "boom\nnpm error Lifecycle script `test` failed\n", "it last printed: boom"],
    ["nothing but brackets", "{\n}\n", "it last printed: }"]
  ])("given %s, tells what failed", (_, output, told) => {
    assert.strictEqual(lastWords(output), `; ${told}`)
  })

  it("given nothing, tells nothing", () => {
    assert.strictEqual(lastWords(" \n"), "")
  })
})
