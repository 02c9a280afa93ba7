import { Engine, type RunId, type RunSummary } from "@proofline/kernel"
import { Effect } from "effect"

/** Ends a run, and what goes on below it: whoever drives that may be gone. `runs` are all of the log. Gives the run after it. */
export const cancelRun = Effect.fnUntraced(function* (id: RunId, runs: ReadonlyArray<RunSummary>, reason: string) {
  const engine = yield* Engine
  const { snapshot } = yield* engine.execute(id, { _tag: "CancelRun", reason })
  const below = runs.filter(({ parent_run_id, status }) => parent_run_id === id && status === "running")
  yield* Effect.forEach(
    below,
    ({ run_id }) =>
      // ended meanwhile by who drives it
      Effect.catchTag(
        engine.execute(run_id, { _tag: "CancelRun", reason: "parent_ended" }),
        "Rejection",
        () => Effect.void
      ),
    { discard: true }
  )
  return snapshot
})
