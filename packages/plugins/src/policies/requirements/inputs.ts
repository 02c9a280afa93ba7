import { Budget, EarlierTask, Receipt, RunConfig } from "@proofline/kernel"
import { Schema } from "effect"
import { CompletedTask, CriterionVerdict, GeneratedTask, RequirementDefinition } from "./definition.ts"

/** The activity of a generator. */
export const generatorActivity = (generator: string): string => `generator-${generator}`

/** The activity of a verifier. */
export const verifierActivity = (verifier: string): string => `verifier-${verifier}`

/** Activities of the plugin itself. */
export const names = { facts: "requirements-facts", execute: "requirements-execute" } as const

/** An answer that could not be used, and everything that is wrong with it. */
export const FormerAnswer = Schema.Struct({ answer: Schema.String, problems: Schema.Array(Schema.String) })
export type FormerAnswer = typeof FormerAnswer.Type

/** Of everything that somebody is asked. */
const asked = {
  former: Schema.NullOr(FormerAnswer),
  /** Who works, as named in the configuration. */
  agent: Schema.String,
  /** Where the project is, absolute. */
  root: Schema.String,
  /** Hard limit in ms. */
  timeout_ms: RunConfig.fields.timeout_ms,
  /** Ends an agent after so many ms without output; null: never. */
  idle_timeout_ms: RunConfig.fields.idle_timeout_ms
}

/** Tasks are wanted for what is not met. */
export const GenerationRequest = Schema.Struct({
  run_id: Schema.String,
  /** From 1. */
  iteration: Schema.Int,
  /** Which verification it follows, from 1; with `ask` it names what is asked. */
  round: Schema.Int,
  /** How often it was asked in this iteration, this time included. */
  ask: Schema.Int,
  requirements: RequirementDefinition,
  /** Ids of the criteria that are not met; those of required requirements must be covered. */
  unmet: Schema.Array(Schema.String),
  /** Of all iterations. A new task may depend on them, none may have their ids. */
  completed_tasks: Schema.Array(CompletedTask),
  /** Every id that is taken: of tasks that are completed and of those that are not. */
  taken_ids: Schema.Array(Schema.String),
  /** What the last verification found; null: there was none with tasks before it. */
  previous_feedback: Schema.NullOr(Schema.String),
  ...asked
})
export type GenerationRequest = typeof GenerationRequest.Type

/** The ids that are taken, for whoever reads a plan. */
export const earlierIds = ({
  completed_tasks,
  taken_ids
}: Pick<GenerationRequest, "completed_tasks" | "taken_ids">) => {
  const completedElsewhere = completed_tasks.map(({ id }) => id)
  return { completedElsewhere, lostElsewhere: taken_ids.filter((id) => !completedElsewhere.includes(id)) }
}

/** One requirement is to be looked at: nothing has proven some of its criteria. */
export const VerificationRequest = Schema.Struct({
  run_id: Schema.String,
  iteration: Schema.Int,
  /** Which verification it is part of, from 1. */
  round: Schema.Int,
  ask: Schema.Int,
  requirements: RequirementDefinition,
  requirement_id: Schema.String,
  /** What is known of its criteria without anybody's opinion. */
  criteria: Schema.Array(CriterionVerdict),
  completed_tasks: Schema.Array(CompletedTask),
  ...asked
})
export type VerificationRequest = typeof VerificationRequest.Type

/** A command to be run; with the task whose environment it asks for. */
export const WantedCommand = Schema.Struct({
  command: Schema.String,
  task_id: Schema.NullOr(Schema.String),
  attempt: Schema.Int
})
export type WantedCommand = typeof WantedCommand.Type

/** What is to be looked at to verify one requirement. */
export const FactsInput = Schema.Struct({
  iteration: Schema.Int,
  round: Schema.Int,
  requirement_id: Schema.String,
  commands: Schema.Array(WantedCommand),
  receipts: Schema.Array(Schema.Struct({ task_id: Schema.String, item_index: Schema.Int, receipt: Receipt }))
})
export type FactsInput = typeof FactsInput.Type

/** The task run of one iteration. */
export const ExecuteInput = Schema.Struct({
  iteration: Schema.Int,
  run_id: Schema.String,
  name: Schema.String,
  tasks_yaml_path: Schema.String,
  /** Comment lines of the file. */
  header: Schema.Array(Schema.String),
  tasks: Schema.Array(GeneratedTask),
  chunk: Schema.Literals(["no", "auto", "asked"]),
  goal: Schema.String,
  completed: Schema.Array(EarlierTask),
  budget: Budget
})
export type ExecuteInput = typeof ExecuteInput.Type
