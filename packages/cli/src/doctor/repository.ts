import { appendFileSync } from "node:fs"
import * as Path from "node:path"
import { enumerated } from "@proofline/kernel"
import { type GitFound, lookAtGit, oldestGit } from "@proofline/plugins/adapters/git-workspaces"
import { Effect } from "effect"
import { answersWithinMs } from "../base/answersWithin.ts"
import { namesIn, type ProjectPaths, statOf } from "../base/paths.ts"
import { quoted } from "../process/output.ts"
import { oneLine } from "../render/style.ts"
import type { Finding } from "./Finding.ts"

/** Which git there is, and what is to be said of it and of the repository. */
export const lookAtRepository = ({
  root,
  state
}: ProjectPaths): Effect.Effect<{ readonly git: GitFound | null; readonly findings: ReadonlyArray<Finding> }> =>
  lookAtGit(root, state, ownFiles(root, state)).pipe(
    Effect.map((git) => ({ git, findings: findingsOf(git, root, state) })),
    Effect.timeoutOrElse({
      duration: answersWithinMs,
      orElse: () =>
        Effect.succeed({
          git: null,
          findings: [refused(`it has not answered within ${answersWithinMs / 1_000} s`, root)]
        })
    })
  )

/** Files that `init` makes, or that are named like them, and that others need too. */
const ownFiles = (root: string, state: string): ReadonlyArray<string> => {
  const folder = Path.join(root, ".proofline")
  const within = namesIn(folder).map((name) => Path.join(folder, name))
  return ["proofline.yaml", "tasks.yaml", "requirements.yaml", "AGENTS.md", ...within]
    .map((name) => Path.resolve(root, name))
    .filter((file) => file !== state && statOf(file)?.isFile() === true)
    .map((file) => Path.relative(root, file).split(Path.sep).join("/"))
}

const findingsOf = (git: GitFound, root: string, state: string): ReadonlyArray<Finding> => {
  if (git.version === null) return [git.refusal === null ? missing(root) : refused(git.refusal, root)]
  const old = git.isNew ? [] : [tooOld(git.version, root)]
  if (git.refusal !== null) return [...old, refused(git.refusal, root)]
  if (git.top === null) return [...old, none(root, git)]
  return [
    ...old,
    ...(git.hasCommit ? [] : [empty(git.top, git)]),
    ...(git.leftOut.length === 0 ? [] : [leftOut(git.leftOut, root)]),
    ...(git.tracked.length > 0 ? [tracked(git.tracked, root, state)] : git.ignoresState ? [] : [seen(state)])
  ]
}

const lost = "subtasks cannot have worktrees, and receipts no commit to go with"

const missing = (root: string): Finding => ({
  code: "git_missing",
  severity: "warning",
  message: `There is no git on PATH: tasks are run all the same, but ${lost}.`,
  place: root,
  fix: `Install git ${oldestGit} or newer (apt install git, brew install git, https://git-scm.com).`
})

const tooOld = (version: string, root: string): Finding => ({
  code: "git_old",
  severity: "warning",
  message: `This is git ${version}: subtasks can have worktrees with ${oldestGit} or newer.`,
  place: root,
  fix: `Install git ${oldestGit} or newer, or write \`workspace: shared\` under \`chunking\` in proofline.yaml.`
})

/** It is there, and does not do what it is asked. */
const refused = (why: string, root: string): Finding => ({
  code: "git_refuses",
  severity: "error",
  message: `Git does not look at the repository: ${oneLine(why, 300).replace(/\.$/, "")}.`,
  place: root,
  fix: /dubious ownership/.test(why)
    ? `If you trust this directory: git config --global --add safe.directory ${quoted(root)}`
    : `See what \`git -C ${quoted(root)} status\` says, and mend that.`
})

/** Git refuses a commit of nobody. */
const begin = (command: string, { hasIdentity }: GitFound): string =>
  hasIdentity
    ? command
    : `Git does not know you yet: git config --global user.name "Your Name" && git config --global user.email you@example.org, then ${command}`

const none = (root: string, git: GitFound): Finding => ({
  code: "repository_none",
  severity: "warning",
  message: `The project is in no git repository: tasks are run all the same, but ${lost}.`,
  place: root,
  fix: begin("git init && git add -A && git commit -m start", git)
})

const empty = (top: string, git: GitFound): Finding => ({
  code: "repository_empty",
  severity: "warning",
  message: `The repository has no commit yet: until it has one, ${lost}.`,
  place: top,
  fix: begin("git add -A && git commit -m start", git)
})

const leftOut = (files: ReadonlyArray<string>, root: string): Finding => ({
  code: "settings_ignored",
  severity: "note",
  message: `Git ignores ${enumerated(files, 3)}: a clone, CI and whoever works on this with you do without.`,
  place: root,
  fix: `\`git check-ignore -v ${quoted(files[0] ?? "")}\` shows the rule. ${files.some((file) => file.startsWith(".proofline/")) ? "Write `!.proofline/` below it" : "Write an exception (`!NAME`) below it"}, or add them with git add -f; leave it if they are for you alone.`
})

const tracked = (files: ReadonlyArray<string>, root: string, state: string): Finding => {
  const name = quoted(Path.relative(root, state))
  return {
    code: "state_tracked",
    severity: "warning",
    message: `The log and its blobs are part of the repository (${enumerated(files, 3)}): each run changes files that git knows, and a checkout puts an older log in its place.`,
    place: state,
    fix: `git rm -r --quiet --cached ${name} && git commit -m 'Leave the state of Proofline out'`
  }
}

const seen = (state: string): Finding => ({
  code: "state_not_ignored",
  severity: "warning",
  message: "Git does not ignore the log and its blobs: a commit of everything takes them in.",
  place: state,
  fix: `Write * into ${Path.join(state, ".gitignore")}.`,
  mend: Effect.try({
    try: () => appendFileSync(Path.join(state, ".gitignore"), "*\n"),
    catch: (cause) => (cause as Error).message
  })
})
