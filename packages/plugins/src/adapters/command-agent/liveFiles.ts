import { appendFile, closeSync, constants, openSync } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"

/** What is printed, and what the agent tells of itself. */
export type OutputStream = "stdout" | "stderr" | "steps"

/** The file in the directory of an attempt that holds what its agent has printed or told so far. */
export const liveFile = (directory: string, stream: OutputStream): string => join(directory, stream)

/** Bytes of one stream that can be looked at while the agent works; all of it is kept at its end, as far as it is. */
const MAX_LIVE_BYTES = 8 * 1024 * 1024
const CUT_MARK = Buffer.from(`\n[... what comes after ${MAX_LIVE_BYTES} bytes is kept at the end ...]\n`)

/** Where the output of an agent goes while it works. Nothing of it ever fails or waits. */
export interface LiveOutput {
  readonly push: (stream: OutputStream, chunk: Uint8Array) => void
  readonly close: () => Promise<void>
}

/** All files, made before the agent can put anything else in their place. */
export const openLive = (directory: string, secret: string | undefined, instead: string): LiveOutput => {
  const one = (stream: OutputStream) => openOne(liveFile(directory, stream), secret, instead)
  const all = { stdout: one("stdout"), stderr: one("stderr"), steps: one("steps") }
  return {
    push: (stream, chunk) => all[stream].push(chunk),
    close: async () => {
      await Promise.all([all.stdout.close(), all.stderr.close(), all.steps.close()])
    }
  }
}

const openOne = (path: string, secret: string | undefined, instead: string) => {
  const file = opened(path)
  const conceal = secret === undefined ? (chunk: Uint8Array) => chunk : concealing(secret, instead)
  let bytesLeft = MAX_LIVE_BYTES
  let isFull = file === null
  let isClosed = false
  let last: Promise<unknown> = Promise.resolve()
  const write = (bytes: Uint8Array): void => {
    // what could not be written by the end is in nobody's way
    last = last.then(() => (isClosed || file === null ? undefined : append(file, bytes))).catch(() => {})
  }
  return {
    push: (chunk: Uint8Array): void => {
      if (isFull || isClosed) return
      const shown = conceal(chunk)
      if (shown.length === 0) return
      isFull = shown.length > bytesLeft
      write(shown.subarray(0, bytesLeft))
      if (isFull) write(CUT_MARK)
      bytesLeft -= shown.length
    },
    close: async (): Promise<void> => {
      isClosed = true
      await last
      if (file !== null) closed(file)
    }
  }
}

const opened = (path: string): number | null => {
  try {
    return openSync(path, "wx", 0o600)
  } catch {
    return null
  }
}

const closed = (file: number): void => {
  try {
    closeSync(file)
  } catch {
    // what is missing there is kept at the end
  }
}

const append = promisify(appendFile)

/**
 * Puts a text in the place of a secret, also of one that comes in several chunks: what may be the beginning of it is held
 * back until more is known.
 */
export const concealing = (secret: string, instead: string): ((chunk: Uint8Array) => Uint8Array) => {
  let withheld = ""
  return (chunk) => {
    // one byte is one character, so that nothing else changes
    const text = (withheld + Buffer.from(chunk).toString("latin1")).replaceAll(secret, instead)
    withheld = beginningAtEnd(text, secret)
    return Buffer.from(text.slice(0, text.length - withheld.length), "latin1")
  }
}

/** The longest beginning of the secret, but not all of it, that a text ends with. */
const beginningAtEnd = (text: string, secret: string): string => {
  for (let length = Math.min(secret.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(secret.slice(0, length))) return secret.slice(0, length)
  }
  return ""
}

/** A piece of what an agent has printed so far. */
export interface OutputPiece {
  /** Offset of its first byte. */
  readonly from: number
  /** Where to go on. */
  readonly next: number
  /** Bytes so far, up to the last whole character. */
  readonly total: number
  /** Bytes that are no UTF-8 are replaced by U+FFFD. */
  readonly text: string
}

/** Bytes of a piece at most. */
export const MAX_PIECE_BYTES = 64 * 1024

/** Reads a file of output from a byte on, or so many before its end; null: there is no such file. Cuts no character. */
export const readPiece = async (path: string, from: number): Promise<OutputPiece | null> => {
  // the directory is the agent's: what it puts in the place of the file is not followed, and never waited for
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW).catch(() => null)
  if (file === null) return null
  try {
    const found = await file.stat()
    return found.isFile() ? await pieceOf(file, found.size, from) : null
  } catch {
    return null
  } finally {
    await file.close()
  }
}

const pieceOf = async (file: FileHandle, size: number, from: number): Promise<OutputPiece> => {
  const begin = Math.min(from < 0 ? Math.max(0, size + from) : from, size)
  const buffer = Buffer.alloc(Math.min(MAX_PIECE_BYTES, size - begin))
  const { bytesRead } = await file.read(buffer, 0, buffer.length, begin)
  const read = buffer.subarray(0, bytesRead)
  const [start, end] = [begin === 0 ? 0 : restOfCharacter(read), read.length - openCharacter(read)]
  const bytes = read.subarray(Math.min(start, end), end)
  const next = begin + end
  return {
    from: begin + Math.min(start, end),
    next,
    total: begin + read.length === size ? next : size,
    text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
  }
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && byte >> 6 === 0b10

/** Bytes at the beginning that belong to a character which began before. */
const restOfCharacter = (bytes: Uint8Array): number => {
  let count = 0
  while (count < 3 && isContinuation(bytes[count])) count++
  return count
}

/** Bytes at the end of a character of which more is to come. */
const openCharacter = (bytes: Uint8Array): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (isContinuation(byte)) continue
    const length =
      byte >= 0xf0 && byte < 0xf8 ? 4 : byte >= 0xe0 && byte < 0xf0 ? 3 : byte >= 0xc0 && byte < 0xe0 ? 2 : 1
    return length > back ? back : 0
  }
  return 0
}
