/**
 * Why something is refused in a session, by code, and under the same key with `_next` what to do. What stands behind `__`
 * tells sentences of one code apart. `{name}` stands for a field.
 */
export const refusalTexts = {
  // of what was handed in
  run_over__before: "The run was ended before what you handed in was judged: it counts for nothing.",
  run_over__before_next: "Call report_completed, then stop.",
  report_not_judged: "The report of task {task_id} could not be judged.",
  report_not_judged_next: "Send it again.",
  report_not_judged__again: "The report could not be judged: {why} What was accepted before stands.",
  report_not_judged__again_next: "Send it again.",
  no_transition: "The phase contract gives no way out of {phase} with this payload.",
  no_transition_next: "Ask the user to mend the contract, or hand in another payload.",
  run_over: "The run is at its end.",
  run_over_next: "Call report_completed, then stop.",
  verification_running__refused: "The commands that verify {phase} are running.",
  verification_running__refused_next: "Call get_next_action in a moment.",
  session_closed: "Session {session_id} is over: {why}.",
  session_closed_next: "Ask the user to open a new session.",
  session_closed__reported: "Session {session_id} is over: {why}.",
  session_closed__reported_next:
    "Stop here. For something new that the user asks for, call submit_phase(data={}): a new session begins.",
  // of the status of a task
  unknown_task: "There is no task {task_id}.",
  unknown_task_next: "Name one of the registered tasks; get_my_task_progress lists yours.",
  task_not_yours: "Task {task_id} is assigned to {assignee}.",
  task_not_yours_next: "Work on your own tasks; get_my_task_progress lists them.",
  dependents_open: "Other tasks wait for {task_id}: {tasks}.",
  dependents_open_next: "Cancel them first, and create anew what is still wanted, without this dependency.",
  dependencies_open: "Task {task_id} waits for: {tasks}.",
  dependencies_open_next: "Complete them first.",
  parent_not_open: "Task {task_id} is part of {parent}, which is {status}.",
  parent_not_open_next: "See to that task first.",
  parallel_limit: "At most {limit} tasks are worked on at the same time; these are: {tasks}.",
  parallel_limit_next: "Complete one of them first.",
  subtasks_incomplete: "Task {task_id} has open subtasks: {tasks}.",
  subtasks_incomplete_next: "Complete them first, or cancel them with a reason.",
  task_being_checked: "The report of task {task_id} is being checked.",
  task_being_checked_next: "Call get_next_action in a moment.",
  checklist_item_pending: "Task {task_id} has a checklist of {count} items; nobody has shown that they are done.",
  checklist_item_pending_next:
    'Call complete_task(task_id: "{task_id}", data: {summary, checklist}) with evidence or a reason for every item.',
  reason_required: "Task {task_id} cannot become {status} without a reason.",
  reason_required_next: "Give it in `reason`: why, and what would have to happen.",
  reason_required__long: "Task {task_id} cannot become {status} without a reason of at least {min} characters.",
  reason_required__long_next: "Give it in `reason`: why, and what would have to happen.",
  invalid_transition: "Task {task_id} is {from}; it cannot become {to}.",
  invalid_transition_next: "From {from} it can become: {next}.",
  invalid_transition__over: "Task {task_id} is {from}; it cannot become {to}.",
  invalid_transition__over_next: "Nothing follows {from}.",
  // the call before may have been carried out although its answer was lost
  invalid_transition__same: "Task {task_id} is {from} already.",
  invalid_transition__same_next: "It is as you asked: go on. From {from} it can become: {next}.",
  invalid_transition__over_same: "Task {task_id} is {from} already.",
  invalid_transition__over_same_next: "It is as you asked: go on. Nothing follows {from}.",
  // of new tasks
  empty_tasks: "The batch holds no task.",
  empty_tasks_next: "Name at least one.",
  duplicate_task_ids: "Local ids are taken already: {ids}.",
  duplicate_task_ids_next: "Give every task of the batch a local id of its own.",
  checklist_item_duplicate: "Checklist items are named twice in one task: {items}.",
  checklist_item_duplicate_next: "Name each once, or word them so that they can be told apart.",
  task_dependency_unknown: "Tasks depend on tasks that do not exist or were cancelled: {tasks}.",
  task_dependency_unknown_next: "Name tasks of the batch by their local_id, or registered tasks by their id.",
  parent_unknown: "Tasks are to be part of tasks that do not exist: {tasks}.",
  parent_unknown_next: "Name a task of the batch by its local_id, or a registered task by its id.",
  parent_not_open__over: "Task {task_id} is {status}; nothing can become part of it.",
  parent_not_open__over_next: "Create the task by itself, or below an open one.",
  task_not_yours__parent: "Task {task_id} is assigned to {assignee}.",
  task_not_yours__parent_next: "Split your own tasks; get_my_task_progress lists them.",
  task_being_checked__parent: "The report of task {task_id} is being checked; it may be done in a moment.",
  task_being_checked__parent_next: "Call get_next_action, then create what is still missing.",
  task_dependency_cycle: "Tasks would wait for each other: {tasks}.",
  task_dependency_cycle_next: "Remove one of these dependencies; a task also waits for its subtasks.",
  // of the end of a session
  run_stopped: "The run was stopped: it is not accepted.",
  run_stopped_next: "Report `blocked` or `failed`, and say in the summary what is open.",
  evidence_judged_again: "What was accepted is being judged again before the run ends.",
  evidence_judged_again_next: "Call get_next_action in a moment.",
  tasks_open: "Tasks assigned to you are open: {tasks}.",
  tasks_open_next: "Complete them, or withdraw them with a reason; get_my_task_progress shows them.",
  tasks_open__asked: "Tasks assigned to you are open: {tasks}.",
  tasks_open__asked_next: "A person must answer first: report `blocked`, and say in the summary what is open.",
  tasks_open__blocked: "Tasks assigned to you are open: {tasks}.",
  tasks_open__blocked_next: "All of them are blocked, or wait for what is: report `blocked`, and say what is needed.",
  tasks_open__workable: "Tasks assigned to you can be worked on: {tasks}.",
  tasks_open__workable_next: "Go on with them, or report `failed` and say why.",
  nothing_done: "No task was completed: there is nothing that succeeded.",
  nothing_done_next: "Report `failed`, and say in the summary why everything was withdrawn.",
  phase_open: "Phase {phase} is open: the work is not proven yet.",
  phase_open_next: "Call get_next_action, and submit {phase}.",
  phase_open__unplanned: "Phase {phase} is open: the work is not proven yet.",
  phase_open__unplanned_next:
    "No task is open: plan what is still to be done with create_tasks, or report `failed` and say why.",
  // where may be written
  outside_root: "The path leads out of the project.",
  outside_root_next: "Name a file of the project, by its path from the directory you work in.",
  not_a_file: "{path} is no file.",
  not_a_file_next: "Name the file that is to be written.",
  phase_cannot_write: "No file may be written in phase {phase}.",
  phase_cannot_write_next: "Submit {phase} first; files are written in {phases}.",
  write_target_late: "{path} was changed before anybody asked whether it may be written.",
  write_target_late_next:
    "Put it back as it was when the run began, ask again, then write it: what was written before the question cannot be cited.",
  not_explored: "{path} exists, and was neither looked at in exploration nor named in the plan.",
  not_explored_next:
    "Name it in a task: submit the plan again with a task or an item that names its path. Or write another file.",
  new_file_not_allowed: "{path} does not exist, and new files are not allowed here.",
  new_file_not_allowed_next:
    "Name an existing file, or ask with allow_new_files: true where the contract allows new files.",
  new_file_not_planned:
    "{path} would be new, in a folder of which nothing was looked at, and the plan does not name it.",
  new_file_not_planned_next:
    "Name it in a task: submit the plan again with a task or an item that names its path. Or put it beside a file that was looked at."
}

type Key = keyof typeof refusalTexts

export type RefusalKey = { [One in Key]: `${One}_next` extends Key ? One : never }[Key]
