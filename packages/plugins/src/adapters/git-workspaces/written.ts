import type { RunId, TaskId } from "@proofline/kernel"
import { Effect } from "effect"
import type { Repository } from "../../git/repository.ts"
import type { GitFailed } from "../../git/run.ts"
import { changesBetween, treeOf } from "../../git/tree.ts"
import { refsOf, runRefs } from "./names.ts"
import { readRefs } from "./refs.ts"
import { snapshotOf } from "./snapshot.ts"
import { type Failing, type Options, openWorktreeStore } from "./store.ts"

/** Of the files that change from one tree to another, how many are in the project as they are to be. */
export const countWritten = Effect.fnUntraced(function* (
  repository: Repository,
  { aim, from, to }: { readonly from: string; readonly to: string; readonly aim: string },
  now: string
): Effect.fn.Return<{ readonly files: number; readonly of: number }, GitFailed> {
  const all = yield* changesBetween(repository, from, to)
  const missing = new Set((yield* changesBetween(repository, now, aim)).map(({ path }) => path))
  return { files: all.filter(({ path }) => !missing.has(path)).length, of: all.length }
})

/** So many of the files that the subtasks of a task have changed are in the project. */
export interface Written {
  readonly task: TaskId
  readonly files: number
  readonly of: number
}

/** What has come into the project of split tasks of which no outcome is recorded: a run may end while they are put together. */
export const writtenOf = Effect.fnUntraced(function* (
  options: Options,
  run: RunId,
  tasks: ReadonlyArray<TaskId>
): Effect.fn.Return<ReadonlyArray<Written>, Failing> {
  if (tasks.length === 0) return []
  const store = yield* openWorktreeStore(options)
  const { repository } = store
  const known = yield* readRefs(store, runRefs(run))
  const begun = tasks.flatMap((task) => {
    const refs = refsOf(run, task)
    const [base, project] = [known.get(refs.base), known.get(refs.project)]
    const [was, goal] = project?.parents ?? []
    return base === undefined || project === undefined || was === undefined || goal === undefined
      ? []
      : [{ task, base: base.tree, aim: project.tree, was, goal }]
  })
  if (begun.length === 0) return []
  const now = (yield* snapshotOf(store, repository)).tree
  const found = yield* Effect.forEach(begun, ({ aim, base, goal, task, was }) =>
    Effect.gen(function* () {
      const before = yield* treeOf(repository, was)
      // when all was written the project is noted as it is, with what others have changed in it
      const sides = before === aim ? { from: base, to: yield* treeOf(repository, goal) } : { from: before, to: aim }
      return { task, ...(yield* countWritten(repository, { ...sides, aim }, now)) }
    })
  )
  return found.filter(({ files }) => files > 0)
})
