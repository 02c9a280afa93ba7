import { checksumOf, frameHeaderBytes, headerBytes, headerOf, isBigEndianIn } from "../wal.ts"

/** A page as it stands in a write-ahead log. */
export interface WalFrame {
  /** Of the page, as SQLite counts them, from 1. */
  readonly number: number
  readonly bytes: Buffer
}

export interface WalFrames {
  /** What was committed, as it was written: what the log is used for now. */
  readonly now: ReadonlyArray<WalFrame>
  /** What was committed in earlier uses of the file, and is in the database since. */
  readonly earlier: ReadonlyArray<WalFrame>
}

/**
 * What a write-ahead log holds that was committed. A log that is begun anew leaves frames of its earlier use behind it, a
 * transaction that was not committed leaves its own, and SQLite passes over both.
 *
 * Frames of one use have the same salts, and the checksum of each goes on with that of the one before. So a damaged frame
 * parts the chain in one place only, and those behind it count as before: whether what is in them is true, their hashes say.
 */
export const committedFrames = (wal: Buffer, pageBytes: number): WalFrames => {
  if (wal.length < headerBytes) return { now: [], earlier: [] }
  const uses = usesOf(framesIn(wal, pageBytes), isBigEndianIn(wal))
  const present = headerOf(wal)?.salts.toString("hex") ?? [...uses.keys()][0]
  const committed = (frames: ReadonlyArray<Frame> = []) => frames.slice(0, frames.findLastIndex(isCommit) + 1)
  return {
    now: committed(uses.get(present ?? "")),
    earlier: [...uses].flatMap(([salts, frames]) => (salts === present ? [] : committed(frames)))
  }
}

interface Frame extends WalFrame {
  readonly header: Buffer
}

const framesIn = (wal: Buffer, pageBytes: number): ReadonlyArray<Frame> => {
  const frameBytes = frameHeaderBytes + pageBytes
  const count = Math.floor((wal.length - headerBytes) / frameBytes)
  return Array.from({ length: count }, (_, i) => {
    const at = headerBytes + i * frameBytes
    const header = wal.subarray(at, at + frameHeaderBytes)
    return { header, number: header.readUInt32BE(0), bytes: wal.subarray(at + frameHeaderBytes, at + frameBytes) }
  })
}

/** The frames by the salts of their use. */
const usesOf = (frames: ReadonlyArray<Frame>, isBigEndian: boolean): ReadonlyMap<string, ReadonlyArray<Frame>> => {
  let before: { readonly frame: Frame; readonly salts: string } | undefined
  return Map.groupBy(frames, (frame) => {
    const own = frame.header.toString("hex", 8, 16)
    const salts =
      before !== undefined && own !== before.salts && goesOn(before.frame, frame, isBigEndian) ? before.salts : own
    before = { frame, salts }
    return salts
  })
}

/** Whether the checksum of the frame goes on with that of the one before, of which the salts are no part. */
const goesOn = (before: Frame, { bytes, header }: Frame, isBigEndian: boolean): boolean => {
  const begun = checksumOf(header, 0, 8, [before.header.readUInt32BE(16), before.header.readUInt32BE(20)], isBigEndian)
  const [one, other] = checksumOf(bytes, 0, bytes.length, begun, isBigEndian)
  return one === header.readUInt32BE(16) && other === header.readUInt32BE(20)
}

/** It is the last of a transaction. */
const isCommit = ({ header }: Frame): boolean => header.readUInt32BE(4) !== 0
