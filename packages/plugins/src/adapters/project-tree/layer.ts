/** The files of a project as a commit holds them. */
import { createHash } from "node:crypto"
import * as Path from "node:path"
import { Effect, Schema, type Scope } from "effect"
import { readGit } from "../../git/readGit.ts"
import {
  type Entry as EntryKind,
  type FileDigest,
  FileRefused,
  type ProjectFile,
  ProjectFiles,
  type WriteTarget
} from "../../port/index.ts"
import { type Objects, openObjects } from "./git.ts"

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
  /** Larger files are not read; bytes, 5 MiB when left out. */
  readonly maxBytes?: number
}

/** A commit as a project. Git runs in the background until the scope closes. */
export const commitTree = Effect.fnUntraced(function* ({
  maxBytes = 5 * 1_024 * 1_024,
  ref,
  root
}: CommitTreeOptions): Effect.fn.Return<CommitTree, CommitRefused, Scope.Scope> {
  const run = (args: ReadonlyArray<string>) =>
    Effect.tryPromise({ try: () => readGit(root, args), catch: (cause) => refusal(root, ref, cause) })
  yield* run(["rev-parse", "--git-dir"])
  const commit = (yield* run(["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`])).trim()
  const entries = entriesOf(yield* run(["ls-tree", "-r", "-z", commit]))
  const objects = yield* Effect.acquireRelease(
    Effect.sync(() => openObjects(root)),
    (open) => Effect.sync(open.close)
  )
  const tree: Commit = { entries, objects, commit, maxBytes }
  const reading = <A>(path: string, read: () => Promise<A>): Effect.Effect<A, FileRefused> =>
    Effect.tryPromise({
      try: read,
      catch: (cause) =>
        cause instanceof FileRefused
          ? cause
          : refuse(path, "unreadable", `${path} cannot be read: ${(cause as Error).message}.`)
    })
  const readText = (path: string) => reading(path, () => readEntry(tree, path))
  const digest = (path: string) => reading(path, () => digestOf(tree, path))
  const entryAt = (path: string) => reading(path, () => entryKind(tree, path))
  const resolveTarget = () => Effect.succeed(unwritable)
  const paths = Effect.sync(() => [...entries.keys()])
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
export const blobText = (root: string, id: string, maxBytes = 5 * 1_024 * 1_024): Effect.Effect<string | null> =>
  Effect.promise(async () => {
    const objects = openObjects(root)
    try {
      const blob = await objects.blob(id, maxBytes)
      return blob instanceof Uint8Array ? decode(id, blob) : null
    } catch {
      return null
    } finally {
      objects.close()
    }
  })

const unwritable: WriteTarget = {
  path: null,
  kind: "other",
  fault: "invalid",
  message: "A commit is as it is; nothing can be written to it."
}

const refusal = (root: string, ref: string, cause: unknown): CommitRefused => {
  const { code, message } = cause as NodeJS.ErrnoException
  if (code === "ENOENT")
    return new CommitRefused({ reason: "git_missing", message: "The program git is not installed." })
  if (code === undefined && /not a git repository|dubious ownership/i.test(message))
    return new CommitRefused({ reason: "not_a_repository", message: `${root} is no repository: ${message}.` })
  return new CommitRefused({ reason: "ref_unknown", message: `There is no commit "${ref}" in the repository.` })
}

interface Entry {
  readonly kind: "file" | "link" | "other"
  readonly id: string
}

/** `<mode> SP <type> SP <id> TAB <path> NUL`, paths relative to the directory that git was asked in. */
const entriesOf = (listing: string): ReadonlyMap<string, Entry> =>
  new Map(
    listing.split("\0").flatMap((line): ReadonlyArray<readonly [string, Entry]> => {
      const [, mode, id, path] = /^(\d+) \w+ ([0-9a-f]+)\t(.+)$/s.exec(line) ?? []
      if (mode === undefined || id === undefined || path === undefined) return []
      const kind = mode === "120000" ? "link" : mode.startsWith("100") ? "file" : "other"
      return [[path, { kind, id }]]
    })
  )

interface Commit {
  readonly entries: ReadonlyMap<string, Entry>
  readonly objects: Objects
  readonly commit: string
  readonly maxBytes: number
}

type Reason = FileRefused["reason"]

const refuse = (path: string, reason: Reason, message: string): FileRefused =>
  new FileRefused({ path, reason, message })

const readEntry = async (tree: Commit, path: string): Promise<ProjectFile> => {
  const { bytes, id } = await bytesOf(tree, path, tree.maxBytes)
  return { path, text: decode(path, bytes), git_blob: id, git_commit: tree.commit }
}

/** Git gives a blob in one piece. */
const maxDigested = 1_024 * 1_024 * 1_024

const digestOf = async (tree: Commit, path: string): Promise<FileDigest> => {
  const { bytes } = await bytesOf(tree, path, maxDigested)
  return { path, bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") }
}

/** The last name is not followed where it is a link. */
const entryKind = async (tree: Commit, path: string): Promise<EntryKind> => {
  const folder = Path.posix.dirname(within(path, path))
  const place = Path.posix.join(folder === "." ? "" : await resolve(tree, folder), Path.posix.basename(path))
  const entry = tree.entries.get(place)
  if (entry !== undefined) return entry.kind === "other" ? "directory" : entry.kind
  for (const name of tree.entries.keys()) if (name.startsWith(`${place}/`)) return "directory"
  return "missing"
}

const bytesOf = async (tree: Commit, path: string, maxBytes: number) => {
  const { entries, objects } = tree
  const file = await resolve(tree, path)
  if (file.startsWith(".proofline/state/"))
    throw refuse(path, "outside_root", `${path} belongs to Proofline, not to the project.`)
  const entry = entries.get(file)
  if (entry === undefined) throw refuse(path, "not_found", `${path} is not in the commit.`)
  if (entry.kind !== "file") throw refuse(path, "not_a_file", `${path} is no file in the commit.`)
  const blob = await objects.blob(entry.id, maxBytes)
  if (blob === null) throw refuse(path, "unreadable", `${path} is not in the repository's storage.`)
  if (typeof blob === "number")
    throw refuse(path, "too_large", `${path} has ${blob} bytes; at most ${maxBytes} are read.`)
  return { bytes: blob, id: entry.id }
}

const linksMax = 40

/** Follows links, of folders on the way too, as a checkout would. */
const resolve = async ({ entries, objects }: Commit, path: string): Promise<string> => {
  let at = within(path, path)
  for (let links = 0; links <= linksMax; links++) {
    const link = prefixes(at).find((prefix) => entries.get(prefix)?.kind === "link")
    if (link === undefined) return at
    const target = await objects.blob(entries.get(link)?.id ?? "", 4_096)
    if (!(target instanceof Uint8Array)) break
    const to = Buffer.from(target).toString("utf8")
    if (to.startsWith("/")) throw outside(path)
    at = within(path, Path.posix.join(Path.posix.dirname(link), to, at.slice(link.length + 1)))
  }
  throw refuse(path, "unreadable", `${path} is a link that leads nowhere.`)
}

const within = (path: string, resolved: string): string => {
  const normal = Path.posix.normalize(resolved)
  if (Path.posix.isAbsolute(normal) || normal === ".." || normal.startsWith("../")) throw outside(path)
  return normal
}

const outside = (path: string): FileRefused => refuse(path, "outside_root", `${path} lies outside the project.`)

/** `a/b/c` → `a`, `a/b`, `a/b/c`. */
const prefixes = (path: string): ReadonlyArray<string> => {
  const segments = path.split("/")
  return segments.map((_, i) => segments.slice(0, i + 1).join("/"))
}

const decode = (path: string, bytes: Uint8Array): string => {
  if (bytes.includes(0)) throw refuse(path, "not_text", `${path} holds zero bytes; it is no text.`)
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw refuse(path, "not_text", `${path} is not valid UTF-8.`)
  }
}
