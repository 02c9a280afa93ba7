import { existsSync, realpathSync } from "node:fs"
import * as Path from "node:path"
import { Effect } from "effect"
import { ofUser } from "../../git/environment.ts"
import { isWithin } from "../../git/paths.ts"
import { ignoredAmong, ignores, locate, type Repository } from "../../git/repository.ts"
import { type GitFailed, git, gitNames } from "../../git/run.ts"
import { versionOf } from "./store.ts"

export { oldestGit } from "./store.ts"

/** What git is to a project. */
export interface GitFound {
  /** Of the git on PATH; null: there is none, or it does not say. */
  readonly version: string | null
  /** Whether it can give subtasks worktrees. */
  readonly isNew: boolean
  /** The top of the repository; null: the project is in none, or git does not say. */
  readonly top: string | null
  /** Why git does not look at the repository that is there, in its own words; null: it does, or there is none. */
  readonly refusal: string | null
  readonly hasCommit: boolean
  /** Whether git knows in whose name the user commits; it is asked only before the first commit. */
  readonly hasIdentity: boolean
  /** Whether nothing of the state directory is seen by git; true where it lies outside of the repository. */
  readonly ignoresState: boolean
  /** Files of the state directory that are part of the repository, from the project. */
  readonly tracked: ReadonlyArray<string>
  /** Files of the project that belong into a commit, and that git leaves out. */
  readonly leftOut: ReadonlyArray<string>
}

const nothing: GitFound = {
  version: null,
  isNew: false,
  top: null,
  refusal: null,
  hasCommit: false,
  hasIdentity: true,
  ignoresState: true,
  tracked: [],
  leftOut: []
}

/** Looks at git and the repository of a project, and changes nothing; `own`: files of it that belong into a commit. */
export const lookAtGit = Effect.fnUntraced(function* (
  root: string,
  stateDir: string,
  own: ReadonlyArray<string>
): Effect.fn.Return<GitFound> {
  const said = yield* Effect.result(versionOf(root))
  if (said._tag === "Failure") {
    const { message, reason } = said.failure
    return { ...nothing, refusal: reason === "missing" ? null : message }
  }
  const found = { ...nothing, ...said.success }
  const place = yield* Effect.result(locate(root))
  if (place._tag === "Failure") {
    const refusal = refusalOf(place.failure)
    return { ...found, refusal, hasIdentity: refusal !== null || (yield* hasIdentity(root)) }
  }
  const seen = yield* looked(root, stateDir, place.success)
  const leftOut = [...(yield* ignoredAmong(root, own))]
  return {
    ...{ ...found, ...seen, leftOut, top: place.success.top },
    hasIdentity: seen.hasCommit || (yield* hasIdentity(root))
  }
})

const hasIdentity = (root: string): Effect.Effect<boolean> =>
  git(root, ["var", "GIT_COMMITTER_IDENT"], { env: ofUser() }).pipe(
    Effect.as(true),
    Effect.orElseSucceed(() => false)
  )

const refusalOf = ({ message, reason }: GitFailed): string | null => (reason === "no_repository" ? null : message)

const looked = Effect.fnUntraced(function* (root: string, stateDir: string, { top }: Repository) {
  const hasCommit = yield* git(root, ["rev-parse", "--verify", "--quiet", "HEAD"]).pipe(
    Effect.as(true),
    Effect.orElseSucceed(() => false)
  )
  const state = Path.relative(root, stateDir)
  const isInside = isWithin(root, stateDir) || (existsSync(stateDir) && isWithin(top, realpathSync(stateDir)))
  if (!isInside) return { hasCommit, ignoresState: true, tracked: [] }
  const tracked = yield* gitNames(root, ["ls-files", "-z", "--cached", "--", state], { unreadable: "left out" }).pipe(
    Effect.orElseSucceed(() => [])
  )
  return { hasCommit, ignoresState: yield* ignores(root, Path.posix.join(state, "proofline.db")), tracked }
})
