import { type Failure, filledIn } from "@proofline/kernel"
import type { PhasesState } from "./state.ts"

/** What is said of a failure where the contract has no sentence of its own. `{name}` stands for a field. */
export const sentences: Readonly<Record<string, string>> = {
  field_missing: "Field '{field}' is missing; expected: {expected}.",
  field_invalid: "Field '{field}' does not fit; expected: {expected}.",
  field_empty: "Field '{field}' must not be empty. Fill it in as the instruction says.",
  field_too_short: "Field '{field}' needs at least {min} characters.",
  empty_tasks: "The plan holds no task. Name at least one.",
  duplicate_task_ids: "Task id '{task_id}' is used twice. Give every task its own id.",
  explored_file_not_found:
    "There are no such files: {files}. Name only files that you have read, by their paths from the root.",
  task_id_invalid: "Task id '{task_id}' cannot be used: {why}. Name it with letters, digits, '_' and '-'.",
  no_pending_tasks: "Nothing would be left to do after this plan. Name at least one task that is open.",
  task_status_invalid:
    "Task '{task_id}' has status '{status}'. A new task is 'pending'; an open one is withdrawn with 'cancelled' and a reason. Nothing becomes done by a plan.",
  checklist_status_invalid:
    "Checklist item '{item}' of task '{task_id}' has status '{status}'. In a plan every item is 'pending'.",
  checklist_item_dropped:
    "The plan leaves out the checklist item '{item}' of task '{task_id}'. Keep it as it is worded; if it is not needed, report it as 'skipped' with a reason.",
  checklist_item_duplicate:
    "The checklist item '{item}' of task '{task_id}' is named twice. Name it once, or word each so that they can be told apart.",
  reason_required: "Task '{task_id}' needs a reason (min 10 chars). Explain why it is not done.",
  task_completed: "Task '{task_id}' is completed; a plan cannot change that. Leave it as it is, or add a new task.",
  dependency_unknown:
    "Task '{task_id}' depends on '{dependency}', which does not exist. Name the id of a task of the plan.",
  dependents_open: "Tasks wait for '{task_id}': {tasks}. Withdraw them too, or keep it.",
  dependency_cycle: "Tasks wait for each other: {tasks}. Remove one of these dependencies.",
  unknown_task: "There is no task '{task_id}'. Name one of the registered: {tasks}.",
  task_being_checked: "The report of task '{task_id}' is being checked. Call get_next_action in a moment.",
  already_completed: "Task '{task_id}' is completed already. Go on with the next open task; get_my_task shows it.",
  no_tasks_registered: "No task is registered. Submit a plan first.",
  no_open_tasks: "No task is open, and the work is not accepted yet. Add what is still to be done with create_tasks.",
  incomplete_tasks: "Tasks are open: {tasks}. Complete them, or withdraw them with a reason.",
  subtasks_incomplete:
    "Subtasks are open: {tasks}. Complete them or cancel them first: a task is completed after its subtasks.",
  dependencies_open: "Task '{task_id}' waits for: {tasks}. Complete them first.",
  task_not_yours:
    "Task '{task_id}' is assigned to {assignee}. Go on with your own tasks; get_my_task_progress lists them.",
  task_blocked: "Task '{task_id}' is {status}. Move it to in_progress with update_task_status first.",
  write_target_not_checked:
    "'{file_path}' is cited, but check_write_target was never asked about it. Ask it with this path, then report again.",
  person_required:
    "Phase {phase} waits for the answer of a person; an agent cannot give it. Tell the user, then call get_next_action.",
  phase_mismatch:
    "Phase {phase} does not take this payload. Follow its instruction, and hand in what expected_payload describes.",
  phase_mismatch_complete:
    "No task can be completed in phase {phase}. Follow its instruction, and hand in what expected_payload describes.",
  checklist_items_mismatch:
    "Reported checklist items don't match registered items. Include all items from the original checklist.",
  checklist_required: "Task '{task_id}' has a checklist: report every one of its items."
}

/** The contract's own sentence: that of the phase, of its family (`READY_IMPL` → `READY`), or of all. */
const sentenceOf = ({ setup }: PhasesState, phase: string, key: string): string | undefined => {
  const { failures } = setup.contract
  const family = phase.split("_")[0] ?? phase
  return [phase, family, "common"].map((name) => failures[name]?.[key]?.message).find((found) => found !== undefined)
}

/** Message of a failure: from the contract, else from the validator, else built in. */
export const failureOf = (
  phases: PhasesState,
  phase: string,
  key: string,
  fields: Failure["fields"] = {},
  item: string | null = null,
  found?: string
): Failure => {
  const own = sentenceOf(phases, phase, key)
  const message = own === undefined && found !== undefined ? found : filledIn(own ?? sentences[key] ?? key, fields)
  return { key, item, fields, message }
}
