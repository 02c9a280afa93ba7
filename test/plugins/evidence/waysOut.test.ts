import { assert, describe, it } from "@effect/vitest"
import { type LineFact, type ReportedItem, WeakReason } from "@proofline/kernel"
import { Result } from "effect"
import { type Asked, judge, type Weighing } from "../../../packages/plugins/src/policies/evidence/judge.ts"
import { parse } from "../../../packages/plugins/src/policies/evidence/reference.ts"
import {
  currentMessages,
  messages,
  type RejectionKey
} from "../../../packages/plugins/src/policies/evidence/rejections.ts"

/** What a disk says of evidence where it is not simply there, and new. */
type Found = Partial<Omit<LineFact, "proof">> & { readonly proof?: Partial<NonNullable<LineFact["proof"]>> }

/** What the disk says of everything that a report cites; `found`: of some of it something else. */
const lookedAt = (
  checklist: ReadonlyArray<ReportedItem>,
  found: Readonly<Record<string, Found>>
): ReadonlyArray<LineFact> =>
  checklist.flatMap(({ evidence = "", status }, index) => {
    const parsed = parse(evidence ?? "")
    if (status === "skipped" || Result.isFailure(parsed)) return []
    const { end, path, start } = parsed.success
    const known = found[evidence ?? ""] ?? {}
    const outcome = known.outcome ?? "ok"
    const lines = Array.from({ length: end - start + 1 }, (_, i) => `${path}:${start + i}`)
    const fact: LineFact = {
      index,
      evidence: evidence ?? "",
      detail: "",
      path,
      start,
      end,
      total: 9,
      declaration: null,
      untouched: null,
      outcome,
      receipt:
        outcome === "ok"
          ? {
              kind: "lines",
              path,
              start,
              end,
              sha256: "a".repeat(64),
              git_blob: null,
              git_commit: null,
              covers: { start, end, sha256: null },
              declaration: null
            }
          : null,
      ...(known.idle === undefined ? {} : { idle: known.idle }),
      ...(known.hidden === undefined ? {} : { hidden: known.hidden }),
      proof: { change: { touched: true, lines }, ignored: false, never_runs: null, named: [], ...known.proof }
    }
    return [fact]
  })

const weighing: Weighing = { proof: { accept: [], max_waived: 1 / 3 } }

/** What becomes of a report: the same function that judges in every run. */
const failuresOf = (
  items: ReadonlyArray<string>,
  checklist: ReadonlyArray<ReportedItem>,
  found: Readonly<Record<string, Found>>
) => {
  const asked: Asked = { items: items.map((item) => ({ item })) }
  return judge(asked, { summary: "", checklist, problems: [] }, lookedAt(checklist, found), currentMessages, weighing)
    .failures
}

const done = (item: string, evidence: string | null = `src/${item}.ts:1-2`): ReportedItem => ({
  item,
  status: "done",
  evidence
})
const skipped = (item: string, reason = "it was there before the run"): ReportedItem => ({
  item,
  status: "skipped",
  reason
})
const cannot = (item: string, reason = "the two requirements contradict each other"): ReportedItem => ({
  item,
  status: "cannot",
  reason
})

interface Case {
  readonly items: ReadonlyArray<string>
  readonly refused: ReadonlyArray<ReportedItem>
  readonly found?: Readonly<Record<string, Found>>
  /** What the message says is to be done. */
  readonly advice: RegExp
  /** Reports that follow it. */
  readonly repaired: ReadonlyArray<ReadonlyArray<ReportedItem>>
}

const one = ["a"]
const ofOne = (refused: ReportedItem, advice: RegExp, found: Case["found"] = {}): Case => ({
  items: one,
  refused: [refused],
  found,
  advice,
  repaired: [[done("a", "src/a.ts:3-4")]]
})

/** Of a key that no report alone can lead to, but what is found later. */
type Later = { readonly advice: RegExp }

