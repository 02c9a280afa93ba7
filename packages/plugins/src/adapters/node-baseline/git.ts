import { Effect } from "effect"
import { ignoresAll, locate, prefixOf } from "../../git/repository.ts"
import { statusOf } from "../../git/status.ts"
import { type Entry, filesIn } from "../../git/tree.ts"
import { type Listing, withoutForeign } from "./listing.ts"

/** What of a project the commit that it stands on does not hold. */
export interface Differing extends Listing {
  /** HEAD; null before the first commit. */
  readonly commit: string | null
}

/** Null outside a repository, without git, where git does not work, and where it ignores the whole project. */
export const differingFiles = (root: string): Effect.Effect<Differing | null> =>
  Effect.gen(function* () {
    const repository = yield* locate(root)
    if (yield* ignoresAll(repository)) return null
    const { changed, head, ignored, untracked } = yield* statusOf(root, { ignored: true, within: "." })
    const prefix = repository.prefix === "" ? "" : `${repository.prefix}/`
    const inside = (paths: ReadonlyArray<string>) =>
      paths.flatMap((path) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : []))
    const { folders = [], files = [] } = Object.groupBy(untracked, (path) => (path.endsWith("/") ? "folders" : "files"))
    const others = withoutForeign({ paths: inside(files), unseen: inside([...folders, ...ignored]), isComplete: true })
    return { ...others, commit: head, paths: [...inside(changed), ...others.paths] }
  }).pipe(Effect.orElseSucceed(() => null))

/** Every file of the project that a commit holds, submodules too; null when the commit cannot be read. */
export const treeOf = (root: string, commit: string): Effect.Effect<ReadonlyMap<string, Entry> | null> =>
  prefixOf(root).pipe(
    Effect.flatMap((prefix) => filesIn(root, commit, prefix)),
    Effect.orElseSucceed(() => null)
  )
