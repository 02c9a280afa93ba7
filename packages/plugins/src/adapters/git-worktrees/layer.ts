import { mkdir, realpath, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { type Worktree, WorktreeRefused, Worktrees } from "@proofline/kernel"
import { Effect, Layer, type Scope, Semaphore } from "effect"
import { linkDependencies } from "./dependencies.ts"
import { git, locate, type Repository, refused } from "./git.ts"
import { newName } from "./names.ts"
import { overlay } from "./overlay.ts"
import { isWithin, wordsOf } from "./paths.ts"
import { remove, removeLeftovers } from "./remove.ts"

export interface GitWorktreesOptions {
  /** The project directory. */
  readonly root: string
  /** Where the checkouts lie, outside of the project; the system's directory for temporary files when left out. */
  readonly temporary?: string
}

/** Throw-away checkouts as worktrees of the project's git repository, in the directory for temporary files. */
export const layer = ({ root, temporary }: GitWorktreesOptions): Layer.Layer<Worktrees> =>
  Layer.effect(
    Worktrees,
    Effect.map(Semaphore.make(1), (alone) => ({
      make: (options) => make({ root, temporary: temporary ?? tmpdir(), alone, ...options })
    }))
  )

interface MakeOptions {
  readonly root: string
  readonly temporary: string
  /** Git makes and removes the folder of all worktrees along with the first and last one: two at once would collide. */
  readonly alone: Semaphore.Semaphore
  readonly commit: string
  readonly overlay: boolean
}

const make = Effect.fnUntraced(function* (
  options: MakeOptions
): Effect.fn.Return<Worktree, WorktreeRefused, Scope.Scope> {
  const { alone, commit } = options
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return yield* refused(`"${commit}" is not the id of a commit.`)
  const repository = yield* locate(options.root)
  const temporary = yield* outside(repository, options.temporary)
  yield* alone.withPermit(removeLeftovers(repository, temporary))
  const checkout = Path.join(temporary, newName())
  // promised before it is begun: an interruption finds it half made
  yield* Effect.addFinalizer(() => alone.withPermit(remove(repository, checkout)))
  yield* alone.withPermit(add(repository, checkout, commit))
  if (options.overlay) yield* overlay(repository, checkout, commit)
  yield* linkDependencies(repository, checkout)
  const directory = Path.join(checkout, repository.prefix)
  // the commit may be older than the project's directory
  yield* attempt(`${directory} could not be made`, () => mkdir(directory, { recursive: true }))
  return { directory, write: (path, text) => write(checkout, Path.join(directory, path), path, text) }
})

const attempt = <A>(what: string, run: () => Promise<A>): Effect.Effect<A, WorktreeRefused> =>
  Effect.tryPromise({ try: run, catch: (cause) => new WorktreeRefused({ message: `${what}: ${wordsOf(cause)}.` }) })

const outside = (repository: Repository, temporary: string): Effect.Effect<string, WorktreeRefused> =>
  Effect.flatMap(
    attempt(`The directory for temporary files ${temporary} cannot be used`, () => realpath(temporary)),
    (found) =>
      isWithin(repository.top, found)
        ? refused(`The directory for temporary files ${found} lies in the repository. Set TMPDIR to one outside of it.`)
        : Effect.succeed(found)
  )

const add = (repository: Repository, checkout: string, commit: string): Effect.Effect<void, WorktreeRefused> =>
  // made by us, so that nobody else can look into it
  attempt(`${checkout} could not be made`, () => mkdir(checkout, { mode: 0o700 })).pipe(
    Effect.andThen(git(repository.top, ["worktree", "add", "--detach", checkout, commit])),
    Effect.asVoid
  )

const write = Effect.fnUntraced(function* (checkout: string, file: string, path: string, text: string) {
  const target = yield* Effect.tryPromise({
    try: () => realpath(file),
    catch: () =>
      new WorktreeRefused({ message: `${path} is not in a checkout of the project, because git ignores it.` })
  })
  if (!isWithin(checkout, target))
    return yield* refused(`${path} leads out of the repository, or to an installed package.`)
  yield* attempt(`${path} could not be changed in the checkout`, async () => {
    const { mode } = await stat(target)
    // a new file: the old one may be read-only
    await rm(target)
    await writeFile(target, text, { mode })
  })
})
