import * as Path from "node:path"
import type { Place } from "@proofline/kernel"
import { Effect } from "effect"
import type { GitFailed } from "../../git/git.ts"
import { changesBetween, combine, commitTree, type Merged } from "./merge.ts"
import { nameOf, type Refs, refsOf } from "./names.ts"
import { type Checkout, type Failing, gitAt, headOf, type Room, refused } from "./room.ts"
import { snapshotOf } from "./snapshot.ts"
import { find, folderOf, make } from "./worktrees.ts"

/** A commit of ours that a ref keeps. */
export interface Kept {
  readonly commit: string
  readonly tree: string
  readonly parents: ReadonlyArray<string>
}

/** By full name of the ref. `prefix` ends with a `/`. */
export const readRefs = (room: Room, prefix: string): Effect.Effect<ReadonlyMap<string, Kept>, GitFailed> =>
  Effect.map(
    gitAt(room.repository, ["for-each-ref", "--format=%(refname) %(objectname) %(tree) %(parent)", prefix]),
    (printed) =>
      new Map(
        printed.split("\n").flatMap((line): ReadonlyArray<readonly [string, Kept]> => {
          const [ref = "", commit = "", tree = "", ...parents] = line.split(" ")
          return tree === "" ? [] : [[ref, { commit, tree, parents: parents.filter((id) => id !== "") }]]
        })
      )
  )

export const setRef = (room: Room, ref: string, commit: string): Effect.Effect<void, GitFailed> =>
  Effect.asVoid(gitAt(room.repository, ["update-ref", ref, commit]))

/** What the ref keeps afterwards: what another process has made it in the meantime counts. */
const createRef = Effect.fnUntraced(function* (room: Room, refs: Refs, ref: string, made: Kept) {
  // the empty value: it must not exist
  const failed = yield* Effect.match(gitAt(room.repository, ["update-ref", ref, made.commit, ""]), {
    onFailure: (failure) => failure,
    onSuccess: () => null
  })
  if (failed === null) return made
  const found = (yield* readRefs(room, `${refs.folder}/`)).get(ref)
  return found ?? (yield* Effect.fail(failed))
})

/** What a subtask works on. */
export interface Work {
  readonly room: Room
  readonly place: Place
  readonly refs: Refs
  readonly start: Kept
  readonly checkout: Checkout
}

/** The worktree of a subtask: the one that it has, or a new one of what it builds on. */
export const openWork = Effect.fnUntraced(function* (room: Room, place: Place): Effect.fn.Return<Work, Failing> {
  const refs = refsOf(place.run_id, place.parent_task_id)
  const known = yield* readRefs(room, `${refs.folder}/`)
  const base = known.get(refs.base) ?? (yield* makeBase(room, refs))
  const start = known.get(refs.start(place.task_id)) ?? (yield* makeStart(room, place, refs, base, known))
  const commit = (known.get(refs.kept(place.task_id)) ?? start).commit
  const top = Path.join(folderOf(room, place.run_id), nameOf(place.task_id))
  const checkout = (yield* find(room, top, commit)) ?? (yield* make(room, top, commit))
  return { room, place, refs, start, checkout }
})

const makeBase = Effect.fnUntraced(function* (room: Room, refs: Refs) {
  const { tree } = yield* snapshotOf(room, room.repository)
  const head = yield* headOf(room.repository)
  const commit = yield* commitTree(room.repository, tree, [head], "The project as it was before it was split\n")
  return yield* createRef(room, refs, refs.base, { commit, tree, parents: [head] })
})

const makeStart = Effect.fnUntraced(function* (
  room: Room,
  { after, strategy, task_id }: Place,
  refs: Refs,
  base: Kept,
  known: ReadonlyMap<string, Kept>
) {
  const done = worksOf(refs, after, known)
  let tree = base.tree
  for (const work of done) {
    const merged = yield* combine(room, work.start.tree, tree, work.kept.tree, strategy)
    const isDecided = strategy.type === "merge_all" && strategy.conflict_resolution === "overwrite"
    if (merged.conflicts.length > 0 && !isDecided) return yield* conflicting(room, task_id, work, done, merged)
    tree = merged.tree
  }
  const parents = [base.commit, ...done.map(({ kept }) => kept.commit)]
  const commit =
    done.length === 0 ? base.commit : yield* commitTree(room.repository, tree, parents, `What ${task_id} builds on\n`)
  return yield* createRef(room, refs, refs.start(task_id), { commit, tree, parents })
})

