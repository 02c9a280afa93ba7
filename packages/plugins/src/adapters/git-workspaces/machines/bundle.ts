import { rm, writeFile } from "node:fs/promises"
import * as Path from "node:path"
import { Effect } from "effect"
import { type GitFailed, git, gitBytes, type Where } from "../../../git/run.ts"
import { makeTemporary } from "../../../processes/temporary.ts"
import { attempt, type Git } from "../store.ts"

/**
 * A git bundle with all that leads to the commits and not to those that are known. Its header is written here: git makes
 * a bundle of refs, and these commits have none. Format: https://git-scm.com/docs/gitformat-bundle
 */
export const bundleOf = (
  where: Where,
  commits: ReadonlyArray<string>,
  known: ReadonlyArray<string>
): Effect.Effect<Uint8Array, GitFailed> =>
  Effect.map(
    gitBytes(where, ["pack-objects", "-q", "--revs", "--thin", "--delta-base-offset", "--stdout"], {
      input: [...commits, ...known.map((commit) => `^${commit}`)].map((line) => `${line}\n`).join(""),
      mayFetch: true
    }),
    (pack) => {
      const header = [
        ...(commits.some(isSha256) ? ["# v3 git bundle", "@object-format=sha256"] : ["# v2 git bundle"]),
        ...known.map((commit) => `-${commit}`),
        ...commits.map((commit, i) => `${commit} refs/heads/proofline-${i + 1}`)
      ]
      return Buffer.concat([Buffer.from(`${header.join("\n")}\n\n`), pack])
    }
  )

/** For `git init`: the format of a repository in which the commit can be; nobody's settings decide. */
export const formatOf = (commit: string): ReadonlyArray<string> => [
  `--object-format=${isSha256(commit) ? "sha256" : "sha1"}`
]

const isSha256 = (commit: string): boolean => commit.length === 64

/** Adds the objects of a bundle to a repository; no ref is changed. Fails when what it builds on is not there. */
export const unbundle = (where: Where, bytes: Uint8Array): Git<void> =>
  Effect.acquireUseRelease(
    attempt("A bundle cannot be written", async () => {
      const file = Path.join(makeTemporary(), "bundle")
      await writeFile(file, bytes, { mode: 0o600 })
      return file
    }),
    (file) => Effect.asVoid(git(where, ["bundle", "unbundle", file])),
    (file) => Effect.promise(() => rm(Path.dirname(file), { recursive: true, force: true }))
  )
