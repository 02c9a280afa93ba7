import { lstat, readdir, readFile, rmdir } from "node:fs/promises"
import * as Path from "node:path"
import { Effect } from "effect"
import { removeTree } from "../../git/removeTree.ts"
import type { Repository } from "../../git/repository.ts"
import { isAbandoned } from "../../processes/names.ts"

/**
 * Removes a checkout and what the repository knows of it, however far it had come. Never fails. It is what `git worktree
 * remove` does, also for one that is locked, as it is while it is being made, without a program of its own for each.
 */
export const remove = (repository: Repository, checkout: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    await removeTree(checkout)
    await removeTree(Path.join(worktreesOf(repository), Path.basename(checkout)))
    // as git does when it has removed the last one
    await rmdir(worktreesOf(repository)).catch(() => {})
  })

/**
 * Removes what processes that do not live any more have left behind: the checkouts in the directory for temporary
 * files, and what this repository knows of them. `git worktree prune` would do more than that: it forgets a worktree of
 * the user's on a disk that happens not to be there.
 */
export const removeLeftovers = (repository: Repository, temporary: string): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.promise(() => leftovers(repository, temporary)),
    (checkouts) => Effect.forEach(checkouts, (checkout) => remove(repository, checkout), { discard: true })
  )

const worktreesOf = ({ common }: Repository): string => Path.join(common, "worktrees")

const leftovers = async (repository: Repository, temporary: string): Promise<ReadonlyArray<string>> => {
  const known = await abandonedIn(worktreesOf(repository))
  const there = await abandonedIn(temporary)
  const found = await Promise.all(known.map((name) => checkoutOf(repository, name)))
  return [
    ...new Set([
      ...found.map((checkout, index) => checkout ?? Path.join(temporary, known[index] ?? "")),
      ...there.map((name) => Path.join(temporary, name))
    ])
  ]
}

/** Where git has noted that the checkout is: its process may have had another directory for temporary files. */
const checkoutOf = async (repository: Repository, name: string): Promise<string | null> => {
  const noted = await readFile(Path.join(worktreesOf(repository), name, "gitdir"), "utf8").catch(() => "")
  const checkout = Path.dirname(noted.trim())
  return Path.isAbsolute(checkout) && Path.basename(checkout) === name ? checkout : null
}

/** Only what belongs to this user: the processes of others may be hidden from us and live. */
export const abandonedIn = async (directory: string): Promise<ReadonlyArray<string>> => {
  const names = (await readdir(directory).catch(() => [])).filter((name) => isAbandoned(name, "checkout"))
  const own = await Promise.all(
    names.map(async (name) => (await lstat(Path.join(directory, name)).catch(() => null))?.uid === process.getuid?.())
  )
  return names.filter((_, index) => own[index])
}
