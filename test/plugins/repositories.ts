/** Real repositories for tests, and what is in them. */

import { isUtf8 } from "node:buffer"
import { execFileSync } from "node:child_process"
import {
  chmodSync,
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
import { Effect } from "effect"

/** Git as for somebody without settings, whatever this machine has. */
const environment = {
  ...process.env,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_OPTIONAL_LOCKS: "0",
  // a commit would start another git to see whether there is something to tidy up
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "maintenance.auto",
  GIT_CONFIG_VALUE_0: "false",
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

const committed = (message: string) => `git add --all && git commit --quiet --allow-empty --message '${message}'`

/** Everything that is there; answers the commit. One call: starting a process is what takes the time. */
export const commit = (root: string, message = "more"): string =>
  shell(root, `${committed(message)} && git rev-parse HEAD`).trim()

/** Makes a directory a repository in which these files are committed; answers the commit. */
export const begin = (root: string, files: Files): string => {
  write(root, files)
  // what can be done without a program is: thousands of repositories are made
  const made = `git init --quiet --template= --initial-branch main && printf '\\tautocrlf = false\\n' >>.git/config`
  shell(root, `${made} && ${committed("base")}`)
  return readFileSync(Path.join(root, ".git/refs/heads/main"), "utf8").trim()
}

/** A directory of its own for a test, links resolved. Gone after it. */
export const room = (name: string) =>
  Effect.acquireRelease(
    Effect.sync(() => realpathSync(mkdtempSync(Path.join(tmpdir(), name)))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true, maxRetries: 3 }))
  )

/** Files and links of a directory by path: what is in them. Without git's own, and what else is left out. */
export const contentOf = (folder: string, leftOut = /^$/): Readonly<Record<string, string>> =>
  Object.fromEntries(
    filesOf(folder)
      .filter((file) => !/(^|\/)\.git(\/|$)/.test(file) && !leftOut.test(file))
      .map((file) => [file, contentAt(Path.join(folder, file))])
  )

const contentAt = (file: string): string => {
  const stat = lstatSync(file)
  if (stat.isSymbolicLink()) return `-> ${readlinkSync(file)}`
  return `${stat.mode & 0o100 ? "x " : ""}${readFileSync(file).toString(isUtf8(readFileSync(file)) ? "utf8" : "latin1")}`
}

/** Everything below a directory that is no directory, links not followed, sorted. */
export const filesOf = (folder: string, below = ""): ReadonlyArray<string> =>
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
      if (look > 50_000) throw new Error("It did not come about.")
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  })
