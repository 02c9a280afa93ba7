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
import { Effect, Schema } from "effect"

/** Carries out an activity of these plugins as a worker does, in a run as it is. What it says before its result is added to `said`; without it, it has nothing to say. */
export const carryOut = (
  plugins: ReadonlyArray<Plugin>,
  name: string,
  { slices }: Snapshot,
  input: { readonly task_id: string; readonly attempt?: number },
  said?: Array<AnyCommand>
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
  const state = composition.view(activity.slot, slices)
  return activity.run(Schema.decodeUnknownSync(activity.input)(input), {
    item,
    lease: 1,
    worker_id: "w",
    state,
    dispatch: (command) =>
      said === undefined
        ? Effect.die("nothing is dispatched")
        : Effect.sync(() => {
            said.push(command)
            return state
          }),
    until: () => Effect.die("nothing is waited for"),
    drive: () => Effect.die("nothing is dispatched")
  })
}
