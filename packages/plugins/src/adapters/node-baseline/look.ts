import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync
} from "node:fs"
import * as Path from "node:path"
import { Effect } from "effect"
import { isOpenHere } from "../../log/openHere.ts"
import { digestsOf, packed } from "./lines.ts"
import { type Listing, maxFiles } from "./listing.ts"
import { type KnownFile, type Snapshot, sha256 } from "./snapshot.ts"

const maxFileBytes = 1024 * 1024
/** Of all text files together: about two million lines, a second or two of work. */
const maxTextBytes = 64 * 1024 * 1024
/** Of all binary files together. */
const maxOtherBytes = 64 * 1024 * 1024

/** A snapshot before its contents have a name. */
export interface Looked {
  readonly snapshot: Omit<Snapshot, "contents" | "files"> & { readonly files: ReadonlyMap<string, KnownFile> }
  /** Bytes of the files, one after the other. */
  readonly contents: Uint8Array
}

/** Digests and contents of the files with these paths; the log of this process is none of them, wherever it lies. */
export const lookAll = Effect.fnUntraced(function* (root: string, { isComplete, paths, unseen }: Listing) {
  const files = new Map<string, KnownFile>()
  const logs: Array<string> = []
  const pack = emptyPack()
  const left = { text: maxTextBytes, other: maxOtherBytes }
  // one effect a file: the process goes on with other work between them
  yield* Effect.forEach(
    paths.slice(0, maxFiles),
    (path) =>
      Effect.sync(() => {
        const file = Path.join(root, path)
        if (isOpenHere(file)) logs.push(path)
        else files.set(path, lookAt(file, left, pack))
      }),
    { discard: true }
  )
  return {
    snapshot: { complete: isComplete && paths.length <= maxFiles, files, unseen: [...unseen, ...logs] },
    contents: pack.bytes()
  } satisfies Looked
})

const emptyPack = () => {
  const parts: Array<Buffer> = []
  const starts = new Map<string, number>()
  let length = 0
  return {
    /** Where the bytes lie; the same bytes twice are kept once. */
    add: (bytes: Buffer, digest: string) => {
      const start = starts.get(digest) ?? length
      if (start === length && bytes.length > 0) {
        starts.set(digest, start)
        parts.push(bytes)
        length += bytes.length
      }
      return { start, bytes: bytes.length }
    },
    bytes: () => Buffer.concat(parts)
  }
}

type Left = { text: number; other: number }

const lookAt = (file: string, left: Left, pack: ReturnType<typeof emptyPack>): KnownFile => {
  let descriptor: number | null = null
  try {
    const found = lstatSync(file)
    if (found.isSymbolicLink()) return { kind: "link", target: readlinkSync(file) }
    // a folder or a pipe stands where git knows a file
    if (!found.isFile()) return { kind: "gone" }
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const stat = fstatSync(descriptor, { bigint: true })
    if (!stat.isFile()) return { kind: "gone" }
    const executable = (Number(stat.mode) & 0o111) !== 0
    if (stat.size > maxFileBytes) return { kind: "other", sha256: null, executable, stat: signatureOf(stat) }
    const bytes = readFileSync(descriptor)
    const digest = sha256(bytes)
    const isText = !bytes.includes(0)
    const bound = isText ? "text" : "other"
    if (bytes.length > left[bound]) {
      return { kind: "other", sha256: digest, executable, stat: signatureOf(stat) }
    }
    left[bound] -= bytes.length
    const kept = pack.add(bytes, digest)
    return isText
      ? { kind: "text", sha256: digest, lines: packed(digestsOf(bytes)), executable, ...kept }
      : { kind: "other", sha256: digest, executable, ...kept }
  } catch (cause) {
    return isMissing(cause) ? { kind: "gone" } : { kind: "other", sha256: null, executable: false }
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
}

const isMissing = (cause: unknown): boolean => {
  const { code } = cause as NodeJS.ErrnoException
  return code === "ENOENT" || code === "ENOTDIR"
}

/** Whoever writes a file changes its time of change, which nobody can set. */
export const signatureOf = ({ ctimeNs, dev, ino, size }: BigIntStats): string => `${dev}:${ino}:${size}:${ctimeNs}`
