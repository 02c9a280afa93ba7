import type {
  AggregationOutcome,
  AggregationStrategy,
  AttemptTrees,
  RunId,
  TaskId,
  WorkspaceKind
} from "@proofline/kernel"
import { Context, type Effect, Schema, type Stream } from "effect"

/** Why a subtask has no workspace, or its changes could not be taken from it. */
export class WorkspaceRefused extends Schema.TaggedError<WorkspaceRefused>()("WorkspaceRefused", {
  /** Stable, e.g. `workplace_no_repository`, `workplace_conflict`. */
  code: Schema.String,
  /** What is wrong and what to do about it. */
  message: Schema.String
}) {}

/** Which subtask works, and on what it builds. */
export interface WorkspaceSpec {
  readonly run_id: RunId
  readonly parent_task_id: TaskId
  readonly task_id: TaskId
  /** `shared`: all work in the project itself. */
  readonly workspace: WorkspaceKind
  /** Subtasks it depends on, directly or not, in order of execution: what they did is there. */
  readonly after: ReadonlyArray<TaskId>
  readonly strategy: AggregationStrategy
}

/** What the files of a workspace were at some moment. Lives in this process only. */
export interface Fingerprint {
  readonly _tag: "Fingerprint"
}

/** What changed in a workspace while somebody worked there. Paths relative to its directory, sorted. */
export interface WorkspaceChanges {
  /** Changed by this work, as far as any file can show: nobody else was at work in the directory when they changed. */
  readonly modified: ReadonlyArray<string>
  /** Changed by this work or by that of others, which was done at the same time. A file may be among both. */
  readonly undecided: ReadonlyArray<string>
  /** What the files were around the work, where git keeps them; left out: it does not, or nothing has changed. */
  readonly trees?: AttemptTrees
}

/** What is known of some work before it begins. */
export interface Watching {
  /** Nobody has worked in the run before: what is there is what the run began with. */
  readonly isFirst: boolean
  /** Says each time when a step of the work may have changed files. */
  readonly steps: Stream.Stream<unknown>
  /** How many steps the work has told so far. */
  readonly told: () => number
}

export interface Workspace {
  /** Absolute path of the directory that is the project's root there. */
  readonly directory: string
  readonly fingerprint: Effect.Effect<Fingerprint, WorkspaceRefused>
  /** Paths of files that were added, changed or removed since, relative to `directory`, sorted. What git ignores does not count. */
  readonly changedSince: (fingerprint: Fingerprint) => Effect.Effect<ReadonlyArray<string>, WorkspaceRefused>
  /**
   * Does some work and says what it changed. In a directory that several share, what changed while more than one was at
   * work is undecided. What a person changes meanwhile cannot be told from the work.
   */
  readonly watched: <A, E, R>(
    work: Effect.Effect<A, E, R>,
    watching?: Watching
  ) => Effect.Effect<readonly [A, WorkspaceChanges], E | WorkspaceRefused, R>
  /** Does work whose own changes nobody asks for, so that they are not taken for those of others. */
  readonly beside: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /**
   * Keeps what the work has come to so far, so that nothing of it is lost and others can build on it. Says which files
   * differ from what the subtask began with. In a shared workspace there is nothing to keep: an empty list.
   */
  readonly keep: Effect.Effect<ReadonlyArray<string>, WorkspaceRefused>
}

export interface AggregationRequest {
  readonly run_id: RunId
  readonly parent_task_id: TaskId
  /** Completed subtasks in order of execution. */
  readonly subtasks: ReadonlyArray<TaskId>
  readonly strategy: AggregationStrategy
  /** Other tasks of the run that changed files of the project and may have done so meanwhile; left out: none. */
  readonly others?: ReadonlyArray<{ readonly task_id: TaskId; readonly files: ReadonlyArray<string> }>
}

/** What became of the worktrees of a run, for people: sentences. */
export interface Closed {
  /** One for each thing that stays. */
  readonly stays: ReadonlyArray<string>
  /** What was removed with the others, and is in the project nowhere. */
  readonly removed: ReadonlyArray<string>
}

/**
 * Where subtasks work. With `worktree` each has a git worktree of its own that begins as the project was, changes that
 * are not committed included, with what it depends on; the user's index, branches and worktrees are never written.
 */
export class Workspaces extends Context.Service<
  Workspaces,
  {
    /** Made when it is missing, found again after a crash. */
    readonly open: (workspaceSpec: WorkspaceSpec) => Effect.Effect<Workspace, WorkspaceRefused>
    /**
     * Puts what the subtasks kept into the project, in order, all of it or nothing. What somebody changed in the project
     * meanwhile is merged or is a conflict, and never overwritten. Doing it again after a crash does no harm.
     */
    readonly aggregate: (request: AggregationRequest) => Effect.Effect<AggregationOutcome, WorkspaceRefused>
    /**
     * Removes the worktrees of a run that is completed. What holds work that was not kept, or is locked, stays. The work
     * of the tasks in `lost` is thrown away.
     */
    readonly close: (run: RunId, lost: ReadonlyArray<TaskId>) => Effect.Effect<Closed>
  }
>()("@proofline/plugins/port/Workspaces") {}
