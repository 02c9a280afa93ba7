import { BlobRef, CheckRun } from "@proofline/kernel"
import { Schema } from "effect"
import {
  CompletedTask,
  CriterionVerdict,
  GeneratedTask,
  LoopBStatus,
  Opinion,
  RequirementDefinition,
  TaskOutcome
} from "./definition.ts"
import { IntentChange } from "./intent.ts"

/** A criterion as it was when a task was planned for it: what was shown of other words shows nothing of these. */
export const Covered = Schema.Struct({
  id: Schema.String,
  requirement_id: Schema.String,
  criterion: Schema.String
})
export type Covered = typeof Covered.Type

/** A command that was run to verify, for a task where it asks for one. */
export const LoopCheck = Schema.Struct({ ...CheckRun.fields, task_id: Schema.NullOr(Schema.String) })
export type LoopCheck = typeof LoopCheck.Type

/** What an earlier run of the same file has left: its tasks are not run again, and what they have shown still counts. */
export const Carried = Schema.Struct({
  run_id: Schema.String,
  /** The last iteration of that run; iterations are counted on. */
  iteration: Schema.Int,
  planned: Schema.Array(Schema.Struct({ id: Schema.String, iteration: Schema.Int, covers: Schema.Array(Covered) })),
  completed: Schema.Array(CompletedTask)
})
export type Carried = typeof Carried.Type

/** Whether what a completed task has shown is still there. */
export const ReceiptCheck = Schema.Struct({
  task_id: Schema.String,
  item_index: Schema.Int,
  status: Schema.Literals(["proven", "re_anchored", "stale", "missing"]),
  /** Where it is now, as evidence; null: nowhere. */
  now: Schema.NullOr(Schema.String),
  reason: Schema.String
})
export type ReceiptCheck = typeof ReceiptCheck.Type

export const RequirementStatus = Schema.Struct({
  requirement_id: Schema.String,
  met: Schema.Boolean,
  evidence: Schema.String
})
export type RequirementStatus = typeof RequirementStatus.Type

/** By which rules it is verified what tasks have shown. */
export const Proof = Schema.Struct({
  /** The user chose the verifier: without its word, what tasks have shown is not enough. */
  verifier_named: Schema.Boolean,
  /** The user's commands beside the checks of the file: they prove something also where an agent's task names them. */
  user_commands: Schema.Array(Schema.String)
})
export type Proof = typeof Proof.Type

