import { existsSync } from "node:fs"
import { mkdir, readdir, realpath } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import type { Base, ProjectTree } from "@proofline/kernel"
import { Effect, Layer, type Scope } from "effect"
import { alone } from "../../git/alone.ts"
import { removeTree } from "../../git/removeTree.ts"
import { commitOf, ignoresAll, locate, type Repository } from "../../git/repository.ts"
import { type GitFailed, gitNames } from "../../git/run.ts"
import { alwaysDependencies, unknownFiles } from "../../git/status.ts"
import { submodule } from "../../git/tree.ts"
import { Baseline, type CheckoutRefused, type ScratchCheckout, ScratchProjects } from "../../port/index.ts"
import { newName } from "../../processes/names.ts"
import { add, attempt, checkoutOf, outside, refused, sentenceOf, writerIn } from "./checkout.ts"
import { copyAll } from "./copy.ts"
import { overlay } from "./overlay.ts"
import { abandonedIn, remove, removeLeftovers } from "./remove.ts"

export interface ScratchProjectsOptions {
  /** The project directory. */
  readonly root: string
  /** Where Proofline keeps its own state, absolute: it is never copied. */
  readonly state: string
  /** Where the directories lie, outside of the project; the system's directory for temporary files when left out. */
  readonly temporary?: string
}

/** Throw-away copies of the project: worktrees of its repository where it has one, else plain directories. */
export const projects = ({
  root,
  state,
  temporary = tmpdir()
}: ScratchProjectsOptions): Layer.Layer<ScratchProjects, never, Baseline> =>
  Layer.effect(
    ScratchProjects,
    Effect.map(Baseline, (baseline) => ({
      make: ({ at, root: from = root }) =>
        Effect.catchTag(make({ baseline, root, from, state, temporary, at }), "GitFailed", (failed) =>
          refused(sentenceOf(failed))
        )
    }))
  )

interface MakeOptions {
  readonly baseline: Baseline["Service"]
  readonly root: string
  /** What it is copied from: the project, or another checkout of it. */
  readonly from: string
  readonly state: string
  readonly temporary: string
  readonly at: Base | ProjectTree | "now"
}

type Made = Effect.Effect<ScratchCheckout, GitFailed | CheckoutRefused, Scope.Scope>

const make = (options: MakeOptions): Made =>
  Effect.flatMap(repositoryOf(options), (repository) => {
    if (repository === null) return plain(options, [])
    const commit =
      options.at === "now"
        ? Effect.orElseSucceed(commitOf(repository, "HEAD"), () => null)
        : Effect.succeed(options.at.commit)
    return Effect.flatMap(commit, (id) =>
      id === null
        ? Effect.flatMap(unseenBy(repository), (unseen) => plain(options, below(unseen, repository.prefix)))
        : worktree(options, repository, id)
    )
  })

/** Null: it has none, or one that ignores the whole project. */
const repositoryOf = Effect.fnUntraced(function* ({ from, root }: MakeOptions) {
  const project = yield* Effect.catchTag(locate(root), "GitFailed", (failed) =>
    failed.reason === "no_repository" || failed.reason === "missing" ? Effect.succeed(null) : Effect.fail(failed)
  )
  if (project === null || (yield* ignoresAll(project))) return null
  return from === root ? project : yield* checkoutOf(project, from)
})

const worktree = Effect.fnUntraced(function* (
  { at, baseline, state, temporary: given }: MakeOptions,
  repository: Repository,
  commit: string
): Effect.fn.Return<ScratchCheckout, GitFailed | CheckoutRefused, Scope.Scope> {
  const temporary = yield* outside(repository.top, given)
  yield* alone.withPermit(removeLeftovers(repository, temporary))
  const checkout = Path.join(temporary, newName("checkout"))
  // promised before it is begun: an interruption finds it half made
  yield* Effect.addFinalizer(() => alone.withPermit(remove(repository, checkout)))
  yield* alone.withPermit(add(repository, checkout, commit))
  const directory = Path.join(checkout, repository.prefix)
  yield* attempt(`${directory} could not be made`, () => mkdir(directory, { recursive: true }))
  const isWhole = at !== "now" && at.snapshot === undefined
  yield* copyAll(yield* unseenBy(repository, isWhole ? alwaysDependencies : undefined), {
    from: repository.top,
    to: checkout,
    state
  })
  if (at === "now") yield* overlay(repository, checkout, commit)
  else yield* restored(baseline, at, directory)
  return { directory, write: writerIn(checkout, directory) }
})

