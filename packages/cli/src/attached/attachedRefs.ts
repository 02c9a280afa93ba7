import { notesRef, receiptsRefs } from "@proofline/plugins/adapters/git-receipts"
import { exitCodes, type Stop, stop } from "../base/problems.ts"
import { quoted } from "../process/output.ts"

/** Gets what is attached from a remote; it does not fail where nothing is. */
export const fetchLine = (remote: string): string =>
  fetching([remote, `${notesRef}*:${notesRef}*`, `${receiptsRefs}*:${receiptsRefs}*`])

/** Gets the content of files and notes, in a clone that has left it out. With refs of blobs git would get nothing else. */
export const refetchLine = (remote: string): string =>
  fetching(["--refetch", "--no-filter", remote, `+refs/heads/*:refs/remotes/${remote}/*`, `${notesRef}*:${notesRef}*`])

const fetching = (words: ReadonlyArray<string>): string => ["git", "fetch", "--no-tags", ...words].map(quoted).join(" ")

/** The remote that people call by this name where there is one. */
export const usualRemote = (remotes: ReadonlyArray<string>): string =>
  remotes.includes("origin") ? "origin" : (remotes[0] ?? "origin")

export const commitUnknown = (name: string): Stop =>
  stop(exitCodes.usage, {
    code: "ref_unknown",
    message: `There is no commit "${name}" in the repository.`,
    hint: "Name a commit, a branch or a tag that `git log` shows; a shallow clone may not have it."
  })

/** How git failed. */
interface Failed {
  readonly reason: string
  readonly message: string
  readonly said: string
}

export const gitStop = (root: string, { message, reason, said }: Failed): Stop =>
  reason === "missing"
    ? stop(exitCodes.usage, {
        code: "git_missing",
        message: "The program git is not installed.",
        hint: "Install git."
      })
    : reason === "no_repository"
      ? stop(exitCodes.usage, {
          code: "not_a_repository",
          message: said === "" ? message : `${root} is no repository: ${said}.`,
          hint: "Name the repository with --cwd."
        })
      : stop(exitCodes.unmet, { code: "git_failed", message, hint: "Nothing was changed. Run the command again." })
