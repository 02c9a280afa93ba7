import { mkdir, realpath, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { Effect, Layer, type Scope } from "effect"
import { alone } from "../../git/alone.ts"
import { linkDependencies } from "../../git/dependencies.ts"
import { type GitFailed, git, locate, type Repository } from "../../git/git.ts"
import { newName } from "../../git/names.ts"
import { isWithin, wordsOf } from "../../git/paths.ts"
import { CheckoutRefused, type ScratchCheckout, ScratchCheckouts } from "../../port/index.ts"
import { overlay } from "./overlay.ts"
import { remove, removeLeftovers } from "./remove.ts"

export interface GitScratchCheckoutsOptions {
  /** The project directory. */
  readonly root: string
  /** Where the checkouts lie, outside of the project; the system's directory for temporary files when left out. */
  readonly temporary?: string
}

/** Throw-away checkouts as worktrees of the project's git repository, in the directory for temporary files. */
export const layer = ({ root, temporary }: GitScratchCheckoutsOptions): Layer.Layer<ScratchCheckouts> =>
  Layer.succeed(ScratchCheckouts, {
    make: ({ root: from = root, ...options }) =>
      Effect.catchTag(make({ root, from, temporary: temporary ?? tmpdir(), ...options }), "GitFailed", (failed) =>
        refused(sentenceOf(failed))
      )
  })

const refused = (message: string): Effect.Effect<never, CheckoutRefused> =>
  Effect.fail(new CheckoutRefused({ message }))

const sentenceOf = ({ message, reason }: GitFailed): string => {
  switch (reason) {
    case "missing":
      return `${message} Install git, or leave \`ablation\` off.`
    case "no_repository":
      return "The project is not in a git repository. Make it one and commit it, or leave `ablation` off."
    default:
      return message
  }
}

interface MakeOptions {
  readonly root: string
  readonly temporary: string
  readonly commit: string
  readonly overlay: boolean
  /** What it is overlaid from: the project, or another checkout of it. */
  readonly from: string
}

const make = Effect.fnUntraced(function* (
  options: MakeOptions
): Effect.fn.Return<ScratchCheckout, GitFailed | CheckoutRefused, Scope.Scope> {
  const { commit } = options
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return yield* refused(`"${commit}" is not the id of a commit.`)
  const project = yield* locate(options.root)
  const repository = options.from === options.root ? project : yield* checkoutOf(project, options.from)
  const temporary = yield* outside(project, options.temporary)
  yield* alone.withPermit(removeLeftovers(repository, temporary))
  const checkout = Path.join(temporary, newName("checkout"))
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

/** Without its `.git` a worktree in the project's directory would be taken for a part of the project itself. */
const checkoutOf = (project: Repository, from: string): Effect.Effect<Repository, GitFailed | CheckoutRefused> =>
  Effect.flatMap(locate(from), (found) =>
    found.common === project.common && found.prefix === project.prefix
      ? Effect.succeed(found)
      : refused(`${from} is no worktree of the repository of the project.`)
  )

const attempt = <A>(what: string, run: () => Promise<A>): Effect.Effect<A, CheckoutRefused> =>
  Effect.tryPromise({ try: run, catch: (cause) => new CheckoutRefused({ message: `${what}: ${wordsOf(cause)}.` }) })

const outside = (repository: Repository, temporary: string): Effect.Effect<string, CheckoutRefused> =>
  Effect.flatMap(
    attempt(`The directory for temporary files ${temporary} cannot be used`, () => realpath(temporary)),
    (found) =>
      isWithin(repository.top, found)
        ? refused(`The directory for temporary files ${found} lies in the repository. Set TMPDIR to one outside of it.`)
        : Effect.succeed(found)
  )

const add = (
  repository: Repository,
  checkout: string,
  commit: string
): Effect.Effect<void, GitFailed | CheckoutRefused> =>
  // made by us, so that nobody else can look into it
  attempt(`${checkout} could not be made`, () => mkdir(checkout, { mode: 0o700 })).pipe(
    Effect.andThen(git(repository.top, ["worktree", "add", "--detach", checkout, commit])),
    Effect.asVoid
  )

const write = Effect.fnUntraced(function* (checkout: string, file: string, path: string, text: string) {
  const target = yield* Effect.tryPromise({
    try: () => realpath(file),
    catch: () =>
      new CheckoutRefused({ message: `${path} is not in a checkout of the project, because git ignores it.` })
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
