import {
  chmod,
  copyFile,
  link,
  lstat,
  mkdir,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  symlink
} from "node:fs/promises"
import * as Path from "node:path"
import { Effect } from "effect"
import { isWithin, wordsOf } from "../../git/paths.ts"
import { type Checkout, git, gitNames } from "../../git/run.ts"
import { type Change, type Entry, submodule } from "../../git/tree.ts"
import { WorkspaceRefused } from "../../port/index.ts"
import { newName } from "../../processes/names.ts"
import { differing } from "./fingerprint.ts"
import { attempt, type Failing, type Git, type WorktreeStore, withScratch } from "./store.ts"

/** What is to be written, and when the files were looked at that it replaces. */
export interface Plan {
  readonly changes: ReadonlyArray<Change>
  readonly stamps: ReadonlyMap<string, string>
}

/** A plan, or the paths that stand in its way: nothing of them may be overwritten. */
export const planOf = Effect.fnUntraced(function* (
  { repository }: WorktreeStore,
  changes: ReadonlyArray<Change>
): Effect.fn.Return<{ readonly plan: Plan; readonly blocked: ReadonlyArray<string> }, Failing> {
  const stamps = yield* attempt(`${repository.top} cannot be read`, () => stampsOf(repository.top, changes))
  const there = [...stamps].filter(([, stamp]) => stamp !== nothing).map(([path]) => path)
  const isThere = new Set(there)
  const before = new Map(changes.map(({ before, path }) => [path, before]))
  const after = new Map(changes.map(({ after, path }) => [path, after]))
  const of = (paths: ReadonlyArray<string>, from: ReadonlyMap<string, Entry | null>) =>
    differing(repository, new Map(paths.map((path) => [path, from.get(path) ?? null])))
  const others = yield* of(there, before)
  const asWanted = new Set(others.filter((path) => after.get(path) !== null))
  for (const path of yield* of([...asWanted], after)) asWanted.delete(path)
  const gone = changes.flatMap(({ before, path }) => (before !== null && !isThere.has(path) ? [path] : []))
  const hidden = new Set(yield* notCheckedOut(repository, gone))
  const removed = new Set(changes.flatMap(({ after, path }) => (after === null ? [path] : [])))
  const inTheWay = yield* attempt(`${repository.top} cannot be read`, () => obstacles(repository.top, changes, removed))
  const submodules = changes.filter(({ after, before }) => after?.mode === submodule || before?.mode === submodule)
  const blocked = new Set([
    ...others.filter((path) => !asWanted.has(path)),
    ...gone.filter((path) => !hidden.has(path) && after.get(path) !== null),
    ...inTheWay,
    ...submodules.map(({ path }) => path)
  ])
  return {
    plan: {
      stamps,
      changes: changes.filter(({ after, path }) => !asWanted.has(path) && (after !== null || isThere.has(path)))
    },
    blocked: [...blocked].sort()
  }
})

const nothing = "nothing"

const stampsOf = async (top: string, changes: ReadonlyArray<Change>): Promise<ReadonlyMap<string, string>> =>
  new Map(await Promise.all(changes.map(async ({ path }) => [path, await stampOf(Path.join(top, path))] as const)))

const stampOf = async (file: string): Promise<string> => {
  const found = await lstat(file, { bigint: true }).catch(() => null)
  if (found === null || found.isDirectory()) return nothing
  return `${found.dev} ${found.ino} ${found.size} ${found.mode} ${found.mtimeNs}`
}

/** Those of the files that git knows and has been told to leave out of the checkout. */
const notCheckedOut = (checkout: Checkout, paths: ReadonlyArray<string>): Git<ReadonlyArray<string>> =>
  paths.length === 0
    ? Effect.succeed([])
    : Effect.map(gitNames(checkout, ["ls-files", "-z", "-t", "--full-name"], { unreadable: "left out" }), (lines) => {
        const requested = new Set(paths)
        return lines.flatMap((line) => (line.startsWith("S ") && requested.has(line.slice(2)) ? [line.slice(2)] : []))
      })

/** New files where a folder with other things is, or below something that is no folder. */
const obstacles = async (
  top: string,
  changes: ReadonlyArray<Change>,
  removed: ReadonlySet<string>
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const { after, path } of changes) {
    if (after === null) continue
    const isFree = (await isFreed(top, path, removed)) && (await isReachable(top, path, removed))
    if (!isFree) found.push(path)
  }
  return found
}

const isFreed = async (top: string, path: string, removed: ReadonlySet<string>): Promise<boolean> => {
  const found = await lstat(Path.join(top, path)).catch(() => null)
  if (found?.isDirectory() !== true) return true
  const names = await readdir(Path.join(top, path), { recursive: true, withFileTypes: true })
  return names.every(
    (entry) => entry.isDirectory() || removed.has(Path.relative(top, Path.join(entry.parentPath, entry.name)))
  )
}

const isReachable = async (top: string, path: string, removed: ReadonlySet<string>): Promise<boolean> => {
  for (let folder = Path.dirname(path); folder !== "."; folder = Path.dirname(folder)) {
    const found = await lstat(Path.join(top, folder)).catch(() => null)
    if (found !== null && !found.isDirectory() && !removed.has(folder)) return false
  }
  return true
}

/**
 * Writes a tree's files into the project, each at one stroke. False: somebody changed one of them at that moment; then
 * nothing is written. The index is not touched.
 */
