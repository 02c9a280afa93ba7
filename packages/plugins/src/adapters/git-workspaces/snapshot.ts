import { copyFile, lstat, stat, utimes } from "node:fs/promises"
import * as Path from "node:path"
import { Effect } from "effect"
import { isWithin } from "../../git/paths.ts"
import { type Checkout, git, gitLine, gitNames, type NameOptions } from "../../git/run.ts"
import { changedFiles, unknownFiles } from "../../git/status.ts"
import { attempt, type Git, stateOf, type WorktreeStore, withScratch } from "./store.ts"

export interface Snapshot {
  /** Id of a tree: tracked files as they are on disk, and untracked ones that git does not ignore. */
  readonly tree: string
  /** Folders with repositories of their own, which no tree can hold. From the top, `/` separated. */
  readonly nested: ReadonlyArray<string>
}

/**
 * A checkout as it is now. Its index is read and not written. With `start`, a file of that commit which is still there
 * counts also when git has been told to forget it. A change whose name is not valid UTF-8 is refused in a worktree, as
 * it would be lost, and so where it is to be `refused`; in the user's checkout, where nothing of that name is ever
 * written, it is as if it was not made.
 */
export const snapshotOf = (
  store: WorktreeStore,
  checkout: Checkout,
  start: string | null = null,
  unreadable: NonNullable<NameOptions["unreadable"]> = checkout.own === store.repository.own ? "left out" : "refused"
): Git<Snapshot> =>
  withScratch(store, (index) =>
    Effect.gen(function* () {
      yield* copyIndex(checkout, index)
      const options: NameOptions = { index, unreadable }
      const changed = yield* changedFiles(checkout, "index", options)
      const pathsOf = (isGone: boolean) =>
        new Set(changed.flatMap(({ path, status }) => ((status === "D") === isGone ? [path] : [])))
      // what is behind a link now, where a folder was, can only be removed by force
      yield* take(checkout, index, pathsOf(true), ["--force-remove"])
      yield* take(checkout, index, pathsOf(false))
      const others = yield* unknownFiles(checkout, "new", options)
      const state = stateOf(store)
      const isOurs = (path: string) => !isWithin(state, checkout.top) && isWithin(state, Path.join(checkout.top, path))
      const own = others.filter((path) => !isOurs(path))
      yield* take(checkout, index, new Set(own.filter((path) => !path.endsWith("/"))))
      if (start !== null) yield* take(checkout, index, new Set(yield* forgotten(checkout, index, start)))
      const tree = yield* gitLine(checkout, ["write-tree"], { index })
      return { tree, nested: own.filter((path) => path.endsWith("/")) }
    })
  )

const copyIndex = ({ own }: Checkout, to: string) =>
  attempt(`The index of ${own} cannot be read`, async () => {
    const from = Path.join(own, "index")
    const found = await stat(from).catch(() => null)
    if (found === null) return
    await copyFile(from, to)
    // git looks again at files that are as new as the index; a copy must not seem newer than it is
    const second = Math.floor(found.mtimeMs / 1_000)
    await utimes(to, second, second)
  })

/** Files as they are on disk, or their absence. */
const take = (
  checkout: Checkout,
  index: string,
  paths: ReadonlySet<string>,
  how: ReadonlyArray<string> = ["--add", "--remove", "--replace"]
): Git<void> =>
  paths.size === 0
    ? Effect.void
    : Effect.asVoid(
        git(checkout, ["update-index", "-z", ...how, "--stdin"], {
          index,
          input: [...paths].map((path) => `${path}\0`).join("")
        })
      )

const forgotten = Effect.fnUntraced(function* (checkout: Checkout, index: string, start: string) {
  const removed = yield* gitNames(
    checkout,
    [
      ...["diff-index", "--cached", "-z", "--name-only", "--no-renames", "--diff-filter=D", "--ignore-submodules=all"],
      start
    ],
    { index }
  )
  const found = yield* attempt("The worktree cannot be read", () =>
    Promise.all(
      removed.map(async (path) => {
        const stat = await lstat(Path.join(checkout.top, path)).catch(() => null)
        return stat !== null && (stat.isFile() || stat.isSymbolicLink()) && !(await isBehindLink(checkout.top, path))
      })
    )
  )
  return removed.filter((_, i) => found[i])
})

/** Whether a folder on the way to a file is a link. */
const isBehindLink = async (top: string, path: string): Promise<boolean> => {
  for (let folder = Path.dirname(path); folder !== "."; folder = Path.dirname(folder))
    if ((await lstat(Path.join(top, folder)).catch(() => null))?.isSymbolicLink() === true) return true
  return false
}
