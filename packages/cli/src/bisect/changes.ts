import type { Base, ProjectTree } from "@proofline/kernel"
import { type ChangedLines, changedLines } from "@proofline/plugins/adapters/git-workspaces"
import { ScratchProjects } from "@proofline/plugins/ports"
import { Effect } from "effect"
import { changedSince, wholeOf } from "../project/changedSince.ts"

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
        : yield* changedAsFiles(root, from, to)
    return files.slice(0, maxFiles)
  },
  Effect.orElseSucceed((): ReadonlyArray<ChangedLines> => [])
)

/** What is in no commit can only be compared as files. */
const changedAsFiles = Effect.fnUntraced(function* (root: string, from: Tree, to: Tree) {
  const base = wholeOf(from)
  const projects = yield* ScratchProjects
  if (base === null) return []
  const { directory } = yield* projects.make({ at: to })
  const paths = yield* changedSince(base, directory, root)
  return paths.map((path): ChangedLines => ({ path, added: null, removed: null }))
}, Effect.scoped)
