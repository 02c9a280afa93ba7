import { Schema } from "effect"
import { ProjectTree } from "../run/schemas.ts"
import { ChecklistItemSpec } from "../tasks/TaskSpec.ts"

/** What speaks for splitting a task. Source: task chunking §2.2. */
export const SplitCriterion = Schema.Literals([
  "multiple_files",
  "independent_parts",
  "explicit_enumeration",
  "large_scope"
])
export type SplitCriterion = typeof SplitCriterion.Type

/** One criterion as the analyzer saw it, with the words of the task that led there. */
export const SplitFinding = Schema.Struct({
  criterion: SplitCriterion,
  met: Schema.Boolean,
  words: Schema.Array(Schema.String)
})
export type SplitFinding = typeof SplitFinding.Type

/** One part of a task as an analyzer plans it. */
export const PlannedSubtask = Schema.Struct({
  /** A few words for people. */
  title: Schema.String,
  /** What is to be done, in the words of the user as far as they go. */
  prompt: Schema.String,
  /** Numbers of the parts it needs, counted from 1 in the order of the plan. */
  dependencies: Schema.Array(Schema.Int),
  /** What must be true in the end; each can be checked by itself. */
  acceptance_criteria: Schema.Array(Schema.String),
  /** Indexes, from 0, of the items of the task's own checklist that this part must prove. */
  checklist: Schema.Array(Schema.Int),
  /** Files that the task names for this part. */
  paths: Schema.Array(Schema.String),
  /** False: it only asks for information, so nothing needs to be changed. */
  changes_files: Schema.Boolean
})
export type PlannedSubtask = typeof PlannedSubtask.Type

/** What an analyzer makes of a task. `subtasks` is empty unless it is decomposable. */
export const Analysis = Schema.Struct({
  is_decomposable: Schema.Boolean,
  decomposition_reason: Schema.String,
  /** Those of the four criteria that were judged, each once. */
  criteria: Schema.Array(SplitFinding),
  subtasks: Schema.Array(PlannedSubtask)
})
export type Analysis = typeof Analysis.Type

/** `hybrid`: some subtasks wait for others, and some may run together. */
export const ExecutionMode = Schema.Literals(["parallel", "sequential", "hybrid"])
export type ExecutionMode = typeof ExecutionMode.Type

/** Where the subtasks of a task work: all in the project, or each in a git worktree of its own. */
export const WorkspaceKind = Schema.Literals(["shared", "worktree"])
export type WorkspaceKind = typeof WorkspaceKind.Type

/** Files that subtasks changed in ways that cannot be had together. */
export const FileConflict = Schema.Struct({
  file: Schema.String,
  /**
   * Ids of the subtasks, in order of execution; `project` stands for what was changed in the project meanwhile, and before it
   * other tasks of the run that changed the file there.
   */
  sources: Schema.Array(Schema.String)
})
export type FileConflict = typeof FileConflict.Type

/** What putting the subtasks' changes together came to. */
export const AggregationOutcome = Schema.Struct({
  /** `merged`: everything is in the project; `conflict`: refused; `needs_person`: somebody must decide. */
  outcome: Schema.Literals(["merged", "conflict", "needs_person"]),
  /** Paths that the subtasks changed, relative to the project, each once. */
  files_modified: Schema.Array(Schema.String),
  conflicts: Schema.Array(FileConflict),
  /** For people: what to do about it, with exact commands; empty when nothing is to be done. */
  message: Schema.String,
  /** Files that the subtasks had put aside by checking out another commit, and that are still there; left out: none. */
  left_alone: Schema.optionalKey(Schema.Array(FileConflict)),
  /**
   * Files of which the last source's version is there as a whole (`last_wins`): what the others changed in it is not in the
   * project. Left out: none.
   */
  given_up: Schema.optionalKey(Schema.Array(FileConflict)),
  /** The project afterwards, where it was written; left out: nobody looked. */
  tree: Schema.optionalKey(ProjectTree)
})
export type AggregationOutcome = typeof AggregationOutcome.Type

/** Where what was cited for an item of the parent's checklist, counted from 0, stands now; null: it is gone. */
export const CarriedEvidence = Schema.Struct({
  index: Schema.Int,
  evidence: Schema.NullOr(Schema.String),
  /** Why it is gone; left out: it is there, or nobody said. */
  reason: Schema.optionalKey(Schema.String)
})
export type CarriedEvidence = typeof CarriedEvidence.Type

/** What a subtask has shown and the whole does not show any more: somebody changed the lines since. */
export const LostProof = Schema.Struct({
  subtask_id: Schema.String,
  item: Schema.String,
  /** As it was cited. */
  evidence: Schema.String,
  /** Why it is gone; left out: nobody said. */
  reason: Schema.optionalKey(Schema.String),
  /** The item by its place among those of the subtask, from 0, which no longer counts there. Left out: it does. */
  index: Schema.optionalKey(Schema.Int)
})
export type LostProof = typeof LostProof.Type

/** The subtasks put together, as recorded. Items that `evidence` leaves out stand where they were cited. */
export const Aggregation = Schema.Struct({
  ...AggregationOutcome.fields,
  evidence: Schema.Array(CarriedEvidence),
  /** Becomes part of what the whole has to show. */
  lost: Schema.Array(LostProof)
})
export type Aggregation = typeof Aggregation.Type

/** How the part of a finished subtask ended. Source: task chunking §3.1. */
export const SubtaskResult = Schema.Struct({
  status: Schema.Literals(["COMPLETE", "INCOMPLETE", "ERROR"]),
  output_summary: Schema.String,
  files_modified: Schema.Array(Schema.String),
  review_loop_iterations: Schema.optionalKey(Schema.Int)
})
export type SubtaskResult = typeof SubtaskResult.Type

export const ChunkedTaskStatus = Schema.Literals(["ANALYZING", "EXECUTING", "AGGREGATING", "COMPLETE", "FAILED"])
export type ChunkedTaskStatus = typeof ChunkedTaskStatus.Type

/** A subtask as it is created. */
export const Created = Schema.Struct({
  parent_task_id: Schema.String,
  subtask_id: Schema.String,
  prompt: Schema.String,
  dependencies: Schema.Array(Schema.String),
  /** From 1: a subtask comes after all it depends on. */
  execution_order: Schema.Int,
  title: Schema.String,
  /** From 1, in the order of the plan. */
  subtask_index: Schema.Int,
  total_subtasks: Schema.Int,
  acceptance_criteria: Schema.Array(Schema.String),
  /** Criteria among them that a reviewer judges. */
  validation: Schema.Array(Schema.String),
  /** Items that need evidence; the first of them are the parent's. */
  checklist: Schema.Array(ChecklistItemSpec),
  /** Indexes of those items in the parent's checklist. */
  carries: Schema.Array(Schema.Int),
  paths: Schema.Array(Schema.String),
  changes_files: Schema.Boolean,
  priority: Schema.Int,
  /** One of several attempts at the task, with commands of the task; left out: a part of it. */
  alternative: Schema.optionalKey(
    Schema.Struct({ checks: Schema.Array(Schema.String), commands_by: Schema.optionalKey(Schema.Literal("agent")) })
  )
})
export type Created = typeof Created.Type
