import { assert, describe, it } from "@effect/vitest"
import { type AttemptView, type CheckRun, checkEnding, type Refusal, type ReportedItem } from "@proofline/kernel"
import { Schema } from "effect"
import { claimsOf } from "../../packages/ui/src/fold/claims.ts"
import { attemptIn } from "../../packages/ui/src/pages/task/address.ts"
import { plainText, printedPieces } from "../../packages/ui/src/pages/task/ansi.ts"
import { becameOf, openNote, trialsOf } from "../../packages/ui/src/pages/task/claims.ts"
import { mostLines, type Stretch, stretchOf, withEarlier, withMore } from "../../packages/ui/src/pages/task/output.ts"

const done = (item: string, evidence: string): ReportedItem => ({ item, status: "done", evidence })
const refusal = (index: number | null, item: string | null, key = "checklist_evidence_required"): Refusal => ({
  index,
  item,
  key,
  fields: {},
  message: `${item ?? "The report"} was refused.`
})
const check = (changes: Partial<CheckRun>): CheckRun => ({
  command: "test",
  item_index: null,
  exit_code: 0,
  signal: null,
  timed_out: false,
  duration_ms: 1,
  output: null,
  output_tail: "",
  ablation: null,
  ...changes
})
const attempt = (number: number, changes: Partial<AttemptView>): AttemptView => ({
  task_id: "t",
  attempt: number,
  agent: "a",
  worker_id: "w",
  host: null,
  started_at: "2026-01-01T00:00:00.000Z",
  ended_at: null,
  outcome: null,
  cancelled: null,
  exit_code: null,
  signal: null,
  duration_ms: null,
  error: null,
  files_modified: null,
  prompt: null,
  stdout: null,
  stderr: null,
  steps: null,
  output_tail: "",
  summary: null,
  claims: null,
  problems: [],
  accepted: [],
  refusals: [],
  passed: null,
  checks: [],
  judgment: null,
  from_version: 1,
  to_version: 1,
  ...changes
})
const items = (...texts: ReadonlyArray<string>) => texts.map((item) => ({ item }))

describe("the claims of an attempt", () => {
  it("given claims in another order, then each stands at its item with what became of it", () => {
    const { rest, rows } = claimsOf(
      items("one", "two", "three"),
      attempt(1, {
        claims: [done("two", "b:1"), { item: "one", status: "pending" }, done("three", "c:1")],
        accepted: [1],
        refusals: [refusal(0, "one", "checklist_item_pending")]
      })
    )
    assert.deepStrictEqual(
      rows.map(({ claim, index, outcome, refusals }) => [index, claim?.item, outcome, refusals.map(({ key }) => key)]),
      [
        [0, "one", "refused", ["checklist_item_pending"]],
        [1, "two", "accepted", []],
        [2, "three", null, []]
      ]
    )
    assert.deepStrictEqual(rest, [])
  })

  it("given two items of the same text, then the refusal is at the claim that the judge paired with it", () => {
    const { rows } = claimsOf(
      items("same", "same"),
      attempt(1, { claims: [done("same", "z:1"), done("same", "a:1")], accepted: [1], refusals: [refusal(0, "same")] })
    )
    assert.deepStrictEqual(
      rows.map(({ claim, outcome }) => [claim?.evidence, outcome]),
      [
        ["a:1", "refused"],
        ["z:1", "accepted"]
      ]
    )
  })

  it("given a text that was claimed more often than it is registered, then none of its claims has the item", () => {
    const { rest, rows } = claimsOf(
      items("one"),
      attempt(1, {
        claims: [done("one", "a:1"), done("one", "b:1"), done("strange", "c:1")],
        refusals: [refusal(null, null, "checklist_items_mismatch"), refusal(null, "strange")]
      })
    )
    assert.deepStrictEqual(
      rows.map(({ claim, index, outcome }) => [claim?.item, index, outcome]),
      [
        ["one", null, null],
        ["one", null, null],
        ["strange", null, "refused"]
      ]
    )
    assert.deepStrictEqual(
      rest.map(({ key }) => key),
      ["checklist_items_mismatch"]
    )
  })

  it("given no claims at all, then what was refused stands at its item all the same", () => {
    const { rows } = claimsOf(items("one", "two"), attempt(1, { refusals: [refusal(1, "two")] }))
    assert.deepStrictEqual(
      rows.map(({ claim, index, item, outcome }) => [claim, index, item, outcome]),
      [[null, 1, "two", "refused"]]
    )
  })

  it.prop(
    "given any report, then every claim and every refusal is shown exactly once",
    [
      Schema.Array(Schema.Literals(["a", "b", "c"])).check(Schema.isMaxLength(5)),
      Schema.Array(Schema.Literals(["a", "b", "c", "d"])).check(Schema.isMaxLength(6)),
      Schema.Array(Schema.Literals([0, 1, 2])).check(Schema.isMaxLength(3))
    ],
    ([registered, claimed, refused]) => {
      const claims = claimed.map((item, i) => done(item, `f:${i + 1}`))
      const refusals = refused
        .filter((index) => index < registered.length)
        .map((index) => refusal(index, registered[index] ?? ""))
      const { rest, rows } = claimsOf(items(...registered), attempt(1, { claims, refusals }))
      assert.sameMembers(
        rows.flatMap(({ claim }) => (claim === null ? [] : [claim])),
        claims
      )
      assert.sameMembers([...rows.flatMap((row) => row.refusals), ...rest], refusals)
      const indexes = rows.flatMap(({ index }) => (index === null ? [] : [index]))
      assert.strictEqual(new Set(indexes).size, indexes.length)
      for (const { claim, index } of rows)
        if (claim && index !== null) assert.strictEqual(claim.item, registered[index])
    }
  )
})

