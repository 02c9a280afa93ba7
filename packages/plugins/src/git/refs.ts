import { Effect } from "effect"
import { type GitFailed, git, type Where } from "./run.ts"

/** A ref, and the object it leads to. */
export interface Ref {
  readonly ref: string
  readonly object: string
  /** `blob`, `commit` …; empty: the object is not there. */
  readonly type: string
}

/** Refs of these names, and all below them. */
export const refsBelow = (
  where: Where,
  ...prefixes: readonly [string, ...ReadonlyArray<string>]
): Effect.Effect<ReadonlyArray<Ref>, GitFailed> =>
  Effect.map(git(where, ["for-each-ref", "--format=%(objectname) %(objecttype) %(refname)", ...prefixes]), (printed) =>
    printed.split("\n").flatMap((line) => {
      const [, object = "", type = "", ref = ""] = /^(\w+) (\w*) (.+)$/.exec(line) ?? []
      return ref === "" ? [] : [{ ref, object, type }]
    })
  )

export interface RefChange {
  readonly ref: string
  readonly to: string
  /** The value it must have; null: it must not exist. */
  readonly from: string | null
}

/** All of them, or none: what somebody else has set in the meantime is not overwritten. */
export const updateRefs = (where: Where, changes: ReadonlyArray<RefChange>): Effect.Effect<void, GitFailed> =>
  Effect.asVoid(
    git(where, ["update-ref", "--stdin"], {
      input: changes
        .map(({ from, ref, to }) => (from === null ? `create ${ref} ${to}\n` : `update ${ref} ${to} ${from}\n`))
        .join("")
    })
  )
