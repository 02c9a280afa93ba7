import type { Base, ProjectTree } from "@proofline/kernel"
import { ignoredAmong } from "@proofline/plugins/adapters/git-workspaces"
import { Baseline } from "@proofline/plugins/ports"
import { Effect } from "effect"

/** Files that differ in a directory from what a base holds, by path; not those that the project ignores. */
export const changedSince = Effect.fnUntraced(function* (base: Base, directory: string, root: string) {
  const paths = yield* (yield* Baseline).changedIn(base, directory, () => true)
  const ignored = yield* ignoredAmong(root, paths)
  return paths.filter((path) => !ignored.has(path))
})

/** A moment as a base, to which files can be compared; null: only a commit is kept of it. */
export const wholeOf = ({ commit, snapshot }: Base | ProjectTree): Base | null =>
  snapshot === undefined ? null : { commit, snapshot }
