/** Whether a write-ahead log still holds what was committed to it (https://www.sqlite.org/walformat.html). */
import { readFileSync } from "node:fs"
import { isOpenHere } from "../../log/openHere.ts"
import { corrupt, Damaged } from "./explain.ts"
import { checkRegular, hasBytes } from "./there.ts"

export const headerBytes = 32
export const frameHeaderBytes = 24

/**
 * Throws `Damaged` where commits are in the write-ahead log, or were, that SQLite would pass over without a word: it reads
 * up to the first frame whose checksum is wrong, and whoever closes the file last throws the rest away. So it is called
 * before the file is opened; where this process has it open already, nothing is looked at.
 */
export const checkWal = (file: string): void => {
  if (isOpenHere(file)) return
  checkRegular(file)
  const wal = `${file}-wal`
  // what is written at the same moment is seen in parts: only what stays is a fault
  for (let attempts = 3; ; attempts--) {
    const fault = walFault(file)
    if (fault === null) return
    if (attempts === 1) throw new Damaged(corrupt(file, `its write-ahead log ${wal} ${fault}`))
  }
}

const walFault = (file: string): string | null => {
  // in this order: the index is never ahead of the log
  const index = indexOf(bytesOf(`${file}-shm`))
  const wal = bytesOf(`${file}-wal`)
  if (wal === null || wal.length < headerBytes) {
    return isEmpty(index) ? null : "is gone, and commits were in it alone"
  }
  const header = headerOf(wal)
  // a power cut may leave a file of zeros, in which nothing was committed
  if (header === null) return wal.readUInt32BE(0) === 0 && isEmpty(index) ? null : "has a header that is damaged"
  const { frameBytes, salts } = header
  const whole = wholeFrames(wal, header)
  // SQLite takes a log beside a file without a page for one that was left, and removes it
  if (whole > 0 && !hasBytes(file)) return "holds what was written, and the file itself is gone or empty"
  const isSame = index?.salts.equals(salts) === true
  if (isSame && index.frames > whole) {
    return isEmpty(index) ? null : `is damaged from frame ${whole + 1} on, and ${index.frames} were committed`
  }
  let commits = 0
  for (let frame = whole + 1; headerBytes + frame * frameBytes <= wal.length; frame++) {
    const at = headerBytes + (frame - 1) * frameBytes
    // of an earlier use of the file
    if (!wal.subarray(at + 8, at + 16).equals(salts)) continue
    // a commit that was not answered may be torn; nothing is written behind one that was not
    if (commits > 0) return `is damaged from frame ${whole + 1} on, and commits lie behind it`
    if (wal.readUInt32BE(at + 4) !== 0) commits++
  }
  return null
}

/** Whether nothing that was committed, as far as is known, is in the log alone. */
const isEmpty = (index: WalIndex | null): boolean => index === null || index.frames <= index.copied

/** Null: there is none, or it may not be read. */
const bytesOf = (path: string): Buffer | null => {
  try {
    return readFileSync(path)
  } catch {
    return null
  }
}

/** How the words are read of which the checksums are made; of a log that has a header. */
export const isBigEndianIn = (wal: Buffer): boolean => (wal.readUInt32BE(0) & 1) === 1

export interface WalHeader {
  readonly salts: Buffer
  readonly frameBytes: number
  readonly pageBytes: number
  readonly isBigEndian: boolean
}

/** Null: it is damaged. */
export const headerOf = (wal: Buffer): WalHeader | null => {
  const magic = wal.readUInt32BE(0)
  const pageBytes = wal.readUInt32BE(8)
  if (magic >>> 1 !== 0x377f0682 >>> 1 || pageBytes < 512 || pageBytes > 65_536) return null
  const isBigEndian = isBigEndianIn(wal)
  const sum = checksumOf(wal, 0, 24, [0, 0], isBigEndian)
  return sum[0] === wal.readUInt32BE(24) && sum[1] === wal.readUInt32BE(28)
    ? { salts: wal.subarray(16, 24), frameBytes: frameHeaderBytes + pageBytes, pageBytes, isBigEndian }
    : null
}

/** How many frames from the first on are as they were written. */
const wholeFrames = (wal: Buffer, { frameBytes, isBigEndian, salts }: WalHeader): number => {
  let sum: Sums = [wal.readUInt32BE(24), wal.readUInt32BE(28)]
  for (let frame = 0; ; frame++) {
    const at = headerBytes + frame * frameBytes
    if (at + frameBytes > wal.length || !wal.subarray(at + 8, at + 16).equals(salts)) return frame
    sum = checksumOf(wal, at, 8, sum, isBigEndian)
    sum = checksumOf(wal, at + frameHeaderBytes, frameBytes - frameHeaderBytes, sum, isBigEndian)
    if (sum[0] !== wal.readUInt32BE(at + 16) || sum[1] !== wal.readUInt32BE(at + 20)) return frame
  }
}

type Sums = readonly [number, number]

/** Goes on with the checksum of what is before these bytes. */
export const checksumOf = (
  bytes: Buffer,
  from: number,
  length: number,
  [first, second]: Sums,
  isBigEndian: boolean
): Sums => {
  const view = new DataView(bytes.buffer, bytes.byteOffset + from, length)
  // as signed integers: several times as fast, and the log is read before every `status`
  let [a, b] = [first | 0, second | 0]
  for (let at = 0; at < length; at += 8) {
    a = (a + view.getInt32(at, !isBigEndian) + b) | 0
    b = (b + view.getInt32(at + 4, !isBigEndian) + a) | 0
  }
  return [a >>> 0, b >>> 0]
}

interface WalIndex {
  /** Frames that were committed. */
  readonly frames: number
  /** Of them, those that are in the database file too. */
  readonly copied: number
  readonly salts: Buffer
}

/** What the processes that had the file open knew of it; null: nothing that can be relied on. */
const indexOf = (shm: Buffer | null): WalIndex | null => {
  if (shm === null || shm.length < 136) return null
  const [one, other] = [shm.subarray(0, 48), shm.subarray(48, 96)]
  const [is, sum] = [checksumOf(one, 0, 40, [0, 0], isBigEndianHere), new DataView(one.buffer, one.byteOffset, 48)]
  if (!one.equals(other) || one[12] === 0) return null
  if (is[0] !== sum.getUint32(40, !isBigEndianHere) || is[1] !== sum.getUint32(44, !isBigEndianHere)) return null
  const view = new DataView(shm.buffer, shm.byteOffset, shm.length)
  return {
    frames: view.getUint32(16, !isBigEndianHere),
    copied: view.getUint32(96, !isBigEndianHere),
    // as they stand in the log, whatever the order of bytes here is
    salts: shm.subarray(32, 40)
  }
}

const isBigEndianHere = new Uint8Array(new Uint32Array([1]).buffer)[0] === 0
