import { Engine, newestFirst, type RunId, type RunSummary } from "@proofline/kernel"
import { Context, Effect, Fiber, Layer, Option } from "effect"
import { runsMeant } from "../../options/index.ts"
import { maxLookedAt, waitingIn } from "../../policies/oversight/contract.ts"
import { withChanges } from "./changes.ts"
import { type FoldedRun, makeDetails } from "./details.ts"
import { Project } from "./Project.ts"
import type { Unavailable, Unknown } from "./problems.ts"
import { logUnavailable, runAmbiguous, runUnknown } from "./refusals.ts"
import { approvalsOf, viewOf } from "./rows.ts"
import type { Approval, RunView } from "./schemas.ts"

/** Of so many runs of a list that go on it is looked up what they have shown so far. */
export const maxFolded = 6

/** So many runs are looked at beside what lists ask for. */
const maxOpen = 8

/** So long a list waits for what one of its runs has shown so far. */
const patience = "150 millis"

/** What is asked of runs by every group of endpoints. */
export class Lookup extends Context.Service<
  Lookup,
  {
    /** Newest first. */
    readonly runs: Effect.Effect<ReadonlyArray<RunSummary>, Unavailable>
    /** By its id, or named as the command line names runs: `last`, or the beginning of the id or of its last part. */
    readonly run: (
      named: string
    ) => Effect.Effect<{ readonly run: RunSummary; readonly runs: ReadonlyArray<RunSummary> }, Unknown | Unavailable>
    /** The same as `detail`; null: it takes longer than a list may wait. It is folded all the same, and known the next time. */
    readonly soon: (id: RunId) => Effect.Effect<FoldedRun | null>
    /** Those of the newest of these runs in which something waits for a person. */
    readonly waitingIn: (runs: ReadonlyArray<RunSummary>) => Effect.Effect<ReadonlySet<RunId>, Unavailable>
    /** How much of it that is. */
    readonly waiting: (runs: ReadonlyArray<RunSummary>) => Effect.Effect<number, Unavailable>
    /** What waits for a person in the newest runs. */
    readonly approvals: Effect.Effect<ReadonlyArray<Approval>, Unavailable>
    /** A run as it stands, with what waits in it. */
    readonly view: (named: string) => Effect.Effect<RunView, Unknown | Unavailable>
    /** The same without what the work has changed, for which files of the project are read: who has done something waits for no diff. */
    readonly standing: (named: string) => Effect.Effect<RunView, Unknown | Unavailable>
    readonly detail: (named: string) => Effect.Effect<FoldedRun, Unknown | Unavailable>
  }
>()("@proofline/plugins/frontends/http/Lookup") {}

export const layerLookup = Layer.effect(
  Lookup,
  Effect.gen(function* () {
    const project = yield* Project
    const details = yield* makeDetails(maxLookedAt + maxFolded + maxOpen)
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
    const asking = (all: ReadonlyArray<RunSummary>) =>
      waitingIn(engine, all, (state) => (approvalsOf(state, null).length === 0 ? [] : [state])).pipe(
        Effect.map(({ found }) => found),
        Effect.mapError(logUnavailable)
      )
    const run: Lookup["Service"]["run"] = (named) =>
      Effect.flatMap(runs, (all) => {
        const [found, ...others] = runsMeant(named, all)
        if (found === undefined) return Effect.fail(runUnknown(named))
        return others.length === 0
          ? Effect.succeed({ run: found, runs: all })
          : Effect.fail(
              runAmbiguous(
                named,
                [found, ...others].map(({ run_id }) => run_id)
              )
            )
      })
    const foldedAt = (id: RunId) => Effect.mapError(details(id), logUnavailable)
    const detail: Lookup["Service"]["detail"] = Effect.fnUntraced(function* (named) {
      // most are named by their id, for which the list of all runs need not be read
      const folded = (yield* foldedAt(named)) ?? (yield* foldedAt((yield* run(named)).run.run_id))
      return folded ?? (yield* Effect.fail(runUnknown(named)))
    })
    const standing = Effect.fnUntraced(function* (named: string) {
      const found = yield* run(named)
      const folded = yield* detail(found.run.run_id)
      return { folded, view: viewOf(found.run, found.runs, folded) }
    })
    return Lookup.of({
      runs,
      soon,
      waitingIn: (all) => Effect.map(asking(all), (found) => new Set(found.map(({ run }) => run.run_id))),
      waiting: (all) =>
        Effect.map(asking(all), (found) => found.reduce((sum, state) => sum + approvalsOf(state, null).length, 0)),
      approvals: Effect.gen(function* () {
        // since when it waits is looked up only where it does; all wait together, and no longer than for one
        const approvals = yield* Effect.forEach(
          yield* asking(yield* runs),
          (state) =>
            Effect.flatMap(soon(state.run.run_id), (folded) =>
              withChanges(project, approvalsOf(state, folded), folded)
            ),
          { concurrency: maxLookedAt }
        )
        return approvals.flat()
      }),
      run,
      view: Effect.fnUntraced(function* (id) {
        const { folded, view } = yield* standing(id)
        return { ...view, approvals: yield* withChanges(project, view.approvals, folded) }
      }),
      standing: (id) => Effect.map(standing(id), ({ view }) => view),
      detail
    })
  })
)
