import {
  type Activity,
  type ActivityFailure,
  type AggregationOutcome,
  type CarriedEvidence,
  carriedBy,
  type LostProof,
  type Receipt,
  type State,
  subtasksOf,
  type TaskState,
  taskOf,
  Workplaces
} from "@proofline/kernel"
import { Clock, Effect } from "effect"
import { sharedOutcome } from "./shared.ts"

/** Where the lines of a receipt stand in the project now, as evidence; null: they were changed or are gone. */
export type Relocate = (receipt: Receipt) => Effect.Effect<string | null>

/** Puts the subtasks of a task together, and finds in the whole what they have cited. */
export const makeAggregation = Effect.fnUntraced(function* (relocate: Relocate) {
  const workplaces = yield* Workplaces

  const together = (state: State, parent: TaskState): Effect.Effect<AggregationOutcome, ActivityFailure> => {
    const { aggregation_strategy: strategy, workspace } = state.config.chunking
    if (workspace === "shared") return Effect.succeed(sharedOutcome(state, parent))
    const subtasks = subtasksOf(state, parent)
      .filter(({ status }) => status === "completed")
      .map(({ spec }) => spec.id)
    return workplaces
      .aggregate({ run_id: state.run_id, parent_task_id: parent.spec.id, subtasks, strategy })
      .pipe(Effect.mapError(({ code, message }): ActivityFailure => ({ _tag: "ActivityFailure", code, message })))
  }

  const evidenceOf = (state: State, parent: TaskState): Effect.Effect<ReadonlyArray<CarriedEvidence>> =>
    Effect.map(
      Effect.forEach(parent.items.keys(), (index) => {
        const receipt = carriedBy(state, parent, index)?.receipt ?? null
        return receipt === null
          ? Effect.succeed([])
          : Effect.map(relocate(receipt), (evidence): ReadonlyArray<CarriedEvidence> => [{ index, evidence }])
      }),
      (found) => found.flat()
    )

  /** Without what the user has given up: where the later one wins, or a person has decided, the other side is gone. */
  const lostIn = (
    state: State,
    parent: TaskState,
    { conflicts }: AggregationOutcome
  ): Effect.Effect<ReadonlyArray<LostProof>> => {
    if (state.config.chunking.aggregation_strategy.type === "last_wins") return Effect.succeed([])
    const settled = new Set([...conflicts.map(({ file }) => file), ...(parent.chunk?.decided ?? [])])
    return Effect.map(
      Effect.forEach(
        subtasksOf(state, parent).flatMap(({ items, part, spec }) =>
          // what a subtask carries of its parent's checklist is looked up for the parent
          items.slice(part?.carries.length ?? 0).map((item) => ({ ...item, subtask_id: spec.id }))
        ),
        ({ evidence, item, receipt, subtask_id, verdict }) =>
          verdict !== "proven" || receipt === null || settled.has(receipt.path)
            ? Effect.succeed([])
            : Effect.map(
                relocate(receipt),
                (now): ReadonlyArray<LostProof> =>
                  now === null ? [{ subtask_id, item, evidence: evidence ?? "" }] : []
              )
      ),
      (found) => found.flat()
    )
  }

  const aggregation: Activity = Effect.fnUntraced(function* ({ item, state }) {
    const parent = item.task_id === null ? undefined : taskOf(state, item.task_id)
    if (parent?.chunk?.stage !== "executing") return null
    const outcome = yield* together(state, parent)
    const isMerged = outcome.outcome === "merged"
    const evidence = isMerged ? yield* evidenceOf(state, parent) : []
    const lost = isMerged ? yield* lostIn(state, parent, outcome) : []
    const now = yield* Clock.currentTimeMillis
    return {
      _tag: "RecordAggregation",
      task_id: parent.spec.id,
      // a clock may have been set back
      duration_ms: Math.max(0, now - Date.parse(parent.chunk.started_at)),
      outcome: { ...outcome, evidence, lost }
    }
  })
  return aggregation
})
