import { resumeOptions } from "@proofline/plugins/options"

const { note: _note, task: _task, ...whole } = resumeOptions
const { max_iterations: _iterations, tasks_output_dir: _dir, take_over: _take, ...tasks } = whole

/** How a run goes on that makes tasks of requirements. */
export const ofWhole = whole

/** How any other one goes on: it has no loop. */
export const ofTasks = tasks
