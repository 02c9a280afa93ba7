/** The files of a project as a commit holds them. */
import { isUtf8 } from "node:buffer"
import { createHash } from "node:crypto"
import * as Path from "node:path"
import { Effect, Schema, type Scope } from "effect"
import { blobOf, openObjects, type ReadBlob } from "../../git/objects.ts"
import { commitOf, prefixOf } from "../../git/repository.ts"
import type { GitFailed } from "../../git/run.ts"
import { type Entry, filesIn, link } from "../../git/tree.ts"
import {
  type Entry as EntryKind,
  type FileDigest,
  FileRefused,
  type ProjectFile,
  ProjectFiles,
  type WriteTarget
} from "../../port/index.ts"

/** Why a commit cannot be read. */
export class CommitRefused extends Schema.TaggedError<CommitRefused>()("CommitRefused", {
  reason: Schema.Literals(["git_missing", "not_a_repository", "ref_unknown"]),
  message: Schema.String
}) {}

export interface CommitTree {
  /** The commit's object id. */
  readonly commit: string
  /** Reads the project's files as the commit holds them; nothing is checked out. */
  readonly projectFiles: ProjectFiles["Service"]
}

export interface CommitTreeOptions {
  /** The project directory: a repository, or a folder in one. */
  readonly root: string
  /** Anything that git reads as a commit. */
  readonly ref: string
  /** The folder of the project in its repository, with a `/` at the end; that of `root` when left out. */
  readonly folder?: string | undefined
  /** Larger files are not read; bytes, 5 MiB when left out. */
  readonly maxBytes?: number
}

/** A commit as a project. Git runs in the background until the scope closes. */
export const commitTree = Effect.fnUntraced(function* ({
  folder,
  maxBytes = maxTextBytes,
  ref,
  root
}: CommitTreeOptions): Effect.fn.Return<CommitTree, CommitRefused, Scope.Scope> {
  const asked = <A>(answer: Effect.Effect<A, GitFailed>) => Effect.mapError(answer, (failed) => refusal(root, failed))
  const prefix = folder ?? (yield* asked(prefixOf(root)))
  const commit = yield* asked(commitOf(root, ref))
  if (commit === null)
    return yield* new CommitRefused({
      reason: "ref_unknown",
      message: `There is no commit "${ref}" in the repository.`
    })
  const tree: Commit = {
    entries: yield* asked(filesIn(root, commit, prefix)),
    read: yield* openObjects(root),
    commit,
    maxBytes
  }
  const reading = <A>(path: string, read: Effect.Effect<A, FileRefused | GitFailed>): Effect.Effect<A, FileRefused> =>
    Effect.catchTag(read, "GitFailed", ({ message }) =>
      refuse(path, "unreadable", `${path} cannot be read: ${message}`)
    )
  const readText = (path: string) => reading(path, readEntry(tree, path))
  const digest = (path: string) => reading(path, digestOf(tree, path))
  const entryAt = (path: string) => reading(path, entryKind(tree, path))
  const resolveTarget = () => Effect.succeed(unwritable)
  const paths = Effect.sync(() => [...tree.entries.keys()])
  const projectFiles: ProjectFiles["Service"] = ProjectFiles.of({
    root,
    readText,
    digest,
    entryAt,
    resolveTarget,
    paths,
    // a commit is the same wherever it is checked out
    at: () => projectFiles
  })
  return { commit, projectFiles }
})

/** The text of a file by git's object id, from the repository of a directory; null: it is not kept there, or is no text. */
export const blobText = (root: string, id: string): Effect.Effect<string | null> =>
  blobOf(root, id, maxTextBytes).pipe(
    Effect.flatMap((blob) => (blob instanceof Uint8Array ? decode(id, blob) : Effect.succeed(null))),
    Effect.orElseSucceed(() => null)
  )

const unwritable: WriteTarget = {
  path: null,
  kind: "other",
  fault: "invalid",
  message: "A commit is as it is; nothing can be written to it."
}

const refusal = (root: string, { message, reason, said }: GitFailed): CommitRefused =>
  reason === "missing"
    ? new CommitRefused({ reason: "git_missing", message: "The program git is not installed." })
    : new CommitRefused({
        reason: "not_a_repository",
        message: said === "" ? message : `${root} is no repository: ${said}.`
      })

interface Commit {
  readonly entries: ReadonlyMap<string, Entry>
  readonly read: ReadBlob
  readonly commit: string
  readonly maxBytes: number
}

type Failing = FileRefused | GitFailed

