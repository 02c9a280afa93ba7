import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import type { AggregationStrategy } from "@proofline/kernel"
import { layer } from "@proofline/plugins/adapters/git-workspaces"
import { type Workspace, type WorkspaceSpec, Workspaces } from "@proofline/plugins/ports"
import { Effect } from "effect"
import { contentOf as allOf, type Files, git, room, write } from "../repositories.ts"

export { git, isAlive, shell, until, write } from "../repositories.ts"

export const read = (root: string, name: string): string | null => {
  const file = Path.join(root, name)
  return existsSync(file) ? readFileSync(file, "utf8") : null
}

export interface Project {
  readonly room: string
  /** Of the repository. */
  readonly top: string
  /** Of the project. */
  readonly root: string
  readonly stateDir: string
}

/** A directory of a project, in a folder of its own, gone after the test. */
export const directory = (below = "") =>
  Effect.map(room("proofline-test-"), (room): Project => {
    const top = Path.join(room, "the project ü")
    const root = Path.join(top, below)
    const stateDir = Path.join(root, ".proofline/state")
    mkdirSync(stateDir, { recursive: true })
    writeFileSync(Path.join(root, ".proofline/.gitignore"), "state/\n")
    return { room, top, root, stateDir }
  })

/** The same with a repository in which these files are committed. */
export const repository = (files: Files, below = "") =>
  Effect.map(directory(below), (project) => {
    git(project.top, "init", "--quiet", "--initial-branch", "main")
    git(project.top, "config", "core.autocrlf", "false")
    write(project.top, files)
    git(project.top, "add", "--all")
    git(project.top, "commit", "--quiet", "--message", "base")
    return project
  })

export const fail: AggregationStrategy = { type: "merge_all", conflict_resolution: "fail" }
export const overwrite: AggregationStrategy = { type: "merge_all", conflict_resolution: "overwrite" }
export const manual: AggregationStrategy = { type: "merge_all", conflict_resolution: "manual" }
export const lastWins: AggregationStrategy = { type: "last_wins", conflict_resolution: "fail" }

export const use = <A, E>(
  { root, stateDir }: Project,
  work: (workspaces: Workspaces["Service"]) => Effect.Effect<A, E>
) => Effect.flatMap(Workspaces, work).pipe(Effect.provide(layer({ root, stateDir })))

export const place = (task_id: string, more: Partial<WorkspaceSpec> = {}): WorkspaceSpec => ({
  run_id: "run_1",
  parent_task_id: "p",
  task_id,
  workspace: "worktree",
  after: [],
  strategy: fail,
  ...more
})

export const open = (project: Project, task: string, more: Partial<WorkspaceSpec> = {}) =>
  use(project, ({ open }) => open(place(task, more)))

/** A subtask from beginning to end; answers what it kept. */
export const subtask = (
  project: Project,
  task: string,
  work: (directory: string) => void,
  more: Partial<WorkspaceSpec> = {}
): Effect.Effect<ReadonlyArray<string>, unknown> =>
  Effect.flatMap(open(project, task, more), (there: Workspace) => {
    work(there.directory)
    return there.keep
  })

export const aggregate = (project: Project, subtasks: ReadonlyArray<string>, strategy: AggregationStrategy = fail) =>
  use(project, ({ aggregate }) => aggregate({ run_id: "run_1", parent_task_id: "p", subtasks, strategy }))

export const close = (project: Project) => use(project, ({ close }) => close("run_1"))

/** Everything of the user's that is never written: index, HEAD, branches, stash, notes of where they were. */
export const ownOf = ({ top }: Project): ReadonlyArray<string> => {
  const folder = git(top, "rev-parse", "--absolute-git-dir").trim()
  return [
    createHash("sha256")
      .update(readFileSync(Path.join(folder, "index")))
      .digest("hex"),
    readFileSync(Path.join(folder, "HEAD"), "utf8"),
    git(top, "for-each-ref", "refs/heads", "refs/tags", "refs/stash", "refs/remotes"),
    git(top, "reflog"),
    git(top, "stash", "list"),
    readFileSync(
      git(top, "rev-parse", "--git-path", "config")
        .trim()
        .replace(/^(?!\/)/, `${top}/`),
      "utf8"
    ),
    git(top, "diff", "--cached", "--raw")
  ]
}

export const statusOf = ({ top }: Project): string =>
  git(top, "status", "--porcelain=v2", "-z", "--untracked-files=all")

/** What is left of worktrees, in the state directory and in the repository; heads of ended runs, which are blobs, stay. */
export const leftOf = ({ root, stateDir, top }: Project): ReadonlyArray<string> => {
  const names = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])
  const common = Path.resolve(root, git(root, "rev-parse", "--git-common-dir").trim())
  return [
    ...names(Path.join(stateDir, "worktrees")).filter((name) => name !== ".gitignore"),
    ...names(Path.join(common, "worktrees")),
    ...git(top, "for-each-ref", "refs/proofline")
      .split("\n")
      .filter((line) => line !== "" && !line.includes(" blob\t"))
  ]
}

/** Without what is Proofline's. */
export const contentOf = (folder: string): Readonly<Record<string, string>> => allOf(folder, /^\.proofline\//)
