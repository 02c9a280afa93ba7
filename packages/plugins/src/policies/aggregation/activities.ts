import {
  type ActivityFailure,
  type Aggregation,
  type AggregationOutcome,
  AttemptInput,
  type CarriedEvidence,
  carriedBy,
  chunkOf,
  dependenciesOf,
  isLineReceipt,
  isShown,
  type KernelState,
  type LostProof,
  type Receipt,
  RecordAggregation,
  type Request,
  rootsOf,
  subtasksOf,
  type TaskState,
  taskOf,
  touchedFiles
} from "@proofline/kernel"
import { Clock, Effect } from "effect"
import { type AggregationRequest, Workspaces } from "../../port/index.ts"
import { sharedOutcome } from "./shared.ts"

/** Where what was accepted stands in the project now, as evidence, in that order; null: it was changed or is gone, and why. */
export type Relocate = (
  receipts: ReadonlyArray<Receipt>
) => Effect.Effect<ReadonlyArray<{ readonly evidence: string } | { readonly evidence: null; readonly reason: string }>>

type Run = (
  input: AttemptInput,
  context: { readonly state: KernelState }
) => Effect.Effect<Request<"chunking"> | null, ActivityFailure>

/** Puts the subtasks of a task together, and finds in the whole what they have cited. */
export const makeAggregation = Effect.fnUntraced(function* (relocate: Relocate) {
  const workspaces = yield* Workspaces

  const together = (state: KernelState, parent: TaskState): Effect.Effect<AggregationOutcome, ActivityFailure> => {
    const { aggregation_strategy: strategy } = state.run.config.chunking
    if (chunkOf(state, parent)?.workspace !== "worktree") return Effect.succeed(sharedOutcome(state, parent))
    const completed = subtasksOf(state, parent).filter(({ status }) => status === "completed")
    // of attempts beside each other two may be proven in the same moment
    const won = chunkOf(state, parent)?.is_race === true ? completed.slice(0, 1) : completed
    const subtasks = won.map(({ spec }) => spec.id)
    const others = othersOf(state, parent)
    return workspaces
      .aggregate({
        run_id: state.run.run_id,
        parent_task_id: parent.spec.id,
        subtasks,
        strategy,
        ...(others.length === 0 ? {} : { others })
      })
      .pipe(Effect.mapError(({ code, message }): ActivityFailure => ({ _tag: "ActivityFailure", code, message })))
  }

  /** Each of them that has a receipt, with where that stands now. */
  const located = <A extends { readonly receipt: Receipt | null }>(shown: ReadonlyArray<A>) => {
    const held = shown.flatMap((one) => (one.receipt === null ? [] : [{ ...one, receipt: one.receipt }]))
    return Effect.map(relocate(held.map(({ receipt }) => receipt)), (found) =>
      held.flatMap((one, at) => (found[at] === undefined ? [] : [{ ...one, now: found[at] }]))
    )
  }

  const evidenceOf = (state: KernelState, parent: TaskState): Effect.Effect<ReadonlyArray<CarriedEvidence>> =>
    Effect.map(
      located(
        [...parent.items.keys()].flatMap((index) => {
          const receipt = carriedBy(state, parent, index)?.receipt ?? null
          // what is no line of a file stays what it was cited as, and is judged as that
          return receipt === null || !isLineReceipt(receipt) ? [] : [{ index, receipt }]
        })
      ),
      (found) => found.map(({ index, now }): CarriedEvidence => ({ index, ...now }))
    )

  /** Also where the later one wins, or a person has decided: what is given up is not there, whoever wanted that. */
  const lostIn = (state: KernelState, parent: TaskState): Effect.Effect<ReadonlyArray<LostProof>> =>
    Effect.map(
      located(
        subtasksOf(state, parent).flatMap(({ alternative, carried, items, spec }) =>
          // what a subtask carries of its parent's checklist is looked up for the parent
          alternative
            ? []
            : items.flatMap((item, index) =>
                index >= carried && isShown(item.verdict) ? [{ ...item, index, subtask_id: spec.id }] : []
              )
        )
      ),
      (found) =>
        found.flatMap(
          ({ evidence, index, item, now, subtask_id }): ReadonlyArray<LostProof> =>
            now.evidence === null ? [{ subtask_id, item, evidence: evidence ?? "", reason: now.reason, index }] : []
        )
    )

  const run: Run = Effect.fnUntraced(function* ({ task_id }, { state }) {
    const parent = taskOf(state, task_id)
    const chunk = parent === undefined ? null : chunkOf(state, parent)
    if (parent === undefined || chunk?.stage !== "executing") return null
    const outcome = chunk.outcome ?? (yield* together(state, parent))
    const isMerged = outcome.outcome === "merged"
    const evidence = isMerged ? yield* evidenceOf(state, parent) : []
    const lost = isMerged ? yield* lostIn(state, parent) : []
    const now = yield* Clock.currentTimeMillis
    // a clock may have been set back, and attempts beside each other are not analysed
    const duration_ms = chunk.started_at === "" ? 0 : Math.max(0, now - Date.parse(chunk.started_at))
    return RecordAggregation({ task_id, duration_ms, outcome: { ...outcome, ...also(chunk.outcome, evidence, lost) } })
  })
  return { input: AttemptInput, run }
})

/** What tasks that this one does not wait for have changed in the project, or bring there while this one is put together. */
const othersOf = (state: KernelState, parent: TaskState): NonNullable<AggregationRequest["others"]> => {
  const before = dependenciesOf(state, parent)
  return rootsOf(state).flatMap((task) => {
    if (task === parent || before.has(task.spec.id)) return []
    const files = filesInProject(state, task)
    return files.length === 0 ? [] : [{ task_id: task.spec.id, files }]
  })
}

const filesInProject = (state: KernelState, task: TaskState): ReadonlyArray<string> => {
  const [chunk, parts] = [chunkOf(state, task), subtasksOf(state, task)]
  if (chunk?.workspace !== "worktree") return [task, ...parts].flatMap(touchedFiles)
  const { outcome } = chunk
  if (outcome === null) return parts.filter(({ status }) => status === "completed").flatMap(touchedFiles)
  return outcome.outcome === "merged" ? outcome.files_modified : []
}

/** What was found, beside what a plugin has said of the same. */
const also = (
  said: Pick<Aggregation, "evidence" | "lost"> | null,
  evidence: ReadonlyArray<CarriedEvidence>,
  lost: ReadonlyArray<LostProof>
): Pick<Aggregation, "evidence" | "lost"> => {
  const isSaid = ({ index }: CarriedEvidence) => said?.evidence.some((one) => one.index === index) === true
  const isFound = (one: LostProof) =>
    lost.some(({ item, subtask_id }) => item === one.item && subtask_id === one.subtask_id)
  return {
    evidence: [...(said?.evidence ?? []), ...evidence.filter((one) => !isSaid(one))],
    lost: [...lost, ...(said?.lost ?? []).filter((one) => !isFound(one))]
  }
}