/** Content of the plugin's events by type. */
export const contents = {
  REQUIREMENTS_LOADED: Schema.Struct({
    definition: RequirementDefinition,
    /** As it was named, relative to the project where it is in it. */
    requirements_path: Schema.String,
    sha256: Schema.String,
    /** Where generated tasks are written. */
    tasks_output_dir: Schema.String,
    /** The first part of the names of those files. */
    feature: Schema.String,
    max_iterations: Schema.Int,
    /** How generated tasks that say nothing of it are split. */
    chunk: Schema.Literals(["no", "auto", "asked"]),
    carried: Schema.NullOr(Carried),
    /** The run had another definition before. */
    changed: Schema.Boolean,
    /** Left out: as it was said before. */
    proof: Schema.optionalKey(Proof),
    /**
     * `kept`: nothing that was asked for before may be missing. `decided`: a person takes over what is asked for now.
     * Left out: nobody has said.
     */
    intent: Schema.optionalKey(Schema.Literals(["kept", "decided"]))
  }),
  /** A person has decided that less is asked for than when the run began, or something else. */
  INTENT_CHANGED: Schema.Struct({
    /** Of the file before and now. */
    sha256_before: Schema.String,
    sha256: Schema.String,
    decided_by: Schema.Literal("person"),
    changes: Schema.Array(IntentChange)
  }),
  /** At the end of a drive the file said something else than what was loaded. */
  REQUIREMENTS_FILE_CHANGED: Schema.Struct({ sha256: Schema.String }),
  /** Everything seems met, and agents were asked on the way: the machine looks once more. */
  CONFIRMATION_STARTED: Schema.Struct({ iteration: Schema.Int, round: Schema.Int }),
  ITERATION_STARTED: Schema.Struct({
    /** From 1. */
    iteration: Schema.Int,
    status: LoopBStatus,
    /** Ids of the criteria that are not met. */
    unmet: Schema.Array(Schema.String),
    previous_feedback: Schema.NullOr(Schema.String)
  }),
  TASKS_GENERATED: Schema.Struct({
    iteration: Schema.Int,
    round: Schema.Int,
    ask: Schema.Int,
    generator: Schema.String,
    tasks: Schema.Array(GeneratedTask),
    /** Unmet criteria of required requirements that no task covers: the next iteration has to. */
    uncovered: Schema.Array(Schema.String),
    tasks_yaml_path: Schema.String,
    output: Schema.NullOr(BlobRef)
  }),
  ANSWER_REFUSED: Schema.Struct({
    role: Schema.Literals(["generate", "verify"]),
    by: Schema.String,
    iteration: Schema.Int,
    round: Schema.Int,
    ask: Schema.Int,
    /** Null for tasks. */
    requirement_id: Schema.NullOr(Schema.String),
    /** `unreadable`: it is none; `invalid`: its tasks cannot be run; `gap`: they leave criteria out. */
    reason: Schema.Literals(["unreadable", "invalid", "gap"]),
    problems: Schema.Array(Schema.String),
    /** Criteria that the tasks leave out; empty unless there is a gap. */
    uncovered: Schema.Array(Schema.String),
    answer: Schema.NullOr(Schema.String),
    tasks: Schema.Array(GeneratedTask),
    output: Schema.NullOr(BlobRef)
  }),
  TASK_RUN_LINKED: Schema.Struct({
    iteration: Schema.Int,
    run_id: Schema.String,
    tasks_yaml_path: Schema.String,
    /** Of the file as it was written. */
    sha256: Schema.String
  }),
  TASK_RUN_ENDED: Schema.Struct({
    iteration: Schema.Int,
    run_id: Schema.String,
    status: Schema.Literals(["completed", "incomplete", "failed", "cancelled"]),
    /** Why it stopped before its tasks were over; null: they are. */
    stopped: Schema.NullOr(Schema.Literals(["breaker", "budget", "cancelled", "needs_person"])),
    message: Schema.String,
    tasks: Schema.Array(TaskOutcome),
    spent: Schema.Struct({
      attempts: Schema.Int,
      calls: Schema.Int,
      tokens: Schema.Int,
      cost_usd: Schema.Finite
    })
  }),
  CRITERIA_CHECKED: Schema.Struct({
    iteration: Schema.Int,
    round: Schema.Int,
    requirement_id: Schema.String,
    /** Commands that were run now; one that was run for a requirement before it in this round is not run again. */
    runs: Schema.Array(LoopCheck),
    receipts: Schema.Array(ReceiptCheck)
  }),
  REQUIREMENT_VERIFIED: Schema.Struct({
    iteration: Schema.Int,
    /** Counts the verifications of the run, from 1. */
    round: Schema.Int,
    requirement_id: Schema.String,
    verdict: CriterionVerdict.fields.verdict,
    met: Schema.Boolean,
    criteria: Schema.Array(CriterionVerdict),
    /** Null: nobody was asked, or nobody answered. */
    opinion: Schema.NullOr(Opinion),
    /** How often somebody was asked about it now; 0: nobody was. */
    ask: Schema.Int
  }),
  REQUIREMENTS_VERIFIED: Schema.Struct({
    iteration: Schema.Int,
    /** Computed from the statuses: of the required ones, and of all where none is required. */
    all_requirements_met: Schema.Boolean,
    requirement_status: Schema.Array(RequirementStatus),
    unmet_requirements: Schema.Array(Schema.String),
    summary: Schema.String,
    feedback_for_additional_tasks: Schema.String
  }),
  ITERATION_ENDED: Schema.Struct({ iteration: Schema.Int, unmet_requirements: Schema.Array(Schema.String) }),
  REQUIREMENTS_MET: Schema.Struct({
    iteration: Schema.Int,
    met: Schema.Array(Schema.String),
    /** Optional ones that are not met. */
    unmet: Schema.Array(Schema.String)
  }),
  REQUIREMENTS_UNMET: Schema.Struct({
    iteration: Schema.Int,
    reason: Schema.Literals(["iterations_used_up", "generation_failed", "execution_failed"]),
    message: Schema.String,
    unmet: Schema.Array(Schema.String)
  })
} as const

export type LoopEventType = keyof typeof contents
export type ContentOf<T extends LoopEventType> = (typeof contents)[T]["Type"]