describe("what became of an item", () => {
  it("given several attempts, then those that did not show it, newest first, with what was claimed", () => {
    const trials = trialsOf(items("one", "two"), [
      attempt(1, { claims: [done("one", "a:9")], refusals: [refusal(0, "one")] }),
      attempt(2, { claims: [done("one", "a:1")], accepted: [0], checks: [check({ item_index: 0, exit_code: 1 })] }),
      attempt(3, { claims: [done("one", "a:2")], accepted: [0], checks: [check({ item_index: 0 })] })
    ])
    assert.deepStrictEqual(
      trials[0]?.map(({ attempt: number, failed, row }) => [number, row.claim?.evidence, row.outcome, failed.length]),
      [
        [2, "a:1", "accepted", 1],
        [1, "a:9", "refused", 0]
      ]
    )
    assert.deepStrictEqual(trials[1], [])
  })

  it("given a check that passes without the cited lines too, then it counts as not passed", () => {
    const ablation = { verdict: "vacuous", message: "", base: null, head: null, neutralised: null } as const
    const trials = trialsOf(items("one"), [attempt(1, { checks: [check({ item_index: 0, ablation })] })])
    assert.strictEqual(trials[0]?.length, 1)
  })

  it("given an item that is open and was not refused, then what is said of it fits the attempts", () => {
    const checklist = items("one")
    const ended = { ended_at: "2026-01-01T00:00:01.000Z" }
    const note = (history: ReadonlyArray<AttemptView>, subtasks: ReadonlyArray<string> = []) =>
      openNote({ index: 0, status: "pending" }, checklist, { history, subtasks })
    assert.deepStrictEqual(
      [
        note([]),
        note([], ["t-sub-1"]),
        note([attempt(1, {})]),
        note([attempt(1, ended)]),
        note([attempt(1, ended), attempt(2, { ...ended, claims: [] })]),
        note([attempt(1, ended), attempt(2, { ...ended, claims: [done("one", "a:1")] })]),
        note([attempt(1, { ...ended, claims: [done("one", "a:1")], accepted: [0] }), attempt(2, ended)]),
        openNote({ index: 0, status: "cannot" }, checklist, { history: [attempt(1, ended)], subtasks: [] })
      ],
      [
        "Nobody has worked on it so far.",
        "It is shown by the parts of the task.",
        "Attempt 1 is at work and has not claimed it.",
        "The one attempt did not claim it.",
        "None of the 2 attempts claimed it.",
        "Attempt 2 claimed it; nothing was decided about the claim.",
        "It was accepted in attempt 1, and that does not hold any more.",
        null
      ]
    )
  })

  it("given how a command ended, then it is said in words", () => {
    assert.deepStrictEqual(
      [
        checkEnding(check({ exit_code: 2 })),
        checkEnding(check({ exit_code: null, timed_out: true })),
        checkEnding(check({ exit_code: null, signal: "SIGKILL" })),
        checkEnding(check({ exit_code: null })),
        // in a throw-away checkout the signal is not recorded
        checkEnding({ exit_code: null, timed_out: false })
      ],
      ["exited with 2", "ran out of time", "was ended by SIGKILL", "did not start", "was ended by a signal"]
    )
  })
})

