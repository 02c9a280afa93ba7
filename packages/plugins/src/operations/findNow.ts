import {
  type Engine,
  perform,
  type Rejection,
  type RunId,
  type Snapshot,
  type Start,
  type WorkItem
} from "@proofline/kernel"
import { Effect } from "effect"

/**
 * What a piece of work finds at this moment, with nothing of it recorded: for whoever wants to know what a report would
 * come to. `refused`: the work wants to do more than look.
 */
export const findNow = (
  { composition, host }: Engine["Service"],
  { activity: name, input, key }: Start,
  asked: { readonly run: RunId; readonly task_id: string; readonly after: Snapshot; readonly refused: Rejection }
) => {
  const item: WorkItem = {
    id: "",
    kind: "activity",
    is_subtask: false,
    labels: [],
    priority: 0,
    not_before: 0,
    run: asked.run,
    key,
    activity: name,
    task_id: asked.task_id,
    input
  }
  const onlyLooks = () => Effect.fail(asked.refused)
  const activity = composition.activities.get(name)
  const state = composition.view(activity?.slot ?? 0, asked.after.slices)
  const until = () => Effect.never
  return perform(
    activity,
    { item, lease: 0, worker_id: "", state, dispatch: onlyLooks, until, handsIn: Effect.void, drive: onlyLooks },
    host
  )
}
