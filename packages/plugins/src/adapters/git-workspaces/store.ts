import { readdir, realpath, rm, stat, writeFile } from "node:fs/promises"
import * as Path from "node:path"
import { Effect } from "effect"
import { wordsOf } from "../../git/paths.ts"
import { remembered } from "../../git/remembered.ts"
import { removeTree } from "../../git/removeTree.ts"
import { commitOf, locate, type Repository } from "../../git/repository.ts"
import { type Checkout, GitFailed, git } from "../../git/run.ts"
import { makeDirectory } from "../../log/logDirectories.ts"
import { WorkspaceRefused } from "../../port/index.ts"
import { isAbandoned, newName } from "../../processes/names.ts"

export interface Options {
  /** The project directory. */
  readonly root: string
  /** Where Proofline keeps its state; worktrees lie below `worktrees`. */
  readonly stateDir: string
  /** Whether it keeps what the files were around each attempt; yes when left out. */
  readonly keepsTrees?: boolean
}

/** The project's repository and the folder of its worktrees. */
export interface WorktreeStore {
  readonly repository: Repository
  /** Absolute, links resolved; a folder of the state directory. */
  readonly worktrees: string
}

/** The state directory: nothing in it is a part of the project. */
export const stateOf = ({ worktrees }: WorktreeStore): string => Path.dirname(worktrees)

/** From the project, also for what lies beside it in the repository. */
export const fromProject = ({ repository }: WorktreeStore, path: string): string =>
  Path.posix.relative(repository.prefix, path)

export const pathsOf = (store: WorktreeStore, paths: ReadonlyArray<string>): string =>
  paths.map((path) => fromProject(store, path)).join(", ")

export const refused = (code: string, message: string): Effect.Effect<never, WorkspaceRefused> =>
  Effect.fail(new WorkspaceRefused({ code, message }))

const makeOne =
  "Make it one with a commit (`git init && git add -A && git commit -m start`), or set `workspace: shared`."

/** A failure of git in the words of a workspace. */
export const asRefusal = ({ message, reason }: GitFailed): WorkspaceRefused => {
  switch (reason) {
    case "missing":
      return new WorkspaceRefused({
        code: "workplace_no_git",
        message: `${message} Install git, or set \`workspace: shared\`.`
      })
    case "no_repository":
      return new WorkspaceRefused({
        code: "workplace_no_repository",
        message: `The project is not in a git repository, so no subtask can have a worktree of it. ${makeOne}`
      })
    case "name":
      return new WorkspaceRefused({ code: "workplace_name", message })
    case "slow":
    case "large":
    case "failed":
      return new WorkspaceRefused({ code: "workplace_git_failed", message })
  }
}

/** Work on files, with a sentence for what the system refuses. */
export const attempt = <A>(what: string, run: () => Promise<A>): Effect.Effect<A, WorkspaceRefused> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      cause instanceof WorkspaceRefused
        ? cause
        : new WorkspaceRefused({ code: "workplace_files", message: `${what}: ${wordsOf(cause)}.` })
  })

export type Failing = GitFailed | WorkspaceRefused
export type Git<A> = Effect.Effect<A, Failing>

export const worktreesIn = (stateDir: string): string => Path.join(Path.resolve(stateDir), "worktrees")

/** Refuses a project that can have no worktrees. */
export const openWorktreeStore = Effect.fnUntraced(function* ({
  root,
  stateDir
}: Options): Effect.fn.Return<WorktreeStore, Failing> {
  // git tells the places of a repository in lines
  if (root.includes("\n"))
    return yield* refused(
      "workplace_name",
      "The path of the project has a line break in it, so git cannot say where its repository is. Move the project, or set `workspace: shared`."
    )
  const repository = yield* locate(root)
  const { isNew, version } = yield* remembered("version", programs, versionOf(root), ({ isNew }) => isNew)
  if (!isNew)
    return yield* refused(
      "workplace_old_git",
      `Git ${version} cannot merge without a checkout. Install git ${oldestGit} or newer, or set \`workspace: shared\`.`
    )
  const store = yield* storeOf(repository, stateDir)
  if ((yield* commitOf(repository, "HEAD")) === null) yield* withoutHead(repository)
  return store
})

/** Where a program is looked for. */
const programs = () => process.env["PATH"] ?? null

/** The first that merges without a checkout. */
export const oldestGit = "2.38"

const rank = (version: string): number => {
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(version) ?? []
  return Number(major) * 1_000 + Number(minor)
}

/** Of the git on PATH, and whether it is one that can give subtasks worktrees. */
export const versionOf = (root: string) =>
  Effect.map(git(root, ["version"]), (printed) => {
    const [version = "0.0"] = /\d+(?:\.\d+)+/.exec(printed) ?? []
    return { version, isNew: rank(version) >= rank(oldestGit) }
  })

/** The same for a repository that is only read. */
export const storeOf = (repository: Repository, stateDir: string): Effect.Effect<WorktreeStore, WorkspaceRefused> =>
  attempt(`The state directory ${stateDir} cannot be used`, async () => {
    const made = worktreesIn(stateDir)
    await makeDirectory(made, 0o700)
    // nothing of it is a part of the project, whatever the project ignores
    await writeFile(Path.join(made, ".gitignore"), "*\n")
    return { repository, worktrees: await realpath(made) }
  })

/** There is no commit yet, or git says what else is wrong. */
const withoutHead = (checkout: Checkout): Git<unknown> =>
  Effect.catchTag(
    git(checkout, ["log", "-1", "--format=%H"]),
    "GitFailed",
    (failed): Git<never> =>
      failed.said.includes("does not have any commits yet")
        ? refused(
            "workplace_no_repository",
            "The repository of the project has no commit yet. Make one (`git add -A && git commit -m start`), or set `workspace: shared`."
          )
        : Effect.fail(failed)
  )

export const headOf = (checkout: Checkout): Effect.Effect<string, GitFailed> =>
  Effect.flatMap(commitOf(checkout, "HEAD"), (head) =>
    head === null
      ? Effect.fail(
          new GitFailed({ reason: "failed", message: "HEAD is no commit.", said: "", exit_code: null, printed: "" })
        )
      : Effect.succeed(head)
  )

/** A place for a file or a folder that is removed afterwards, by the next process if not by this one. */
export const withScratch = <A, E, R>(
  store: WorktreeStore,
  use: (path: string) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => Path.join(store.worktrees, newName("scratch"))),
    use,
    (path) =>
      Effect.promise(async () => {
        await removeTree(path)
        await rm(`${path}.lock`, { force: true })
      })
  )

/** Removes what processes that do not live any more have left of that. */
export const removeScratch = ({ worktrees }: WorktreeStore): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (const name of await readdir(worktrees).catch(() => []))
      if (isAbandoned(name, "scratch")) await removeTree(Path.join(worktrees, name))
  })

/** Nobody holds a lock of git that long who still lives. */
const staleMs = 10_000

/** Removes the locks in a folder of ours that a git which was killed has left there. */
export const removeStaleLocks = (folder: string): Promise<void> =>
  readdir(folder, { recursive: true }).then(
    async (names) => {
      for (const name of names.filter((name) => name.endsWith(".lock"))) {
        const found = await stat(Path.join(folder, name)).catch(() => null)
        if (found?.isFile() === true && found.mtimeMs < Date.now() - staleMs)
          await rm(Path.join(folder, name), { force: true })
      }
    },
    () => {}
  )
