/** What a process printed, within a bound. */
export interface Output {
  readonly push: (chunk: Uint8Array) => void
  /** Everything up to the bound; beyond it the first and the last half, with a line between that says how much is missing. */
  readonly bytes: () => Uint8Array
}

const cutMark = (bytes: number): Buffer => Buffer.from(`\n[... ${bytes} bytes cut ...]\n`)

/** `limit` in bytes, at least 2. Memory is taken as it is needed and never exceeds the limit by more than the mark. */
export const boundedOutput = (limit: number): Output => {
  const headLimit = Math.floor(limit / 2)
  const tailLimit = limit - headLimit
  let head = Buffer.alloc(0)
  let headLength = 0
  let tail: Buffer | undefined
  /** Bytes that came after the head; the tail is a ring that holds the last `tailLimit` of them. */
  let past = 0

  const pushHead = (chunk: Uint8Array): void => {
    const needed = headLength + chunk.length
    if (needed > head.length) {
      const larger = Buffer.alloc(Math.min(headLimit, Math.max(needed, head.length * 2, 4096)))
      head.copy(larger, 0, 0, headLength)
      head = larger
    }
    head.set(chunk, headLength)
    headLength = needed
  }

  const pushTail = (chunk: Uint8Array): void => {
    tail ??= Buffer.alloc(tailLimit)
    const kept = chunk.subarray(Math.max(0, chunk.length - tailLimit))
    const at = (past + chunk.length - kept.length) % tailLimit
    const untilEnd = kept.subarray(0, tailLimit - at)
    tail.set(untilEnd, at)
    tail.set(kept.subarray(untilEnd.length), 0)
    past += chunk.length
  }

  return {
    push: (chunk) => {
      const bytesLeft = headLimit - headLength
      if (bytesLeft > 0) pushHead(chunk.subarray(0, bytesLeft))
      if (chunk.length > bytesLeft) pushTail(chunk.subarray(bytesLeft))
    },
    bytes: () => {
      const start = head.subarray(0, headLength)
      if (tail === undefined) return new Uint8Array(start)
      if (past <= tailLimit) return new Uint8Array(Buffer.concat([start, tail.subarray(0, past)]))
      const at = past % tailLimit
      return new Uint8Array(Buffer.concat([start, cutMark(past - tailLimit), tail.subarray(at), tail.subarray(0, at)]))
    }
  }
}
