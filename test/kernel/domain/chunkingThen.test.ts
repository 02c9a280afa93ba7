import { assert, describe, it } from "@effect/vitest"
import { composePlugins, type Json, makeManifest, type RunConfig } from "@proofline/kernel"
import { aggregated, aPart, aSplit, chunking, givenSplit, measured } from "../support/chunks.ts"
import { judge } from "../support/judge.ts"
import { type Played, played } from "../support/play.ts"
import { done, end, endReporting, evidence, judged, start, waived } from "../support/words.ts"

const manifest = makeManifest(composePlugins([judge]))

/** The content of an event of schema version 1 as it is read today, with the run as it was before it. */
const lifted = (run: Played, event_type: string, content: { readonly [field: string]: Json }) => {
  const stored = { stream: "run_1", version: 1, event_type, schema_version: 1, content }
  return manifest.decode(stored, () => run.snapshot).content
}

const critic: Partial<RunConfig> = { reviewer: "critic" }
const spec = { checklist: [{ item: "A" }, { item: "B" }], validation: ["good"] }

// literals on purpose: a rule that changes must not change them
describe("an event of version 1 that did not say what a task has to show", () => {
  const skipped = {
    parent_task_id: "p",
    chunking_skipped: true,
    reason: "not_decomposable",
    message: "It is one thing.",
    acceptance_criteria: ["x"]
  }

  it.each([
    ["no reviewer", {}, { checklist: [{ item: "A" }, { item: "B" }, { item: "x" }], validation: ["good"] }],
    ["a reviewer", critic, { checklist: spec.checklist, validation: ["good", "x"] }]
  ] as const)(
    "given %s, when the task was not split, then its criteria are added as they were then",
    (_, config, shown) => {
      const run = played(judge).after(aSplit(config, spec))
      assert.deepStrictEqual(lifted(run, "CHUNKING_SKIPPED", skipped), { ...skipped, ...shown })
    }
  )

  it("given no task is known, when it was not split, then nothing is to be shown", () => {
    const nothing = { ...skipped, checklist: [], validation: [] }
    assert.deepStrictEqual(lifted(played(judge), "CHUNKING_SKIPPED", skipped), nothing)
  })

  const { outcome } = aggregated({
    evidence: [{ index: 1, evidence: "src/a.ts:7-8" }],
    lost: [{ item: "L", subtask_id: "p-sub-2", evidence: "src/a.ts:9" }]
  })
  const together = (of: object = {}) => ({
    parent_task_id: "p",
    aggregation_strategy: "merge_all",
    conflict_resolution: "fail",
    aggregation_result: { total_files_modified: 0, conflicts_detected: false, ...outcome, ...of },
    duration_ms: 1
  })
  const parts = [aPart("a", { checklist: [0] }), aPart("b", { checklist: [1] })]
  const shows = (id: string, item: ReturnType<typeof done>) => [
    start(id),
    endReporting(id, 1, [item]),
    evidence(id, 1, ...(item.status === "done" ? [0] : [])),
    measured(id),
    judged(id)
  ]
  const shown = givenSplit(parts, critic, spec).after(...shows("p-sub-1", waived("A")), ...shows("p-sub-2", done("B")))

  it("when its parts were put together, then they report as they did then, with what got lost", () => {
    assert.deepStrictEqual(lifted(shown, "CHUNKING_AGGREGATION", together()), {
      ...together(),
      whole: {
        checklist: [{ item: "A" }, { item: "B" }, { item: "p-sub-2: L" }],
        validation: ["good"],
        report: {
          summary: "a: done\nb: done",
          checklist: [
            { item: "A", status: "skipped", reason: "not needed in this case" },
            { item: "B", status: "done", evidence: "src/a.ts:7-8" },
            { item: "p-sub-2: L", status: "done", evidence: null }
          ]
        }
      }
    })
  })

  it("when its parts did not fit together, or one had failed, then there is no whole", () => {
    const apart = together({ outcome: "conflict" })
    assert.deepStrictEqual(lifted(shown, "CHUNKING_AGGREGATION", apart), { ...apart, whole: null })
    const failed = givenSplit(parts, { ...critic, ...chunking({ retry: { max_retries: 0 } }) }, spec).after(
      start("p-sub-1"),
      end("p-sub-1", 1, "ERROR"),
      ...shows("p-sub-2", done("B"))
    )
    assert.deepStrictEqual(lifted(failed, "CHUNKING_AGGREGATION", together()), { ...together(), whole: null })
  })
})
