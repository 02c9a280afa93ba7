import { neverShown } from "../../../text/branches.ts"
import type { Language } from "../../../text/languages.ts"
import { lineStarts, rowAt } from "../../../text/lines.ts"

/** Rows, from 0, of which all that they hold is what a template never shows: `{% if false %}`. `text`: without comments. Pure. */
export const offRows = (text: string, { branches }: Pick<Language, "branches">): ReadonlySet<number> => {
  const off = branches === undefined ? [] : neverShown(text, branches)
  if (off.length === 0) return new Set()
  const starts = lineStarts(text)
  const isBlank = (from: number, to: number): boolean => text.slice(from, Math.max(from, to)).trim() === ""
  const rows = new Set<number>()
  for (const { from, to } of off) {
    const [first, last] = [rowAt(starts, from), rowAt(starts, to - 1)]
    for (let row = first; row <= last; row++) {
      const begin = starts[row] ?? 0
      const end = starts[row + 1] ?? text.length
      if (isBlank(begin, from) && isBlank(to, end)) rows.add(row)
    }
  }
  return rows
}
