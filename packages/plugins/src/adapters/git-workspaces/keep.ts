import * as Path from "node:path"
import type { TaskId } from "@proofline/kernel"
import { Effect } from "effect"
import type { Checkout } from "../../git/run.ts"
import { changesBetween, commitTree } from "../../git/tree.ts"
import type { WorkspaceSpec } from "../../port/index.ts"
import { questionOf, settle } from "./answers.ts"
import { combine, type Merged } from "./merge.ts"
import { nameOf, type Refs, refsOf } from "./names.ts"
import { createRef, type Kept, readRefs, setRef } from "./refs.ts"
import { snapshotOf } from "./snapshot.ts"
import { type Failing, fromProject, headOf, refused, type WorktreeStore } from "./store.ts"
import { type Brought, broughtOnto } from "./wentBack.ts"
import { find, folderOf, isFolder, make } from "./worktrees.ts"

/** What a subtask works on. */
export interface Work {
  readonly store: WorktreeStore
  readonly workspaceSpec: WorkspaceSpec
  readonly refs: Refs
  readonly base: Kept
  readonly start: Kept
  readonly checkout: Checkout
}

/** The worktree of a subtask: the one that it has, or a new one of what it builds on. */
export const openWork = Effect.fnUntraced(function* (
  store: WorktreeStore,
  workspaceSpec: WorkspaceSpec
): Effect.fn.Return<Work, Failing> {
  const refs = refsOf(workspaceSpec.run_id, workspaceSpec.parent_task_id)
  const top = topOf(store, workspaceSpec.run_id, workspaceSpec.task_id)
  // looked at first: a beginning is noted before its worktree is made, by whoever else opens it just now too
  const isThere = yield* isFolder(top)
  const known = yield* readRefs(store, `${refs.folder}/`)
  const base = known.get(refs.base) ?? (yield* makeBase(store, refs))
  const begun = known.get(refs.start(workspaceSpec.task_id))
  // a new beginning would be what the project is now, not what it was
  if (begun === undefined && isThere) return yield* lost(store, workspaceSpec, [workspaceSpec.task_id])
  const start = begun ?? (yield* makeStart(store, workspaceSpec, refs, base))
  const commit = (known.get(refs.kept(workspaceSpec.task_id)) ?? start).commit
  const checkout = (yield* find(store, top, commit)) ?? (yield* make(store, top, commit))
  return { store, workspaceSpec, refs, base, start, checkout }
})

const makeBase = Effect.fnUntraced(function* (store: WorktreeStore, refs: Refs) {
  const { tree } = yield* snapshotOf(store, store.repository)
  const head = yield* headOf(store.repository)
  const commit = yield* commitTree(store.repository, tree, [head], "The project as it was before it was split\n")
  return yield* createRef(store, refs, refs.base, { commit, tree, parents: [head] })
})

const makeStart = Effect.fnUntraced(function* (
  store: WorktreeStore,
  workspaceSpec: WorkspaceSpec,
  refs: Refs,
  base: Kept
) {
  const { after, strategy, task_id } = workspaceSpec
  const { known, works: done } = yield* worksOf(store, workspaceSpec, after)
  let tree = base.tree
  for (const work of done) {
    const merged = yield* combine(store, work.start.tree, tree, work.kept.tree, strategy)
    const isDecided = strategy.type === "merge_all" && strategy.conflict_resolution === "overwrite"
    if (merged.conflicts.length === 0 || isDecided) {
      tree = merged.tree
      continue
    }
    const answer =
      strategy.conflict_resolution === "manual"
        ? yield* settle(store, questionOf(store, workspaceSpec, known, work, tree, merged.conflicts))
        : null
    if (answer === null || !("tree" in answer)) return yield* conflicting(store, workspaceSpec, work, done, merged)
    tree = answer.tree
  }
  const parents = [base.commit, ...done.map(({ kept }) => kept.commit)]
  const commit =
    done.length === 0 ? base.commit : yield* commitTree(store.repository, tree, parents, `What ${task_id} builds on\n`)
  return yield* createRef(store, refs, refs.start(task_id), { commit, tree, parents })
})

/** What a subtask began with and came to. */
export interface Done extends Brought {
  readonly task: string
  readonly start: Kept
}

type Parent = Pick<WorkspaceSpec, "parent_task_id" | "run_id" | "strategy">

/**
 * What completed subtasks came to, in order, and all refs of their parent. Each of them was kept: what is missing now
 * somebody has removed, and then it is refused, because without it their work would be left out.
 */
export const worksOf = Effect.fnUntraced(function* (
  store: WorktreeStore,
  parent: Parent,
  tasks: ReadonlyArray<TaskId>
): Effect.fn.Return<{ readonly known: ReadonlyMap<string, Kept>; readonly works: ReadonlyArray<Done> }, Failing> {
  for (const task of tasks) yield* keepForgotten(store, parent, task)
  const refs = refsOf(parent.run_id, parent.parent_task_id)
  const known = yield* readRefs(store, `${refs.folder}/`)
  const works: Array<Done> = []
  const missing: Array<TaskId> = []
  for (const task of tasks) {
    const start = known.get(refs.start(task))
    const kept = known.get(refs.kept(task))
    if (start === undefined || kept === undefined) missing.push(task)
    else works.push({ task, start, ...(yield* broughtOnto(store, start, kept)) })
  }
  return missing.length > 0 ? yield* lost(store, parent, missing) : { known, works }
})

