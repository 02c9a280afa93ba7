import {
  type ActivityFailure,
  AttemptInput,
  type Base,
  criteriaReviewer,
  isLineFact,
  isOwnFile,
  type KernelState,
  mayBeOwnFile,
  RecordJudgment,
  type Request,
  subtaskStateOf,
  type TaskState,
  taskOf,
  touchedFiles
} from "@proofline/kernel"
import { Effect, Result } from "effect"
import { Baseline, type Changes, directoryOf, ProjectFiles, Syntax, Workspaces } from "../../port/index.ts"
import { missingFile } from "./expected.ts"
import { type ChangedFile, type Finding, isForeign, linesOf } from "./file.ts"
import { judgementOf, missingWork, type Seen } from "./judgement.ts"
import { omissionsIn } from "./omission.ts"
import { faultsOf } from "./readFacts.ts"
import { hasSubstance, stubsIn } from "./substance.ts"
import { todosIn } from "./todo.ts"

type Files = ProjectFiles["Service"]

type Run = (
  input: AttemptInput,
  context: { readonly state: KernelState }
) => Effect.Effect<Request<"tasks"> | null, ActivityFailure>

/** Judges an attempt by what it changed on disk. The result is a judgement; a place that cannot be had is a failure. */
export const makeCriteria: Effect.Effect<
  { readonly input: typeof AttemptInput; readonly run: Run },
  never,
  ProjectFiles | Workspaces | Syntax | Baseline
> = Effect.gen(function* () {
  const project = yield* ProjectFiles
  const workspaces = yield* Workspaces
  const { outline } = yield* Syntax
  const baseline = yield* Baseline

  const filesOf = Effect.fnUntraced(function* (state: KernelState, task: TaskState) {
    const directory = yield* directoryOf(workspaces, state, task)
    return directory === undefined || directory === project.root ? project : project.at(directory)
  })

  /** Which lines are new or were changed; null: nobody can tell. */
  const changesOf = Effect.fnUntraced(function* (files: Files, base: Base | null, path: string, text: string) {
    if (base === null) return null
    const changes = yield* baseline.changes(base, path, text)
    if (changes !== null || files === project) return changes
    // the base knows of the project's own files only: what is not among them was made in the other directory
    const here = yield* Effect.result(project.readText(path))
    return Result.isFailure(here) && here.failure.reason === "not_found" ? everything : null
  })

  const read = Effect.fnUntraced(function* (files: Files, base: Base | null, path: string) {
    const found = yield* Effect.result(files.readText(path))
    // removed again, or no text
    if (Result.isFailure(found)) return null
    const { text } = found.success
    const changes = yield* changesOf(files, base, path, text)
    if (changes === null) return path
    const lines = linesOf(text)
    const changed = lines.map((_, row) => changes.touched(row + 1, row + 1))
    const file: ChangedFile = {
      path,
      text,
      lines,
      outline: yield* outline(path, text),
      isChanged: (row) => changed[row] === true
    }
    const faults = yield* faultsOf(file, outline)
    return {
      path,
      omissions: [...omissionsIn(file), ...stubsIn(file)],
      todos: todosIn(file),
      faults,
      isDone: hasSubstance(file)
    }
  })

  const run: Run = Effect.fnUntraced(function* ({ attempt, task_id }, { state }) {
    const task = taskOf(state, task_id)
    if (task?.current?.attempt !== attempt || task.current.criteria !== null) return null
    const files = yield* filesOf(state, task)
    const looked = yield* Effect.forEach(pathsOf(state, task), (path) => read(files, state.run.base, path), {
      concurrency: filesAtOnce
    })
    const seen = seenIn(state, task, looked, yield* missing(state, files, task))
    return RecordJudgment({ task_id, attempt, reviewer: criteriaReviewer, ...judgementOf(seen), output: null })
  })
  return { input: AttemptInput, run }
})

/** A file that was read, and what was found in it. */
interface Looked {
  readonly path: string
  readonly omissions: ReadonlyArray<Finding>
  readonly todos: ReadonlyArray<Finding>
  readonly faults: ReadonlyArray<Finding>
  /** It holds something of its own. */
  readonly isDone: boolean
}

/** Files that a part was to bring, and did not. */
const missing = Effect.fnUntraced(function* (state: KernelState, files: Files, task: TaskState) {
  const expectation = { prompt: task.spec.instruction, files: touchedFiles(task) }
  const found = yield* Effect.forEach(subtaskStateOf(state, task)?.paths ?? [], (path) =>
    Effect.map(Effect.result(files.readText(path)), (result) =>
      missingFile(path, Result.isFailure(result) ? result.failure.reason : null, expectation)
    )
  )
  return found.filter((finding): finding is Finding => finding !== null)
})

/** What was found in the files of an attempt. `looked`: a path is of a file of which nobody can tell what was changed. */
const seenIn = (
  state: KernelState,
  task: TaskState,
  looked: ReadonlyArray<Looked | string | null>,
  expected_files: ReadonlyArray<Finding>
): Seen => {
  const readable = looked.filter((one) => one !== null && typeof one !== "string")
  // nobody is blamed for what may as well be somebody else's: the whole is judged once more in the end
  const judged = readable.filter(({ path }) => isOwnFile(state, task, path))
  // a file that is gone, or that nobody can read, was changed all the same
  const isDone = looked.length > readable.length || readable.some((one) => one.isDone)
  return {
    findings: {
      expected_files,
      no_omission_markers: judged.flatMap(({ omissions }) => omissions),
      no_todo_left: judged.flatMap(({ todos }) => todos),
      syntax_parses: judged.flatMap(({ faults }) => faults),
      evidence_present: missingWork(task, subtaskStateOf(state, task), looked.length > 0, isDone)
    },
    judged: judged.length,
    unknown: looked.filter((one) => typeof one === "string")
  }
}

const filesAtOnce = 4

const everything: Changes = { touched: () => true }

/** Files that are judged: those it changed, or, where nobody looked, those that are said to be its work. */
const pathsOf = (state: KernelState, task: TaskState): ReadonlyArray<string> => {
  const { current } = task
  const files = touchedFiles(task)
  const said =
    current?.files_modified == null
      ? [
          ...(subtaskStateOf(state, task)?.paths ?? []),
          ...(current?.facts ?? []).flatMap((fact) =>
            isLineFact(fact) && fact.outcome === "ok" && fact.path !== null ? [fact.path] : []
          )
        ]
      : []
  return [...new Set([...files, ...(current?.files_modified ?? []), ...said])].filter(
    (path) => !isForeign(path) && mayBeOwnFile(state, task, path)
  )
}
