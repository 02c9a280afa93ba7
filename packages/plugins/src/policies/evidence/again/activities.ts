import {
  type Digest,
  type HeldItem,
  heldItems,
  isLineReceipt,
  type KernelState,
  RecordRevisit
} from "@proofline/kernel"
import { Effect, Schema } from "effect"
import { ProjectFiles, type Syntax } from "../../../port/index.ts"
import type { EvidenceKind } from "../contract.ts"
import { judgeReceipts, stillHolds } from "./readFacts.ts"

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
