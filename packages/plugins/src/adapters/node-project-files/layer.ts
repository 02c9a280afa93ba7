import { createHash } from "node:crypto"
import { closeSync, fstatSync, lstatSync, read, readSync, statSync } from "node:fs"
import * as Path from "node:path"
import { promisify } from "node:util"
import { Effect, Layer } from "effect"
import { directoryPaths } from "../../git/directoryPaths.ts"
import { isOpenHere } from "../../log/openHere.ts"
import { type Entry, type FileDigest, FileRefused, type ProjectFile, ProjectFiles } from "../../port/index.ts"
import { gitFacts } from "./git.ts"
import { differentlyEncoded, isWithin, openAt, resolved } from "./places.ts"
import { isHousekeeping, targetOf } from "./target.ts"

export interface NodeProjectFilesOptions {
  /** The project directory. */
  readonly root: string
  /** Larger files are not read; bytes, 5 MiB when left out. */
  readonly maxBytes?: number
  /** Whether files come with what git would say of them; left out: yes. It takes as long as reading one. */
  readonly asksGit?: boolean
}

/** The files of a directory of this machine, read and never written. */
export const layer = (options: NodeProjectFilesOptions): Layer.Layer<ProjectFiles> =>
  Layer.succeed(ProjectFiles, projectFilesOf(options))

const projectFilesOf = ({
  asksGit = true,
  maxBytes = 5 * 1024 * 1024,
  root
}: NodeProjectFilesOptions): ProjectFiles["Service"] => ({
  root,
  readText: (path) =>
    Effect.try({
      try: () => readInside(root, path, maxBytes, asksGit),
      catch: (cause) => (cause instanceof FileRefused ? cause : fromSystem(root, path, cause as NodeJS.ErrnoException))
    }),
  digest: (path) =>
    Effect.tryPromise({
      try: (signal) => digestInside(root, path, signal),
      catch: (cause) => (cause instanceof FileRefused ? cause : fromSystem(root, path, cause as NodeJS.ErrnoException))
    }),
  entryAt: (path) =>
    Effect.try({
      try: () => entryInside(root, path),
      catch: (cause) => (cause instanceof FileRefused ? cause : fromSystem(root, path, cause as NodeJS.ErrnoException))
    }),
  resolveTarget: (path) => Effect.sync(() => targetOf(root, path)),
  paths: directoryPaths(root),
  at: (directory) => projectFilesOf({ root: directory, maxBytes, asksGit })
})

type Reason = FileRefused["reason"]

const refuse = (path: string, reason: Reason, message: string): FileRefused =>
  new FileRefused({ path, reason, message })

/** By its name first: whether a file outside exists is nobody's business. */
const checkName = (root: string, path: string): void => {
  if (Path.isAbsolute(path) || path.includes("\0") || !isWithin(Path.resolve(root), Path.resolve(root, path)))
    throw outside(path)
}

/** Larger files are nobody's work. */
const maxDigested = 1_024 * 1_024 * 1_024

const readSome = promisify(read)

/** In pieces: the process goes on with other work between them. */
const digestInside = async (root: string, path: string, signal: AbortSignal): Promise<FileDigest> => {
  checkName(root, path)
  const descriptor = opened(resolved(root), path)
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) throw refuse(path, "not_a_file", `${path} is a directory, a device or a pipe, not a file.`)
    const hash = createHash("sha256")
    const chunk = new Uint8Array(1_024 * 1_024)
    let bytes = 0
    for (;;) {
      signal.throwIfAborted()
      const { bytesRead } = await readSome(descriptor, chunk, 0, chunk.length, null)
      if (bytesRead === 0) break
      bytes += bytesRead
      if (bytes > maxDigested) throw refuse(path, "too_large", `${path} has more than ${maxDigested} bytes.`)
      hash.update(chunk.subarray(0, bytesRead))
    }
    return { path, bytes, sha256: hash.digest("hex") }
  } finally {
    closeSync(descriptor)
  }
}

const entryInside = (root: string, path: string): Entry => {
  checkName(root, path)
  const realRoot = resolved(root)
  const name = Path.resolve(realRoot, path)
  const folder = nearest(Path.dirname(name))
  const place = Path.join(resolved(folder), Path.relative(folder, name))
  if (!isWithin(realRoot, place)) throw outside(path)
  if (isHousekeeping(Path.relative(realRoot, place).split(Path.sep))) throw kept(path)
  const found = isFolder(Path.dirname(place)) ? lstatSync(place, { throwIfNoEntry: false }) : undefined
  if (found === undefined) return "missing"
  return found.isSymbolicLink() ? "link" : found.isFile() ? "file" : found.isDirectory() ? "directory" : "other"
}