/** What to do where the run cannot go on: what it had kept is nowhere else. */
export const beginAnew = "Begin a new run for the task: no resume of this one brings back what is gone."

/** Names the subtasks, and where their files still lie. */
const lost = Effect.fnUntraced(function* (
  store: WorktreeStore,
  { parent_task_id, run_id }: Pick<Parent, "parent_task_id" | "run_id">,
  tasks: ReadonlyArray<TaskId>
) {
  const { folder } = refsOf(run_id, parent_task_id)
  const tops = tasks.map((task) => topOf(store, run_id, task))
  const left = yield* Effect.filter(tops, isFolder)
  const where = left.length === 0 ? "" : ` Files of theirs are still in ${left.join(" and ")}: save what you need.`
  return yield* refused(
    "workplace_lost",
    `What ${tasks.join(", ")} began with or came to is no longer in the repository: somebody removed refs below ${folder}. Nothing was written to the project.${where} ${beginAnew}`
  )
})

const topOf = (store: WorktreeStore, run: string, task: string): string => Path.join(folderOf(store, run), nameOf(task))

/** For every path the subtasks that changed it, in order. */
export const sourcesOf = Effect.fnUntraced(function* (store: WorktreeStore, works: ReadonlyArray<Done>) {
  const sources = new Map<string, Array<string>>()
  for (const { kept, start, task } of works)
    for (const { path } of yield* changesBetween(store.repository, start.tree, kept.tree))
      sources.set(path, [...(sources.get(path) ?? []), task])
  return sources as ReadonlyMap<string, ReadonlyArray<string>>
})

/** What to do about changes of subtasks that cannot be had together. */
export const wayOut = (run: string): string =>
  `Let the later one win with \`proofline resume ${run} --conflict-resolution overwrite\`, or decide yourself with \`--conflict-resolution manual\`; in another run let one of them depend on the other.`

const conflicting = Effect.fnUntraced(function* (
  store: WorktreeStore,
  { run_id, strategy, task_id }: WorkspaceSpec,
  later: Done,
  done: ReadonlyArray<Done>,
  { conflicts }: Merged
) {
  const sources = yield* sourcesOf(store, done.slice(0, done.indexOf(later)))
  const files = conflicts.map((path) => {
    const names = [...(sources.get(path) ?? []), later.task]
    return `${fromProject(store, path)} (${names.join(" and ")})`
  })
  const advice =
    strategy.conflict_resolution === "manual"
      ? `You are asked to bring them together once the other subtasks are put together; when you have, \`proofline resume ${run_id}\` goes on with ${task_id}.`
      : wayOut(run_id)
  return yield* refused(
    "workplace_conflict",
    `${task_id} builds on subtasks that changed the same lines in different ways: ${files.join(", ")}. ${advice}`
  )
})

/** Keeps what the worktree holds; paths from the project that differ from what the subtask began with. */
export const keep = Effect.fnUntraced(function* ({ base, checkout, workspaceSpec, refs, store, start }: Work) {
  const { tree } = yield* snapshotOf(store, checkout, start.commit)
  const known = yield* readRefs(store, `${refs.folder}/`)
  const before = known.get(refs.kept(workspaceSpec.task_id))
  // somebody may have removed them while it was worked: here they are still known
  for (const [ref, kept] of [
    [refs.base, base],
    [refs.start(workspaceSpec.task_id), start]
  ] as const)
    if (!known.has(ref)) yield* createRef(store, refs, ref, kept)
  // commits that were made there stay reachable
  const head = yield* Effect.orElseSucceed(headOf(checkout), () => start.commit)
  const stood = head === before?.commit ? before.parents : [head]
  const parents = [...new Set([start.commit, ...stood])]
  if (before?.tree !== tree || parents.some((id) => !before.parents.includes(id))) {
    const commit = yield* commitTree(store.repository, tree, parents, `What ${workspaceSpec.task_id} came to\n`)
    yield* setRef(store, refs.kept(workspaceSpec.task_id), commit)
  }
  return insideProject(
    store,
    (yield* changesBetween(store.repository, start.tree, tree)).map(({ path }) => path)
  )
})

const insideProject = (
  { repository: { prefix } }: WorktreeStore,
  paths: ReadonlyArray<string>
): ReadonlyArray<string> =>
  paths
    .flatMap((path) => (prefix === "" ? [path] : path.startsWith(`${prefix}/`) ? [path.slice(prefix.length + 1)] : []))
    .sort()

/** What the worktree of a subtask holds that never came to be kept. What was kept stays what it was. */
const keepForgotten = Effect.fnUntraced(function* (
  store: WorktreeStore,
  parent: Parent,
  task_id: TaskId
): Effect.fn.Return<void, Failing> {
  const refs = refsOf(parent.run_id, parent.parent_task_id)
  const known = yield* readRefs(store, `${refs.folder}/`)
  const base = known.get(refs.base)
  const start = known.get(refs.start(task_id))
  if (base === undefined || start === undefined || known.has(refs.kept(task_id))) return
  const checkout = yield* find(store, topOf(store, parent.run_id, task_id), start.commit)
  const workspaceSpec: WorkspaceSpec = { ...parent, task_id, workspace: "worktree", after: [] }
  if (checkout !== null) yield* keep({ store, workspaceSpec, refs, base, start, checkout })
})
