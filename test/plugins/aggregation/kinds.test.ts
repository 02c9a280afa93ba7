import { assert, describe, it } from "@effect/vitest"
import {
  type CommandOf,
  composePlugins,
  foldEvent,
  isLineReceipt,
  type KindReceipt,
  type Receipt,
  type RecordAggregation
} from "@proofline/kernel"
import { aggregation } from "@proofline/plugins/policies/aggregation"
import { Workspaces } from "@proofline/plugins/ports"
import { Effect, Layer } from "effect"
import { carryOut } from "../carryOut.ts"
import { begin, finish, part, plan, split } from "./support.ts"

const receipt: KindReceipt = { kind: "kind", scheme: "url", reference: "https://example.org", fact: 200 }

const relocate = (receipts: ReadonlyArray<Receipt>) =>
  Effect.succeed(
    receipts.map((receipt) => ({
      evidence: isLineReceipt(receipt) ? receipt.path : `${receipt.scheme}:${receipt.reference}`
    }))
  )

describe("parts that have shown something by another kind of evidence than lines", () => {
  it.effect("are put together: what holds is not lost", () =>
    Effect.gen(function* () {
      const plugin = yield* Effect.provide(aggregation(relocate), Layer.mock(Workspaces, {}))
      const done = split(plan(part("A"), part("B"))).after(
        begin("t-sub-1"),
        ...finish("t-sub-1", ["a.ts"]),
        begin("t-sub-2"),
        ...finish("t-sub-2", ["b.ts"])
      )
      const composition = composePlugins([plugin])
      const shown = [
        { type: "CHECKLIST_REGISTERED", content: { task_id: "t-sub-1", items: [{ item: "A answers" }] } },
        {
          type: "CHECKLIST_ITEM_ACCEPTED",
          content: {
            task_id: "t-sub-1",
            attempt: 1,
            index: 0,
            item: "A answers",
            status: "done",
            verdict: "proven",
            evidence: "url:https://example.org",
            reason: null,
            receipt,
            weak: []
          }
        }
      ].reduce((now, event) => foldEvent(composePlugins([]), now, event), done.snapshot)
      const now = { ...shown, slices: [...shown.slices, ...composition.initial.slices.slice(shown.slices.length)] }
      const command = (yield* carryOut([plugin], "aggregation", now, { task_id: "t", attempt: 1 })) as CommandOf<
        typeof RecordAggregation
      >
      assert.deepInclude(command.outcome, { outcome: "merged", evidence: [], lost: [] })
    })
  )
})
