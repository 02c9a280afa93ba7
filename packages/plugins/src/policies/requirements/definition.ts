import {
  BlobRef,
  ChecklistItemSpec,
  EarlierTask,
  LineFact,
  Receipt,
  TaskSpec,
  TaskStatus,
  Verdict,
  Weakness,
  WeakReason
} from "@proofline/kernel"
import { Schema } from "effect"

/** What must hold for a requirement to be met, and how that is shown. Its id is `<requirement>.<n>`, from 1. */
export const AcceptanceCriterion = Schema.Struct({
  id: Schema.String,
  criterion: Schema.String,
  /** A shell command that must exit 0; null: what the tasks that cover it have proven decides. */
  check: Schema.NullOr(Schema.String),
  /** In words, for whoever verifies: how to find out. */
  verify: Schema.NullOr(Schema.String)
})
export type AcceptanceCriterion = typeof AcceptanceCriterion.Type

export const Requirement = Schema.Struct({
  id: Schema.String,
  /** A short title; null: it has none. */
  name: Schema.NullOr(Schema.String),
  description: Schema.String,
  acceptance_criteria: Schema.Array(AcceptanceCriterion),
  /** `required` gates success; `optional` is worked on and reported. */
  priority: Schema.Literals(["required", "optional"])
})
export type Requirement = typeof Requirement.Type

/** A requirements.yaml that holds together. */
export const RequirementDefinition = Schema.Struct({
  name: Schema.String,
  /** What whoever works on it has to know of the project. */
  context: Schema.String,
  requirements: Schema.Array(Requirement),
  constraints: Schema.Array(Schema.String),
  generation: Schema.Struct({
    /** Who makes tasks of requirements: `agent`, `files`, or one of a plugin. */
    generator: Schema.String,
    /** For `files`: one tasks file per iteration, relative to the project, `/` separated. */
    tasks: Schema.Array(Schema.String)
  }),
  verification: Schema.Struct({
    /** Who is asked about what nothing has proven: `agent`, `none`, or one of a plugin. */
    verifier: Schema.String,
    /** An agent's opinion counts as proof, where it shows a run or code that exists. */
    trust_agent: Schema.Boolean
  })
})
export type RequirementDefinition = typeof RequirementDefinition.Type

/** Where a requirements run stands. Source: requirements loop, phase 1. */
export const LoopBStatus = Schema.Literals([
  "generating_tasks",
  "executing_tasks",
  "verifying_requirements",
  "generating_additional_tasks",
  "completed",
  "failed"
])
export type LoopBStatus = typeof LoopBStatus.Type

/** A task made of requirements. */
export const GeneratedTask = Schema.Struct({
  ...TaskSpec.fields,
  /** Ids of the acceptance criteria that it is to meet. */
  covers: Schema.Array(Schema.String)
})
export type GeneratedTask = typeof GeneratedTask.Type

/** An item of a task that is over, as the verification of requirements needs it. */
export const ItemOutcome = Schema.Struct({
  ...ChecklistItemSpec.fields,
  verdict: Verdict,
  evidence: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(Schema.String),
  receipt: Schema.NullOr(Receipt),
  /** Why its evidence shows less than it seems to. */
  weak: Schema.Array(Weakness),
  /** A person has waived it; left out: nobody has. */
  waived_by: Schema.optionalKey(Schema.Literal("person"))
})
export type ItemOutcome = typeof ItemOutcome.Type

/** What came of a task of a task run. */
export const TaskOutcome = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  status: TaskStatus,
  verdict: Verdict,
  attempts: Schema.Int,
  /** Why it is not completed; empty when it is. */
  message: Schema.String,
  /** What the agent said at its end, at most 500 characters. */
  summary: Schema.String,
  files: Schema.Array(Schema.String),
  checks: Schema.Array(Schema.String),
  items: Schema.Array(ItemOutcome),
  /** What its items were shown by in the lines of files; left out: by none. */
  shown: EarlierTask.fields.shown,
  commands_by: TaskSpec.fields.commands_by,
  /** A person has given it up; left out: nobody has. */
  given_up: Schema.optionalKey(Schema.Literal(true))
})
export type TaskOutcome = typeof TaskOutcome.Type

/** A task that is completed, with where it comes from. Kept over all iterations and never run again. */
export const CompletedTask = Schema.Struct({
  ...TaskOutcome.fields,
  covers: Schema.Array(Schema.String),
  /** The iteration it was made for, from 1. */
  iteration: Schema.Int,
  run_id: Schema.String
})
export type CompletedTask = typeof CompletedTask.Type

/** What somebody who was asked says of one requirement. */
export const Opinion = Schema.Struct({
  verifier: Schema.String,
  met: Schema.Boolean,
  /** As it was given. */
  evidence: Schema.String,
  /** What the disk says of every `path:line` in it. */
  facts: Schema.Array(LineFact),
  output: Schema.NullOr(BlobRef)
})
export type Opinion = typeof Opinion.Type

export const CriterionVerdict = Schema.Struct({
  id: Schema.String,
  /** `waived`: its check passes, and passed before the work as well: it was true already. */
  verdict: Schema.Literals(["proven", "waived", "refuted", "unproven", "stale"]),
  /** What decided it; null: nothing did. */
  by: Schema.NullOr(Schema.Literals(["check", "tasks", "agent"])),
  /** Ids of the tasks whose work shows it. */
  tasks: Schema.Array(Schema.String),
  /** In a sentence: what was seen. */
  message: Schema.String,
  /** Why its check shows less than it seems to; left out: nothing speaks against it. */
  weak: Schema.optionalKey(Schema.Array(WeakReason))
})
export type CriterionVerdict = typeof CriterionVerdict.Type

/** It counts as met. */
export const isMetBy = ({ verdict }: Pick<CriterionVerdict, "verdict">): boolean =>
  verdict === "proven" || verdict === "waived"