/** What no commit and no snapshot holds: ignored files, submodules, other repositories. From the top, `/` separated. */
const unseenBy = Effect.fnUntraced(function* (
  { top }: Repository,
  dependencies: ReadonlyArray<string> = ["node_modules"]
) {
  // installed packages that nobody has told git to ignore are no work of anybody here
  const ignored = yield* unknownFiles(top, "ignored", {}, dependencies)
  const listing = ["ls-files", "-z", "-t", "--stage", "--others", "--exclude-standard", "--directory"]
  const lines = yield* gitNames(top, listing)
  // `? <path>` of those that git does not know, `<letter> <mode> <id> <stage>\t<path>` of the others
  const others = lines.flatMap((line) => (line.startsWith("? ") ? [line.slice(2)] : []))
  const submodules = lines.flatMap((line) =>
    line.slice(2).startsWith(`${submodule} `) ? [line.slice(line.indexOf("\t") + 1)] : []
  )
  return [
    ...ignored,
    ...others.filter((path) => path.endsWith("/") && existsSync(Path.join(top, path, ".git"))),
    ...submodules
  ]
})

const below = (paths: ReadonlyArray<string>, prefix: string): ReadonlyArray<string> =>
  prefix === ""
    ? paths
    : paths.flatMap((path) => (path.startsWith(`${prefix}/`) ? [path.slice(prefix.length + 1)] : []))

/** `unseen`: what a base of it does not hold, beside the folders of which none does. */
const plain = Effect.fnUntraced(function* (
  { at, baseline, from, state, temporary: given }: MakeOptions,
  unseen: ReadonlyArray<string>
): Effect.fn.Return<ScratchCheckout, CheckoutRefused, Scope.Scope> {
  const top = yield* attempt(`${from} cannot be read`, () => realpath(from))
  const temporary = yield* outside(top, given)
  for (const name of yield* Effect.promise(() => abandonedIn(temporary))) {
    yield* Effect.promise(() => removeTree(Path.join(temporary, name)))
  }
  const directory = Path.join(temporary, newName("checkout"))
  yield* Effect.addFinalizer(() => Effect.promise(() => removeTree(directory)))
  yield* attempt(`${directory} could not be made`, () => mkdir(directory, { mode: 0o700 }))
  const all = yield* attempt(`${top} cannot be read`, () => readdir(top))
  const files =
    at === "now"
      ? all
      : yield* attempt(`${top} cannot be read`, async () => [...new Set([...unseen, ...(await foreignFolders(top))])])
  yield* copyAll(files, { from: top, to: directory, state })
  if (at !== "now") yield* restored(baseline, at, directory)
  return { directory, write: writerIn(directory, directory) }
})

/** Folders of which a base keeps nothing, the outermost ones; links are not followed. */
const foreignFolders = async (top: string): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  const folders = [""]
  for (const folder of folders) {
    for (const entry of await readdir(Path.join(top, folder), { withFileTypes: true })) {
      if (!entry.isDirectory()) continue
      const path = `${folder}${entry.name}`
      if (entry.name === "node_modules" || entry.name === ".git" || entry.name === ".proofline") found.push(path)
      else if (folders.length < maxFolders) folders.push(`${path}/`)
    }
  }
  return found
}

const maxFolders = 100_000

const restored = (
  baseline: Baseline["Service"],
  { commit, snapshot }: Base | ProjectTree,
  directory: string
): Effect.Effect<void, CheckoutRefused> =>
  // the commit holds all of it
  snapshot === undefined
    ? Effect.void
    : Effect.catchTag(baseline.restore({ commit, snapshot }, directory), "BaseRefused", ({ message }) =>
        refused(message)
      )
