export interface Position {
  /** From 1. */
  readonly line: number
  /** From 1, in characters (code points). */
  readonly column: number
}

export interface Positions {
  /** Offset (UTF-16, as strings are indexed) to position. Cheap when asked in ascending order. */
  readonly at: (offset: number) => Position
  /** Line of an offset, from 1. */
  readonly lineOf: (offset: number) => number
}

const isTrailSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
const isLeadSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** Characters (code points) in `text` between two offsets. */
const charactersBetween = (text: string, from: number, to: number): number => {
  let count = 0
  for (let at = from; at < to; at += 1) {
    const isSecondHalf = at > from && isTrailSurrogate(text.charCodeAt(at)) && isLeadSurrogate(text.charCodeAt(at - 1))
    if (!isSecondHalf) count += 1
  }
  return count
}

/** Offsets at which the lines begin. Lines end with LF or CRLF. */
const lineStartsOf = (text: string): ReadonlyArray<number> => {
  const starts = [0]
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return starts
}

/** Index of the last entry that is not above `offset`. */
const lastNotAbove = (sorted: ReadonlyArray<number>, offset: number): number => {
  let low = 0
  let high = sorted.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((sorted[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

export const makePositions = (text: string): Positions => {
  const starts = lineStartsOf(text)
  // where the last column was counted, so that many places on one huge line are not counted from its start each
  let counted = { line: -1, offset: 0, characters: 0 }
  return {
    lineOf: (offset) => lastNotAbove(starts, offset) + 1,
    at: (offset) => {
      const within = Math.min(Math.max(offset, 0), text.length)
      const line = lastNotAbove(starts, within)
      const base =
        counted.line === line && counted.offset <= within ? counted : { line, offset: starts[line] ?? 0, characters: 0 }
      counted = {
        line,
        offset: within,
        characters: base.characters + charactersBetween(text, base.offset, within)
      }
      return { line: line + 1, column: counted.characters + 1 }
    }
  }
}
