import { newestFirst, type RunId, type RunSummary } from "@proofline/kernel"
import { Context, Effect, Fiber, Layer, Option } from "effect"
import { type FoldedRun, makeDetails } from "./details.ts"
import { Project } from "./Project.ts"
import type { Unavailable, Unknown } from "./problems.ts"
import { logUnavailable, runUnknown } from "./refusals.ts"

/** So long a list waits for what one of its runs has shown so far. */
const patience = "150 millis"

/** What is asked of runs by every group of endpoints. */
export class Lookup extends Context.Service<
  Lookup,
  {
    /** Newest first. */
    readonly runs: Effect.Effect<ReadonlyArray<RunSummary>, Unavailable>
    readonly run: (
      id: RunId
    ) => Effect.Effect<{ readonly run: RunSummary; readonly runs: ReadonlyArray<RunSummary> }, Unknown | Unavailable>
    /** The same as `detail`; null: it takes longer than a list may wait. It is folded all the same, and known the next time. */
    readonly soon: (id: RunId) => Effect.Effect<FoldedRun | null>
    readonly detail: (id: RunId) => Effect.Effect<FoldedRun, Unknown | Unavailable>
  }
>()("@proofline/plugins/frontends/http/Lookup") {}

export const layerLookup = Layer.effect(
  Lookup,
  Effect.gen(function* () {
    const project = yield* Project
    const details = yield* makeDetails
    const scope = yield* Effect.scope
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
      soon: (id) =>
        Effect.flatMap(Effect.forkIn(details(id), scope), Fiber.join).pipe(
          Effect.timeoutOption(patience),
          Effect.map(Option.getOrNull),
          // a run that cannot be read is shown by its summary
          Effect.catchCause(() => Effect.succeed(null))
        ),
      detail: (id) =>
        details(id).pipe(
          Effect.mapError(logUnavailable),
          Effect.flatMap((detail) => (detail === null ? Effect.fail(runUnknown(id)) : Effect.succeed(detail)))
        )
    })
  })
)