/** The folder, or the nearest above it of which there is something. */
const nearest = (folder: string): string => {
  const above = Path.dirname(folder)
  return above === folder || isThere(folder) ? folder : nearest(above)
}

const isThere = (path: string): boolean => statOf(path) !== undefined

const isFolder = (path: string): boolean => statOf(path)?.isDirectory() === true

/** A name below a file is that of nothing. */
const statOf = (path: string) => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOTDIR") return undefined
    throw cause
  }
}

const readInside = (root: string, path: string, maxBytes: number, asksGit: boolean): ProjectFile => {
  checkName(root, path)
  const realRoot = resolved(root)
  const descriptor = opened(realRoot, path)
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile()) throw refuse(path, "not_a_file", `${path} is a directory, a device or a pipe, not a file.`)
    if (stat.size > maxBytes)
      throw refuse(path, "too_large", `${path} has ${stat.size} bytes; at most ${maxBytes} are read.`)
    const bytes = readAtMost(descriptor, maxBytes + 1)
    // a file that grows while it is read, or one of those that claim to be empty
    if (bytes.length > maxBytes) throw refuse(path, "too_large", `${path} has more than ${maxBytes} bytes.`)
    return {
      path,
      text: decode(path, bytes),
      ...((stat.mode & 0o111) === 0 ? {} : { executable: true }),
      ...(asksGit ? gitFacts(realRoot, bytes) : unasked)
    }
  } finally {
    closeSync(descriptor)
  }
}

/** Others may work in the project: once in a while something is replaced at the very moment it is opened. */
const triesToOpen = 3

const opened = (realRoot: string, path: string): number => {
  for (let attempt = 0; attempt < triesToOpen; attempt++) {
    const file = resolved(Path.resolve(realRoot, path))
    if (!isWithin(realRoot, file)) throw outside(path)
    if (isHousekeeping(Path.relative(realRoot, file).split(Path.sep)) || isOpenHere(file)) throw kept(path)
    const descriptor = openAt(realRoot, file)
    if (descriptor !== null) return descriptor
  }
  throw refuse(path, "unreadable", `${path} was replaced while it was opened. Cite it again.`)
}

const unasked = { git_blob: null, git_commit: null }

/** One for all files: to make one for each takes longer than to read most of them. */
const piece = new Uint8Array(64 * 1024)

const readAtMost = (descriptor: number, limit: number): Uint8Array => {
  const pieces: Array<Uint8Array> = []
  for (let total = 0; total < limit; ) {
    const count = readSync(descriptor, piece, 0, Math.min(piece.length, limit - total), null)
    if (count === 0) break
    pieces.push(piece.slice(0, count))
    total += count
  }
  return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces)
}

const kept = (path: string): FileRefused =>
  refuse(path, "outside_root", `${path} belongs to git or to Proofline, not to the project.`)

const outside = (path: string): FileRefused => refuse(path, "outside_root", `${path} lies outside the project.`)

const decode = (path: string, bytes: Uint8Array): string => {
  if (bytes.includes(0)) throw refuse(path, "not_text", `${path} holds zero bytes; it is no text.`)
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw refuse(path, "not_text", `${path} is not valid UTF-8.`)
  }
}

const fromSystem = (root: string, path: string, { code, message }: NodeJS.ErrnoException): FileRefused => {
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return missing(path, `${path} does not exist.`, otherName(root, path))
    case "ELOOP":
      return refuse(path, "unreadable", `${path} is a link that leads nowhere, or became one while it was opened.`)
    case "ENXIO":
    case "EISDIR":
      return refuse(path, "not_a_file", `${path} is a directory, a device or a pipe, not a file.`)
    default:
      // without the system's call and its path
      return refuse(path, "unreadable", `${path} cannot be read: ${message.split(", ")[0]}.`)
  }
}

const missing = (path: string, message: string, detail: string | null): FileRefused =>
  detail === null
    ? refuse(path, "not_found", message)
    : new FileRefused({ path, reason: "not_found", message: `${message} ${detail}`, detail })

const otherName = (root: string, path: string): string | null => {
  const form = differentlyEncoded(root, path)
  return form === null
    ? null
    : `There is a file whose name differs only in Unicode normalisation (${form}); name it as it is on disk.`
}
