import { lstat, mkdir, readdir, readFile, rename, rmdir, writeFile } from "node:fs/promises"
import * as Path from "node:path"
import { Effect } from "effect"
import { alone } from "../../git/alone.ts"
import { linkDependencies } from "../../git/dependencies.ts"
import { isWithin } from "../../git/paths.ts"
import { removeTree } from "../../git/removeTree.ts"
import { type Checkout, git } from "../../git/run.ts"
import { makeDirectory } from "../../log/logDirectories.ts"
import { isAbandoned, newName } from "../../processes/names.ts"
import { nameOf } from "./names.ts"
import {
  attempt,
  type Failing,
  type Git,
  refused,
  removeScratch,
  removeStaleLocks,
  type WorktreeStore
} from "./store.ts"

/*
 * A worktree is created under a temporary name and renamed when complete, and renamed away before removal, so a worktree
 * at its final path is always complete. Git keeps knowing it by the temporary name.
 */

export const folderOf = (store: Pick<WorktreeStore, "worktrees">, run: string): string =>
  Path.join(store.worktrees, nameOf(run))

const administration = ({ repository }: WorktreeStore): string => Path.join(repository.common, "worktrees")

/** The worktree in a place, with what git knows of it put right; null when there is none. */
export const find = Effect.fnUntraced(function* (
  store: WorktreeStore,
  top: string,
  commit: string
): Effect.fn.Return<Checkout | null, Failing> {
  if (!(yield* isFolder(top))) return null
  const own = (yield* attempt(`${top} cannot be read`, () => ownOf(store, top))) ?? (yield* adopt(store, top, commit))
  yield* attempt(`${own} cannot be written`, async () => {
    // an agent may have removed the folder that it works in
    await mkdir(Path.join(top, store.repository.prefix), { recursive: true })
    await put(Path.join(own, "gitdir"), `${Path.join(top, ".git")}\n`)
    // a folder of that name is a repository somebody has made there: it is not ours to remove
    if ((await statOf(Path.join(top, ".git")))?.isDirectory() !== true)
      await put(Path.join(top, ".git"), `gitdir: ${own}\n`)
    await removeStaleLocks(own)
  })
  return { top, own }
})

export const isFolder = (path: string): Git<boolean> =>
  attempt(`${path} cannot be read`, async () => (await statOf(path))?.isDirectory() === true)

const statOf = (path: string) => lstat(path).catch(() => null)

const put = async (file: string, text: string): Promise<void> => {
  if ((await readFile(file, "utf8").catch(() => null)) !== text) await writeFile(file, text)
}

/** What git keeps of a worktree: the folder that it names, or else one that names it. */
const ownOf = async (store: WorktreeStore, top: string): Promise<string | null> => {
  const folder = administration(store)
  const link = Path.join(top, ".git")
  const named = /^gitdir: (.+)$/m.exec(await readFile(link, "utf8").catch(() => ""))?.[1]
  const names = await ownNames(store)
  const leading = await Promise.all(names.map((name) => targetOf(store, name)))
  const own = names.find((name) => Path.join(folder, name) === named) ?? names.find((_, i) => leading[i] === top)
  if (own === undefined) return null
  const isWhole = (await statOf(Path.join(folder, own, "HEAD"))) !== null
  return isWhole ? Path.join(folder, own) : null
}

const ownNames = (store: WorktreeStore): Promise<ReadonlyArray<string>> =>
  readdir(administration(store)).then(
    (names) => names.filter((name) => name.startsWith("proofline-worktree-")),
    () => []
  )

/** Where git has noted that a worktree is. */
const targetOf = async (store: WorktreeStore, name: string): Promise<string | null> => {
  const noted = (await readFile(Path.join(administration(store), name, "gitdir"), "utf8").catch(() => "")).trim()
  return noted === "" ? null : Path.dirname(noted)
}

/** Makes git know a worktree again that it has forgotten; its files are not touched. */
const adopt = Effect.fnUntraced(function* (store: WorktreeStore, top: string, commit: string) {
  const made = yield* add(store, Path.join(Path.dirname(top), newName("worktree")), commit, ["--no-checkout"])
  yield* attempt(`${made.top} cannot be removed`, async () => {
    await writeFile(Path.join(made.own, "gitdir"), `${Path.join(top, ".git")}\n`)
    await removeTree(made.top)
  })
  yield* git({ top, own: made.own }, ["read-tree", commit])
  return made.own
})

/** Another process may be adding or removing one at the same moment. */
const triesToAdd = 3

const add = (store: WorktreeStore, top: string, commit: string, more: ReadonlyArray<string> = []): Git<Checkout> =>
  git(store.repository, ["worktree", "add", "--quiet", "--detach", ...more, top, commit], { mayFetch: true }).pipe(
    alone.withPermit,
    Effect.tapError(() => discard(store, top)),
    Effect.retry({ times: triesToAdd - 1, while: (failed) => failed.message.includes("could not create") }),
    Effect.as({ top, own: Path.join(administration(store), Path.basename(top)) }),
    Effect.onInterrupt(() => discard(store, top))
  )

/** A worktree that never came to its place. */
const discard = (store: WorktreeStore, top: string): Effect.Effect<void> =>
  alone.withPermit(
    Effect.promise(async () => {
      await removeTree(top)
      await forget(store, Path.basename(top))
    })
  )

