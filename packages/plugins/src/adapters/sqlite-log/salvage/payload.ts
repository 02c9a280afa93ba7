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
 * The payload, as often as there are pages to make it of: of what was written last, then of the file without its log, then of
 * what was there before. Which one is right its hash says. What would need more pages than there are, or one page twice, is none.
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
  const inPage = pages.size - 4
  if (end + 4 > page.length || bytes - local > inPage * pages.count) return
  for (const choose of choices) {
    const parts = [page.subarray(from, end)]
    const seen = new Set<number>()
    let left = bytes - local
    let number = page.readUInt32BE(end)
    while (left > 0 && !seen.has(number)) {
      const next = choose(pages, number)
      if (next === undefined) break
      seen.add(number)
      const taken = Math.min(left, inPage)
      parts.push(next.subarray(4, 4 + taken))
      left -= taken
      number = next.readUInt32BE(0)
    }
    if (left === 0) yield Buffer.concat(parts)
  }
}

/** Which of those that stand under a number. */
const choices: ReadonlyArray<(pages: Pages, number: number) => Buffer | undefined> = [
  ({ numbered }, number) => numbered(number)[0],
  ({ inFile, numbered }, number) => inFile(number) ?? numbered(number).at(-1),
  ({ numbered }, number) => numbered(number).at(-1)
]
