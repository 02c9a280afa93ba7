import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from "node:fs"

/** The pages of a database file and of its write-ahead log, whatever is in them. */
export interface Pages {
  /** Bytes of a page. */
  readonly size: number
  /** Every page that there is, those of the log behind those of the file. */
  readonly all: () => Iterable<{ readonly at: number; readonly bytes: Buffer }>
  /** How many pages of those that the file had are not there any more; as far as its header can be read. */
  readonly missing: number
  /** The same page again. */
  readonly page: (at: number) => Buffer
  /** What stands under a number, as it was written last and before that; the number is that of SQLite, from 1. */
  readonly numbered: (number: number) => ReadonlyArray<Buffer>
  readonly close: () => void
}

const usualSize = 4_096
const walHeader = 32
const frameHeader = 24

/** Throws what the system throws. */
export const openPages = (file: string): Pages => {
  const descriptor = openSync(file, "r")
  const { size: bytes } = fstatSync(descriptor)
  const wal = existsSync(`${file}-wal`) ? readFileSync(`${file}-wal`) : Buffer.alloc(0)
  const size = sizeIn(read(descriptor, 0, 100), wal)
  // the last one may be cut off
  const inFile = Math.ceil(bytes / size)
  const frames = Math.max(0, Math.floor((wal.length - walHeader) / (frameHeader + size)))
  const frame = (at: number) => {
    const from = walHeader + at * (frameHeader + size)
    return { number: wal.readUInt32BE(from), bytes: wal.subarray(from + frameHeader, from + frameHeader + size) }
  }
  const framesOf = Map.groupBy(
    Array.from({ length: frames }, (_, at) => at),
    (at) => frame(at).number
  )
  const page = (at: number) => (at < inFile ? read(descriptor, at * size, size) : frame(at - inFile).bytes)
  const numbered = (number: number) => [
    ...(framesOf.get(number) ?? []).toReversed().map((at) => frame(at).bytes),
    ...(number >= 1 && number <= inFile ? [page(number - 1)] : [])
  ]
  return {
    size,
    missing: missingOf(numbered, inFile, Math.floor(bytes / size)),
    all: function* () {
      for (let at = 0; at < inFile + frames; at++) yield { at, bytes: page(at) }
    },
    page,
    numbered,
    close: () => closeSync(descriptor)
  }
}

const magic = "SQLite format 3\0"

const missingOf = (numbered: Pages["numbered"], inFile: number, whole: number): number => {
  const [first] = numbered(1)
  if (first === undefined || first.toString("latin1", 0, magic.length) !== magic) return 0
  let missing = inFile - whole
  for (let number = inFile + 1; number <= first.readUInt32BE(28); number++) if (numbered(number).length === 0) missing++
  return missing
}

/** What is behind the end of the file is 0. */
const read = (descriptor: number, from: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length)
  for (let done = 0; done < length; ) {
    const count = readSync(descriptor, bytes, done, length - done, from + done)
    if (count === 0) break
    done += count
  }
  return bytes
}

/** As the header of the file or of the log says, else as it is in every log of ours. */
const sizeIn = (header: Buffer, wal: Buffer): number => {
  const said = [header.readUInt16BE(16), wal.length < walHeader ? 0 : wal.readUInt32BE(8)].map((one) =>
    one === 1 ? 65_536 : one
  )
  return said.find((one) => one >= 512 && one <= 65_536 && (one & (one - 1)) === 0) ?? usualSize
}
