import { Context, type Effect, Schema } from "effect"
import type { WriteTarget } from "../domain/Pull.ts"

/** Why a file of the workspace was not read. */
export class FileRefused extends Schema.TaggedError<FileRefused>()("FileRefused", {
  path: Schema.String,
  reason: Schema.Literals(["not_found", "outside_root", "not_a_file", "not_text", "too_large", "unreadable"]),
  message: Schema.String
}) {}

export interface WorkspaceFile {
  /** As given, `/` separated, relative to the root. */
  readonly path: string
  /** The exact content. */
  readonly text: string
  /** Git's object id of the content as it is on disk; null outside a repository. */
  readonly git_blob: string | null
  /** HEAD of the repository; null outside one or before the first commit. */
  readonly git_commit: string | null
}

export interface ProjectFiles {
  readonly root: string
  readonly readText: (path: string) => Effect.Effect<WorkspaceFile, FileRefused>
  /** Where a path leads, absolute or relative to the root, also when nothing is there yet. Reads no content. */
  readonly place: (path: string) => Effect.Effect<WriteTarget>
  /** The same project in another directory, e.g. a worktree. Absolute path. */
  readonly at: (directory: string) => ProjectFiles
}

/**
 * The project's files. `readText` resolves links first and reads nothing outside the root, no directory or device, no
 * file above the size bound and nothing that is not valid UTF-8 text.
 */
export class Workspace extends Context.Service<Workspace, ProjectFiles>()("@proofline/kernel/port/Workspace") {}