/** A key that is added is not accepted here without its case. */
const cases: Readonly<Record<RejectionKey, Case | Later>> = {
  checklist_items_mismatch: {
    items: ["a", "b"],
    refused: [done("a")],
    advice: /Include all items/,
    repaired: [[done("a"), done("b")]]
  },
  checklist_item_pending: {
    items: one,
    refused: [{ item: "a", status: "pending" }],
    advice: /'done' \(with evidence\) or 'skipped' \(with reason\)/,
    repaired: [[done("a")], [skipped("a")]]
  },
  checklist_evidence_required: ofOne(done("a", null), /Format: 'file\.py:42'/),
  checklist_evidence_format_invalid: ofOne(done("a", "src/a.ts line 3"), /Required format: <file_path>:<line>/),
  checklist_evidence_file_not_found: ofOne(done("a", "src/b.ts:3"), /Verify the file path is correct/, {
    "src/b.ts:3": { outcome: "file_not_found" }
  }),
  checklist_evidence_line_out_of_range: ofOne(done("a", "src/a.ts:12"), /within 1-9/, {
    "src/a.ts:12": { outcome: "out_of_range" }
  }),
  checklist_evidence_empty_impl: ofOne(done("a", "src/a.ts:1"), /Add actual implementation code/, {
    "src/a.ts:1": { outcome: "empty" }
  }),
  checklist_evidence_idle: ofOne(done("a", "src/a.ts:1"), /Cite what does the work/, {
    "src/a.ts:1": { outcome: "empty", idle: true }
  }),
  checklist_evidence_weak: ofOne(done("a", "src/a.ts:1"), /Cite lines that were written for this item/, {
    "src/a.ts:1": { proof: { change: { touched: false, lines: [] } } }
  }),
  checklist_waived_too_many: {
    items: ["a", "b", "c"],
    refused: [skipped("a"), skipped("b"), done("c")],
    advice: /Do the others, or report what cannot be done as 'cannot'/,
    repaired: [
      [skipped("a"), done("b"), done("c")],
      [skipped("a"), cannot("b"), done("c")]
    ]
  },
  checklist_reason_required: {
    items: one,
    refused: [skipped("a", "no")],
    advice: /Explain why this item is not needed/,
    repaired: [[skipped("a")]]
  },
  checklist_cannot_reason_required: {
    items: one,
    refused: [cannot("a", "aaaaaaaaaaaaaa")],
    advice: /Say what stands in the way/,
    repaired: [[cannot("a")]]
  },
  // evidence of another kind, and what is judged again
  checklist_evidence_refuted: { advice: /Cite what shows the item now/ },
  checklist_evidence_stale: { advice: /Restore what it shows, or cite where it is shown now/ }
}

const reported = Object.entries(cases).flatMap(([key, one]) => ("refused" in one ? [[key, one] as const] : []))

/** Evidence for which each of the reasons holds that speak against lines. */
const weak: Readonly<Record<string, { readonly found: Found; readonly advice: RegExp; readonly item?: string }>> = {
  untouched: {
    found: { proof: { change: { touched: false, lines: [] } } },
    advice: /Cite lines that were written for this item/
  },
  cosmetic: { found: { proof: { change: { touched: true, lines: [] } } }, advice: /Cite lines that do what the item/ },
  ignored: { found: { proof: { ignored: true } }, advice: /Cite a file that git keeps/ },
  elsewhere: { found: { proof: { named: ["src/b.ts"] } }, advice: /Cite the lines that were written there/ },
  name_missing: { found: { proof: { lacks: ["login"] } }, advice: /Cite where it is written/ },
  still_there: { found: { proof: { still: ["login"] } }, advice: /Remove it, or report `cannot`/ },
  prose: {
    found: { proof: { prose: true } },
    advice: /Cite the code\. Where a text is what is asked for, the user can name/
  },
  hidden: { found: { hidden: "area is replaced." }, advice: /Remove what takes its place, or cite that/ },
  test_never_runs: {
    found: { proof: { never_runs: "It asserts nothing." } },
    advice: /Cite a test that runs and can fail/
  },
  not_its_own: { found: {}, advice: /cite less for the others, or the lines that show this item alone/ }
}

/** Reasons that speak against commands and judgements: the task has no item that could be reported. */
const ofCommands: ReadonlyArray<WeakReason> = ["check_changed", "was_green", "agents_check", "self_review"]

describe("every refusal of a report names a way out", () => {
  it("given all keys and reasons there are, then each has its case", () => {
    assert.sameMembers(Object.keys(cases), Object.keys(messages))
    assert.sameMembers([...Object.keys(weak), ...ofCommands], [...WeakReason.literals])
    for (const [key, { advice }] of Object.entries(cases)) {
      if (key !== "checklist_evidence_weak") assert.match(templateOf(key), adviceOf(advice), key)
    }
  })

  it.each(reported)("given %s, when its advice is followed, then the report is taken", (key, one) => {
    const { advice, found = {}, items, refused, repaired } = one
    const failures = failuresOf(items, refused, found)
    assert.deepStrictEqual([...new Set(failures.map((failure) => failure.key))], [key])
    for (const { message } of failures) assert.match(message, advice)
    for (const report of repaired) assert.deepStrictEqual(failuresOf(items, report, found), [])
  })

  it.each(Object.entries(weak))(
    "given the reason %s, when other lines are cited, then they are taken",
    (reason, one) => {
      const items = ["a", "b"]
      const refused = [done("a", "src/a.ts:1"), reason === "not_its_own" ? done("b", "src/a.ts:1") : done("b")]
      const failures = failuresOf(items, refused, { "src/a.ts:1": one.found })
      assert.isNotEmpty(failures)
      for (const { fields, key, message } of failures) {
        assert.deepStrictEqual([key, fields["reasons"]], ["checklist_evidence_weak", reason])
        assert.match(message, one.advice)
      }
      const others = { "src/b.ts:3": { proof: { named: one.found.proof?.named ?? [] } } }
      assert.deepStrictEqual(failuresOf(items, [done("a", "src/b.ts:3"), done("b", "src/b.ts:5")], others), [])
    }
  )

  it.each(reported)("given %s, when it cannot be mended, then to say so is taken", (_, one) => {
    const honest = one.items.map((item) => cannot(item))
    assert.deepStrictEqual(failuresOf(one.items, honest, one.found ?? {}), [])
  })
})

