import { Effect } from "effect"
import { type GitFailed, git } from "../../git/run.ts"
import { besideOf } from "../../git/runRefs.ts"
import type { Refs } from "./names.ts"
import type { WorktreeStore } from "./store.ts"

/** A commit of ours that a ref keeps. */
export interface Kept {
  readonly commit: string
  readonly tree: string
  readonly parents: ReadonlyArray<string>
}

/** By full name of the ref. `prefix` ends with a `/`. */
export const readRefs = (store: WorktreeStore, prefix: string): Effect.Effect<ReadonlyMap<string, Kept>, GitFailed> =>
  Effect.map(
    git(store.repository, ["for-each-ref", "--format=%(refname) %(objectname) %(tree) %(parent)", prefix]),
    (printed) =>
      new Map(
        printed.split("\n").flatMap((line): ReadonlyArray<readonly [string, Kept]> => {
          const [ref = "", commit = "", tree = "", ...parents] = line.split(" ")
          return tree === "" ? [] : [[ref, { commit, tree, parents: parents.filter((id) => id !== "") }]]
        })
      )
  )

export const setRef = (store: WorktreeStore, ref: string, commit: string): Effect.Effect<void, GitFailed> =>
  Effect.asVoid(update(store, [ref, commit]))

/** `update-ref`; where the head of the run stands in the way, which it does in a run that has ended before, beside it. */
const update = (store: WorktreeStore, args: readonly [ref: string, ...rest: ReadonlyArray<string>]) => {
  const updated = git(store.repository, ["update-ref", ...args])
  return Effect.catch(updated, (failed) =>
    Effect.flatMap(moveHead(store, args[0]), (isMoved) => (isMoved ? updated : Effect.fail(failed)))
  )
}

const moveHead = Effect.fnUntraced(function* (store: WorktreeStore, ref: string): Effect.fn.Return<boolean, GitFailed> {
  const [alone = ""] = /^refs\/proofline\/[^/]+/.exec(ref) ?? []
  const printed = yield* git(store.repository, ["for-each-ref", "--format=%(refname) %(objectname)", alone])
  const head = printed.split("\n").find((line) => line.startsWith(`${alone} `))
  if (alone === "" || head === undefined) return false
  const object = head.slice(alone.length + 1)
  yield* git(store.repository, ["update-ref", "-d", alone, object])
  yield* git(store.repository, ["update-ref", besideOf(alone), object, ""])
  return true
})

/** What the ref keeps afterwards: what another process has made it in the meantime counts. */
export const createRef = Effect.fnUntraced(function* (store: WorktreeStore, refs: Refs, ref: string, made: Kept) {
  // the empty value: it must not exist
  const failed = yield* Effect.match(update(store, [ref, made.commit, ""]), {
    onFailure: (failure) => failure,
    onSuccess: () => null
  })
  if (failed === null) return made
  const found = (yield* readRefs(store, `${refs.folder}/`)).get(ref)
  return found ?? (yield* Effect.fail(failed))
})
