/**
 * What a project held when a run began, as far as no commit holds it. One canonical JSON object:
 *
 *     {"complete": true, "files": {"src/a.ts": {"lines": "…", "sha256": "…"}, "logo.png": null},
 *      "format": "proofline-baseline-1", "unseen": ["dist/", ".env"]}
 *
 * - `files`: by path from the root of the project; `sha256` of the bytes, and of every line eight hex digits (see
 *   lines.ts). Null: it was there, but nobody knows its lines (binary, too large, unreadable). What was a link or was
 *   deleted has no lines.
 * - `unseen`: what nobody looked at; with a `/` at the end a folder and all that is in it.
 * - `complete`: false when a bound cut it off, so that a file that is not named may still have been there.
 */
import { createHash } from "node:crypto"
import { closeSync, constants, type Dirent, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { canonicalJson } from "@proofline/kernel"
import { Effect, Schema } from "effect"
import { digestsOf, packed } from "./lines.ts"

const format = "proofline-baseline-1"

const KnownFile = Schema.Struct({ sha256: Schema.String, lines: Schema.String })
type KnownFile = typeof KnownFile.Type

const Document = Schema.Struct({
  format: Schema.Literal(format),
  complete: Schema.Boolean,
  files: Schema.Record(Schema.String, Schema.NullOr(KnownFile)),
  unseen: Schema.Array(Schema.String)
})

export interface Snapshot {
  readonly complete: boolean
  readonly files: ReadonlyMap<string, KnownFile | null>
  readonly unseen: ReadonlyArray<string>
}

export const encode = ({ complete, files, unseen }: Snapshot): string =>
  canonicalJson({ format, complete, files: Object.fromEntries(files), unseen: [...unseen].sort() })

/** Null: it is none. */
export const decode = (bytes: Uint8Array): Snapshot | null => {
  try {
    const { complete, files, unseen } = decodeDocument(JSON.parse(Buffer.from(bytes).toString()))
    return { complete, files: new Map(Object.entries(files)), unseen }
  } catch {
    return null
  }
}

const decodeDocument = Schema.decodeUnknownSync(Document)

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** Whether a path is one of those nobody looked at, or below one. */
export const isUnseen = ({ unseen }: Snapshot, path: string): boolean =>
  unseen.some((entry) => (entry.endsWith("/") ? path.startsWith(entry) : path === entry))

const maxFiles = 50_000
const maxFileBytes = 1024 * 1024
/** Of all files together: about two million lines, a second or two of work. */
const maxTotalBytes = 64 * 1024 * 1024

/** Digests of the files with these paths. */
export const snapshotOf = Effect.fnUntraced(function* (root: string, { isComplete, paths, unseen }: Listing) {
  const files = new Map<string, KnownFile | null>()
  let left = maxTotalBytes
  // one effect a file: the process goes on with other work between them
  yield* Effect.forEach(
    paths.slice(0, maxFiles),
    (path) =>
      Effect.sync(() => {
        const { bytes, file } = lookAt(Path.join(root, path), Math.min(maxFileBytes, left))
        left -= bytes
        files.set(path, file)
      }),
    { discard: true }
  )
  return { complete: isComplete && paths.length <= maxFiles, files, unseen } satisfies Snapshot
})

const noLines: KnownFile = { sha256: sha256(new Uint8Array()), lines: "" }

const lookAt = (file: string, limit: number): { readonly bytes: number; readonly file: KnownFile | null } => {
  let descriptor: number | null = null
  try {
    if (!lstatSync(file).isFile()) return { bytes: 0, file: noLines }
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const stat = fstatSync(descriptor)
    if (!stat.isFile() || stat.size > limit) return { bytes: 0, file: null }
    const bytes = readFileSync(descriptor)
    return {
      bytes: bytes.length,
      file: bytes.includes(0) ? null : { sha256: sha256(bytes), lines: packed(digestsOf(bytes)) }
    }
  } catch (cause) {
    return { bytes: 0, file: (cause as NodeJS.ErrnoException).code === "ENOENT" ? noLines : null }
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
}

/** Which files to look at. */
export interface Listing {
  readonly paths: ReadonlyArray<string>
  readonly unseen: ReadonlyArray<string>
  readonly isComplete: boolean
}

/** Folders of others: what is in them is no work of a run. */
const isForeign = (name: string): boolean => name === ".git" || name === ".proofline" || name === "node_modules"

/** Leaves out what lies in the folders of others. */
export const withoutForeign = ({ isComplete, paths, unseen }: Listing): Listing => {
  const foreign = new Set<string>()
  const own = paths.filter((path) => {
    const segments = path.split("/")
    const at = segments.findIndex((segment, i) => i < segments.length - 1 && isForeign(segment))
    if (at !== -1) foreign.add(`${segments.slice(0, at + 1).join("/")}/`)
    return at === -1
  })
  return { paths: own, unseen: [...unseen, ...foreign], isComplete }
}

/** The files of a directory that is no repository, the nearest to the root first; links are not followed. */
export const filesOf = Effect.fnUntraced(function* (root: string) {
  const paths: Array<string> = []
  const unseen: Array<string> = []
  const folders = [""]
  let isComplete = true
  for (const folder of folders) {
    if (paths.length > maxFiles) isComplete = false
    if (!isComplete) break
    yield* Effect.sync(() => {
      const entries = entriesOf(Path.join(root, folder))
      if (entries !== null) {
        for (const entry of entries) {
          const path = `${folder}${entry.name}`
          if (entry.isFile()) paths.push(path)
          else if (entry.isDirectory()) (isForeign(entry.name) ? unseen : folders).push(`${path}/`)
        }
      } else if (folder === "") isComplete = false
      else unseen.push(folder)
    })
  }
  return { paths, unseen, isComplete } satisfies Listing
})

const entriesOf = (folder: string): ReadonlyArray<Dirent> | null => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return null
  }
}
