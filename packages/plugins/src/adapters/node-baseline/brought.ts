/**
 * What other branches had already when a run began, and have brought since, by what git knows. A commit was there
 * before when a ref led to it as the run began, or when it is older than the run. It came when HEAD goes back to it, when
 * a newer commit repeats it (`cherry-pick`, `rebase`), or when all that it changed in a file is in that file now
 * (`checkout -- file`, `merge --squash`, `stash pop`).
 */
import { Effect } from "effect"
import { headsOf } from "../../git/heads.ts"
import { prefixOf } from "../../git/repository.ts"
import { type GitFailed, git, gitLine } from "../../git/run.ts"
import { alwaysAt, type Change, changesBetween, emptyTree } from "../../git/tree.ts"
import type { KnownCommits } from "./snapshot.ts"

/** A commit that was there before the run, and what it changed since it went its own way, by path from the project. */
export interface Brought {
  readonly commit: string
  readonly changed: ReadonlyMap<string, Omit<Change, "path">>
}

/** A base whose commits are known. */
export interface Since extends KnownCommits {
  /** HEAD when the run began. */
  readonly head: string
}

/** Commits of one run that are looked at, at most. */
const maxBrought = 20

/** What has come into a checkout of the project since the run began. */
export const broughtInto = Effect.fnUntraced(function* (directory: string, since: Since, heads: ReadonlyArray<string>) {
  const came = yield* commitsThatCame(directory, since, heads)
  return yield* Effect.forEach(came.slice(0, maxBrought), (commit) => changedBy(directory, since, commit))
})

/** HEAD, and what is being merged into it. */
export const standsOn = headsOf

/** What a commit changed since the branch of the run and its own went apart. */
export const changedBy = Effect.fnUntraced(function* (
  directory: string,
  { head }: Since,
  commit: string
): Effect.fn.Return<Brought, GitFailed> {
  const prefix = yield* prefixOf(directory)
  const common = yield* gitLine(directory, ["merge-base", head, commit]).pipe(
    // nothing in common
    Effect.catch(() => emptyTree(directory))
  )
  const changes = yield* changesBetween(directory, common, commit, { unreadable: "left out" })
  return {
    commit,
    changed: new Map(
      changes.flatMap(({ path, ...change }) =>
        path.startsWith(prefix) ? [[path.slice(prefix.length), change] as const] : []
      )
    )
  }
})

interface Commit {
  readonly id: string
  readonly parents: ReadonlyArray<string>
  /** When it was committed and when it was written, s. */
  readonly committed: number
  readonly written: number
  /** The same of a commit and of what repeats it. */
  readonly key: string
}

const commitsThatCame = Effect.fnUntraced(function* (
  directory: string,
  { at, head, refs }: Since,
  heads: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<string>, GitFailed> {
  if (heads.every((one) => one === head)) return []
  const fresh = yield* commitsIn(directory, [...heads, `^${head}`, ...refs.map((ref) => `^${ref}`)])
  const old = fresh.filter(({ committed }) => committed < at && committed !== alwaysAt)
  const isOld = new Set(old.map(({ id }) => id))
  const made = fresh.filter(({ id }) => !isOld.has(id))
  const isMade = new Set(made.map(({ id }) => id))
  const below = [...heads, ...made.flatMap(({ parents }) => parents)].filter((id) => !isMade.has(id))
  const before = yield* Effect.filter([...new Set(below)], (id) => isBeyond(directory, head, id))
  return [...new Set([...before, ...(yield* repeatedBy(directory, made, { at, head, refs }))])]
})

/** Of commits that were there before those that were written anew: with the same author, time and subject. */
const repeatedBy = Effect.fnUntraced(function* (
  directory: string,
  made: ReadonlyArray<Commit>,
  { at, head, refs }: Since
): Effect.fn.Return<ReadonlyArray<string>, GitFailed> {
  const keys = new Set(made.flatMap(({ key, written }) => (written <= at ? [key] : [])))
  if (keys.size === 0 || refs.length === 0) return []
  const known = yield* commitsIn(directory, [...refs, `^${head}`])
  return known.filter(({ key }) => keys.has(key)).map(({ id }) => id)
})

/** Commits that some of these lead to, but for what those with a `^` lead to. What is not there any more is left out. */
const commitsIn = (directory: string, from: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Commit>, GitFailed> =>
  Effect.map(
    git(directory, ["rev-list", "--ignore-missing", `--format=${fields}`, "--stdin"], {
      input: from.map((one) => `${one}\n`).join("")
    }),
    (printed) =>
      printed.split("\n").flatMap((line) => {
        const [id = "", parents = "", committed, written, ...key] = line.split("\t")
        return committed === undefined
          ? []
          : [
              {
                id,
                parents: parents.split(" ").filter((parent) => parent !== ""),
                committed: Number(committed),
                written: Number(written),
                key: [written, ...key].join("\t")
              }
            ]
      })
  )

const fields = "%H%x09%P%x09%ct%x09%at%x09%ae%x09%s"

/** Whether it is no part of the history of the branch the run began on. */
const isBeyond = (directory: string, head: string, commit: string): Effect.Effect<boolean, GitFailed> =>
  Effect.map(
    gitLine(directory, ["rev-list", "--ignore-missing", "--max-count=1", commit, `^${head}`]),
    (found) => found !== ""
  )

/** Of what refs led to when the run began, what is no part of the history it began on. */
export const tipsBeyond = (
  directory: string,
  { head, refs }: Since
): Effect.Effect<ReadonlyArray<string>, GitFailed> =>
  refs.length === 0
    ? Effect.succeed([])
    : Effect.map(commitsIn(directory, [...refs, `^${head}`]), (commits) => {
        const beyond = new Set(commits.map(({ id }) => id))
        return refs.filter((ref) => beyond.has(ref))
      })

/** By commit: the object that it has at a path of the project. Those that have none are left out. */
export const objectsAt = Effect.fnUntraced(function* (
  directory: string,
  commits: ReadonlyArray<string>,
  path: string
): Effect.fn.Return<ReadonlyMap<string, string>, GitFailed> {
  // git is asked line by line
  if (commits.length === 0 || path.includes("\n")) return new Map()
  const prefix = yield* prefixOf(directory)
  const printed = yield* git(directory, ["cat-file", "--batch-check=%(objectname) %(objecttype)"], {
    input: commits.map((commit) => `${commit}:${prefix}${path}\n`).join("")
  })
  const lines = printed.split("\n")
  return new Map(
    commits.flatMap((commit, i) => {
      const [, id] = /^(\w+) blob$/.exec(lines[i] ?? "") ?? []
      return id === undefined ? [] : [[commit, id] as const]
    })
  )
})