/** A sentence as it is before it is filled in. */
const templateOf = (key: string): string => ({ ...messages, ...currentMessages })[key as RejectionKey]

/** What is filled in may be anything. */
const adviceOf = (advice: RegExp): RegExp => new RegExp(advice.source.replace("1-9", "1-\\{total\\}"))

describe("evidence for what cannot be done", () => {
  const cited = (evidence: string, found: Found = {}) =>
    failuresOf(one, [{ ...cannot("a"), evidence }], { [evidence]: found }).map(({ key }) => key)

  it.each<[string, string, Found, ReadonlyArray<string>]>([
    ["lines that are there", "src/a.ts:3", {}, []],
    ["lines that were there before", "src/a.ts:3", { proof: { change: { touched: false, lines: [] } } }, []],
    ["lines that hold only a comment", "src/a.ts:3", { outcome: "empty" }, []],
    ["nothing but blanks", "  ", {}, []],
    ["a file that is not there", "src/a.ts:3", { outcome: "file_not_found" }, ["checklist_evidence_file_not_found"]],
    ["a line beyond the end", "src/a.ts:12", { outcome: "out_of_range" }, ["checklist_evidence_line_out_of_range"]],
    ["no line at all", "the readme", {}, ["checklist_evidence_format_invalid"]]
  ])("given %s, then it is judged by whether it is there", (_, evidence, found, keys) => {
    assert.deepStrictEqual(cited(evidence, found), keys)
  })

  it("given a reason and evidence, then both are kept with the item", () => {
    const checklist = [{ ...cannot("b"), evidence: "src/b.ts:3" }, done("a")]
    const asked: Asked = { items: [{ item: "a" }, { item: "b" }] }
    const { accepted, cannot: impossible } = judge(
      asked,
      { summary: "", checklist, problems: [] },
      lookedAt(checklist, {}),
      {},
      weighing
    )
    assert.deepStrictEqual(
      [accepted.map(({ item }) => item), impossible],
      [["a"], [{ index: 1, item: "b", reason: "the two requirements contradict each other", evidence: "src/b.ts:3" }]]
    )
  })
})

describe("an item of which a person or an earlier report has spoken", () => {
  const stands = { item: "a", status: "cannot", reason: "no key is there", evidence: null } as const
  const waived = { item: "a", status: "skipped", answer: { answer: "waive", text: "", at: "" } } as const
  const judged = (asked: Asked["items"], ...checklist: ReadonlyArray<ReportedItem>) =>
    judge({ items: asked }, { summary: "", checklist, problems: [] }, lookedAt(checklist, {}), {}, weighing)

  it.each<[string, Asked["items"], ReadonlyArray<ReportedItem>, ReadonlyArray<string>, ReadonlyArray<number>]>([
    ["cannot, left out", [stands, { item: "b" }], [done("b")], ["b"], [0]],
    ["cannot, done now", [stands, { item: "b" }], [done("a"), done("b")], ["a", "b"], []],
    ["waived, left out", [waived, { item: "b" }], [done("b")], ["b"], []],
    ["waived, reported all the same", [waived, { item: "b" }], [done("a"), done("b")], ["b"], []],
    ["waived beside another of its words", [waived, { item: "a" }], [done("a")], ["a"], []]
  ])("given one that is %s, then nothing is missing", (_, asked, checklist, accepted, left) => {
    const found = judged(asked, ...checklist)
    assert.deepStrictEqual(found.failures, [])
    assert.deepStrictEqual(
      found.accepted.map(({ item }) => item),
      accepted
    )
    assert.deepStrictEqual(
      found.cannot.map(({ index }) => index),
      left
    )
  })

  it("given that a person has said how it goes on, then it is missing where it is left out", () => {
    const guided = { ...stands, answer: { answer: "continue", text: "use the test key", at: "" } } as const
    assert.deepStrictEqual(
      judged([guided, { item: "b" }], done("b")).failures.map(({ key }) => key),
      ["checklist_items_mismatch"]
    )
  })
})