const refuse = (path: string, reason: FileRefused["reason"], message: string): Effect.Effect<never, FileRefused> =>
  Effect.fail(new FileRefused({ path, reason, message }))

const readEntry = Effect.fnUntraced(function* (tree: Commit, path: string): Effect.fn.Return<ProjectFile, Failing> {
  const { bytes, id } = yield* bytesOf(tree, path, tree.maxBytes)
  return { path, text: yield* decode(path, bytes), git_blob: id, git_commit: tree.commit }
})

/** Larger files are not read as text. */
const maxTextBytes = 5 * 1_024 * 1_024

/** Git gives a blob in one piece. */
const maxDigested = 1_024 * 1_024 * 1_024

const digestOf = Effect.fnUntraced(function* (tree: Commit, path: string): Effect.fn.Return<FileDigest, Failing> {
  const { bytes } = yield* bytesOf(tree, path, maxDigested)
  return { path, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") }
})

/** The last name is not followed where it is a link. */
const entryKind = Effect.fnUntraced(function* (tree: Commit, path: string): Effect.fn.Return<EntryKind, Failing> {
  const folder = Path.posix.dirname(yield* within(path, path))
  const place = Path.posix.join(folder === "." ? "" : yield* resolve(tree, folder), Path.posix.basename(path))
  const entry = tree.entries.get(place)
  if (entry !== undefined) return entry.mode === link ? "link" : isFile(entry) ? "file" : "directory"
  for (const name of tree.entries.keys()) if (name.startsWith(`${place}/`)) return "directory"
  return "missing"
})

const isFile = ({ mode }: Entry): boolean => mode.startsWith("100")

const bytesOf = Effect.fnUntraced(function* (tree: Commit, path: string, maxBytes: number) {
  const file = yield* resolve(tree, path)
  if (file.startsWith(".proofline/state/"))
    return yield* refuse(path, "outside_root", `${path} belongs to Proofline, not to the project.`)
  const entry = tree.entries.get(file)
  if (entry === undefined) return yield* refuse(path, "not_found", `${path} is not in the commit.`)
  if (!isFile(entry)) return yield* refuse(path, "not_a_file", `${path} is no file in the commit.`)
  const blob = yield* tree.read(entry.id, maxBytes)
  if (blob === null) return yield* refuse(path, "unreadable", `${path} is not in the repository's storage.`)
  if (typeof blob === "number")
    return yield* refuse(path, "too_large", `${path} has ${blob} bytes; at most ${maxBytes} are read.`)
  return { bytes: blob, id: entry.id }
})

const linksMax = 40

/** Follows links, of folders on the way too, as a checkout would. */
const resolve = Effect.fnUntraced(function* (
  { entries, read }: Commit,
  path: string
): Effect.fn.Return<string, Failing> {
  let at = yield* within(path, path)
  for (let links = 0; links <= linksMax; links++) {
    const found = prefixes(at).find((prefix) => entries.get(prefix)?.mode === link)
    if (found === undefined) return at
    const target = yield* read(entries.get(found)?.id ?? "", 4_096)
    if (!(target instanceof Uint8Array)) break
    const to = Buffer.from(target).toString("utf8")
    if (to.startsWith("/")) return yield* outside(path)
    at = yield* within(path, Path.posix.join(Path.posix.dirname(found), to, at.slice(found.length + 1)))
  }
  return yield* refuse(path, "unreadable", `${path} is a link that leads nowhere.`)
})

const within = (path: string, resolved: string): Effect.Effect<string, FileRefused> => {
  const normal = Path.posix.normalize(resolved)
  const isOutside = Path.posix.isAbsolute(normal) || normal === ".." || normal.startsWith("../")
  return isOutside ? outside(path) : Effect.succeed(normal)
}

const outside = (path: string): Effect.Effect<never, FileRefused> =>
  refuse(path, "outside_root", `${path} lies outside the project.`)

/** `a/b/c` → `a`, `a/b`, `a/b/c`. */
const prefixes = (path: string): ReadonlyArray<string> => {
  const segments = path.split("/")
  return segments.map((_, i) => segments.slice(0, i + 1).join("/"))
}

const decode = (path: string, bytes: Uint8Array): Effect.Effect<string, FileRefused> => {
  if (bytes.includes(0)) return refuse(path, "not_text", `${path} holds zero bytes; it is no text.`)
  return isUtf8(bytes)
    ? Effect.succeed(Buffer.from(bytes).toString())
    : refuse(path, "not_text", `${path} is not valid UTF-8.`)
}
