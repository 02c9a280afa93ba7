import { randomUUID } from "node:crypto"
import { closeSync, fsync, openSync, renameSync, rmSync, statSync, writeFile, writeFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { type BlobRef, Digest, LogUnavailable } from "@proofline/kernel"
import { Effect, Layer } from "effect"
import { goOn } from "../../log/goOn.ts"
import { makeDirectoryNow } from "../../log/logDirectories.ts"
import { asNamed, BlobMissing, BlobStore, isBlobName } from "../../port/index.ts"

/**
 * Blobs as files `<directory>/ab/<sha256>`, `ab` being the first two digits. A file has its final name only when its
 * bytes are durable, so what has the name is whole; a crash leaves at most a `.part-…` file, which nobody reads.
 */
export const layer = ({ directory }: { readonly directory: string }): Layer.Layer<BlobStore, never, Digest> =>
  Layer.effect(
    BlobStore,
    Effect.map(Digest, ({ sha256 }) => ({
      put: (data) => Effect.suspend(() => put(directory, sha256, typeof data === "string" ? Buffer.from(data) : data)),
      get: (sha) => Effect.flatMap(get(directory, sha), (bytes) => asNamed(sha, bytes, sha256, directory))
    }))
  )

const put = (
  directory: string,
  sha256: Digest["Service"]["sha256"],
  bytes: Uint8Array
): Effect.Effect<BlobRef, LogUnavailable> => {
  const ref: BlobRef = { sha256: sha256(bytes), bytes: bytes.byteLength }
  const file = fileOf(directory, ref.sha256)
  return Effect.as(
    // a write that was begun is ended, so that no part is left behind
    Effect.uninterruptible(
      Effect.tryPromise({
        try: async () => {
          if (!exists(file)) await writeDurably(file, bytes)
        },
        catch: (error) => toUnavailable(directory, error)
      })
    ),
    ref
  )
}

const get = (directory: string, sha256: string): Effect.Effect<Uint8Array, BlobMissing | LogUnavailable> =>
  isBlobName(sha256)
    ? Effect.tryPromise({
        try: () => readFile(fileOf(directory, sha256)),
        catch: (error) => (codeOf(error) === "ENOENT" ? new BlobMissing({ sha256 }) : toUnavailable(directory, error))
      })
    : Effect.fail(new BlobMissing({ sha256 }))

const fileOf = (directory: string, sha256: string): string => join(directory, sha256.slice(0, 2), sha256)

const exists = (file: string): boolean => statSync(file, { throwIfNoEntry: false }) !== undefined

/*
 * What waits for the disk is given to another thread, and all of a large blob. To hand over what is small takes longer than
 * to do it.
 */
const largeBytes = 256 * 1_024
const synced = promisify(fsync)
const written = promisify(writeFile)

/** The directories that were made here and are not durable yet: nothing in them is, whoever has put it there. */
const becomingDurable = new Map<string, Promise<unknown>>()

const writeDurably = async (file: string, bytes: Uint8Array): Promise<void> => {
  const directory = dirname(file)
  const made = makeDirectoryNow(directory)
  if (made !== undefined) {
    // a new directory is durable once the one above it is
    const above = directoriesFrom(dirname(made), dirname(directory))
    const durable = Promise.all(above.map(syncDirectory)).finally(() => becomingDurable.delete(directory))
    becomingDurable.set(directory, durable)
  }
  await Promise.all([writeWhole(file, bytes), becomingDurable.get(directory)])
}

const writeWhole = async (file: string, bytes: Uint8Array): Promise<void> => {
  const directory = dirname(file)
  const part = join(directory, `.part-${randomUUID()}`)
  try {
    await writeSynced(part, bytes)
    renameSync(part, file)
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
  await syncDirectory(directory)
}

const writeSynced = async (file: string, bytes: Uint8Array): Promise<void> => {
  const descriptor = openSync(file, "wx")
  try {
    if (bytes.byteLength > largeBytes) await written(descriptor, bytes)
    else writeFileSync(descriptor, bytes)
    await synced(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const syncDirectory = async (directory: string): Promise<void> => {
  // Windows can neither open a directory nor needs to
  if (process.platform === "win32") return
  const descriptor = openSync(directory, "r")
  try {
    await synced(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** `last` and the directories above it up to `first`. */
const directoriesFrom = (first: string, last: string): ReadonlyArray<string> => {
  const directories = [last]
  for (let at = last; at !== first && dirname(at) !== at; at = dirname(at)) directories.push(dirname(at))
  return directories
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

const toUnavailable = (directory: string, error: unknown): LogUnavailable => {
  const because = (error as Error).message
  switch (codeOf(error)) {
    case "ENOSPC":
    case "EDQUOT":
      return new LogUnavailable({
        code: "log_disk_full",
        message: `The blobs in ${directory} cannot be written: the disk is full.`,
        hint: `Free some space on that disk; nothing that was acknowledged is lost. ${goOn}`
      })
    case "EACCES":
    case "EPERM":
    case "EROFS":
    case "ENOTDIR":
    case "EEXIST":
      return new LogUnavailable({
        code: "log_unwritable",
        message: `The blobs in ${directory} cannot be read or written: ${because}.`,
        hint: `Make ${directory} and what is in it writable for this user, or keep the state in another directory.`
      })
    default:
      return new LogUnavailable({
        code: "log_failed",
        message: `The blobs in ${directory} cannot be read or written: ${because}.`,
        hint: `Look at the disk. ${goOn}`
      })
  }
}
