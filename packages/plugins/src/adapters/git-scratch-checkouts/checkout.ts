import { mkdir, realpath, rm, stat, writeFile } from "node:fs/promises"
import * as Path from "node:path"
import { Effect } from "effect"
import { isWithin, wordsOf } from "../../git/paths.ts"
import { locate, type Repository } from "../../git/repository.ts"
import { type GitFailed, git } from "../../git/run.ts"
import { CheckoutRefused, type ScratchCheckout } from "../../port/index.ts"

export const refused = (message: string): Effect.Effect<never, CheckoutRefused> =>
  Effect.fail(new CheckoutRefused({ message }))

export const sentenceOf = ({ message, reason }: GitFailed): string => {
  switch (reason) {
    case "missing":
      return `${message} Install git, or leave \`ablation\` off.`
    case "no_repository":
      return "The project is not in a git repository. Make it one and commit it, or leave `ablation` off."
    default:
      return message
  }
}

/** Without its `.git` a worktree in the project's directory would be taken for a part of the project itself. */
export const checkoutOf = (project: Repository, from: string): Effect.Effect<Repository, GitFailed | CheckoutRefused> =>
  Effect.flatMap(locate(from), (found) =>
    found.common === project.common && found.prefix === project.prefix
      ? Effect.succeed(found)
      : refused(`${from} is no worktree of the repository of the project.`)
  )

export const attempt = <A>(what: string, run: () => Promise<A>): Effect.Effect<A, CheckoutRefused> =>
  Effect.tryPromise({ try: run, catch: (cause) => new CheckoutRefused({ message: `${what}: ${wordsOf(cause)}.` }) })

export const outside = (top: string, temporary: string): Effect.Effect<string, CheckoutRefused> =>
  Effect.flatMap(
    attempt(`The directory for temporary files ${temporary} cannot be used`, () => realpath(temporary)),
    (found) =>
      isWithin(top, found)
        ? refused(`The directory for temporary files ${found} lies in the project. Set TMPDIR to one outside of it.`)
        : Effect.succeed(found)
  )

export const add = (
  repository: Repository,
  checkout: string,
  commit: string
): Effect.Effect<void, GitFailed | CheckoutRefused> =>
  // made by us, so that nobody else can look into it
  attempt(`${checkout} could not be made`, () => mkdir(checkout, { mode: 0o700 })).pipe(
    Effect.andThen(git(repository.top, ["worktree", "add", "--detach", checkout, commit], { mayFetch: true })),
    Effect.asVoid
  )

/** Writes files of a checkout; `directory`: the project in it. */
export const writerIn =
  (checkout: string, directory: string): ScratchCheckout["write"] =>
  (path, text) =>
    write(checkout, Path.join(directory, path), path, text)

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
