import {
  type ActivityFailure,
  type AggregationOutcome,
  AttemptInput,
  type CarriedEvidence,
  carriedBy,
  chunkOf,
  isLineReceipt,
  isShown,
  type KernelState,
  type LineReceipt,
  type LostProof,
  RecordAggregation,
  type Request,
  subtasksOf,
  type TaskState,
  taskOf
} from "@proofline/kernel"
import { Clock, Effect } from "effect"
import { Workspaces } from "../../port/index.ts"
import { sharedOutcome } from "./shared.ts"

/** Where the lines of a receipt stand in the project now, as evidence; null: they were changed or are gone, and why. */
export type Relocate = (
  receipt: LineReceipt
) => Effect.Effect<{ readonly evidence: string } | { readonly evidence: null; readonly reason: string }>

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
    return workspaces
      .aggregate({ run_id: state.run.run_id, parent_task_id: parent.spec.id, subtasks, strategy })
      .pipe(Effect.mapError(({ code, message }): ActivityFailure => ({ _tag: "ActivityFailure", code, message })))
  }

  const evidenceOf = (state: KernelState, parent: TaskState): Effect.Effect<ReadonlyArray<CarriedEvidence>> =>
    Effect.map(
      Effect.forEach(parent.items.keys(), (index) => {
        const receipt = carriedBy(state, parent, index)?.receipt ?? null
        // what is no line of a file stays what it was cited as
        return receipt === null || !isLineReceipt(receipt)
          ? Effect.succeed([])
          : Effect.map(relocate(receipt), (now): ReadonlyArray<CarriedEvidence> => [{ index, ...now }])
      }),
      (found) => found.flat()
    )

  /** Without what the user has given up: where the later one wins, or a person has decided, the other side is gone. */
  const lostIn = (
    state: KernelState,
    parent: TaskState,
    { conflicts }: AggregationOutcome
  ): Effect.Effect<ReadonlyArray<LostProof>> => {
    if (state.run.config.chunking.aggregation_strategy.type === "last_wins") return Effect.succeed([])
    const settled = new Set([...conflicts.map(({ file }) => file), ...(chunkOf(state, parent)?.decided ?? [])])
    return Effect.map(
      Effect.forEach(
        subtasksOf(state, parent).flatMap(({ alternative, carried, items, spec }) =>
          // what a subtask carries of its parent's checklist is looked up for the parent
          alternative ? [] : items.slice(carried).map((item) => ({ ...item, subtask_id: spec.id }))
        ),
        ({ evidence, item, receipt, subtask_id, verdict }) =>
          !isShown(verdict) || receipt === null || !isLineReceipt(receipt) || settled.has(receipt.path)
            ? Effect.succeed([])
            : Effect.map(
                relocate(receipt),
                (now): ReadonlyArray<LostProof> =>
                  now.evidence === null ? [{ subtask_id, item, evidence: evidence ?? "", reason: now.reason }] : []
              )
      ),
      (found) => found.flat()
    )
  }

  const run: Run = Effect.fnUntraced(function* ({ task_id }, { state }) {
    const parent = taskOf(state, task_id)
    const chunk = parent === undefined ? null : chunkOf(state, parent)
    if (parent === undefined || chunk?.stage !== "executing") return null
    const outcome = yield* together(state, parent)
    const isMerged = outcome.outcome === "merged"
    const evidence = isMerged ? yield* evidenceOf(state, parent) : []
    const lost = isMerged ? yield* lostIn(state, parent, outcome) : []
    const now = yield* Clock.currentTimeMillis
    // a clock may have been set back, and attempts beside each other are not analysed
    const duration_ms = chunk.started_at === "" ? 0 : Math.max(0, now - Date.parse(chunk.started_at))
    return RecordAggregation({ task_id, duration_ms, outcome: { ...outcome, evidence, lost } })
  })
  return { input: AttemptInput, run }
})
