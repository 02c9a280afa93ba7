import { assert, describe, it } from "@effect/vitest"
import type { ItemReceipt, RunReceipts } from "@proofline/kernel"
import { type JudgedReceipt, proofNow } from "../../../packages/plugins/src/policies/evidence/again/readFacts.ts"

/** An export of before it said what the run had shown. */
const exported = (over: Partial<RunReceipts> = {}): RunReceipts =>
  ({ proof: null, status: "completed", open: [], waived: [], receipts: [{}, {}], ...over }) as RunReceipts

const now = (...statuses: ReadonlyArray<JudgedReceipt["status"]>): ReadonlyArray<JudgedReceipt> =>
  statuses.map((status) => ({ status, now: null, reason: "", gone: false, item: { item: "one" } as ItemReceipt }))

describe("what a run has shown, as far as it still holds", () => {
  it.each<[string, ReadonlyArray<JudgedReceipt>, Partial<RunReceipts>, verdict: string, proven: number]>([
    ["all of it where nothing changed", now("proven", "proven"), {}, "proven", 2],
    ["all of it where it stands elsewhere", now("proven", "re_anchored"), {}, "proven", 2],
    ["less where something is stale", now("proven", "stale"), {}, "unproven", 1],
    ["less where something is missing", now("missing", "proven"), {}, "unproven", 1],
    ["nothing whole where something was open", now("proven", "proven"), { open: [{}] as never }, "unproven", 2],
    ["nothing whole where the run was not completed", now("proven", "proven"), { status: "failed" }, "unproven", 2],
    ["nothing whole of nothing", [], { receipts: [] }, "unproven", 0]
  ])("is %s", (_, judged, over, verdict, proven) => {
    const proof = proofNow(judged, exported(over))
    assert.deepStrictEqual([proof.verdict, proof.counts.proven], [verdict, proven])
  })

  it("is what the run said of itself where it did", () => {
    const said = { verdict: "unproven", counts: { proven: 7 }, reviewers: ["critic"], weak: [] } as never
    const { counts, reviewers } = proofNow(now("proven"), exported({ proof: said }))
    assert.deepStrictEqual([counts.proven, reviewers], [7, ["critic"]])
  })

  it("counts criteria, and not the items of the runs of their tasks", () => {
    const ofTaskRun = now("stale").map((one) => ({ ...one, item: { ...one.item, run_id: "run_2" } }))
    assert.deepStrictEqual(proofNow(ofTaskRun, exported()).counts.proven, 2)
    assert.strictEqual(proofNow(ofTaskRun, exported()).verdict, "unproven")
  })
})
