import { termsOf } from "./terms.ts"

/** Gives every item to exactly one part: to that with whose words it has most in common, else to `last`. */
export const assign = (
  parts: ReadonlyArray<string>,
  items: ReadonlyArray<string>,
  last: number
): ReadonlyArray<ReadonlyArray<number>> => {
  const terms = parts.map(termsOf)
  const spread = new Map<string, number>()
  for (const part of terms) for (const term of part) spread.set(term, (spread.get(term) ?? 0) + 1)
  const assigned = parts.map((): Array<number> => [])
  items.forEach((item, i) => {
    const words = [...termsOf(item)]
    // a word that every part has decides nothing
    const scores = terms.map((part) =>
      words.reduce((sum, word) => (part.has(word) ? sum + Math.log(parts.length / (spread.get(word) ?? 1)) : sum), 0)
    )
    const best = Math.max(...scores)
    assigned[best > 0 ? scores.indexOf(best) : last]?.push(i)
  })
  return assigned
}
