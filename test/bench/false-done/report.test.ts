import { assert, describe, it } from "@effect/vitest"
import { answers, type Judged, type Outcome } from "./judge.ts"
import { rowsOf, tableOf } from "./report.ts"

const claimed = (kind: string, isTrue: boolean, outcomes: ReadonlyArray<Outcome>): Judged => ({
  track: "python",
  exercise: "twice",
  kind,
  isTrue,
  isRight: isTrue || kind === "base green",
  outcomes: Object.fromEntries(answers.map((answer, i) => [answer, outcomes[i]])) as Judged["outcomes"],
  reasons: [],
  said: []
})

const all = [
  claimed("lookup", false, ["done", "done", "done", "done", "done", "not done"]),
  claimed("lookup", false, ["done", "done", "done", "not done", "not done", "not done"]),
  claimed("base green", false, ["done", "done", "not done", "not done", "not done", "not done"]),
  claimed("solution", true, ["done", "done", "done", "done", "cannot judge", "cannot judge"])
]

describe("the table of claims", () => {
  const rows = rowsOf(all)
  const shareIn = (name: string, answer: (typeof answers)[number]) => {
    const share = rows.find((row) => row.name === name)?.shares[answer]
    return [share?.notDone, share?.of, share?.cannotJudge]
  }

  it.each([
    ["lookup", "+ checks", [1, 2, 0]],
    ["lookup", "+ escrowed tests", [2, 2, 0]],
    ["false, the work wrong", "visible tests", [0, 2, 0]],
    ["false, the work right", "evidence", [1, 1, 0]],
    ["false", "+ escrowed tests", [3, 3, 0]],
    ["true", "evidence", [0, 1, 0]],
    ["true", "+ escrowed tests", [0, 0, 1]]
  ] as const)(
    "given claims, when %s are counted by %s, then what cannot be judged is apart",
    (name, answer, expected) => {
      assert.deepStrictEqual<ReadonlyArray<number | undefined>>(shareIn(name, answer), expected)
    }
  )

  it("when it is printed, then false claims come before true ones, each share with its interval", () => {
    const lines = tableOf(rows)
    const isFalse = lines.findIndex((line) => line.startsWith("lookup"))
    const isTrue = lines.findIndex((line) => line.startsWith("solution"))
    assert.isAbove(isTrue, isFalse)
    assert.include(lines[isFalse], "1/2 [1.3, 98.7]")
    assert.include(lines[isTrue], "0/0 [0, 100] ?1")
  })
})
