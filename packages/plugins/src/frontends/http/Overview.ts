import { shownRowStatus } from "@proofline/kernel"
import { Context, Effect, Layer } from "effect"
import { isAway } from "../../policies/oversight/contract.ts"
import { Lookup } from "./lookup.ts"
import type { Unavailable } from "./problems.ts"
import type { ServedProject } from "./schemas.ts"

/** Where one is needed in the project. */
export class Overview extends Context.Service<
  Overview,
  { readonly now: Effect.Effect<{ readonly [K in "waiting" | "running"]: NonNullable<ServedProject[K]> }, Unavailable> }
>()("@proofline/plugins/frontends/http/Overview") {}

/** It is asked for by every tab of every page, again and again. */
const kept = "1 second"

export const layerOverview = Layer.effect(
  Overview,
  Effect.gen(function* () {
    const { runs, waiting } = yield* Lookup
    const now = Effect.gen(function* () {
      const all = yield* runs
      const running = all.filter(
        (run) => run.parent_run_id === null && shownRowStatus(run) === "running" && !isAway(run)
      )
      return { waiting: yield* waiting(all), running: running.length }
    })
    return Overview.of({ now: yield* Effect.cachedWithTTL(now, kept) })
  })
)
