import { existsSync } from "node:fs"
import { readdir, rmdir } from "node:fs/promises"
import * as Path from "node:path"
import { enumerated, type RunId, type TaskId } from "@proofline/kernel"
import { Effect } from "effect"
import { ignoredWork } from "../../git/dependencies.ts"
import { git } from "../../git/run.ts"
import type { Closed } from "../../port/index.ts"
import { nameOf, runRefs } from "./names.ts"
import { type Kept, readRefs } from "./refs.ts"
import { snapshotOf } from "./snapshot.ts"
import {
  asRefusal,
  attempt,
  type Failing,
  fromProject,
  type Options,
  openWorktreeStore,
  type WorktreeStore
} from "./store.ts"
import { submodulesWithWork } from "./submodules.ts"
import { find, folderOf, forgetGone, isLocked, prepare, remove } from "./worktrees.ts"

/** Removes what is left of a run. */
export const close = (options: Options, run: RunId, lost: ReadonlyArray<TaskId>): Effect.Effect<Closed> =>
  // without a folder there never was a worktree
  existsSync(Path.join(Path.resolve(options.stateDir), "worktrees", nameOf(run)))
    ? Effect.flatMap(openWorktreeStore(options), (store) => closeRoom(store, run, new Set(lost.map(nameOf)))).pipe(
        Effect.catchTag("GitFailed", (failed) => Effect.fail(asRefusal(failed))),
        Effect.catch(({ message }) =>
          Effect.succeed({ stays: [`The worktrees of run ${run} stay: ${message}`], removed: [] })
        )
      )
    : Effect.succeed({ stays: [], removed: [] })

const closeRoom = Effect.fnUntraced(function* (
  store: WorktreeStore,
  run: RunId,
  lost: ReadonlySet<string>
): Effect.fn.Return<Closed, Failing> {
  yield* prepare(store, run)
  const folder = folderOf(store, run)
  const known = yield* readRefs(store, runRefs(run))
  const names = yield* attempt(`${folder} cannot be read`, () => readdir(folder))
  const stays: Array<string> = []
  const ignored = new Map<string, Array<string>>()
  for (const name of names.sort()) {
    const one = yield* removeOne(store, Path.join(folder, name), keptOf(known, name), lost.has(name))
    if (typeof one === "string") stays.push(one)
    else for (const path of one) ignored.set(path, [...(ignored.get(path) ?? []), name])
  }
  const removed = ignored.size === 0 ? [] : [leftOut(store, ignored)]
  if (stays.length > 0) return { stays, removed }
  yield* forgetGone(store, run)
  const deletions = [...known.keys()].map((ref) => `delete ${ref}\n`)
  if (deletions.length > 0) yield* git(store.repository, ["update-ref", "--stdin"], { input: deletions.join("") })
  yield* Effect.promise(() => rmdir(folder).catch(() => {}))
  return { stays, removed }
})

/** What was kept of the worktree of that name, or what it began with. */
const keptOf = (known: ReadonlyMap<string, Kept>, name: string): Kept | null => {
  const of = (end: string) => [...known].find(([ref]) => ref.endsWith(`/${end}`))?.[1]
  return of(name) ?? of(`${name}.start`) ?? null
}

/** Why it stays; or what git ignores of what was removed with it. */
const removeOne = Effect.fnUntraced(function* (store: WorktreeStore, top: string, kept: Kept | null, isLost: boolean) {
  if (kept === null) return unkept(top)
  const checkout = yield* find(store, top, kept.commit)
  if (checkout === null) return []
  if (yield* Effect.promise(() => isLocked(checkout.own)))
    return `The worktree ${top} stays, because it is locked. Unlock it with \`git worktree unlock\`, then remove it with \`git worktree remove\`.`
  const { nested, tree } = yield* snapshotOf(store, checkout, kept.commit)
  const repositories = isLost ? [] : [...nested, ...(yield* submodulesWithWork(checkout))]
  if (!isLost && (kept.tree !== tree || repositories.length > 0)) return unkept(top, repositories)
  const ignored = isLost ? [] : yield* ignoredWork(checkout)
  yield* remove(store, checkout)
  return ignored
})

/** So many are named. */
const maxNamed = 10

const leftOut = (store: WorktreeStore, ignored: ReadonlyMap<string, ReadonlyArray<string>>): string => {
  const named = [...ignored].map(
    ([path, names]) => `${fromProject(store, path)}${path.endsWith("/") ? "/" : ""} (${names.join(", ")})`
  )
  return `What git ignores is not brought into the project, and was removed with the worktrees: ${enumerated(named, maxNamed)}.`
}

const unkept = (top: string, repositories: ReadonlyArray<string> = []): string => {
  const where = repositories.length === 0 ? "" : ` in ${repositories.join(", ")}`
  return `The worktree ${top} stays, because it holds work${where} that was not kept. Look at it, then remove it with \`git worktree remove --force\`.`
}
