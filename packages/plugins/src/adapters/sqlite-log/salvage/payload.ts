import type { Pages } from "./pages.ts"

/** Where the payload of a cell lies (https://www.sqlite.org/fileformat.html#b_tree_pages). */
export interface Payload {
  /** The page, and the first byte in it. */
  readonly at: number
  readonly from: number
  readonly bytes: number
}

/** Bytes of the payload of a table that lie in the page itself; the rest is in a chain of pages. */
export const localBytes = (size: number, bytes: number): number => {
  const most = size - 35
  if (bytes <= most) return bytes
  const least = Math.floor(((size - 12) * 32) / 255) - 23
  const some = least + ((bytes - least) % (size - 4))
  return some <= most ? some : least
}

/**
 * The payload, as often as there are pages to make it of: what was written last first, then from the file without its
 * log. Which one is right its hash says.
 */
export const payloads = function* (pages: Pages, { at, bytes, from }: Payload): Iterable<Buffer> {
  const page = pages.page(at)
  const local = localBytes(pages.size, bytes)
  const end = from + local
  if (end > page.length) return
  if (local === bytes) {
    yield page.subarray(from, end)
    return
  }
  if (end + 4 > page.length) return
  for (const choice of ["last", "first"] as const) {
    const parts = [page.subarray(from, end)]
    let left = bytes - local
    let number = page.readUInt32BE(end)
    while (left > 0) {
      const next = pages.numbered(number).at(choice === "last" ? 0 : -1)
      if (next === undefined) break
      const taken = Math.min(left, pages.size - 4)
      parts.push(next.subarray(4, 4 + taken))
      left -= taken
      number = next.readUInt32BE(0)
    }
    if (left === 0) yield Buffer.concat(parts)
  }
}
