import { composePlugins, Engine, type LogVerification, type Plugin, verdictCounts } from "@proofline/kernel"
import type { Answer } from "@proofline/plugins/operations"
import { Oversight, oversightLayer } from "@proofline/plugins/policies/oversight"
import { Context, Effect, Layer } from "effect"
import { sessionsRules } from "../../../packages/plugins/src/policies/sessions/rules/plugin.ts"
import { countedIds, type Log } from "../../kernel/support/world.ts"
import { fitsDeclared } from "../operations/fitsDeclared.ts"
import { runsOf } from "../sessions/servers.ts"

/** Whoever looks after a project, over a process of their own. */
export interface Watcher {
  readonly engine: Engine["Service"]
  readonly ask: (operation: string, args?: unknown, isPerson?: boolean) => Effect.Effect<Answer>
}

/** `verify` is what the files would say; nothing is proven when left out. */
export const aWatcher = Effect.fnUntraced(function* (
  log: Log,
  options: {
    readonly plugins?: ReadonlyArray<Plugin>
    readonly verify?: (run: string) => LogVerification
  } = {}
) {
  const context = yield* Layer.build(
    Layer.fresh(
      oversightLayer({
        runs: runsOf(log),
        verify: (run) => Effect.succeed((options.verify ?? nothingProven)(run))
      }).pipe(
        Layer.provideMerge(Engine.layer(composePlugins([sessionsRules, ...(options.plugins ?? [])]))),
        Layer.provide(Layer.succeedContext(log)),
        Layer.provide(countedIds("watcher"))
      )
    )
  )
  const oversight = Context.get(context, Oversight)
  const watcher: Watcher = {
    engine: Context.get(context, Engine),
    ask: (operation, args = {}, isPerson = false) =>
      Effect.orDie(oversight.call(operation, args, { isPerson })).pipe(Effect.tap(fitsDeclared(operation)))
  }
  return watcher
})

export const nothingProven = (run_id: string): LogVerification => ({
  run_id,
  name: "a run",
  ref: null,
  kept_head: null,
  signature: null,
  run_status: "running",
  whole: false,
  verdict: "unproven",
  reviewers: [],
  weak: [],
  chain: { ok: true, events: 1, head: null },
  counts: { ...verdictCounts([]), receipts: 0, re_anchored: 0, missing: 0, open: 0 },
  receipts: []
})