const forget = async (store: WorktreeStore, name: string): Promise<void> => {
  // under a name of this process: should it die meanwhile, the next one sees that nobody uses it
  const away = Path.join(administration(store), newName("worktree"))
  await rename(Path.join(administration(store), name), away).catch(() => {})
  await removeTree(away)
  // as git does when it has removed the last one
  await rmdir(administration(store)).catch(() => {})
}

/** A new worktree of a commit with the installed packages of the project, in its place once all has been done to it. */
export const make = Effect.fnUntraced(function* (
  store: WorktreeStore,
  top: string,
  commit: string,
  first: (made: Checkout) => Git<void> = () => Effect.void
): Effect.fn.Return<Checkout, Failing> {
  yield* attempt(`${Path.dirname(top)} cannot be made`, () => makeDirectory(Path.dirname(top), 0o700))
  const made = yield* add(store, Path.join(Path.dirname(top), newName("worktree")), commit)
  const isFirst = yield* linkDependencies(store.repository, made.top, top).pipe(
    Effect.andThen(first(made)),
    Effect.andThen(attempt(`${top} cannot be made`, () => settle(store, made, top))),
    Effect.onError(() => discard(store, made.top))
  )
  if (!isFirst) yield* discard(store, made.top)
  const found = yield* find(store, top, commit)
  return found ?? (yield* refused("workplace_files", `${top} was removed while it was made.`))
})

/** False: another process has made one there. */
const settle = async (store: WorktreeStore, made: Checkout, top: string): Promise<boolean> => {
  await mkdir(Path.join(made.top, store.repository.prefix), { recursive: true })
  const noted = Path.join(made.own, "gitdir")
  const before = await readFile(noted, "utf8")
  // git is told first: it would forget a worktree that is not where it should be
  await writeFile(noted, `${Path.join(top, ".git")}\n`)
  try {
    await rename(made.top, top)
  } catch (cause) {
    await writeFile(noted, before).catch(() => {})
    const { code } = cause as NodeJS.ErrnoException
    if (code === "ENOTEMPTY" || code === "EEXIST") return false
    throw cause
  }
  // what git knows of one that was there before
  for (const name of await ownNames(store))
    if (name !== Path.basename(made.own) && (await targetOf(store, name)) === top) await forget(store, name)
  return true
}

/** Takes a worktree away, with all that is in it. */
export const remove = (store: WorktreeStore, { own, top }: Checkout): Effect.Effect<void> =>
  alone
    .withPermit(
      Effect.promise(async () => {
        const away = Path.join(Path.dirname(top), newName("worktree"))
        await rename(top, away).catch(() => {})
        await forget(store, Path.basename(own))
        await removeTree(away)
      })
    )
    .pipe(Effect.uninterruptible)

export const isLocked = (own: string): Promise<boolean> =>
  statOf(Path.join(own, "locked")).then((found) => found !== null)

/**
 * Removes what processes that do not live any more have left half made or half removed in the folder of a run, and what
 * git knows of it. A worktree that is locked stays.
 */
const removeLeftovers = (store: WorktreeStore, run: string): Effect.Effect<void> =>
  alone.withPermit(
    Effect.promise(async () => {
      const folder = folderOf(store, run)
      const isLeft = (name: string) => isAbandoned(name, "worktree")
      for (const name of (await readdir(folder).catch(() => [])).filter(isLeft))
        await removeTree(Path.join(folder, name))
      await forgetAmong(store, run, (await ownNames(store)).filter(isLeft), true)
    })
  )

/**
 * Makes git forget the worktrees of a run that are gone, whoever made them: a crash may have come after one was taken away
 * and before git was told. Only for a run in which nobody makes any more.
 */
export const forgetGone = (store: WorktreeStore, run: string): Effect.Effect<void> =>
  alone.withPermit(
    Effect.promise(async () => {
      await forgetAmong(store, run, await ownNames(store), false)
    })
  )

/** Makes git forget those of its notes whose worktree was in the folder of a run and is gone; one may lead nowhere any more. */
const forgetAmong = async (
  store: WorktreeStore,
  run: string,
  names: ReadonlyArray<string>,
  mayLeadNowhere: boolean
) => {
  for (const name of names) {
    const target = await targetOf(store, name)
    const isGone =
      target === null ? mayLeadNowhere : isWithin(folderOf(store, run), target) && (await statOf(target)) === null
    if (isGone && !(await isKept(Path.join(administration(store), name)))) await forget(store, name)
  }
}

/** Git itself locks a worktree while it makes it. */
const isKept = async (own: string): Promise<boolean> => {
  const reason = await readFile(Path.join(own, "locked"), "utf8").catch(() => null)
  return reason !== null && reason.trim() !== "initializing"
}

/** Puts right what a crash has left, before anything is done for a run. */
export const prepare = (store: WorktreeStore, run: string): Effect.Effect<void> =>
  removeScratch(store).pipe(
    Effect.andThen(removeLeftovers(store, run)),
    Effect.andThen(
      Effect.promise(() => removeStaleLocks(Path.join(store.repository.common, "refs/proofline", nameOf(run))))
    )
  )
