/**
 * What an agent is told to do next where its phase does not say it, by key. `{name}` stands for a field. A contract says
 * each in its own words under `instructions`.
 */

import { filledIn, Rejection } from "@proofline/kernel"
import { mismatchTexts } from "../../../operations/answers.ts"
import { type RefusalKey, refusalTexts } from "./refusalTexts.ts"
import type { SessionsState } from "./state.ts"

export const instructionTexts = {
  // what get_next_action answers with
  report_completion: 'Nothing is left for you. Call report_completed(result: "success", summary), then stop.',
  ask_user:
    "A person must answer. Tell the user the question and that they answer with `proofline answer`; wait for it, then call get_next_action.",
  ask_user_about_task:
    'A person is asked how it goes on, and nothing else is left for you. {task} {asked} Tell the user, and that they answer with `proofline answer`; then call get_next_action. When nobody is there, call report_completed(result: "blocked", summary).',
  wait: "Something is being checked, or others have to finish first. Call get_next_action again in a moment.",
  wait_for_tasks: "Others have to finish first: {waiting}. Call get_next_action again later.",
  create_tasks:
    "Nothing is left to work on, and the work is not accepted yet. Create what is still to be done with create_tasks.",
  get_task: "A task was given to you. Fetch it with get_my_task.",
  create_subtasks:
    'Split the task, if it is too large to be done in one piece, with create_tasks (parent_task_id: "{task_id}"); otherwise call get_next_action again. {task}',
  work: "Work on this task yourself. {task} {finish}",
  execute_subtask: "Carry out the current subtask. {task} {finish}",
  start_subtask:
    "Start the next subtask: set its status to in_progress with update_task_status, and carry it out. {task} {finish}",
  review_and_resolve_blocks:
    'Everything that is left is blocked or put off. {task} Resolve what blocks it and set it to in_progress, cancel it with a reason, or call report_completed(result: "blocked", summary) and say what is needed.',
  dependency_deadlock: "Nothing can be started: {waiting}. Take up what they wait for, or cancel them with a reason.",
  // parts of those
  begin_first: "Set its status to in_progress with update_task_status first.",
  subtasks_closed: "All its subtasks are closed.",
  finish_by_status: "When it is done, set its status to done with update_task_status.",
  finish_by_report:
    'When it is done, call complete_task(task_id: "{task_id}", data: {summary, checklist}) with evidence or a reason for every item.',
  task_waits: "{task_id} waits for {tasks}",
  item_cannot: "'{item}' cannot be done: {reason}",
  whole_instruction: "Ask check_write_target before a write; get_next_action tells the whole instruction.",
  // after a report
  other_work: "A person is asked, and you go on with other work meanwhile.",
  evidence_being_checked: "The evidence is being checked. Call get_next_action in a moment.",
  tasks_left: "Look with get_my_task_progress at the tasks that are left, and go on with them.",
  only_asked_left:
    "Only tasks are left about which a person is asked. Call get_next_action once they have answered, or report_completed with result blocked.",
  only_blocked_left:
    "Only blocked tasks are left. Resolve what blocks them, or call report_completed with result blocked and say what is needed.",
  all_done: "All tasks assigned to you are done. Call report_completed.",
  all_done_phase_open:
    "All tasks assigned to you are done. Submit {phase} with submit_phase; when every phase is done, call report_completed.",
  no_task: "No task is assigned to you. Call get_next_action.",
  next_action: "Call get_next_action.",
  write_target_allowed: "Write it, then report the task with complete_task.",
  // where the run or the session stands
  verification_running: "The commands that verify {phase} are running. Call get_next_action in a moment.",
  judged_again: "What was accepted is judged again before the run ends. Call get_next_action in a moment.",
  phases_done: "All phases are done. Call report_completed, then stop.",
  run_ended: 'The run was ended by a person. Call report_completed(result: "failed", summary), then stop.',
  session_over:
    "The session is over. Stop here. For something new that the user asks for, call submit_phase(data={}): a new session begins, and says what to do.",
  session_over_token:
    "The session is over. Stop here. Its token opens nothing any more; for something new the user opens another session.",
  // of what was handed in and is not taken
  failures_one: mismatchTexts.one,
  failures_many: mismatchTexts.many,
  failures_next: mismatchTexts.next,
  person_required_next:
    "Tell the user what is asked, and that they answer with `proofline answer`. Then call get_next_action.",
  phase_mismatch_next:
    "`{field}` is taken in {phases}. Submit {phase} as it is asked for; create_tasks adds tasks at any time.",
  phase_mismatch_complete_next: "Submit {phase} first; tasks are completed in {phases}.",
  no_phase: "no phase",
  verification_failed_person: "The commands that verify {phase} failed; a person must decide how it goes on.",
  verification_failed_person_next:
    "Change nothing. Tell the user what fails (see `verification`) and that they answer with `proofline answer`; then call get_next_action.",
  verification_failed_end: "The commands that verify {phase} failed; the run is at its end.",
  verification_failed_end_next: "Do what the instruction says.",
  verification_failed_unplanned:
    "The commands that verify {phase} failed; the work goes on in {current}, and no task is open.",
  verification_failed_unplanned_next:
    "Read the output in `verification`, and plan what is still to be done with create_tasks.",
  verification_failed_again: "The commands that verify {phase} failed; it is handed in again when that is mended.",
  verification_failed_all:
    "The commands that verify {phase} failed; the work goes on in {current}, and all tasks are to be reported again: nothing tells which of them it concerns.",
  verification_failed_some:
    "The commands that verify {phase} failed; the work goes on in {current}, and of the tasks only these are to be reported again: {tasks}.",
  verification_failed_next:
    "Read the output in `verification`, repair what it shows, and do what the instruction says.",
  verification_concerns: "{task_id} (the output names {files})",
  // warnings, by their codes
  warning_field_unexpected: "Field {field} is not asked for, so nothing is made of it.",
  warning_checklist_missing:
    "Task {task_id} has no checklist: nothing will show that it is done. Submit the plan again with items for it.",
  warning_checklist_missing_reported: "Task {task_id} has no checklist: it is done by word alone.",
  warning_done_by_word: "Task {task_id} has no checklist: it is done by word alone.",
  warning_checklist_missing_created_one: "One task has no checklist: nothing will show that they are done.",
  warning_checklist_missing_created: "{count} tasks have no checklist: nothing will show that they are done.",
  warning_task_kept:
    'Task {task_id} is not named, and stays open. Withdraw it with status "cancelled" and a reason if it is not wanted.',
  warning_task_completed: "Task {task_id} is completed, and stays so.",
  warning_text_kept:
    "Task {task_id} keeps the description it was registered with. Withdraw it and register another one to ask for something else.",
  warning_task_cancelled: "Task {task_id} was cancelled, and stays so. Plan what is wanted again under a new id.",
  warning_items_not_taken:
    "Task {task_id} is completed; these items are not part of it: {items}. Register a new task for them.",
  warning_no_verifiers:
    "No command verifies {phase}: what the checklists show is all that is shown. Commands are named under `verifiers:` in proofline.yaml.",
  // what is missing at the end
  repair:
    "This may keep the run from being completed. Before you hand the phase in: report tasks again with better evidence (complete_task), or plan what is missing (submit_phase with tasks).",
  repair_at_end:
    "The run has not ended: report tasks again with better evidence (complete_task), or plan what is missing (submit_phase with tasks). Calling report_completed again without that ends it as incomplete.",
  not_proven_one: "One thing is not shown. {missing}",
  not_proven_many: "{count} things are not shown. {missing}",
  not_proven_next: "{next} The session is still open; report_completed again without that ends the run as incomplete.",
  missing_open: "It is not done.",
  missing_open_next: "Complete it with complete_task.",
  missing_withdrawn: "It was withdrawn.",
  missing_cannot: "It cannot be done: {reason}",
  missing_cannot_next:
    "A person says with `proofline answer` how it goes on; whoever finds a way reports the task again.",
  missing_by_word: "It has no checklist, and is done by word alone.",
  missing_not_shown: "It is not shown.",
  missing_nothing_shown: "Every item was left out with a reason: nothing is shown to be done.",
  missing_plan_next:
    "Plan what is left of it as a task with a checklist (submit_phase with `tasks`), and report every item with evidence.",
  missing_report_next: "Report the task again with complete_task, with evidence that shows the item.",
  missing_escrow: "It has not passed on the work as it is.",
  missing_escrow_next: "Make what was asked for hold in every case, and hand in the phase that verifies the work.",
  missing_was_green: "It passes, and is not known to have failed before the work: it shows nothing by itself.",
  missing_agents_check: "It passes, and runs nothing but what was written in this run: it shows nothing by itself.",
  missing_check_changed: "It passes, and files that it rests on were changed in this run.",
  missing_command: "It is not known to show the work.",
  missing_command_next: "Show the work by evidence: plan a task with a checklist, and report every item of it.",
  ...refusalTexts
} satisfies Readonly<Record<string, string>>

