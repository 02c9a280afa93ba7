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
