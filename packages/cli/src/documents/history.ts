/** The files that `history export` writes. Source: requirements loop, "history"; beside its fields, ids of runs. */
import { Count, described, Ordinal, RunConfig, Stopped, Text, TextOrNull, Texts, Time } from "@proofline/kernel"
import { settingOptions } from "@proofline/plugins/options"
import { LoopBStatus } from "@proofline/plugins/policies/requirements"
import { Schema, Struct } from "effect"

const whose = {
  history_id: described("Name of the file without its extension.", Text),
  run_id: Text
}

const when = { started_at: Time, updated_at: described("Of the last event.", Time) }

const how = { error: TextOrNull, stopped: Schema.optionalKey(Stopped) }

const Verification = Schema.Struct({
  all_requirements_met: described("Of the required ones; of all, where none is required.", Schema.Boolean),
  requirement_status: Schema.Array(Schema.Struct({ requirement_id: Text, met: Schema.Boolean, evidence: Text })),
  summary: Schema.optionalKey(Text),
  feedback_for_additional_tasks: Schema.optionalKey(Text)
}).annotate({ identifier: "Verification" })

export const RequirementsHistory = Schema.Struct({
  ...whose,
  requirements_path: Text,
  tasks_output_dir: Text,
  ...when,
  status: LoopBStatus,
  max_iterations: Count,
  current_iteration: Count,
  iterations: Schema.Array(
    Schema.Struct({
      iteration_number: Ordinal,
      tasks_yaml_path: TextOrNull,
      loop_c_history_id: described("The history of its task run; null: none was begun.", TextOrNull),
      verification_result: Schema.NullOr(Verification),
      unmet_requirements: Texts
    })
  ),
  completed_task_ids: Texts,
  loop_c_history_ids: Texts,
  final_result: described("Null until the loop has ended.", Schema.NullOr(Verification)),
  ...how
}).annotate({
  title: "History of a requirements run",
  description: "A file `loopb/{requirements}_{YYYYMMDD_HHMMSS}.json` that `proofline history export` writes.",
  examples: [
    {
      history_id: "login-requirements_20260101_110000",
      run_id: "run_02",
      requirements_path: "login-requirements.yaml",
      tasks_output_dir: "generated",
      started_at: "2026-01-01T11:00:00.000Z",
      updated_at: "2026-01-01T11:05:00.000Z",
      status: "executing_tasks",
      max_iterations: 3,
      current_iteration: 1,
      iterations: [
        {
          iteration_number: 1,
          tasks_yaml_path: "generated/login-tasks-iter1.yaml",
          loop_c_history_id: "login-tasks-iter1_20260101_110005",
          verification_result: null,
          unmet_requirements: []
        }
      ],
      completed_task_ids: [],
      loop_c_history_ids: ["login-tasks-iter1_20260101_110005"],
      final_result: null,
      error: null
    }
  ]
})
export type RequirementsHistory = typeof RequirementsHistory.Type

/** What governed the run. How agents are started is left out: a command line may hold what is nobody else's business. */
export const configFields = [...Struct.keys(settingOptions), "budget"] as const

export const TaskHistory = Schema.Struct({
  ...whose,
  loopb_history_id: described(
    "The history of the requirements run it belongs to; null: it belongs to none.",
    TextOrNull
  ),
  yaml_path: described("Absolute; null: it came from no file.", TextOrNull),
  ...when,
  completed: Schema.Boolean,
  task_results: Schema.Array(
    Schema.Struct({
      task_id: Text,
      status: Schema.Literals(["pending", "in_progress", "approved", "declined", "failed", "permission_denied"]),
      instruction_output: described(
        "The agent's own summary of its last attempt, else the end of what it printed.",
        Text
      ),
      validation_output: described(
        "How the last attempt was judged, a line each: refused claims, checks, review.",
        Text
      ),
      validation_approved: Schema.Boolean,
      attempts: Count,
      error: TextOrNull
    })
  ),
  completed_task_ids: Texts,
  current_task_id: TextOrNull,
  current_phase: Schema.NullOr(Schema.Literals(["instruction", "validation"])),
  total_attempts: Count,
  config_snapshot: described(
    "What governed the run, without how agents are started.",
    RunConfig.mapFields(Struct.pick(configFields))
  ),
  ...how
}).annotate({
  title: "History of a task run",
  description: "A file `{tasks}_{YYYYMMDD_HHMMSS}.json` that `proofline history export` writes."
})
export type TaskHistory = typeof TaskHistory.Type