export type InstructionKey = keyof typeof instructionTexts

/** What a sentence may hold in braces, by key: what the built-in one holds. */
export const instructionPlaceholders: Readonly<Record<string, ReadonlyArray<string>>> = Object.fromEntries(
  Object.entries(instructionTexts).map(([key, text]) => [
    key,
    Array.from(text.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name)
  ])
)

type Fields = Readonly<Record<string, string | number>>

/** What says in which words agents are told something. */
export interface Instructing {
  readonly sessions: Pick<SessionsState, "phases">
}

/** The sentence as the contract of the run has it, else the built-in one. */
export const instructed = ({ sessions: { phases } }: Instructing, key: InstructionKey, fields: Fields = {}): string => {
  const own = phases?.setup.contract.instructions ?? {}
  const text = (Object.hasOwn(own, key) ? own[key] : undefined) ?? instructionTexts[key]
  // what is empty leaves no gap
  const whole = text.replace(/ ?\{(\w+)\}/g, (said, name: string) => (fields[name] === "" ? "" : said))
  return filledIn(whole, fields)
}

/** A refusal in the words of the contract: the key in `refusalTexts`, and its code in front of `__`. */
export const refusedAs = (
  state: Instructing,
  key: RefusalKey,
  fields: Fields = {},
  { kind = "invalid", open = [] }: Partial<Pick<Rejection, "kind" | "open">> = {}
): Rejection =>
  new Rejection({
    code: key.split("__")[0] ?? key,
    message: instructed(state, key, fields),
    hint: instructed(state, `${key}_next`, fields),
    open,
    kind
  })
