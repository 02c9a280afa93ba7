import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { Effect } from "effect"
import { inCheckout } from "../../git/repository.ts"
import type { GitFailed } from "../../git/run.ts"
import { git, gitLine } from "../../git/run.ts"

/** Where the history of a shallow clone ends; empty: it is whole. */
export const shallowEnds = (root: string): Effect.Effect<ReadonlySet<string>, GitFailed> =>
  Effect.map(shallowFile(root), (path) => {
    try {
      return new Set(
        readFileSync(path, "utf8")
          .split("\n")
          .filter((line) => line !== "")
      )
    } catch {
      return new Set<string>()
    }
  })

const shallowFile = (root: string): Effect.Effect<string, GitFailed> =>
  inCheckout(
    root,
    ({ common }) => Path.join(common, "shallow"),
    Effect.map(gitLine(root, ["rev-parse", "--git-path", "shallow"]), (path) => Path.resolve(root, path))
  )

/** Names of the remotes. */
export const remotesOf = (root: string): Effect.Effect<ReadonlyArray<string>, GitFailed> =>
  Effect.map(git(root, ["remote"]), (printed) => printed.split("\n").filter((name) => name !== ""))

/** Whether it is a clone that has left objects out, and would fetch them when they are asked for. */
export const isPartial = (root: string): Effect.Effect<boolean> =>
  git(root, ["config", "--bool", "--get-regexp", "^remote\\..*\\.promisor$", "true"]).pipe(
    Effect.as(true),
    Effect.orElseSucceed(() => false)
  )
