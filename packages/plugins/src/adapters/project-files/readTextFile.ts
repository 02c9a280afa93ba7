import { isUtf8 } from "node:buffer"
import { open, readdir, stat } from "node:fs/promises"
import { basename, dirname } from "node:path"
import { Effect, Schema } from "effect"
import { closest } from "../../options/words.ts"
import { maxBytes, tooLarge } from "./document.ts"
import { makePositions } from "./positions.ts"

/** A file could not be read as text. Has the fields of a `Problem`, so that it is shown like one. */
export class FileUnreadable extends Schema.TaggedError<FileUnreadable>()("FileUnreadable", {
  code: Schema.Literals([
    "file_not_found",
    "file_is_directory",
    "file_not_regular",
    "file_forbidden",
    "file_too_large",
    "file_not_utf8",
    "file_unreadable"
  ]),
  message: Schema.String,
  file: Schema.String,
  line: Schema.Int,
  column: Schema.Int,
  hint: Schema.String
}) {}

type Code = FileUnreadable["code"]

const unreadable = (code: Code, file: string, message: string, hint: string, line = 1, column = 1): FileUnreadable =>
  new FileUnreadable({ code, message, file, line, column, hint })

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string" ? error.code : ""

/** Names in a folder; none when it cannot be listed: they are wanted for a suggestion only. */
const namesIn = (folder: string): Effect.Effect<ReadonlyArray<string>> =>
  Effect.tryPromise(() => readdir(folder)).pipe(Effect.orElseSucceed(() => []))

const notFound = Effect.fnUntraced(function* (path: string) {
  const names = yield* namesIn(dirname(path))
  const near = closest(basename(path), names)
  const hint = near === undefined ? "Check the path." : `Did you mean ${near}?`
  return unreadable("file_not_found", path, "There is no such file.", hint)
})

const failureOf = (path: string, error: unknown): Effect.Effect<FileUnreadable> => {
  switch (codeOf(error)) {
    case "ENOENT":
    case "ENOTDIR":
      return notFound(path)
    case "EACCES":
    case "EPERM":
      return Effect.succeed(
        unreadable("file_forbidden", path, "The file may not be read.", "Give yourself permission to read it.")
      )
    case "EISDIR":
      return Effect.succeed(isDirectory(path))
    default:
      return Effect.succeed(
        unreadable(
          "file_unreadable",
          path,
          `The file could not be read: ${error instanceof Error ? error.message : String(error)}.`,
          "Check the path and the disk."
        )
      )
  }
}

const isDirectory = (path: string): FileUnreadable =>
  unreadable("file_is_directory", path, "This is a directory, not a file.", "Name a file in it.")

const attempt = <A>(path: string, work: () => Promise<A>): Effect.Effect<A, FileUnreadable> =>
  Effect.tryPromise({ try: work, catch: (error) => error }).pipe(
    Effect.catch((error) => Effect.flatMap(failureOf(path, error), Effect.fail))
  )

/** The first `maxBytes` bytes of a file and one more, if there are as many. */
const readBounded = async (path: string): Promise<Buffer> => {
  await using file = await open(path, "r")
  const buffer = Buffer.alloc(Math.min((await file.stat()).size, maxBytes) + 1)
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

const lengthByLead = (lead: number): number => (lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4)

/** Offset of the first byte that belongs to no character; the length when there is none. */
const firstBadByte = (bytes: Buffer): number => {
  let at = 0
  while (at < bytes.length) {
    const end = at + lengthByLead(bytes[at] ?? 0)
    if (end > at + 1 && (end > bytes.length || !isUtf8(bytes.subarray(at, end)))) return at
    at = end
  }
  return at
}

const looksLikeUtf16 = (bytes: Buffer): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)

/** Of English words every other byte of UTF-16, and three of four of UTF-32, are zeros. */
const isWide = (bytes: Buffer): boolean => {
  const begin = bytes.subarray(0, 400)
  return begin.filter((byte) => byte === 0).length * 3 > begin.length
}

const notUtf8 = (path: string, bytes: Buffer): FileUnreadable => {
  const at = firstBadByte(bytes)
  const before = bytes
    .subarray(0, at)
    .toString("utf8")
    .replace(/^\uFEFF/, "")
  const { line, column } = makePositions(before).at(before.length)
  const byte = (bytes[at] ?? 0).toString(16).padStart(2, "0")
  const hint = looksLikeUtf16(bytes) ? "Save it as UTF-8; it seems to be UTF-16." : "Save it as UTF-8."
  return unreadable(
    "file_not_utf8",
    path,
    `The file is not UTF-8: the byte 0x${byte} fits no character.`,
    hint,
    line,
    column
  )
}

/** Reads a file of at most 5 MiB as strict UTF-8. Devices and pipes are refused: reading them might never end. */
export const readTextFile = Effect.fn("readTextFile")(function* (
  path: string
): Effect.fn.Return<string, FileUnreadable> {
  const found = yield* attempt(path, () => stat(path))
  if (found.isDirectory()) return yield* isDirectory(path)
  if (!found.isFile()) {
    return yield* unreadable(
      "file_not_regular",
      path,
      "This is a device or a pipe, not a file.",
      "Write its content to a file and name that."
    )
  }
  if (found.size > maxBytes) return yield* unreadable(tooLarge.code, path, tooLarge.message, tooLarge.hint)
  const bytes = yield* attempt(path, () => readBounded(path))
  // it may have grown since
  if (bytes.length > maxBytes) return yield* unreadable(tooLarge.code, path, tooLarge.message, tooLarge.hint)
  if (isWide(bytes)) {
    return yield* unreadable(
      "file_not_utf8",
      path,
      "The file is not UTF-8 text: a large part of it are bytes 0x00.",
      "It seems to be UTF-16, UTF-32 or no text; save it as UTF-8."
    )
  }
  return isUtf8(bytes) ? bytes.toString("utf8") : yield* notUtf8(path, bytes)
})
