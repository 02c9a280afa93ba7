import { Effect } from "effect"
import type { GitFailed } from "../../git/git.ts"
import type { Refs } from "./names.ts"
import { gitAt, type WorktreeStore } from "./store.ts"

/** A commit of ours that a ref keeps. */
export interface Kept {
  readonly commit: string
  readonly tree: string
  readonly parents: ReadonlyArray<string>
}

/** By full name of the ref. `prefix` ends with a `/`. */
export const readRefs = (store: WorktreeStore, prefix: string): Effect.Effect<ReadonlyMap<string, Kept>, GitFailed> =>
  Effect.map(
    gitAt(store.repository, ["for-each-ref", "--format=%(refname) %(objectname) %(tree) %(parent)", prefix]),
    (printed) =>
      new Map(
        printed.split("\n").flatMap((line): ReadonlyArray<readonly [string, Kept]> => {
          const [ref = "", commit = "", tree = "", ...parents] = line.split(" ")
          return tree === "" ? [] : [[ref, { commit, tree, parents: parents.filter((id) => id !== "") }]]
        })
      )
  )

export const setRef = (store: WorktreeStore, ref: string, commit: string): Effect.Effect<void, GitFailed> =>
  Effect.asVoid(gitAt(store.repository, ["update-ref", ref, commit]))

/** What the ref keeps afterwards: what another process has made it in the meantime counts. */
export const createRef = Effect.fnUntraced(function* (store: WorktreeStore, refs: Refs, ref: string, made: Kept) {
  // the empty value: it must not exist
  const failed = yield* Effect.match(gitAt(store.repository, ["update-ref", ref, made.commit, ""]), {
    onFailure: (failure) => failure,
    onSuccess: () => null
  })
  if (failed === null) return made
  const found = (yield* readRefs(store, `${refs.folder}/`)).get(ref)
  return found ?? (yield* Effect.fail(failed))
})
