import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, statSync } from "node:fs"
import { devNull } from "node:os"
import { checkRegular } from "../there.ts"
import { headerBytes } from "../wal.ts"
import { committedFrames, type WalFrame } from "./walFrames.ts"

/** The pages of a database file, and those that were committed in its write-ahead log, whatever is in them. */
export interface Pages {
  /** Bytes of a page. */
  readonly size: number
  /** How many there are. */
  readonly count: number
  /** Every one of them, those of the log behind those of the file. */
  readonly all: () => Iterable<{ readonly at: number; readonly bytes: Buffer }>
  /** How many pages of those that the file had are not there any more; as far as its header can be read. */
  readonly missing: number
  /** The same page again. */
  readonly page: (at: number) => Buffer
  /**
   * What stands under a number of SQLite, from 1: as it was written last and before that, with the log's earlier uses at the
   * end, which are older than the file.
   */
  readonly numbered: (number: number) => ReadonlyArray<Buffer>
  /** The same in the file without its log; undefined: not there. */
  readonly inFile: (number: number) => Buffer | undefined
  readonly close: () => void
}

const usualSize = 4_096

/** Throws what the system throws, and `Damaged` where it is no file. */
export const openPages = (file: string): Pages => {
  checkRegular(file)
  // one that may not be looked for is not gone
  const isGone = statSync(file, { throwIfNoEntry: false }) === undefined
  const descriptor = openSync(isGone ? devNull : file, "r")
  const { size: bytes } = fstatSync(descriptor)
  const wal = existsSync(`${file}-wal`) ? readFileSync(`${file}-wal`) : Buffer.alloc(0)
  const size = sizeIn(read(descriptor, 0, 100), wal)
  // the last one may be cut off
  const inFile = Math.ceil(bytes / size)
  const pageAt = (at: number) => read(descriptor, at * size, size)
  const { earlier, now } = committedFrames(wal, size)
  const frames = [...now, ...earlier]
  const newestFirst = (of: ReadonlyArray<WalFrame>) => Map.groupBy(of.toReversed(), ({ number }) => number)
  const [nowOf, earlierOf] = [newestFirst(now), newestFirst(earlier)]
  const page = (at: number) => (at < inFile ? pageAt(at) : (frames[at - inFile] as WalFrame).bytes)
  const numberedInFile = (number: number) => (number >= 1 && number <= inFile ? pageAt(number - 1) : undefined)
  const numbered = (number: number) => {
    const bytesOf = (of: ReadonlyMap<number, ReadonlyArray<WalFrame>>) =>
      (of.get(number) ?? []).map(({ bytes }) => bytes)
    const own = numberedInFile(number)
    return [...bytesOf(nowOf), ...(own === undefined ? [] : [own]), ...bytesOf(earlierOf)]
  }
  const whole = Math.floor(bytes / size)
  return {
    size,
    count: inFile + frames.length,
    missing: missingOf(numbered(1)[0], inFile - whole, (number) => number <= inFile || nowOf.has(number)),
    all: function* () {
      for (let at = 0; at < inFile + frames.length; at++) yield { at, bytes: page(at) }
    },
    page,
    numbered,
    inFile: numberedInFile,
    close: () => closeSync(descriptor)
  }
}

const magic = "SQLite format 3\0"

/** `cut`: how many are there in part; `has`: whether one is there, as it is now. */
const missingOf = (first: Buffer | undefined, cut: number, has: (number: number) => boolean): number => {
  if (first === undefined || first.toString("latin1", 0, magic.length) !== magic) return 0
  let missing = cut
  for (let number = 1; number <= first.readUInt32BE(28); number++) if (!has(number)) missing++
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
  const said = [header.readUInt16BE(16), wal.length < headerBytes ? 0 : wal.readUInt32BE(8)].map((one) =>
    one === 1 ? 65_536 : one
  )
  return said.find((one) => one >= 512 && one <= 65_536 && (one & (one - 1)) === 0) ?? usualSize
}
