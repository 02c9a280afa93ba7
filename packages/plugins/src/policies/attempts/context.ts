import { Engine, EventLog, type KernelState, type Snapshot, type TaskState } from "@proofline/kernel"
import { Effect } from "effect"
import { placeOf, Workplaces, Workspace } from "../../port/index.ts"
import type { AnyRun } from "../sessions/contract.ts"
import { AttemptReports } from "./AttemptReports.ts"
import type { AttemptRef } from "./Attempts.ts"
import { type AgentCall, AttemptTokens } from "./AttemptTokens.ts"

/** What everything that is asked of attempts works with. */
export interface AttemptContext {
  readonly engine: Engine["Service"]
  readonly log: EventLog["Service"]
  readonly tokens: AttemptTokens["Service"]
  readonly reports: AttemptReports["Service"]
  readonly workplaces: Workplaces["Service"]
  readonly workspace: Workspace["Service"]
}

/** An attempt that asks for something. */
export interface Asking extends AttemptContext {
  readonly ref: AttemptRef
  /** Its run when it asked: to decide on, and to look at. */
  readonly before: Snapshot
  readonly state: AnyRun
  /** It has handed something in. */
  readonly isReported: boolean
}

export const makeContext = Effect.gen(function* () {
  const context: AttemptContext = {
    engine: yield* Engine,
    log: yield* EventLog,
    tokens: yield* AttemptTokens,
    reports: yield* AttemptReports,
    workplaces: yield* Workplaces,
    workspace: yield* Workspace
  }
  return context
})

export const refOf = ({ run_id, ...call }: AgentCall): AttemptRef => ({ ...call, run: run_id })

export const callFor = ({ run, ...ref }: AttemptRef): AgentCall => ({ ...ref, run_id: run })

/** The files as they are where the task works. */
export const filesOf = ({ workplaces, workspace }: AttemptContext, state: KernelState, task: TaskState) => {
  const place = placeOf(state, task)
  return place === null
    ? Effect.succeed(workspace)
    : Effect.map(workplaces.open(place), ({ directory }) => workspace.at(directory))
}
