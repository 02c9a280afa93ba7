/** A line of input, or the id of one that was too long to be kept. */
export type Line = string | { readonly id: string | number | null }

/** Bytes kept of each end of a line that is too long: clients write the id there. */
const kept = 1024

const newline = 10

/** Takes bytes as they come and gives whole lines; of one with more than `limit` bytes nothing but its ends is kept. */
export const lineReader = (limit: number) => {
  let parts: Array<Uint8Array> = []
  let length = 0
  let long: { readonly head: Uint8Array; tail: Uint8Array } | null = null

  const add = (bytes: Uint8Array): void => {
    if (long !== null) {
      long.tail = Buffer.concat([long.tail, bytes.subarray(-kept)]).subarray(-kept)
      return
    }
    length += bytes.length
    parts.push(bytes)
    if (length <= limit) return
    const whole = Buffer.concat(parts)
    long = { head: whole.subarray(0, kept), tail: whole.subarray(-kept) }
    parts = []
  }

  const end = (): Line => {
    const line = long === null ? Buffer.concat(parts).toString("utf8") : { id: idIn(long.head, long.tail) }
    parts = []
    length = 0
    long = null
    return line
  }

  return {
    push: (chunk: Uint8Array): ReadonlyArray<Line> => {
      const lines: Array<Line> = []
      let from = 0
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
        add(chunk.subarray(from, at))
        lines.push(end())
        from = at + 1
      }
      if (from < chunk.length) add(chunk.subarray(from))
      return lines
    },
    /** The last line, which nothing has ended. */
    rest: (): ReadonlyArray<Line> => (length === 0 ? [] : [end()])
  }
}

const id = String.raw`"id"\s*:\s*("[^"\\\u0000-\u001f]*"|-?(?:0|[1-9]\d{0,14}))`
const idFirst = new RegExp(String.raw`^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,)*\s*${id}\s*,`)
const idLast = new RegExp(String.raw`,\s*${id}\s*(?:,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*)*\}\s*$`)

/** The id of a message of which only the ends are known; null: it stands somewhere between them. */
const idIn = (head: Uint8Array, tail: Uint8Array): string | number | null => {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8")
  const found = idFirst.exec(text(head)) ?? idLast.exec(text(tail))
  const value: unknown = JSON.parse(found?.[1] ?? "null")
  return typeof value === "string" || typeof value === "number" ? value : null
}
