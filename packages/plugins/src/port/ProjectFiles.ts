import { Context, type Effect, Schema } from "effect"

/** What can be said of a place before something is written there; recorded with the answer. */
export const WriteTarget = Schema.Struct({
  /**
   * `/` separated, relative to the root (`.`: the root itself), without `.`, `..`, repeated or final slashes, links
   * resolved; null when it lies outside or cannot be a path.
   */
  path: Schema.NullOr(Schema.String),
  /** What is there; `other` also where nobody looked. */
  kind: Schema.Literals(["file", "directory", "other", "missing"]),
  /** Why nothing may be written there: outside the root, kept by git or Proofline, or not to be made a file. */
  fault: Schema.NullOr(Schema.Literals(["outside_root", "housekeeping", "invalid"])),
  /** A sentence. */
  message: Schema.String
})
export type WriteTarget = typeof WriteTarget.Type

/** Why a file of the workspace was not read. */
export class FileRefused extends Schema.TaggedError<FileRefused>()("FileRefused", {
  path: Schema.String,
  reason: Schema.Literals(["not_found", "outside_root", "not_a_file", "not_text", "too_large", "unreadable"]),
  message: Schema.String,
  /** What of the message the reason does not say already; left out: nothing. */
  detail: Schema.optionalKey(Schema.String)
}) {}

export interface ProjectFile {
  /** As given, `/` separated, relative to the root. */
  readonly path: string
  /** The exact content. */
  readonly text: string
  /** Git's object id of the content as it is on disk; null outside a repository. */
  readonly git_blob: string | null
  /** HEAD of the repository; null outside one or before the first commit. */
  readonly git_commit: string | null
  /** It may be run. */
  readonly executable?: true
}

/** A file as a whole, text or not. */
export interface FileDigest {
  /** As given, `/` separated, relative to the root. */
  readonly path: string
  readonly bytes: number
  /** Of the exact content. */
  readonly sha256: string
}

/** What stands under a name itself: a link is not followed. */
export type Entry = "file" | "directory" | "link" | "other" | "missing"

export interface ProjectReader {
  readonly root: string
  readonly readText: (path: string) => Effect.Effect<ProjectFile, FileRefused>
  /** The digest of a file of up to 1 GiB, whatever it holds; refused as `readText` refuses but for that. */
  readonly digest: (path: string) => Effect.Effect<FileDigest, FileRefused>
  /** What stands there, at the end of the path; the folders on the way may be links. Reads no content. */
  readonly entryAt: (path: string) => Effect.Effect<Entry, FileRefused>
  /** Where a path leads, absolute or relative to the root, also when nothing is there yet. Reads no content. */
  readonly resolveTarget: (path: string) => Effect.Effect<WriteTarget>
  /** Paths of its files: what git knows and does not ignore, without git all but dependencies and state. */
  readonly paths: Effect.Effect<ReadonlyArray<string>>
  /** The same project in another directory, e.g. a worktree. Absolute path. */
  readonly at: (directory: string) => ProjectReader
}

/**
 * The project's files. `readText` resolves links first and reads nothing outside the root, no directory or device, no
 * file above the size bound and nothing that is not valid UTF-8 text.
 */
export class ProjectFiles extends Context.Service<ProjectFiles, ProjectReader>()(
  "@proofline/plugins/port/ProjectFiles"
) {}
