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
import { layer } from "@proofline/plugins/adapters/git-scratch-checkouts"
import { ScratchCheckouts } from "@proofline/plugins/ports"
import { Effect } from "effect"

/** Git as for somebody without settings, whatever this machine has. */
const environment = {
  ...process.env,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.org"
}

export const git = (directory: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", args, { cwd: directory, env: environment, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

export const write = (root: string, files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) {
    const file = Path.join(root, name)
    mkdirSync(Path.dirname(file), { recursive: true })
    writeFileSync(file, text)
    if (text.startsWith("#!")) chmodSync(file, 0o755)
  }
}

export const commit = (root: string, message = "more"): string => {
  git(root, "add", "--all")
  git(root, "commit", "--quiet", "--message", message)
  return git(root, "rev-parse", "HEAD").trim()
}

/** A repository with these files committed, and beside it a directory for temporary files. Gone after the test. */
export const repository = (files: Readonly<Record<string, string>>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => realpathSync(mkdtempSync(Path.join(tmpdir(), "proofline-test-")))),
      (room) => Effect.sync(() => rmSync(room, { recursive: true, force: true }))
    ),
    (room) => {
      const root = Path.join(room, "project")
      const temporary = Path.join(room, "tmp")
      mkdirSync(root)
      mkdirSync(temporary)
      git(root, "init", "--quiet", "--initial-branch", "main")
      write(root, files)
      return { room, root, temporary, base: commit(root, "base") }
    }
  )

export interface Place {
  readonly root: string
  readonly temporary: string
}

/** Uses a checkout and removes it. */
export const within = <A, E, R>(
  { root, temporary }: Place,
  options: { readonly commit: string; readonly overlay: boolean; readonly root?: string },
  use: (worktree: {
    readonly directory: string
    readonly write: (path: string, text: string) => Effect.Effect<void, unknown>
  }) => Effect.Effect<A, E, R>
) =>
  Effect.scoped(
    Effect.flatMap(
      Effect.flatMap(ScratchCheckouts, (checkouts) => checkouts.make(options)),
      use
    )
  ).pipe(Effect.provide(layer({ root, temporary })))

/** Why there is no checkout. */
export const refusal = (place: Place, commit: string) =>
  within(place, { commit, overlay: true }, () => Effect.void).pipe(
    Effect.flip,
    Effect.map((error) => (error as { readonly message: string }).message)
  )

/** Files and links of a directory by path: what is in them. Without git's own. */
export const contentOf = (directory: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    filesOf(directory)
      .filter((file) => !file.startsWith(".git/") && file !== ".git")
      .map((file) => [file, contentAt(Path.join(directory, file))])
  )

const contentAt = (file: string): string => {
  const stat = lstatSync(file)
  if (stat.isSymbolicLink()) return `-> ${readlinkSync(file)}`
  return `${stat.mode & 0o100 ? "x " : ""}${readFileSync(file, "utf8")}`
}

/** Everything below a directory that is no directory, links not followed, sorted. */
const filesOf = (directory: string, below = ""): ReadonlyArray<string> =>
  readdirSync(Path.join(directory, below), { withFileTypes: true })
    .flatMap((entry) => {
      const name = Path.join(below, entry.name)
      return entry.isDirectory() ? filesOf(directory, name) : [name]
    })
    .toSorted()

/** Every byte, mode, inode and time of every file of a project, its repository included. */
export const printOf = (root: string): ReadonlyArray<string> =>
  filesOf(root).map((file) => {
    const { ino, mode, mtimeNs, nlink, size } = lstatSync(Path.join(root, file), { bigint: true })
    const bytes = lstatSync(Path.join(root, file)).isFile() ? readFileSync(Path.join(root, file)) : ""
    return `${file} ${ino} ${mode} ${mtimeNs} ${nlink} ${size} ${createHash("sha256").update(bytes).digest("hex")}`
  })

/** What is left of checkouts, in the directory for temporary files and in the repository. */
export const leftOf = ({ root, temporary }: Place): ReadonlyArray<string> => [
  ...readdirSync(temporary),
  ...(existsSync(Path.join(root, ".git/worktrees")) ? readdirSync(Path.join(root, ".git/worktrees")) : [])
]

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
