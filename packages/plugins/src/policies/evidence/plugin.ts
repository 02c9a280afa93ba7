import {
  activities,
  Chunking,
  Digest,
  definePlugin,
  judges,
  type KernelState,
  type Plugin,
  plugin,
  Run,
  Tasks
} from "@proofline/kernel"
import { Effect } from "effect"
import { Baseline, ProjectFiles, Syntax, type Workspaces } from "../../port/index.ts"
import { makeEvidenceActivity } from "./activities.ts"
import { makeRevisit } from "./again/activities.ts"
import { originalFinding } from "./code/original.ts"
import { findingOf } from "./code/range.ts"
import { Evidence, type EvidenceKind, evidenceKinds } from "./contract.ts"
import { type FileWorld, fileOffers } from "./files/readFacts.ts"
import { judgeFor } from "./judge.ts"
import { told } from "./kinds.ts"

export { splitLines } from "../../text/lines.ts"
export { factsOf, lookAt } from "./activities.ts"
export { makeRelocate } from "./again/activities.ts"
export { type JudgedReceipt, judgeReceipts, proofNow, stillHolds } from "./again/readFacts.ts"
export { type Verified, verificationOf } from "./again/verification.ts"
export { mentionedFiles, namedFiles } from "./asked/namedFiles.ts"
export { declarationsOf, findingOf } from "./code/range.ts"
export {
  Evidence,
  type EvidenceKind,
  type EvidenceKindSig,
  evidenceKind,
  evidenceKinds,
  type KindFailure,
  type KindVerdict,
  type LookContext
} from "./contract.ts"
export { type EvidenceVerdict, isNoStub, judgeEvidence } from "./fault.ts"
export { type FileWorld, fileKinds, stubOf } from "./files/readFacts.ts"
export { judge } from "./judge.ts"
export { makeReadFacts, type ReadFacts } from "./readFacts.ts"
export {
  findElsewhere,
  judgeReceipt,
  mayHold,
  type ReceiptJudgement,
  type SourceFile,
  sourceFileOf
} from "./receipts.ts"
export { parse as parseReference, print as printReference } from "./reference.ts"
export { currentMessages, placeholders, type Templates } from "./rejections.ts"
export { type FoundTest, testsIn } from "./tests/neverRuns.ts"
export { isTestFile } from "./tests/testCases.ts"
export { testChanges } from "./tests/testChanges.ts"

type Needs = Workspaces | ProjectFiles | Digest | Syntax | Baseline

const fileWorld: Effect.Effect<FileWorld, never, Needs> = Effect.gen(function* () {
  const { sha256 } = yield* Digest
  const { outline } = yield* Syntax
  return { files: yield* ProjectFiles, sha256, outline, baseline: yield* Baseline }
})

/**
 * Accepts a checklist item only with evidence that holds. The activity `evidence` reads what a report cites and records
 * it; the verdict follows from what was recorded, so a replay comes to it again without a disk. Judges lines by syntax
 * trees, and by the text where there is none; other kinds of evidence as whoever declares them does.
 */
export const evidence: Effect.Effect<Plugin, never, Needs> = Effect.map(
  Effect.all([makeEvidenceActivity(findingOf, evidenceKinds), makeRevisit(evidenceKinds), fileWorld]),
  ([activity, revisit, world]) => {
    const { absent, file } = fileOffers(world)
    return definePlugin(Evidence, {
      version: "5",
      points: [evidenceKinds],
      parts: [
        Evidence.activity("evidence", activity),
        Evidence.activity(activities.revisit, revisit),
        Evidence.offer(evidenceKinds, "kind", file),
        Evidence.offer(evidenceKinds, "kind", absent),
        Evidence.offer(judges, "judge", {
          judge: (state, task, facts) => judgeFor(state, task, facts, evidenceKinds(state)),
          accepts: (state) => told(evidenceKinds(state))
        })
      ]
    })
  }
)

const EvidenceRegex = plugin("evidence-regex", { state: null, after: [Run, Tasks, Chunking] })

const noKinds = (_: KernelState): ReadonlyArray<EvidenceKind> => []

/** Judges by the five patterns of the beginning; in place of `evidence`, to compare what each of them accepts. */
export const evidenceRegex: Effect.Effect<Plugin, never, Needs> = Effect.map(
  Effect.all([makeEvidenceActivity(originalFinding, noKinds), makeRevisit(noKinds)]),
  ([activity, revisit]) =>
    definePlugin(EvidenceRegex, {
      version: "2",
      parts: [
        EvidenceRegex.activity("evidence", activity),
        EvidenceRegex.activity(activities.revisit, revisit),
        EvidenceRegex.offer(judges, "judge", {
          judge: (state, task, facts) => judgeFor(state, task, facts, noKinds(state))
        })
      ]
    })
)
