import type { Base, BlobRef, EvidenceFile, LogUnavailable } from "@proofline/kernel"
import { Effect, Result } from "effect"
import type { Baseline, Before, BlobStore, FileRefused, ProjectFile, ProjectReader } from "../../../port/index.ts"

/** So much of one file is kept, and so much of all that a report cites. */
const maxKept = { fileBytes: 256 * 1024, files: 64, bytes: 4 * 1024 * 1024 }

type Read = Result.Result<ProjectFile, FileRefused>

/** The same files, with what was read of them. */
export const noting = (
  files: ProjectReader
): { readonly files: ProjectReader; readonly read: ReadonlyMap<string, Read> } => {
  const read = new Map<string, Read>()
  return {
    read,
    files: {
      ...files,
      readText: (path) =>
        Effect.result(files.readText(path)).pipe(
          Effect.tap((found) => Effect.sync(() => read.set(path, found))),
          Effect.flatMap(Effect.fromResult)
        )
    }
  }
}

interface Keeping {
  readonly blobs: BlobStore["Service"]
  readonly baseline: Baseline["Service"]
}

/** Keeps what was read, and what it was at the base, so that other rules can judge it later. */
export const kept = Effect.fnUntraced(function* (
  { baseline, blobs }: Keeping,
  read: ReadonlyMap<string, Read>,
  base: Base | null,
  root: string
): Effect.fn.Return<ReadonlyArray<EvidenceFile>, LogUnavailable> {
  let left = maxKept.bytes
  const keep = Effect.fnUntraced(function* (text: string): Effect.fn.Return<BlobRef | null, LogUnavailable> {
    const bytes = new TextEncoder().encode(text)
    if (bytes.length > Math.min(left, maxKept.fileBytes)) return null
    left -= bytes.length
    return yield* blobs.put(bytes)
  })
  const beforeOf = Effect.fnUntraced(function* (was: Before) {
    if (was._tag !== "text") return was._tag === "other" ? { was: was._tag, sha256: was.sha256 } : { was: was._tag }
    const text = yield* keep(was.text)
    return text === null ? null : { was: was._tag, text }
  })
  const files: Array<EvidenceFile> = []
  for (const [path, found] of [...read].slice(0, maxKept.files)) {
    if (Result.isFailure(found)) {
      const { message, reason } = found.failure
      files.push({ path, text: null, refused: { reason, message }, git_blob: null, git_commit: null })
      continue
    }
    const { git_blob, git_commit, text } = found.success
    const file = { path, text: yield* keep(text), git_blob, git_commit }
    files.push(
      base === null
        ? file
        : {
            ...file,
            before: yield* beforeOf(yield* baseline.before(base, path, { text, root })),
            ignored: yield* baseline.isIgnored(path)
          }
    )
  }
  return files
})
