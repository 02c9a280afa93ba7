import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import type { AggregationStrategy } from "@proofline/kernel"
import { layer } from "@proofline/plugins/adapters/git-workspaces"
import { type Workspace, type WorkspaceSpec, Workspaces } from "@proofline/plugins/ports"
import { Effect } from "effect"

/** Git as for somebody without settings, whatever this machine has. */
const environment = {
  ...process.env,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.org"
}

export const git = (directory: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, { cwd: directory, env: environment, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

export const shell = (directory: string, command: string): string =>
  execFileSync("sh", ["-c", command], { cwd: directory, env: environment, encoding: "utf8" })

export type Files = Readonly<Record<string, string | Uint8Array>>

/** A text that begins with `#!` can be run. */
export const write = (root: string, files: Files): void => {
  for (const [name, content] of Object.entries(files)) {
    const file = Path.join(root, name)
    mkdirSync(Path.dirname(file), { recursive: true })
    writeFileSync(file, content)
    if (typeof content === "string" && content.startsWith("#!")) chmodSync(file, 0o755)
  }
}

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
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => realpathSync(mkdtempSync(Path.join(tmpdir(), "proofline-test-")))),
      (room) => Effect.sync(() => rmSync(room, { recursive: true, force: true }))
    ),
    (room): Project => {
      const top = Path.join(room, "the project ü")
      const root = Path.join(top, below)
      const stateDir = Path.join(root, ".proofline/state")
      mkdirSync(stateDir, { recursive: true })
      writeFileSync(Path.join(root, ".proofline/.gitignore"), "state/\n")
      return { room, top, root, stateDir }
    }
  )

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

/** Files and links of a directory by path: what is in them. Without git's own and Proofline's. */
export const contentOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    filesOf(folder)
      .filter((file) => !/(^|\/)\.git(\/|$)/.test(file) && !file.startsWith(".proofline/"))
      .map((file) => [file, contentAt(Path.join(folder, file))])
  )

const contentAt = (file: string): string => {
  const stat = lstatSync(file)
  if (stat.isSymbolicLink()) return `-> ${readlinkSync(file)}`
  return `${stat.mode & 0o100 ? "x " : ""}${readFileSync(file, "latin1")}`
}

const filesOf = (folder: string, below = ""): ReadonlyArray<string> =>
  readdirSync(Path.join(folder, below), { withFileTypes: true })
    .flatMap((entry) => {
      const name = Path.join(below, entry.name)
      return entry.isDirectory() ? filesOf(folder, name) : [name]
    })
    .toSorted()

/** The dead that were not collected yet do not live. */
export const isAlive = (pid: number): boolean => {
  try {
    const state = execFileSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).trim()
    return state !== "" && !state.startsWith("Z")
  } catch {
    return false
  }
}

/** Looks until it holds; the bound is only there so that a broken program ends the test. */
export const until = (condition: () => boolean): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (let look = 0; !condition(); look++) {
      if (look > 10_000) throw new Error("It did not come about.")
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  })
