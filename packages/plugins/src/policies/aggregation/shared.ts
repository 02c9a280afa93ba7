import {
  type AggregationOutcome,
  buildsOn,
  type FileConflict,
  filesIn,
  isOwnFile,
  type KernelState,
  projectPath,
  ranTogether,
  subtaskStateOf,
  subtasksOf,
  type TaskState,
  touchedFiles
} from "@proofline/kernel"

/**
 * What the subtasks of a task changed where all work in the project itself. Everything is there already; a conflict is a
 * file that two of them changed at the same time, neither building on the other.
 *
 * A file that changed while several were at work may be anybody's. It is laid at the door of those whose report or whose
 * task names it. Where nothing tells whose it is, one may have overwritten the other: that is a conflict too.
 */
export const sharedOutcome = (state: KernelState, parent: TaskState): AggregationOutcome => {
  const subtasks = subtasksOf(state, parent).filter(({ status }) => status === "completed")
  const files_modified = [...new Set(subtasks.flatMap(touchedFiles))].sort()
  const { conflict_resolution, type } = state.run.config.chunking.aggregation_strategy
  const conflicts = files_modified.flatMap((file) => conflictOf(state, subtasks, file))
  if (conflicts.length === 0 || type === "last_wins" || conflict_resolution === "overwrite") {
    return { outcome: "merged", files_modified, conflicts, message: "" }
  }
  if (conflict_resolution === "fail") {
    // worktrees need a commit
    const apart =
      state.run.base?.commit == null
        ? "run them one after the other (`execution_mode: sequential`)"
        : "give each a worktree (`workspace: worktree`)"
    const message = `${filesOf(conflicts)} changed while several subtasks were at work, and one may have overwritten what another did. Nothing was undone. Put right what is lost, then take the files as they are with \`proofline resume ${state.run.run_id} --conflict-resolution overwrite\`. In another run let one of them depend on the other, or ${apart}.`
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
  const candidates = subtasks.filter((one) => touchedFiles(one).includes(file))
  const certain = candidates.filter(
    (one) => names(state, one, file) || !candidates.some((other) => other !== one && ranTogether(state, one, other))
  )
  const sources = certain.filter((one) =>
    certain.some((other) => other !== one && ranTogether(state, one, other) && !isBuiltOn(state, one, other))
  )
  const found = sources.length < 2 ? undecidedOf(state, candidates, file) : sources
  return found.length < 2 ? [] : [{ file, sources: found.map(({ spec }) => spec.id) }]
}

/** Those of whom each may have changed it while another did; none where one has the better claim to it. */
const undecidedOf = (
  state: KernelState,
  candidates: ReadonlyArray<TaskState>,
  file: string
): ReadonlyArray<TaskState> => {
  const unknown = candidates.filter(({ undecided }) => undecided.includes(file))
  const isOwned = candidates.some((one) => names(state, one, file) || isOwnFile(state, one, file))
  return isOwned
    ? []
    : unknown.filter((one) =>
        unknown.some((other) => other !== one && ranTogether(state, one, other) && !isBuiltOn(state, one, other))
      )
}

const isBuiltOn = (state: KernelState, a: TaskState, b: TaskState): boolean =>
  buildsOn(state, a).some(({ spec }) => spec.id === b.spec.id) ||
  buildsOn(state, b).some(({ spec }) => spec.id === a.spec.id)

/** The path as a word of its own: not as a part of another path. */
const names = (state: KernelState, task: TaskState, file: string): boolean => {
  const { current, spec } = task
  const { checklist = null, summary = "" } = current?.report ?? {}
  return (
    (checklist ?? []).some(({ evidence }) => isAbout(evidence ?? "", file)) ||
    filesIn(summary).some((name) => projectPath(name) === file) ||
    subtaskStateOf(state, task)?.paths.includes(file) === true ||
    spec.instruction.split(/[\s`"'(),;]+/).includes(file)
  )
}

const isAbout = (evidence: string, file: string): boolean =>
  evidence
    .trim()
    .replace(/^"|"(?=:)/g, "")
    .startsWith(`${file}:`)
