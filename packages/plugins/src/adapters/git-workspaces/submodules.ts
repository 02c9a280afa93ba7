import { lstat, readdir } from "node:fs/promises"
import * as Path from "node:path"
import { Effect } from "effect"
import { type Checkout, type GitFailed, git, gitLine, gitNames } from "../../git/run.ts"
import { submodule } from "../../git/tree.ts"

/**
 * Submodules of a checkout with work that is nowhere else: no tree of the repository holds what is in them. From the
 * top, with a `/` at the end.
 */
export const submodulesWithWork = Effect.fnUntraced(function* (
  checkout: Checkout
): Effect.fn.Return<ReadonlyArray<string>, GitFailed> {
  const entries = yield* gitNames(checkout, ["ls-files", "-z", "--stage", "--full-name"], { unreadable: "left out" })
  const found = entries.flatMap((entry) => {
    const [, mode = "", id = "", path = ""] = /^(\d+) ([0-9a-f]+) \d\t(.+)$/s.exec(entry) ?? []
    return mode === submodule ? [{ id, path }] : []
  })
  const withWork = yield* Effect.filter(found, ({ id, path }) => holdsWork(Path.join(checkout.top, path), id))
  return withWork.map(({ path }) => `${path}/`)
})

const holdsWork = Effect.fnUntraced(function* (folder: string, recorded: string) {
  const names = yield* Effect.promise(() => readdir(folder).catch(() => []))
  if (names.length === 0) return false
  const isRepository = yield* Effect.promise(() =>
    lstat(Path.join(folder, ".git")).then(
      () => true,
      () => false
    )
  )
  if (!isRepository) return true
  const changed = git(folder, ["status", "--porcelain", "--untracked-files=all", "--ignore-submodules=none"])
  const moved = Effect.map(gitLine(folder, ["rev-parse", "HEAD"]), (head) => (head === recorded ? "" : head))
  const own = git(folder, ["rev-list", "-n", "1", "HEAD", "--all", "--not", recorded, "--remotes", "--tags"])
  return yield* Effect.all([changed, moved, own]).pipe(
    Effect.map((found) => found.some((lines) => lines !== "")),
    // what cannot be looked at may be work
    Effect.orElseSucceed(() => true)
  )
})
