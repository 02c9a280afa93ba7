import { lstat, mkdir, readdir, readFile, rename, rmdir, writeFile } from "node:fs/promises"
import * as Path from "node:path"
import { Effect } from "effect"
import { alone } from "../../git/alone.ts"
import { linkDependencies } from "../../git/dependencies.ts"
import { isAbandoned, newName } from "../../git/names.ts"
import { isWithin } from "../../git/paths.ts"
import { removeTree } from "../../git/removeTree.ts"
import { nameOf } from "./names.ts"
import {
  attempt,
  type Checkout,
  type Failing,
  type Git,
  gitAt,
  type Room,
  refused,
  removeScratch,
  removeStaleLocks
} from "./room.ts"

/*
 * A worktree is created under a temporary name and renamed when complete, and renamed away before removal, so a worktree
 * at its final path is always complete. Git keeps knowing it by the temporary name.
 */

export const folderOf = (room: Room, run: string): string => Path.join(room.worktrees, nameOf(run))

const administration = ({ repository }: Room): string => Path.join(repository.common, "worktrees")

/** The worktree in a place, with what git knows of it put right; null when there is none. */
export const find = Effect.fnUntraced(function* (
  room: Room,
  top: string,
  commit: string
): Effect.fn.Return<Checkout | null, Failing> {
  if (!(yield* isFolder(top))) return null
  const own = (yield* attempt(`${top} cannot be read`, () => ownOf(room, top))) ?? (yield* adopt(room, top, commit))
  yield* attempt(`${own} cannot be written`, async () => {
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
const ownOf = async (room: Room, top: string): Promise<string | null> => {
  const folder = administration(room)
  const link = Path.join(top, ".git")
  const named = /^gitdir: (.+)$/m.exec(await readFile(link, "utf8").catch(() => ""))?.[1]
  const names = await ownNames(room)
  const leading = await Promise.all(names.map((name) => targetOf(room, name)))
  const own = names.find((name) => Path.join(folder, name) === named) ?? names.find((_, i) => leading[i] === top)
  if (own === undefined) return null
  const isWhole = (await statOf(Path.join(folder, own, "HEAD"))) !== null
  return isWhole ? Path.join(folder, own) : null
}

const ownNames = (room: Room): Promise<ReadonlyArray<string>> =>
  readdir(administration(room)).then(
    (names) => names.filter((name) => name.startsWith("proofline-worktree-")),
    () => []
  )

/** Where git has noted that a worktree is. */
const targetOf = async (room: Room, name: string): Promise<string | null> => {
  const noted = (await readFile(Path.join(administration(room), name, "gitdir"), "utf8").catch(() => "")).trim()
  return noted === "" ? null : Path.dirname(noted)
}

/** Makes git know a worktree again that it has forgotten; its files are not touched. */
const adopt = Effect.fnUntraced(function* (room: Room, top: string, commit: string) {
  const made = yield* add(room, Path.join(Path.dirname(top), newName("worktree")), commit, ["--no-checkout"])
  yield* attempt(`${made.top} cannot be removed`, async () => {
    await writeFile(Path.join(made.own, "gitdir"), `${Path.join(top, ".git")}\n`)
    await removeTree(made.top)
  })
  yield* gitAt({ top, own: made.own }, ["read-tree", commit])
  return made.own
})

/** Another process may be adding or removing one at the same moment. */
const triesToAdd = 3

const add = (room: Room, top: string, commit: string, more: ReadonlyArray<string> = []): Git<Checkout> =>
  gitAt(room.repository, ["worktree", "add", "--quiet", "--detach", ...more, top, commit]).pipe(
    alone.withPermit,
    Effect.tapError(() => discard(room, top)),
    Effect.retry({ times: triesToAdd - 1, while: (failed) => failed.message.includes("could not create") }),
    Effect.as({ top, own: Path.join(administration(room), Path.basename(top)) }),
    Effect.onInterrupt(() => discard(room, top))
  )

/** A worktree that never came to its place. */
const discard = (room: Room, top: string): Effect.Effect<void> =>
  alone.withPermit(
    Effect.promise(async () => {
      await removeTree(top)
      await forget(room, Path.basename(top))
    })
  )

const forget = async (room: Room, name: string): Promise<void> => {
  // under a name of this process: should it die meanwhile, the next one sees that nobody uses it
  const away = Path.join(administration(room), newName("worktree"))
  await rename(Path.join(administration(room), name), away).catch(() => {})
  await removeTree(away)
  // as git does when it has removed the last one
  await rmdir(administration(room)).catch(() => {})
}

/** A new worktree of a commit with the installed packages of the project, in its place once all has been done to it. */
export const make = Effect.fnUntraced(function* (
  room: Room,
  top: string,
  commit: string,
  first: (made: Checkout) => Git<void> = () => Effect.void
): Effect.fn.Return<Checkout, Failing> {
  yield* attempt(`${Path.dirname(top)} cannot be made`, () =>
    mkdir(Path.dirname(top), { recursive: true, mode: 0o700 })
  )
  const made = yield* add(room, Path.join(Path.dirname(top), newName("worktree")), commit)
  const isFirst = yield* linkDependencies(room.repository, made.top, top).pipe(
    Effect.andThen(first(made)),
    Effect.andThen(attempt(`${top} cannot be made`, () => settle(room, made, top))),
    Effect.onError(() => discard(room, made.top))
  )
  if (!isFirst) yield* discard(room, made.top)
  const found = yield* find(room, top, commit)
  return found ?? (yield* refused("workplace_files", `${top} was removed while it was made.`))
})

/** False: another process has made one there. */
const settle = async (room: Room, made: Checkout, top: string): Promise<boolean> => {
  await mkdir(Path.join(made.top, room.repository.prefix), { recursive: true })
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
  for (const name of await ownNames(room))
    if (name !== Path.basename(made.own) && (await targetOf(room, name)) === top) await forget(room, name)
  return true
}

/** Takes a worktree away, with all that is in it. */
export const remove = (room: Room, { own, top }: Checkout): Effect.Effect<void> =>
  alone
    .withPermit(
      Effect.promise(async () => {
        const away = Path.join(Path.dirname(top), newName("worktree"))
        await rename(top, away).catch(() => {})
        await forget(room, Path.basename(own))
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
const removeLeftovers = (room: Room, run: string): Effect.Effect<void> =>
  alone.withPermit(
    Effect.promise(async () => {
      const folder = folderOf(room, run)
      const isLeft = (name: string) => isAbandoned(name, "worktree")
      for (const name of (await readdir(folder).catch(() => [])).filter(isLeft))
        await removeTree(Path.join(folder, name))
      await forgetAmong(room, run, (await ownNames(room)).filter(isLeft), true)
    })
  )

/**
 * Makes git forget the worktrees of a run that are gone, whoever made them: a crash may have come after one was taken away
 * and before git was told. Only for a run in which nobody makes any more.
 */
export const forgetGone = (room: Room, run: string): Effect.Effect<void> =>
  alone.withPermit(
    Effect.promise(async () => {
      await forgetAmong(room, run, await ownNames(room), false)
    })
  )

/** Makes git forget those of its notes whose worktree was in the folder of a run and is gone; one may lead nowhere any more. */
const forgetAmong = async (room: Room, run: string, names: ReadonlyArray<string>, mayLeadNowhere: boolean) => {
  for (const name of names) {
    const target = await targetOf(room, name)
    const isGone =
      target === null ? mayLeadNowhere : isWithin(folderOf(room, run), target) && (await statOf(target)) === null
    if (isGone && !(await isKept(Path.join(administration(room), name)))) await forget(room, name)
  }
}

/** Git itself locks a worktree while it makes it. */
const isKept = async (own: string): Promise<boolean> => {
  const reason = await readFile(Path.join(own, "locked"), "utf8").catch(() => null)
  return reason !== null && reason.trim() !== "initializing"
}

/** Puts right what a crash has left, before anything is done for a run. */
export const prepare = (room: Room, run: string): Effect.Effect<void> =>
  removeScratch(room).pipe(
    Effect.andThen(removeLeftovers(room, run)),
    Effect.andThen(
      Effect.promise(() => removeStaleLocks(Path.join(room.repository.common, "refs/proofline", nameOf(run))))
    )
  )
