import { assert, describe, it } from "@effect/vitest"
import { lostByName, lostByNumber } from "../../../../packages/plugins/src/policies/execution/tests/lost.ts"
import type { ReportedTest } from "../../../../packages/plugins/src/policies/execution/tests/model.ts"

type Counted = Parameters<typeof lostByNumber>[0]

/** `+ name` passed, `- name` failed, `~ name` was skipped; `@ file` behind it. */
const reported = (...all: ReadonlyArray<string>): ReadonlyArray<ReportedTest> =>
  all.map((one) => {
    const [name = "", file = null] = one.slice(2).split(" @ ")
    return { name, file, status: one.startsWith("+") ? "passed" : one.startsWith("-") ? "failed" : "skipped" }
  })

describe("tests that a runner reported before", () => {
  it.each<
    readonly [about: string, before: ReadonlyArray<string>, now: ReadonlyArray<string>, lost: ReadonlyArray<string>]
  >([
    ["are reported again", ["+ a", "- b"], ["+ a", "+ b", "+ c"], []],
    ["fail now", ["+ a"], ["- a"], []],
    ["are gone", ["+ a", "+ b @ b.js"], ["+ c"], ["a vanished", "b vanished b.js"]],
    ["are skipped now", ["+ a", "+ b"], ["~ a", "+ b"], ["a skipped"]],
    ["failed and are gone", ["- a", "+ b", "~ c"], ["+ b"], ["a vanished"]],
    ["failed and are skipped now", ["- a", "+ b"], ["~ a", "+ b"], ["a skipped"]],
    ["failed beside one of the same name", ["- a", "+ a"], ["+ a"], ["a vanished"]],
    ["failed before they came to what is in them", ["- a", "- b", "- T"], ["+ a > one", "+ b/two", "+ T.c"], []],
    ["failed with values in their names", ["- undefined is 3", "- f[x0]"], ["+ 3 is 3", "+ f[x1]"], []],
    ["failed as a hook", ['- s > "before each" hook for "a"', "- T > setUpClass"], ["+ s > a"], []],
    ["were a file that could not be loaded", ["- a.test.js", "+ b"], ["+ a", "+ b"], []],
    ["were a script that failed", ["- a.test.js"], ["+ a.test.js"], []],
    ["were a file of which no test is there", ["- a.test.js", "+ b"], ["+ b"], ["a.test.js vanished"]],
    [
      "were files, of which one has tests",
      ["- a.js", "- b.js"],
      ["+ a @ src/a.js", "+ b @ src/a.js"],
      ["b.js vanished"]
    ],
    ["have another number in their name", ["+ takes 12 ms", "+ at 0x7f00"], ["+ takes 9 ms", "+ at 0x7f01"], []],
    ["were two and are one with another number", ["+ row 1", "+ row 2"], ["+ row 3"], ["row 2 vanished"]],
    ["have another number, and that is skipped", ["+ row 1"], ["~ row 2"], ["row 1 vanished"]],
    ["were a file without tests of its own", ["+ src/a.test.mjs"], ["+ one"], []],
    ["name a file in a sentence", ["+ reads src/a.mjs"], [], ["reads src/a.mjs vanished"]]
  ])("given that they %s, then those that are lost are told", (_, before, now, expected) => {
    const lost = lostByName(reported(...before), reported(...now), true)
    assert.deepStrictEqual(
      lost.map(({ how, path, test }) => [test, how, ...(path === null ? [] : [path])].join(" ")),
      expected
    )
  })

  it("given that they failed and are gone, then those that passed alone are told where their files were changed", () => {
    assert.deepStrictEqual(lostByName(reported("- a", "- b.js", "+ c"), [], false), [
      { test: "c", path: null, how: "vanished" }
    ])
  })
})

describe("the number of tests that ran before", () => {
  const counts = (passed: number, failed = 0, skipped = 0, format = "pytest") => ({
    ...{ passed, failed, skipped },
    formats: [format]
  })
  it.each<readonly [string, Counted, Counted, ReadonlyArray<string>]>([
    [
      "fewer run, of a runner that counts each once",
      counts(1, 2, 0, "vitest"),
      counts(2),
      ["1 of 3 tests that ran before vanished"]
    ],
    ["what failed around them is counted too", counts(1, 2), counts(2), []],
    ["one that failed is skipped", counts(1, 1), counts(1, 0, 1), ["1 of 2 tests that ran before skipped"]],
    ["as many run", counts(3, 1), counts(2, 1), []],
    ["more run", counts(1, 5), counts(9), []],
    ["fewer run", counts(3), counts(1, 1), ["1 of 3 tests that passed before vanished"]],
    ["fewer run and more are skipped", counts(3), counts(1, 0, 2), ["2 of 3 tests that passed before skipped"]]
  ])("given that %s now, then what is gone is told", (_, before, now, expected) => {
    assert.deepStrictEqual(
      lostByNumber(before, now, true).map(({ how, test }) => `${test} ${how}`),
      expected
    )
  })
})
