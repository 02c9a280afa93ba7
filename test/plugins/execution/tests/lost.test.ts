import { assert, describe, it } from "@effect/vitest"
import { lostByName, lostByNumber } from "../../../../packages/plugins/src/policies/execution/tests/lost.ts"
import type { Counts, ReportedTest } from "../../../../packages/plugins/src/policies/execution/tests/model.ts"

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
    ["did not pass before", ["- a", "~ b"], [], []],
    ["have another number in their name", ["+ takes 12 ms", "+ at 0x7f00"], ["+ takes 9 ms", "+ at 0x7f01"], []],
    ["were two and are one with another number", ["+ row 1", "+ row 2"], ["+ row 3"], ["row 2 vanished"]],
    ["have another number, and that is skipped", ["+ row 1"], ["~ row 2"], ["row 1 vanished"]],
    ["were a file without tests of its own", ["+ src/a.test.mjs"], ["+ one"], []],
    ["name a file in a sentence", ["+ reads src/a.mjs"], [], ["reads src/a.mjs vanished"]]
  ])("given that they %s", (_, before, now, expected) => {
    const lost = lostByName(reported(...before), reported(...now))
    assert.deepStrictEqual(
      lost.map(({ how, path, test }) => [test, how, ...(path === null ? [] : [path])].join(" ")),
      expected
    )
  })
})

describe("the number of tests that passed before", () => {
  const counts = (passed: number, failed = 0, skipped = 0) => ({ passed, failed, skipped })
  it.each<readonly [string, Counts, Counts, ReadonlyArray<string>]>([
    ["as many run", counts(3, 1), counts(2, 1), []],
    ["more run", counts(1, 5), counts(9), []],
    ["fewer run", counts(3), counts(1, 1), ["1 of 3 tests that passed before vanished"]],
    ["fewer run and more are skipped", counts(3), counts(1, 0, 2), ["2 of 3 tests that passed before skipped"]]
  ])("given that %s now, then what is gone is told", (_, before, now, expected) => {
    assert.deepStrictEqual(
      lostByNumber(before, now).map(({ how, test }) => `${test} ${how}`),
      expected
    )
  })
})
