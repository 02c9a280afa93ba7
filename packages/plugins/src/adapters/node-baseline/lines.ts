import { hash } from "node:crypto"
import { diffArrays } from "diff"
import type { Changes } from "../../port/index.ts"

/** One number a line: the first 32 bits of the SHA-256 of its bytes without their line end (LF or CRLF). */
export type LineDigests = ReadonlyArray<number>

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** A final line end does not begin another line. */
export const digestsOf = (bytes: Uint8Array): LineDigests => {
  const digests: Array<number> = []
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(lineFeed, start)
    const end = found === -1 ? bytes.length : found
    digests.push(digestOf(bytes.subarray(start, found !== -1 && bytes[end - 1] === carriageReturn ? end - 1 : end)))
    start = end + 1
  }
  return digests
}

const digestOf = (line: Uint8Array): number => hash("sha256", line, "buffer").readUInt32BE(0)

/** Eight hex digits a line, one behind the other. */
export const packed = (digests: LineDigests): string => {
  const bytes = Buffer.alloc(digests.length * 4)
  for (const [i, digest] of digests.entries()) bytes.writeUInt32BE(digest, i * 4)
  return bytes.toString("hex")
}

export const unpacked = (text: string): LineDigests => {
  const bytes = Buffer.from(text, "hex")
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, i) => bytes.readUInt32BE(i * 4))
}

export const nothingTouched: Changes = { touched: () => false }
export const everythingTouched: Changes = { touched: () => true }

/** Edits looked for between two texts: the effort grows with their square. */
export const maxEdits = 2_000

/**
 * What was changed from one text to another. Where they are too different to compare line by line, all lines between
 * the first and the last difference count as new.
 */
export const changesBetween = (before: LineDigests, now: LineDigests): Changes => {
  const shorter = Math.min(before.length, now.length)
  let head = 0
  while (head < shorter && before[head] === now[head]) head++
  let tail = 0
  while (tail < shorter - head && before[before.length - 1 - tail] === now[now.length - 1 - tail]) tail++
  const old = before.slice(head, before.length - tail)
  const young = now.slice(head, now.length - tail)
  const isNew = new Uint8Array(now.length + 1)
  /** By the line before it: lines were taken out behind this one. */
  const isCut = new Uint8Array(now.length + 1)
  const parts = old.length === 0 || young.length === 0 ? undefined : diffArrays(old, young, { maxEditLength: maxEdits })
  if (parts === undefined) {
    isNew.fill(1, head + 1, head + 1 + young.length)
    if (old.length > 0) isCut[head] = 1
  } else {
    let line = head
    for (const { added, count, removed } of parts) {
      if (removed) isCut[line] = 1
      else {
        if (added) isNew.fill(1, line + 1, line + 1 + count)
        line += count
      }
    }
  }
  const [newUpTo, cutUpTo] = [sums(isNew), sums(isCut)]
  return {
    touched: (start, end) => {
      const [first, last] = [Math.max(start, 1), Math.min(end, now.length)]
      if (last < first) return false
      // a cut before the first line or behind the last one is none of theirs
      return at(newUpTo, last) > at(newUpTo, first - 1) || at(cutUpTo, last - 1) > at(cutUpTo, first - 1)
    }
  }
}

/** How many there are up to an index, itself included. */
const sums = (flags: Uint8Array): Uint32Array => {
  let sum = 0
  return Uint32Array.from(flags, (flag) => (sum += flag))
}

const at = (values: Uint32Array, index: number): number => values[index] ?? 0