/** What a subtask began with and came to. */
export interface Done {
  readonly task: string
  readonly start: Kept
  readonly kept: Kept
}

/** Without those that never had a worktree or kept nothing. */
export const worksOf = (
  refs: Refs,
  tasks: ReadonlyArray<string>,
  known: ReadonlyMap<string, Kept>
): ReadonlyArray<Done> =>
  tasks.flatMap((task) => {
    const start = known.get(refs.start(task))
    const kept = known.get(refs.kept(task))
    return start === undefined || kept === undefined ? [] : [{ task, start, kept }]
  })

/** For every path the subtasks that changed it, in order. */
export const sourcesOf = Effect.fnUntraced(function* (room: Room, works: ReadonlyArray<Done>) {
  const sources = new Map<string, Array<string>>()
  for (const { kept, start, task } of works)
    for (const { path } of yield* changesBetween(room.repository, start.tree, kept.tree))
      sources.set(path, [...(sources.get(path) ?? []), task])
  return sources as ReadonlyMap<string, ReadonlyArray<string>>
})

const conflicting = Effect.fnUntraced(function* (
  room: Room,
  task: string,
  later: Done,
  done: ReadonlyArray<Done>,
  { conflicts }: Merged
) {
  const sources = yield* sourcesOf(room, done.slice(0, done.indexOf(later)))
  const files = conflicts.map((path) => {
    const names = [...(sources.get(path) ?? []), later.task]
    return `${fromProject(room, path)} (${names.join(" and ")})`
  })
  return yield* refused(
    "workplace_conflict",
    `${task} builds on subtasks that changed the same lines in different ways: ${files.join(", ")}. Let one of them depend on the other, or let the later one win with \`conflict_resolution: overwrite\`.`
  )
})

/** From the project, also for what lies beside it in the repository. */
export const fromProject = ({ repository }: Room, path: string): string => Path.posix.relative(repository.prefix, path)

/** Keeps what the worktree holds; paths from the project that differ from what the subtask began with. */
export const keep = Effect.fnUntraced(function* ({ checkout, place, refs, room, start }: Work) {
  const { tree } = yield* snapshotOf(room, checkout, start.commit)
  const before = (yield* readRefs(room, `${refs.folder}/`)).get(refs.kept(place.task_id))
  // commits that were made there stay reachable
  const head = yield* Effect.orElseSucceed(headOf(checkout), () => start.commit)
  const parents = [...new Set([start.commit, head])].filter((id) => id !== before?.commit)
  if (before?.tree !== tree || parents.some((id) => !before.parents.includes(id))) {
    const commit = yield* commitTree(room.repository, tree, parents, `What ${place.task_id} came to\n`)
    yield* setRef(room, refs.kept(place.task_id), commit)
  }
  return insideProject(
    room,
    (yield* changesBetween(room.repository, start.tree, tree)).map(({ path }) => path)
  )
})

const insideProject = ({ repository: { prefix } }: Room, paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths
    .flatMap((path) => (prefix === "" ? [path] : path.startsWith(`${prefix}/`) ? [path.slice(prefix.length + 1)] : []))
    .sort()

/** What the worktree of a subtask holds that never came to be kept. What was kept stays what it was. */
export const keepForgotten = Effect.fnUntraced(function* (room: Room, place: Place): Effect.fn.Return<void, Failing> {
  const refs = refsOf(place.run_id, place.parent_task_id)
  const known = yield* readRefs(room, `${refs.folder}/`)
  const start = known.get(refs.start(place.task_id))
  if (start === undefined || known.has(refs.kept(place.task_id))) return
  const top = Path.join(folderOf(room, place.run_id), nameOf(place.task_id))
  const checkout = yield* find(room, top, start.commit)
  if (checkout !== null) yield* keep({ room, place, refs, start, checkout })
})
