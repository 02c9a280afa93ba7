import type { AttemptSeen, TreePoint } from "./points.ts"

export const attemptName = ({ attempt, task_id }: Pick<AttemptSeen, "attempt" | "task_id">): string =>
  `attempt ${attempt} of ${task_id}`

/** A moment for people. */
export const momentName = ({ moment, run_id, version }: TreePoint): string => {
  switch (moment._tag) {
    case "begin":
      return `the beginning of ${run_id}`
    case "before":
      return `the beginning of ${attemptName(moment.attempt)}`
    case "after":
      return `the end of ${attemptName(moment.attempt)}`
    case "together":
      return `version ${version}, where the subtasks of ${moment.task_id} were put together`
    case "recorded":
      return moment.attempt === null ? `version ${version}` : `the end of ${attemptName(moment.attempt)}`
  }
}

/** Whose moment it is. */
export const attemptOf = ({ moment }: TreePoint): AttemptSeen | null => ("attempt" in moment ? moment.attempt : null)
