import {
  begunStatus,
  Count,
  described,
  Ordinal,
  proofFields,
  proofOf,
  RunConfig,
  RunProof,
  ShownStatus,
  Stopped,
  stoppedFields,
  stoppedOf,
  Text,
  Texts
} from "@proofline/kernel"
import {
  CriterionVerdict,
  type Loop,
  LoopBStatus,
  Requirement,
  RequirementDefinition
} from "@proofline/plugins/policies/requirements"
import { Schema } from "effect"
import { document, oneProven, provenLogin } from "../base/Document.ts"
import type { State } from "../project/state.ts"
import { asked, askedFields } from "./run.ts"

const Criterion = Schema.Struct({
  id: described("`<requirement>.<n>`, from 1.", Text),
  criterion: Text,
  verdict: CriterionVerdict.fields.verdict,
  by: described("What decided it; null: nothing did.", CriterionVerdict.fields.by),
  tasks: described("Ids of the tasks whose work shows it.", Texts),
  message: described("What was seen, in a sentence.", Text)
}).annotate({ identifier: "Criterion" })

const RequirementDocument = Schema.Struct({
  id: Text,
  name: described("Its name; without one its description.", Text),
  priority: Requirement.fields.priority,
  verdict: CriterionVerdict.fields.verdict,
  met: Schema.Boolean,
  criteria: Schema.Array(Criterion)
}).annotate({ identifier: "Requirement" })

const TaskRun = Schema.Struct({
  iteration: Ordinal,
  run_id: described("Null: none was started.", Schema.NullOr(Text)),
  tasks_yaml_path: described("Null: there is no plan.", Schema.NullOr(Text)),
  status: described(
    "How it ended; null: it has not.",
    Schema.NullOr(Schema.Literals(["completed", "incomplete", "failed", "cancelled"]))
  ),
  tasks: described("Ids of its tasks.", Texts),
  uncovered: described("Ids of criteria that its plan left out.", Texts)
}).annotate({ identifier: "TaskRun" })

const Result = Schema.Struct({
  run_id: Text,
  asked,
  kind: Text,
  name: Text,
  status: described(
    "Of the loop. What has ended is `completed` or `failed`; what was interrupted stands where it stopped.",
    LoopBStatus
  ),
  run_status: ShownStatus,
  stopped: Schema.optionalKey(Stopped),
  message: described("Why it is not completed; empty when it is.", Text),
  ...RunProof.fields,
  requirements_path: described("Relative to the project.", Text),
  tasks_output_dir: Text,
  iterations: described("Iterations of this run so far.", Count),
  max_iterations: Count,
  requirements: Schema.Array(RequirementDocument),
  unmet_requirements: described("Ids, optional ones too.", Texts),
  completed_task_ids: described("Of all iterations, those of earlier runs of the file included.", Texts),
  task_runs: Schema.Array(TaskRun)
}).annotate({ identifier: "RequirementsRun" })

const Planned = Schema.Struct({
  run_id: Schema.Null,
  dry_run: Schema.Literal(true),
  status: Schema.Literal("planned"),
  name: Text,
  requirements_path: Text,
  iterations: Count,
  max_iterations: Count,
  generation: RequirementDefinition.fields.generation,
  verification: RequirementDefinition.fields.verification,
  config: described("How it would be run.", RunConfig),
  requirements: Schema.Array(
    Schema.Struct({
      id: Text,
      priority: Requirement.fields.priority,
      verdict: Schema.Literal("unproven"),
      met: Schema.Literal(false),
      criteria: Schema.Array(
        Schema.Struct({
          id: Text,
          criterion: Text,
          verdict: Schema.Literal("unproven"),
          check: Schema.NullOr(Text),
          verify: Schema.NullOr(Text)
        })
      )
    })
  )
}).annotate({ identifier: "Planned", description: "Of `--dry-run`: nothing was started." })

export const requirementsDocument = document({
  name: "run-requirements",
  kinds: ["run-requirements"],
  title: "Output of run-requirements",
  description: "What `proofline run-requirements FILE --json` prints, and `resume` and `history --show` of such a run.",
  data: Schema.Union([Result, Planned]),
  examples: [
    {
      run_id: "run_20260101_100000_k3x9q2",
      ...provenLogin,
      counts: oneProven,
      requirements_path: "login-requirements.yaml",
      tasks_output_dir: "generated",
      iterations: 1,
      max_iterations: 3,
      requirements: [
        {
          id: "req_1",
          name: "Log in",
          priority: "required",
          verdict: "proven",
          met: true,
          criteria: [
            {
              id: "req_1.1",
              criterion: "A known user gets a session",
              verdict: "proven",
              by: "check",
              tasks: [],
              message: "`node --test` passes."
            }
          ]
        }
      ],
      unmet_requirements: [],
      completed_task_ids: ["login"],
      task_runs: [
        {
          iteration: 1,
          run_id: "run_20260101_100000_k3x9q2-iter1",
          tasks_yaml_path: "generated/login-tasks-iter1.yaml",
          status: "completed",
          tasks: ["login"],
          uncovered: []
        }
      ]
    }
  ]
})

/** `data` of a requirements run that was started. `iterations` are those of this run; of the tasks the ids. */
export const requirementsData = (loop: Loop, state: State, taskRuns: ReadonlyArray<State>): typeof Result.Type => {
  const requirements = (loop.definition?.requirements ?? []).map((requirement) => requirementData(loop, requirement))
  return {
    run_id: state.run.run_id,
    ...askedFields(...taskRuns),
    kind: state.run.kind,
    name: state.run.name,
    status: loopStatus(loop, state),
    run_status: begunStatus(state.run),
    ...stoppedFields(state.run),
    message: state.run.message,
    ...proofFields(proofOf(state)),
    requirements_path: loop.requirements_path,
    tasks_output_dir: loop.tasks_output_dir,
    iterations: loop.iterations.length,
    max_iterations: loop.max_iterations,
    requirements,
    unmet_requirements: requirements.filter(({ met }) => !met).map(({ id }) => id),
    completed_task_ids: loop.completed.map(({ id }) => id),
    task_runs: loop.iterations.map(
      ({ ended, iteration_number, loop_c_history_id, tasks_yaml_path, uncovered, tasks }) => ({
        iteration: iteration_number,
        run_id: loop_c_history_id,
        tasks_yaml_path,
        status: ended?.status ?? null,
        tasks: tasks.map(({ id }) => id),
        uncovered
      })
    )
  }
}

const requirementData = (loop: Loop, requirement: Requirement): typeof RequirementDocument.Type => {
  const seen = loop.requirements.get(requirement.id)
  return {
    id: requirement.id,
    name: requirement.name ?? requirement.description,
    priority: requirement.priority,
    verdict: seen?.verdict ?? "unproven",
    met: seen?.met === true,
    criteria: requirement.acceptance_criteria.map(({ criterion, id }) => {
      const one = seen?.criteria.find((verdict) => verdict.id === id)
      return {
        id,
        criterion,
        verdict: one?.verdict ?? "unproven",
        by: one?.by ?? null,
        tasks: one?.tasks ?? [],
        message: one?.message ?? ""
      }
    })
  }
}

/** What has ended is completed or failed; anything else, also what was stopped, stands where its loop does. */
export const loopStatus = (loop: Loop, { run }: State): Loop["status"] => {
  if (run.status === "completed") return "completed"
  return (run.status === "failed" || run.status === "incomplete") && stoppedOf(run) === null ? "failed" : loop.status
}
