import { Effect } from "effect"
import { type GitFailed, gitEntries, gitFields, gitNames, type NameOptions, type Where } from "./run.ts"
import { type Entry, entryOf } from "./tree.ts"

/** Installed packages wherever they are, also where nobody has told git to ignore them. */
export const alwaysDependencies: ReadonlyArray<string> = ["node_modules", "bower_components", ".venv", "venv"]

/** How a checkout differs from the commit it stands on. Paths from the top of the repository, `/` separated. */
export interface Status {
  /** HEAD; null before the first commit. */
  readonly head: string | null
  /** Files that git knows and that are not as the commit has them. */
  readonly changed: ReadonlyArray<string>
  /** Files that git does not know and does not ignore; with a `/` at the end a repository of its own. */
  readonly untracked: ReadonlyArray<string>
  /** Files and, with a `/` at the end, folders. Empty unless they were asked for. */
  readonly ignored: ReadonlyArray<string>
  /** What the commit has of each of these, null: nothing. Files that are in conflict are missing here. */
  readonly committed: ReadonlyMap<string, Entry | null>
  /** Number of names among all of these that are not valid UTF-8, and left out. */
  readonly unreadable: number
}

export const statusOf = (
  where: Where,
  { ignored = false, within }: { readonly ignored?: boolean; readonly within: string }
): Effect.Effect<Status, GitFailed> =>
  Effect.map(
    gitFields(where, [
      ...["status", "--porcelain=v2", "--branch", "--no-ahead-behind", "-z", "--no-renames"],
      ...["--untracked-files=all", "--ignore-submodules=all", ...(ignored ? ["--ignored=matching"] : [])],
      ...["--", within]
    ]),
    parsed
  )

/** Words of a line before the path, by what the line begins with. */
const wordsBefore: Readonly<Record<string, number>> = { "1": 8, u: 10, "?": 1, "!": 1 }

const parsed = (lines: ReadonlyArray<string | null>): Status => {
  const paths: Record<string, Array<string>> = { "1": [], u: [], "?": [], "!": [] }
  const committed = new Map<string, Entry | null>()
  let head: string | null = null
  for (const line of lines) {
    const [kind = "", ...words] = line?.split(" ") ?? []
    if (kind === "#" && words[0] === "branch.oid" && words[1] !== "(initial)") head = words[1] ?? null
    const path = words.slice((wordsBefore[kind] ?? 0) - 1).join(" ")
    paths[kind]?.push(path)
    // one that was taken out of the index is told twice
    if (kind === "1") committed.set(path, entryOf(words[2], words[5]))
    else if (kind === "?" && !committed.has(path)) committed.set(path, null)
  }
  const { "1": changed = [], u: unmerged = [], "?": untracked = [], "!": ignored = [] } = paths
  const unreadable = lines.filter((line) => line === null).length
  return { head, changed: [...changed, ...unmerged], untracked, ignored, committed, unreadable }
}

/** Files that git does not know, from the directory that it is asked in; with a `/` at the end folders. `dependencies` count as ignored. */
export const unknownFiles = (
  where: Where,
  which: "new" | "ignored",
  options: NameOptions = {},
  dependencies = alwaysDependencies
): Effect.Effect<ReadonlyArray<string>, GitFailed> =>
  gitNames(
    where,
    [
      ...["ls-files", "-z", "--others", "--exclude-standard"],
      ...(which === "ignored" ? ["--ignored", "--directory"] : []),
      ...dependencies.flatMap((name) => ["--exclude", name])
    ],
    options
  )

/** A file that git knows, and the letter of what became of it: `D` when it is gone. */
export interface ChangedFile {
  readonly status: string
  readonly path: string
}

/** Files on disk against the index, or against a commit. The index is not written; a file that is merely newer may be listed. */
export const changedFiles = (
  where: Where,
  against: "index" | { readonly commit: string },
  options?: NameOptions
): Effect.Effect<ReadonlyArray<ChangedFile>, GitFailed> =>
  Effect.map(
    gitEntries(
      where,
      [
        against === "index" ? "diff-files" : "diff-index",
        ...["-z", "--name-status", "--no-renames", "--no-ext-diff", "--ignore-submodules=all"],
        ...(against === "index" ? [] : [against.commit]),
        "--"
      ],
      options,
      1
    ),
    (entries) => entries.map(([status = "", path = ""]) => ({ status, path }))
  )
