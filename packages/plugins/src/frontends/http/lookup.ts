import { newestFirst, type RunId, type RunSummary } from "@proofline/kernel"
import { Context, Effect, Layer } from "effect"
import { type FoldedRun, makeDetails } from "./details.ts"
import { Project } from "./Project.ts"
import type { Unavailable, Unknown } from "./problems.ts"
import { logUnavailable, runUnknown } from "./refusals.ts"

/** What is asked of runs by every group of endpoints. */
export class Lookup extends Context.Service<
  Lookup,
  {
    /** Newest first. */
    readonly runs: Effect.Effect<ReadonlyArray<RunSummary>, Unavailable>
    readonly run: (
      id: RunId
    ) => Effect.Effect<{ readonly run: RunSummary; readonly runs: ReadonlyArray<RunSummary> }, Unknown | Unavailable>
    readonly detail: (id: RunId) => Effect.Effect<FoldedRun, Unknown | Unavailable>
  }
>()("@proofline/plugins/frontends/http/Lookup") {}

export const layerLookup = Layer.effect(
  Lookup,
  Effect.gen(function* () {
    const project = yield* Project
    const details = yield* makeDetails
    const runs = project.runs.pipe(
      Effect.map((all) => all.toSorted(newestFirst)),
      Effect.mapError(logUnavailable)
    )
    return Lookup.of({
      runs,
      run: (id) =>
        Effect.flatMap(runs, (all) => {
          const run = all.find(({ run_id }) => run_id === id)
          return run === undefined ? Effect.fail(runUnknown(id)) : Effect.succeed({ run, runs: all })
        }),
      detail: (id) =>
        details(id).pipe(
          Effect.mapError(logUnavailable),
          Effect.flatMap((detail) => (detail === null ? Effect.fail(runUnknown(id)) : Effect.succeed(detail)))
        )
    })
  })
)
