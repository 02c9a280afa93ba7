import { assert } from "@effect/vitest"
import {
  type ActivityFailure,
  type AnyCommand,
  composePlugins,
  type LogUnavailable,
  type Plugin,
  type Rejection,
  type Snapshot
} from "@proofline/kernel"
import type { Given } from "@proofline/kernel/testing"
import { Effect, Schema } from "effect"

/**
 * Carries out an activity of these plugins as a worker does, in a run as it is. What it says before its result is added
 * to `said`; without it, it has nothing to say. `now`: what the run has become meanwhile; what it says is decided there.
 */
export const carryOut = (
  plugins: ReadonlyArray<Plugin>,
  name: string,
  { slices }: Snapshot,
  input: { readonly task_id: string; readonly attempt?: number },
  said?: Array<AnyCommand>,
  now?: Given,
  handsIn: Effect.Effect<void> = Effect.void
): Effect.Effect<AnyCommand | null, ActivityFailure | Rejection | LogUnavailable> => {
  const composition = composePlugins(plugins)
  const activity = composition.activities.get(name)
  assert.isDefined(activity)
  const item = {
    id: "i",
    run: "run_1",
    key: `${name}/${input.task_id}/${input.attempt}`,
    kind: "activity" as const,
    activity: name,
    task_id: input.task_id,
    is_subtask: false,
    input: { ...input },
    labels: [],
    priority: 0,
    not_before: 0
  }
  const view = (snapshot: Pick<Snapshot, "slices">) => composition.view(activity.slot, snapshot.slices)
  const say = (command: AnyCommand) => {
    if (said === undefined) return Effect.die("nothing is dispatched")
    const { rejected = null, step } = now?.when(command) ?? {}
    if (rejected !== null) return Effect.fail(rejected)
    said.push(command)
    return Effect.succeed(view(step?.after ?? { slices }))
  }
  return activity.run(Schema.decodeUnknownSync(activity.input)(input), {
    item,
    lease: 1,
    worker_id: "w",
    state: view({ slices }),
    dispatch: (command) => Effect.suspend(() => say(command as AnyCommand)),
    until: (find) => {
      const found = now === undefined ? null : find(view(now.snapshot))
      return found === null ? Effect.die("nothing is waited for") : Effect.succeed(found)
    },
    handsIn,
    drive: () => Effect.die("nothing is dispatched")
  })
}
