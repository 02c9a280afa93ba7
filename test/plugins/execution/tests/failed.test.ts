import { failedIn } from "@proofline/plugins/policies/execution"
import { assert, describe, it } from "vitest"
import { failedTests } from "../../../../packages/plugins/src/policies/execution/tests/failed.ts"
import { counted } from "../../../../packages/plugins/src/policies/execution/tests/reports.ts"

const namesOf = (output: string, ...more: ReadonlyArray<string>) =>
  failedTests(counted(output, []), [output, ...more].join("\n"))

const tapOf = (...middle: ReadonlyArray<string>): string =>
  ["TAP version 13", "# normalize", ...Array(800).fill("ok 1 same"), ...middle, ...Array(800).fill("ok 2 same")].join(
    "\n"
  )

describe("the tests that a command names as failed", () => {
  it("given one in the middle of a long report, then it is named as its runner names it", () => {
    const output = `${tapOf("not ok 801 sorts keys", "  ---", "  operator: equal", "  ...")}\n1..1601\n# tests 1601\n# pass  1600\n# fail  1\n`
    assert.deepStrictEqual(namesOf(output), ["normalize > sorts keys"])
  })

  it("given lines of what was cut out of the output, then those are named too, and none twice", () => {
    const output = `TAP version 13\nok 1 - a\nnot ok 2 - b\n\n[... 9 bytes cut ...]\nok 9 - z\n1..9\n`
    assert.deepStrictEqual(namesOf(output, "not ok 4 - sorts keys", "not ok 2 - b"), ["b", "sorts keys"])
  })

  it("given an output that no reader understands, then lines name them", () => {
    assert.deepStrictEqual(namesOf("x\n  ✖ adds (1.2ms)\ny\n"), ["adds"])
  })

  it("given tests that are expected to fail, then they are not named", () => {
    assert.deepStrictEqual(failedIn("not ok 1 - a # TODO later\nnot ok 2 - b # skip\nnot ok 3 - #c\n"), ["#c"])
  })

  it("given very many, then the first ones are named, and none at full length without end", () => {
    const output = Array.from({ length: 50 }, (_, i) => `not ok ${i + 1} - ${"x".repeat(400)}${i}`).join("\n")
    const names = namesOf(`1..50\n${output}\n`)
    assert.isAtMost(names.length, 20)
    assert.isTrue(names.every((name) => name.length <= 200))
  })
})
