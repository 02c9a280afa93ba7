/** What git knows of a project's files: which it keeps, and which commit changed which. */
import { isUtf8 } from "node:buffer"
import { Effect, type Scope } from "effect"
import { openObjects } from "../../git/objects.ts"
import { commitOf, locate } from "../../git/repository.ts"
import { type GitFailed, git, gitFields, gitNames } from "../../git/run.ts"
import { statusOf, unknownFiles } from "../../git/status.ts"

/** What a commit did to a file. Paths are relative to the project, `/` separated. */
export interface FileChange {
  readonly path: string
  /** Where it was before, for a file that was moved; null: it was not. */
  readonly from: string | null
  /** Object id of what it holds since; null: it is gone. */
  readonly blob: string | null
}

export interface Commit {
  readonly id: string
  readonly parents: ReadonlyArray<string>
  readonly changes: ReadonlyArray<FileChange>
}

export interface GitHistory {
  /** Files that git keeps, as the index has them. */
  readonly tracked: ReadonlySet<string>
  /** Files that git neither keeps nor ignores. */
  readonly untracked: ReadonlySet<string>
  /** Files that git keeps and that are not as the newest commit has them. */
  readonly changed: ReadonlySet<string>
  /** Commits that lead to HEAD, children before their parents; empty before the first one. */
  readonly commits: ReadonlyArray<Commit>
  /** Not all of them are here: a shallow clone. */
  readonly isShallow: boolean
  /** Which of these paths git is told to ignore, whether they are there or not. */
  readonly ignored: (paths: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, GitFailed>
  /** A file as a commit held it; null: it is no text, is larger, or is not here. */
  readonly textOf: (blob: string, maxBytes: number) => Effect.Effect<string | null, GitFailed>
}

/**
 * The history of a project: three listings and one walk over all commits, whatever its size. Null: it is in no git
 * repository. Blobs are read by one process, which ends with the scope.
 */
export const gitHistory = (root: string): Effect.Effect<GitHistory | null, GitFailed, Scope.Scope> =>
  Effect.catchTag(readHistory(root), "GitFailed", (failed) =>
    failed.reason === "no_repository" || failed.reason === "missing" ? Effect.succeed(null) : Effect.fail(failed)
  )

const readHistory = Effect.fnUntraced(function* (root: string) {
  const { prefix, top } = yield* locate(root)
  const leftOut = { unreadable: "left out" } as const
  const tracked = yield* gitNames(root, ["ls-files", "-z", "--cached"], leftOut)
  const untracked = yield* unknownFiles(root, "new", leftOut)
  const status = yield* statusOf(top, { within: prefix === "" ? "." : prefix })
  const within = prefix === "" ? "" : `${prefix}/`
  const read = yield* openObjects(root)
  return {
    tracked: new Set(tracked),
    untracked: new Set(untracked),
    changed: new Set(status.changed.map((path) => path.slice(within.length))),
    commits: (yield* commitOf(root, "HEAD")) === null ? [] : yield* commitsOf(root),
    isShallow: (yield* git(root, ["rev-parse", "--is-shallow-repository"])).trim() === "true",
    ignored: (paths) => ignoredOf(root, paths),
    textOf: (blob, maxBytes) =>
      Effect.map(read(blob, maxBytes), (bytes) =>
        bytes instanceof Uint8Array && isUtf8(bytes) ? Buffer.from(bytes).toString() : null
      )
  } satisfies GitHistory
})

const commitsOf = (root: string): Effect.Effect<ReadonlyArray<Commit>, GitFailed> => {
  const walk = (renames: string) =>
    gitFields(root, [
      ...[
        "log",
        "-z",
        "--topo-order",
        "--raw",
        "--no-abbrev",
        "-c",
        "--relative",
        "--no-ext-diff",
        "--no-textconv",
        "--no-show-signature"
      ],
      ...["--ignore-submodules=all", renames, "--format=%x01%H %P"]
    ])
  // of a partial clone not all contents are here, and only files that were moved as they are can be told
  return Effect.map(
    Effect.catchIf(
      walk("--find-renames"),
      ({ reason }) => reason === "failed",
      () => walk("--find-renames=100%")
    ),
    parsed
  )
}

const commitMark = "\u0001"

/** `\u0001<id> <parents>`, then of each file `:<modes> <ids> <letters>` and its paths. */
const parsed = (fields: ReadonlyArray<string | null>): ReadonlyArray<Commit> => {
  const commits: Array<Commit & { readonly changes: Array<FileChange> }> = []
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at]?.trimStart() ?? ""
    if (field.startsWith(commitMark)) {
      const [id = "", ...parents] = field.slice(commitMark.length).trim().split(" ")
      commits.push({ id, parents, changes: [] })
    } else if (field.startsWith(":")) {
      const words = field.split(" ")
      const letters = words.at(-1) ?? ""
      const isMoved = /^[RC]\d/.test(letters)
      const from = isMoved ? fields[++at] : null
      const path = fields[++at]
      // a name that is not valid UTF-8 is none that anybody writes into a list
      if (path === null || path === undefined || from === undefined) continue
      const blob = words.at(-2) ?? ""
      commits.at(-1)?.changes.push({
        path,
        from: letters.startsWith("R") ? from : null,
        blob: /^0+$/.test(blob) ? null : blob
      })
    }
  }
  return commits
}

const ignoredOf = (root: string, paths: ReadonlyArray<string>): Effect.Effect<ReadonlySet<string>, GitFailed> =>
  paths.length === 0
    ? Effect.succeed(new Set())
    : Effect.catchIf(
        gitNames(root, ["check-ignore", "-z", "--stdin", "--no-index"], {
          input: paths.map((path) => `./${path}\0`).join(""),
          // this command refuses to be told that paths are literal
          env: { GIT_LITERAL_PATHSPECS: "0" }
        }).pipe(Effect.map((found) => new Set(found.map((path) => path.replace(/^\.\//, ""))))),
        // 1: none of them is
        ({ exit_code }) => exit_code === 1,
        () => Effect.succeed(new Set<string>())
      )
