import { Engine, EventLog, type KernelState, type Snapshot, type TaskState } from "@proofline/kernel"
import { Effect } from "effect"
import { ProjectFiles, Workspaces, workspaceSpecOf } from "../../port/index.ts"
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
  readonly workspaces: Workspaces["Service"]
  readonly projectFiles: ProjectFiles["Service"]
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
    workspaces: yield* Workspaces,
    projectFiles: yield* ProjectFiles
  }
  return context
})

export const refOf = ({ run_id, ...call }: AgentCall): AttemptRef => ({ ...call, run: run_id })

export const callFor = ({ run, ...ref }: AttemptRef): AgentCall => ({ ...ref, run_id: run })

/** The files as they are where the task works. */
export const filesOf = ({ workspaces, projectFiles }: AttemptContext, state: KernelState, task: TaskState) => {
  const workspaceSpec = workspaceSpecOf(state, task)
  return workspaceSpec === null
    ? Effect.succeed(projectFiles)
    : Effect.map(workspaces.open(workspaceSpec), ({ directory }) => projectFiles.at(directory))
}