describe("the address of an attempt", () => {
  it("given a query, then the attempt is read, and nothing else is taken for one", () => {
    assert.deepStrictEqual(
      ["attempt=2", "x=1&attempt=13", "", "attempt=0", "attempt=-1", "attempt=2x", "attempt=1e9", "attempts=2"].map(
        attemptIn
      ),
      [2, 13, null, null, null, null, null, null]
    )
  })
})

describe("what a terminal would show", () => {
  it("given colours, links, titles and cursor movements, then the text alone is left", () => {
    assert.strictEqual(
      plainText(
        "\u001b[1;31mred\u001b[0m \u001b]8;;https://example.invalid\u0007link\u001b]8;;\u001b\\ \u001b]0;title\u0007a\u001b[2K\u001b(Bb\u009b32mc"
      ),
      "red link abc"
    )
  })

  it("given colours, then each stretch has its look, over line ends, until it is taken back; those of other palettes are near", () => {
    const looks = (text: string) => printedPieces(text).map((piece) => [piece.text, piece.look])
    assert.deepStrictEqual(looks("a\u001b[1;31mb\nc\u001b[0md"), [
      ["a", ""],
      ["b", "ansi-1 ansi-bold"],
      ["\n", ""],
      ["c", "ansi-1 ansi-bold"],
      ["d", ""]
    ])
    assert.deepStrictEqual(looks("\u001b[38;5;46mg\u001b[38;2;250;20;30mr\u001b[39;44mon\u001b[49;7mi\u001b[m."), [
      ["g", "ansi-2"],
      ["r", "ansi-1"],
      ["on", "ansi-on-4"],
      ["i", "ansi-on-7"],
      [".", ""]
    ])
    assert.deepStrictEqual(looks("\u001b[32m50 %\r\u001b[33m100 %\u001b[K\r\n"), [
      ["100 %", "ansi-3"],
      ["\n", ""]
    ])
  })

  it.each([
    ["a colour of 256", "38:5:46", "ansi-2"],
    ["one below the text", "48:5:46", "ansi-on-2"],
    ["a mixed colour in a space of its own", "38:2:1:250:20:30", "ansi-1"],
    ["in a space that is not named", "38:2::250:20:30", "ansi-1"],
    ["in none", "38:2:250:20:30", "ansi-1"],
    ["with a tolerance behind it", "38:2::20:30:250::0:1", "ansi-4"],
    ["among other codes", "1;38:2::250:20:30;3", "ansi-1 ansi-bold ansi-italic"],
    ["a wavy line", "4:3", "ansi-under"],
    ["no line", "4;4:0", ""],
    ["a line in a colour", "4:3;58:2::250:20:30", "ansi-under"],
    ["the same in other words", "4;58;2;250;3;30", "ansi-under"],
    ["a kind of colour that nobody knows", "38:9:1:2;38;9;1", "ansi-bold"],
    ["nothing but separators", ":;:", ""]
  ])("given %s, %s, then the text has its look", (_, codes, look) => {
    assert.deepStrictEqual(printedPieces(`\u001b[${codes}mx`), [{ text: "x", look }])
  })

  it("given a sequence that is cut off at the end, then nothing of it is shown", () => {
    for (const cut of ["\u001b", "\u001b[", "\u001b[1;3", "\u001b]8;;https://exa", "\u001bP1"]) {
      assert.strictEqual(plainText(`done${cut}`), "done")
    }
  })

  it("given a line that was written over, then its last writing is shown; Windows' line ends are none", () => {
    assert.strictEqual(plainText("10 %\r50 %\r100 %\r\nnext\r\n\rlast\r"), "100 %\nnext\nlast")
  })

  it.prop("given any text without controls, then it stays as it is", [Schema.String], ([text]) => {
    const harmless = text.replaceAll(/\p{Cc}/gu, "")
    assert.strictEqual(plainText(harmless), harmless)
  })
})

