import { constants } from "node:fs"
import { copyFile, lstat, mkdir, readlink, realpath, rm, rmdir, symlink } from "node:fs/promises"
import * as Path from "node:path"
import { Effect } from "effect"
import { isWithin, wordsOf } from "../../git/paths.ts"
import type { Repository } from "../../git/repository.ts"
import type { GitFailed } from "../../git/run.ts"
import { changedFiles, unknownFiles } from "../../git/status.ts"
import { isOpenHere } from "../../log/openHere.ts"
import { CheckoutRefused } from "../../port/index.ts"

/** How the user's checkout differs from a commit: paths from the top of the repository, `/` separated. */
interface Differences {
  readonly removed: ReadonlyArray<string>
  /** Changed or new; whatever is there now is to be copied. */
  readonly written: ReadonlyArray<string>
}

/** Makes a checkout of the commit what the project is now: staged, unstaged and untracked, but nothing that git ignores. */
export const overlay = (
  repository: Repository,
  checkout: string,
  commit: string
): Effect.Effect<void, GitFailed | CheckoutRefused> =>
  Effect.flatMap(differences(repository, commit), ({ removed, written }) =>
    Effect.tryPromise({
      try: async () => {
        // first what is gone: a file may stand where a directory was, and the other way round
        for (const path of removed) await removeFile(checkout, path)
        const checked = new Set<string>()
        for (const path of written) await copy(repository.top, checkout, path, checked)
      },
      catch: (cause) =>
        cause instanceof CheckoutRefused
          ? cause
          : new CheckoutRefused({ message: `The project could not be copied to ${checkout}: ${wordsOf(cause)}.` })
    })
  )

const differences = Effect.fnUntraced(function* ({ top }: Repository, commit: string) {
  const changed = yield* changedFiles(top, { commit })
  // a slash at the end: a repository of its own
  const untracked = (yield* unknownFiles(top, "new")).filter((path) => !path.endsWith("/"))
  const { removed = [], written = [] } = Object.groupBy(changed, ({ status }) =>
    status === "D" ? "removed" : "written"
  )
  return {
    removed: removed.map(({ path }) => path),
    written: [...written.map(({ path }) => path), ...untracked]
  } satisfies Differences
})

const removeFile = async (checkout: string, path: string): Promise<void> => {
  await rm(Path.join(checkout, path), { force: true, recursive: true })
  for (let folder = Path.dirname(path); folder !== "."; folder = Path.dirname(folder)) {
    const emptied = await rmdir(Path.join(checkout, folder)).then(
      () => true,
      () => false
    )
    if (!emptied) return
  }
}

const copy = async (top: string, checkout: string, path: string, checked: Set<string>): Promise<void> => {
  const from = Path.join(top, path)
  const to = Path.join(checkout, path)
  const found = await lstat(from).catch(() => null)
  // gone since it was listed, or a pipe or a submodule, which git does not keep either
  if (found === null || !(found.isFile() || found.isSymbolicLink())) return
  if (found.isFile() && isOpenHere(from)) return
  const folder = Path.dirname(to)
  await mkdir(folder, { recursive: true })
  if (!checked.has(folder)) {
    const real = await realpath(folder)
    if (!isWithin(checkout, real)) {
      throw new CheckoutRefused({ message: `${path} lies behind a link that leads out of the checkout.` })
    }
    checked.add(folder)
  }
  // copying would write through a link
  await rm(to, { force: true, recursive: true })
  if (found.isSymbolicLink()) await symlink(await readlink(from), to)
  else await copyFile(from, to, constants.COPYFILE_FICLONE)
}
