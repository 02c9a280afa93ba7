import { mkdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { Effect, Layer, type Scope } from "effect"
import { alone } from "../../git/alone.ts"
import { linkDependencies } from "../../git/dependencies.ts"
import { locate } from "../../git/repository.ts"
import type { GitFailed } from "../../git/run.ts"
import { type CheckoutRefused, type ScratchCheckout, ScratchCheckouts } from "../../port/index.ts"
import { newName } from "../../processes/names.ts"
import { add, attempt, checkoutOf, outside, refused, sentenceOf, writerIn } from "./checkout.ts"
import { overlay } from "./overlay.ts"
import { remove, removeLeftovers } from "./remove.ts"

export { type ScratchClone, type Step, scratchClone, type WrittenFile } from "./clone.ts"
export { projects } from "./projects.ts"

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
  const temporary = yield* outside(project.top, options.temporary)
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
  return { directory, write: writerIn(checkout, directory) }
})
