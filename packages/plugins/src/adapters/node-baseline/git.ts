import { execFile } from "node:child_process"
import { readingEnvironment } from "../../git/environment.ts"

/** How a project differs from the commit it stands on. Paths are relative to the project, `/` separated. */
export interface GitStatus {
  /** HEAD; null before the first commit. */
  readonly commit: string | null
  /** Files that git knows and that are not as the commit has them. */
  readonly changed: ReadonlyArray<string>
  /** Files that git does not know and does not ignore. */
  readonly untracked: ReadonlyArray<string>
  /** What git does not look into: ignored files, and with a `/` at the end folders: ignored ones, other repositories. */
  readonly unseen: ReadonlyArray<string>
}

export interface TreeEntry {
  /** As git writes it, e.g. `100644`; `160000` is a submodule. */
  readonly mode: string
  readonly id: string
}

/** The project as its repository has it now; null outside a repository, without git, and where git does not work. */
export const statusOf = async (root: string, signal: AbortSignal): Promise<GitStatus | null> => {
  const [prefix, status] = await Promise.all([
    prefixOf(root, signal),
    git(
      root,
      [
        "status",
        "--porcelain=v2",
        "--branch",
        "--no-ahead-behind",
        "-z",
        "--untracked-files=all",
        "--ignored=matching",
        "--ignore-submodules=all",
        "--no-renames",
        "--",
        "."
      ],
      signal
    )
  ])
  return prefix === null || status === null ? null : parseStatus(status.toString(), prefix)
}

/** The folder of the project within its repository, with a `/` at the end; empty at the top; null outside of one. */
export const prefixOf = async (root: string, signal: AbortSignal): Promise<string | null> =>
  (await git(root, ["rev-parse", "--show-prefix"], signal))?.toString().replace(/\n$/, "") ?? null

const parseStatus = (text: string, prefix: string): GitStatus | null => {
  const changed: Array<string> = []
  const untracked: Array<string> = []
  const unseen: Array<string> = []
  let commit: string | null = null
  for (const line of text.split("\0")) {
    const words = line.split(" ")
    const path = (first: number) => words.slice(first).join(" ")
    switch (words[0]) {
      case "#":
        if (words[1] === "branch.oid" && words[2] !== "(initial)") commit = words[2] ?? null
        break
      case "1":
        changed.push(path(8))
        break
      case "u":
        changed.push(path(10))
        break
      case "?":
        ;(line.endsWith("/") ? unseen : untracked).push(path(1))
        break
      case "!":
        unseen.push(path(1))
        break
      default:
        break
    }
  }
  // the repository ignores the whole project: it knows nothing of it
  if (unseen.some((entry) => entry.endsWith("/") && prefix.startsWith(entry))) return null
  const inside = (path: string) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : [])
  return {
    commit,
    changed: changed.flatMap(inside),
    untracked: untracked.flatMap(inside),
    unseen: unseen.flatMap(inside)
  }
}

/** The id of the commit that a name of any kind means; null: there is none. */
export const commitOf = async (root: string, ref: string, signal: AbortSignal): Promise<string | null> => {
  const printed = await git(root, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`], signal)
  const id = printed?.toString().trim() ?? ""
  return /^[0-9a-f]{40,64}$/.test(id) ? id : null
}

/** Whether the repository of a directory ignores a path in it; false where there is none. */
export const ignores = async (directory: string, path: string, signal: AbortSignal): Promise<boolean> =>
  // it fails where it does not ignore it
  (await git(directory, ["check-ignore", "--quiet", "--", path], signal)) !== null

/** Every file of the project that a commit holds, submodules too; null when the commit cannot be read. */
export const treeOf = async (
  root: string,
  commit: string,
  signal: AbortSignal
): Promise<ReadonlyMap<string, TreeEntry> | null> => {
  const prefix = await prefixOf(root, signal)
  if (prefix === null) return null
  const listed = await git(
    root,
    ["ls-tree", "-r", "-z", "--full-tree", commit, ...(prefix === "" ? [] : [prefix])],
    signal
  )
  if (listed === null) return null
  return new Map(
    listed
      .toString()
      .split("\0")
      .flatMap((line) => {
        const [, mode = "", id = "", path = ""] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s.exec(line) ?? []
        return path.startsWith(prefix) && id !== "" ? [[path.slice(prefix.length), { mode, id }] as const] : []
      })
  )
}

/**
 * Reads objects by id; null when one is not there. What is asked for while git is at work is asked together next, so
 * that many files cost few processes.
 */
export const makeBlobReader = (root: string): ((id: string) => Promise<Buffer | null>) => {
  let asked: Array<{ readonly id: string; readonly resolve: (bytes: Buffer | null) => void }> = []
  let isAtWork = false
  const work = async () => {
    isAtWork = true
    while (asked.length > 0) {
      const now = asked
      asked = []
      const ids = [...new Set(now.map(({ id }) => id))]
      const answer = await git(root, ["cat-file", "--batch"], undefined, ids.map((id) => `${id}\n`).join(""))
      const found = answer === null ? new Map<string, Buffer>() : parseBatch(answer)
      for (const { id, resolve } of now) resolve(found.get(id) ?? null)
    }
    isAtWork = false
  }
  return (id) =>
    new Promise((resolve) => {
      asked.push({ id, resolve })
      if (!isAtWork) void work()
    })
}

/** `<id> blob <size>`, a line feed, the bytes and a line feed; or `<id> missing` and a line feed. */
const parseBatch = (answer: Buffer): ReadonlyMap<string, Buffer> => {
  const found = new Map<string, Buffer>()
  for (let at = 0; at < answer.length; ) {
    const end = answer.indexOf("\n", at)
    if (end === -1) break
    const [id = "", type, size] = answer.toString("latin1", at, end).split(" ")
    at = end + 1
    if (size === undefined) continue
    const bytes = answer.subarray(at, at + Number(size))
    if (type === "blob") found.set(id, bytes)
    at += bytes.length + 1
  }
  return found
}

/** More output than that is no answer. */
const maxOutputBytes = 256 * 1024 * 1024
const limitMs = 120_000

/** What git prints; null when it fails, is not there or does not end. It writes nothing and runs nothing of the project. */
const git = (root: string, words: ReadonlyArray<string>, signal?: AbortSignal, stdin = ""): Promise<Buffer | null> =>
  new Promise((resolve) => {
    const child = execFile(
      "git",
      ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", ...words],
      {
        cwd: root,
        env: readingEnvironment(),
        encoding: "buffer",
        maxBuffer: maxOutputBytes,
        timeout: limitMs,
        killSignal: "SIGKILL",
        ...(signal === undefined ? {} : { signal })
      },
      (error, stdout) => resolve(error === null ? stdout : null)
    )
    // git may be gone, or may never have been there
    child.stdin?.on("error", () => {})
    child.stdin?.end(stdin)
  })
