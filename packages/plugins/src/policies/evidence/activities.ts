import {
  type ActivityFailure,
  AttemptInput,
  type Digest,
  type EvidenceFact,
  faultOf,
  type Json,
  type KernelState,
  type KindFact,
  RecordEvidence,
  type ReportedItem,
  type Request,
  taskOf
} from "@proofline/kernel"
import { Effect } from "effect"
import { type Baseline, ProjectFiles, type Syntax, Workspaces, workspaceSpecOf } from "../../port/index.ts"
import type { EvidenceKind } from "./contract.ts"
import { citedKind, type KindCitation } from "./kinds.ts"
import type { Rule } from "./range.ts"
import { type Claimed, makeReadFacts } from "./readFacts.ts"

type Run = (
  input: AttemptInput,
  context: { readonly state: KernelState }
) => Effect.Effect<Request<"tasks"> | null, ActivityFailure>

/**
 * Looks at what a report cites. Says nothing when the attempt the work was meant for is over or was looked at before.
 * `kindsOf`: the kinds of evidence that there are beside lines.
 */
export const makeEvidenceActivity = (
  rule: Rule,
  kindsOf: (state: KernelState) => ReadonlyArray<EvidenceKind>
): Effect.Effect<
  { readonly input: typeof AttemptInput; readonly run: Run },
  never,
  Workspaces | ProjectFiles | Digest | Syntax | Baseline
> =>
  Effect.gen(function* () {
    const readFacts = yield* makeReadFacts(rule)
    const workspaces = yield* Workspaces
    const projectFiles = yield* ProjectFiles

    const filesOf = Effect.fnUntraced(function* (state: KernelState, task: Parameters<typeof workspaceSpecOf>[1]) {
      const workspaceSpec = workspaceSpecOf(state, task)
      if (workspaceSpec === null) return projectFiles
      const { directory } = yield* workspaces
        .open(workspaceSpec)
        .pipe(Effect.mapError(({ code, message }): ActivityFailure => ({ _tag: "ActivityFailure", code, message })))
      return projectFiles.at(directory)
    })

    return {
      input: AttemptInput,
      run: Effect.fnUntraced(function* ({ attempt, task_id }, { state }) {
        const task = taskOf(state, task_id)
        const current = task?.current
        if (task === undefined || current == null || current.facts !== null || current.attempt !== attempt) return null
        const files = yield* filesOf(state, task)
        const { lines, ofKinds } = sorted(kindsOf(state), claimsOf(current.report?.checklist ?? []))
        const found: ReadonlyArray<EvidenceFact> = [
          ...(yield* Effect.forEach(ofKinds, lookedAt, { concurrency: referencesAtOnce })),
          ...(yield* readFacts(lines, state.run.base, files))
        ]
        return RecordEvidence({ task_id, attempt, facts: found.toSorted((a, b) => a.index - b.index) })
      })
    }
  })

const referencesAtOnce = 8

interface OfKind extends Claimed, KindCitation {}

/** What is found at a reference now; a plugin that breaks there is named. */
export const lookAt = (kind: EvidenceKind, reference: string): Effect.Effect<Json> =>
  Effect.suspend(() => kind.look(reference)).pipe(
    Effect.catchDefect((defect) => Effect.die(faultOf(kind.by, `look of ${kind.scheme}`, defect)))
  )

const lookedAt = ({ evidence, index, kind, reference }: OfKind): Effect.Effect<KindFact> =>
  Effect.map(lookAt(kind, reference), (fact) => ({ index, evidence, scheme: kind.scheme, fact }))

const sorted = (
  kinds: ReadonlyArray<EvidenceKind>,
  claims: ReadonlyArray<Claimed>
): { readonly lines: ReadonlyArray<Claimed>; readonly ofKinds: ReadonlyArray<OfKind> } => {
  const cited = claims.map((claim) => ({ claim, kind: citedKind(kinds, claim.evidence) }))
  return {
    lines: cited.flatMap(({ claim, kind }) => (kind === null ? [claim] : [])),
    ofKinds: cited.flatMap(({ claim, kind }) => (kind === null ? [] : [{ ...claim, ...kind }]))
  }
}

const claimsOf = (checklist: ReadonlyArray<ReportedItem>): ReadonlyArray<Claimed> =>
  checklist.flatMap(({ evidence, status }, index) =>
    status === "done" && evidence != null && evidence.trim() !== "" ? [{ index, evidence }] : []
  )