/** A server that answers at most `size` bytes of `whole`, from the beginning of a character to the end of one. */
const serving = (whole: string, size: number) => {
  const bytes = new TextEncoder().encode(whole)
  const isInside = (at: number): boolean => ((bytes[at] ?? 0) & 0xc0) === 0x80
  return (wanted: number) => {
    let from = wanted < 0 ? Math.max(0, bytes.length + wanted) : wanted
    while (isInside(from)) from++
    let next = Math.min(bytes.length, from + size)
    while (next > from && isInside(next)) next--
    const text = new TextDecoder().decode(bytes.slice(from, next))
    return { from, next, total: bytes.length, text, is_live: false }
  }
}

const isPartOf = (whole: string, { from, next, text }: Stretch): boolean =>
  text === new TextDecoder().decode(new TextEncoder().encode(whole).slice(from, next))

describe("a stretch of output", () => {
  const Text = Schema.Array(Schema.Literals(["a", "ä", "€", "😀", "\n", "word "])).check(Schema.isMaxLength(60))

  it.prop(
    "given any text in pieces of any size, then earlier and later pieces make it whole, without a hole or a repetition",
    [Text, Schema.Int.check(Schema.isBetween({ minimum: 4, maximum: 40 }))],
    ([parts, size]) => {
      const whole = parts.join("")
      const read = serving(whole, size)
      let stretch = stretchOf(read(-size))
      for (let turn = 0; turn < 400 && stretch.from > 0; turn++) {
        stretch = withEarlier(stretch, read(Math.max(0, stretch.from - size)))
        assert.isTrue(isPartOf(whole, stretch))
      }
      for (let turn = 0; turn < 400 && stretch.next < stretch.total; turn++) {
        stretch = withMore(stretch, read(stretch.next))
        assert.isTrue(isPartOf(whole, stretch))
      }
      assert.strictEqual(stretch.text, whole)
    }
  )

  const lines = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, i) => `line ${from + i} ü\n`).join("")

  it("given more lines than are kept, then the newest are kept, and where they begin is known", () => {
    const whole = lines(0, 5_000)
    const read = serving(whole, 30_000)
    let stretch = stretchOf(read(0))
    while (stretch.next < stretch.total) stretch = withMore(stretch, read(stretch.next))
    assert.strictEqual(stretch.text, lines(5_000 - mostLines, 5_000))
    assert.isTrue(isPartOf(whole, stretch))
    assert.isFalse(stretch.is_cut)
  })

  it("given something earlier for which there is no room, then the end is let go, and that is said", () => {
    const whole = lines(0, 5_000)
    const read = serving(whole, 30_000)
    let stretch = stretchOf(read(-30_000))
    for (let turn = 0; turn < 3; turn++) stretch = withEarlier(stretch, read(Math.max(0, stretch.from - 30_000)))
    assert.isTrue(isPartOf(whole, stretch))
    assert.isTrue(stretch.is_cut)
    assert.strictEqual(stretch.text.split("\n").length - 1, mostLines)
  })

  it("given a piece that does not follow, then it is shown alone: what is shown has no hole", () => {
    const read = serving("0123456789", 3)
    assert.deepStrictEqual(withMore(stretchOf(read(0)), read(5)), { ...read(5), is_cut: false })
  })

  it("given one endless line, then it is bounded too", () => {
    const stretch = stretchOf({ from: 0, next: 3_000_000, total: 3_000_000, text: "😀".repeat(750_000), is_live: true })
    assert.isBelow(stretch.text.length, 600_000)
    assert.strictEqual(stretch.from, stretch.next - new TextEncoder().encode(stretch.text).length)
  })
})

describe("what became of an attempt", () => {
  const ended = { ended_at: "2026-01-01T00:00:01.000Z", outcome: "COMPLETE" } as const
  const judgment = { reviewer: "r", judgment: "REJECT", checks: [], modification_prompt: null } as const
  const cases: ReadonlyArray<readonly [string, Partial<AttemptView>]> = [
    ["running", {}],
    ["COMPLETE", { ...ended, accepted: [0], passed: true }],
    ["claims refused", { ...ended, accepted: [0], refusals: [refusal(1, "two")] }],
    ["checks not passed", { ...ended, passed: false }],
    ["review: REJECT", { ...ended, passed: true, judgment }],
    ["TIMEOUT", { ...ended, outcome: "TIMEOUT" }],
    ["taken back", { ...ended, cancelled: "a person said so" }]
  ]
  for (const [label, changes] of cases) {
    it(`given ${JSON.stringify(Object.keys(changes))}, then it says "${label}"`, () => {
      assert.strictEqual(becameOf(attempt(1, changes))[1], label)
    })
  }
})
