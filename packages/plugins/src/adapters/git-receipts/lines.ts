import { Effect } from "effect"
import { keepBlob, openObjects, type ReadBlob } from "../../git/objects.ts"
import type { GitFailed } from "../../git/run.ts"

/** More than that is nobody's receipts in one place; bytes. */
const placeMax = 64 * 1_024 * 1_024

/** What a place holds: a line an envelope. Of bytes one character each, so that what is not ours can be kept as it is. */
export type Lines = ReadonlyArray<string>

/** Why a place was not read. */
export interface Unread {
  readonly reason: "missing" | "too_large"
  /** A sentence. */
  readonly message: string
}

/** What of several lines remains when they stand in one place. */
export type Combine = (lines: Lines) => Lines

export const linesIn = (read: ReadBlob, blob: string): Effect.Effect<Lines | Unread, GitFailed> =>
  Effect.map(read(blob, placeMax), (bytes) =>
    bytes === null
      ? { reason: "missing", message: `The object ${blob} is not in the repository, or is no blob.` }
      : typeof bytes === "number"
        ? { reason: "too_large", message: `The object ${blob} has ${bytes} bytes; at most ${placeMax} are read.` }
        : Buffer.from(bytes)
            .toString("latin1")
            .split("\n")
            .filter((line) => line.trim() !== "")
  )

/** The lines of all of these blobs that can be read. */
export const readLines = (root: string, blobs: ReadonlyArray<string>): Effect.Effect<Lines | Unread, GitFailed> =>
  Effect.scoped(
    Effect.gen(function* () {
      const read = yield* openObjects(root)
      const lines: Array<string> = []
      for (const blob of blobs) {
        const found = yield* linesIn(read, blob)
        if (!isLines(found)) return found
        lines.push(...found)
      }
      return lines
    })
  )

export const isLines = (found: Lines | Unread): found is Lines => Array.isArray(found)

export const keepLines = (root: string, lines: Lines): Effect.Effect<string, GitFailed> =>
  keepBlob(root, Buffer.from(lines.map((line) => `${line}\n`).join(""), "latin1"))

export const isSame = (a: Lines, b: Lines): boolean => a.length === b.length && a.every((line, i) => line === b[i])
