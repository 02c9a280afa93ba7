import { Engine, newestFirst, type RunId, type RunSummary } from "@proofline/kernel"
import { Context, Effect, Fiber, Layer, Option } from "effect"
import { mayWaitForPerson } from "../../policies/oversight/contract.ts"
import { runIn } from "../../policies/sessions/contract.ts"
import { type FoldedRun, makeDetails } from "./details.ts"
import { Project } from "./Project.ts"
import type { Unavailable, Unknown } from "./problems.ts"
import { logUnavailable, runUnknown } from "./refusals.ts"
import { approvalsOf } from "./rows.ts"
import type { Approval } from "./schemas.ts"

/** So many of the newest runs are looked at for what waits for a person. */
const maxLookedAt = 20

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
    /** What waits for a person in the newest runs. */
    readonly waiting: Effect.Effect<ReadonlyArray<Approval>, Unavailable>
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
    const engine = yield* Engine
    const soon: Lookup["Service"]["soon"] = (id) =>
      Effect.flatMap(Effect.forkIn(details(id), scope), Fiber.join).pipe(
        Effect.timeoutOption(patience),
        Effect.map(Option.getOrNull),
        // a run that cannot be read is shown by its summary
        Effect.catchCause(() => Effect.succeed(null))
      )
    const waitingIn = Effect.fnUntraced(function* (id: RunId) {
      const state = runIn(yield* engine.load(id))
      // since when it waits is looked up only where it does
      return approvalsOf(state, null).length === 0 ? [] : approvalsOf(state, yield* soon(id))
    })
    return Lookup.of({
      runs,
      soon,
      waiting: Effect.gen(function* () {
        const waiting = (yield* runs).filter(mayWaitForPerson).slice(0, maxLookedAt)
        const found = yield* Effect.forEach(waiting, ({ run_id }) =>
          waitingIn(run_id).pipe(
            // a run whose plugin is not here any more is in nobody else's way
            Effect.catchIf(
              ({ code }) => code === "log_newer",
              () => Effect.succeed([])
            ),
            Effect.mapError(logUnavailable)
          )
        )
        return found.flat()
      }),
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
