import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import type { AggregationStrategy } from "@proofline/kernel"
import { layer } from "@proofline/plugins/adapters/git-workspaces"
import { type AggregationRequest, type Workspace, type WorkspaceSpec, Workspaces } from "@proofline/plugins/ports"
import { Effect, Exit, Scope } from "effect"
import { afterAll } from "vitest"
import { contentOf as allOf, begin, type Files, git, room, shell } from "../repositories.ts"

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
    begin(project.top, files)
    return project
  })

/** A project that is made once for a file, worktrees and all; each test has a copy of its own. */
export const copiesOf = (make: Effect.Effect<Project, unknown, Scope.Scope>) => {
  const scope = Scope.makeUnsafe()
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return Effect.flatMap(Effect.runSync(Effect.cached(Scope.provide(make, scope))), copied)
}

/** Worktrees and what git notes of them name each other in full. What was copied seems changed until git looks. */
const copied = (original: Project) =>
  Effect.map(room("proofline-test-"), (copy): Project => {
    const moved = (text: string) => text.replace(original.room, copy)
    cpSync(original.room, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
    const top = moved(original.top)
    const worktrees = globSync(moved(`${original.stateDir}/worktrees/*/*/`))
    for (const note of [
      ...globSync(`${top}/.git/worktrees/*/gitdir`),
      ...worktrees.map((one) => Path.join(one, ".git"))
    ])
      writeFileSync(note, moved(readFileSync(note, "utf8")))
    const refresh = [top, ...worktrees].map((one) => `git -C '${one}' update-index -q --refresh`)
    shell(copy, refresh.join("; "))
    return { room: copy, top, root: moved(original.root), stateDir: moved(original.stateDir) }
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

/** Without the tree of the project, of which each time is another. */
export const aggregate = (
  project: Project,
  subtasks: ReadonlyArray<string>,
  strategy: AggregationStrategy = fail,
  others: AggregationRequest["others"] = []
) =>
  Effect.map(
    use(project, ({ aggregate }) => aggregate({ run_id: "run_1", parent_task_id: "p", subtasks, strategy, others })),
    ({ tree: _, ...outcome }) => outcome
  )

/** What became of the worktrees of a run. */
export const closed = (project: Project) => use(project, ({ close }) => close("run_1", []))

/** What stays of them. */
export const close = (project: Project) => Effect.map(closed(project), ({ stays }) => stays)

/** Everything of the user's that is never written: index, HEAD, branches, stash, notes of where they were, settings. */
export const ownOf = ({ top }: Project): string =>
  shell(
    top,
    `sha256sum "$(git rev-parse --absolute-git-dir)/index"; cat "$(git rev-parse --absolute-git-dir)/HEAD"
    cat "$(git rev-parse --git-path config)"; git reflog; git stash list; git diff --cached --raw
    git for-each-ref refs/heads refs/tags refs/stash refs/remotes`
  )

export const statusOf = ({ top }: Project): string =>
  git(top, "status", "--porcelain=v2", "-z", "--untracked-files=all")

/** What is left of worktrees, in the state directory and in the repository; heads of ended runs, which are blobs, and their trees stay. */
export const leftOf = ({ root, stateDir, top }: Project): ReadonlyArray<string> => {
  const names = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])
  const common = Path.resolve(root, git(root, "rev-parse", "--git-common-dir").trim())
  return [
    ...names(Path.join(stateDir, "worktrees")).filter((name) => name !== ".gitignore"),
    ...names(Path.join(common, "worktrees")),
    ...git(top, "for-each-ref", "refs/proofline")
      .split("\n")
      .filter((line) => line !== "" && !line.includes(" blob\t") && !line.includes("refs/proofline/_trees/"))
  ]
}

/** Without what is Proofline's. */
export const contentOf = (folder: string): Readonly<Record<string, string>> => allOf(folder, /^\.proofline\//)
