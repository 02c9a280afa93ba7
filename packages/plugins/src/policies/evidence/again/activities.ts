import {
  type Digest,
  type HeldItem,
  heldItems,
  isLineReceipt,
  type KernelState,
  type Receipt,
  RecordRevisit
} from "@proofline/kernel"
import { Effect, Schema } from "effect"
import { ProjectFiles, type Syntax } from "../../../port/index.ts"
import type { EvidenceKind } from "../contract.ts"
import { judgeReceipts, ownSchemes, stillHolds } from "./readFacts.ts"

/**
 * Judges all that was accepted in a run once more, as `proofline verify` does, in the project as it is now. `kindsOf`: as
 * for the first judgement.
 */
export const makeRevisit = Effect.fnUntraced(function* (kindsOf: (state: KernelState) => ReadonlyArray<EvidenceKind>) {
  const project = yield* ProjectFiles
  const services = yield* Effect.context<Digest | Syntax>()
  return {
    input: Schema.Struct({ round: Schema.Int }),
    run: Effect.fnUntraced(function* (
      { round }: { readonly round: number },
      { state }: { readonly state: KernelState }
    ) {
      const kinds = kindsOf(state)
      const judged = yield* Effect.provideContext(judgeReceipts(heldItems(state), project, kinds, "fault"), services)
      const stale = judged
        .filter((one) => !stillHolds(one))
        .map(({ item, reason }) => {
          const { attempt, index, task_id } = item
          return { task_id, attempt, index, path: pathOf(kinds, item), reason }
        })
      return RecordRevisit({ round, judged: judged.length, stale })
    })
  }
})

/** The file that a receipt speaks of; null: of none. */
const pathOf = (kinds: ReadonlyArray<EvidenceKind>, { receipt }: HeldItem): string | null =>
  isLineReceipt(receipt)
    ? receipt.path
    : (kinds.find(({ scheme }) => scheme === receipt.scheme)?.path?.(receipt.reference) ?? null)

/** Where what was accepted stands in the project, as evidence; null: it was changed or is gone, and why. */
type Now = { readonly evidence: string } | { readonly evidence: null; readonly reason: string }

/**
 * Finds lines and files in the project as it is now, in their order. What a plugin's kind of evidence shows is where it was:
 * it is judged again before the run ends, as all is.
 */
export const makeRelocate = Effect.gen(function* () {
  const project = yield* ProjectFiles
  const services = yield* Effect.context<Digest | Syntax>()
  return Effect.fnUntraced(function* (receipts: ReadonlyArray<Receipt>) {
    const ours = receipts.filter((receipt) => isLineReceipt(receipt) || ownSchemes.has(receipt.scheme))
    const judged = yield* Effect.provideContext(
      judgeReceipts(
        ours.map((receipt) => ({ receipt })),
        project,
        []
      ),
      services
    )
    const found = new Map(judged.map((one) => [one.item.receipt, one]))
    return receipts.map((receipt): Now => {
      const one = found.get(receipt)
      const cited = isLineReceipt(receipt) ? receipt.path : `${receipt.scheme}:${receipt.reference}`
      if (one === undefined) return { evidence: cited }
      return one.now !== null && stillHolds(one) ? { evidence: one.now } : { evidence: null, reason: one.reason }
    })
  })
})
