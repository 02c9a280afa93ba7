import {
  type AggregationOutcome,
  buildsOn,
  type FileConflict,
  type KernelState,
  ranTogether,
  subtaskStateOf,
  subtasksOf,
  type TaskState
} from "@proofline/kernel"

/**
 * What the subtasks of a task changed where all work in the project itself. Everything is there already; a conflict is a
 * file that two of them changed at the same time, neither building on the other.
 *
 * A file that changed while several were at work may be anybody's. It is laid at the door of those whose report or whose
 * task names it; where that says nothing, nobody is accused.
 */
export const sharedOutcome = (state: KernelState, parent: TaskState): AggregationOutcome => {
  const subtasks = subtasksOf(state, parent).filter(({ status }) => status === "completed")
  const files_modified = [...new Set(subtasks.flatMap(({ files }) => files))].sort()
  const { conflict_resolution, type } = state.run.config.chunking.aggregation_strategy
  const conflicts = files_modified.flatMap((file) => conflictOf(state, subtasks, file))
  if (conflicts.length === 0 || type === "last_wins" || conflict_resolution === "overwrite") {
    return { outcome: "merged", files_modified, conflicts, message: "" }
  }
  if (conflict_resolution === "fail") {
    const message = `${filesOf(conflicts)} changed in several subtasks at the same time. Nothing was undone. Let one of them depend on the other, give each a worktree (\`workspace: worktree\`), or set \`conflict_resolution\`.`
    return { outcome: "conflict", files_modified, conflicts, message }
  }
  // whoever resumes has looked
  return state.run.resumes > 0
    ? { outcome: "merged", files_modified, conflicts, message: "" }
    : {
        outcome: "needs_person",
        files_modified,
        conflicts,
        message: `Look at ${filesOf(conflicts)}, put right what one overwrote of the other, then: proofline resume ${state.run.run_id}`
      }
}

const filesOf = (conflicts: ReadonlyArray<FileConflict>): string =>
  conflicts.map(({ file, sources }) => `${file} (${sources.join(", ")})`).join(", ")

const conflictOf = (
  state: KernelState,
  subtasks: ReadonlyArray<TaskState>,
  file: string
): ReadonlyArray<FileConflict> => {
  const candidates = subtasks.filter(({ files }) => files.includes(file))
  const certain = candidates.filter(
    (one) => names(state, one, file) || !candidates.some((other) => other !== one && ranTogether(state, one, other))
  )
  const sources = certain.filter((one) =>
    certain.some((other) => other !== one && ranTogether(state, one, other) && !isBuiltOn(state, one, other))
  )
  return sources.length < 2 ? [] : [{ file, sources: sources.map(({ spec }) => spec.id) }]
}

const isBuiltOn = (state: KernelState, a: TaskState, b: TaskState): boolean =>
  buildsOn(state, a).some(({ spec }) => spec.id === b.spec.id) ||
  buildsOn(state, b).some(({ spec }) => spec.id === a.spec.id)

/** The path as a word of its own: not as a part of another path. */
const names = (state: KernelState, task: TaskState, file: string): boolean => {
  const { current, spec } = task
  const cited = (current?.report?.checklist ?? []).some(({ evidence }) => isAbout(evidence ?? "", file))
  return (
    cited ||
    subtaskStateOf(state, task)?.paths.includes(file) === true ||
    spec.instruction.split(/[\s`"'(),;]+/).includes(file)
  )
}

const isAbout = (evidence: string, file: string): boolean =>
  evidence
    .trim()
    .replace(/^"|"(?=:)/g, "")
    .startsWith(`${file}:`)
