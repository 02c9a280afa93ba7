import type { Base, ProjectTree } from "@proofline/kernel"
import { type ChangedLines, changedLines, ignoredAmong } from "@proofline/plugins/adapters/git-workspaces"
import { Baseline, ScratchProjects } from "@proofline/plugins/ports"
import { Effect } from "effect"

/** More are not named. */
const maxFiles = 1_000

type Tree = Base | ProjectTree

/** Files that differ between two moments; none where that cannot be found out. */
export const changedBetween = Effect.fnUntraced(
  function* (root: string, from: Tree, to: Tree) {
    const isCommitted = from.snapshot === undefined && to.snapshot === undefined
    const files =
      isCommitted && from.commit !== null && to.commit !== null
        ? yield* changedLines(root, from.commit, to.commit)
        : yield* changedSinceBase(root, from, to)
    return files.slice(0, maxFiles)
  },
  Effect.orElseSucceed((): ReadonlyArray<ChangedLines> => [])
)

/** What is in no commit can only be compared as files. */
const changedSinceBase = Effect.fnUntraced(function* (root: string, { commit, snapshot }: Tree, to: Tree) {
  const baseline = yield* Baseline
  const projects = yield* ScratchProjects
  if (snapshot === undefined) return []
  const { directory } = yield* projects.make({ at: to })
  const paths = yield* baseline.changedIn({ commit, snapshot }, directory, () => true)
  const ignored = yield* ignoredAmong(root, paths)
  return paths.flatMap(
    (path): ReadonlyArray<ChangedLines> => (ignored.has(path) ? [] : [{ path, added: null, removed: null }])
  )
}, Effect.scoped)
