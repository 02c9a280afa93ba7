import type { TextView } from "./schemas.ts"

/** Bytes of a text in one answer. */
export const pieceBytes = 64 * 1024

/** Most bytes that a character has before its last one. */
const maxBefore = 3

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** Where a character begins, at `index` or before; where none does, the bytes are no UTF-8, and may be cut anywhere. */
const startOfCharacter = (bytes: Uint8Array, index: number): number => {
  for (let i = index; i >= 0 && i >= index - maxBefore; i--) if (!isContinuation(bytes[i])) return i
  return index
}

/**
 * A piece of a text: from a byte on, or so many before the end where `from` is negative. It begins and ends between
 * characters.
 */
export const pieceOf = (bytes: Uint8Array, from: number): TextView => {
  const total = bytes.length
  const asked = from < 0 ? Math.max(0, total + from) : Math.min(from, total)
  const start = startOfCharacter(bytes, asked)
  const end = Math.min(total, start + pieceBytes)
  const next = end === total ? total : startOfCharacter(bytes, end)
  return { from: start, next, total, text: new TextDecoder().decode(bytes.subarray(start, next)), is_live: false }
}
