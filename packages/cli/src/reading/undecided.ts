import { Engine } from "@proofline/kernel"
import type { RunOverview } from "@proofline/plugins/adapters/sqlite-log/summary"
import { undecidedTasks, waitingIn } from "@proofline/plugins/policies/oversight"
import { Effect } from "effect"
import type { State } from "../project/state.ts"
import { mayBeUndecided } from "../quick/status.ts"
import type { Undecided } from "../render/asked.ts"

/** What a person has to decide between in the files of a run, before it is resumed. */
export const undecidedIn = (state: Pick<State, "run" | "tasks">): ReadonlyArray<Undecided> =>
  state.run.status === "running"
    ? []
    : undecidedTasks(state).map(({ message, spec }) => ({ run_id: state.run.run_id, task_id: spec.id, message }))

/** The same in the newest of these runs. */
export const undecidedOf = Effect.fnUntraced(function* (rows: ReadonlyArray<RunOverview>) {
  const engine = yield* Engine
  return (yield* waitingIn(engine, rows.filter(mayBeUndecided), undecidedIn)).found
})