export const write = (store: WorktreeStore, tree: string, { changes, stamps }: Plan): Git<boolean> =>
  withScratch(store, (folder) =>
    Effect.gen(function* () {
      yield* attempt(`${folder} cannot be made`, async () => {
        await mkdir(Path.join(folder, "files"), { recursive: true, mode: 0o700 })
        await mkdir(Path.join(folder, "before"))
      })
      const written = changes.flatMap(({ after, path }) => (after === null ? [] : [`${path}\0`]))
      yield* checkOut(store, Path.join(folder, "files"), tree, written.join(""))
      const { repository } = store
      return yield* attempt(`The project ${repository.top} cannot be written`, () =>
        replaceAll(
          { top: repository.top, project: Path.join(repository.top, repository.prefix), folder, stamps },
          changes
        )
      ).pipe(Effect.uninterruptible)
    })
  )

/** The files as git would check them out, elsewhere: filters and ends of lines are those of the tree itself. */
const checkOut = Effect.fnUntraced(function* ({ repository }: WorktreeStore, top: string, tree: string, list: string) {
  const index = `${top}.index`
  const checkout = { top, own: repository.own }
  const whole = ["-c", "core.sparseCheckout=false"]
  yield* git(checkout, [...whole, "read-tree", tree], { index })
  yield* git(checkout, [...whole, "checkout-index", "-q", "-f", "-z", "--stdin"], {
    index,
    input: list,
    mayFetch: true
  })
})

interface ReplacePaths {
  readonly top: string
  /** Neither it nor a folder that it lies in is ever removed. */
  readonly project: string
  /** `files`: what comes; `before`: what was there. */
  readonly folder: string
  readonly stamps: ReadonlyMap<string, string>
}

interface Step {
  readonly target: string
  /** What was there, kept; null: nothing was. */
  readonly before: string | null
  /** What is there now. */
  readonly stamp: string
}

const replaceAll = async (replacePaths: ReplacePaths, changes: ReadonlyArray<Change>): Promise<boolean> => {
  const steps: Array<Step> = []
  try {
    // first what goes: a file may come where a folder was, and the other way round
    const ordered = [...changes.filter(({ after }) => after === null), ...changes.filter(({ after }) => after !== null)]
    for (const change of ordered) {
      const step = await replace(replacePaths, change, Path.join(replacePaths.folder, "before", String(steps.length)))
      if (step === null) {
        await takeBack(replacePaths, steps)
        return false
      }
      steps.push(step)
    }
    return true
  } catch (cause) {
    await takeBack(replacePaths, steps)
    throw new WorkspaceRefused({
      code: "workplace_files",
      message: `The project ${replacePaths.top} cannot be written: ${wordsOf(cause)}. Nothing was changed in it. Make it writable or free some space, then resume the run.`
    })
  }
}

/** Null: it is not what it was. */
const replace = async (
  { folder, project, stamps, top }: ReplacePaths,
  { after, path }: Change,
  before: string
): Promise<Step | null> => {
  const target = Path.join(top, path)
  const parent = Path.dirname(target)
  if (after !== null) {
    await mkdir(parent, { recursive: true })
    // what was a folder and is now a link leads to another place
    if ((await realpath(parent)) !== parent) return null
  }
  const old = await lstat(target).catch(() => null)
  if ((await stampOf(target)) !== stamps.get(path)) return null
  const isFile = old !== null && !old.isDirectory()
  if (isFile) await saved(target, before)
  if (after === null) {
    await rm(target)
    await removeEmpty(project, parent)
  } else {
    const made = Path.join(folder, "files", path)
    if (old?.isFile() === true && after.mode !== "120000") await chmod(made, modeOf(old.mode, after.mode))
    if (old?.isDirectory() === true) await removeFolders(target)
    await moved(made, target)
  }
  return { target, before: isFile ? before : null, stamp: await stampOf(target) }
}

/** Who may read and write it stays; git knows only whether it can be run. */
const modeOf = (old: number, mode: string): number =>
  (mode === "100755" ? old | ((old & 0o444) >> 2) : old & ~0o111) & 0o777

const saved = (target: string, to: string): Promise<void> => link(target, to).catch(() => copyFile(target, to))

const moved = async (from: string, to: string): Promise<void> => {
  try {
    await rename(from, to)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EXDEV") throw cause
    // the state directory lies on another disk: beside the file first, so that it comes at one stroke
    const beside = Path.join(Path.dirname(to), newName("scratch"))
    await copyAny(from, beside)
    await rename(beside, to)
  }
}

const copyAny = async (from: string, to: string): Promise<void> => {
  const found = await lstat(from)
  if (found.isSymbolicLink()) return symlink(await readlink(from), to)
  await copyFile(from, to)
  await chmod(to, found.mode & 0o777)
}

const removeEmpty = async (project: string, folder: string): Promise<void> => {
  for (let at = folder; !isWithin(at, project); at = Path.dirname(at)) {
    const emptied = await rmdir(at).then(
      () => true,
      () => false
    )
    if (!emptied) return
  }
}

/** A folder in which are only folders. */
const removeFolders = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder)) await removeFolders(Path.join(folder, name))
  await rmdir(folder)
}

/** Undoes the steps in reverse order; files that somebody changed in the meantime are left alone. */
const takeBack = async ({ project }: ReplacePaths, steps: ReadonlyArray<Step>): Promise<void> => {
  for (const { before, stamp, target } of steps.toReversed()) {
    if ((await stampOf(target)) !== stamp) continue
    if (before === null) {
      await rm(target, { force: true })
      await removeEmpty(project, Path.dirname(target))
    } else {
      await mkdir(Path.dirname(target), { recursive: true })
      await moved(before, target)
    }
  }
}
