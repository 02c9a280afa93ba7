import {
  type CheckRun,
  type Failure,
  plugin,
  type ReadsOf,
  Run,
  type RunState,
  type TaskId,
  type TaskState,
  Tasks,
  type TasksState
} from "@proofline/kernel"
import { HashMap, type HashSet, Option } from "effect"
import type { Concerned } from "./concerned.ts"
import type { Missing } from "./missingSchema.ts"
import type { SessionRunSetup } from "./PhaseContract.ts"
import type { AssignmentPriority } from "./schemas.ts"

/** Assignment of a task in a session run. */
export interface Assignment {
  /** Null: nobody. */
  readonly assignee: string | null
  readonly created_by: string
  readonly priority: AssignmentPriority
  /** Who has worked on it last; null: nobody. */
  readonly worker: string | null
  /** Files that were asked for when it was done: it may be sent back, and reported again. */
  readonly asked: ReadonlyArray<string>
  /** Verifications of the whole that failed after it was done, since the count began. */
  readonly failures: number
  /** Why it is blocked or cancelled; empty otherwise. */
  readonly reason: string
}

/** An agent at work in a session run. */
export interface SessionState {
  readonly session_id: string
  readonly agent: string
  readonly token_sha256: string
  readonly of_process: boolean
  readonly ttl_ms: number
  /** When it last asked for something that was recorded, ISO 8601. */
  readonly seen_at: string
  /** Why it ended; null while it is open. */
  readonly closed: string | null
  /** What was not shown when it was told so instead of being let go; null: it was not told. */
  readonly told: ReadonlyArray<Missing> | null
  /** What it reported at its end. */
  readonly reported: { readonly result: string } | null
  /** The last action it was told. */
  readonly issued: { readonly action: string; readonly task_id: TaskId | null } | null
  /** Tasks it has fetched. */
  readonly fetched: ReadonlyArray<TaskId>
  /** Tasks the agent was already asked to split; it is asked once. */
  readonly offered: ReadonlyArray<TaskId>
  /** It was given the planning guide. */
  readonly guided: boolean
  /** Why what it handed in last was refused; empty where that was taken, or the phase was left. */
  readonly failures: ReadonlyArray<Failure>
}

/** Where a session run stands beside its tasks. */
export interface PhasesState {
  readonly setup: SessionRunSetup
  /** The current phase. */
  readonly phase: string
  /** The phase of tasks that was entered last; null: none yet. */
  readonly worked: string | null
  /** By phase: how often it was entered. */
  readonly visits: Readonly<Record<string, number>>
  readonly counters: Readonly<Record<string, number>>
  /** Files that agents said to have looked at, as paths from the root. */
  readonly explored: HashSet.HashSet<string>
  /** By agent: files it may write for the task it works on, because it asked. */
  readonly writable: HashMap.HashMap<string, HashSet.HashSet<string>>
  /** Files of which anybody was told that they may be written, in the whole of the run. */
  readonly asked: HashSet.HashSet<string>
  /** The commands of the current phase run; what was handed in for it. */
  readonly verifying: { readonly payload: Readonly<Record<string, unknown>> } | null
  /** How they last ended. */
  readonly verification: {
    readonly passed: boolean
    readonly checks: ReadonlyArray<CheckRun>
    /** The tasks that were sent back because they alone are concerned; null: all were, or none. */
    readonly concerned: ReadonlyArray<Concerned> | null
  } | null
  /** Commands that passed since the work was changed last. */
  readonly passed: ReadonlyArray<CheckRun>
  /** Verifications that failed one after the other. */
  readonly failed_in_row: number
  /** A verification failed, and nothing was planned, created or done since. */
  readonly sent_back: boolean
  /** The work as it is now was verified by at least one command. */
  readonly verified: boolean
  /** What was handed in last; null: nothing yet. */
  readonly last: { readonly phase: string; readonly payload: Readonly<Record<string, unknown>> } | null
  /** The session whose payload was taken last; null: a person's. */
  readonly handed_in_by: string | null
  /** Payloads that were taken so far, in any phase. */
  readonly submissions: number
  /** Why the last submission of the phase was refused; empty after one that was taken. */
  readonly failures: ReadonlyArray<Failure>
  /** The session whose submission that was; null: the commands of the phase could not be run. */
  readonly failures_of: string | null
  /** Batches of tasks that were asked for, with what became of them. */
  readonly batches: HashMap.HashMap<string, ReadonlyArray<TaskId>>
  /** In order of opening. */
  readonly sessions: ReadonlyArray<SessionState>
  /** At the end of its phases somebody said that nothing more is done: it ends, whatever is shown. */
  readonly is_given_up: boolean
}

export interface SessionsState {
  /** Set in a session run. */
  readonly phases: PhasesState | null
  readonly assignments: HashMap.HashMap<TaskId, Assignment>
}

const nothing: SessionsState = { phases: null, assignments: HashMap.empty() }

export const SessionRun = plugin("sessions", { state: nothing, after: [Run, Tasks] })
export type SessionsView = ReadsOf<typeof SessionRun>

/** What helpers about a session run need of a state. */
export interface State {
  readonly run: RunState
  readonly tasks: TasksState
  readonly sessions: SessionsState
}

/** To whom a task is assigned, and what else its agents are told of it; null: nobody comes for it. */
export const assignmentOf = (
  { sessions }: { readonly sessions: SessionsState },
  { spec }: TaskState
): Assignment | null => Option.getOrNull(HashMap.get(sessions.assignments, spec.id))

export const withAssignment = (
  own: SessionsState,
  id: TaskId,
  change: (assignment: Assignment) => Assignment
): SessionsState => {
  const found = HashMap.get(own.assignments, id)
  return found._tag === "None" ? own : { ...own, assignments: HashMap.set(own.assignments, id, change(found.value)) }
}

export const withPhases = (own: SessionsState, change: (phases: PhasesState) => PhasesState): SessionsState =>
  own.phases === null ? own : { ...own, phases: change(own.phases) }
